//! ARIA's modes by name, and which of them its kernels have built in.

use cipher::InOutBuf;

use super::{BulkDecrypt, BulkEncrypt, CounterWidth, cbc, cfb, cfb8, cmac, ctr, cts, kw, ofb, xts};
use crate::Block;
use crate::{
    Aria, Aria128, Aria128Dec, Aria128Enc, Aria192, Aria192Dec, Aria192Enc, Aria256, Aria256Dec,
    Aria256Enc, AriaDec, AriaEnc,
};

/// Encryption, with what kernels have built in.
macro_rules! encrypt {
    ($cipher:ident) => {
        impl<const RK: usize> BulkEncrypt for $cipher<RK> {
            fn fused_ctr(
                &self,
                width: CounterWidth,
                first: u128,
                blocks: InOutBuf<'_, '_, Block>,
            ) -> usize {
                // The kernels count with 128 bits, which is the same until 32 overflow.
                let last = blocks.len().saturating_sub(1) as u128;
                if width.advance(first, last) == CounterWidth::Bits128.advance(first, last) {
                    self.ctr_fused(first, blocks)
                } else {
                    0
                }
            }

            fn fused_cfb_decrypt(&self, iv: &mut Block, blocks: InOutBuf<'_, '_, Block>) -> usize {
                self.cfb_fused(iv, blocks)
            }

            fn fused_cbc_encrypt(&self, iv: &mut Block, blocks: InOutBuf<'_, '_, Block>) -> usize {
                self.cbc_encrypt_fused(iv, blocks)
            }
        }
    };
}

encrypt!(Aria);
encrypt!(AriaEnc);

/// Decryption, the same.
macro_rules! decrypt {
    ($cipher:ident) => {
        impl<const RK: usize> BulkDecrypt for $cipher<RK> {
            fn fused_cbc_decrypt(&self, iv: &mut Block, blocks: InOutBuf<'_, '_, Block>) -> usize {
                self.cbc_fused(iv, blocks)
            }
        }
    };
}

decrypt!(Aria);
decrypt!(AriaDec);

/// Names for the modes over one key size.
macro_rules! names {
    ($bits:literal: $($name:ident = $mode:ty, $what:literal;)*) => {$(
        #[doc = concat!($what, " over ARIA with a ", $bits, "-bit key.")]
        pub type $name = $mode;
    )*};
}

/// The rows are the same for each key size; only names differ.
macro_rules! table {
    ($(
        $both:ident $enc:ident $dec:ident $bits:literal:
        $ctr:ident $ctr32:ident
        $cbc_enc:ident $cbc_dec:ident
        $cfb_enc:ident $cfb_dec:ident $cfb_buf_enc:ident $cfb_buf_dec:ident
        $cfb8_enc:ident $cfb8_dec:ident
        $ofb:ident
        $cs1_enc:ident $cs1_dec:ident $cs2_enc:ident $cs2_dec:ident $cs3_enc:ident $cs3_dec:ident
        $cmac:ident $kw:ident $kwp:ident;
    )*) => {$(
        names! {
            $bits:
            $ctr = ctr::Ctr128BE<$enc>, "CTR with a counter of 128 bits";
            $ctr32 = ctr::Ctr32BE<$enc>, "CTR with a counter of 32 bits";
            $cbc_enc = cbc::Encryptor<$enc>, "CBC encryption";
            $cbc_dec = cbc::Decryptor<$dec>, "CBC decryption";
            $cfb_enc = cfb::Encryptor<$enc>, "CFB-128 encryption of whole blocks";
            $cfb_dec = cfb::Decryptor<$enc>, "CFB-128 decryption of whole blocks";
            $cfb_buf_enc = cfb::BufEncryptor<$enc>, "CFB-128 encryption in any pieces";
            $cfb_buf_dec = cfb::BufDecryptor<$enc>, "CFB-128 decryption in any pieces";
            $cfb8_enc = cfb8::Encryptor<$enc>, "CFB-8 encryption";
            $cfb8_dec = cfb8::Decryptor<$enc>, "CFB-8 decryption";
            $ofb = ofb::Ofb<$enc>, "OFB";
            $cs1_enc = cts::Encryptor<$enc, cts::Cs1>, "CBC-CS1 encryption";
            $cs1_dec = cts::Decryptor<$dec, cts::Cs1>, "CBC-CS1 decryption";
            $cs2_enc = cts::Encryptor<$enc, cts::Cs2>, "CBC-CS2 encryption";
            $cs2_dec = cts::Decryptor<$dec, cts::Cs2>, "CBC-CS2 decryption";
            $cs3_enc = cts::Encryptor<$enc, cts::Cs3>, "CBC-CS3 encryption";
            $cs3_dec = cts::Decryptor<$dec, cts::Cs3>, "CBC-CS3 decryption";
            $cmac = cmac::Cmac<$enc>, "CMAC";
            $kw = kw::Kw<$both>, "KW";
            $kwp = kw::Kwp<$both>, "KWP";
        }
    )*};
}

table! {
    Aria128 Aria128Enc Aria128Dec "128":
    Aria128Ctr Aria128Ctr32
    Aria128CbcEnc Aria128CbcDec
    Aria128CfbEnc Aria128CfbDec Aria128CfbBufEnc Aria128CfbBufDec
    Aria128Cfb8Enc Aria128Cfb8Dec
    Aria128Ofb
    Aria128Cs1Enc Aria128Cs1Dec Aria128Cs2Enc Aria128Cs2Dec Aria128Cs3Enc Aria128Cs3Dec
    Aria128Cmac Aria128Kw Aria128Kwp;

    Aria192 Aria192Enc Aria192Dec "192":
    Aria192Ctr Aria192Ctr32
    Aria192CbcEnc Aria192CbcDec
    Aria192CfbEnc Aria192CfbDec Aria192CfbBufEnc Aria192CfbBufDec
    Aria192Cfb8Enc Aria192Cfb8Dec
    Aria192Ofb
    Aria192Cs1Enc Aria192Cs1Dec Aria192Cs2Enc Aria192Cs2Dec Aria192Cs3Enc Aria192Cs3Dec
    Aria192Cmac Aria192Kw Aria192Kwp;

    Aria256 Aria256Enc Aria256Dec "256":
    Aria256Ctr Aria256Ctr32
    Aria256CbcEnc Aria256CbcDec
    Aria256CfbEnc Aria256CfbDec Aria256CfbBufEnc Aria256CfbBufDec
    Aria256Cfb8Enc Aria256Cfb8Dec
    Aria256Ofb
    Aria256Cs1Enc Aria256Cs1Dec Aria256Cs2Enc Aria256Cs2Dec Aria256Cs3Enc Aria256Cs3Dec
    Aria256Cmac Aria256Kw Aria256Kwp;
}

/// XTS encryption over ARIA with 128-bit keys, so with 32 bytes for both.
pub type Aria128XtsEnc = xts::Encryptor<Aria128Enc>;
/// XTS decryption over ARIA with 128-bit keys, so with 32 bytes for both.
pub type Aria128XtsDec = xts::Decryptor<Aria128Dec, Aria128Enc>;
/// XTS encryption over ARIA with 256-bit keys, so with 64 bytes for both.
pub type Aria256XtsEnc = xts::Encryptor<Aria256Enc>;
/// XTS decryption over ARIA with 256-bit keys, so with 64 bytes for both.
pub type Aria256XtsDec = xts::Decryptor<Aria256Dec, Aria256Enc>;
