//! The functions of libc that calls are passed on to, and what stands in for them until they are found.

use super::layout::*;
use super::thread;
use core::arch::{asm, naked_asm};
use core::sync::atomic::{AtomicUsize, Ordering::*};

/// libc's functions, by number; 0 before the constructor ran.
static REAL: [AtomicUsize; FUNCTIONS] = [const { AtomicUsize::new(0) }; FUNCTIONS];

/// The program's call of libc, or what stands in for it until the constructor ran.
#[inline(always)]
pub unsafe fn pass_on<const FUNCTION: usize>(dst: *mut u8, src: *const u8, n: usize, room: usize) -> *mut u8 {
    // SAFETY: a function of libc with the arguments that the program gave; one that takes three does not see the fourth.
    unsafe {
        match REAL[FUNCTION].load(Relaxed) {
            0 => stand_in::<FUNCTION>(dst, src, n, room),
            real => core::mem::transmute::<usize, Copy>(real)(dst, src, n, room),
        }
    }
}

type Copy = unsafe extern "C" fn(*mut u8, *const u8, usize, usize) -> *mut u8;

/// What does not fit ends the program as libc would, but nobody is there yet who could say why.
#[cold]
#[inline(never)]
unsafe extern "C" fn stand_in<const FUNCTION: usize>(dst: *mut u8, src: *const u8, n: usize, room: usize) -> *mut u8 {
    // SAFETY: the program's arguments.
    unsafe {
        if FUNCTION >= CHECKED && n > room {
            asm!("ud2", options(noreturn))
        }
        if FUNCTION % CHECKED == MEMPCPY { move_to_end(dst, src, n) } else { move_bytes(dst, src, n) }
    }
}

/// memmove without libc, in a form that no compiler turns into a call of memmove.
#[unsafe(naked)]
unsafe extern "C" fn move_bytes(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    naked_asm!(
        "mov rax, rdi",
        "mov rcx, rdx",
        "mov r8, rdi",
        "sub r8, rsi",
        "cmp r8, rdx",
        "jb 2f", // 0 <= dst - src < n: from the end
        "rep movsb",
        "ret",
        "2:",
        "lea rdi, [rdi + rcx - 1]",
        "lea rsi, [rsi + rcx - 1]",
        "std",
        "rep movsb",
        "cld",
        "ret",
    )
}

/// mempcpy without libc.
#[unsafe(naked)]
unsafe extern "C" fn move_to_end(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    naked_asm!("lea rax, [rdi + rdx]", "mov rcx, rdx", "rep movsb", "ret")
}

#[link(name = "c")]
unsafe extern "C" {
    fn dlsym(handle: usize, name: *const core::ffi::c_char) -> usize;
}

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = resolve;

/// Finds the functions behind this library's. A lookup may allocate, so it is done here and never on a call.
extern "C" fn resolve() {
    const NEXT: usize = usize::MAX; // RTLD_NEXT
    let names = [c"memcpy", c"memmove", c"mempcpy", c"__memcpy_chk", c"__memmove_chk", c"__mempcpy_chk"];
    for (real, name) in REAL.iter().zip(names) {
        // SAFETY: a terminated name; 0, where there is none, leaves the string moves in place.
        real.store(unsafe { dlsym(NEXT, name.as_ptr()) }, Relaxed);
    }
    // A program that never copies is recorded too.
    let _ = thread::join();
}
