//! RustCrypto's `aria`: always there, and the judge of what the others compute.

use aria::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit, KeySizeUser};
use aria::{Aria128, Aria192, Aria256};

use crate::bench::library::{Blocks, Family, Library, Offer, OnData, SetUp, Work};
use crate::bench::limits::Limits;
use crate::bench::operation::Operation;

/// The crate.
#[derive(Debug)]
pub(crate) struct RustCrypto;

impl Library for RustCrypto {
    fn family(&self) -> Family {
        Family::RustCrypto
    }

    fn limits(&self) -> Option<&Limits> {
        None
    }

    fn offer(&self, operation: Operation, key: &[u8]) -> anyhow::Result<Option<Offer>> {
        let work = match key.len() {
            16 => work::<Aria128>(operation, key)?,
            24 => work::<Aria192>(operation, key)?,
            _ => work::<Aria256>(operation, key)?,
        };
        Ok(Some(Offer { name: "RustCrypto aria 0.2".to_owned(), work }))
    }
}

fn work<C>(operation: Operation, key: &[u8]) -> anyhow::Result<Box<dyn Work>>
where
    C: KeyInit + KeySizeUser + BlockCipherEncrypt + BlockCipherDecrypt + 'static,
{
    let cipher = C::new_from_slice(key)?;
    Ok(match operation {
        Operation::EcbEncrypt => Box::new(OnData(move |data: &mut Blocks| encrypt(&cipher, data))),
        Operation::EcbDecrypt => Box::new(OnData(move |data: &mut Blocks| decrypt(&cipher, data))),
        Operation::OneBlock => {
            Box::new(OnData(move |data: &mut Blocks| encrypt(&cipher, &mut data[..1])))
        }
        // Its type makes the round keys of both directions.
        Operation::KeysEncryption => set_up::<C>(key, encrypt),
        Operation::KeysDecryption => set_up::<C>(key, decrypt),
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
fn encrypt<C: BlockCipherEncrypt>(cipher: &C, data: &mut Blocks) {
    for block in data {
        let mut own = aria::cipher::Block::<C>::try_from(&block[..]).expect("16 bytes");
        cipher.encrypt_block(&mut own);
        block.copy_from_slice(&own);
    }
}

fn decrypt<C: BlockCipherDecrypt>(cipher: &C, data: &mut Blocks) {
    for block in data {
        let mut own = aria::cipher::Block::<C>::try_from(&block[..]).expect("16 bytes");
        cipher.decrypt_block(&mut own);
        block.copy_from_slice(&own);
    }
}
