//! The program itself: started, waited for, and sent what this process is sent.

use super::{Callers, RecordError, Request};
use crate::profile::layout;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};
use std::time::{Duration, Instant};

/// How it went.
pub struct Ran {
    pub status: ExitStatus,
    /// From start to end, by the clock.
    pub seconds: f64,
    /// Of the processor, with all children that were waited for.
    pub cpu_seconds: f64,
}

/// Runs the program with the library before all others.
///
/// # Errors
/// [`RecordError::Start`].
pub fn run(request: &Request, library: &Path, dir: &Path) -> Result<Ran, RecordError> {
    let failed = |source| RecordError::Start { program: request.program.clone(), source };
    let mut preload = library.as_os_str().to_owned();
    if let Some(others) = env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        preload.push(":");
        preload.push(others);
    }
    let mut told = OsString::from(if request.callers == Callers::Kept { "1:" } else { "0:" });
    told.push(dir);
    let mut command = Command::new(&request.program);
    command.args(&request.arguments).env("LD_PRELOAD", preload).env(OsStr::from_bytes(layout::VARIABLE), told);
    // Handlers before the start: a signal in between would end this process and leave the program alone.
    let child = Arc::new(Addressee::default());
    let forwards = forward(&child).map_err(failed)?;
    let before = cpu();
    let start = Instant::now();
    let ended = command.spawn().and_then(|mut started| {
        child.is(started.id().cast_signed());
        let status = started.wait();
        // From here on the number may be another's.
        child.process.store(0, SeqCst);
        status
    });
    let seconds = start.elapsed().as_secs_f64();
    for id in forwards {
        signal_hook_registry::unregister(id);
    }
    let status = ended.map_err(failed)?;
    Ok(Ran { status, seconds, cpu_seconds: (cpu() - before).as_secs_f64() })
}

/// Whom signals are sent on to. The program may run, and whoever watches it send a signal, before its number is known here.
#[derive(Default)]
struct Addressee {
    /// The process; 0 before it is known.
    process: AtomicI32,
    /// A signal that came before; 0 for none.
    early: AtomicI32,
}

impl Addressee {
    /// It is known now.
    fn is(&self, process: i32) {
        self.process.store(process, SeqCst);
        self.deliver();
    }

    /// Sends the signal on, at once or when it is known where to. Allowed in a signal handler.
    fn send(&self, signal: i32) {
        self.early.store(signal, SeqCst);
        self.deliver();
    }

    fn deliver(&self) {
        let process = self.process.load(SeqCst);
        if process <= 0 {
            return;
        }
        let signal = self.early.swap(0, SeqCst);
        if signal > 0 {
            // SAFETY: the process is this one's child, not waited for yet.
            unsafe { libc::kill(process, signal) };
        }
    }
}

/// Sends on what other processes send to this one. What a terminal sends (Ctrl-C) the program gets by itself, since it is in
/// the same process group; this process then waits for it to end as it likes.
fn forward(child: &Arc<Addressee>) -> std::io::Result<Vec<signal_hook_registry::SigId>> {
    let one = |signal| {
        let child = Arc::clone(child);
        let action = move |info: &libc::siginfo_t| {
            if info.si_code != libc::SI_KERNEL {
                child.send(signal);
            }
        };
        // SAFETY: the action only exchanges numbers and sends a signal, both allowed in a handler.
        unsafe { signal_hook_registry::register_sigaction(signal, action) }
    };
    [SIGINT, SIGTERM, SIGHUP, SIGQUIT].into_iter().map(one).collect()
}

/// Processor time of all children that were waited for.
fn cpu() -> Duration {
    // SAFETY: all-zero bits are a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is writable; `RUSAGE_CHILDREN` is always accepted.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    let time = |time: libc::timeval| {
        Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or(0))
            + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or(0))
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}
