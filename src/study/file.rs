//! Data on the disk: a journal as it is being written, or one file of its lines, compressed.
//!
//! By `zstd`, the library's own binding: the encoder written in Rust leaves such lines three times as long.

use super::{Data, StudyError};
use crate::print::write::write_bytes;
use crate::record::{Contents, JOURNAL, JournalError, parse};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The name of merged data in their directory.
pub(super) const DATA: &str = "data.jsonl.zst";

/// First bytes of a zstd frame (RFC 8878, section 3.1.1).
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// As small as it gets without asking for more memory to read: data are written once.
const LEVEL: i32 = 19;

/// Most bytes that a data set may unpack to: a file made to fill the memory is refused.
const MOST: u64 = 4 << 30;

/// What is stored in one file.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The file.
    pub path: PathBuf,
    /// Its lines.
    pub contents: Contents,
}

/// The files of data below a path: the path itself, or in a directory the merged data, or the journals in it and in the directories
/// of its shards.
pub(super) fn files(path: &Path) -> Result<Vec<PathBuf>, StudyError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unreadable = |source| JournalError::Io { doing: "read", path: path.to_owned(), source };
    let mut found = vec![path.join(DATA)];
    if !found[0].exists() {
        let inside = fs::read_dir(path).map_err(unreadable)?.flatten().map(|entry| entry.path());
        let mut folders: Vec<PathBuf> = inside.filter(|path| path.is_dir()).collect();
        folders.sort();
        found = std::iter::once(path.to_owned()).chain(folders).map(|folder| folder.join(JOURNAL)).collect();
        found.retain(|journal| journal.exists());
    }
    if found.is_empty() { Err(StudyError::NoData(path.to_owned())) } else { Ok(found) }
}

/// The lines of one file, compressed or not.
pub(super) fn stored(path: PathBuf) -> Result<Stored, StudyError> {
    let unreadable = |source: io::Error| JournalError::Io { doing: "read", path: path.clone(), source };
    let mut bytes = fs::read(&path).map_err(unreadable)?;
    if bytes.starts_with(&MAGIC) {
        let damaged = |why: String| StudyError::Compressed { path: path.clone(), why };
        let mut unpacked = Vec::new();
        let decoder = zstd::Decoder::new(bytes.as_slice()).map_err(|error| damaged(error.to_string()))?;
        decoder.take(MOST).read_to_end(&mut unpacked).map_err(|error| damaged(error.to_string()))?;
        if unpacked.len() as u64 == MOST {
            return Err(damaged(format!("it has more than {MOST} bytes")));
        }
        bytes = unpacked;
    }
    let contents = parse(&path, &bytes)?;
    match contents.header {
        Some(_) => Ok(Stored { path, contents }),
        None => Err(StudyError::NoData(path)),
    }
}

/// The data below a path: one file, a directory of merged data, of a journal, or of shards.
///
/// # Errors
/// [`StudyError`] names the file and the line that is damaged or of another schema, or in what two files differ.
pub fn load(path: &Path) -> Result<Data, StudyError> {
    let stored = files(path)?.into_iter().map(stored).collect::<Result<Vec<Stored>, _>>()?;
    super::merge::joined(&stored).and_then(|contents| Data::new(&contents))
}

/// Writes contents as one file, compressed where its name ends in `.zst`.
///
/// # Errors
/// [`StudyError::Write`], and then the file is what it was; [`StudyError::Journal`] for a number that is none.
pub fn store(path: &Path, contents: &Contents) -> Result<(), StudyError> {
    let mut bytes = contents.to_bytes().map_err(|why| JournalError::Refused { path: path.to_owned(), why })?;
    if path.extension().is_some_and(|extension| extension == "zst") {
        let packed = zstd::encode_all(bytes.as_slice(), LEVEL);
        bytes = packed.map_err(|source| JournalError::Io { doing: "compress", path: path.to_owned(), source })?;
    }
    write_bytes(path, &bytes).map(drop).map_err(StudyError::Write)
}
