//! This workspace's part: the library's entry points, and each kernel by force.

use aria_gen::kernel::{Frame, KernelId};
use aria_runtime::cipher::consts::U16;
use aria_runtime::cipher::{BlockCipherEncrypt, KeySizeUser};
use aria_runtime::{Aria, Aria128, Aria192, Aria256, AriaDec, AriaEnc, KernelInfo, Token, kernels};

use super::library::{Blocks, Family, Library, Offer, OnData, SetUp, Work};
use super::limits::Limits;
use super::operation::Operation;

/// The public entry points, on what the planner chooses under a token.
#[derive(Debug)]
pub(crate) struct EntryPoints {
    token: Token,
    limits: Limits,
}

/// One kernel, for every number of blocks.
#[derive(Debug)]
pub(crate) struct Kernel {
    id: &'static str,
    token: Token,
    limits: Limits,
}

/// What this CPU has, under the environment's cap or not, as `#[target_feature]` names.
pub(crate) fn names(features: impl Iterator<Item = aria_runtime::Feature>) -> Vec<&'static str> {
    features.map(aria_runtime::Feature::name).collect()
}

impl EntryPoints {
    /// The entry points under `token`, on a CPU that has `cpu`.
    pub(crate) fn new(token: Token, cpu: &[&str]) -> Self {
        let limits = Limits::leaving(&names(token.features().iter()), cpu);
        Self { token, limits }
    }
}

impl Kernel {
    /// The kernels that `token` lets run, and the others with what they lack.
    pub(crate) fn all(token: Token, cpu: &[&str]) -> (Vec<Self>, Vec<(KernelInfo, String)>) {
        let (mut able, mut unable) = (Vec::new(), Vec::new());
        for kernel in kernels() {
            match token.forced(kernel.id) {
                Ok(token) => {
                    let limits = Limits::leaving(&names(kernel.features.iter().copied()), cpu);
                    able.push(Self { id: kernel.id, token, limits });
                }
                Err(error) => unable.push((kernel, error.to_string())),
            }
        }
        (able, unable)
    }

    /// The kernel's id.
    pub(crate) fn id(&self) -> &'static str {
        self.id
    }

    /// The operation on many blocks that the kernel serves; `None` if it has no such thing.
    ///
    /// # Errors
    ///
    /// When the id is none.
    pub(crate) fn bulk_operation(&self) -> anyhow::Result<Option<Operation>> {
        Ok(match self.id.parse::<KernelId>()?.frame {
            Frame::Ecb => Some(Operation::EcbEncrypt),
            Frame::Ctr | Frame::Keys => None,
        })
    }
}

impl Library for Kernel {
    fn family(&self) -> Family {
        Family::Ours
    }

    fn limits(&self) -> Option<&Limits> {
        Some(&self.limits)
    }

    fn offer(&self, operation: Operation, key: &[u8]) -> anyhow::Result<Option<Offer>> {
        // For ARIA decryption is the same kernel with other round keys.
        let takes_part = match self.id.parse::<KernelId>()?.frame {
            Frame::Ecb => operation == Operation::EcbEncrypt,
            // No operation is in counter mode yet.
            Frame::Ctr => false,
            Frame::Keys => {
                matches!(operation, Operation::KeysEncryption | Operation::KeysDecryption)
            }
        };
        if !takes_part {
            return Ok(None);
        }
        let entry = EntryPoints { token: self.token, limits: self.limits.clone() };
        let offer = entry.offer(operation, key)?;
        Ok(offer.map(|offer| Offer { name: self.id.to_owned(), ..offer }))
    }
}

impl Library for EntryPoints {
    fn family(&self) -> Family {
        Family::Ours
    }

    fn limits(&self) -> Option<&Limits> {
        Some(&self.limits)
    }

    fn offer(&self, operation: Operation, key: &[u8]) -> anyhow::Result<Option<Offer>> {
        let token = self.token;
        let offer = match key.len() {
            16 => offer(operation, key, token, "Aria128", Aria128::new_from_slice_with_token)?,
            24 => offer(operation, key, token, "Aria192", Aria192::new_from_slice_with_token)?,
            _ => offer(operation, key, token, "Aria256", Aria256::new_from_slice_with_token)?,
        };
        Ok(Some(offer))
    }
}

/// The entry points of one key length.
fn offer<const RK: usize, E>(
    operation: Operation,
    key: &[u8],
    token: Token,
    cipher_name: &str,
    new: impl Fn(&[u8], Token) -> Result<Aria<RK>, E>,
) -> anyhow::Result<Offer>
where
    E: std::error::Error + Send + Sync + 'static,
    Aria<RK>: BlockCipherEncrypt<BlockSize = U16>,
    AriaEnc<RK>: KeySizeUser,
    AriaDec<RK>: KeySizeUser,
{
    let cipher = new(key, token)?;
    let (function, work): (&str, Box<dyn Work>) = match operation {
        Operation::EcbEncrypt => {
            ("::encrypt_bulk", Box::new(OnData(move |data: &mut Blocks| cipher.encrypt_bulk(data))))
        }
        Operation::EcbDecrypt => {
            ("::decrypt_bulk", Box::new(OnData(move |data: &mut Blocks| cipher.decrypt_bulk(data))))
        }
        Operation::OneBlock => {
            let work = move |data: &mut Blocks| {
                let mut block = data[0].into();
                cipher.encrypt_block(&mut block);
                data[0] = block.into();
            };
            ("::encrypt_block", Box::new(OnData(work)))
        }
        Operation::KeysEncryption => {
            let work = SetUp {
                key: key.to_vec(),
                set_up: move |key: &[u8]| {
                    made(AriaEnc::<RK>::new_from_slice_with_token(key, token))
                },
                witness: |cipher: AriaEnc<RK>, data: &mut Blocks| cipher.encrypt_bulk(data),
            };
            ("Enc::new", Box::new(work))
        }
        Operation::KeysDecryption => {
            let work = SetUp {
                key: key.to_vec(),
                set_up: move |key: &[u8]| {
                    made(AriaDec::<RK>::new_from_slice_with_token(key, token))
                },
                witness: |cipher: AriaDec<RK>, data: &mut Blocks| cipher.decrypt_bulk(data),
            };
            ("Dec::new", Box::new(work))
        }
    };
    Ok(Offer { name: format!("{cipher_name}{function}"), work })
}

/// A cipher of a key whose length was seen to be right.
fn made<C, E: std::fmt::Debug>(cipher: Result<C, E>) -> C {
    cipher.expect("a cipher was made of this key before")
}
