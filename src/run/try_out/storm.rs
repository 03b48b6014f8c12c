//! Timer signals while routines run, handled on the routine's own stack: what a routine keeps below its red zone is
//! overwritten.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// Microseconds between signals.
const INTERVAL: libc::suseconds_t = 100;

static SIGNALS: AtomicU64 = AtomicU64::new(0);

extern "C" fn count(_signal: i32) {
    SIGNALS.fetch_add(1, Ordering::Relaxed);
}

/// Runs the work in the storm; returns its answer and how many signals were handled. The process's real-time timer and its
/// SIGALRM are used up by it, so this is for forked children.
///
/// # Errors
/// The system's, when the timer cannot be set.
pub(super) fn during<T>(work: impl FnOnce() -> T) -> io::Result<(T, u64)> {
    // SAFETY: an all-zero action is valid; without SA_ONSTACK the handler runs on the interrupted stack, which is what
    // the storm is for. It touches one atomic only.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = count as *const () as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(libc::SIGALRM, &raw const action, std::ptr::null_mut());
    }
    set_timer(INTERVAL)?;
    let answer = work();
    set_timer(0)?;
    Ok((answer, SIGNALS.load(Ordering::Relaxed)))
}

fn set_timer(microseconds: libc::suseconds_t) -> io::Result<()> {
    let interval = libc::timeval { tv_sec: 0, tv_usec: microseconds };
    let timer = libc::itimerval { it_interval: interval, it_value: interval };
    // SAFETY: `timer` is readable; the old value is not asked for.
    let outcome = unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const timer, std::ptr::null_mut()) };
    if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
