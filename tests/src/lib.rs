//! What the integration tests share. Each of them is a file in `tests/` and asks one question.

pub mod buffer;
pub mod cargo;
pub mod modes;
pub mod mutant;
pub mod openssl;
pub mod oracle;
pub mod ours;
pub mod reference;
pub mod report;
pub mod seed;

/// The README, whose code is compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
