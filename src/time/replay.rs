//! Recorded calls as batches: a piece of the recording to time, and the calls before it to warm up with.
//!
//! ```text
//! recording  ─────[ warm-up ][──────── timed ────────]─────
//! ```
//!
//! Calls are put where they were in their pages. Which page that was nobody knows: hot calls with one offset share one, as calls of a
//! program that uses a buffer again do.
//!
//! All contestants make the same calls in the same order, for another order would be another program. On Zen 5 a predictor that has
//! seen 16,384 calls through one routine knows them when they come through the next one at like addresses: without precautions the
//! last pass of a block took 10 to 40 % less than the first, whoever's it was. So each lane lies at page offsets of its own
//! ([`Spread::Apart`](super::lanes::Spread)), and each pass is led up to by calls that wipe out what is left of the one before and make
//! the routine's own branches known, as they are in a program that is running. With that, clones of the reference are within 1 % of it
//! on every shipped profile; half as many calls to lead up leave 1.5 %.

use super::batch::{Batch, Fresh, LONGEST_COLD_WARM_UP, PAGE, Rotation, place_cold};
use super::driver::Call;
use super::recording::{RecordedCall, Recording};
use super::workload::Temperature;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The pages of each buffer in which recorded hot calls start. A program that comes back to a few places is then served by the
/// first-level cache, and one that copies all over its pages (64 KiB of each buffer) by the second, which is where what a program copies
/// mostly is: it has just been written. Larger, and the calls would wait for memory, as [`Temperature::Cold`] has them do.
pub(super) const RECORDED_PAGES: usize = 16;

/// How many calls lead up to those timed, where the recording has so many more.
const WARM_UP: usize = 16_384;
/// Where it has not, one in this many of its calls leads up to the others.
const LEAST_WARM_UP_SHARE: usize = 32;

/// `count` calls in order from a place that is drawn, or nearly all that there are, and those before them. No call comes twice.
pub(super) fn fresh(recording: &Recording, temperature: Temperature, count: usize, rng: &mut ChaCha8Rng) -> Fresh {
    let count = count.min(recording.calls());
    let warm_up = WARM_UP.min(recording.calls() - count).max(count / LEAST_WARM_UP_SHARE);
    let piece: Vec<RecordedCall> = recording.piece(warm_up + count, rng).collect();
    let (warm_up, timed) = piece.split_at(warm_up);
    let pages = Pages::drawn(rng);
    let batch = |calls| Batch::in_order(calls, Rotation::PerCall);
    match temperature {
        Temperature::Hot => Fresh { warm_up: batch(pages.place(warm_up)), timed: batch(pages.place(timed)) },
        Temperature::Cold => {
            // Long ones would fill the caches.
            let short = |call: &&RecordedCall| call.n as usize <= LONGEST_COLD_WARM_UP;
            let warm_up: Vec<RecordedCall> = warm_up.iter().filter(short).copied().collect();
            let mut calls: Vec<Call> = timed.iter().map(|call| Call { dst: 0, src: 0, n: call.n }).collect();
            place_cold(&mut calls, |index, _| (timed[index].dst.into(), timed[index].src.into()), rng);
            Fresh { warm_up: batch(pages.place(&warm_up)), timed: batch(calls) }
        }
    }
}

/// A page for each page offset, in each buffer.
struct Pages {
    to: Vec<u32>,
    from: Vec<u32>,
}

impl Pages {
    fn drawn(rng: &mut ChaCha8Rng) -> Pages {
        let mut pages = || (0..PAGE).map(|_| (rng.random_range(0..RECORDED_PAGES) * PAGE) as u32).collect();
        Pages { to: pages(), from: pages() }
    }

    fn place(&self, piece: &[RecordedCall]) -> Vec<Call> {
        let at = |pages: &[u32], offset: u16| pages[usize::from(offset)] + u32::from(offset);
        piece
            .iter()
            .map(|&RecordedCall { n, dst, src }| Call { dst: at(&self.to, dst), src: at(&self.from, src), n })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::lengths::Lengths;
    use super::super::recording::tests::counted;
    use super::super::workload::Workload;
    use super::*;
    use rand::SeedableRng;
    use std::collections::{HashMap, HashSet};

    #[test]
    fn calls_keep_their_order_and_their_places_in_their_pages_and_follow_their_warm_up() {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        for temperature in [Temperature::Hot, Temperature::Cold] {
            let workload = Workload { temperature, ..Workload::replay(counted(40_000)) };
            let mut starts = HashSet::new();
            for block in 0..8 {
                let Fresh { warm_up, timed } = workload.fresh(16_384, block, &mut rng);
                assert_eq!(timed.calls.len(), 16_384);
                let mut made = Vec::new();
                timed.reordered(&mut made, &mut rng);
                assert_eq!(made, timed.calls, "every contestant makes them in the order in which they were made");
                assert!(made.windows(2).all(|pair| pair[1].n == (pair[0].n + 1) % 40_000));
                assert!(made.iter().all(|call| (call.dst % 4096, call.src % 4096) == (call.n * 16 % 4096, 5)));
                starts.insert(made[0].n);
                let led_up = warm_up.calls.last().is_some_and(|call| (call.n + 1) % 40_000 == made[0].n);
                assert!(led_up || (temperature == Temperature::Cold && made[0].n as usize > LONGEST_COLD_WARM_UP));
                assert!(temperature == Temperature::Cold || warm_up.calls.len() == WARM_UP);
            }
            assert_eq!(starts.len(), 8, "each block begins elsewhere");
        }
    }

    #[test]
    fn hot_calls_with_one_offset_share_a_page_and_others_use_all_of_them() {
        let workload = Workload::replay(counted(5000));
        let Fresh { warm_up, timed } = workload.fresh(16_384, 0, &mut ChaCha8Rng::seed_from_u64(2));
        assert_eq!((timed.calls.len(), warm_up.calls.len()), (5000 - 156, 156));
        let mut places: HashMap<u32, u32> = HashMap::new();
        for call in timed.calls.iter().chain(&warm_up.calls) {
            assert_eq!(*places.entry(call.dst % 4096).or_insert(call.dst), call.dst);
        }
        assert_eq!(places.values().map(|place| place / 4096).collect::<HashSet<_>>().len(), RECORDED_PAGES);
        assert!(timed.extent <= workload.least_extent() && places.len() == 256);
    }

    #[test]
    fn warm_up_calls_of_cold_passes_stay_in_the_little_room_there_is_for_them() {
        let workload = Workload::cold(Lengths::Recorded(counted(40_000)));
        for block in 0..8 {
            let warm_up = workload.fresh(16_384, block, &mut ChaCha8Rng::seed_from_u64(block as u64)).warm_up;
            assert!(warm_up.extent <= super::super::batch::COLD_WARM_UP_EXTENT);
        }
    }
}
