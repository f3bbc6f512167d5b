//! By what numbers others name ARIA and its modes: object identifiers, TLS cipher suites, SRTP
//! protection profiles. Nothing here computes anything.

pub mod oid;
pub mod srtp;
pub mod tls;
