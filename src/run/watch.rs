//! A page shared with a forked child, on which it notes what it is about to do: its last words, should it die.

use super::battery::{Input, Place};
use super::mapping::Mapping;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The shared page.
#[derive(Debug)]
pub struct Watch {
    page: Mapping,
}

/// One call as it was about to be made, and the address of a fault in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// What was about to be copied, and where.
    pub input: Input,
    /// The address of the destination.
    pub dst: usize,
    /// The address of the source.
    pub src: usize,
    /// The address whose access faulted, if the system told.
    pub fault: Option<usize>,
}

/// All zero at first, as fresh pages are.
#[repr(C)]
#[derive(Debug)]
struct Notes {
    calls: AtomicUsize,
    n: AtomicUsize,
    dst_place: AtomicUsize,
    src_place: AtomicUsize,
    dst: AtomicUsize,
    src: AtomicUsize,
    faults: AtomicUsize,
    fault: AtomicUsize,
}

impl Watch {
    /// An empty page that children forked from now on share.
    ///
    /// # Errors
    /// The system's, when it has no memory to give.
    pub fn new() -> io::Result<Watch> {
        Ok(Watch { page: Mapping::inherited(size_of::<Notes>())? })
    }

    fn notes(&self) -> &Notes {
        // SAFETY: the page is larger than `Notes` and aligned for it, every bit pattern is a `Notes`, and all its fields
        // are atomic, so another process may change them at any time.
        unsafe { &*self.page.start().cast::<Notes>() }
    }

    /// Notes the next call.
    pub fn note(&self, input: Input, dst: usize, src: usize) {
        let notes = self.notes();
        let all = [
            (&notes.n, input.n),
            (&notes.dst_place, encode(input.dst)),
            (&notes.src_place, encode(input.src)),
            (&notes.dst, dst),
            (&notes.src, src),
        ];
        for (cell, value) in all {
            cell.store(value, Ordering::Relaxed);
        }
        notes.calls.fetch_add(1, Ordering::Release);
    }

    /// Notes the address of a fault. Safe in a signal handler.
    pub fn note_fault(&self, address: usize) {
        self.notes().fault.store(address, Ordering::Relaxed);
        self.notes().faults.fetch_add(1, Ordering::Release);
    }

    /// The last call noted; `None` before the first. Whole only when whoever notes is dead or waits.
    pub fn last(&self) -> Option<Moment> {
        let notes = self.notes();
        (notes.calls.load(Ordering::Acquire) > 0).then(|| {
            let faulted = notes.faults.load(Ordering::Acquire) > 0;
            let load = |cell: &AtomicUsize| cell.load(Ordering::Relaxed);
            let input =
                Input { n: load(&notes.n), dst: decode(load(&notes.dst_place)), src: decode(load(&notes.src_place)) };
            let fault = faulted.then(|| load(&notes.fault));
            Moment { input, dst: load(&notes.dst), src: load(&notes.src), fault }
        })
    }
}

/// Distances are small beside this, and offsets too.
const BESIDE: usize = usize::MAX / 2;

fn encode(place: Place) -> usize {
    match place {
        Place::Beside(distance) => BESIDE.wrapping_add_signed(distance),
        Place::Inside(offset) => offset,
        Place::FlushStart => usize::MAX - 1,
        Place::FlushEnd => usize::MAX,
    }
}

fn decode(word: usize) -> Place {
    match word {
        usize::MAX => Place::FlushEnd,
        word if word == usize::MAX - 1 => Place::FlushStart,
        word if word > BESIDE / 2 => Place::Beside(word.wrapping_sub(BESIDE).cast_signed()),
        offset => Place::Inside(offset),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::isolate::{Outcome, isolate};
    use std::time::Duration;

    #[test]
    fn what_a_child_notes_outlives_it() {
        let watch = Watch::new().unwrap();
        assert_eq!(watch.last(), None);
        let places = [
            Place::Inside(515),
            Place::FlushStart,
            Place::FlushEnd,
            Place::Beside(-70_000),
            Place::Beside(0),
            Place::Beside(1),
        ];
        for (dst, src) in places.into_iter().flat_map(|dst| places.map(|src| (dst, src))) {
            let input = Input { n: 7, dst, src };
            let outcome = isolate(Duration::from_secs(20), || {
                watch.note(input, 1000, 2000);
                watch.note_fault(3000);
                std::process::abort()
            });
            assert!(matches!(outcome.unwrap(), Outcome::<()>::Signal(_)));
            assert_eq!(watch.last(), Some(Moment { input, dst: 1000, src: 2000, fault: Some(3000) }));
        }
    }
}
