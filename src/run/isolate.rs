//! Work in a forked child, so that whatever it does to itself ends there.
//!
//! The child is a copy of the calling thread alone. Locks that other threads hold stay held in it for ever, so fork
//! before there are threads; with threads (as under a test runner) keep the work free of locks that they may hold. A
//! deadlock then ends at the time limit like any other hang. Forking, not re-execution: a program cannot re-execute
//! itself under user-mode emulation.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// What became of the child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<T> {
    /// The work returned, and its whole answer arrived.
    Finished(T),
    /// A signal killed the child.
    Signal(Signal),
    /// The child was still at it at the time limit, and was killed.
    TimedOut(Duration),
    /// The child ended without a whole answer: something in it exited, with this code. 101 is a panic.
    Exited(i32),
}

/// A signal number; its text is the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signal(
    /// The number on this platform.
    pub i32,
);

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.0 {
            libc::SIGSEGV => "SIGSEGV",
            libc::SIGBUS => "SIGBUS",
            libc::SIGILL => "SIGILL",
            libc::SIGFPE => "SIGFPE",
            libc::SIGTRAP => "SIGTRAP",
            libc::SIGABRT => "SIGABRT",
            libc::SIGSYS => "SIGSYS",
            libc::SIGKILL => "SIGKILL",
            libc::SIGTERM => "SIGTERM",
            libc::SIGINT => "SIGINT",
            other => return write!(f, "signal {other}"),
        };
        f.write_str(name)
    }
}

/// The exit code of a child whose work panicked, as Rust's own programs use it.
const PANICKED: i32 = 101;
/// The exit code of a child that could not deliver its answer.
const UNDELIVERED: i32 = 102;
/// How long to wait for the pipe before looking at the child again: the child may die without closing it, because
/// another child forked at the same time holds its other end.
const GLANCE: Duration = Duration::from_millis(2);

/// Runs the work in a forked child and returns what became of it, after `limit` at the latest.
///
/// The child runs no destructors and no exit handlers, leaves no core dump and dies with its parent.
///
/// ```
/// use copysmith::run::isolate::{Outcome, isolate};
/// use std::time::Duration;
/// let limit = Duration::from_secs(20);
/// assert_eq!(isolate(limit, || 6 * 7).unwrap(), Outcome::Finished(42));
/// assert_eq!(isolate(limit, || -> i32 { std::process::exit(0) }).unwrap(), Outcome::Exited(0));
/// ```
///
/// # Errors
/// The system's, when there is no pipe or no process to be had.
pub fn isolate<T: Serialize + DeserializeOwned>(limit: Duration, work: impl FnOnce() -> T) -> io::Result<Outcome<T>> {
    let outcome = isolate_unless(limit, &mut || false, work)?;
    Ok(outcome.expect("nobody asked it to stop"))
}

/// As [`isolate()`]; once `stop` says so the child is killed, and `None` returned. It is asked every few milliseconds.
///
/// # Errors
/// As [`isolate()`].
pub fn isolate_unless<T: Serialize + DeserializeOwned>(
    limit: Duration,
    stop: &mut dyn FnMut() -> bool,
    work: impl FnOnce() -> T,
) -> io::Result<Option<Outcome<T>>> {
    let (reader, writer) = pipe()?;
    let parent = std::process::id();
    // SAFETY: the child touches nothing but its own copy of this process, and ends in `child` without returning here.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => child(&writer, parent, work),
        process => {
            drop(writer);
            supervise(process, &reader, limit, stop)
        }
    }
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends: [RawFd; 2] = [-1; 2];
    // SAFETY: `ends` has room for both descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: fresh descriptors that nobody else owns.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

fn child<T: Serialize>(writer: &OwnedFd, parent: u32, work: impl FnOnce() -> T) -> ! {
    // SAFETY: these change this process only: no core dumps, death with the parent, and the default action for every
    // signal by which bad code dies, whatever handlers the program had installed.
    unsafe {
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as usize, 0_usize, 0_usize, 0_usize);
        // The parent may have died before that.
        if libc::getppid() as u32 != parent {
            libc::_exit(UNDELIVERED);
        }
        for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP, libc::SIGABRT] {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
    let code = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(answer) => match serde_json::to_vec(&answer) {
            Ok(text) if deliver(writer, &text) => 0,
            _ => UNDELIVERED,
        },
        Err(_) => PANICKED,
    };
    // SAFETY: ends this process at once; nothing of it is used afterwards.
    unsafe { libc::_exit(code) }
}

