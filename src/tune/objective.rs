//! What a whole routine is to be good at.
//!
//! Recorded calls in their order come first: random lengths alone crown routines without branches, which lose to everything where
//! lengths repeat. Then random mixes, each class alone, and single lengths called again and again, read back or not, so that as little
//! as possible gets slower than the system's memcpy.

use super::situations::Destination;
use super::whole::DISPATCH_MATTERS;
use super::{Options, TuneError};
use crate::profile::{ReadError, shipped};
use crate::record::InSituation;
use crate::time::{Lengths, Placements, ReadBack, Recording, Situation, TimeError, Workload};
use copysmith_kernels::Span;
use copysmith_search::stats::Estimate;

/// Lengths that are called again and again, in bytes.
const CONSTANT: [usize; 23] =
    [0, 1, 4, 8, 16, 24, 32, 40, 48, 64, 96, 128, 192, 256, 320, 384, 512, 640, 768, 1024, 1536, 2048, 4096];

/// Lengths that are called again and again from a cache line's start to a cache line's start, as allocators and pages give them: there
/// a loop that aligns its stores is at its best, and what does without is behind it the most.
const ALIGNED: [usize; 5] = [160, 320, 640, 1024, 2048];

/// Lengths that are called again and again with the destination [`JUST_ABOVE`] the source in its page: a load then seems to need what
/// the store just before it wrote, and waits.
const ABOVE: [usize; 4] = [320, 640, 1280, 2048];

/// How far, in bytes.
const JUST_ABOVE: u16 = 16;

/// Lengths of which the copy is read at once: a load cannot be answered from two stores that have a part of it each.
const READ: [usize; 6] = [8, 16, 32, 40, 64, 128];

/// How many times more a loss counts in a whole routine's score: one that replaces memcpy should be worse nowhere, and a tenth lost in
/// one of the constant lengths, which weigh least, is then as much as a fiftieth won in everything.
pub(super) const LOSS_AVERSION: f64 = 16.0;

/// Calls of up to this many bytes are replayed: the time of longer ones is the memory's, and a pass of them is long.
const REPLAYED: u64 = 64 << 10;

/// The first half of each shipped profile: the second one is left to judge by.
///
/// # Errors
/// None, for profiles that were shipped as they were made.
pub fn shipped_halves() -> Result<Vec<Recording>, ReadError> {
    shipped().iter().map(|shipped| shipped.profile().map(|profile| Recording::from(&profile.halves().0))).collect()
}

/// The objective of a tune with these classes.
///
/// # Errors
/// What cannot be timed at the end: better known before the work than after it.
pub(super) fn of(options: &Options, spans: &[Span]) -> Result<Vec<Situation>, TuneError> {
    let recordings = match &options.programs[..] {
        [] => shipped_halves().map_err(|error| TuneError::Text(error.to_string()))?,
        given => given.to_vec(),
    };
    let objective = situations(&recordings, !options.programs.is_empty(), spans, options.destination);
    objective.iter().try_for_each(|situation| situation.workload.check()).map_err(TimeError::Workload)?;
    Ok(objective)
}

/// The situations: the recordings alone where a tune is for given programs; otherwise the recordings, the mixes, the classes up to
/// 4 KiB and the constant lengths, anywhere and on line starts, and where copies are read, what is read at once.
fn situations(recordings: &[Recording], is_for_them: bool, spans: &[Span], destination: Destination) -> Vec<Situation> {
    let replayed = recordings.iter().map(|recording| Workload::replay(recording.up_to(REPLAYED)));
    let replayed = replayed.map(|workload| Situation { workload, weight: 2.0 });
    if is_for_them {
        return replayed.collect();
    }
    let hot = |lengths, weight| Situation { workload: Workload::hot(lengths), weight };
    let mixes = [Lengths::Mix, Lengths::Runs].map(|lengths| hot(lengths, 4.0));
    let classes =
        spans.iter().filter(|span| span.last() <= DISPATCH_MATTERS).map(|&span| hot(Lengths::Span(span), 2.0));
    let constant = CONSTANT.map(|length| hot(Lengths::Fixed(length), 0.5));
    let placed = |length, placements| {
        let workload = Workload { placements, ..Workload::hot(Lengths::Fixed(length)) };
        Situation { workload, weight: 0.5 }
    };
    let aligned = ALIGNED.map(|length| placed(length, Placements::on_line_starts()));
    let above = ABOVE.map(|length| placed(length, Placements::at(JUST_ABOVE)));
    let read = |lengths, weight| {
        let workload = Workload::hot(lengths).read_back(ReadBack::Ends);
        Situation { workload, weight }
    };
    let read = READ.map(|length| read(Lengths::Fixed(length), 0.1)).into_iter().chain([read(Lengths::Mix, 1.0)]);
    let all = replayed.chain(mixes).chain(classes).chain(constant).chain(aligned).chain(above);
    if destination == Destination::Unread { all.collect() } else { all.chain(read).collect() }
}

/// What somebody did in each of the situations, whose log ratios are given block by block; nothing where there are none.
pub(super) fn broken_down(situations: &[Situation], log_ratios: &[Vec<f64>]) -> Vec<InSituation> {
    let one = |(situation, ratios): (&Situation, &Vec<f64>)| {
        let estimate = Estimate::of(ratios);
        let finite = |end: f64| Some(end).filter(|end| end.is_finite());
        InSituation {
            situation: situation.workload.in_short(),
            log_ratio: estimate.mean,
            low: finite(estimate.low),
            high: finite(estimate.high),
        }
    };
    situations.iter().zip(log_ratios).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_recorded_order_mixes_classes_and_constant_lengths_and_all_of_it_can_be_timed() {
        let recordings = shipped_halves().unwrap();
        let spans: [Span; 2] = ["0..=64".parse().unwrap(), "65..".parse().unwrap()];
        let all = situations(&recordings, false, &spans, Destination::Read);
        assert_eq!(all.len(), recordings.len() + 2 + 1 + CONSTANT.len() + ALIGNED.len() + ABOVE.len() + READ.len() + 1);
        for situation in &all {
            situation.workload.check().unwrap();
        }
        assert_eq!(situations(&recordings[..2], true, &spans, Destination::Read).len(), 2);
    }
}
