//! This workspace's part: the library's entry points, and each kernel by force.

use aria_gen::kernel::KernelId;
use aria_runtime::cipher::{Array, BlockCipherEncrypt, InnerIvInit, InvalidLength, KeySizeUser};
use aria_runtime::modes::cmac::Cmac;
use aria_runtime::modes::ctr::Ctr128BE;
use aria_runtime::modes::ofb::Ofb;
use aria_runtime::modes::{cbc, cfb, xts};
use aria_runtime::{Aria, AriaDec, AriaEnc, Token, kernels};
use cmac::digest::InnerInit;

use super::frames;
use super::library::{Blocks, Family, IV, Library, Offer, SetUp, Work, on_data, tweak_key};
use super::limits::Limits;
use super::operation::{Load, Operation};
use super::report::Absence;
use super::traits::{decrypt, encrypt, stream, tag};

/// The public entry points, on what the planner chooses under a token.
#[derive(Debug)]
pub(crate) struct EntryPoints {
    token: Token,
    /// For what a mode does besides its many blocks: tweaks. Of another frame than the kernel that a
    /// token forces, they would be left to a portable kernel.
    besides: Token,
    limits: Limits,
}

/// One kernel, for every number of blocks.
#[derive(Debug)]
pub(crate) struct Kernel {
    id: &'static str,
    /// Forces it.
    token: Token,
    /// What that was before.
    besides: Token,
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
        Self { token, besides: token, limits }
    }
}

impl Kernel {
    /// The kernels that `token` lets run, and the others with what they lack, or that their frame is
    /// none that is timed.
    ///
    /// # Errors
    ///
    /// When the library has a kernel whose id the generator cannot read.
    pub(crate) fn all(token: Token, cpu: &[&str]) -> anyhow::Result<(Vec<Self>, Vec<Absence>)> {
        let (mut able, mut absent) = (Vec::new(), Vec::new());
        for kernel in kernels() {
            let id: KernelId = kernel.id.parse()?;
            let mut absence = |reason| absent.push(Absence { name: kernel.id.to_owned(), reason });
            if frames::operations(id).next().is_none() {
                absence(format!("not timed: no operation is known for frame {}", id.frame.name()));
                continue;
            }
            match token.forced(kernel.id) {
                Ok(forced) => {
                    let limits = Limits::leaving(&names(kernel.features.iter().copied()), cpu);
                    able.push(Self { id: kernel.id, token: forced, besides: token, limits });
                }
                Err(error) => absence(error.to_string()),
            }
        }
        Ok((able, absent))
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
        let mut operations = frames::operations(self.id.parse()?);
        Ok(operations.find(|operation| operation.row().load == Load::Blocks))
    }
}

impl Library for Kernel {
    fn family(&self) -> Family {
        Family::Ours
    }

    fn is_kernel(&self) -> bool {
        true
    }

    fn limits(&self) -> Option<&Limits> {
        Some(&self.limits)
    }

    fn offers(&self, operation: Operation, key: &[u8]) -> anyhow::Result<Vec<Offer>> {
        if !frames::operations(self.id.parse()?).any(|timed| timed == operation) {
            return Ok(Vec::new());
        }
        // Under a forced token each way into the library ends at the kernel; one is enough.
        let entry =
            EntryPoints { token: self.token, besides: self.besides, limits: self.limits.clone() };
        let first = entry.offers(operation, key)?.into_iter().take(1);
        Ok(first.map(|offer| Offer { name: self.id.to_owned(), ..offer }).collect())
    }
}

impl Library for EntryPoints {
    fn family(&self) -> Family {
        Family::Ours
    }

    fn limits(&self) -> Option<&Limits> {
        Some(&self.limits)
    }

    fn offers(&self, operation: Operation, key: &[u8]) -> anyhow::Result<Vec<Offer>> {
        let (token, besides) = (self.token, self.besides);
        let (cipher, works) = match key.len() {
            16 => ("Aria128", works::<13>(operation, key, token, besides)?),
            24 => ("Aria192", works::<15>(operation, key, token, besides)?),
            _ => ("Aria256", works::<17>(operation, key, token, besides)?),
        };
        let works = works.into_iter();
        Ok(works.map(|(way, work)| Offer { name: format!("{cipher}{way}"), work }).collect())
    }
}

