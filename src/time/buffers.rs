//! The memory that is copied from and to: every page written with random bytes before a clock looks at it.
//!
//! A page that was only mapped costs a fault when it is first written, and reads of such pages all hit one page of zeros.

use super::TimeError;
use crate::run::Guarded;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::hint::black_box;
use std::io;
use std::ops::Range;

/// Both buffers together stay below this share of the machine's memory.
const MEMORY_SHARE: usize = 4;

/// Which pages the system is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageSize {
    /// Whatever it gives by itself.
    #[default]
    Usual,
    /// Large ones, where it can.
    Huge,
}

/// A source and a destination of the same size, each on a page boundary.
#[derive(Debug)]
pub struct Buffers {
    src: Guarded,
    dst: Guarded,
    page_size: PageSize,
}

impl Buffers {
    /// Two filled buffers of at least `bytes` bytes each.
    ///
    /// # Errors
    /// [`TimeError::Memory`] where the machine has not four times as much memory, or the system gives none.
    pub fn new(bytes: usize, page_size: PageSize, rng: &mut ChaCha8Rng) -> Result<Buffers, TimeError> {
        let mut buffers = Buffers::untouched(bytes)?;
        let huge = page_size == PageSize::Huge && [&buffers.src, &buffers.dst].into_iter().all(ask_for_huge_pages);
        fill(buffers.src.bytes_mut(), rng);
        fill(buffers.dst.bytes_mut(), rng);
        Ok(Buffers { page_size: if huge { PageSize::Huge } else { PageSize::Usual }, ..buffers })
    }

    /// Two buffers as the system gives them, with no page behind them yet: to show what [`Buffers::new`] is for. A copy between them
    /// takes a fault a page, and reads one page of zeros all over.
    ///
    /// # Errors
    /// As [`Buffers::new`].
    pub fn untouched(bytes: usize) -> Result<Buffers, TimeError> {
        let allowed = physical_bytes() / MEMORY_SHARE;
        if bytes.saturating_mul(2) > allowed {
            return Err(TimeError::Memory {
                bytes,
                reason: format!("two of them would be above {allowed} bytes in all"),
            });
        }
        let fresh = || {
            let buffer = Guarded::new(bytes)?;
            // A child would share the pages, and the next write to each would take a fault, also after the child has ended.
            advise(&buffer, libc::MADV_DONTFORK);
            Ok(buffer)
        };
        let fresh = || fresh().map_err(|error: io::Error| TimeError::Memory { bytes, reason: error.to_string() });
        Ok(Buffers { src: fresh()?, dst: fresh()?, page_size: PageSize::Usual })
    }

    /// The first byte of the source.
    pub fn src(&self) -> *const u8 {
        self.src.start()
    }

    /// The first byte of the destination.
    pub fn dst(&mut self) -> *mut u8 {
        self.dst.start()
    }

    /// The bytes of each.
    pub fn bytes(&self) -> usize {
        self.src.len()
    }

    /// Reads a byte of each cache line of these of both buffers; beyond their ends there is nothing to read.
    pub(super) fn touch(&self, range: Range<usize>) {
        const LINE: usize = 64;
        for buffer in [&self.src, &self.dst] {
            let bytes = buffer.bytes().get(range.start..range.end.min(buffer.len())).unwrap_or_default();
            black_box(bytes.iter().step_by(LINE).fold(0, |sum: u8, byte| sum.wrapping_add(*byte)));
        }
    }

    /// The pages that the system agreed to give where it can.
    pub fn page_size(&self) -> PageSize {
        self.page_size
    }
}

/// So many random bytes and then the same again: drawing them all takes longer than timing the copies of them.
const DRAWN: usize = 1 << 20;

fn fill(bytes: &mut [u8], rng: &mut ChaCha8Rng) {
    let (drawn, others) = bytes.split_at_mut(DRAWN.min(bytes.len()));
    rng.fill_bytes(drawn);
    for chunk in others.chunks_mut(DRAWN) {
        chunk.copy_from_slice(&drawn[..chunk.len()]);
    }
}

fn ask_for_huge_pages(buffer: &Guarded) -> bool {
    advise(buffer, libc::MADV_HUGEPAGE)
}

/// Whether the system takes the advice.
fn advise(buffer: &Guarded, advice: i32) -> bool {
    // SAFETY: the range is a mapping of ours, and neither advice that is given here changes its contents.
    unsafe { libc::madvise(buffer.start().cast(), buffer.len(), advice) == 0 }
}

fn physical_bytes() -> usize {
    // SAFETY: reads no memory of ours.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
    usize::try_from(pages).unwrap_or(0).saturating_mul(crate::run::page_bytes())
}

#[cfg(test)]
mod tests {
    use super::super::usage::Usage;
    use super::*;
    use crate::run::isolate::{Outcome, isolate};
    use rand::SeedableRng;
    use std::time::Duration;

    #[test]
    fn no_page_faults_once_they_are_made_and_none_holds_zeros() {
        let mut buffers = Buffers::new(8 << 20, PageSize::Usual, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
        assert_eq!((buffers.src() as usize % 4096, buffers.dst() as usize % 4096), (0, 0));
        for page in buffers.src.bytes().chunks(4096).chain(buffers.dst.bytes().chunks(4096)) {
            assert!(page.iter().filter(|&&byte| byte == 0).count() < 64);
        }
        let before = Usage::of_this_thread();
        buffers.dst.bytes_mut().copy_from_slice(buffers.src.bytes());
        assert_eq!(Usage::of_this_thread().page_faults, before.page_faults);
        assert_eq!(buffers.dst.bytes(), buffers.src.bytes());
    }

    #[test]
    fn no_page_faults_after_a_child_was_forked() {
        let mut buffers = Buffers::new(1 << 20, PageSize::Usual, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
        assert_eq!(isolate(Duration::from_secs(20), || 1).unwrap(), Outcome::Finished(1));
        let before = Usage::of_this_thread();
        buffers.dst.bytes_mut().fill(1);
        assert!(Usage::of_this_thread().page_faults - before.page_faults < 128);
    }

    #[test]
    fn buffers_larger_than_memory_are_refused() {
        let refusal = Buffers::new(usize::MAX / 4, PageSize::Usual, &mut ChaCha8Rng::seed_from_u64(1)).unwrap_err();
        assert!(matches!(refusal, TimeError::Memory { .. }));
    }
}
