//! Where a path leads, found out by looking only: opening a fifo waits for its other end, and opening a file may change it.

use super::parts;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What a path leads to, symbolic links followed. Two are equal where writing one is writing the other.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A regular file, or a name that is still free: can be replaced as a whole. Without links in it.
    File(PathBuf),
    /// Anything else that can be written to: a pipe, a device, an output of this process.
    Stream {
        /// Of the file's device.
        device: u64,
        /// Its number there.
        inode: u64,
    },
}

impl Target {
    /// What this path leads to now.
    pub fn of(path: &Path) -> io::Result<Target> {
        if path.as_os_str().as_bytes().ends_with(b"/") && !path.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let found = match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return free(path).map(Target::File),
            found => found?,
        };
        if found.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let stream = Target::Stream { device: found.dev(), inode: found.ino() };
        // Replacing the file that standard output goes to would leave the output in a file without a name.
        if !found.is_file() || output(&found).is_some() {
            return Ok(stream);
        }
        // Where there is no such path to a file that is there, it has lost its name and is reached through a descriptor.
        Ok(fs::canonicalize(path).map_or(stream, Target::File))
    }

    /// The stream that this path leads to. An output of this process keeps its place in it, so that what is written here and what
    /// is printed do not overwrite each other where that is a file.
    pub fn stream(path: &Path) -> io::Result<File> {
        match output(&fs::metadata(path)?) {
            Some(output) => Ok(output),
            None => OpenOptions::new().write(true).truncate(true).open(path),
        }
    }
}

/// The name that a path without a file leads to: a link may point where nothing is yet.
fn free(path: &Path) -> io::Result<PathBuf> {
    let (folder, name) = parts(path)?;
    match fs::read_link(path) {
        Ok(to) => free(&folder.join(to)),
        Err(_) => Ok(fs::canonicalize(folder)?.join(name)),
    }
}

/// The output of this process that goes to this file, if any does.
fn output(file: &Metadata) -> Option<File> {
    let outputs = [io::stdout().as_fd().try_clone_to_owned(), io::stderr().as_fd().try_clone_to_owned()];
    let is_it = |output: &File| output.metadata().is_ok_and(|it| (it.dev(), it.ino()) == (file.dev(), file.ino()));
    outputs.into_iter().flatten().map(File::from).find(is_it)
}
