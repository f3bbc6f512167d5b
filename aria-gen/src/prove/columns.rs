//! Functions of words that multiply unknown bits: bit-sliced S-boxes, proved on all inputs.
//!
//! The domain of linear forms cannot hold a product. But a bit-sliced substitution takes the eight bits
//! of a byte, which stand in one *column* of its words, to the eight bits of the S-box's value in the
//! same column, and looks at no other column. Over [`Columns`] such a function is run once on all 256
//! inputs of every column; if each column comes out as one of the S-boxes of the specification, that
//! S-box is what the function is, and it is applied to forms as affine map, field inversion, affine
//! map. Nothing is assumed of how the function computes it.
//!
//! With n words of 64 bits there are 8·n columns: bit p of word w is bit n·⌊p / 8n⌋ + w of column
//! p mod 8n. Eight words hold a byte in one bit of each; two words hold planes of 16 bits.

use super::domain::{Bit, Columns, Domain};
use super::reader::{Value, Word};
use crate::math::Sbox;
use crate::spec::aria;

/// Bytes of a word.
const WORD_BYTES: usize = 8;

/// How the bits of a state stand in columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    words: usize,
}

impl Shape {
    fn columns(self) -> usize {
        8 * self.words
    }

    /// The column of bit `p` of word `w`, and which of the column's eight bits it is.
    fn column(self, w: usize, p: usize) -> (usize, usize) {
        (p % self.columns(), p / self.columns() * self.words + w)
    }

    /// Word and bit of bit `index` of a column.
    fn place(self, column: usize, index: usize) -> (usize, usize) {
        (index % self.words, index / self.words * self.columns() + column)
    }
}

/// The arguments of a call: one state of unknown words, and known ones.
pub struct Call<B> {
    shape: Shape,
    state: Vec<Word<B>>,
    arguments: Vec<Value<[Bit; 8]>>,
}

impl<B: Clone> Call<B> {
    /// Takes arguments apart, if exactly one is an array of words with unknown bits, of a number of
    /// words that has columns, and the others are arrays of known words.
    pub fn new<D: Domain<Byte = B>>(domain: &D, arguments: &[Value<B>]) -> Option<Self> {
        let mut state = None;
        let mut translated = Vec::new();
        for argument in arguments {
            let words = words(argument)?;
            if let Some(known) = words.iter().map(|word| known(domain, word)).collect() {
                let known: Vec<Word<[Bit; 8]>> = known;
                translated.push(Value::array(known.into_iter().map(Value::Word)));
                continue;
            }
            let shape = Shape { words: words.len() };
            if state.is_some() || ![1, 2, 4, 8].contains(&words.len()) {
                return None;
            }
            let variables = (0..words.len()).map(|w| {
                let bytes = (0..WORD_BYTES).map(|byte| {
                    core::array::from_fn(|bit| {
                        let (column, index) = shape.column(w, 8 * byte + bit);
                        Bit::variable(column, index)
                    })
                });
                Value::Word(Word { bytes: bytes.collect(), signed: false })
            });
            translated.push(Value::array(variables));
            state = Some((shape, words));
        }
        let (shape, state) = state?;
        Some(Self { shape, state, arguments: translated })
    }

    /// The arguments to run the function with, over [`Columns`].
    pub fn arguments(&self) -> Vec<Value<[Bit; 8]>> {
        self.arguments.clone()
    }

    /// What the function makes of its arguments, if `result`, which it makes of [`Self::arguments`],
    /// shows an S-box in every column.
    pub fn result<D: Domain<Byte = B>>(
        &self,
        domain: &mut D,
        result: &Value<[Bit; 8]>,
    ) -> Option<Value<B>> {
        let result = words(result)?;
        if result.len() != self.shape.words {
            return None;
        }
        let columns = 0..self.shape.columns();
        let images: Option<Vec<B>> = columns
            .map(|column| {
                let sbox = self.sbox(column, &result)?;
                let bits = core::array::from_fn(|index| {
                    let (w, p) = self.shape.place(column, index);
                    Some((&self.state[w].bytes[p / 8], (p % 8) as u32))
                });
                let x = domain.gather(bits);
                let argument = domain.affine(sbox.before, &x);
                let inverse = domain.inverse(&argument);
                Some(domain.affine(sbox.after, &inverse))
            })
            .collect();
        let images = images?;
        let word = |w| {
            let bytes = (0..WORD_BYTES).map(|byte| {
                domain.gather(core::array::from_fn(|bit| {
                    let (column, index) = self.shape.column(w, 8 * byte + bit);
                    Some((&images[column], index as u32))
                }))
            });
            Value::Word(Word { bytes: bytes.collect(), signed: false })
        };
        Some(Value::array((0..self.shape.words).map(word)))
    }

    /// The S-box that a column of the result is, for every value of that column.
    fn sbox(&self, column: usize, result: &[Word<[Bit; 8]>]) -> Option<Sbox> {
        let image = |value: u8| {
            (0..8).try_fold(0, |sum, index| {
                let (w, p) = self.shape.place(column, index);
                let bit = result[w].bytes[p / 8][p % 8].at(column, value)?;
                Some(sum | u8::from(bit) << index)
            })
        };
        let images: Vec<u8> = (0..=255).map(image).collect::<Option<_>>()?;
        let sboxes = [aria::s1(), aria::s2(), aria::x1(), aria::x2()];
        let is = |sbox: &Sbox| (0..=255).zip(&images).all(|(x, image)| sbox.apply(x) == *image);
        sboxes.into_iter().find(is)
    }
}

/// The words of an array of unsigned 64-bit words.
fn words<B: Clone>(value: &Value<B>) -> Option<Vec<Word<B>>> {
    let Value::Array(items) = value else { return None };
    let word = |item: &Value<B>| match item {
        Value::Word(word) if !word.signed && word.bytes.len() == WORD_BYTES => Some(word.clone()),
        _ => None,
    };
    items.iter().map(word).collect()
}

/// The word over [`Columns`], if all of it is known.
fn known<D: Domain>(domain: &D, word: &Word<D::Byte>) -> Option<Word<[Bit; 8]>> {
    let bytes = word.bytes.iter().map(|byte| Some(Columns.constant(domain.known(byte)?)));
    Some(Word { bytes: bytes.collect::<Option<_>>()?, signed: false })
}
