//! Recording: a program is run with a library before libc that writes its copies down, and what every process wrote is put
//! together.
//!
//! The library is in `../shim`; it is compiled by the package's build script and carried in the command. What it writes, one
//! file a process, is described by `../shim/layout.rs`, which both sides share.

mod collect;
mod maps;
mod places;
mod process;
mod run;
mod unseen;

pub(crate) use unseen::unpreloaded;

use super::Profile;
use crate::host::Host;
use run::Ran;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::{fmt, fs, io};

/// The library; empty where there is none for this platform.
static SHIM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/recorder.so"));

/// Whether calls know who made them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callers {
    /// They do; the profile then tells something about the program's code.
    Kept,
    /// They do not.
    Dropped,
}

/// What to record.
#[derive(Clone, Debug)]
pub struct Request {
    /// The program, looked up as a shell would.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Whether calls know who made them.
    pub callers: Callers,
    /// The most calls that are kept in order.
    pub calls: u64,
    /// The name of the profile.
    pub name: String,
}

/// What became of it.
#[derive(Debug)]
pub struct Recorded {
    /// How the program ended.
    pub status: ExitStatus,
    /// Its profile, or why there is none.
    pub profile: Result<Profile, String>,
}

/// Runs the program to its end, with this process's standard input, output and error, and records it. Signals that are sent to
/// this process meanwhile go to the program.
///
/// # Errors
/// [`RecordError`], where the program was not run.
pub fn record(request: &Request) -> Result<Recorded, RecordError> {
    if SHIM.is_empty() {
        return Err(RecordError::Platform);
    }
    let (beside, dir) = (places::for_library()?, places::for_files()?);
    let library = beside.path().join("copysmith-recorder.so");
    fs::write(&library, SHIM).map_err(RecordError::Directory)?;
    // Whoever the program becomes must be able to load it.
    fs::set_permissions(beside.path(), fs::Permissions::from_mode(0o755)).map_err(RecordError::Directory)?;
    let ran = run::run(request, &library, dir.path())?;
    let profile = collect::collect(dir.path(), request.calls)
        .map_err(|error| format!("what was recorded cannot be read: {error}"))
        .and_then(|collected| profile(request, &ran, collected));
    Ok(Recorded { status: ran.status, profile })
}

fn profile(request: &Request, ran: &Ran, collected: collect::Collected) -> Result<Profile, String> {
    if collected.header.processes == 0 {
        return Err(unseen::why(&request.program));
    }
    let host = Host::read();
    let words = std::iter::once(&request.program).chain(&request.arguments);
    let mut header = collected.header;
    header.name.clone_from(&request.name);
    header.command = words.map(|word| word.to_string_lossy().into_owned()).collect();
    header.machine = Some(host.machine());
    header.libc = host.system.glibc.map(|version| format!("glibc {version}"));
    header.seconds = Some(ran.seconds);
    header.cpu_seconds = Some(ran.cpu_seconds);
    Profile::new(header, collected.stretches)
}

/// Why a program was not run.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordError {
    /// There is no library for this platform.
    Platform,
    /// No directory for what processes write.
    Directory(io::Error),
    /// No library can be preloaded from the directory for temporary files.
    Unfit {
        /// The directory.
        dir: PathBuf,
        /// Why not.
        why: &'static str,
    },
    /// The program cannot be started.
    Start {
        /// The program.
        program: OsString,
        /// Why not.
        source: io::Error,
    },
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Platform => {
                f.write_str("programs cannot be recorded on this platform; on x86-64 Linux with glibc they can")
            }
            RecordError::Directory(source) => write!(f, "there is no directory to record in: {source}"),
            RecordError::Unfit { dir, why } => {
                write!(f, "no library can be preloaded from {}: {why}; set TMPDIR to another directory", dir.display())
            }
            RecordError::Start { program, source } => {
                write!(f, "{} cannot be started: {source}", Path::new(program).display())
            }
        }
    }
}

impl std::error::Error for RecordError {}
