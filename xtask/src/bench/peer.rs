//! The peers: a file each. One that is not there is said not to be.

pub(crate) mod libgcrypt;
pub(crate) mod openssl;
pub(crate) mod rustcrypto;
