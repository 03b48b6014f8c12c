//! What can be wrong with a profile.

use std::path::PathBuf;
use std::{fmt, io};

/// A line that is not allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it, and what was allowed.
    pub why: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for ParseError {}

/// A file that is no profile.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The system refused, or what is compressed is damaged.
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is more of it than is read.
    Large {
        /// The file.
        path: PathBuf,
        /// The most bytes that are read, uncompressed.
        most: u64,
    },
    /// A line is not allowed.
    Line {
        /// The file.
        path: PathBuf,
        /// Which, and why.
        error: ParseError,
    },
}

/// One line: the file, where, and what is wrong.
impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Io { path, source } if source.kind() == io::ErrorKind::InvalidData => {
                write!(f, "{} is no profile: it is not text", path.display())
            }
            ReadError::Io { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            ReadError::Large { path, most } => {
                write!(f, "{} is too large; at most {} MiB are read", path.display(), most >> 20)
            }
            ReadError::Line { path, error } => write!(f, "{}, {error}", path.display()),
        }
    }
}

impl std::error::Error for ReadError {}
