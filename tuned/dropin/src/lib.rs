//! A shared library that stands before libc's copies: `LD_PRELOAD=libcopysmith_dropin.so program`.
//!
//! ```text
//! memcpy, mempcpy, their __*_chk forms ──> COPY ──┬─> the baseline's routine, until the constructor has run
//! memmove, __memmove_chk ────────────────> MOVE ──┘   then the routine of the table for this processor, where there is one
//! ```
//!
//! A compiler may make a call of `memcpy` out of whatever copies bytes, and here that call would come back. So each function is
//! naked, and what it reaches was printed by the tool: nothing on the way is compiled from a language that has copies. For the same
//! reason the pointers start at a routine that runs everywhere and not at one that asks the processor; the constructor asks, at a
//! time at which copies work already. Nothing here allocates, locks or calls another library on a copy.
//!
//! The baseline moves, so that overlapping regions are right in `memcpy` too, as they happen to be in libc. A table's routine does
//! `memmove` only if it moves, and one that only copies does what C says of `memcpy` and no more.
//!
//! Links the standard library because a cdylib without it is refused where panics unwind; nothing of it is on the way of a copy.
#![cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]

use core::arch::naked_asm;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// Where copies and moves begin.
const BASELINE: *mut () = match copysmith_tuned::baseline() {
    Some(table) => {
        let routine = table.routine();
        assert!(routine.moves() && table.needs().is_empty(), "the baseline is for every call and processor");
        routine.entry() as *mut ()
    }
    None => panic!("copysmith-tuned is built without its tables"),
};

/// The routine that copies regions that are apart. Relaxed order is enough: each value is code that was there from the start.
static COPY: AtomicPtr<()> = AtomicPtr::new(BASELINE);
/// The routine that copies any two regions.
static MOVE: AtomicPtr<()> = AtomicPtr::new(BASELINE);

/// Run by the dynamic linker once the library is relocated.
#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = upgrade;

/// Takes the routine of the table for this processor. What it calls may copy: with the baseline, until it is done.
extern "C" fn upgrade() {
    if let Some(table) = copysmith_tuned::table() {
        let routine = table.routine();
        COPY.store(routine.entry() as *mut (), Relaxed);
        if routine.moves() {
            MOVE.store(routine.entry() as *mut (), Relaxed);
        }
    }
}

unsafe extern "C" {
    /// glibc's end of a program whose buffer would have overflowed: a line on standard error, and SIGABRT.
    fn __chk_fail() -> !;
}

/// A jump to the routine, in the form without and the form with the destination's size.
macro_rules! jumps {
    ($($routine:ident: $name:ident, $checked:ident;)*) => {$(
        /// As C's function of this name.
        ///
        /// # Safety
        /// As for C's function of this name.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
            naked_asm!(".p2align 4", ".cfi_startproc", "jmp qword ptr [rip + {routine}]", ".cfi_endproc", routine = sym $routine)
        }

        /// The same; ends the program where `n` is more than `room`, the size of the destination.
        ///
        /// # Safety
        /// As for the form without, and `dst` has `room` bytes.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $checked(dst: *mut u8, src: *const u8, n: usize, room: usize) -> *mut u8 {
            naked_asm!(
                ".p2align 4",
                ".cfi_startproc",
                "cmp rcx, rdx",
                "jb 2f",
                "jmp qword ptr [rip + {routine}]",
                "2:",
                "jmp {fail}",
                ".cfi_endproc",
                routine = sym $routine,
                fail = sym overflow,
            )
        }
    )*};
}

jumps! {
    COPY: memcpy, __memcpy_chk;
    MOVE: memmove, __memmove_chk;
}

/// As GNU's function of this name: `memcpy` that returns the end of the destination.
///
/// # Safety
/// As for GNU's function of this name.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mempcpy(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    // The length is kept on the stack, which then is as aligned as a callee may expect it.
    naked_asm!(
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
        routine = sym COPY,
    )
}

/// The same; ends the program where `n` is more than `room`, the size of the destination.
///
/// # Safety
/// As for the form without, and `dst` has `room` bytes.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __mempcpy_chk(dst: *mut u8, src: *const u8, n: usize, room: usize) -> *mut u8 {
    naked_asm!(
        ".p2align 4",
        ".cfi_startproc",
        "cmp rcx, rdx",
        "jb 2f",
        "push rdx",
        ".cfi_def_cfa_offset 16",
        "call qword ptr [rip + {routine}]",
        "pop rdx",
        ".cfi_def_cfa_offset 8",
        "add rax, rdx",
        "ret",
        "2:",
        "jmp {fail}",
        ".cfi_endproc",
        routine = sym COPY,
        fail = sym overflow,
    )
}

/// Where a checked form goes instead of copying.
extern "C" fn overflow() -> ! {
    // SAFETY: it takes nothing and does not return.
    unsafe { __chk_fail() }
}
