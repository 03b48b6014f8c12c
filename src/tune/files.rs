//! What a tune leaves behind: the winners, where they were measured, the confirmed figures, and the printed table.

use super::TuneError;
use crate::host::Host;
use crate::print::winners::{Winners, WinnersError};
use crate::print::write::{WriteError, write};
use crate::print::{PrintError, module, table, tables};
use crate::record::{Confirmed, Contents, Entry, JOURNAL, JournalError, Place, Why, read};
use crate::regular;
use copysmith_kernels::X86_64;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The file of a machine's folder that holds the choice.
pub const WINNERS: &str = "winners";
/// The file that says where it was made.
pub(crate) const HOST: &str = "host";
/// The file with the confirmed figures, one JSON value a line.
pub(crate) const SAMPLES: &str = "samples";

/// Why something cannot be written or read back.
#[derive(Debug)]
#[non_exhaustive]
pub enum FilesError {
    /// A file cannot be written.
    Write(WriteError),
    /// A file cannot be read.
    Read {
        /// Which.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The winners on disk are not winners.
    Winners {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        source: WinnersError,
    },
    /// The winners are another machine's than their folder's name says.
    Folder {
        /// Which file.
        path: PathBuf,
        /// The machine in it.
        machine: String,
    },
    /// There are no winners to print.
    NoWinners(PathBuf),
    /// The journal cannot be read.
    Journal(JournalError),
    /// The winners cannot be printed.
    Print(PrintError),
}

impl fmt::Display for FilesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FilesError::Write(error) => error.fmt(f),
            FilesError::Read { path, source } => write!(f, "{} cannot be read: {source}", path.display()),
            FilesError::Winners { path, source } => {
                write!(f, "{}: {source}; move the file away and tune again", path.display())
            }
            FilesError::Folder { path, machine } => {
                write!(
                    f,
                    "{} is for machine {machine}, which is not its folder's name; rename the folder",
                    path.display()
                )
            }
            FilesError::NoWinners(records) => write!(f, "{} has no winners to print; tune first", records.display()),
            FilesError::Journal(error) => error.fmt(f),
            FilesError::Print(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FilesError {}

/// The winners of a machine's folder; `None` where there are none yet.
///
/// # Errors
/// [`FilesError`] where there is a file that cannot be used.
pub fn winners_in(dir: &Path) -> Result<Option<Winners>, FilesError> {
    let path = dir.join(WINNERS);
    match regular::read_to_string(&path) {
        Ok(text) => match Winners::from_json(&text) {
            Ok(winners) if dir.file_name().is_none_or(|name| name == winners.machine.as_str()) => Ok(Some(winners)),
            Ok(Winners { machine, .. }) => Err(FilesError::Folder { path, machine }),
            Err(source) => Err(FilesError::Winners { path, source }),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(FilesError::Read { path, source }),
    }
}

/// The winners of this machine in a checkout, where they are not what is linked: after a tune, until the next build, a table is that
/// of an earlier one. `None` where they are, or there are none.
///
/// # Errors
/// As [`winners_in`].
pub fn unlinked(place: &Place, machine: &str) -> Result<Option<PathBuf>, FilesError> {
    let dir = place.dir.join(machine);
    if tuned(place).is_none() {
        return Ok(None);
    }
    let Some(winners) = winners_in(&dir)? else { return Ok(None) };
    let linked = copysmith_tuned::table().filter(|table| table.machine() == machine);
    let same = linked.is_some_and(|table| table.routine().recipe() == winners.routine.text.to_string());
    Ok((!same).then(|| dir.join(WINNERS)))
}

/// Writes a machine's folder, and in a checkout its table and the list of tables; the paths written, in order.
///
/// # Errors
/// [`FilesError`] names the file; those written before it stay, each whole.
pub fn write_all(place: &Place, dir: &Path, host: &Host, winners: &Winners) -> Result<Vec<PathBuf>, FilesError> {
    let mut written = Vec::new();
    let mut put = |path: PathBuf, text: &str| -> Result<(), FilesError> {
        write(&path, text).map_err(FilesError::Write)?;
        written.push(path);
        Ok(())
    };
    put(dir.join(HOST), &pretty(host))?;
    put(dir.join(SAMPLES), &samples(&dir.join(JOURNAL))?)?;
    put(dir.join(WINNERS), &winners.to_json())?;
    if let Some(tuned) = tuned(place) {
        for (path, text) in printed(&place.dir, &tuned, Some(winners))? {
            put(path, &text)?;
        }
    }
    Ok(written)
}

/// The folder of `copysmith-tuned`, when records live in a checkout.
pub fn tuned(place: &Place) -> Option<PathBuf> {
    (place.why == Why::Checkout).then(|| place.dir.parent().map(Path::to_owned)).flatten()
}

/// Every table of a checkout and their list, as path and text, from the winners alone. `fresh` stands for its machine's file.
///
/// # Errors
/// [`FilesError`], as for [`winners_in`], and where winners cannot be printed.
pub fn printed(records: &Path, tuned: &Path, fresh: Option<&Winners>) -> Result<Vec<(PathBuf, String)>, FilesError> {
    let tables_dir = tuned.join("src").join("table");
    let mut all = recorded(records)?;
    if let Some(fresh) = fresh {
        all.retain(|winners| winners.machine != fresh.machine);
        all.push(fresh.clone());
    }
    if all.is_empty() {
        return Err(FilesError::NoWinners(records.to_owned()));
    }
    let mut files = Vec::new();
    for winners in &all {
        let name = format!("{}.rs", module(&winners.machine).map_err(FilesError::Print)?);
        files.push((tables_dir.join(name), table(winners, &X86_64).map_err(FilesError::Print)?));
    }
    let machines: Vec<&str> = all.iter().map(|winners| winners.machine.as_str()).collect();
    files.push((tables_dir.join("mod.rs"), tables(&machines).map_err(FilesError::Print)?));
    Ok(files)
}

/// The winners of every machine's folder, in order of the folders' names.
///
/// # Errors
/// As [`winners_in`].
pub fn recorded(records: &Path) -> Result<Vec<Winners>, FilesError> {
    let entries = match fs::read_dir(records) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(FilesError::Read { path: records.to_owned(), source }),
    };
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders.iter().filter_map(|folder| winners_in(folder).transpose()).collect()
}

fn pretty(host: &Host) -> String {
    let mut text = serde_json::to_string_pretty(host).expect("texts, integers and finite floats always serialize");
    text.push('\n');
    text
}

/// The confirmed figures of a journal, the last of each class.
fn samples(journal: &Path) -> Result<String, FilesError> {
    let Contents { entries, .. } = read(journal).map_err(FilesError::Journal)?;
    let mut last: Vec<Confirmed> = Vec::new();
    for entry in entries {
        if let Entry::Confirmed(confirmed) = entry {
            last.retain(|earlier| earlier.class != confirmed.class);
            last.push(confirmed);
        }
    }
    let line = |confirmed: &Confirmed| serde_json::to_string(confirmed).map(|line| format!("{line}\n"));
    Ok(last.iter().map(|confirmed| line(confirmed).expect("a journal holds finite numbers only")).collect())
}

impl From<FilesError> for TuneError {
    fn from(error: FilesError) -> TuneError {
        TuneError::Text(error.to_string())
    }
}
