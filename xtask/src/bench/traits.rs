//! Operations by the traits of the `cipher` and `digest` crates, which this library's modes and
//! RustCrypto's mode crates have in common. Each takes a mode that stands at the start of a message.

use cmac::digest::{FixedOutputReset, Mac};
use ctr::cipher::array::Array;
use ctr::cipher::consts::U16;
use ctr::cipher::{BlockModeDecrypt, BlockModeEncrypt, StreamCipher};

use super::library::Blocks;

/// A message by a stream cipher.
pub(super) fn stream(mut mode: impl StreamCipher, data: &mut Blocks) {
    mode.apply_keystream(data.as_flattened_mut());
}

/// A message encrypted in whole blocks.
pub(super) fn encrypt(mut mode: impl BlockModeEncrypt<BlockSize = U16>, data: &mut Blocks) {
    mode.encrypt_blocks(Array::cast_slice_from_core_mut(data));
}

/// A message decrypted in whole blocks.
pub(super) fn decrypt(mut mode: impl BlockModeDecrypt<BlockSize = U16>, data: &mut Blocks) {
    mode.decrypt_blocks(Array::cast_slice_from_core_mut(data));
}

/// The tag of a message, in the place of its first block; `mac` is at the start of another then.
pub(super) fn tag<M>(mac: &mut M, data: &mut Blocks)
where
    M: Mac<OutputSize = U16> + FixedOutputReset,
{
    Mac::update(mac, data.as_flattened());
    data[0] = mac.finalize_reset().into_bytes().into();
}
