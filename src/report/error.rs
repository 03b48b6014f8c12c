//! Why there is no page.

use crate::record::JournalError;
use crate::study::StudyError;
use crate::tune::FilesError;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why there is no page.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReportError {
    /// A directory without winners.
    NoWinners(PathBuf),
    /// The winners cannot be used.
    Files(FilesError),
    /// The journal cannot be used.
    Journal(JournalError),
    /// A file of the record cannot be read.
    Read {
        /// Which.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file of the record is not what its name says.
    Json {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A drawing failed.
    Plot(String),
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReportError::NoWinners(dir) => {
                write!(
                    f,
                    "{} is no record: it has no winners; tune first, or name the folder of a machine",
                    dir.display()
                )
            }
            ReportError::Files(error) => error.fmt(f),
            ReportError::Journal(error) => error.fmt(f),
            ReportError::Read { path, source } => write!(f, "{} cannot be read: {source}", path.display()),
            ReportError::Json { path, why } => write!(f, "{} is damaged: {why}", path.display()),
            ReportError::Plot(why) => write!(f, "a drawing failed: {why}"),
        }
    }
}

impl std::error::Error for ReportError {}

impl From<StudyError> for ReportError {
    fn from(error: StudyError) -> ReportError {
        ReportError::Plot(error.to_string())
    }
}
