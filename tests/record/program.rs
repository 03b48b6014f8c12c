//! Small programs, built from text with the compiler that builds this project.

use assert_cmd::cargo::CommandCargoExt;
use copysmith::profile::{Call, Profile};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// What every program begins with. It has no start of Rust's: apart from short ones that start-up makes, every copy is one that
/// the text makes, with a length above 1000.
const HEAD: &str = r#"
#![no_main]
#![allow(dead_code, unused_imports, unused_unsafe)]
use core::ffi::{c_char, c_int, c_uint, c_void};

#[link(name = "c")]
unsafe extern "C" {
    fn memcpy(dst: *mut u8, src: *const u8, n: usize) -> *mut u8;
    fn memmove(dst: *mut u8, src: *const u8, n: usize) -> *mut u8;
    fn mempcpy(dst: *mut u8, src: *const u8, n: usize) -> *mut u8;
    fn bcopy(src: *const u8, dst: *mut u8, n: usize);
    fn __memcpy_chk(dst: *mut u8, src: *const u8, n: usize, room: usize) -> *mut u8;
    fn __memmove_chk(dst: *mut u8, src: *const u8, n: usize, room: usize) -> *mut u8;
    fn __mempcpy_chk(dst: *mut u8, src: *const u8, n: usize, room: usize) -> *mut u8;
    fn puts(text: *const c_char) -> c_int;
    fn write(file: c_int, bytes: *const u8, n: usize) -> isize;
    fn fork() -> c_int;
    fn vfork() -> c_int;
    fn execv(path: *const c_char, words: *const *const c_char) -> c_int;
    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn getpid() -> c_int;
    fn kill(process: c_int, signal: c_int) -> c_int;
    fn abort() -> !;
    fn exit(code: c_int) -> !;
    fn _exit(code: c_int) -> !;
    fn atexit(function: extern "C" fn()) -> c_int;
    fn signal(number: c_int, handler: extern "C" fn(c_int)) -> usize;
    fn setitimer(which: c_int, new: *const [i64; 4], old: *mut [i64; 4]) -> c_int;
    fn pthread_create(thread: *mut usize, attributes: *const c_void, start: extern "C" fn(*mut c_void) -> *mut c_void,
                      argument: *mut c_void) -> c_int;
    fn pthread_join(thread: usize, result: *mut *mut c_void) -> c_int;
}

#[repr(align(4096))]
struct Room([u8; 1 << 16]);
static mut FROM: Room = Room([7; 1 << 16]);
static mut TO: Room = Room([0; 1 << 16]);
fn from() -> *mut u8 { (&raw mut FROM).cast() }
fn to() -> *mut u8 { (&raw mut TO).cast() }
fn copy(n: usize) { unsafe { memcpy(to(), from(), n); } }
"#;

/// A program, and a directory of its own.
pub struct Program {
    pub dir: TempDir,
    pub path: PathBuf,
}

/// What came of a run under the recorder.
pub struct Run {
    pub output: Output,
    pub profile: Profile,
}

impl Program {
    /// Compiles `text` behind the head.
    pub fn new(text: &str) -> Program {
        let dir = tempfile::tempdir().unwrap();
        let (source, path) = (dir.path().join("program.rs"), dir.path().join("program"));
        fs::write(&source, format!("{HEAD}{text}")).unwrap();
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        // Not optimized: a copy that is called is a copy that is made.
        rustc.args(["--edition", "2024", "-C", "panic=abort", "-C", "opt-level=0", "-C", "debug-assertions=off"]);
        let built = rustc.arg("-o").args([&path, &source]).output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        Program { dir, path }
    }

    /// Runs it by itself and under the recorder, which must make no difference.
    #[track_caller]
    pub fn record(&self, options: &[&str]) -> Run {
        let alone = Command::new(&self.path).output().unwrap();
        let file = self.dir.path().join("profile.gz");
        let mut words = vec!["--quiet", "record", "--force", "-o", file.to_str().unwrap()];
        words.extend(options);
        words.extend(["--", self.path.to_str().unwrap()]);
        let output = copysmith(&words).output().unwrap();
        assert_eq!(output.stderr.escape_ascii().to_string(), alone.stderr.escape_ascii().to_string());
        assert_eq!(output.stdout.escape_ascii().to_string(), alone.stdout.escape_ascii().to_string());
        assert_eq!(output.status.code(), Some(shell(&alone)));
        Run { output, profile: Profile::read(&file).unwrap() }
    }
}

/// An exit code as shells have it.
fn shell(output: &Output) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    output.status.code().or(output.status.signal().map(|signal| 128 + signal)).unwrap()
}

impl Run {
    /// Exact: how many copies of this length were made.
    pub fn count(&self, length: u64) -> u64 {
        self.profile.header().lengths.iter().find(|count| count.first == length).map_or(0, |count| count.calls)
    }

    /// The copies of the program in order, without those of start-up.
    pub fn calls(&self) -> Vec<Call> {
        self.profile.calls().filter(|call| call.length > 1000).copied().collect()
    }

    /// Their lengths.
    pub fn lengths(&self) -> Vec<u64> {
        self.calls().iter().map(|call| call.length).collect()
    }
}

/// The command.
pub fn copysmith(words: &[&str]) -> Command {
    let mut command = Command::cargo_bin("copysmith").unwrap();
    command.args(words);
    command
}

pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A path as a word of a command line.
pub fn word(path: &Path) -> &str {
    path.to_str().unwrap()
}
