//! Every mode of ours that encrypts, behind one function: bytes in, bytes out, in each of the ways
//! in which it takes a message.

use aes::cipher::{
    BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncClosure, BlockCipherEncrypt,
    BlockSizeUser, consts::U16,
};
use aria_runtime::cipher::inout::InOutBuf;
use aria_runtime::cipher::{Array, BlockModeDecrypt, BlockModeEncrypt, InnerIvInit, StreamCipher};
use aria_runtime::modes::buffered::{Buffered, Ending, Padded, Unpadded};
use aria_runtime::modes::{BulkDecrypt, BulkEncrypt, Error, cbc, cfb, cfb8, ctr, cts, ofb, xts};
use aria_runtime::{Aria128, Aria192, Aria256, Token};

use crate::oracle;
use crate::reference::{self, Cipher};

/// A mode that encrypts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// CTR, 128 bits.
    Ctr,
    /// CTR, 32 bits.
    Ctr32,
    /// CBC of whole blocks.
    Cbc,
    /// CBC with padding.
    CbcPkcs7,
    /// CFB-128 through the types for whole blocks.
    Cfb,
    /// CFB-128 through the types for any pieces.
    CfbBuf,
    /// CFB-8.
    Cfb8,
    /// OFB.
    Ofb,
    /// CBC-CS1.
    Cs1,
    /// CBC-CS2.
    Cs2,
    /// CBC-CS3.
    Cs3,
    /// XTS; the IV is the tweak.
    Xts,
}

/// There, or back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// There.
    Encrypt,
    /// Back.
    Decrypt,
}

/// How a message is given to a mode.
#[derive(Clone, Copy, Debug)]
pub enum Form<'a> {
    /// At once, in its place.
    InPlace,
    /// At once, from one buffer to another.
    Apart,
    /// In pieces of these sizes, and the rest.
    Pieces(&'a [usize]),
}

