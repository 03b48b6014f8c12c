//! Who is compared with the system's `memcpy`: functions with its arguments and result, so that all go through the same call loop.
//!
//! `copysmith_tuned::copy_raw` returns nothing and calls through a pointer, so it needs a function around it, and that would
//! cost a fifth of a short copy. The system's memcpy therefore stands behind a function and a pointer of the same kind.

use crate::run::{CopyFn, Entry};
use crate::time::Linked;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::Relaxed;

/// The checked-in table, dispatch included.
pub const TUNED: &str = "copysmith_tuned";
/// What the compiler's library does.
pub const CORE_PTR: &str = "core::ptr";

/// The contestants, in the order of their columns. Without a table for this machine `copysmith_tuned` is what it falls back to, and is
/// left out.
pub fn contestants() -> Vec<Linked> {
    let linked = |name: &str, function: CopyFn| Linked { name: name.to_owned(), entry: Entry::linked(function) };
    let tuned = copysmith_tuned::machine().map(|_| linked(TUNED, tuned));
    tuned.into_iter().chain([linked(CORE_PTR, core_ptr)]).collect()
}

macro_rules! adapter {
    ($name:ident, $copy:path) => {
        #[cfg(target_arch = "x86_64")]
        unsafe extern "sysv64" fn $name(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
            // SAFETY: the caller vouches for both regions, as for the function adapted.
            unsafe { $copy(src, dst, n) };
            dst
        }
        #[cfg(not(target_arch = "x86_64"))]
        unsafe extern "C" fn $name(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
            // SAFETY: the caller vouches for both regions, as for the function adapted.
            unsafe { $copy(src, dst, n) };
            dst
        }
    };
}

/// The system's memcpy behind the same adapter as the others.
pub(super) fn reference() -> Entry<'static> {
    Entry::linked(memcpy)
}

/// What a program's call of memcpy goes through too: a pointer that is filled in when the program is loaded.
static MEMCPY: AtomicPtr<()> = AtomicPtr::new(libc::memcpy as *mut ());

/// The system's memcpy, through its pointer.
///
/// # Safety
/// As [`core::ptr::copy_nonoverlapping`].
#[inline]
unsafe fn through_pointer(src: *const u8, dst: *mut u8, n: usize) {
    type Memcpy = unsafe extern "C" fn(*mut u8, *const u8, usize) -> *mut u8;
    // SAFETY: memcpy is the only value the pointer ever has; C's void pointers are passed as these are.
    let memcpy = unsafe { std::mem::transmute::<*mut (), Memcpy>(MEMCPY.load(Relaxed)) };
    // SAFETY: the caller vouches for both regions.
    unsafe { memcpy(dst, src, n) };
}

adapter!(memcpy, through_pointer);
adapter!(tuned, copysmith_tuned::copy_raw);
adapter!(core_ptr, core::ptr::copy_nonoverlapping);