/// A way in which the library does an operation: the rest of its name after the cipher's, the work.
type Way = (&'static str, Box<dyn Work>);

/// The ways in which the library does an operation with `RK` round keys.
fn works<const RK: usize>(
    operation: Operation,
    key: &[u8],
    token: Token,
    besides: Token,
) -> Result<Vec<Way>, InvalidLength>
where
    Aria<RK>: KeySizeUser,
    AriaEnc<RK>: KeySizeUser,
    AriaDec<RK>: KeySizeUser,
{
    let both = Aria::<RK>::new_from_slice_with_token(key, token)?;
    let enc = AriaEnc::<RK>::new_from_slice_with_token(key, token)?;
    let dec = AriaDec::<RK>::new_from_slice_with_token(key, token)?;
    let tweaks = AriaEnc::<RK>::new_from_slice_with_token(&tweak_key(key), besides)?;
    let (iv, unit) = (IV.into(), u128::from_le_bytes(IV));
    Ok(match operation {
        Operation::EcbEncrypt => {
            vec![("::encrypt_bulk", on_data(move |data| both.encrypt_bulk(data)))]
        }
        Operation::EcbDecrypt => {
            vec![("::decrypt_bulk", on_data(move |data| both.decrypt_bulk(data)))]
        }
        Operation::Ctr => {
            let bulk = move |data: &mut Blocks| {
                both.ctr_bulk(u128::from_be_bytes(IV), data);
            };
            let mode = move |data: &mut Blocks| stream(Ctr128BE::inner_iv_init(&enc, &iv), data);
            vec![("::ctr_bulk", on_data(bulk)), ("Ctr", on_data(mode))]
        }
        Operation::CbcEncrypt => {
            let mode = move |data: &mut Blocks| {
                encrypt(cbc::Encryptor::inner_iv_init(&enc, &iv), data);
            };
            vec![("CbcEnc", on_data(mode))]
        }
        Operation::CbcDecrypt => {
            let mode = move |data: &mut Blocks| {
                decrypt(cbc::Decryptor::inner_iv_init(&dec, &iv), data);
            };
            vec![("CbcDec", on_data(mode))]
        }
        Operation::CfbEncrypt => {
            let mode = move |data: &mut Blocks| {
                encrypt(cfb::Encryptor::inner_iv_init(&enc, &iv), data);
            };
            vec![("CfbEnc", on_data(mode))]
        }
        Operation::CfbDecrypt => {
            let mode = move |data: &mut Blocks| {
                decrypt(cfb::Decryptor::inner_iv_init(&enc, &iv), data);
            };
            vec![("CfbDec", on_data(mode))]
        }
        Operation::Ofb => {
            let mode = move |data: &mut Blocks| stream(Ofb::inner_iv_init(&enc, &iv), data);
            vec![("Ofb", on_data(mode))]
        }
        Operation::XtsEncrypt => {
            let mode = xts::Encryptor::from_ciphers(enc, tweaks).expect("the keys differ");
            let work = move |data: &mut Blocks| {
                let done = mode.encrypt_unit(unit, data.as_flattened_mut());
                done.expect("a race has units of lawful lengths");
            };
            vec![("XtsEnc", on_data(work))]
        }
        Operation::XtsDecrypt => {
            let mode = xts::Decryptor::from_ciphers(dec, tweaks);
            let work = move |data: &mut Blocks| {
                let done = mode.decrypt_unit(unit, data.as_flattened_mut());
                done.expect("a race has units of lawful lengths");
            };
            vec![("XtsDec", on_data(work))]
        }
        Operation::Cmac => {
            let mut mac = Cmac::inner_init(enc);
            vec![("Cmac", on_data(move |data| tag(&mut mac, data)))]
        }
        Operation::OneBlock => {
            // In place, as the peers do it.
            let work = move |data: &mut Blocks| {
                both.encrypt_block(&mut Array::cast_slice_from_core_mut(data)[0]);
            };
            vec![("::encrypt_block", on_data(work))]
        }
        Operation::KeysBoth => {
            let work = SetUp {
                key: key.to_vec(),
                set_up: move |key: &[u8]| made(Aria::<RK>::new_from_slice_with_token(key, token)),
                witness: |cipher: Aria<RK>, data: &mut Blocks| {
                    cipher.encrypt_bulk(&mut data[..1]);
                    cipher.decrypt_bulk(&mut data[1..]);
                },
            };
            vec![("::new", Box::new(work))]
        }
        Operation::KeysEncryption => {
            let work = SetUp {
                key: key.to_vec(),
                set_up: move |key: &[u8]| {
                    made(AriaEnc::<RK>::new_from_slice_with_token(key, token))
                },
                witness: |cipher: AriaEnc<RK>, data: &mut Blocks| cipher.encrypt_bulk(data),
            };
            vec![("Enc::new", Box::new(work))]
        }
        Operation::KeysDecryption => {
            let work = SetUp {
                key: key.to_vec(),
                set_up: move |key: &[u8]| {
                    made(AriaDec::<RK>::new_from_slice_with_token(key, token))
                },
                witness: |cipher: AriaDec<RK>, data: &mut Blocks| cipher.decrypt_bulk(data),
            };
            vec![("Dec::new", Box::new(work))]
        }
    })
}

/// A cipher of a key whose length was seen to be right.
fn made<C, E: std::fmt::Debug>(cipher: Result<C, E>) -> C {
    cipher.expect("a cipher was made of this key before")
}
