//! What a class is timed on.
//!
//! Hot copies as long as both operands fit the caches; cold ones too where programs meet them cold. Copies that do not fit the L2
//! cache are read back in full as well: a store around the caches looks best as long as nobody needs the bytes.

use crate::host::Caches;
use crate::time::{Lengths, ReadBack, Situation, Workload};
use copysmith_kernels::Span;
use copysmith_search::space::UnknownWord;
use std::fmt;
use std::str::FromStr;

/// The longest copy that is timed: the time of longer ones is the memory's.
pub const LONGEST_TIMED: usize = 64 << 20;

/// The lengths of a span that are timed. An open span ends at 64 MiB or at twice its first length, whichever is more.
pub fn timed(span: Span) -> Span {
    let last = span.last().min(LONGEST_TIMED.max(span.first().saturating_mul(2)));
    Span::new(span.first(), last.max(span.first())).unwrap_or(span)
}

/// Whether programs read what was copied soon after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Destination {
    /// Yes: a copy that does not fit the L2 cache is read back in full, so what stores around the caches has to fetch it again.
    #[default]
    Read,
    /// No, as where a buffer is handed to a device or is written once: long copies are cold, and nothing is read back.
    Unread,
}

impl Destination {
    /// Each of them.
    pub const ALL: [Destination; 2] = [Destination::Read, Destination::Unread];

    /// What is read back of a copy that does not fit the caches.
    pub(super) const fn read_back(self) -> ReadBack {
        match self {
            Destination::Read => ReadBack::Full,
            Destination::Unread => ReadBack::None,
        }
    }
}

/// `read`, `unread`
impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Destination::Read => "read",
            Destination::Unread => "unread",
        })
    }
}

impl FromStr for Destination {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Destination, UnknownWord> {
        UnknownWord::find("destination", text, &Destination::ALL)
    }
}

/// The situations of a class on a machine with these caches.
pub fn situations(span: Span, caches: &Caches, destination: Destination) -> Vec<Situation> {
    let span = timed(span);
    let lengths = || Lengths::Span(span);
    let size = |bytes: Option<u64>, otherwise: usize| bytes.map_or(otherwise, |bytes| bytes as usize);
    let l2 = size(caches.l2, 256 << 10);
    let l3 = size(caches.l3, 8 * l2);
    let list = if span.last() <= l2 / 2 {
        vec![Workload::hot(lengths())]
    } else {
        let cold = Workload::cold(lengths()).read_back(destination.read_back());
        let is_met_hot = destination == Destination::Read && span.first() <= l3 / 2;
        // What reads a copy hides half of how it was made: where copies fit a cache, they are timed alone too.
        // Both operands and what else is there fit the cache up to a quarter of it.
        let fitting = Span::new(span.first(), span.last().min(span.first().max(l3 / 4))).unwrap_or(span);
        let at_hand = || Workload::hot(Lengths::Span(fitting));
        let hot = is_met_hot.then(|| [at_hand(), at_hand().read_back(ReadBack::Full)]);
        hot.into_iter().flatten().chain([cold]).collect()
    };
    list.into_iter().map(Situation::from).collect()
}

/// About how long one contestant takes in one block of a hot situation, in seconds: a pass of some 100 microseconds, its preparation,
/// a share of the reference's two, and of the proofs and trials of who gets in. Found by dividing the time of whole races.
const HOT: f64 = 3.5e-4;
/// The same where copies are read back in full or are in no cache.
const FETCHED: f64 = 7e-4;

/// About how long one contestant takes in one block, in seconds, at most. Copies that are longer than a pass is made to last are
/// reckoned at 5 bytes a nanosecond, twice over.
pub fn seconds_a_sample(span: Span, caches: &Caches) -> f64 {
    let seconds = |Situation { workload, .. }: &Situation| {
        let (first, last) = (workload.lengths.first().max(1) as f64, workload.lengths.last().max(1) as f64);
        // The mean of lengths drawn evenly by logarithm.
        let mean = if last > 4.0 * first { (last - first) / (last / first).ln() } else { (first + last) / 2.0 };
        let least = if workload.read_back == ReadBack::Full { FETCHED } else { HOT };
        least.max(mean / 5e9 * 2.0)
    };
    situations(span, caches, Destination::Read).iter().map(seconds).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Temperature;

    fn texts(span: &str, destination: Destination) -> Vec<(Temperature, ReadBack)> {
        let caches = Caches::reconcile(Vec::new());
        let list = situations(span.parse().unwrap(), &caches, destination);
        list.iter().map(|situation| (situation.workload.temperature, situation.workload.read_back)).collect()
    }

    #[test]
    fn copies_around_the_caches_never_win_unread() {
        let texts = |span| texts(span, Destination::Read);
        assert_eq!(texts("0..=16"), [(Temperature::Hot, ReadBack::None)]);
        let all = [
            (Temperature::Hot, ReadBack::None),
            (Temperature::Hot, ReadBack::Full),
            (Temperature::Cold, ReadBack::Full),
        ];
        assert_eq!(texts("262145..=1048576"), all);
        assert_eq!(texts("33554433.."), [(Temperature::Cold, ReadBack::Full)]);
    }

    #[test]
    fn where_nobody_reads_the_destination_long_copies_are_cold_and_short_ones_as_ever() {
        for span in ["262145..=1048576", "33554433.."] {
            assert_eq!(texts(span, Destination::Unread), [(Temperature::Cold, ReadBack::None)]);
        }
        assert_eq!(texts("0..=16", Destination::Unread), texts("0..=16", Destination::Read));
    }

    #[test]
    fn an_open_span_is_timed_up_to_some_last_length() {
        assert_eq!(timed("4097..".parse().unwrap()).to_string(), "4097..=67108864");
        assert_eq!(timed("67108864..".parse().unwrap()).to_string(), "67108864..=134217728");
        assert_eq!(timed("1..=4".parse().unwrap()).to_string(), "1..=4");
    }
}
