//! Profiles in files, compressed or not.
//!
//! Compression is `flate2`, the best kept implementation of gzip for Rust, with `miniz_oxide` below it, which is written in
//! Rust: no C compiler is needed. gzip, because every machine has a tool that opens it.

use super::Profile;
use super::error::ReadError;
use crate::regular;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

/// The most text that is read, in bytes.
pub const MOST_BYTES: u64 = 256 << 20;
/// The most calls in order that a profile has.
pub const MOST_CALLS: u64 = 1 << 23;
/// The longest line but the first, in bytes.
pub(super) const LONGEST_LINE: usize = 256;

const MAGIC: [u8; 2] = [0x1f, 0x8b];

impl Profile {
    /// The profile in a file, which is decompressed if it is compressed.
    ///
    /// # Errors
    /// [`ReadError`] names the file and what is wrong with it.
    pub fn read(path: &Path) -> Result<Profile, ReadError> {
        let io = |source| ReadError::Io { path: path.to_owned(), source };
        let file = regular::open(path).map_err(io)?;
        let text = text(BufReader::new(file), MOST_BYTES).map_err(io)?;
        let text = text.ok_or_else(|| ReadError::Large { path: path.to_owned(), most: MOST_BYTES })?;
        Profile::parse(&text).map_err(|error| ReadError::Line { path: path.to_owned(), error })
    }

    /// The profile in these bytes of a file.
    pub(super) fn of_bytes(name: &str, bytes: &[u8]) -> Result<Profile, ReadError> {
        let path = || Path::new(name).to_owned();
        let text = text(bytes, MOST_BYTES).map_err(|source| ReadError::Io { path: path(), source })?;
        let text = text.ok_or_else(|| ReadError::Large { path: path(), most: MOST_BYTES })?;
        Profile::parse(&text).map_err(|error| ReadError::Line { path: path(), error })
    }
}

/// The text in what is read, decompressed if need be; `None` where it is more than `most` bytes.
pub(super) fn text(mut bytes: impl Read, most: u64) -> io::Result<Option<String>> {
    let mut magic = Vec::new();
    bytes.by_ref().take(2).read_to_end(&mut magic)?;
    let is_compressed = magic == MAGIC;
    let whole = io::Cursor::new(magic).chain(bytes);
    let mut text = String::new();
    let read = match is_compressed {
        true => MultiGzDecoder::new(whole).take(most + 1).read_to_string(&mut text)?,
        false => whole.take(most + 1).read_to_string(&mut text)?,
    };
    Ok((read as u64 <= most).then_some(text))
}

/// Text as it goes into a file of this name: compressed if the name ends in `.gz`, with no time and no name inside, so that the
/// same text is the same bytes.
pub fn packed(path: &Path, text: &str) -> Vec<u8> {
    if path.extension().is_none_or(|extension| extension != "gz") {
        return text.as_bytes().to_vec();
    }
    // The usual level: the best one takes more than twice as long for a few per cent less.
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    // A vector takes whatever is written.
    let written = packed.write_all(text.as_bytes()).and_then(|()| packed.finish());
    written.unwrap_or_else(|_| text.as_bytes().to_vec())
}
