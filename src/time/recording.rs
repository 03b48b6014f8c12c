//! The calls of a profile, ready to be replayed in their order.
//!
//! ```text
//! recording   ─────────────────────────────────────────────────> and on from its first call
//! block 1              [── warm-up ──]   [──────── a pass ────────]
//! block 2     ─ a pass ────────]                         [──────── begins here, anywhere
//! ```
//!
//! Order is what a recording is for: programs repeat themselves, and how well a routine's branches are predicted depends on it. So a pass
//! is one piece of the recording, as it stands; each block takes another, and no pass is put together of short ones.

use super::workload::LONGEST;
use crate::profile::Profile;
use copysmith_search::space::lasting_hash;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Recorded calls are cut to this many bytes. Longer ones are bandwidth alone, and a pass that holds one says nothing of its others.
const LONGEST_RECORDED: u64 = 1 << 20;
const _: () = assert!(LONGEST_RECORDED as usize <= LONGEST);

/// The fewest calls that are replayed: fewer take no longer than the clock does to be read.
pub const FEWEST_RECORDED: usize = 64;

/// The calls of a profile in order: lengths, and where in their pages destination and source begin. Cloning it is cheap.
///
/// What stands in a profile besides is not replayed: all calls go to one function, and regions never overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording(Arc<Recorded>);

#[derive(Debug, PartialEq, Eq)]
struct Recorded {
    name: String,
    calls: Vec<RecordedCall>,
    first: usize,
    last: usize,
    bytes: u64,
    shortened: usize,
}

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordedCall {
    /// How many bytes.
    pub n: u32,
    /// The destination's address modulo 4096.
    pub dst: u16,
    /// The source's address modulo 4096.
    pub src: u16,
}

impl From<&Profile> for Recording {
    /// Every call that the profile holds in order. For some of them give one of its [`halves`](Profile::halves), or a
    /// [`sample`](Profile::sample).
    ///
    /// A stretch follows the one before it, so calls of one thread stay in order and threads are not interleaved.
    fn from(profile: &Profile) -> Recording {
        let longest = LONGEST_RECORDED;
        let call = |call: &crate::profile::Call| RecordedCall {
            n: call.length.min(longest) as u32,
            dst: call.dst_offset,
            src: call.src_offset,
        };
        let shortened = profile.calls().filter(|call| call.length > longest).count();
        Recording::new(profile.header().name.clone(), profile.calls().map(call).collect(), shortened)
    }
}

impl Recording {
    fn new(name: String, calls: Vec<RecordedCall>, shortened: usize) -> Recording {
        let lengths = || calls.iter().map(|call| call.n as usize);
        let (first, last) = (lengths().min().unwrap_or(0), lengths().max().unwrap_or(0));
        let bytes = calls.iter().map(|call| u64::from(call.n)).sum();
        Recording(Arc::new(Recorded { name, calls, first, last, bytes, shortened }))
    }

    /// Only the calls of more than `bytes` bytes, in their order.
    pub fn above(&self, bytes: u64) -> Recording {
        self.only(format!("{}, above {bytes} bytes", self.0.name), |n| n > bytes)
    }

    /// Only the calls of at most `bytes` bytes, in their order.
    pub fn up_to(&self, bytes: u64) -> Recording {
        self.only(format!("{}, up to {bytes} bytes", self.0.name), |n| n <= bytes)
    }

    fn only(&self, name: String, wanted: impl Fn(u64) -> bool) -> Recording {
        Recording::new(
            name,
            self.0.calls.iter().filter(|call| wanted(call.n.into())).copied().collect(),
            self.0.shortened,
        )
    }

    /// The profile's name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// How many calls there are.
    pub fn calls(&self) -> usize {
        self.0.calls.len()
    }

    /// How many of them were longer than a mebibyte and are replayed as one of a mebibyte.
    pub fn shortened(&self) -> usize {
        self.0.shortened
    }

    /// The shortest call, in bytes; 0 where there is none.
    pub fn first(&self) -> usize {
        self.0.first
    }

    /// The longest call, in bytes; 0 where there is none.
    pub fn last(&self) -> usize {
        self.0.last
    }

    /// The mean length, in bytes; 0 where there is no call.
    pub fn mean(&self) -> f64 {
        self.0.bytes as f64 / self.calls().max(1) as f64
    }

    /// A hash of the calls, for records: [`lasting_hash`] of lengths and page offsets.
    pub fn fingerprint(&self) -> u64 {
        let fields = self.0.calls.iter().flat_map(|call| [call.n, call.dst.into(), call.src.into()]);
        lasting_hash(fields.flat_map(u32::to_le_bytes))
    }

