//! Files that are either the old text or the new one, never a part of it; and what is no file, written to as it is.

mod target;

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use target::Target;

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// It has the new text.
    Replaced,
    /// It had that text already and was left alone, so that nothing is built again for it.
    Unchanged,
    /// It is no regular file (a pipe, a device), or one of this process's own outputs: the text went into it.
    Sent,
}

/// Gives the file this text at once: through a file beside it that is on the disk before it takes the name. A symbolic link is
/// followed. What is no regular file gets the text directly; writing into a fifo waits for whoever reads it.
///
/// # Errors
/// [`WriteError`] names the file and the reason. A regular file is then what it was, and nothing is left beside it.
pub fn write(path: &Path, text: &str) -> Result<Written, WriteError> {
    write_bytes(path, text.as_bytes())
}

/// [`write()`] for what is no text.
///
/// # Errors
/// As for [`write()`].
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<Written, WriteError> {
    let failed = |left, reason| WriteError { path: path.to_owned(), left, reason };
    match Target::of(path).map_err(|reason| failed(Left::AsItWas, reason))? {
        Target::File(file) => {
            if fs::read(&file).is_ok_and(|old| old == bytes) {
                return Ok(Written::Unchanged);
            }
            replace(&file, bytes).map_err(|reason| failed(Left::AsItWas, reason))?;
            Ok(Written::Replaced)
        }
        Target::Stream { .. } => match Target::stream(path).and_then(|mut stream| stream.write_all(bytes)) {
            // Whoever reads has seen enough.
            Err(reason) if reason.kind() == io::ErrorKind::BrokenPipe => Ok(Written::Sent),
            sent => sent.map(|()| Written::Sent).map_err(|reason| failed(Left::Unknown, reason)),
        },
    }
}

/// Whether [`write()`] could write this file now: better known before long work than after it. The file is left alone, and a fifo
/// unopened, since opening waits for its reader.
///
/// # Errors
/// As for [`write()`].
pub fn writable(path: &Path) -> Result<(), WriteError> {
    let tried = Target::of(path).and_then(|target| match target {
        Target::File(file) => {
            let (folder, name) = parts(&file)?;
            let (beside, _) = temporary(folder, name)?;
            fs::remove_file(&beside)
        }
        Target::Stream { .. } => Ok(()),
    });
    tried.map_err(|reason| WriteError { path: path.to_owned(), left: Left::AsItWas, reason })
}

/// Whether both lead to one file, of which the second [`write()`] would overwrite or mix with the first.
///
/// # Errors
/// [`WriteError`] names the one that cannot be written.
pub fn same(one: &Path, other: &Path) -> Result<bool, WriteError> {
    let target = |path: &Path| {
        Target::of(path).map_err(|reason| WriteError { path: path.to_owned(), left: Left::AsItWas, reason })
    };
    Ok(target(one)? == target(other)?)
}

/// The folder of a file and its name in it.
fn parts(path: &Path) -> io::Result<(&Path, &std::ffi::OsStr)> {
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it has no file name"))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok((folder, name))
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (folder, name) = parts(path)?;
    let (beside, mut file) = temporary(folder, name)?;
    let renamed = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&beside, path));
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
    /// What it is now.
    pub left: Left,
    /// Why not.
    pub reason: io::Error,
}

/// What a file is after a write that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// What it was before.
    AsItWas,
    /// It is no regular file and may have got a part of the text.
    Unknown,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let left = match self.left {
            Left::AsItWas => "was not written and is as it was",
            Left::Unknown => "was not written in full",
        };
        write!(f, "{} {left}: {}", self.path.display(), self.reason)
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.reason)
    }
}
