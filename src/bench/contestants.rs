//! Who is compared with the system's `memcpy`: functions with its arguments and result, so that all go through the same call loop.
//!
//! Each of them is a jump through a pointer: `copysmith_tuned` through the one that its dispatch fills in, the system's memcpy through
//! the one that the dynamic loader fills in. That is what a program's calls go through too.

use crate::run::{CopyFn, Entry};
use crate::time::Linked;

/// The checked-in table, dispatch included.
pub const TUNED: &str = "copysmith_tuned";
/// What the compiler's library does.
pub const CORE_PTR: &str = "core::ptr";

/// The contestants, in the order of their columns. Without a table for this machine `copysmith_tuned` is what it falls back to, and is
/// left out.
pub fn contestants() -> Vec<Linked> {
    let linked = |name: &str, function: CopyFn| {
        // SAFETY: both functions below copy as memcpy does, and on every CPU this program runs on.
        let entry = unsafe { Entry::linked(function) };
        Linked { name: name.to_owned(), entry }
    };
    let tuned = copysmith_tuned::machine().map(|_| linked(TUNED, TABLE));
    tuned.into_iter().chain([linked(CORE_PTR, core_ptr)]).collect()
}

macro_rules! adapter {
    ($name:ident, $copy:expr) => {
        #[cfg(target_arch = "x86_64")]
        unsafe extern "sysv64" fn $name(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
            // SAFETY: the caller vouches for both regions, as for the function adapted.
            unsafe { $copy(dst, src, n) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        unsafe extern "C" fn $name(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
            // SAFETY: the caller vouches for both regions, as for the function adapted.
            unsafe { $copy(dst, src, n) }
        }
    };
}

/// The system's memcpy behind the same adapter as the others.
pub(super) fn reference() -> Entry<'static> {
    // SAFETY: it is memcpy.
    unsafe { Entry::linked(memcpy) }
}

/// What the compiler makes of a copy of unknown length.
///
/// # Safety
/// As [`core::ptr::copy_nonoverlapping`].
#[inline]
unsafe fn compiled(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    // SAFETY: the caller vouches for both regions.
    unsafe { core::ptr::copy_nonoverlapping(src, dst, n) };
    dst
}

/// The system's memcpy, with the argument types of the others.
///
/// # Safety
/// As [`core::ptr::copy_nonoverlapping`].
#[inline]
unsafe fn system(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    // SAFETY: the caller vouches for both regions.
    unsafe { libc::memcpy(dst.cast(), src.cast(), n) }.cast()
}

adapter!(memcpy, system);
adapter!(core_ptr, compiled);

/// It makes the jump itself.
const TABLE: CopyFn = copysmith_tuned::memcpy;
