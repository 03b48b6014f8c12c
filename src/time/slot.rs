//! Pointers that contestants are called through, as programs call a shared library's functions: each has a function of this program
//! that is one jump through memory, at an address that does not change.
//!
//! The jump that a call loop makes for itself does the same, and is up to three per cent quicker or slower on Zen 5, differently at each
//! length: contestants that differ by so little must all be reached in one way. Those that cannot be linked get a slot.

use crate::run::{CopyFn, Entry};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// A pointer, and the function that jumps through it. Clones are the same one; it is free again when the last is dropped.
#[derive(Clone, Debug)]
pub struct Slot(Arc<Taken>);

/// The number of a slot that is in use.
#[derive(Debug)]
struct Taken(usize);

impl Drop for Taken {
    fn drop(&mut self) {
        TAKEN[self.0].store(false, Ordering::Release);
    }
}

impl Slot {
    /// One that is free; `None` where [`SLOTS`] are in use.
    pub fn take() -> Option<Slot> {
        let free = TAKEN.iter().position(|taken| !taken.swap(true, Ordering::Acquire))?;
        Some(Slot(Arc::new(Taken(free))))
    }

    /// The function, which from now on jumps there.
    ///
    /// # Safety
    /// - The function is called only while the code at `target` is there, and as that may be called.
    pub(super) unsafe fn lead_to(&self, target: Entry<'_>) {
        POINTERS[self.0.0].store(target.address() as *mut u8, Ordering::Release);
    }

    /// The function.
    pub(super) fn entry(&self) -> Entry<'static> {
        // SAFETY: whoever let it lead somewhere vouches for that; before, it traps.
        unsafe { Entry::linked(FUNCTIONS[self.0.0]) }
    }
}

macro_rules! through {
    ($abi:literal) => {
        /// The jump.
        unsafe extern $abi fn through<const NUMBER: usize>(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
            let target = POINTERS[NUMBER].load(Ordering::Relaxed);
            // SAFETY: `lead_to` put the address of such a function there before anybody was given this one to call.
            let target = unsafe { std::mem::transmute::<*mut u8, CopyFn>(target) };
            // SAFETY: the caller vouches for both regions, and `lead_to` for the function.
            unsafe { target(dst, src, n) }
        }
    };
}

#[cfg(target_arch = "x86_64")]
through!("sysv64");
#[cfg(not(target_arch = "x86_64"))]
through!("C");

macro_rules! slots {
    ($($number:literal)*) => {
        /// How many contestants can have a slot at a time.
        pub const SLOTS: usize = [$($number),*].len();
        static POINTERS: [AtomicPtr<u8>; SLOTS] = [const { AtomicPtr::new(ptr::null_mut()) }; SLOTS];
        static TAKEN: [AtomicBool; SLOTS] = [const { AtomicBool::new(false) }; SLOTS];
        const FUNCTIONS: [CopyFn; SLOTS] = [$(through::<$number>),*];
    };
}

slots!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::libc_memcpy;

    #[test]
    fn a_call_goes_where_the_slot_leads_and_a_slot_is_one_contestants_until_it_is_dropped() {
        let (one, other) = (Slot::take().unwrap(), Slot::take().unwrap());
        assert_ne!(one.entry().address(), other.entry().address());
        // SAFETY: memcpy stays.
        unsafe { one.lead_to(libc_memcpy()) };
        let mut dst = [0; 5];
        // SAFETY: it leads to memcpy, and both arrays have 5 bytes.
        let end = unsafe { one.entry().call(dst.as_mut_ptr(), b"hello".as_ptr(), 5) };
        assert_eq!(end, dst.as_mut_ptr());
        assert_eq!(&dst, b"hello");
        let number = one.0.0;
        let clone = one.clone();
        drop(one);
        assert!(TAKEN[number].load(Ordering::Acquire), "a clone still has it");
        drop(clone);
    }
}
