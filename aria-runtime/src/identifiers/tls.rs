//! TLS cipher suites with ARIA (RFC 6209), as the two bytes that go over the wire.
//!
//! Those with `DH_ANON`, which the document writes `DH_anon`, do not authenticate, those without `DHE` or `ECDHE` have no forward secrecy,
//! and those with CBC are safe with encrypt-then-MAC (RFC 7366) only. TLS 1.3 has no ARIA.

/// Every suite with its name, in the order of numbers.
pub const ALL: &[(&str, [u8; 2])] = TABLE;

/// Rows: name, number.
macro_rules! table {
    ($($name:ident $number:literal;)*) => {
        $(
            #[doc = concat!("`", stringify!($number), "`")]
            pub const $name: [u8; 2] = u16::to_be_bytes($number);
        )*

        const TABLE: &[(&str, [u8; 2])] = &[$((stringify!($name), $name)),*];
    };
}

#[rustfmt::skip]
table! {
    TLS_RSA_WITH_ARIA_128_CBC_SHA256         0xC03C;
    TLS_RSA_WITH_ARIA_256_CBC_SHA384         0xC03D;
    TLS_DH_DSS_WITH_ARIA_128_CBC_SHA256      0xC03E;
    TLS_DH_DSS_WITH_ARIA_256_CBC_SHA384      0xC03F;
    TLS_DH_RSA_WITH_ARIA_128_CBC_SHA256      0xC040;
    TLS_DH_RSA_WITH_ARIA_256_CBC_SHA384      0xC041;
    TLS_DHE_DSS_WITH_ARIA_128_CBC_SHA256     0xC042;
    TLS_DHE_DSS_WITH_ARIA_256_CBC_SHA384     0xC043;
    TLS_DHE_RSA_WITH_ARIA_128_CBC_SHA256     0xC044;
    TLS_DHE_RSA_WITH_ARIA_256_CBC_SHA384     0xC045;
    TLS_DH_ANON_WITH_ARIA_128_CBC_SHA256     0xC046;
    TLS_DH_ANON_WITH_ARIA_256_CBC_SHA384     0xC047;
    TLS_ECDHE_ECDSA_WITH_ARIA_128_CBC_SHA256 0xC048;
    TLS_ECDHE_ECDSA_WITH_ARIA_256_CBC_SHA384 0xC049;
    TLS_ECDH_ECDSA_WITH_ARIA_128_CBC_SHA256  0xC04A;
    TLS_ECDH_ECDSA_WITH_ARIA_256_CBC_SHA384  0xC04B;
    TLS_ECDHE_RSA_WITH_ARIA_128_CBC_SHA256   0xC04C;
    TLS_ECDHE_RSA_WITH_ARIA_256_CBC_SHA384   0xC04D;
    TLS_ECDH_RSA_WITH_ARIA_128_CBC_SHA256    0xC04E;
    TLS_ECDH_RSA_WITH_ARIA_256_CBC_SHA384    0xC04F;
    TLS_RSA_WITH_ARIA_128_GCM_SHA256         0xC050;
    TLS_RSA_WITH_ARIA_256_GCM_SHA384         0xC051;
    TLS_DHE_RSA_WITH_ARIA_128_GCM_SHA256     0xC052;
    TLS_DHE_RSA_WITH_ARIA_256_GCM_SHA384     0xC053;
    TLS_DH_RSA_WITH_ARIA_128_GCM_SHA256      0xC054;
    TLS_DH_RSA_WITH_ARIA_256_GCM_SHA384      0xC055;
    TLS_DHE_DSS_WITH_ARIA_128_GCM_SHA256     0xC056;
    TLS_DHE_DSS_WITH_ARIA_256_GCM_SHA384     0xC057;
    TLS_DH_DSS_WITH_ARIA_128_GCM_SHA256      0xC058;
    TLS_DH_DSS_WITH_ARIA_256_GCM_SHA384      0xC059;
    TLS_DH_ANON_WITH_ARIA_128_GCM_SHA256     0xC05A;
    TLS_DH_ANON_WITH_ARIA_256_GCM_SHA384     0xC05B;
    TLS_ECDHE_ECDSA_WITH_ARIA_128_GCM_SHA256 0xC05C;
    TLS_ECDHE_ECDSA_WITH_ARIA_256_GCM_SHA384 0xC05D;
    TLS_ECDH_ECDSA_WITH_ARIA_128_GCM_SHA256  0xC05E;
    TLS_ECDH_ECDSA_WITH_ARIA_256_GCM_SHA384  0xC05F;
    TLS_ECDHE_RSA_WITH_ARIA_128_GCM_SHA256   0xC060;
    TLS_ECDHE_RSA_WITH_ARIA_256_GCM_SHA384   0xC061;
    TLS_ECDH_RSA_WITH_ARIA_128_GCM_SHA256    0xC062;
    TLS_ECDH_RSA_WITH_ARIA_256_GCM_SHA384    0xC063;
    TLS_PSK_WITH_ARIA_128_CBC_SHA256         0xC064;
    TLS_PSK_WITH_ARIA_256_CBC_SHA384         0xC065;
    TLS_DHE_PSK_WITH_ARIA_128_CBC_SHA256     0xC066;
    TLS_DHE_PSK_WITH_ARIA_256_CBC_SHA384     0xC067;
    TLS_RSA_PSK_WITH_ARIA_128_CBC_SHA256     0xC068;
    TLS_RSA_PSK_WITH_ARIA_256_CBC_SHA384     0xC069;
    TLS_PSK_WITH_ARIA_128_GCM_SHA256         0xC06A;
    TLS_PSK_WITH_ARIA_256_GCM_SHA384         0xC06B;
    TLS_DHE_PSK_WITH_ARIA_128_GCM_SHA256     0xC06C;
    TLS_DHE_PSK_WITH_ARIA_256_GCM_SHA384     0xC06D;
    TLS_RSA_PSK_WITH_ARIA_128_GCM_SHA256     0xC06E;
    TLS_RSA_PSK_WITH_ARIA_256_GCM_SHA384     0xC06F;
    TLS_ECDHE_PSK_WITH_ARIA_128_CBC_SHA256   0xC070;
    TLS_ECDHE_PSK_WITH_ARIA_256_CBC_SHA384   0xC071;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_without_a_gap() {
        for ((name, number), expected) in ALL.iter().zip(0xc03c_u16..) {
            assert_eq!(*number, expected.to_be_bytes(), "{name}");
            // Each pair is the same but for the key size and its hash.
            let (key, hash) = match expected % 2 {
                0 => ("_ARIA_128_", "_SHA256"),
                _ => ("_ARIA_256_", "_SHA384"),
            };
            assert!(name.contains(key) && name.ends_with(hash), "{name}");
        }
        assert_eq!(ALL.len(), 0xc072 - 0xc03c);
    }
}
