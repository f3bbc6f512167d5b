//! Object identifiers (RFC 5794, appendix B), and which type each belongs to.
//!
//! XTS, CFB-8 and CBC with ciphertext stealing have none.
//!
//! ```
//! use aria_runtime::identifiers::oid::{self, AssociatedOid};
//! use aria_runtime::modes::Aria256CbcEnc;
//!
//! assert_eq!(Aria256CbcEnc::OID, oid::ARIA_256_CBC);
//! assert_eq!(oid::ARIA_256_CBC.to_string(), "1.2.410.200046.1.1.12");
//! ```

pub use const_oid::{AssociatedOid, ObjectIdentifier};

/// Every OID of this module with its name, in the document's order.
pub const ALL: &[(&str, ObjectIdentifier)] = TABLE;

/// Rows: name, last two arcs below 1.2.410.200046.1, what it names.
macro_rules! table {
    ($($name:ident $arcs:literal $what:literal;)*) => {
        $(
            #[doc = $what]
            pub const $name: ObjectIdentifier =
                ObjectIdentifier::new_unwrap(concat!("1.2.410.200046.1.", $arcs));
        )*

        const TABLE: &[(&str, ObjectIdentifier)] = &[$((stringify!($name), $name)),*];
    };
}

#[rustfmt::skip]
table! {
    ARIA_128_ECB   "1.1"  "ARIA with a 128-bit key, ECB.";
    ARIA_192_ECB   "1.6"  "ARIA with a 192-bit key, ECB.";
    ARIA_256_ECB   "1.11" "ARIA with a 256-bit key, ECB.";
    ARIA_128_CBC   "1.2"  "ARIA with a 128-bit key, CBC.";
    ARIA_192_CBC   "1.7"  "ARIA with a 192-bit key, CBC.";
    ARIA_256_CBC   "1.12" "ARIA with a 256-bit key, CBC.";
    ARIA_128_CFB   "1.3"  "ARIA with a 128-bit key, CFB-128.";
    ARIA_192_CFB   "1.8"  "ARIA with a 192-bit key, CFB-128.";
    ARIA_256_CFB   "1.13" "ARIA with a 256-bit key, CFB-128.";
    ARIA_128_OFB   "1.4"  "ARIA with a 128-bit key, OFB.";
    ARIA_192_OFB   "1.9"  "ARIA with a 192-bit key, OFB.";
    ARIA_256_OFB   "1.14" "ARIA with a 256-bit key, OFB.";
    ARIA_128_CTR   "1.5"  "ARIA with a 128-bit key, CTR.";
    ARIA_192_CTR   "1.10" "ARIA with a 192-bit key, CTR.";
    ARIA_256_CTR   "1.15" "ARIA with a 256-bit key, CTR.";
    ARIA_128_CMAC  "1.21" "ARIA with a 128-bit key, CMAC.";
    ARIA_192_CMAC  "1.22" "ARIA with a 192-bit key, CMAC.";
    ARIA_256_CMAC  "1.23" "ARIA with a 256-bit key, CMAC.";
    ARIA_128_OCB2  "1.31" "ARIA with a 128-bit key, OCB 2.0, which is broken: to recognise, not to use.";
    ARIA_192_OCB2  "1.32" "ARIA with a 192-bit key, OCB 2.0, which is broken: to recognise, not to use.";
    ARIA_256_OCB2  "1.33" "ARIA with a 256-bit key, OCB 2.0, which is broken: to recognise, not to use.";
    ARIA_128_GCM   "1.34" "ARIA with a 128-bit key, GCM.";
    ARIA_192_GCM   "1.35" "ARIA with a 192-bit key, GCM.";
    ARIA_256_GCM   "1.36" "ARIA with a 256-bit key, GCM.";
    ARIA_128_CCM   "1.37" "ARIA with a 128-bit key, CCM.";
    ARIA_192_CCM   "1.38" "ARIA with a 192-bit key, CCM.";
    ARIA_256_CCM   "1.39" "ARIA with a 256-bit key, CCM.";
    ARIA_128_KW    "1.40" "ARIA with a 128-bit key, KW.";
    ARIA_192_KW    "1.41" "ARIA with a 192-bit key, KW.";
    ARIA_256_KW    "1.42" "ARIA with a 256-bit key, KW.";
    ARIA_128_KWP   "1.43" "ARIA with a 128-bit key, KWP.";
    ARIA_192_KWP   "1.44" "ARIA with a 192-bit key, KWP.";
    ARIA_256_KWP   "1.45" "ARIA with a 256-bit key, KWP.";
    PAD_NULL       "2.0"  "No padding.";
    PAD_1          "2.1"  "Padding number 1.";
}

/// Rows: the constant for each key size, and the types that it names.
macro_rules! associated {
    ($($oid:ident: $($mode:ident)*;)*) => {$($(
        #[cfg(feature = "modes")]
        impl AssociatedOid for crate::modes::$mode {
            const OID: ObjectIdentifier = $oid;
        }
    )*)*};
}

#[rustfmt::skip]
associated! {
    ARIA_128_CBC: Aria128CbcEnc Aria128CbcDec;
    ARIA_128_CFB: Aria128CfbEnc Aria128CfbDec Aria128CfbBufEnc Aria128CfbBufDec;
    ARIA_128_OFB: Aria128Ofb;
    ARIA_128_CTR: Aria128Ctr;
    ARIA_128_CMAC: Aria128Cmac;
    ARIA_128_KW: Aria128Kw;
    ARIA_128_KWP: Aria128Kwp;
    ARIA_192_CBC: Aria192CbcEnc Aria192CbcDec;
    ARIA_192_CFB: Aria192CfbEnc Aria192CfbDec Aria192CfbBufEnc Aria192CfbBufDec;
    ARIA_192_OFB: Aria192Ofb;
    ARIA_192_CTR: Aria192Ctr;
    ARIA_192_CMAC: Aria192Cmac;
    ARIA_192_KW: Aria192Kw;
    ARIA_192_KWP: Aria192Kwp;
    ARIA_256_CBC: Aria256CbcEnc Aria256CbcDec;
    ARIA_256_CFB: Aria256CfbEnc Aria256CfbDec Aria256CfbBufEnc Aria256CfbBufDec;
    ARIA_256_OFB: Aria256Ofb;
    ARIA_256_CTR: Aria256Ctr;
    ARIA_256_CMAC: Aria256Cmac;
    ARIA_256_KW: Aria256Kw;
    ARIA_256_KWP: Aria256Kwp;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_different_and_where_they_belong() {
        for (i, (name, oid)) in ALL.iter().enumerate() {
            for (other, same) in &ALL[..i] {
                assert_ne!(oid, same, "{name} and {other}");
            }
            let arc = if name.starts_with("PAD") { "2" } else { "1" };
            assert!(oid.to_string().starts_with(&format!("1.2.410.200046.1.{arc}.")), "{name}");
        }
        assert_eq!(ALL.len(), 11 * 3 + 2);
        assert_eq!(PAD_NULL.to_string(), "1.2.410.200046.1.2.0");
        assert_eq!(PAD_1.to_string(), "1.2.410.200046.1.2.1");
    }
}
