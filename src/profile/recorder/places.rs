//! Where the library lies, and where processes write.

use super::RecordError;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::{env, fs, io};
use tempfile::TempDir;

/// A file system in memory: to make and to fill a file there takes a tenth of the time, which a script with a thousand
/// children notices.
const MEMORY: &str = "/dev/shm";
/// With less room than this it is left to those who count on it: containers often have 64 MiB.
const ROOM: u64 = 1 << 30;

/// A directory that libraries can be loaded from.
///
/// # Errors
/// [`RecordError::Directory`] and [`RecordError::Unfit`].
pub fn for_library() -> Result<TempDir, RecordError> {
    let dir = new(&env::temp_dir()).map_err(RecordError::Directory)?;
    // The loader divides its list of libraries at these.
    let divides = dir.path().as_os_str().as_encoded_bytes().iter().any(|byte| b" :\n".contains(byte));
    let forbids = file_system(dir.path()).is_some_and(|about| about.f_flag & libc::ST_NOEXEC != 0);
    match (divides, forbids) {
        (false, false) => Ok(dir),
        (true, _) => Err(RecordError::Unfit { dir: dir.path().to_owned(), why: "its name has blanks or colons" }),
        (false, true) => Err(RecordError::Unfit { dir: dir.path().to_owned(), why: "it is mounted noexec" }),
    }
}

/// A directory for what processes write: in memory where there is much room, unless the user says where temporary files go.
///
/// # Errors
/// [`RecordError::Directory`].
pub fn for_files() -> Result<TempDir, RecordError> {
    let memory = Path::new(MEMORY);
    #[allow(clippy::useless_conversion, reason = "the counts are 32 bits wide on 32-bit systems")]
    let roomy = |about: libc::statvfs| u64::from(about.f_bavail).saturating_mul(u64::from(about.f_frsize)) >= ROOM;
    let dir = match env::var_os("TMPDIR") {
        None if file_system(memory).is_some_and(roomy) => new(memory).or_else(|_| new(&env::temp_dir())),
        _ => new(&env::temp_dir()),
    };
    let dir = dir.map_err(RecordError::Directory)?;
    // A server that root starts goes on as another user, who must be able to make a file.
    // SAFETY: always succeeds and touches no memory.
    if unsafe { libc::geteuid() } == 0 {
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o1777)).map_err(RecordError::Directory)?;
    }
    Ok(dir)
}

fn new(parent: &Path) -> io::Result<TempDir> {
    // What is relative would be another directory once the program changes its own.
    tempfile::Builder::new().prefix("copysmith-").tempdir_in(std::path::absolute(parent)?)
}

fn file_system(path: &Path) -> Option<libc::statvfs> {
    let path = CString::new(path.as_os_str().as_bytes()).ok()?;
    // SAFETY: all-zero bits are a valid `statvfs`.
    let mut about: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: the path is terminated and `about` is writable.
    let found = unsafe { libc::statvfs(path.as_ptr(), &raw mut about) } == 0;
    found.then_some(about)
}
