//! Why a tune stops without a table.

use crate::record::{JournalError, LockError, PlaceError, RecordingError};
use crate::run::TryError;
use crate::time::TimeError;
use std::fmt;

/// Why a tune stops without a table. What was measured until then is in the record.
#[derive(Debug)]
#[non_exhaustive]
pub enum TuneError {
    /// It was asked to stop.
    Interrupted,
    /// Spans that do not cover every length once.
    Spans(String),
    /// There is no place for the record.
    Place(PlaceError),
    /// Another tune holds the record.
    Lock(LockError),
    /// The record cannot be read, belongs elsewhere, or cannot be written.
    Journal(JournalError),
    /// Nothing can be timed.
    Time(TimeError),
    /// Candidates cannot be tried out at all.
    Try(TryError),
    /// The record does not fit the search.
    Diverged(String),
    /// Every candidate of a class was refused or failed.
    NobodyLeft {
        /// The class.
        class: String,
        /// The first reason given.
        reason: String,
    },
    /// A text of the record is no recipe of this version.
    Text(String),
}

impl fmt::Display for TuneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TuneError::Interrupted => f.write_str("interrupted; the same command goes on where this one stopped"),
            TuneError::Spans(why) => f.write_str(why),
            TuneError::Place(error) => error.fmt(f),
            TuneError::Lock(error) => error.fmt(f),
            TuneError::Journal(error) => error.fmt(f),
            TuneError::Time(error) => error.fmt(f),
            TuneError::Try(error) => error.fmt(f),
            TuneError::Diverged(why) | TuneError::Text(why) => f.write_str(why),
            TuneError::NobodyLeft { class, reason } => {
                write!(f, "no candidate of class {class} is left, so there is no table; the first one: {reason}")
            }
        }
    }
}

impl std::error::Error for TuneError {}

impl From<JournalError> for TuneError {
    fn from(error: JournalError) -> TuneError {
        TuneError::Journal(error)
    }
}

impl From<TimeError> for TuneError {
    fn from(error: TimeError) -> TuneError {
        match error {
            TimeError::Stopped => TuneError::Interrupted,
            error => TuneError::Time(error),
        }
    }
}

impl From<RecordingError<TimeError>> for TuneError {
    fn from(error: RecordingError<TimeError>) -> TuneError {
        match error {
            RecordingError::Judge(error) => error.into(),
            RecordingError::Journal(error) => TuneError::Journal(error),
            error @ RecordingError::Diverged { .. } => TuneError::Diverged(error.to_string()),
        }
    }
}
