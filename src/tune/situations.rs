//! What a class is timed on.
//!
//! Hot copies as long as both operands fit the caches; cold ones too where programs meet them cold. Copies that do not fit the L2
//! cache are read back in full: a store around the caches looks best as long as nobody needs the bytes.

use crate::host::Caches;
use crate::time::{Lengths, ReadBack, Situation, Workload};
use copysmith_kernels::Span;

/// The longest copy that is timed: the time of longer ones is the memory's.
pub const LONGEST_TIMED: usize = 64 << 20;

/// The lengths of a span that are timed. An open span ends at 64 MiB or at twice its first length, whichever is more.
pub fn timed(span: Span) -> Span {
    let last = span.last().min(LONGEST_TIMED.max(span.first().saturating_mul(2)));
    Span::new(span.first(), last.max(span.first())).unwrap_or(span)
}

/// The situations of a class on a machine with these caches.
pub fn situations(span: Span, caches: &Caches) -> Vec<Situation> {
    let span = timed(span);
    let lengths = || Lengths::Span(span);
    let size = |bytes: Option<u64>, otherwise: usize| bytes.map_or(otherwise, |bytes| bytes as usize);
    let l2 = size(caches.l2, 256 << 10);
    let l3 = size(caches.l3, 8 * l2);
    let list = if span.last() <= l2 / 2 {
        vec![Workload::hot(lengths())]
    } else if span.first() <= l3 / 2 {
        vec![Workload::hot(lengths()).read_back(ReadBack::Full), Workload::cold(lengths()).read_back(ReadBack::Full)]
    } else {
        vec![Workload::cold(lengths()).read_back(ReadBack::Full)]
    };
    list.into_iter().map(Situation::from).collect()
}

/// About how long one contestant takes in one block of a hot situation, in seconds: a pass of some 100 microseconds, its preparation,
/// a share of the reference's two, and of the proofs and trials of who gets in. Found by dividing the time of whole races.
const HOT: f64 = 3.5e-4;
/// The same where copies are read back in full or are in no cache.
const FETCHED: f64 = 7e-4;

/// About how long one contestant takes in one block, in seconds. Copies that are longer than a pass is made to last are reckoned at 5
/// bytes a nanosecond, twice over.
pub fn seconds_a_sample(span: Span, caches: &Caches) -> f64 {
    let (first, last) = (span.first().max(1) as f64, span.last().max(1) as f64);
    // The mean of lengths drawn evenly by logarithm.
    let mean = if last > 4.0 * first { (last - first) / (last / first).ln() } else { (first + last) / 2.0 };
    let least = |situation: &Situation| match situation.workload.read_back {
        ReadBack::Full => FETCHED,
        _ => HOT,
    };
    situations(span, caches).iter().map(|situation| least(situation).max(mean / 5e9 * 2.0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Temperature;

    fn texts(span: &str) -> Vec<(Temperature, ReadBack)> {
        let caches = Caches::reconcile(Vec::new());
        let list = situations(span.parse().unwrap(), &caches);
        list.iter().map(|situation| (situation.workload.temperature, situation.workload.read_back)).collect()
    }

    #[test]
    fn copies_around_the_caches_never_win_unread() {
        assert_eq!(texts("0..=16"), [(Temperature::Hot, ReadBack::None)]);
        let both = [(Temperature::Hot, ReadBack::Full), (Temperature::Cold, ReadBack::Full)];
        assert_eq!(texts("262145..=1048576"), both);
        assert_eq!(texts("33554433.."), [(Temperature::Cold, ReadBack::Full)]);
    }

    #[test]
    fn an_open_span_is_timed_up_to_some_last_length() {
        assert_eq!(timed("4097..".parse().unwrap()).to_string(), "4097..=67108864");
        assert_eq!(timed("67108864..".parse().unwrap()).to_string(), "67108864..=134217728");
        assert_eq!(timed("1..=4".parse().unwrap()).to_string(), "1..=4");
    }
}
