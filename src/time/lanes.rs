//! Where contestants' code lies: one arena with each one's own driver copies and its own routine, every driver at one page
//! offset and every routine at another, both drawn anew each time the arena is built. So caches and predictors, which look at
//! low address bits first, treat all contestants alike, and what an offset does to one routine becomes noise that the mean
//! over arenas removes. Where all contestants make the same calls in the same order each has page offsets of its own instead, or
//! predictors would take one for the other and know the calls.

use super::TimeError;
use super::driver::{self, Driver, Entered, ReadBack};
use crate::run::{Arena, Entry, Piece};
use copysmith_kernels::Code;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::rc::Rc;

/// What a lane's driver calls.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// Linked code.
    Linked(Entry<'static>),
    /// Emitted code.
    Emitted(Rc<Code>),
}

/// Where lanes lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spread {
    /// All at the same page offsets.
    Together,
    /// Each at page offsets of its own.
    Apart,
}

/// All lanes of the contestants that race now.
#[derive(Debug)]
pub(super) struct Lanes {
    arena: Arena,
    targets: Vec<Target>,
    read_backs: Vec<ReadBack>,
    entered: Entered,
    /// The index of each lane's first piece: its drivers, one a read-back, then its code if it has any.
    firsts: Vec<usize>,
}

/// The alignment that page offsets are drawn on when no code asks for more.
const LEAST_ALIGN: usize = 64;
/// Offsets are drawn within this.
const PAGE: usize = 4096;

impl Lanes {
    /// Places the targets, each with a driver for each read-back.
    ///
    /// # Errors
    /// [`TimeError::Code`] where there is no executable memory.
    pub fn new(
        targets: Vec<Target>,
        read_backs: Vec<ReadBack>,
        entered: Entered,
        spread: Spread,
        rng: &mut ChaCha8Rng,
    ) -> Result<Lanes, TimeError> {
        let drivers: Vec<Code> = read_backs.iter().map(|&read_back| driver::emit(read_back, entered)).collect();
        let emitted = targets.iter().filter_map(|target| match target {
            Target::Emitted(code) => Some(code.align),
            Target::Linked(_) => None,
        });
        let align = emitted.fold(LEAST_ALIGN, usize::max);
        let mut draw = || if align < PAGE { align * rng.random_range(0..PAGE / align) } else { 0 };
        let mut offsets = (draw(), draw());
        let mut pieces: Vec<Piece> = Vec::new();
        let mut firsts = Vec::with_capacity(targets.len());
        for target in &targets {
            firsts.push(pieces.len());
            if spread == Spread::Apart {
                offsets = (draw(), draw());
            }
            let (loops_at, routines_at) = offsets;
            pieces.extend(drivers.iter().map(|code| Piece::from(code).placed(align.max(PAGE), loops_at)));
            if let Target::Emitted(code) = target {
                pieces.push(Piece::from(&**code).placed(align.max(PAGE), routines_at));
            }
        }
        let arena = Arena::new(&pieces).map_err(TimeError::Code)?;
        Ok(Lanes { arena, targets, read_backs, entered, firsts })
    }

    /// The same kind of lanes for these targets, elsewhere.
    ///
    /// # Errors
    /// As [`Lanes::new`].
    pub fn moved(&self, targets: Vec<Target>, spread: Spread, rng: &mut ChaCha8Rng) -> Result<Lanes, TimeError> {
        Lanes::new(targets, self.read_backs.clone(), self.entered, spread, rng)
    }

    /// The lane's own call loop with this read-back, which is one of those given to [`Lanes::new`].
    pub fn driver(&self, lane: usize, read_back: ReadBack) -> Driver<'_> {
        let index = self.read_backs.iter().position(|&own| own == read_back).expect("a read-back that was asked for");
        // SAFETY: `new` put a call loop at this index.
        unsafe { Driver::at(self.piece(self.firsts[lane] + index)) }
    }

    /// What the lane's driver calls.
    pub fn target(&self, lane: usize) -> Entry<'_> {
        match &self.targets[lane] {
            Target::Linked(entry) => *entry,
            Target::Emitted(_) => self.piece(self.firsts[lane] + self.read_backs.len()),
        }
    }

    fn piece(&self, index: usize) -> Entry<'_> {
        self.arena.entry(index).expect("a piece that was placed")
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::time::libc_memcpy;
    use rand::SeedableRng;
    use std::collections::HashSet;

    #[test]
    fn every_lane_has_its_own_aligned_copies_and_the_next_arena_has_them_elsewhere() {
        let null = Rc::new(driver::emit_null());
        let targets = vec![Target::Linked(libc_memcpy()), Target::Emitted(null.clone()), Target::Emitted(null)];
        let read_backs = vec![ReadBack::None, ReadBack::Ends];
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let addresses = |lanes: &Lanes| {
            let loops = (0..3).flat_map(|lane| read_backs.iter().map(move |&own| (lane, own)));
            let loops = loops.map(|(lane, own)| lanes.driver(lane, own).address());
            loops.chain([1, 2].map(|lane| lanes.target(lane).address())).collect::<Vec<usize>>()
        };
        let mut offsets = HashSet::new();
        for _ in 0..8 {
            let lanes =
                Lanes::new(targets.clone(), read_backs.clone(), Entered::ByJump, Spread::Together, &mut rng).unwrap();
            let all = addresses(&lanes);
            assert_eq!(all.iter().collect::<HashSet<_>>().len(), 8);
            assert!(all.iter().all(|address| address % 64 == 0));
            assert!(all[..6].iter().all(|address| address % 4096 == all[0] % 4096));
            assert_eq!(all[6] % 4096, all[7] % 4096);
            assert_eq!(lanes.target(0).address(), libc_memcpy().address());
            offsets.insert(all[0] % 4096);
        }
        assert!(offsets.len() > 4, "{offsets:?}");
        let apart = Lanes::new(targets, read_backs.clone(), Entered::ByJump, Spread::Apart, &mut rng).unwrap();
        let at: HashSet<usize> = addresses(&apart).iter().map(|address| address % 4096).collect();
        assert!(at.len() >= 4 && at.iter().all(|offset| offset % 64 == 0), "{at:?}");
    }
}
