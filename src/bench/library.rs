//! A function of a library that is loaded now, by `libloading`: the kept crate for it, which knows what dlopen's errors mean.

use crate::regular::is_regular;
use crate::run::battery::{Avx, Depth, Subject, check};
use crate::run::isolate::{Outcome, isolate};
use crate::run::{CopyFn, Entry};
use copysmith_kernels::Span;
use copysmith_kernels::recipe::Operation;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::error::Error;
use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fmt, fs, io, mem};

/// How long loading and trying may take.
const LIMIT: Duration = Duration::from_secs(20);

/// Why a library's function does not race.
#[derive(Debug)]
#[non_exhaustive]
pub enum LibraryError {
    /// There is no such file.
    File(PathBuf, io::Error),
    /// It is no library that can be loaded: why.
    Load(PathBuf, String),
    /// It has no such function of its own.
    Symbol(PathBuf, String),
    /// The function is not what it is said to be: why.
    Wrong(PathBuf, String, String),
    /// It cannot be tried out, which says nothing about it.
    Process(io::Error),
}

impl fmt::Display for LibraryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LibraryError::File(path, error) => write!(f, "{}: {error}", path.display()),
            LibraryError::Load(path, why) => write!(f, "{} cannot be loaded: {why}", path.display()),
            LibraryError::Symbol(path, symbol) => write!(f, "{} has no function {symbol} of its own", path.display()),
            LibraryError::Wrong(path, symbol, why) => write!(f, "{symbol} of {} is wrong: {why}", path.display()),
            LibraryError::Process(error) => write!(f, "no process to try a library in: {error}"),
        }
    }
}

impl Error for LibraryError {}

/// The function of this name, which has been tried as a copy, and as a move as well where it is to be one. The library stays loaded.
///
/// A library may do anything when it is loaded, so that happens in a process of its own first.
pub(super) fn function(path: &Path, symbol: &str, moves: bool) -> Result<Entry<'static>, LibraryError> {
    let whole = fs::canonicalize(path).map_err(|error| LibraryError::File(path.to_owned(), error))?;
    // The loader would wait for a fifo.
    is_regular(&whole).map_err(|error| LibraryError::File(path.to_owned(), error))?;
    let wrong = |why: String| LibraryError::Wrong(path.to_owned(), symbol.to_owned(), why);
    let tried = isolate(LIMIT, || {
        let entry = load(&whole, symbol)?;
        Ok(tried(entry, moves))
    });
    match tried.map_err(LibraryError::Process)? {
        Outcome::Finished(Ok(Ok(()))) => {}
        Outcome::Finished(Ok(Err(why))) => return Err(wrong(why)),
        Outcome::Finished(Err(Unloaded::Library(why))) => return Err(LibraryError::Load(path.to_owned(), why)),
        Outcome::Finished(Err(Unloaded::Symbol)) => {
            return Err(LibraryError::Symbol(path.to_owned(), symbol.to_owned()));
        }
        Outcome::Signal(signal) => return Err(wrong(format!("it died of {signal}"))),
        Outcome::TimedOut(limit) => return Err(wrong(format!("it was not done after {} s", limit.as_secs()))),
        Outcome::Exited(code) => return Err(wrong(format!("it ended the process with code {code}"))),
    }
    load(&whole, symbol).map_err(|unloaded| match unloaded {
        Unloaded::Library(why) => LibraryError::Load(path.to_owned(), why),
        Unloaded::Symbol => LibraryError::Symbol(path.to_owned(), symbol.to_owned()),
    })
}

/// What could not be loaded.
#[derive(serde::Serialize, serde::Deserialize)]
enum Unloaded {
    Library(String),
    Symbol,
}

/// Loads a library and finds its own function. What it only finds in a library that it needs itself is not its own.
fn load(path: &Path, symbol: &str) -> Result<Entry<'static>, Unloaded> {
    // SAFETY: the user asked for this library's code to run.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    let library = library.map_err(|error| {
        let why = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        // The loader begins with the path, which is told already.
        Unloaded::Library(why.trim_start_matches(&*path.to_string_lossy()).trim_start_matches(": ").to_owned())
    })?;
    // SAFETY: the type is checked by nobody; the battery sees what the function does.
    let function = unsafe { library.get::<CopyFn>(symbol).map(|function| *function) };
    let function = function.map_err(|_| Unloaded::Symbol)?;
    mem::forget(library);
    if owner(function as usize).and_then(|owner| fs::canonicalize(owner).ok()).as_deref() != Some(path) {
        return Err(Unloaded::Symbol);
    }
    // SAFETY: it stays loaded; whether it is right is tried before it is called elsewhere.
    Ok(unsafe { Entry::linked(function) })
}

/// The file whose code this is.
fn owner(address: usize) -> Option<PathBuf> {
    // SAFETY: all-zero bits are a valid `Dl_info`.
    let mut info: libc::Dl_info = unsafe { mem::zeroed() };
    // SAFETY: `info` is writable; any address may be asked about.
    let found = unsafe { libc::dladdr(address as *const libc::c_void, &raw mut info) } != 0;
    if !found || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's own name of the file, which ends in a zero and stays.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(Path::new(OsStr::from_bytes(name.to_bytes())).to_owned())
}

/// The first thing that the function does wrong.
fn tried(entry: Entry<'static>, moves: bool) -> Result<(), String> {
    // Whether upper halves of vectors stay clean is its own affair.
    let operation = if moves { Operation::Move } else { Operation::Copy };
    let subject = Subject { entry, operation, span: Span::ALL, avx: Avx::Absent };
    // SAFETY: this process may be lost.
    let checked = unsafe { check(&subject, Depth::Gate, None) }.map_err(|error| error.to_string())?;
    checked.map(drop).map_err(|rejection| rejection.to_string())
}

#[cfg(all(test, target_arch = "x86_64"))]
pub(super) mod tests {
    use super::*;

    /// The C library of this process.
    pub fn libc() -> PathBuf {
        fs::canonicalize(owner(libc::memcpy as *const () as usize).unwrap()).unwrap()
    }

    #[test]
    fn the_c_librarys_own_functions_are_right_and_another_librarys_are_not_its_own() {
        for (symbol, moves) in [("memcpy", false), ("memmove", true), ("memmove", false)] {
            assert!(function(&libc(), symbol, moves).is_ok(), "{symbol}");
        }
        // Found through what it needs, which is the C library.
        let math = libc().with_file_name("libm.so.6");
        assert!(matches!(function(&math, "memcpy", false), Err(LibraryError::Symbol(_, symbol)) if symbol == "memcpy"));
    }

    #[test]
    fn what_does_not_copy_is_told_how() {
        let said = |symbol: &str| function(&libc(), symbol, false).unwrap_err().to_string();
        for symbol in ["memchr", "abort", "bcopy", "mempcpy"] {
            assert!(
                said(symbol).starts_with(&format!("{symbol} of {} is wrong: ", libc().display())),
                "{}",
                said(symbol)
            );
        }
        assert!(said("no_such_copy").ends_with("has no function no_such_copy of its own"));
    }

    #[test]
    fn a_file_that_is_none_or_no_library_is_one_line() {
        let none = function(Path::new("none.so"), "memcpy", false).unwrap_err().to_string();
        assert_eq!(none, "none.so: No such file or directory (os error 2)");
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "text").unwrap();
        let said = function(file.path(), "memcpy", false).unwrap_err().to_string();
        assert!(
            said.starts_with(&format!("{} cannot be loaded: ", file.path().display())) && !said.contains('\n'),
            "{said}"
        );
    }
}
