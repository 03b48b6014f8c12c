//! Where passes run: the clock, the buffers and the contestants' code.

use super::TimeError;
use super::batch::{Batch, COLD_WARM_UP_EXTENT, Fresh, PAGE};
use super::buffers::Buffers;
use super::clock::Clock;
use super::driver::{Call, ReadBack};
use super::lanes::Lanes;
use super::sample::Around;
use super::settings::Settings;
use super::usage::Usage;
use super::workload::{Temperature, Workload};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The lane of the reference as a block begins.
pub(super) const FIRST_REFERENCE: usize = 0;
/// Its lane as the block ends: another, so that every lane runs once a block and none is better known to the predictors.
pub(super) const LAST_REFERENCE: usize = 1;
/// The lane of the routine that copies nothing.
pub(super) const NULL: usize = 2;
/// The lane of the first contestant.
pub(super) const CONTESTANTS: usize = 3;

/// Cold buffers are this many times the last-level cache: each of the two alone displaces it.
const COLD_CACHES: usize = 4;
/// The least that a last-level cache is taken for.
const LEAST_CACHE: usize = 16 << 20;
/// A cold buffer holds this many passes at least, or a pass would meet what the one before it left in the cache.
const COLD_PASSES: usize = 3;
/// Where a hot pass extends further the caches are its own affair.
const MOST_TOUCHED: usize = 256 << 10;
/// Hot calls move within this many pages more than they need, so that new blocks use other pages.
const HOT_SLACK_PAGES: usize = 256;

/// Clock, buffers, and how far the walk through the cold ones has come.
#[derive(Debug)]
pub(super) struct Bench {
    pub clock: Clock,
    buffers: Buffers,
    /// The calls of the current pass, in its order: always in the same memory.
    calls: Vec<Call>,
    /// Cold passes walk through the buffers up to here; their warm-up calls lie beyond.
    cold_bytes: usize,
    walked: usize,
    hot_base: usize,
}

impl Bench {
    /// Buffers large enough for every situation of checked settings.
    pub fn new(settings: &Settings, rng: &mut ChaCha8Rng) -> Result<Bench, TimeError> {
        let workloads = || settings.situations.iter().map(|situation| &situation.workload);
        let is_cold = |workload: &&Workload| workload.temperature == Temperature::Cold;
        let whole_pages = |bytes: usize| bytes.next_multiple_of(PAGE);
        let longest_cold = workloads().filter(is_cold).map(Workload::least_extent).max();
        let cache = settings.last_level_cache.max(LEAST_CACHE);
        let cold_bytes =
            longest_cold.map_or(0, |longest| whole_pages(cache.saturating_mul(COLD_CACHES).max(longest * COLD_PASSES)));
        let beyond = whole_pages(COLD_WARM_UP_EXTENT + 1);
        let longest = workloads().map(Workload::least_extent).max().unwrap_or(0);
        let bytes = (cold_bytes + beyond).max(whole_pages(longest) + HOT_SLACK_PAGES * PAGE);
        let buffers = Buffers::new(bytes, settings.page_size, rng)?;
        Ok(Bench { clock: Clock::detect(), buffers, calls: Vec::new(), cold_bytes, walked: 0, hot_base: 0 })
    }

    /// The most that one batch of this temperature may extend over.
    pub fn room(&self, temperature: Temperature) -> usize {
        match temperature {
            Temperature::Hot => self.buffers.bytes() - HOT_SLACK_PAGES * PAGE,
            Temperature::Cold => self.cold_bytes / COLD_PASSES,
        }
    }

    /// Moves hot calls to other pages.
    pub fn move_hot(&mut self, rng: &mut ChaCha8Rng) {
        self.hot_base = PAGE * rng.random_range(0..=HOT_SLACK_PAGES);
    }

    /// Brings what hot calls copy into the caches, as far as it is likely to stay there: or the first of a block's passes would, and
    /// that is always the reference's.
    pub fn touch(&mut self, batch: &Batch) {
        self.buffers.touch(self.hot_base..self.hot_base + batch.extent.min(MOST_TOUCHED));
    }

