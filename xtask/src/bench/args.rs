//! Arguments of `bench`, and what they ask for. Compiled into every build, so that `--help` knows
//! them and bad values are refused before anything is built or timed.

use clap::ValueEnum;

use super::goals;

/// Arguments of `bench`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Only kernels and entry points in whose line of the table this occurs, operation included
    #[arg(long, value_name = "TEXT", default_value = "")]
    filter: String,
    /// Bytes of the buffer, multiples of 16, for style table
    #[arg(long, value_name = "BYTES,…", value_delimiter = ',', default_value = "16384")]
    sizes: Vec<usize>,
    /// Bits of the key: 128, 192, 256
    #[arg(long, value_name = "BITS,…", value_delimiter = ',', default_value = "128")]
    key_bits: Vec<usize>,
    /// How to print: a table, or as users of other projects' benchmarks know it
    #[arg(long, value_enum, default_value_t = Style::Table)]
    style: Style,
    /// Every number of blocks from 1 to 130: the library beside its peers, and which numbers cost
    /// more than a larger one
    #[arg(long, conflicts_with_all = ["filter", "sizes", "style"])]
    sweep: bool,
    /// What the project wants of its speed, and how much of it is so here: 16 KiB, one block, key
    /// set-up, and the sweep
    #[arg(long, conflicts_with_all = ["filter", "sizes", "style", "sweep"])]
    goals: bool,
    /// Limit the library and its peers to a tier: portable, sse, avx, avx2, avx512
    #[arg(long, value_name = "TIER")]
    cap: Option<String>,
    /// How often each is timed
    #[arg(long, value_name = "N", default_value_t = 200)]
    samples: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Style {
    /// A table: time, throughput, ratios to the peers
    Table,
    /// Cost of a byte from the slope over several sizes, as libgcrypt's bench-slope prints it
    Slope,
    /// Cycles of an operation at fixed sizes, as Linux's tcrypt prints them
    Tcrypt,
}

/// What is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum View {
    /// Every operation; those on data at these sizes in bytes.
    Table(Vec<usize>),
    /// The operations on data, at [`SLOPE_BYTES`].
    Slope,
    /// The operations on data, at [`TCRYPT_BYTES`].
    Tcrypt,
    /// The library's bulk methods at every number of blocks to [`SWEEP_BLOCKS`].
    Sweep,
    /// The operations of which [`super::goals`] wants something, and the sweep.
    Goals,
}

/// Checked arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Text that a contender's label contains.
    pub filter: String,
    /// Key lengths in bits.
    pub key_bits: Vec<usize>,
    /// What is measured.
    pub view: View,
    /// The tier to which the library and its peers are limited.
    pub cap: Option<String>,
    /// How often each contender is timed.
    pub samples: usize,
    /// Whether to print JSON.
    pub json: bool,
}

/// The sizes of tcrypt that are whole blocks; 1420, a packet's payload, is not, and gives way to
/// the 1424 bytes that it takes in blocks.
pub const TCRYPT_BYTES: &[usize] = &[16, 64, 128, 256, 1024, 1424, 4096];

/// First, last and step of the sizes over which the slope is taken.
pub const SLOPE_BYTES: (usize, usize, usize) = (16, 4112, 64);

/// The last number of blocks of a sweep: two of the largest batches and two blocks.
pub const SWEEP_BLOCKS: usize = 130;

/// The largest buffer that a request may ask for, 256 MiB.
const LARGEST: usize = 1 << 28;

/// Why a request makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgsError {
    /// Not whole blocks, none, or too many.
    #[error("--sizes {0}: take a multiple of 16 bytes, from 16 to {LARGEST}")]
    Size(usize),
    /// Not a key length of ARIA.
    #[error("--key-bits {0}: ARIA has keys of 128, 192 and 256 bits")]
    KeyBits(usize),
    /// A statistic needs a sample.
    #[error("--samples 0: take at least one")]
    Samples,
}

