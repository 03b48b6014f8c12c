//! Calls a routine with known values in every register it must keep, on a stack of its own, and looks at them after.
//!
//! ```text
//!   guard | free: the routine's frame, red zone, signals |<- rsp after the return | caller's part, filled | guard
//! ```
//!
//! Every word of the caller's part is the address of the record of this call. So the trampoline finds its record again
//! although it can trust no register, even if the routine returns with a stack pointer that is off by some words.

use super::fault::Fault;

/// Whether the CPU has 32-byte vectors that code may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Avx {
    /// It has, and upper halves can be dirty.
    Usable,
    /// It has not.
    Absent,
}

impl Avx {
    /// What this machine has.
    pub fn here() -> Avx {
        if crate::host::Features::read().avx { Avx::Usable } else { Avx::Absent }
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) use plain::Caller;
#[cfg(target_arch = "x86_64")]
pub(super) use x86_64::Caller;

/// A result that is not the destination.
fn returned(result: usize, dst: *mut u8) -> Result<(), Fault> {
    let off_by = result.wrapping_sub(dst as usize).cast_signed();
    if off_by == 0 { Ok(()) } else { Err(Fault::Returned { off_by }) }
}

#[cfg(not(target_arch = "x86_64"))]
mod plain {
    use super::{Avx, Fault, returned};
    use crate::run::Entry;
    use std::io;

    /// A plain call: no register is looked at.
    pub(in super::super) struct Caller;

    impl Caller {
        pub(in super::super) fn new(_: Avx) -> io::Result<Caller> {
            Ok(Caller)
        }

        /// # Safety
        /// `dst` is writable and `src` readable for `n` bytes; the code may be wrong only if this process may be lost.
        pub(in super::super) unsafe fn call(
            &mut self,
            entry: Entry,
            dst: *mut u8,
            src: *const u8,
            n: usize,
        ) -> Result<(), Fault> {
            // SAFETY: passed on to the caller.
            returned(unsafe { entry.call(dst, src, n) } as usize, dst)
        }

        pub(in super::super) fn skipped(&self) -> Vec<String> {
            vec![format!("preserved registers: no trampoline for {}", std::env::consts::ARCH)]
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86_64;
