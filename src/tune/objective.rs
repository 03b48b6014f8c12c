//! What a whole routine is to be good at.
//!
//! Recorded calls in their order come first: random lengths alone crown routines without branches, which lose to everything where
//! lengths repeat. Then random mixes, each class alone, and single lengths called again and again, so that as little as possible gets
//! slower than the system's memcpy.

use super::whole::DISPATCH_MATTERS;
use crate::profile::{ReadError, shipped};
use crate::time::{Lengths, Recording, Situation, Workload};
use copysmith_kernels::Span;

/// Lengths that are called again and again, in bytes.
const CONSTANT: [usize; 16] = [0, 4, 8, 16, 24, 32, 40, 48, 64, 96, 128, 192, 256, 512, 1024, 4096];

/// How much of a whole routine's score is the worst of its situations: one that replaces memcpy should be worse nowhere.
pub(super) const WORST_SHARE: f64 = 0.5;

/// Calls of up to this many bytes are replayed: the time of longer ones is the memory's, and a pass of them is long.
const REPLAYED: u64 = 64 << 10;

/// The first half of each shipped profile: the second one is left to judge by.
///
/// # Errors
/// None, for profiles that were shipped as they were made.
pub fn shipped_halves() -> Result<Vec<Recording>, ReadError> {
    shipped().iter().map(|shipped| shipped.profile().map(|profile| Recording::from(&profile.halves().0))).collect()
}

/// The situations: the recordings alone where a tune is for given programs; otherwise the recordings, the mixes, the classes up to
/// 4 KiB and the constant lengths.
pub(super) fn situations(recordings: &[Recording], is_for_them: bool, spans: &[Span]) -> Vec<Situation> {
    let replayed = recordings.iter().map(|recording| Workload::replay(recording.up_to(REPLAYED)));
    let replayed = replayed.map(|workload| Situation { workload, weight: 2.0 });
    if is_for_them {
        return replayed.collect();
    }
    let hot = |lengths, weight| Situation { workload: Workload::hot(lengths), weight };
    let mixes = [Lengths::Mix, Lengths::Runs].map(|lengths| hot(lengths, 4.0));
    let classes =
        spans.iter().filter(|span| span.last() <= DISPATCH_MATTERS).map(|&span| hot(Lengths::Span(span), 1.0));
    let constant = CONSTANT.map(|length| hot(Lengths::Fixed(length), 0.5));
    replayed.chain(mixes).chain(classes).chain(constant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_recorded_order_mixes_classes_and_constant_lengths_and_all_of_it_can_be_timed() {
        let recordings = shipped_halves().unwrap();
        let spans: [Span; 2] = ["0..=64".parse().unwrap(), "65..".parse().unwrap()];
        let all = situations(&recordings, false, &spans);
        assert_eq!(all.len(), recordings.len() + 2 + 1 + CONSTANT.len());
        for situation in &all {
            situation.workload.check().unwrap();
        }
        assert_eq!(situations(&recordings[..2], true, &spans).len(), 2);
    }
}
