//! Who is compared with the system's `memcpy`: functions with its arguments and result, so that all go through the same call loop.

use crate::run::{CopyFn, Entry};
use crate::time::Linked;

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

adapter!(tuned, copysmith_tuned::copy_raw);
adapter!(core_ptr, core::ptr::copy_nonoverlapping);
