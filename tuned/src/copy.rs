//! The ways to copy: slices, pointers, and C's functions. Which routine does the work is [`super::dispatch`]'s affair.

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
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_pointer_width = "64", not(miri)))]
#[unsafe(naked)]
pub unsafe extern "sysv64" fn memcpy(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    core::arch::naked_asm!("jmp qword ptr [rip + {routine}]", routine = sym super::dispatch::ROUTINE)
}

/// Copies `n` bytes from `src` to `dst` and returns `dst`, with the arguments and the calling convention of C's `memcpy`.
///
/// # Safety
/// As for [`copy_raw`].
#[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_pointer_width = "64", not(miri))))]
#[inline]
pub unsafe extern "C" fn memcpy(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    // SAFETY: the caller vouches for both regions and that they are apart.
    unsafe { super::dispatch::run(src, dst, n) }
}

/// Moves `n` bytes from `src` to `dst`, which may overlap, and returns `dst`, with the arguments and the calling convention of C's
/// `memmove`. A table's routine does it where that moves; otherwise [`core::ptr::copy`].
///
/// # Safety
/// As for [`core::ptr::copy`].
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_pointer_width = "64", not(miri)))]
#[unsafe(naked)]
pub unsafe extern "sysv64" fn memmove(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    core::arch::naked_asm!("jmp qword ptr [rip + {routine}]", routine = sym super::dispatch::MOVE)
}

/// Moves `n` bytes from `src` to `dst`, which may overlap, and returns `dst`, with the arguments and the calling convention of C's
/// `memmove`.
///
/// # Safety
/// As for [`core::ptr::copy`].
#[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_pointer_width = "64", not(miri))))]
#[inline]
pub unsafe extern "C" fn memmove(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    // SAFETY: the caller vouches for both regions.
    unsafe { super::dispatch::run_move(src, dst, n) }
}

/// Copies `n` bytes from `src` to `dst` and returns the end of `dst`, with the arguments and the calling convention of `mempcpy`.
///
/// # Safety
/// As for [`copy_raw`].
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_pointer_width = "64", not(miri)))]
#[unsafe(naked)]
pub unsafe extern "sysv64" fn mempcpy(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    // The length is kept on the stack, which then is as aligned as a callee may expect it.
    core::arch::naked_asm!(
        ".p2align 4",
        ".cfi_startproc",
        "push rdx",
        ".cfi_def_cfa_offset 16",
        "call qword ptr [rip + {routine}]",
        "pop rdx",
        ".cfi_def_cfa_offset 8",
        "add rax, rdx",
        "ret",
        ".cfi_endproc",
        routine = sym super::dispatch::ROUTINE,
    )
}

/// Copies `n` bytes from `src` to `dst` and returns the end of `dst`, with the arguments and the calling convention of `mempcpy`.
///
/// # Safety
/// As for [`copy_raw`].
#[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_pointer_width = "64", not(miri))))]
#[inline]
pub unsafe extern "C" fn mempcpy(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    // SAFETY: the caller vouches for both regions and that they are apart, so `n` bytes from `dst` on are one region.
    unsafe { super::dispatch::run(src, dst, n).add(n) }
}

#[cold]
#[inline(never)]
#[track_caller]
fn unequal(dst: usize, src: usize) -> ! {
    panic!("copy needs slices of equal length: dst has {dst} bytes, src has {src}")
}