    /// Warms the lane up, then times it on the batch, in some order.
    ///
    /// # Safety
    /// - The lane's target is correct for all lengths of both batches, and for regions that overlap where those of the workload do.
    pub unsafe fn pass(
        &mut self,
        (lanes, lane): (&Lanes, usize),
        read_back: ReadBack,
        workload: &Workload,
        Fresh { warm_up, timed: batch }: &Fresh,
        rng: &mut ChaCha8Rng,
    ) -> Around {
        batch.reordered(&mut self.calls, rng);
        let (warm_base, base) = match workload.temperature {
            Temperature::Hot => (self.hot_base, self.hot_base),
            // It touches nothing: had it a stretch of its own, the walk would displace less than its length.
            Temperature::Cold if lane == NULL => (self.cold_bytes, 0),
            Temperature::Cold => (self.cold_bytes, self.walk(batch.extent)),
        };
        let inside = |base: usize, batch: &Batch| base.saturating_add(batch.extent) < self.buffers.bytes();
        assert!(inside(warm_base, warm_up) && inside(base, batch), "a batch leaves the buffers");
        let (driver, target) = (lanes.driver(lane, read_back), lanes.target(lane));
        let dst = self.buffers.dst();
        let src = if workload.overlap.is_some() { dst.cast_const() } else { self.buffers.src() };
        // SAFETY: the batch lies inside both buffers, which are ours, and apart unless the caller vouches that they need not be; it
        // also vouches for the target.
        unsafe { driver.run(&warm_up.calls, target, dst.add(warm_base), src.add(warm_base)) };
        let before = Usage::of_this_thread();
        let start = self.clock.start();
        // SAFETY: as above.
        unsafe { driver.run(&self.calls, target, dst.add(base), src.add(base)) };
        let stop = self.clock.stop();
        Around { start, stop, before, after: Usage::of_this_thread() }
    }

    /// The next stretch of the cold buffers.
    fn walk(&mut self, extent: usize) -> usize {
        if self.walked + extent > self.cold_bytes {
            self.walked = 0;
        }
        let base = self.walked;
        self.walked += extent.next_multiple_of(PAGE);
        base
    }
}

#[cfg(test)]
mod tests {
    use super::super::lengths::Lengths;
    use super::*;
    use rand::SeedableRng;

    fn bench(workload: Workload) -> Bench {
        Bench::new(&Settings::new(vec![workload.into()]), &mut ChaCha8Rng::seed_from_u64(1)).unwrap()
    }

    #[test]
    fn a_cold_walk_comes_back_only_after_the_whole_buffer() {
        let mut bench = bench(Workload::cold(Lengths::Fixed(1 << 20)));
        assert!(bench.cold_bytes >= 4 * LEAST_CACHE);
        let extent = (1 << 20) + 5000;
        let bases: Vec<usize> = std::iter::from_fn(|| Some(bench.walk(extent))).take(200).collect();
        let round = bases.iter().skip(1).position(|&base| base == 0).unwrap() + 1;
        assert!(bases[..round].windows(2).all(|pair| pair[1] >= pair[0] + extent && pair[1] % PAGE == 0));
        assert!(bases[round - 1] + extent <= bench.cold_bytes);
        assert!(bases[round - 1] + 2 * extent.next_multiple_of(PAGE) > bench.cold_bytes - PAGE);
    }

    #[test]
    fn a_hot_bench_is_small_whatever_the_cache() {
        let mut settings = Settings::new(vec![Workload::hot(Lengths::Fixed(64)).into()]);
        settings.last_level_cache = usize::MAX;
        let bench = Bench::new(&settings, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
        assert!(bench.buffers.bytes() < 4 << 20);
    }

    /// Through the call loop that times.
    #[cfg(target_arch = "x86_64")]
    mod page_faults {
        use super::*;
        use crate::time::driver::{Entered, emit_null};
        use crate::time::lanes::{Lane, Spread, Target};
        use crate::time::libc_memcpy;
        use std::rc::Rc;

        /// Page faults in the timed part of cold passes of 64 MiB, each on a stretch of its own: the fewest of two, since the system may
        /// take pages away for reasons of its own.
        fn faults(bench: &mut Bench, workload: &Workload) -> i64 {
            let mut rng = ChaCha8Rng::seed_from_u64(2);
            let lane = |target, entered| Lane { target, entered, start: None, slot: None };
            let null = lane(Target::Emitted(Rc::new(emit_null())), Entered::ByJump);
            let reference = lane(Target::Linked(libc_memcpy()), Entered::Directly);
            let lanes = vec![reference.clone(), reference, null];
            let lanes = Lanes::new(lanes, vec![workload.read_back], Spread::Together, &mut rng).unwrap();
            let mut pass = |block| {
                let fresh = workload.fresh(1, block, &mut rng);
                // SAFETY: memcpy is right for every length, and nothing overlaps.
                let around =
                    unsafe { bench.pass((&lanes, FIRST_REFERENCE), workload.read_back, workload, &fresh, &mut rng) };
                around.after.page_faults - around.before.page_faults
            };
            pass(0).min(pass(1))
        }

        #[test]
        fn no_page_faults_in_a_timed_pass_and_without_the_filling_many_would() {
            let workload = Workload::cold(Lengths::Fixed(64 << 20));
            let mut bench = bench(workload.clone());
            assert_eq!(faults(&mut bench, &workload), 0);
            let mut untouched =
                Bench { buffers: Buffers::untouched(bench.buffers.bytes()).unwrap(), walked: 0, ..bench };
            // A page is 2 MiB at most where the system gives large ones by itself.
            assert!(faults(&mut untouched, &workload) >= 32);
        }
    }
}
