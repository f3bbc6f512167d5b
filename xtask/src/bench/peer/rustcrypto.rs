//! RustCrypto's `aria` and mode crates: always there, and the judge of what the others compute.

use aria::cipher::consts::U16;
use aria::cipher::{
    Array, BlockCipherDecrypt, BlockCipherEncrypt, InnerIvInit, InvalidLength, KeyInit,
    KeySizeUser, StreamCipherCoreWrapper as Stream,
};
use aria::{Aria128, Aria192, Aria256};
use cmac::Cmac;
use cmac::digest::InnerInit;
use ctr::CtrCore;
use ctr::flavors::Ctr128BE;
use ofb::OfbCore;
use xts_mode::Xts128;

use crate::bench::library::{Blocks, Family, IV, Library, Offer, SetUp, Work, on_data, tweak_key};
use crate::bench::limits::Limits;
use crate::bench::operation::Operation;
use crate::bench::traits::{decrypt, encrypt, stream, tag};

/// The crates.
#[derive(Debug)]
pub(crate) struct RustCrypto;

impl Library for RustCrypto {
    fn family(&self) -> Family {
        Family::RustCrypto
    }

    fn limits(&self) -> Option<&Limits> {
        None
    }

    fn offers(&self, operation: Operation, key: &[u8]) -> anyhow::Result<Vec<Offer>> {
        let work = match key.len() {
            16 => work::<Aria128>(operation, key)?,
            24 => work::<Aria192>(operation, key)?,
            _ => work::<Aria256>(operation, key)?,
        };
        let modes = match operation {
            Operation::EcbEncrypt
            | Operation::EcbDecrypt
            | Operation::OneBlock
            | Operation::KeysBoth
            | Operation::KeysEncryption
            | Operation::KeysDecryption => "",
            Operation::Ctr => " + ctr 0.10",
            Operation::CbcEncrypt | Operation::CbcDecrypt => " + cbc 0.2",
            Operation::CfbEncrypt | Operation::CfbDecrypt => " + cfb-mode 0.9",
            Operation::Ofb => " + ofb 0.7",
            Operation::XtsEncrypt | Operation::XtsDecrypt => " + xts-mode 0.6",
            Operation::Cmac => " + cmac 0.8",
        };
        Ok(vec![Offer { name: format!("RustCrypto aria 0.2{modes}"), work }])
    }
}

fn work<C>(operation: Operation, key: &[u8]) -> Result<Box<dyn Work>, InvalidLength>
where
    C: KeyInit + KeySizeUser + Clone + 'static,
    C: BlockCipherEncrypt<BlockSize = U16> + BlockCipherDecrypt<BlockSize = U16>,
{
    let cipher = C::new_from_slice(key)?;
    let iv = IV.into();
    Ok(match operation {
        Operation::EcbEncrypt => on_data(move |data| blocks_encrypted(&cipher, data)),
        Operation::EcbDecrypt => on_data(move |data| blocks_decrypted(&cipher, data)),
        Operation::Ctr => {
            let mode = move |data: &mut Blocks| {
                let core = CtrCore::<_, Ctr128BE>::inner_iv_init(&cipher, &iv);
                stream(Stream::from_core(core), data);
            };
            on_data(mode)
        }
        Operation::CbcEncrypt => {
            on_data(move |data| encrypt(cbc::Encryptor::inner_iv_init(&cipher, &iv), data))
        }
        Operation::CbcDecrypt => {
            on_data(move |data| decrypt(cbc::Decryptor::inner_iv_init(&cipher, &iv), data))
        }
        Operation::CfbEncrypt => {
            on_data(move |data| encrypt(cfb_mode::Encryptor::inner_iv_init(&cipher, &iv), data))
        }
        Operation::CfbDecrypt => {
            on_data(move |data| decrypt(cfb_mode::Decryptor::inner_iv_init(&cipher, &iv), data))
        }
        Operation::Ofb => on_data(move |data| {
            stream(Stream::from_core(OfbCore::inner_iv_init(&cipher, &iv)), data);
        }),
        Operation::XtsEncrypt => {
            let mode = Xts128::new(cipher, C::new_from_slice(&tweak_key(key))?);
            on_data(move |data| mode.encrypt_sector(data.as_flattened_mut(), iv))
        }
        Operation::XtsDecrypt => {
            let mode = Xts128::new(cipher, C::new_from_slice(&tweak_key(key))?);
            on_data(move |data| mode.decrypt_sector(data.as_flattened_mut(), iv))
        }
        Operation::Cmac => {
            let mut mac = Cmac::inner_init(cipher);
            on_data(move |data| tag(&mut mac, data))
        }
        Operation::OneBlock => on_data(move |data| blocks_encrypted(&cipher, &mut data[..1])),
        Operation::KeysBoth => set_up::<C>(key, |cipher, data| {
            blocks_encrypted(cipher, &mut data[..1]);
            blocks_decrypted(cipher, &mut data[1..]);
        }),
        // Its type makes the round keys of both directions.
        Operation::KeysEncryption => set_up::<C>(key, blocks_encrypted),
        Operation::KeysDecryption => set_up::<C>(key, blocks_decrypted),
    })
}

fn set_up<C: KeyInit + 'static>(key: &[u8], witness: fn(&C, &mut Blocks)) -> Box<dyn Work> {
    Box::new(SetUp {
        key: key.to_vec(),
        set_up: |key: &[u8]| C::new_from_slice(key).expect("a cipher was made of this key before"),
        witness: move |cipher: C, data: &mut Blocks| witness(&cipher, data),
    })
}

/// Blocks one after another, as the crate does them: it has no path for many.
fn blocks_encrypted<C: BlockCipherEncrypt<BlockSize = U16>>(cipher: &C, data: &mut Blocks) {
    for block in Array::cast_slice_from_core_mut(data) {
        cipher.encrypt_block(block);
    }
}

fn blocks_decrypted<C: BlockCipherDecrypt<BlockSize = U16>>(cipher: &C, data: &mut Blocks) {
    for block in Array::cast_slice_from_core_mut(data) {
        cipher.decrypt_block(block);
    }
}
