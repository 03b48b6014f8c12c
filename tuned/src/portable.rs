//! Where no table can run: every copy is `core::ptr`'s.

use super::row::Table;

/// The table in use: none.
pub(super) fn chosen() -> Option<&'static Table> {
    None
}

/// Copies `n` bytes, and returns `dst`.
///
/// # Safety
/// As [`core::ptr::copy_nonoverlapping`].
#[inline]
pub(super) unsafe fn run(src: *const u8, dst: *mut u8, n: usize) -> *mut u8 {
    // SAFETY: the caller's obligations are the same.
    unsafe { core::ptr::copy_nonoverlapping(src, dst, n) };
    dst
}

/// Moves `n` bytes, and returns `dst`.
///
/// # Safety
/// As [`core::ptr::copy`].
#[inline]
pub(super) unsafe fn run_move(src: *const u8, dst: *mut u8, n: usize) -> *mut u8 {
    // SAFETY: the caller's obligations are the same.
    unsafe { core::ptr::copy(src, dst, n) };
    dst
}
