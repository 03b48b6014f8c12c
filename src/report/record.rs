//! Everything that a machine's folder holds, as far as it is there.

use super::ReportError;
use crate::host::Host;
use crate::print::winners::Winners;
use crate::record::{Confirmed, Contents, JOURNAL, read};
use crate::tune::{HOST, SAMPLES, winners_in};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The record of one machine.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its folder.
    pub dir: PathBuf,
    /// The choice.
    pub winners: Winners,
    /// Where it was made; `None` where that was not kept.
    pub host: Option<Host>,
    /// The confirmed figures of each class, and of the whole routine.
    pub confirmed: Vec<Confirmed>,
    /// Every sample; `None` where the journal was not kept.
    pub journal: Option<Contents>,
}

impl Record {
    /// Reads a machine's folder.
    ///
    /// # Errors
    /// [`ReportError`] names the file that is missing or cannot be used.
    pub fn read(dir: &Path) -> Result<Record, ReportError> {
        let winners = winners_in(dir).map_err(ReportError::Files)?;
        let winners = winners.ok_or_else(|| ReportError::NoWinners(dir.to_owned()))?;
        let host = match optional(&dir.join(HOST))? {
            None => None,
            Some(text) => Some(json(&dir.join(HOST), &text)?),
        };
        let samples = dir.join(SAMPLES);
        let text = optional(&samples)?.unwrap_or_default();
        let confirmed =
            text.lines().map(|line| json(&samples, line)).collect::<Result<Vec<Confirmed>, ReportError>>()?;
        let journal = dir.join(JOURNAL);
        let journal = if journal.exists() { Some(read(&journal).map_err(ReportError::Journal)?) } else { None };
        Ok(Record { dir: dir.to_owned(), winners, host, confirmed, journal })
    }

    /// The confirmed figures of a class by its name.
    pub(super) fn figures(&self, class: &str) -> Option<&Confirmed> {
        self.confirmed.iter().find(|confirmed| confirmed.class == class)
    }
}

fn optional(path: &Path) -> Result<Option<String>, ReportError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ReportError::Read { path: path.to_owned(), source }),
    }
}

fn json<T: serde::de::DeserializeOwned>(path: &Path, text: &str) -> Result<T, ReportError> {
    serde_json::from_str(text).map_err(|error| ReportError::Json { path: path.to_owned(), why: error.to_string() })
}
