//! Where contestants' code lies: one arena with each one's own driver copies and its own routine, every driver at one page
//! offset and every routine at another, both drawn anew each time the arena is built. So caches and predictors, which look at
//! low address bits first, treat all contestants alike, and what an offset does to one routine becomes noise that the mean
//! over arenas removes. Where all contestants make the same calls in the same order each has page offsets of its own instead, or
//! predictors would take one for the other and know the calls.

use super::TimeError;
use super::driver::{self, Driver, Entered, ReadBack};
use super::entrant::Start;
use super::slot::Slot;
use crate::run::{Arena, Entry, Piece};
use copysmith_kernels::Code;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::rc::Rc;

/// What a lane's driver calls, and how.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub target: Target,
    pub entered: Entered,
    /// Where emitted code begins, if not where it asks to.
    pub start: Option<Start>,
    /// The pointer that leads to it.
    pub slot: Option<Slot>,
}

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
    lanes: Rc<[Lane]>,
    read_backs: Rc<[ReadBack]>,
    /// The index of each lane's first piece: its drivers, one a read-back, then its code if it has any.
    firsts: Vec<usize>,
}

/// The alignment that page offsets are drawn on when no code asks for more.
const LEAST_ALIGN: usize = 64;
const LINE: usize = 64;
/// Offsets are drawn within this.
const PAGE: usize = 4096;

impl Lanes {
    /// Places the lanes' targets, each with a driver for each read-back.
    ///
    /// # Errors
    /// [`TimeError::Code`] where there is no executable memory.
    pub fn new(
        lanes: impl Into<Rc<[Lane]>>,
        read_backs: impl Into<Rc<[ReadBack]>>,
        spread: Spread,
        rng: &mut ChaCha8Rng,
    ) -> Result<Lanes, TimeError> {
        let (lanes, read_backs) = (lanes.into(), read_backs.into());
        let drivers = |entered| read_backs.iter().map(|&read_back| driver::emit(read_back, entered)).collect();
        let (by_jump, directly): (Vec<Code>, Vec<Code>) = (drivers(Entered::ByJump), drivers(Entered::Directly));
        let emitted = lanes.iter().filter_map(|lane| match &lane.target {
            Target::Emitted(code) => Some(code.align),
            Target::Linked(_) => None,
        });
        let align = emitted.fold(LEAST_ALIGN, usize::max);
        let draw = |rng: &mut ChaCha8Rng| if align < PAGE { align * rng.random_range(0..PAGE / align) } else { 0 };
        let mut offsets = (draw(rng), draw(rng));
        let mut pieces: Vec<Piece> = Vec::new();
        let mut firsts = vec![0; lanes.len()];
        // In a new order each time: the arenas follow each other at one address, and a lane that kept its page would keep what the
        // predictors make of it.
        let mut order: Vec<usize> = (0..lanes.len()).collect();
        order.shuffle(rng);
        for index in order {
            let lane = &lanes[index];
            firsts[index] = pieces.len();
            if spread == Spread::Apart {
                offsets = (draw(rng), draw(rng));
            }
            let (loops_at, routine_at) = offsets;
            let drivers = if lane.entered == Entered::ByJump && lane.slot.is_none() { &by_jump } else { &directly };
            pieces.extend(drivers.iter().map(|code| Piece::from(code).placed(align.max(PAGE), loops_at)));
            if let Target::Emitted(code) = &lane.target {
                let routine_at = match lane.start {
                    None => routine_at,
                    Some(Start::InLine(offset)) => routine_at + usize::from(offset) % LINE,
                    Some(Start::InPage(offset)) => usize::from(offset) % PAGE,
                };
                pieces.push(Piece::from(&**code).placed(align.max(PAGE), routine_at));
            }
        }
        let arena = Arena::new(&pieces).map_err(TimeError::Code)?;
        let lanes = Lanes { arena, lanes, read_backs, firsts };
        for (index, lane) in lanes.lanes.iter().enumerate() {
            if let Some(slot) = &lane.slot {
                // SAFETY: it is called by `target` alone, while these lanes are there and no later ones with the same slot.
                unsafe { slot.lead_to(lanes.behind(index)) };
            }
        }
        Ok(lanes)
    }

    /// The same kind of arena for these lanes, elsewhere.
    ///
    /// # Errors
    /// As [`Lanes::new`].
    pub fn moved(&self, lanes: &Rc<[Lane]>, spread: Spread, rng: &mut ChaCha8Rng) -> Result<Lanes, TimeError> {
        Lanes::new(Rc::clone(lanes), Rc::clone(&self.read_backs), spread, rng)
    }

