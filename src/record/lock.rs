//! One tune at a time in a record directory.
//!
//! The lock is the kernel's, on an open file, and ends with the process however that ends: a lock file that a killed run
//! left behind blocks nobody. The standard library's `File::try_lock` is all that is needed for it. The file is never
//! deleted, because between deleting and creating two runs could each hold a lock on a file of the same name.

use crate::regular;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, process};

/// The right to write a record directory, held until the last clone is dropped.
///
/// A forked child shares the lock: one that outlives a killed parent keeps the directory locked.
#[derive(Clone, Debug)]
pub struct Lock(Arc<Held>);

#[derive(Debug)]
struct Held {
    file: File,
    dir: PathBuf,
}

impl Lock {
    /// The lock of a directory, which must exist. Does not wait.
    ///
    /// # Errors
    /// [`LockError::Held`] says who has it, [`LockError::Io`] why the lock file cannot be used.
    pub fn acquire(dir: &Path) -> Result<Lock, LockError> {
        let path = dir.join("lock");
        let io = |source| LockError::Io { path: path.clone(), source };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let opened = regular::open_with(&mut options, &path);
        let mut file = opened.map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // Who holds it is a help, not a condition: unreadable is unknown.
                let _ = file.read_to_string(&mut text);
                return Err(LockError::Held { path, process: text.trim().parse().ok() });
            }
            Err(TryLockError::Error(error)) => return Err(io(error)),
        }
        file.set_len(0).and_then(|()| file.write_all(format!("{}\n", process::id()).as_bytes())).map_err(io)?;
        Ok(Lock(Arc::new(Held { file, dir: dir.to_owned() })))
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.0.dir
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // A number left behind would be named as the holder to whoever asks just after the next run has locked.
        let _ = self.file.set_len(0);
        // Closing would leave the lock with a forked child that still has the file open.
        let _ = self.file.unlock();
    }
}

/// Why a directory cannot be locked.
#[derive(Debug)]
#[non_exhaustive]
pub enum LockError {
    /// Another run has it.
    Held {
        /// The lock file.
        path: PathBuf,
        /// The other run's process number, where it could be read.
        process: Option<u32>,
    },
    /// The lock file cannot be used.
    Io {
        /// The lock file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LockError::Held { path, process } => {
                write!(f, "another run ")?;
                if let Some(process) = process {
                    write!(f, "(process {process}) ")?;
                }
                let dir = path.parent().unwrap_or(path);
                write!(f, "is writing {}; wait for it or give another --record DIR", dir.display())
            }
            LockError::Io { path, source } => write!(f, "cannot lock {}: {source}", path.display()),
        }
    }
}

impl std::error::Error for LockError {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::process::{Command, Stdio};

    #[test]
    fn the_second_run_is_told_which_process_holds_the_lock() {
        let dir = tempfile::tempdir().unwrap();
        let held = Lock::acquire(dir.path()).unwrap();
        let error = Lock::acquire(dir.path()).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, LockError::Held { process: Some(id), .. } if id == process::id()), "{text}");
        assert!(text.contains(&format!("process {}", process::id())) && text.contains("--record DIR"), "{text}");
        drop(held);
        Lock::acquire(dir.path()).unwrap();
    }

    #[test]
    fn of_many_at_once_exactly_one_gets_it() {
        let dir = tempfile::tempdir().unwrap();
        let barrier = std::sync::Barrier::new(8);
        let got: Vec<Option<Lock>> = std::thread::scope(|scope| {
            let acquire = || {
                barrier.wait();
                Lock::acquire(dir.path()).ok()
            };
            let runs: Vec<_> = (0..8).map(|_| scope.spawn(acquire)).collect();
            runs.into_iter().map(|run| run.join().unwrap()).collect()
        });
        assert_eq!(got.iter().flatten().count(), 1);
    }

    #[test]
    fn a_file_left_behind_by_a_dead_run_does_not_block() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("lock"), "4194304999\nrubbish").unwrap();
        let lock = Lock::acquire(dir.path()).unwrap();
        assert_eq!(fs::read_to_string(dir.path().join("lock")).unwrap(), format!("{}\n", process::id()));
        drop(lock);
    }

    /// The other process is given the locked file as its standard input and holds the lock by that alone.
    #[test]
    fn another_process_blocks_until_it_is_killed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        fs::write(&path, "77\n").unwrap();
        let file = File::open(&path).unwrap();
        file.try_lock().unwrap();
        let mut holder = Command::new("sleep").arg("600").stdin(Stdio::from(file)).spawn().unwrap();
        let blocked = Lock::acquire(dir.path());
        holder.kill().unwrap();
        holder.wait().unwrap();
        assert!(matches!(blocked, Err(LockError::Held { process: Some(77), .. })), "{blocked:?}");
        Lock::acquire(dir.path()).unwrap();
    }

    #[test]
    fn a_directory_that_cannot_be_written_is_named_with_the_reason() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for dir in [file.path(), Path::new("/proc"), Path::new("/no/such/folder")] {
            let text = Lock::acquire(dir).unwrap_err().to_string();
            assert!(text.starts_with(&format!("cannot lock {}/lock: ", dir.display())), "{text}");
        }
    }
}
