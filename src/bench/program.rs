//! A whole program with and without a preloaded library, in interleaved pairs of runs.
//!
//! Which of the two runs first is drawn for each pair, so that whatever drifts meets both. What it prints goes nowhere, and it must
//! end the same way both times: a program that breaks is not faster.

use crate::profile::recorder::unpreloaded;
use crate::regular::is_regular;
use copysmith_search::stats::{Comparison, compare, median};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::error::Error;
use std::ffi::OsString;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Instant;
use std::{env, fmt, fs, io};

/// What `cargo build -p copysmith-dropin` makes.
const DROP_IN: &str = "libcopysmith_dropin.so";
/// Where it may be, from the folder of the command: beside it, as built, or where programs are installed with their libraries.
const DROP_IN_FOLDERS: [&str; 2] = ["", "../lib"];

/// The variable that names libraries to the loader.
const PRELOAD: &str = "LD_PRELOAD";
/// What the loader says, and goes on, of a library that it cannot load.
const IGNORED: &str = "cannot be preloaded";
/// How often a run that goes on is asked whether to stop, in milliseconds.
const GLANCE: i32 = 50;

/// What to run.
#[derive(Clone, Debug)]
pub struct Request {
    /// The program, looked up as a shell would.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The library that is preloaded in one run of each pair.
    pub library: PathBuf,
    /// How many pairs.
    pub pairs: usize,
    /// Where orders are drawn from.
    pub seed: u64,
}

/// What the runs took, pair by pair.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs {
    /// Without the library, in seconds.
    pub without: Vec<f64>,
    /// With it, in seconds.
    pub with: Vec<f64>,
}

impl Pairs {
    /// With the library against without: log ratio, interval, verdict.
    pub fn comparison(&self) -> Comparison {
        let logs = |seconds: &[f64]| seconds.iter().map(|seconds| seconds.ln()).collect::<Vec<f64>>();
        compare(&logs(&self.with), &logs(&self.without))
    }

    /// The median times without and with, in seconds.
    pub fn medians(&self) -> (f64, f64) {
        (median(&self.without), median(&self.with))
    }
}

/// The drop-in library that belongs to the command at this path: in its own folder, or in the `lib` beside that.
///
/// # Errors
/// [`ProgramError::NoDropIn`].
pub fn drop_in(command: &Path) -> Result<PathBuf, ProgramError> {
    let folder = command.parent().unwrap_or(Path::new(""));
    let found = DROP_IN_FOLDERS.iter().map(|beside| folder.join(beside).join(DROP_IN)).find(|path| path.is_file());
    found.ok_or_else(|| ProgramError::NoDropIn(folder.to_owned()))
}

/// Runs the pairs, after one run of each kind that does not count; `done` hears of each pair. Once `stop` says so the run in flight is
/// ended, and the pairs before it are the result.
///
/// # Errors
/// [`ProgramError`], where there is nothing to compare.
pub fn pairs(request: &Request, mut stop: impl FnMut() -> bool, mut done: impl FnMut()) -> Result<Pairs, ProgramError> {
    let library = preloadable(&request.library)?;
    if let Some(why) = unpreloaded(&request.program) {
        return Err(ProgramError::Unseen(request.program.clone(), why));
    }
    let mut pairs = Pairs::default();
    let Some(status) = rehearse(request, &library, &mut stop)? else { return Ok(pairs) };
    let mut rng = ChaCha8Rng::seed_from_u64(request.seed);
    for _ in 0..request.pairs {
        let with_first = rng.random_bool(0.5);
        let mut seconds = [0.0; 2];
        for with in [with_first, !with_first] {
            let start = Instant::now();
            let child = start_one(request, with.then_some(library.as_path()), Stdio::null())?;
            let Some(ended) = wait(child, &mut stop)? else { return Ok(pairs) };
            seconds[usize::from(with)] = start.elapsed().as_secs_f64();
            same(request, status, ended, with, &mut stop)?;
        }
        pairs.without.push(seconds[0]);
        pairs.with.push(seconds[1]);
        done();
    }
    Ok(pairs)
}

