//! From the bytes of a journal to its entries, and everything that can be wrong with them.
//!
//! A line is whole when it ends in a line feed. Bytes after the last one are the line that was being written when the
//! writer was killed: torn, told, and no fault. A whole line that makes no sense is damage, wherever it stands: nothing
//! after it can be trusted to be in order, so nothing of the file is used.

use super::entry::Entry;
use super::header::{Header, Mismatch};
use crate::regular;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// The version of the schema that this copysmith writes and reads.
pub const SCHEMA: u32 = 1;

/// A line as it is written: `{"schema":1,"kind":...}`. Every line carries the schema, so that one taken out of its file,
/// by `grep` say, still tells what it is.
#[derive(Serialize)]
pub(super) struct Line<'a> {
    pub schema: u32,
    #[serde(flatten)]
    pub entry: &'a Entry,
}

/// What a journal holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// Its identity; `None` where not even the first line was written whole.
    pub header: Option<Header>,
    /// Everything after the header.
    pub entries: Vec<Entry>,
    /// The line that was in flight when its writer was killed.
    pub torn: Option<Torn>,
    /// Bytes in whole lines.
    pub(super) whole: u64,
}

impl Contents {
    /// A header and entries as if they had been read.
    pub fn new(header: Option<Header>, entries: Vec<Entry>) -> Contents {
        Contents { header, entries, torn: None, whole: 0 }
    }

    /// The whole lines, as a journal has them.
    ///
    /// # Errors
    /// What is wrong with a line that holds what is no measurement.
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        let mut text = Vec::new();
        let header = self.header.clone().map(Entry::Header);
        for entry in header.iter().chain(&self.entries) {
            serde_json::to_writer(&mut text, &Line { schema: SCHEMA, entry }).map_err(|error| error.to_string())?;
            text.push(b'\n');
        }
        Ok(text)
    }
}

/// A last line that was not written to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn {
    /// Its number, from 1.
    pub line: usize,
    /// How many bytes of it are there.
    pub bytes: usize,
}

impl fmt::Display for Torn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Torn { line, bytes } = self;
        write!(f, "line {line} was being written when the run was stopped; its {bytes} bytes are dropped")
    }
}

/// The contents of a journal, which is only read: a torn line is told and stays.
///
/// # Errors
/// [`JournalError::Io`] where the file cannot be read, [`JournalError::Schema`] and [`JournalError::Damaged`] where it
/// cannot be understood.
pub fn read(path: &Path) -> Result<Contents, JournalError> {
    let bytes = regular::read(path).map_err(|source| JournalError::io("read", path, source))?;
    parse(path, &bytes)
}

/// The contents of the bytes of a journal; `path` is for the messages.
pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<Contents, JournalError> {
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let mut contents = Contents { header: None, entries: Vec::new(), torn: None, whole: whole as u64 };
    let mut number = 0;
    for line in bytes[..whole].split_inclusive(|&byte| byte == b'\n') {
        number += 1;
        let damaged = |why: String| JournalError::Damaged { path: path.to_owned(), line: number, why };
        match entry(line) {
            Ok(Entry::Header(header)) if number == 1 => contents.header = Some(header),
            Ok(Entry::Header(_)) => return Err(damaged("a second header".to_owned())),
            Ok(_) if number == 1 => return Err(damaged("the first line is not a header".to_owned())),
            Ok(entry) => contents.entries.push(entry),
            Err(Fault::Schema(found)) => {
                return Err(JournalError::Schema { path: path.to_owned(), line: number, found });
            }
            Err(Fault::Damage(why)) => return Err(damaged(why)),
        }
    }
    if whole < bytes.len() {
        contents.torn = Some(Torn { line: number + 1, bytes: bytes.len() - whole });
    }
    Ok(contents)
}

enum Fault {
    Schema(u64),
    Damage(String),
}

fn entry(line: &[u8]) -> Result<Entry, Fault> {
    #[derive(Deserialize)]
    struct Version {
        schema: u64,
    }
    let damage = |error: serde_json::Error| Fault::Damage(without_position(&error));
    // The version first, alone: lines of another schema need not look like entries of this one.
    let version: Version = serde_json::from_slice(line).map_err(damage)?;
    if version.schema != u64::from(SCHEMA) {
        return Err(Fault::Schema(version.schema));
    }
    serde_json::from_slice(line).map_err(damage)
}

/// The message without serde's own position: each line is parsed alone, so that it always says line 1.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((what, _)) if error.line() > 0 => format!("{what} at column {}", error.column()),
        _ => text,
    }
}

/// Why a journal cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum JournalError {
    /// The system refused.
    Io {
        /// What was being done: a verb.
        doing: &'static str,
        /// To which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A line could not be added; all lines before it are kept.
    Append {
        /// The file.
        path: PathBuf,
        /// How many whole lines it has.
        kept: usize,
        /// Why not.
        source: io::Error,
    },
    /// A line was not added because it holds what is no measurement; the file is as it was.
    Refused {
        /// The file.
        path: PathBuf,
        /// What is wrong with the line.
        why: String,
    },
    /// A whole line that makes no sense.
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// A line of another schema.
    Schema {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Its schema.
        found: u64,
    },
    /// The record is from another machine, version or search.
    Stale {
        /// The file.
        path: PathBuf,
        /// The fatal differences.
        mismatches: Vec<Mismatch>,
    },
}

impl JournalError {
    pub(super) fn io(doing: &'static str, path: &Path, source: io::Error) -> JournalError {
        JournalError::Io { doing, path: path.to_owned(), source }
    }
}

/// What can be done about a journal that cannot be used.
pub(crate) const WAY_OUT: &str =
    "begin anew with --fresh, which keeps it under another name, or give another --record DIR";

/// One line: the file, what is wrong, and what to do.
impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JournalError::Io { doing, path, source } => write!(f, "cannot {doing} {}: {source}", path.display()),
            JournalError::Append { path, kept, source } => write!(
                f,
                "cannot add to {}: {source}; its {kept} lines are kept, and the same command goes on after them",
                path.display()
            ),
            JournalError::Refused { path, why } => write!(f, "not added to {}: {why}", path.display()),
            JournalError::Damaged { path, line, why } => {
                write!(f, "{}, line {line} is damaged ({why}); {WAY_OUT}", path.display())
            }
            JournalError::Schema { path, line, found } => {
                write!(f, "{}, line {line} is of schema {found}, and only {SCHEMA} is known; {WAY_OUT}", path.display())
            }
            JournalError::Stale { path, mismatches } => {
                write!(f, "{} is not from here and now (", path.display())?;
                for (number, mismatch) in mismatches.iter().enumerate() {
                    write!(f, "{}{mismatch}", if number > 0 { "; " } else { "" })?;
                }
                write!(f, "); {WAY_OUT}")
            }
        }
    }
}

impl std::error::Error for JournalError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The message already holds the system's: a chain printed in full would say it twice.
        None
    }
}