    /// The lane's own call loop with this read-back, which is one of those given to [`Lanes::new`].
    pub fn driver(&self, lane: usize, read_back: ReadBack) -> Driver<'_> {
        let index = self.read_backs.iter().position(|&own| own == read_back).expect("a read-back that was asked for");
        // SAFETY: `new` put a call loop at this index.
        unsafe { Driver::at(self.piece(self.firsts[lane] + index)) }
    }

    /// What the lane's driver calls.
    pub fn target(&self, lane: usize) -> Entry<'_> {
        match &self.lanes[lane].slot {
            Some(slot) => slot.entry(),
            None => self.behind(lane),
        }
    }

    /// What copies, behind the slot if there is one.
    fn behind(&self, lane: usize) -> Entry<'_> {
        match &self.lanes[lane].target {
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

    fn three() -> Vec<Lane> {
        let null = Rc::new(driver::emit_null());
        let lane = |target| Lane { target, entered: Entered::ByJump, start: None, slot: None };
        [Target::Linked(libc_memcpy()), Target::Emitted(null.clone()), Target::Emitted(null)].map(lane).to_vec()
    }

    #[test]
    fn code_begins_where_it_is_told_to_and_drivers_where_they_ask_to() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let [_, null, _] = <[Lane; 3]>::try_from(three()).unwrap();
        let starts = [Start::InLine(0), Start::InLine(1), Start::InLine(63), Start::InPage(0), Start::InPage(4095)];
        let lanes: Vec<Lane> = starts.iter().map(|&start| Lane { start: Some(start), ..null.clone() }).collect();
        for spread in [Spread::Together, Spread::Apart] {
            let lanes = Lanes::new(lanes.clone(), vec![ReadBack::None], spread, &mut rng).unwrap();
            let at = |lane| lanes.target(lane).address();
            assert_eq!([at(0) % 64, at(1) % 64, at(2) % 64, at(3) % 4096, at(4) % 4096], [0, 1, 63, 0, 4095]);
            assert!((0..5).all(|lane| lanes.driver(lane, ReadBack::None).address().is_multiple_of(64)));
            assert!(spread == Spread::Apart || at(2) % 4096 == at(0) % 4096 + 63, "in one line");
        }
    }

    /// Code of many sizes, each of which would shift what comes after it, in arenas of many sizes: a winner cannot depend on where in a
    /// line its code begins, in a race or in a table.
    #[test]
    fn neither_the_code_before_it_nor_the_arena_shifts_an_entry_off_its_line() {
        use copysmith_kernels::{Isa, Routine, Target as _, X86_64};
        use copysmith_search::space::{Breadth, Features, space};
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let features = Features { isa: Isa::Avx512, prefetchw: false };
        let some = |span: &str| space(span.parse().unwrap(), features, Breadth::Quick).into_iter().take(12);
        let recipes = ["0..=16", "17..=32", "1025..=4096"].into_iter().flat_map(some);
        let emit = |recipe| Rc::new(X86_64.emit(&Routine::from(recipe).plan()).unwrap());
        let codes: Vec<Rc<Code>> = recipes.map(emit).collect();
        let shifts: HashSet<usize> = codes.iter().map(|code| code.bytes.len() % 64 / 16).collect();
        assert_eq!(shifts.len(), 4, "some would shift by 16, some by 32, some by 48");
        for most in 1..=codes.len() {
            let code = |code: &Rc<Code>| Target::Emitted(Rc::clone(code));
            let lane = |target| Lane { target, entered: Entered::ByJump, start: None, slot: None };
            let racing: Vec<Lane> = codes[..most].iter().map(code).map(lane).collect();
            for spread in [Spread::Together, Spread::Apart] {
                let lanes = Lanes::new(racing.clone(), vec![ReadBack::None], spread, &mut rng).unwrap();
                for (index, code) in codes[..most].iter().enumerate() {
                    assert_eq!((code.align % 64, lanes.target(index).address() % code.align), (0, 0), "{spread:?}");
                }
            }
        }
        for row in copysmith_tuned::tables().iter().flat_map(|table| table.rows().iter().chain([table.routine()])) {
            assert_eq!(row.code().as_ptr() as usize % 64, 0, "{}", row.recipe());
        }
    }

    #[test]
    fn a_slot_leads_to_the_latest_place_of_its_code() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let slot = Slot::take();
        let lane = Lane { slot: slot.clone(), ..three().remove(1) };
        let mut lanes = Lanes::new(vec![lane.clone()], vec![ReadBack::None], Spread::Together, &mut rng).unwrap();
        for _ in 0..8 {
            lanes = lanes.moved(&[lane.clone()].into(), Spread::Together, &mut rng).unwrap();
            assert_eq!(lanes.target(0).address(), slot.as_ref().unwrap().entry().address());
            let mut byte = 7;
            // SAFETY: what copies nothing needs nothing.
            let end = unsafe { lanes.target(0).call(&raw mut byte, &raw const byte, 0) };
            assert_eq!(end, &raw mut byte, "the null routine returns its first argument");
        }
    }

    #[test]
    fn every_lane_has_its_own_aligned_copies_and_the_next_arena_has_them_elsewhere() {
        let targets = three();
        let read_backs = vec![ReadBack::None, ReadBack::Ends];
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let addresses = |lanes: &Lanes| {
            let loops = (0..3).flat_map(|lane| read_backs.iter().map(move |&own| (lane, own)));
            let loops = loops.map(|(lane, own)| lanes.driver(lane, own).address());
            loops.chain([1, 2].map(|lane| lanes.target(lane).address())).collect::<Vec<usize>>()
        };
        let mut offsets = HashSet::new();
        for _ in 0..8 {
            let lanes = Lanes::new(targets.clone(), read_backs.clone(), Spread::Together, &mut rng).unwrap();
            let all = addresses(&lanes);
            assert_eq!(all.iter().collect::<HashSet<_>>().len(), 8);
            assert!(all.iter().all(|address| address % 64 == 0));
            assert!(all[..6].iter().all(|address| address % 4096 == all[0] % 4096));
            assert_eq!(all[6] % 4096, all[7] % 4096);
            assert_eq!(lanes.target(0).address(), libc_memcpy().address());
            offsets.insert(all[0] % 4096);
        }
        assert!(offsets.len() > 4, "{offsets:?}");
        let apart = Lanes::new(targets, read_backs.clone(), Spread::Apart, &mut rng).unwrap();
        let at: HashSet<usize> = addresses(&apart).iter().map(|address| address % 4096).collect();
        assert!(at.len() >= 4 && at.iter().all(|offset| offset % 64 == 0), "{at:?}");
    }
}
