//! The one type of function that everything here emits, checks and times.

use std::marker::PhantomData;

/// Copies `n` bytes from the second to the first argument and returns the first.
///
/// On x86-64 the calling convention is fixed to the System V one, on every operating system, because emitted code knows
/// no other; elsewhere it is the platform's C convention.
#[cfg(target_arch = "x86_64")]
pub type CopyFn = unsafe extern "sysv64" fn(*mut u8, *const u8, usize) -> *mut u8;

/// Copies `n` bytes from the second to the first argument and returns the first.
#[cfg(not(target_arch = "x86_64"))]
pub type CopyFn = unsafe extern "C" fn(*mut u8, *const u8, usize) -> *mut u8;

/// Where a copy routine starts; lives no longer than the memory it is in.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    function: CopyFn,
    memory: PhantomData<&'a [u8]>,
}

impl Entry<'static> {
    /// A routine that is linked into the program.
    ///
    /// # Safety
    /// Whoever takes an entry calls it, a judge in this very process. So, unless it is only run where a crash is an answer (as by
    /// [`isolate`](super::isolate::isolate())):
    /// - it copies every length as `memcpy` does, and
    /// - it has only instructions of this CPU.
    pub unsafe fn linked(function: CopyFn) -> Entry<'static> {
        Entry { function, memory: PhantomData }
    }
}

impl<'a> Entry<'a> {
    /// The entry at an address.
    ///
    /// # Safety
    /// - `start` is the first instruction of mapped, executable code of the type [`CopyFn`].
    /// - The code stays there, unchanged, for `'a`.
    pub unsafe fn at(start: *const u8) -> Entry<'a> {
        // SAFETY: the caller vouches that a function of this type starts there.
        Entry { function: unsafe { std::mem::transmute::<*const u8, CopyFn>(start) }, memory: PhantomData }
    }

    /// The address of the first instruction.
    pub fn address(self) -> usize {
        self.function as usize
    }

    /// Calls the routine and returns what it returns, `dst` if it is right.
    ///
    /// # Safety
    /// - The code is correct for `n`: it has passed the [battery](super::battery) for a span that holds `n`.
    /// - This CPU has every instruction the code uses.
    /// - `src` is readable and `dst` writable for `n` bytes, and they overlap only if the routine allows it.
    pub unsafe fn call(self, dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
        // SAFETY: passed on to the caller, line by line.
        unsafe { (self.function)(dst, src, n) }
    }
}
