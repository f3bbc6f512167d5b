//! Protection profiles of DTLS-SRTP with ARIA (RFC 8269, section 6), as the two bytes that go over
//! the wire.

/// Every profile with its name, in the order of numbers.
pub const ALL: &[(&str, [u8; 2])] = TABLE;

/// Rows: name, number, what it stands for.
macro_rules! table {
    ($($name:ident $number:literal $what:literal;)*) => {
        $(
            #[doc = $what]
            pub const $name: [u8; 2] = u16::to_be_bytes($number);
        )*

        const TABLE: &[(&str, [u8; 2])] = &[$((stringify!($name), $name)),*];
    };
}

#[rustfmt::skip]
table! {
    SRTP_ARIA_128_CTR_HMAC_SHA1_80 0x000B "ARIA-128 in CTR mode, HMAC-SHA1 with tags of 80 bits.";
    SRTP_ARIA_128_CTR_HMAC_SHA1_32 0x000C "ARIA-128 in CTR mode, HMAC-SHA1 with tags of 32 bits.";
    SRTP_ARIA_256_CTR_HMAC_SHA1_80 0x000D "ARIA-256 in CTR mode, HMAC-SHA1 with tags of 80 bits.";
    SRTP_ARIA_256_CTR_HMAC_SHA1_32 0x000E "ARIA-256 in CTR mode, HMAC-SHA1 with tags of 32 bits.";
    SRTP_AEAD_ARIA_128_GCM         0x000F "ARIA-128 in GCM.";
    SRTP_AEAD_ARIA_256_GCM         0x0010 "ARIA-256 in GCM.";
}
