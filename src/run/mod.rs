//! Code that runs: memory it may run from, and the battery that decides whether it is right.
//!
//! ```text
//! Code --Arena--> Entry --battery::check--> Coverage or Rejection      in this process, only for code that is trusted
//! Code --------------try_out, try_out_move--> Verdict                  in a forked child, for code that is not
//! ```
//!
//! Everything that asks the operating system for memory or a process is here; what is decided about the answers is in
//! pure functions beside it.

pub mod battery;
mod entry;
#[cfg(target_arch = "x86_64")]
pub mod faulty;
mod guard;
pub mod isolate;
mod mapping;
mod memory;
mod try_out;
mod watch;

pub use entry::{CopyFn, Entry};
pub use guard::Guarded;
pub use memory::{Arena, MapError, Piece, Way};
pub use try_out::{Touch, TryError, Verdict, try_out, try_out_move, try_out_within};
pub use watch::{Moment, Watch};

/// Bytes in a page of this machine.
pub fn page_bytes() -> usize {
    // SAFETY: reads no memory of ours.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(bytes).unwrap_or(4096)
}
