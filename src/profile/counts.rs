//! Exact counts of all calls, whether or not they are among those kept in order.

use super::call::{Call, SYMBOLS};
use super::layout;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How many calls had a length: `[first, last, calls, bytes]` in the text.
///
/// Lengths up to 4096 stand alone; above it there are eight bins to each power of two (4097 to 4607, 4608 to 5119, ...).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u64; 4]", into = "[u64; 4]")]
pub struct LengthCount {
    /// The shortest length counted here.
    pub first: u64,
    /// The longest.
    pub last: u64,
    /// Calls.
    pub calls: u64,
    /// The sum of their lengths.
    pub bytes: u64,
}

impl From<[u64; 4]> for LengthCount {
    fn from([first, last, calls, bytes]: [u64; 4]) -> LengthCount {
        LengthCount { first, last, calls, bytes }
    }
}

impl From<LengthCount> for [u64; 4] {
    fn from(count: LengthCount) -> [u64; 4] {
        [count.first, count.last, count.calls, count.bytes]
    }
}

/// The lengths that are counted with this one.
pub(super) fn bounds(length: u64) -> (u64, u64) {
    if length <= layout::LAST_EXACT as u64 {
        return (length, length);
    }
    // The recorder's bins end with the address space.
    let bin = usize::try_from(length).map_or(layout::BINS - 1, layout::bin);
    let last = if bin + 1 == layout::BINS { u64::MAX } else { layout::first_of_bin(bin + 1) - 1 };
    (layout::first_of_bin(bin), last)
}

/// Exact counts by function and by length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    functions: BTreeMap<&'static str, u64>,
    lengths: BTreeMap<u64, (u64, u64)>,
}

impl Counts {
    /// Counts these calls.
    pub fn of<'a>(calls: impl IntoIterator<Item = &'a Call>) -> Counts {
        let mut counts = Counts::default();
        for call in calls {
            counts.add_function(call.symbol(), 1);
            counts.add_length(call.length, 1, call.length);
        }
        counts
    }

    pub(super) fn add_function(&mut self, symbol: &str, calls: u64) {
        if let Some(symbol) = SYMBOLS.into_iter().find(|&known| known == symbol)
            && calls > 0
        {
            let counter = self.functions.entry(symbol).or_default();
            *counter = counter.saturating_add(calls);
        }
    }

    pub(super) fn add_length(&mut self, length: u64, calls: u64, bytes: u64) {
        if calls > 0 {
            let counter = self.lengths.entry(bounds(length).0).or_default();
            *counter = (counter.0.saturating_add(calls), counter.1.saturating_add(bytes));
        }
    }

    /// Adds what another has counted.
    pub fn add(&mut self, functions: &BTreeMap<String, u64>, lengths: &[LengthCount]) {
        functions.iter().for_each(|(symbol, &calls)| self.add_function(symbol, calls));
        lengths.iter().for_each(|count| self.add_length(count.first, count.calls, count.bytes));
    }

    /// All calls, by their lengths.
    pub fn calls(&self) -> u64 {
        self.lengths.values().fold(0, |sum, counter| sum.saturating_add(counter.0))
    }

    /// All bytes.
    pub fn bytes(&self) -> u64 {
        self.lengths.values().fold(0, |sum, counter| sum.saturating_add(counter.1))
    }

    /// Calls by symbol.
    pub fn functions(&self) -> BTreeMap<String, u64> {
        self.functions.iter().map(|(&symbol, &calls)| (symbol.to_owned(), calls)).collect()
    }

    /// Calls by length, ascending.
    pub fn lengths(&self) -> Vec<LengthCount> {
        let count = |(&first, &(calls, bytes)): (&u64, &(u64, u64))| {
            let last = bounds(first).1;
            LengthCount { first, last, calls, bytes }
        };
        self.lengths.iter().map(count).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_within_its_own_bounds_and_bounds_follow_each_other() {
        let mut next = 0;
        while next < 1 << 47 {
            let (first, last) = bounds(next);
            assert_eq!(first, next);
            assert_eq!((bounds(last), bounds(first)), ((first, last), (first, last)));
            assert!(last <= 4096 || last - first < first / 8 + 1, "{first}..={last}");
            next = last + 1;
        }
        assert_eq!(bounds(u64::MAX).1, u64::MAX);
    }
}