impl Mode {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Ctr,
        Self::Ctr32,
        Self::Cbc,
        Self::CbcPkcs7,
        Self::Cfb,
        Self::CfbBuf,
        Self::Cfb8,
        Self::Ofb,
        Self::Cs1,
        Self::Cs2,
        Self::Cs3,
        Self::Xts,
    ];

    /// Whether a plaintext may have so many bytes.
    #[must_use]
    pub fn takes(self, bytes: usize) -> bool {
        match self {
            Self::Cbc | Self::Cfb => bytes.is_multiple_of(16),
            Self::Cs1 | Self::Cs2 | Self::Cs3 | Self::Xts => bytes >= 16,
            _ => true,
        }
    }

    /// What it should give, by [`mod@reference`] over RustCrypto's `aria`. XTS' second key is
    /// [`second`] of the first.
    #[must_use]
    pub fn expected(self, key: &[u8], iv: [u8; 16], plain: &[u8]) -> Vec<u8> {
        let other = second(key);
        let encrypt = |block| oracle::encrypt(key, &[block])[0];
        let decrypt = |block| oracle::decrypt(key, &[block])[0];
        let cipher = Cipher { encrypt: &encrypt, decrypt: &decrypt };
        let encrypt = |block| oracle::encrypt(&other, &[block])[0];
        let tweaks = Cipher { encrypt: &encrypt, decrypt: &decrypt };
        match self {
            Self::Ctr => cipher.ctr(iv, 16, plain),
            Self::Ctr32 => cipher.ctr(iv, 4, plain),
            Self::Cbc => cipher.cbc_encrypt(iv, plain),
            Self::CbcPkcs7 => cipher.cbc_encrypt(iv, &reference::pad(plain)),
            Self::Cfb | Self::CfbBuf => cipher.cfb_encrypt(iv, 16, plain),
            Self::Cfb8 => cipher.cfb_encrypt(iv, 1, plain),
            Self::Ofb => cipher.ofb(iv, plain),
            Self::Cs1 => cipher.cts_encrypt(iv, 1, plain),
            Self::Cs2 => cipher.cts_encrypt(iv, 2, plain),
            Self::Cs3 => cipher.cts_encrypt(iv, 3, plain),
            Self::Xts => cipher.xts_encrypt(&tweaks, u128::from_le_bytes(iv), plain),
        }
    }

    /// What our ARIA gives.
    ///
    /// # Errors
    ///
    /// What the mode refuses.
    ///
    /// # Panics
    ///
    /// If the key does not have 16, 24 or 32 bytes.
    pub fn run(
        self,
        (key, iv): (&[u8], [u8; 16]),
        token: Token,
        direction: Direction,
        form: Form<'_>,
        data: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let other = &second(key);
        macro_rules! with {
            ($cipher:ident) => {{
                let cipher = |key| {
                    $cipher::new_from_slice_with_token(key, token).expect("the length is right")
                };
                self.run_with(cipher(key), cipher(other), iv, direction, form, data)
            }};
        }
        match key.len() {
            16 => with!(Aria128),
            24 => with!(Aria192),
            32 => with!(Aria256),
            _ => panic!("an ARIA key has 16, 24 or 32 bytes"),
        }
    }

    /// What any cipher gives; `tweaks` is that for XTS' second key.
    ///
    /// # Errors
    ///
    /// What the mode refuses.
    pub fn run_with<C: BulkEncrypt + BulkDecrypt + Clone>(
        self,
        cipher: C,
        tweaks: C,
        iv: [u8; 16],
        direction: Direction,
        form: Form<'_>,
        data: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let iv = iv.into();
        macro_rules! made {
            ($type:ty) => {
                <$type>::inner_iv_init(cipher, &iv)
            };
        }
        macro_rules! stream {
            ($type:ty) => {{
                let mut mode = made!($type);
                Ok(in_pieces(form, data, 1, |data| mode.apply_keystream_inout(data)))
            }};
        }
        macro_rules! blocks {
            ($encryptor:ty, $decryptor:ty, $size:literal) => {
                match direction {
                    Direction::Encrypt => {
                        let mut mode = made!($encryptor);
                        Ok(in_pieces(form, data, $size, |data| {
                            mode.encrypt_blocks_inout(data.into_chunks().0);
                        }))
                    }
                    Direction::Decrypt => {
                        let mut mode = made!($decryptor);
                        Ok(in_pieces(form, data, $size, |data| {
                            mode.decrypt_blocks_inout(data.into_chunks().0);
                        }))
                    }
                }
            };
        }
        macro_rules! stealing {
            ($variant:ty) => {
                match direction {
                    Direction::Encrypt => {
                        let mode = made!(cts::Encryptor<C, $variant>);
                        match form {
                            Form::Pieces(pieces) => buffered(mode, pieces, data),
                            _ => at_once(form, data, |data| mode.encrypt_inout(data)),
                        }
                    }
                    Direction::Decrypt => {
                        let mode = made!(cts::Decryptor<C, $variant>);
                        match form {
                            Form::Pieces(pieces) => buffered(mode, pieces, data),
                            _ => at_once(form, data, |data| mode.decrypt_inout(data)),
                        }
                    }
                }
            };
        }
        match (self, direction) {
            (Self::Ctr, _) => stream!(ctr::Ctr128BE<C>),
            (Self::Ctr32, _) => stream!(ctr::Ctr32BE<C>),
            (Self::Ofb, _) => stream!(ofb::Ofb<C>),
            (Self::Cbc, Direction::Encrypt) => match form {
                Form::Pieces(pieces) => buffered(Unpadded(made!(cbc::Encryptor<C>)), pieces, data),
                _ => blocks!(cbc::Encryptor<C>, cbc::Decryptor<C>, 16),
            },
            (Self::Cbc, Direction::Decrypt) => match form {
                Form::Pieces(pieces) => buffered(Unpadded(made!(cbc::Decryptor<C>)), pieces, data),
                _ => blocks!(cbc::Encryptor<C>, cbc::Decryptor<C>, 16),
            },
            (Self::CbcPkcs7, Direction::Encrypt) => {
                let mode = made!(cbc::Encryptor<C>);
                let mut output = vec![0; data.len() + 16];
                match form {
                    Form::Pieces(pieces) => buffered(Padded(mode), pieces, data),
                    Form::Apart => Ok(mode.encrypt_pkcs7_b2b(data, &mut output)?.to_vec()),
                    Form::InPlace => {
                        output[..data.len()].copy_from_slice(data);
                        Ok(mode.encrypt_pkcs7(&mut output, data.len())?.to_vec())
                    }
                }
            }
            (Self::CbcPkcs7, Direction::Decrypt) => {
                let mode = made!(cbc::Decryptor<C>);
                match form {
                    Form::Pieces(pieces) => buffered(Padded(mode), pieces, data),
                    Form::Apart => {
                        Ok(mode.decrypt_pkcs7_b2b(data, &mut vec![0; data.len()])?.to_vec())
                    }
                    Form::InPlace => Ok(mode.decrypt_pkcs7(&mut data.to_vec())?.to_vec()),
                }
            }
            (Self::Cfb, _) => blocks!(cfb::Encryptor<C>, cfb::Decryptor<C>, 16),
            (Self::Cfb8, _) => blocks!(cfb8::Encryptor<C>, cfb8::Decryptor<C>, 1),
            (Self::CfbBuf, Direction::Encrypt) => {
                let mut mode = made!(cfb::BufEncryptor<C>);
                Ok(in_pieces(form, data, 1, |data| mode.encrypt_inout(data)))
            }
            (Self::CfbBuf, Direction::Decrypt) => {
                let mut mode = made!(cfb::BufDecryptor<C>);
                Ok(in_pieces(form, data, 1, |data| mode.decrypt_inout(data)))
            }
            (Self::Cs1, _) => stealing!(cts::Cs1),
            (Self::Cs2, _) => stealing!(cts::Cs2),
            (Self::Cs3, _) => stealing!(cts::Cs3),
            (Self::Xts, Direction::Encrypt) => {
                let mode = xts::Encryptor::from_ciphers(cipher, tweaks)?;
                let unit = u128::from_le_bytes(iv.0);
                match form {
                    Form::Pieces(pieces) => buffered(mode.piecewise(unit), pieces, data),
                    _ => at_once(form, data, |data| mode.encrypt_unit_inout(unit, data)),
                }
            }
            (Self::Xts, Direction::Decrypt) => {
                let mode = xts::Decryptor::from_ciphers(cipher, tweaks);
                let unit = u128::from_le_bytes(iv.0);
                match form {
                    Form::Pieces(pieces) => buffered(mode.piecewise(unit), pieces, data),
                    _ => at_once(form, data, |data| mode.decrypt_unit_inout(unit, data)),
                }
            }
        }
    }
}

