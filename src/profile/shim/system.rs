//! System calls by hand: libc's set `errno`, which a recorded program may be about to read, and may lock.

use core::arch::asm;

pub const OPEN: usize = 2;
const READ: usize = 0;
const WRITE: usize = 1;
const CLOSE: usize = 3;
pub const MMAP: usize = 9;
const RT_SIGPROCMASK: usize = 14;
pub const SCHED_YIELD: usize = 24;
const MADVISE: usize = 28;
pub const GETPID: usize = 39;
pub const FTRUNCATE: usize = 77;
pub const UNLINK: usize = 87;
pub const READLINK: usize = 89;
const CLOCK_GETTIME: usize = 228;
pub const PRLIMIT: usize = 302;

const POPULATE_WRITE: usize = 23;
pub const WIPE_ON_FORK: usize = 18;
const INVALID: isize = -22;

/// The system call; negative is an error.
///
/// # Safety
/// The arguments are what that call asks for.
#[inline(always)]
pub unsafe fn call(number: usize, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> isize {
    let result;
    // SAFETY: the kernel changes rax, rcx and r11, and whatever memory the caller vouches for.
    unsafe {
        asm!("syscall", inlateout("rax") number => result, in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d,
             in("r8") e, in("r9") f, lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    result
}

/// A file to read; `path` ends in a zero byte.
pub fn open(path: &[u8], flags: usize) -> Option<usize> {
    // SAFETY: the path is terminated, as every caller in this library writes it.
    let file = unsafe { call(OPEN, path.as_ptr() as usize, flags, 0o600, 0, 0, 0) };
    (file >= 0).then_some(file as usize)
}

/// How many bytes were read; 0 at the end and where it fails.
pub fn read(file: usize, into: *mut u8, bytes: usize) -> usize {
    // SAFETY: the kernel writes to `into` at most `bytes`, which callers have there.
    let read = unsafe { call(READ, file, into as usize, bytes, 0, 0, 0) };
    if read > 0 { read as usize } else { 0 }
}

/// Writes what can be written at once.
pub fn write(file: usize, from: *const u8, bytes: usize) {
    // SAFETY: the kernel reads `bytes` at `from`, which callers have there.
    unsafe { call(WRITE, file, from as usize, bytes, 0, 0, 0) };
}

pub fn close(file: usize) {
    // SAFETY: a file that this library opened a moment ago.
    unsafe { call(CLOSE, file, 0, 0, 0, 0, 0) };
}

/// Nanoseconds of the monotonic clock.
pub fn now() -> u64 {
    let mut time = [0u64; 2];
    // SAFETY: room for a `timespec`.
    unsafe { call(CLOCK_GETTIME, 1, (&raw mut time) as usize, 0, 0, 0, 0) };
    time[0].wrapping_mul(1_000_000_000).wrapping_add(time[1])
}

/// Advice about pages: whether the system takes it.
pub fn advise(at: usize, bytes: usize, advice: usize) -> isize {
    // SAFETY: the advice used here neither unmaps nor changes anything that is in use.
    unsafe { call(MADVISE, at, bytes, advice, 0, 0, 0) }
}

/// Whether the file behind these bytes of a shared mapping has room for them: touching them otherwise ends the program
/// with SIGBUS. Linux before 5.14 cannot tell in advance and is taken at its word.
pub fn populate(at: usize, bytes: usize) -> bool {
    let first = at & !4095;
    let done = advise(first, (at + bytes).next_multiple_of(4096) - first, POPULATE_WRITE);
    done >= 0 || done == INVALID
}

/// No signal reaches this thread while it lives: what it does cannot be interrupted by a handler that copies.
pub struct Undisturbed(u64);

impl Undisturbed {
    pub fn begin() -> Undisturbed {
        let (all, mut old) = (u64::MAX, 0u64);
        // SAFETY: both are masks of 8 bytes; 2 is SIG_SETMASK.
        unsafe { call(RT_SIGPROCMASK, 2, (&raw const all) as usize, (&raw mut old) as usize, 8, 0, 0) };
        Undisturbed(old)
    }
}

impl Drop for Undisturbed {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { call(RT_SIGPROCMASK, 2, (&raw const self.0) as usize, 0, 8, 0, 0) };
    }
}
