//! Why a study has no result.

use crate::print::write::WriteError;
use crate::record::{JournalError, LockError, Mismatch, WAY_OUT};
use crate::time::TimeError;
use crate::tune::TuneError;
use std::fmt;
use std::path::PathBuf;

/// Why a study has no result. What was measured until then is on the disk.
#[derive(Debug)]
#[non_exhaustive]
pub enum StudyError {
    /// It was asked to stop.
    Interrupted,
    /// Something that a tune needs as well failed.
    Tune(TuneError),
    /// The data cannot be read.
    Journal(JournalError),
    /// A file is neither a journal nor a compressed one.
    Compressed {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// There are no data where they were looked for.
    NoData(PathBuf),
    /// Data that cannot be merged: they differ in more than what was measured.
    Foreign {
        /// The first file.
        first: PathBuf,
        /// The one that differs from it.
        path: PathBuf,
        /// In what.
        mismatches: Vec<Mismatch>,
    },
    /// A file cannot be written.
    Write(WriteError),
    /// A class that is not in the data, or has too few kernels.
    Class {
        /// The class asked for.
        class: String,
        /// What is there.
        why: String,
    },
    /// A file of another tool that makes no sense: which, and what.
    Import(String),
    /// A drawing failed.
    Plot(String),
}

/// What can be done about data that cannot be used.
const ELSEWHERE: &str = "move the file away or measure into another directory";

impl fmt::Display for StudyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StudyError::Interrupted => f.write_str("interrupted; the same command goes on where this one stopped"),
            StudyError::Tune(error) => error.fmt(f),
            // A study has no --fresh: its data are where the command line says.
            StudyError::Journal(error) => f.write_str(&error.to_string().replace(WAY_OUT, ELSEWHERE)),
            StudyError::Compressed { path, why } => write!(f, "{} cannot be unpacked: {why}", path.display()),
            StudyError::NoData(path) => {
                write!(f, "{} has no data: no {} and no journal; measure first", path.display(), super::file::DATA)
            }
            StudyError::Foreign { first, path, mismatches } => {
                write!(f, "{} is of another study than {} (", path.display(), first.display())?;
                for (number, Mismatch { field, recorded, now }) in mismatches.iter().enumerate() {
                    write!(f, "{}{field}: {recorded} there, {now} here", if number > 0 { "; " } else { "" })?;
                }
                f.write_str(")")
            }
            StudyError::Write(error) => error.fmt(f),
            StudyError::Class { class, why } => write!(f, "class {class}: {why}"),
            StudyError::Import(why) => f.write_str(why),
            StudyError::Plot(why) => write!(f, "the drawing failed: {why}"),
        }
    }
}

impl std::error::Error for StudyError {}

impl From<TuneError> for StudyError {
    fn from(error: TuneError) -> StudyError {
        match error {
            TuneError::Interrupted => StudyError::Interrupted,
            error => StudyError::Tune(error),
        }
    }
}

impl From<TimeError> for StudyError {
    fn from(error: TimeError) -> StudyError {
        TuneError::from(error).into()
    }
}

impl From<LockError> for StudyError {
    fn from(error: LockError) -> StudyError {
        StudyError::Tune(TuneError::Lock(error))
    }
}

impl From<JournalError> for StudyError {
    fn from(error: JournalError) -> StudyError {
        StudyError::Journal(error)
    }
}
