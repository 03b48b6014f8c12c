//! Adding to a journal, such that being killed at any moment loses at most the line in flight.
//!
//! Each line goes out in one write to a file opened for appending, with nothing buffered on this side of the kernel. That
//! holds against a killed process, not against a power cut: nothing is forced to the disk, since a disk that works while
//! kernels are timed would show in the times.

use super::entry::{Entry, Resumed};
use super::header::{Header, Mismatch, Weight};
use super::lock::Lock;
use super::read::{Contents, JournalError, Line, SCHEMA, Torn, parse};
use crate::regular;
use std::cell::{Cell, RefCell};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The name of the journal in its record directory.
pub const JOURNAL: &str = "race.journal";

/// The journal of one record directory, open for appending by the only process that may. Whoever has something to note
/// while a search runs (the judge, and who admits its candidates) shares it.
#[derive(Debug)]
pub struct Journal {
    /// No line is added by one that has lost the directory.
    _lock: Lock,
    path: PathBuf,
    tail: RefCell<Tail<File>>,
    lines: Cell<usize>,
}

/// A journal with what it held when it was opened.
#[derive(Debug)]
pub struct Opened {
    /// To add to.
    pub journal: Journal,
    /// Everything that an earlier run added.
    pub entries: Vec<Entry>,
    /// The line that was in flight when the earlier run was killed; it has been dropped.
    pub torn: Option<Torn>,
    /// What has changed without making the record useless; the journal says so from here on.
    pub changed: Vec<Mismatch>,
}

impl Journal {
    /// The journal of the locked directory, begun with `now` as its header where there is none. Of an earlier run that was
    /// killed, the torn last line is cut off.
    ///
    /// # Errors
    /// [`JournalError`]. One that is stale or damaged is left exactly as it is.
    pub fn open(lock: &Lock, now: &Header) -> Result<Opened, JournalError> {
        let path = lock.dir().join(JOURNAL);
        let bytes = match regular::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(JournalError::io("read", &path, error)),
        };
        let Contents { header, entries, torn, whole } = parse(&path, &bytes)?;
        let mismatches = header.as_ref().map(|recorded| recorded.mismatches(now)).unwrap_or_default();
        let (fatal, changed): (Vec<_>, Vec<_>) =
            mismatches.into_iter().partition(|mismatch| mismatch.field.weight() == Weight::Fatal);
        if !fatal.is_empty() {
            return Err(JournalError::Stale { path, mismatches: fatal });
        }

        let opened = regular::open_with(OpenOptions::new().append(true).create(true), &path);
        let file = opened.map_err(|error| JournalError::io("open", &path, error))?;
        let lines = usize::from(header.is_some()) + entries.len();
        let tail = Tail { file, whole, torn: torn.is_some() };
        let journal = Journal { _lock: lock.clone(), path, tail: RefCell::new(tail), lines: Cell::new(lines) };
        journal
            .tail
            .borrow_mut()
            .mend()
            .map_err(|error| JournalError::io("cut the torn line off", &journal.path, error))?;
        if header.is_none() {
            journal.append(&Entry::Header(now.clone()))?;
        }
        if !changed.is_empty() {
            journal.append(&Entry::Resumed(Resumed { changed: changed.clone() }))?;
        }
        Ok(Opened { journal, entries, torn, changed })
    }

    /// Renames a journal that is not to be used, so that the next [`Journal::open`] begins a new one; gives the new name, or
    /// `None` where there is no journal.
    ///
    /// # Errors
    /// [`JournalError::Io`] where it cannot be renamed.
    pub fn set_aside(lock: &Lock) -> Result<Option<PathBuf>, JournalError> {
        let path = lock.dir().join(JOURNAL);
        let mut number = 1;
        let free = loop {
            let name = lock.dir().join(format!("aside-{number}-{JOURNAL}"));
            if !name.exists() {
                break name;
            }
            number += 1;
        };
        match fs::rename(&path, &free) {
            Ok(()) => Ok(Some(free)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(JournalError::io("rename", &path, error)),
        }
    }

    /// Adds one line.
    ///
    /// # Errors
    /// [`JournalError::Refused`] for a number that is none; [`JournalError::Append`] where the system refuses, a full disk
    /// say. Either way every earlier line is kept, and so is the chance to add once more.
    pub fn append(&self, entry: &Entry) -> Result<(), JournalError> {
        self.append_all(std::slice::from_ref(entry))
    }

    /// Adds lines that mean something only together, in one write: a killed run leaves all of them or none.
    ///
    /// # Errors
    /// As [`Journal::append`], and then none of them is added.
    pub fn append_all(&self, entries: &[Entry]) -> Result<(), JournalError> {
        let mut text = Vec::new();
        for entry in entries {
            serde_json::to_writer(&mut text, &Line { schema: SCHEMA, entry })
                .map_err(|error| JournalError::Refused { path: self.path.clone(), why: error.to_string() })?;
            text.push(b'\n');
        }
        let kept = self.lines.get();
        let added = self.tail.borrow_mut().add(&text);
        added.map_err(|source| JournalError::Append { path: self.path.clone(), kept, source })?;
        self.lines.set(kept + entries.len());
        Ok(())
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// What a journal is written to: a file, or in a test a disk that fills up.
trait Storage: Write {
    fn cut(&mut self, len: u64) -> io::Result<()>;
}

impl Storage for File {
    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.set_len(len)
    }
}

/// The end of a file of whole lines.
#[derive(Debug)]
struct Tail<S> {
    file: S,
    whole: u64,
    torn: bool,
}

impl<S: Storage> Tail<S> {
    /// Cuts off what is not a whole line.
    fn mend(&mut self) -> io::Result<()> {
        if self.torn {
            self.file.cut(self.whole)?;
            self.torn = false;
        }
        Ok(())
    }

    fn add(&mut self, line: &[u8]) -> io::Result<()> {
        // A part of a line that could not be cut off after the last failure would be damage once another line followed.
        self.mend()?;
        self.torn = true;
        let added = self.file.write_all(line).and_then(|()| self.file.flush());
        match added {
            Ok(()) => {
                self.torn = false;
                self.whole += line.len() as u64;
                Ok(())
            }
            Err(error) => {
                // Should this fail too, the next line or the next run tries again.
                let _ = self.mend();
                Err(error)
            }
        }
    }
}

#[cfg(test)]
mod tests;