/// Writes the length, then the text.
fn deliver(writer: &OwnedFd, text: &[u8]) -> bool {
    let mut message = (text.len() as u64).to_le_bytes().to_vec();
    message.extend_from_slice(text);
    let mut rest = message.as_slice();
    while !rest.is_empty() {
        // SAFETY: `rest` is readable for its length.
        let written = unsafe { libc::write(writer.as_raw_fd(), rest.as_ptr().cast(), rest.len()) };
        match usize::try_from(written) {
            Ok(written) => rest = &rest[written..],
            Err(_) if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
    true
}

/// The answer in a message, if all of it is there and nothing more.
fn answer<T: DeserializeOwned>(message: &[u8]) -> Option<T> {
    let (length, text) = message.split_first_chunk::<8>()?;
    if u64::from_le_bytes(*length) != text.len() as u64 {
        return None;
    }
    serde_json::from_slice(text).ok()
}

fn supervise<T: DeserializeOwned>(
    process: libc::pid_t,
    reader: &OwnedFd,
    limit: Duration,
    stop: &mut dyn FnMut() -> bool,
) -> io::Result<Option<Outcome<T>>> {
    let start = Instant::now();
    let mut message = Vec::new();
    let mut open = true;
    let status = loop {
        let left = limit.saturating_sub(start.elapsed());
        if open {
            open = receive(reader, left.min(GLANCE), &mut message)?;
        } else {
            std::thread::sleep(left.min(GLANCE) / 20);
        }
        if let Some(status) = reap(process, libc::WNOHANG)? {
            break status;
        }
        let stopped = stop();
        if stopped || left.is_zero() {
            // SAFETY: the child is ours and not yet reaped, so its number is still its own.
            unsafe { libc::kill(process, libc::SIGKILL) };
            reap(process, 0)?;
            return Ok((!stopped).then_some(Outcome::TimedOut(limit)));
        }
    };
    // What it wrote before it died is still in the pipe.
    while open {
        let before = message.len();
        open = receive(reader, Duration::ZERO, &mut message)? && message.len() > before;
    }
    if libc::WIFSIGNALED(status) {
        return Ok(Some(Outcome::Signal(Signal(libc::WTERMSIG(status)))));
    }
    let code = libc::WEXITSTATUS(status);
    Ok(Some(match answer(&message) {
        Some(answer) if code == 0 => Outcome::Finished(answer),
        _ => Outcome::Exited(code),
    }))
}

/// Waits for bytes and appends some; false at the end of the pipe.
fn receive(reader: &OwnedFd, wait: Duration, message: &mut Vec<u8>) -> io::Result<bool> {
    let mut poll = libc::pollfd { fd: reader.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let milliseconds = i32::try_from(wait.as_millis()).unwrap_or(i32::MAX);
    // SAFETY: one descriptor, ours and open.
    match unsafe { libc::poll(&raw mut poll, 1, milliseconds) } {
        -1 => retry_if_interrupted(),
        0 => Ok(true),
        _ => {
            let mut room = [0_u8; 4096];
            // SAFETY: `room` is writable for its length.
            let received = unsafe { libc::read(reader.as_raw_fd(), room.as_mut_ptr().cast(), room.len()) };
            match usize::try_from(received) {
                Ok(received) => {
                    message.extend_from_slice(&room[..received]);
                    Ok(received > 0)
                }
                Err(_) => retry_if_interrupted(),
            }
        }
    }
}

fn retry_if_interrupted() -> io::Result<bool> {
    let error = io::Error::last_os_error();
    if error.kind() == io::ErrorKind::Interrupted { Ok(true) } else { Err(error) }
}

/// The child's status once it is dead; `None` while it lives.
fn reap(process: libc::pid_t, flags: i32) -> io::Result<Option<i32>> {
    let mut status = 0;
    loop {
        // SAFETY: `status` is writable, the child is ours.
        match unsafe { libc::waitpid(process, &raw mut status, flags) } {
            0 => return Ok(None),
            -1 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            -1 => return Err(io::Error::last_os_error()),
            _ => return Ok(Some(status)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AMPLE: Duration = Duration::from_secs(20);

    #[test]
    fn a_long_answer_arrives_whole() {
        let long: Vec<u32> = (0..200_000).collect();
        assert_eq!(isolate(AMPLE, || long.clone()).unwrap(), Outcome::Finished(long));
    }

    #[test]
    fn each_way_to_end_is_told_from_the_others() {
        // SAFETY: a child ends itself, on purpose.
        let exits = |code| isolate(AMPLE, move || unsafe { libc::_exit(code) });
        assert_eq!(exits(0).unwrap(), Outcome::<()>::Exited(0));
        assert_eq!(exits(7).unwrap(), Outcome::<()>::Exited(7));
        assert_eq!(isolate(AMPLE, || std::process::abort()).unwrap(), Outcome::<()>::Signal(Signal(libc::SIGABRT)));
        let hangs = || loop {
            std::hint::spin_loop();
        };
        let short = Duration::from_millis(50);
        assert_eq!(isolate(short, hangs).unwrap(), Outcome::<()>::TimedOut(short));
    }

    #[test]
    fn whoever_asks_it_to_stop_need_not_wait_for_the_child() {
        let mut asked = 0;
        let mut at_the_third = || {
            asked += 1;
            asked == 3
        };
        let hangs = || loop {
            std::hint::spin_loop();
        };
        assert_eq!(isolate_unless::<()>(AMPLE, &mut at_the_third, hangs).unwrap(), None);
        assert_eq!(asked, 3);
        assert_eq!(isolate_unless(AMPLE, &mut || false, || 7).unwrap(), Some(Outcome::Finished(7)));
    }

    #[test]
    fn a_child_that_closes_its_pipe_and_hangs_is_killed_too() {
        let short = Duration::from_millis(50);
        let outcome = isolate(short, || {
            for file in 3..1024 {
                // SAFETY: a child closes whatever it has, on purpose.
                unsafe { libc::close(file) };
            }
            loop {
                std::hint::spin_loop();
            }
        });
        assert_eq!(outcome.unwrap(), Outcome::<()>::TimedOut(short));
    }

    #[test]
    fn a_panic_in_the_child_is_an_exit_and_not_an_answer() {
        assert_eq!(
            isolate(AMPLE, || -> () { std::panic::resume_unwind(Box::new(())) }).unwrap(),
            Outcome::Exited(PANICKED)
        );
    }

    #[test]
    fn a_message_cut_short_or_with_more_behind_it_is_no_answer() {
        let whole = [vec![2, 0, 0, 0, 0, 0, 0, 0], b"42".to_vec()].concat();
        assert_eq!(answer::<u32>(&whole), Some(42));
        for cut in 0..whole.len() {
            assert_eq!(answer::<u32>(&whole[..cut]), None);
        }
        assert_eq!(answer::<u32>(&[whole, vec![b'0']].concat()), None);
    }
}
