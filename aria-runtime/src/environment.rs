//! The environment variable `ARIA_CAP`, the only thing that needs `std`.

use std::env;
use std::ffi::OsStr;

use crate::cap::{Cap, CapError};

/// The name of the variable.
const VARIABLE: &str = "ARIA_CAP";

/// The cap that the environment sets, as [`Token::detect`](crate::Token::detect) honours it:
/// a value that names none counts as no cap.
pub(crate) fn cap() -> Option<Cap> {
    cap_from_env().unwrap_or(None)
}

/// The cap that the environment variable `ARIA_CAP` sets; `None` if it is unset or empty.
///
/// [`Token::detect`](crate::Token::detect) honours the variable, and passes over a value that
/// names no cap. A program that would rather tell its user asks here. The variable is read anew
/// with each call.
///
/// # Errors
///
/// [`CapError`] if the value names no cap.
pub fn cap_from_env() -> Result<Option<Cap>, CapError> {
    env::var_os(VARIABLE).map_or(Ok(None), |value| parse(&value))
}

fn parse(value: &OsStr) -> Result<Option<Cap>, CapError> {
    match value.to_str() {
        Some("") => Ok(None),
        Some(name) => name.parse().map(Some),
        None => Err(CapError),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        assert_eq!(parse(OsStr::new("")), Ok(None));
        assert_eq!(parse(OsStr::new("avx2")), Ok(Some(Cap::Avx2)));
        assert_eq!(parse(OsStr::new("AVX2")), Err(CapError));
    }
}