/// A key that differs from this one, for XTS.
#[must_use]
pub fn second(key: &[u8]) -> Vec<u8> {
    key.iter().map(|byte| byte ^ 0x5c).collect()
}

/// What a block mode or a stream cipher makes of the data. Pieces are cut down to whole `units`.
fn in_pieces(
    form: Form<'_>,
    data: &[u8],
    units: usize,
    mut work: impl FnMut(InOutBuf<'_, '_, u8>),
) -> Vec<u8> {
    let Form::Pieces(pieces) = form else {
        return at_once(form, data, |data| {
            work(data);
            Ok(())
        })
        .unwrap_or_default();
    };
    let mut data = data.to_vec();
    let mut rest = &mut data[..];
    for &piece in pieces {
        let cut = (piece / units * units).min(rest.len());
        let (now, later) = rest.split_at_mut(cut);
        work(now.into());
        rest = later;
    }
    work(rest.into());
    data
}

/// What a mode makes of the data at once, in place or apart, at odd addresses. Apart, the output
/// starts out as noise.
fn at_once(
    form: Form<'_>,
    data: &[u8],
    work: impl FnOnce(InOutBuf<'_, '_, u8>) -> Result<(), Error>,
) -> Result<Vec<u8>, Error> {
    if let Form::InPlace = form {
        let mut buffer = [&[0], data].concat();
        work((&mut buffer[1..]).into())?;
        return Ok(buffer.split_off(1));
    }
    let mut output = vec![0xa5; data.len() + 1];
    work(InOutBuf::new(data, &mut output[1..]).expect("the lengths are equal"))?;
    Ok(output.split_off(1))
}

/// What a buffered mode makes of the data in pieces.
fn buffered<M: Ending>(mode: M, pieces: &[usize], data: &[u8]) -> Result<Vec<u8>, Error> {
    let mut mode = Buffered::new(mode);
    let mut output = vec![0xa5; data.len() + 48];
    let (mut end, mut rest) = (0, data);
    for &piece in pieces.iter().chain([&data.len()]) {
        let (now, later) = rest.split_at(piece.min(rest.len()));
        let ready = mode.ready(now.len());
        let written = mode.update(now, &mut output[end..end + ready])?;
        assert_eq!(written, ready, "as announced");
        end += written;
        rest = later;
    }
    end += mode.finish(&mut output[end..])?;
    output.truncate(end);
    Ok(output)
}

/// A cipher of another crate with the trait that our modes want.
#[derive(Clone)]
pub struct Foreign<C>(pub C);

impl<C> BlockSizeUser for Foreign<C> {
    type BlockSize = U16;
}

impl<C: BlockCipherEncrypt<BlockSize = U16>> BlockCipherEncrypt for Foreign<C> {
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = U16>) {
        self.0.encrypt_with_backend(f);
    }
}

impl<C: BlockCipherDecrypt<BlockSize = U16>> BlockCipherDecrypt for Foreign<C> {
    fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = U16>) {
        self.0.decrypt_with_backend(f);
    }
}

impl<C: BlockCipherEncrypt<BlockSize = U16>> BulkEncrypt for Foreign<C> {}
impl<C: BlockCipherDecrypt<BlockSize = U16>> BulkDecrypt for Foreign<C> {}

/// So many bytes, the i-th of which is i modulo 256.
#[must_use]
pub fn counting(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i % 256) as u8).collect()
}

/// A block from hex digits.
///
/// # Panics
///
/// If these are not 32 hex digits.
#[must_use]
pub fn iv(digits: &str) -> [u8; 16] {
    u128::from_str_radix(digits, 16).expect("hex digits").to_be_bytes()
}

/// The bytes of a block in RustCrypto's type.
#[must_use]
pub fn array(block: [u8; 16]) -> Array<u8, U16> {
    block.into()
}
