//! Files that are either the old text or the new one, never a part of it.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// It has the new text.
    Replaced,
    /// It had that text already and was left alone, so that nothing is built again for it.
    Unchanged,
}

/// Gives the file this text at once: through a file beside it that is on the disk before it takes the name.
///
/// # Errors
/// [`WriteError`] names the file and the reason. The file is then what it was, and nothing is left beside it.
pub fn write(path: &Path, text: &str) -> Result<Written, WriteError> {
    if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(Written::Unchanged);
    }
    replace(path, text).map_err(|reason| WriteError { path: path.to_owned(), reason })?;
    Ok(Written::Replaced)
}

/// Whether [`write()`] could write this file now: better known before long work than after it. The file is left alone.
///
/// # Errors
/// As for [`write()`].
pub fn writable(path: &Path) -> Result<(), WriteError> {
    let tried = (|| {
        if path.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let (folder, name) = parts(path)?;
        let (beside, _) = temporary(folder, name)?;
        fs::remove_file(&beside)
    })();
    tried.map_err(|reason| WriteError { path: path.to_owned(), reason })
}

/// The folder of a file and its name in it.
fn parts(path: &Path) -> io::Result<(&Path, &std::ffi::OsStr)> {
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it has no file name"))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok((folder, name))
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let (folder, name) = parts(path)?;
    let (beside, mut file) = temporary(folder, name)?;
    let renamed =
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&beside, path));
    if let Err(reason) = renamed {
        // The first reason is the one to tell; if this fails too there is nothing better to do.
        let _ = fs::remove_file(&beside);
        return Err(reason);
    }
    // The text is safe under one of the two names whether or not the folder can be synced, and some file systems refuse.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// A new file in the folder, under a name that no other writer and no interrupted run of this one has.
fn temporary(folder: &Path, name: &std::ffi::OsStr) -> io::Result<(PathBuf, File)> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let mut beside = std::ffi::OsString::from(".");
        beside.push(name);
        beside.push(format!(".{}-{}.tmp", std::process::id(), NEXT.fetch_add(1, Relaxed)));
        let beside = folder.join(beside);
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (beside, file)),
        }
    }
}

/// A file that could not be written.
#[derive(Debug)]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// Why not.
    pub reason: io::Error,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} was not written and is as it was: {}", self.path.display(), self.reason)
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.reason)
    }
}