impl Args {
    /// The request that the arguments make.
    ///
    /// # Errors
    ///
    /// [`ArgsError`] names the argument and what it takes.
    pub fn request(&self) -> Result<Request, ArgsError> {
        let wrong = |bytes: &&usize| !bytes.is_multiple_of(16) || !(16..=LARGEST).contains(*bytes);
        if let Some(bytes) = self.sizes.iter().find(wrong) {
            return Err(ArgsError::Size(*bytes));
        }
        if let Some(bits) = self.key_bits.iter().find(|bits| ![128, 192, 256].contains(*bits)) {
            return Err(ArgsError::KeyBits(*bits));
        }
        if self.samples == 0 {
            return Err(ArgsError::Samples);
        }
        let view = match self.style {
            _ if self.sweep => View::Sweep,
            _ if self.goals => View::Goals,
            Style::Table => View::Table(self.sizes.clone()),
            Style::Slope => View::Slope,
            Style::Tcrypt => View::Tcrypt,
        };
        Ok(Request {
            filter: self.filter.clone(),
            key_bits: self.key_bits.clone(),
            view,
            cap: self.cap.clone(),
            samples: self.samples,
            json: self.json,
        })
    }
}

impl View {
    /// The sizes in bytes at which operations on data are timed, in order.
    #[must_use]
    pub fn bytes(&self) -> Vec<usize> {
        match self {
            Self::Table(sizes) => sizes.clone(),
            Self::Slope => {
                let (first, last, step) = SLOPE_BYTES;
                (first..=last).step_by(step).collect()
            }
            Self::Tcrypt => TCRYPT_BYTES.to_vec(),
            Self::Sweep => (1..=SWEEP_BLOCKS).map(|blocks| 16 * blocks).collect(),
            Self::Goals => vec![goals::BYTES],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn request(line: &[&str]) -> Result<Request, ArgsError> {
        let line = Line::try_parse_from([&["bench"], line].concat());
        line.expect("well-formed arguments").args.request()
    }

    #[test]
    fn bad_values_are_named_with_what_is_taken() {
        assert_eq!(request(&["--sizes", "16,40"]), Err(ArgsError::Size(40)));
        assert_eq!(request(&["--sizes", "0"]), Err(ArgsError::Size(0)));
        let huge = LARGEST + 16;
        assert_eq!(request(&["--sizes", &huge.to_string()]), Err(ArgsError::Size(huge)));
        assert_eq!(request(&["--key-bits", "128,160"]), Err(ArgsError::KeyBits(160)));
        assert_eq!(request(&["--samples", "0"]), Err(ArgsError::Samples));
        let message = ArgsError::Size(40).to_string();
        assert!(message.contains("--sizes 40") && message.contains("multiple of 16"), "{message}");
    }

    #[test]
    fn what_does_not_parse_is_clap_s_matter() {
        let lines = [
            &["--sizes", "many"][..],
            &["--style", "pie"],
            &["--sweep", "--sizes", "16"],
            &["--goals", "--sweep"],
            &["--goals", "--filter", "CTR"],
        ];
        for line in lines {
            assert!(Line::try_parse_from([&["bench"], line].concat()).is_err(), "{line:?}");
        }
    }

    #[test]
    fn styles_have_their_sizes() {
        let view = |line: &[&str]| request(line).expect("sensible").view;
        assert_eq!(view(&[]).bytes(), [16384]);
        assert_eq!(view(&["--sizes", "16,1024"]).bytes(), [16, 1024]);
        assert_eq!(view(&["--style", "tcrypt"]).bytes(), TCRYPT_BYTES);
        assert_eq!(view(&["--goals", "--key-bits", "256"]).bytes(), [16384]);
        let slope = view(&["--style", "slope"]).bytes();
        assert_eq!((slope.len(), slope[0], slope[64]), (65, 16, 4112));
        let sweep = view(&["--sweep"]).bytes();
        assert_eq!((sweep.len(), sweep[0], sweep[129]), (130, 16, 2080));
        assert!(slope.iter().chain(&sweep).chain(TCRYPT_BYTES).all(|b| b.is_multiple_of(16)));
    }
}