/// The library's whole path, as the loader can be told it.
fn preloadable(library: &Path) -> Result<PathBuf, ProgramError> {
    // The loader would wait for a fifo.
    let whole = fs::canonicalize(library).and_then(|whole| is_regular(&whole).map(|()| whole));
    let whole = whole.map_err(|error| ProgramError::Library(library.to_owned(), error.to_string()))?;
    let odd = whole.as_os_str().as_encoded_bytes().iter().find(|byte| b" :\t\n".contains(byte));
    match odd {
        Some(&byte) => {
            let why = format!("its path has {:?}, which separates paths in {PRELOAD}", char::from(byte));
            Err(ProgramError::Library(library.to_owned(), why))
        }
        None => Ok(whole),
    }
}

/// One run of each kind: files are then in memory, and what the loader says of the library is heard. How the program ends.
fn rehearse(
    request: &Request,
    library: &Path,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Option<ExitStatus>, ProgramError> {
    let Some(status) = wait(start_one(request, None, Stdio::null())?, stop)? else { return Ok(None) };
    // A file, and not a pipe: nobody empties a pipe while the run is waited for.
    let said = tempfile::tempfile().map_err(ProgramError::System)?;
    let errors = said.try_clone().map_err(ProgramError::System)?;
    let Some(ended) = wait(start_one(request, Some(library), errors.into())?, stop)? else { return Ok(None) };
    if let Some(why) = ignored(said).map_err(ProgramError::System)? {
        return Err(ProgramError::Library(request.library.clone(), why));
    }
    same(request, status, ended, true, stop)?;
    Ok(Some(status))
}

/// What the loader said of a library that it does not load.
fn ignored(mut said: fs::File) -> io::Result<Option<String>> {
    use io::{Read, Seek};
    let mut text = Vec::new();
    said.rewind()?;
    said.take(1 << 16).read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    Ok(text.lines().find(|line| line.contains("ld.so") && line.contains(IGNORED)).map(str::to_owned))
}

fn start_one(request: &Request, library: Option<&Path>, errors: Stdio) -> Result<Child, ProgramError> {
    let mut command = Command::new(&request.program);
    command.args(&request.arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors);
    if let Some(library) = library {
        let mut all = library.as_os_str().to_owned();
        if let Some(others) = env::var_os(PRELOAD).filter(|others| !others.is_empty()) {
            all.push(":");
            all.push(others);
        }
        command.env(PRELOAD, all);
    }
    command.spawn().map_err(|error| ProgramError::Start(request.program.clone(), error))
}

/// How the child ended; `None` if it was ended because of `stop`.
fn wait(mut child: Child, stop: &mut dyn FnMut() -> bool) -> Result<Option<ExitStatus>, ProgramError> {
    // SAFETY: takes no memory of ours; the child is not reaped yet, so its number is its own.
    let opened = unsafe { libc::syscall(libc::SYS_pidfd_open, child.id(), 0) };
    if let Ok(opened @ 0..) = i32::try_from(opened) {
        // SAFETY: a fresh descriptor that nobody else owns.
        let process = unsafe { OwnedFd::from_raw_fd(opened) };
        let mut poll = libc::pollfd { fd: process.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // Woken when the child ends, not when a sleep is over.
        // SAFETY: one descriptor, ours and open.
        while unsafe { libc::poll(&raw mut poll, 1, GLANCE) } <= 0 {
            if stop() {
                // It may have ended meanwhile.
                let _ = child.kill();
            }
        }
    }
    let ended = child.wait().map_err(ProgramError::System)?;
    // Ctrl-C in a terminal ends both, the program and the wait for it.
    Ok((!stop()).then_some(ended))
}

/// Whether a run ended as expected. Where one with the library did not, one without tells whose fault that is.
fn same(
    request: &Request,
    expected: ExitStatus,
    ended: ExitStatus,
    with: bool,
    stop: &mut dyn FnMut() -> bool,
) -> Result<(), ProgramError> {
    if expected == ended {
        return Ok(());
    }
    let differs = |ended, with| ProgramError::Ends { program: request.program.clone(), expected, ended, with };
    let again = if with { wait(start_one(request, None, Stdio::null())?, stop)? } else { None };
    Err(match again {
        Some(again) if again != expected => differs(again, false),
        _ => differs(ended, with),
    })
}

/// Why there is nothing to compare.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProgramError {
    /// The drop-in library is not with the command in this folder.
    NoDropIn(PathBuf),
    /// The library cannot be preloaded: why.
    Library(PathBuf, String),
    /// The loader preloads nothing for the program: why.
    Unseen(OsString, &'static str),
    /// The program cannot be started.
    Start(OsString, io::Error),
    /// A run ended otherwise than the first one.
    Ends {
        /// The program.
        program: OsString,
        /// How the first run ended, without the library.
        expected: ExitStatus,
        /// How this one did.
        ended: ExitStatus,
        /// Whether it had the library.
        with: bool,
    },
    /// The system refused something else.
    System(io::Error),
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProgramError::NoDropIn(folder) => write!(
                f,
                "there is no {DROP_IN} in {}; make it with cargo build --release -p copysmith-dropin, or give a --library",
                folder.display()
            ),
            ProgramError::Library(path, why) => write!(f, "{} cannot be preloaded: {why}", path.display()),
            ProgramError::Unseen(program, why) => write!(f, "{}: {why}", program.display()),
            ProgramError::Start(program, error) => write!(f, "{} cannot be started: {error}", program.display()),
            ProgramError::Ends { program, expected, ended, with: true } => {
                write!(f, "{} ends with {expected}, and with the library with {ended}", program.display())
            }
            ProgramError::Ends { program, expected, ended, with: false } => {
                write!(f, "{} ends with {expected} and then with {ended}: runs cannot be compared", program.display())
            }
            ProgramError::System(error) => error.fmt(f),
        }
    }
}

