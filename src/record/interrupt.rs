//! Ctrl-C: the first one asks, the second one ends.
//!
//! Built on `signal-hook`'s flags and not on a crate with a handler thread, because candidates are first run in a process
//! that must be forked before any thread exists. Both actions are safe in a signal handler: one stores a flag, the other
//! leaves with `_exit`.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fmt, io};

/// The exit code of an interrupted run: 128 and the number of SIGINT, as shells have it; for SIGTERM as well.
pub const EXIT_INTERRUPTED: u8 = 130;

/// Whether this process has been asked to stop. Clones look at the same flag.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
}

impl Interrupt {
    /// From here on SIGINT and SIGTERM ask long work to stop where nothing is lost; a second one, of either kind, ends the
    /// process at once with [`EXIT_INTERRUPTED`]. To be called once, by the command; forked children share the handlers,
    /// not the flag.
    ///
    /// # Errors
    /// The system's, where a handler cannot be installed.
    pub fn install() -> io::Result<Interrupt> {
        let interrupt = Interrupt::default();
        for signal in [SIGINT, SIGTERM] {
            // In this order: the shutdown looks at the flag before the same signal sets it.
            flag::register_conditional_shutdown(signal, EXIT_INTERRUPTED.into(), Arc::clone(&interrupt.asked))?;
            flag::register(signal, Arc::clone(&interrupt.asked))?;
        }
        Ok(interrupt)
    }

    /// Whether to stop. Cheap enough for every block.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// [`Interrupted`] once asked, for use with `?`.
    ///
    /// # Errors
    /// [`Interrupted`].
    pub fn check(&self) -> Result<(), Interrupted> {
        if self.is_asked() { Err(Interrupted) } else { Ok(()) }
    }
}

/// The run was asked to stop, and did. What is left of it, whoever stops says in a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Interrupted {}
