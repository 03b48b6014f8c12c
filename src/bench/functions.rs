//! Functions with the arguments and the result of `memcpy`, so that all go through the same call loop.
//!
//! Each of them is a jump through a pointer: `copysmith_tuned` through the one that its dispatch fills in, the system's functions
//! through the one that the dynamic loader fills in. That is what a program's calls go through too.

use crate::run::{CopyFn, Entry};

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

/// What the compiler makes of a copy of unknown length.
///
/// # Safety
/// As [`core::ptr::copy_nonoverlapping`].
#[inline]
unsafe fn compiled_copy(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    // SAFETY: the caller vouches for both regions.
    unsafe { core::ptr::copy_nonoverlapping(src, dst, n) };
    dst
}

/// What the compiler makes of a move of unknown length.
///
/// # Safety
/// As [`core::ptr::copy`].
#[inline]
unsafe fn compiled_move(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    // SAFETY: the caller vouches for both regions.
    unsafe { core::ptr::copy(src, dst, n) };
    dst
}

/// The system's memcpy, with the argument types of the others.
///
/// # Safety
/// As [`core::ptr::copy_nonoverlapping`].
#[inline]
unsafe fn system_copy(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    // SAFETY: the caller vouches for both regions.
    unsafe { libc::memcpy(dst.cast(), src.cast(), n) }.cast()
}

/// The system's memmove, with the argument types of the others.
///
/// # Safety
/// As [`core::ptr::copy`].
#[inline]
unsafe fn system_move(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    // SAFETY: the caller vouches for both regions.
    unsafe { libc::memmove(dst.cast(), src.cast(), n) }.cast()
}

adapter!(adapted_memcpy, system_copy);
adapter!(adapted_memmove, system_move);
adapter!(adapted_core_copy, compiled_copy);
adapter!(adapted_core_move, compiled_move);

/// It makes the jump itself.
const TABLE: CopyFn = copysmith_tuned::memcpy;
/// As [`TABLE`], for regions that may overlap.
const TABLE_MOVE: CopyFn = copysmith_tuned::memmove;

/// The system's memcpy.
pub(super) fn memcpy() -> Entry<'static> {
    // SAFETY: it is memcpy.
    unsafe { Entry::linked(adapted_memcpy) }
}

/// The system's memmove.
pub(super) fn memmove() -> Entry<'static> {
    // SAFETY: memmove does what memcpy does, and more.
    unsafe { Entry::linked(adapted_memmove) }
}

/// [`core::ptr::copy_nonoverlapping`].
pub(super) fn core_copy() -> Entry<'static> {
    // SAFETY: it copies as memcpy does, on every CPU that this program runs on.
    unsafe { Entry::linked(adapted_core_copy) }
}

/// [`core::ptr::copy`].
pub(super) fn core_move() -> Entry<'static> {
    // SAFETY: as above; it also moves.
    unsafe { Entry::linked(adapted_core_move) }
}

/// The linked table behind its dispatch, which chooses by CPU.
pub(super) fn table() -> Entry<'static> {
    // SAFETY: every table is proved, and the dispatch takes one only where the CPU has what it needs.
    unsafe { Entry::linked(TABLE) }
}

/// The linked table's routine that moves, or what stands in for it.
pub(super) fn table_move() -> Entry<'static> {
    // SAFETY: as above; it also moves.
    unsafe { Entry::linked(TABLE_MOVE) }
}