    /// This many calls that follow each other, from a place that is drawn, on from the first where the end is reached. No call comes
    /// twice: there are fewer where the recording has fewer.
    pub(super) fn piece(&self, count: usize, rng: &mut ChaCha8Rng) -> impl Iterator<Item = RecordedCall> {
        let calls = &self.0.calls;
        let start = if calls.is_empty() { 0 } else { rng.random_range(0..calls.len()) };
        calls[start..].iter().chain(&calls[..start]).take(count).copied()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::profile::{Header, LengthCount, SCHEMA, import, shipped};
    use rand::SeedableRng;
    use std::collections::HashSet;

    /// A recording in which call number `index` is of `index` bytes.
    pub fn counted(calls: usize) -> Recording {
        let call = |index: usize| RecordedCall { n: index as u32, dst: (index * 16 % 4096) as u16, src: 5 };
        Recording::new("counted".to_owned(), (0..calls).map(call).collect(), 0)
    }

    #[test]
    fn a_piece_is_consecutive_calls_each_once_whatever_its_place() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for (calls, wanted) in [(50_000, 16_384), (20_000, 16_384), (16_384, 16_384), (900, 16_384), (1, 7), (0, 7)] {
            let recording = counted(calls);
            let mut starts = HashSet::new();
            for _ in 0..40 {
                let piece: Vec<usize> = recording.piece(wanted, &mut rng).map(|call| call.n as usize).collect();
                assert_eq!(piece.len(), wanted.min(calls));
                assert!(piece.windows(2).all(|pair| pair[1] == (pair[0] + 1) % calls), "{calls} {wanted}");
                starts.extend(piece.first().copied());
            }
            assert!(calls < 16_384 || starts.len() > 35, "{calls}: {} places", starts.len());
        }
    }

    #[test]
    fn the_same_seed_begins_at_the_same_places() {
        let starts = |seed| {
            let (recording, mut rng) = (counted(40_000), ChaCha8Rng::seed_from_u64(seed));
            (0..8).map(|_| recording.piece(1, &mut rng).next().unwrap().n).collect::<Vec<_>>()
        };
        assert_eq!(starts(1), starts(1));
        assert_ne!(starts(1), starts(2));
    }

    #[test]
    fn every_call_of_a_shipped_profile_is_replayed_as_it_was_made_and_halves_share_none() {
        for shipped in shipped() {
            let profile = shipped.profile().unwrap();
            let whole = Recording::from(&profile);
            assert_eq!((whole.name(), whole.shortened()), (shipped.name, 0));
            let made = profile.calls().map(|call| (call.length, call.dst_offset, call.src_offset));
            assert!(made.eq(whole.0.calls.iter().map(|call| (u64::from(call.n), call.dst, call.src))));
            let (first, second) = profile.halves();
            let halves = [&first, &second].map(Recording::from);
            assert!(halves[0].name() != halves[1].name() && halves.iter().all(|half| half.calls() >= 16_384));
            assert_eq!([&halves[0].0.calls[..], &halves[1].0.calls[..]].concat(), whole.0.calls);
        }
    }

    #[test]
    fn threads_follow_each_other_and_each_keeps_its_order() {
        let header = Header {
            schema: SCHEMA,
            name: "threads".to_owned(),
            calls: 5,
            bytes: 29,
            functions: [("memcpy".to_owned(), 5)].into(),
            lengths: [1, 2, 3, 11, 12].map(|n| LengthCount::from([n, n, 1, n])).to_vec(),
            stretches: 3,
            ..Header::default()
        };
        let stretches = "stretch 0 0 2\nc 1 0 0\nc 2 0 0\nstretch 1 0 2\nc 11 0 0\nc 12 0 0\nstretch 0 9 1\nc 3 0 0\n";
        let profile = Profile::parse(&format!("{}\n{stretches}", serde_json::to_string(&header).unwrap())).unwrap();
        let lengths: Vec<u32> = Recording::from(&profile).0.calls.iter().map(|call| call.n).collect();
        assert_eq!(lengths, [1, 2, 11, 12, 3]);
    }

    #[test]
    fn calls_above_a_length_keep_their_order_and_very_long_ones_are_shortened_and_counted() {
        let profile = import("0 64 128\n0 64 3000000\n0 64 5000000\n0 64 129\n", "long").unwrap();
        let recording = Recording::from(&profile);
        assert_eq!((recording.first(), recording.last(), recording.shortened()), (128, 1 << 20, 2));
        let above = recording.above(128);
        assert_eq!(above.0.calls.iter().map(|call| call.n).collect::<Vec<_>>(), [1 << 20, 1 << 20, 129]);
        assert_eq!((above.name(), above.calls(), recording.above(1 << 20).calls()), ("long, above 128 bytes", 3, 0));
    }
}
