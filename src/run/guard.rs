//! Buffers between pages that fault: `[no access][readable and writable][no access]`.
//!
//! An access that strays is a fault at once, instead of luck with what lies beside the buffer.

use super::mapping::Mapping;
use super::page_bytes;
use std::io;

/// Pages without access on each side: a stray of up to this many pages faults.
const GUARD_PAGES: usize = 16;

/// A zeroed buffer whose first byte follows an inaccessible page and whose last byte precedes one.
#[derive(Debug)]
pub struct Guarded {
    pages: Mapping,
    guard: usize,
    bytes: usize,
}

impl Guarded {
    /// A buffer of at least `bytes` bytes, rounded up to whole pages.
    ///
    /// # Errors
    /// The system's, when it has no memory to give.
    pub fn new(bytes: usize) -> io::Result<Guarded> {
        let page = page_bytes();
        let guard = GUARD_PAGES * page;
        let too_large = || io::Error::from_raw_os_error(libc::ENOMEM);
        let bytes = bytes.max(1).checked_next_multiple_of(page).ok_or_else(too_large)?;
        let all = bytes.checked_add(2 * guard).ok_or_else(too_large)?;
        let mut pages = Mapping::private(all, libc::PROT_NONE)?;
        pages.protect(guard, guard + bytes, libc::PROT_READ | libc::PROT_WRITE)?;
        Ok(Guarded { pages, guard, bytes })
    }

    /// The first byte, on a page boundary.
    pub fn start(&self) -> *mut u8 {
        self.pages.start().wrapping_add(self.guard)
    }

    /// The length in bytes, a whole number of pages.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Never: a buffer has at least one page.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the middle pages are readable and ours for as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start(), self.bytes) }
    }

    /// The bytes, to be changed.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the middle pages are writable, ours for as long as `self`, and borrowed by nobody else.
        unsafe { std::slice::from_raw_parts_mut(self.start(), self.bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::isolate::{Outcome, isolate};
    use std::time::Duration;

    fn read_at(offset: isize) -> Outcome<u8> {
        let buffer = Guarded::new(1).unwrap();
        isolate(Duration::from_secs(20), || {
            // SAFETY: none for the offsets outside, on purpose: a child reads them, to see that it dies.
            unsafe { buffer.start().offset(offset).read_volatile() }
        })
        .unwrap()
    }

    #[test]
    fn the_first_byte_outside_faults_on_both_sides_and_the_last_inside_does_not() {
        let bytes = Guarded::new(1).unwrap().len().cast_signed();
        assert_eq!([0, bytes - 1].map(read_at), [Outcome::Finished(0), Outcome::Finished(0)]);
        for stray in [-1, bytes, -65_536, bytes + 65_535] {
            assert!(matches!(read_at(stray), Outcome::Signal(_)), "offset {stray}");
        }
    }

    #[test]
    fn a_buffer_larger_than_memory_is_an_error() {
        for bytes in [usize::MAX, usize::MAX / 2] {
            assert!(Guarded::new(bytes).is_err());
        }
    }
}
