//! Pages from the operating system, given back when dropped.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::{self, NonNull};

/// Owned pages. Access goes through raw pointers; what protection they have is the owner's business.
#[derive(Debug)]
pub(super) struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: pages belong to the process, not to a thread, and `Mapping` itself reads and writes none of them.
unsafe impl Send for Mapping {}
// SAFETY: as above; shared references give nothing but the address and the length.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Fresh zeroed pages with this protection, private to this process.
    pub(super) fn private(bytes: usize, protection: i32) -> io::Result<Mapping> {
        Mapping::map(bytes, protection, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1)
    }

    /// Fresh zeroed readable and writable pages that forked children share.
    pub(super) fn inherited(bytes: usize) -> io::Result<Mapping> {
        Mapping::map(bytes, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS, -1)
    }

    /// The start of a file, shared with whoever else maps it.
    pub(super) fn file(file: BorrowedFd, bytes: usize, protection: i32) -> io::Result<Mapping> {
        Mapping::map(bytes, protection, libc::MAP_SHARED, file.as_raw_fd())
    }

    fn map(bytes: usize, protection: i32, flags: i32, file: i32) -> io::Result<Mapping> {
        // SAFETY: without MAP_FIXED a new mapping touches no existing one.
        let start = unsafe { libc::mmap(ptr::null_mut(), bytes, protection, flags, file, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or_else(|| io::Error::other("mmap gave the null page"))?;
        Ok(Mapping { start, bytes })
    }

    /// Changes the protection of the bytes from `from` to `to`, both page boundaries inside the mapping.
    pub(super) fn protect(&mut self, from: usize, to: usize, protection: i32) -> io::Result<()> {
        assert!(from <= to && to <= self.bytes, "{from}..{to} is not inside {} mapped bytes", self.bytes);
        // SAFETY: the range is ours, and `&mut` says that nobody reads or runs it now.
        let outcome = unsafe { libc::mprotect(self.start.as_ptr().add(from).cast(), to - from, protection) };
        if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// The first byte.
    pub(super) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The length in bytes as it was asked for.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the range is ours and nothing borrows it any more. Unmapping own whole pages does not fail.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}
