//! The two ways to copy: slices, and pointers. Which routine does the work is [`super::dispatch`]'s affair.

/// Copies every byte of `src` into `dst`, as [`slice::copy_from_slice`] does.
///
/// # Panics
/// Where the slices differ in length.
#[inline]
#[track_caller]
pub fn copy(dst: &mut [u8], src: &[u8]) {
    if dst.len() != src.len() {
        unequal(dst.len(), src.len());
    }
    // SAFETY: both slices are valid for their common length, and a mutable slice overlaps no other.
    unsafe { copy_raw(src.as_ptr(), dst.as_mut_ptr(), src.len()) }
}

/// Copies `count` bytes from `src` to `dst`, in the argument order of [`core::ptr::copy_nonoverlapping`].
///
/// # Safety
/// * `src` is valid for reads of `count` bytes.
/// * `dst` is valid for writes of `count` bytes.
/// * The two regions do not overlap.
#[inline]
pub unsafe fn copy_raw(src: *const u8, dst: *mut u8, count: usize) {
    // SAFETY: the caller vouches for both regions and that they are apart.
    unsafe { super::dispatch::run(src, dst, count) };
}

/// Copies `n` bytes from `src` to `dst` and returns `dst`, with the arguments and the calling convention of C's `memcpy`.
///
/// # Safety
/// As for [`copy_raw`].
///
/// A single jump through the pointer that dispatch fills in, as a call of a shared library's `memcpy` is: on x86-64 two instructions
/// more cost copies of 65 to 512 bytes 3 to 5 % (Zen 5).
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
#[unsafe(naked)]
pub unsafe extern "sysv64" fn memcpy(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    core::arch::naked_asm!("jmp qword ptr [rip + {routine}]", routine = sym super::dispatch::ROUTINE)
}

/// Copies `n` bytes from `src` to `dst` and returns `dst`, with the arguments and the calling convention of C's `memcpy`.
///
/// # Safety
/// As for [`copy_raw`].
#[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(miri))))]
#[inline]
pub unsafe extern "C" fn memcpy(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    // SAFETY: the caller vouches for both regions and that they are apart.
    unsafe { super::dispatch::run(src, dst, n) }
}

#[cold]
#[inline(never)]
#[track_caller]
fn unequal(dst: usize, src: usize) -> ! {
    panic!("copy needs slices of equal length: dst has {dst} bytes, src has {src}")
}