impl Error for ProgramError {}

#[cfg(test)]
mod tests {
    use super::*;
    use copysmith_search::stats::Verdict;

    #[test]
    fn the_drop_in_is_found_beside_the_command_or_among_the_libraries_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let command = at("bin/copysmith");
        ["bin", "lib"].iter().for_each(|folder| fs::create_dir(at(folder)).unwrap());
        let said = drop_in(&command).unwrap_err().to_string();
        assert!(said.starts_with(&format!("there is no {DROP_IN} in {};", at("bin").display())), "{said}");
        assert!(said.contains("cargo build --release -p copysmith-dropin"), "{said}");
        fs::write(at("lib").join(DROP_IN), "").unwrap();
        let found = fs::canonicalize(drop_in(&command).unwrap()).unwrap();
        assert_eq!(found, fs::canonicalize(at("lib").join(DROP_IN)).unwrap());
        fs::write(at("bin").join(DROP_IN), "").unwrap();
        assert_eq!(drop_in(&command).unwrap(), at("bin").join(DROP_IN));
    }

    #[test]
    fn the_ratio_is_of_pairs_so_that_a_drift_of_both_cancels() {
        let drift: Vec<f64> = (0..20).map(|pair| 1.0 + 0.1 * f64::from(pair)).collect();
        let pairs = Pairs { without: drift.clone(), with: drift.iter().map(|seconds| 0.9 * seconds).collect() };
        let comparison = pairs.comparison();
        assert!((comparison.estimate.mean.exp() - 0.9).abs() < 1e-9);
        assert_eq!((comparison.verdict, comparison.blocks), (Verdict::Faster, 20));
        let (without, with) = pairs.medians();
        assert!((without - 1.95).abs() < 1e-9 && (with - 0.9 * 1.95).abs() < 1e-9);
        let two = Pairs { without: vec![1.0, 1.0], with: vec![0.5, 0.5] };
        assert_eq!(two.comparison().verdict, Verdict::Tie, "two pairs say nothing");
    }
}
