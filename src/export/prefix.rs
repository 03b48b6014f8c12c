//! What the names of exported functions begin with.

use std::fmt;
use std::str::FromStr;

/// A C identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix(String);

impl Prefix {
    /// The identifier.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that is no C identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixError(String);

impl fmt::Display for PrefixError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PrefixError(text) = self;
        write!(f, "{text:?} is no C identifier; one is ASCII letters, digits and underscores, and starts with no digit")
    }
}

impl std::error::Error for PrefixError {}

impl FromStr for Prefix {
    type Err = PrefixError;

    fn from_str(text: &str) -> Result<Prefix, PrefixError> {
        let fits = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
        let starts = !text.starts_with(|first: char| first.is_ascii_digit());
        if !text.is_empty() && starts && text.bytes().all(fits) {
            Ok(Prefix(text.to_owned()))
        } else {
            Err(PrefixError(text.to_owned()))
        }
    }
}
