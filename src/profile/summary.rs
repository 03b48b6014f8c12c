//! What a profile says at a glance: from its exact counts, and from the calls kept in order.

use super::Profile;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// Lengths of one power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bin {
    /// 0, or a power of two.
    pub first: u64,
    /// The longest length in it.
    pub last: u64,
    /// Exact, of all calls.
    pub calls: u64,
    /// Exact, of all calls.
    pub bytes: u64,
}

/// The figures of a profile. Shares are between 0 and 1; `None` where there is nothing to take a share of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Its name.
    pub name: String,
    /// All calls, exact.
    pub calls: u64,
    /// All bytes, exact.
    pub bytes: u64,
    /// All calls by symbol, exact.
    pub functions: BTreeMap<String, u64>,
    /// How long the program ran, in seconds, recorder and all.
    pub seconds: Option<f64>,
    /// Calls in a second of that.
    pub calls_per_second: Option<f64>,
    /// Lengths by power of two, exact; from the shortest that occurs to the longest.
    pub bins: Vec<Bin>,
    /// The share of calls that copy less than 128 bytes. The classic figure, of a kernel's copies, is 0.968.
    pub calls_below_128: Option<f64>,
    /// The share of bytes that such calls copy.
    pub bytes_below_128: Option<f64>,
    /// How many calls are kept in order; the figures from here on are of these.
    pub kept: u64,
    /// In how many stretches.
    pub stretches: u64,
    /// Calls by destination address modulo 16.
    pub dst_mod_16: [u64; 16],
    /// Calls by source address modulo 16.
    pub src_mod_16: [u64; 16],
    /// Calls of which both addresses are the same modulo 16.
    pub same_mod_16: u64,
    /// Calls whose distance is kept.
    pub with_distance: u64,
    /// Calls whose regions have bytes in common, the destination behind the source.
    pub overlap_up: u64,
    /// The same, the destination before the source.
    pub overlap_down: u64,
    /// Calls that copy a region to itself.
    pub overlap_same: u64,
    /// The share of calls with as many bytes as the call before, of those that have one in their stretch.
    pub repeats: Option<f64>,
    /// The share of calls whose size class was predicted, of those that have two calls before them in their stretch. A class is
    /// 0, or the lengths from one power of two to the next; the prediction is the class that followed the last time the two
    /// classes before were the same two in the same order. The table is empty at first, and an empty entry is a miss.
    pub predicted: Option<f64>,
    /// The share of the most frequent class among those calls: what always predicting the same would reach.
    pub most_frequent: Option<f64>,
}

/// 0 for 0 bytes, else 1 plus the power of two.
fn class(length: u64) -> usize {
    (u64::BITS - length.leading_zeros()) as usize
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

impl Summary {
    /// The figures of this profile.
    pub fn of(profile: &Profile) -> Summary {
        let header = profile.header();
        let mut summary = Summary {
            name: header.name.clone(),
            calls: header.calls,
            bytes: header.bytes,
            functions: header.functions.clone(),
            seconds: header.seconds,
            calls_per_second: header.seconds.filter(|seconds| *seconds > 0.0).map(|s| header.calls as f64 / s),
            bins: bins(profile),
            calls_below_128: None,
            bytes_below_128: None,
            kept: profile.calls().count() as u64,
            stretches: header.stretches,
            dst_mod_16: [0; 16],
            src_mod_16: [0; 16],
            same_mod_16: 0,
            with_distance: 0,
            overlap_up: 0,
            overlap_down: 0,
            overlap_same: 0,
            repeats: None,
            predicted: None,
            most_frequent: None,
        };
        let below = || header.lengths.iter().filter(|count| count.last < 128);
        summary.calls_below_128 = share(below().map(|count| count.calls).sum(), header.calls);
        summary.bytes_below_128 = share(below().map(|count| count.bytes).sum(), header.bytes);
        for call in profile.calls() {
            summary.dst_mod_16[usize::from(call.dst_offset) % 16] += 1;
            summary.src_mod_16[usize::from(call.src_offset) % 16] += 1;
            summary.same_mod_16 += u64::from(call.dst_offset % 16 == call.src_offset % 16);
            summary.with_distance += u64::from(call.distance.is_some());
            if let (Some(distance), true) = (call.distance, call.overlaps()) {
                summary.overlap_up += u64::from(distance > 0);
                summary.overlap_down += u64::from(distance < 0);
                summary.overlap_same += u64::from(distance == 0);
            }
        }
        summary.order(profile);
        summary
    }

    /// What the order tells.
    fn order(&mut self, profile: &Profile) {
        let (mut repeated, mut pairs) = (0, 0);
        let (mut hits, mut tried) = (0, 0);
        let mut followed: HashMap<(usize, usize), usize> = HashMap::new();
        let mut frequencies = [0u64; 65];
        for stretch in profile.stretches() {
            for two in stretch.calls().windows(2) {
                pairs += 1;
                repeated += u64::from(two[0].length == two[1].length);
            }
            for three in stretch.calls().windows(3) {
                let [first, second, third] = [0, 1, 2].map(|index| class(three[index].length));
                tried += 1;
                frequencies[third] += 1;
                hits += u64::from(followed.insert((first, second), third) == Some(third));
            }
        }
        self.repeats = share(repeated, pairs);
        self.predicted = share(hits, tried);
        self.most_frequent = share(frequencies.into_iter().max().unwrap_or(0), tried);
    }
}

fn bins(profile: &Profile) -> Vec<Bin> {
    let mut sums = [(0u64, 0u64); 65];
    for count in &profile.header().lengths {
        let sum = &mut sums[class(count.first)];
        *sum = (sum.0 + count.calls, sum.1 + count.bytes);
    }
    let occurs = |sum: &(u64, u64)| sum.0 > 0;
    let Some(first) = sums.iter().position(occurs) else { return Vec::new() };
    let last = sums.iter().rposition(occurs).unwrap_or(first);
    let bin = |class: usize| {
        let (calls, bytes) = sums[class];
        let first = if class == 0 { 0 } else { 1 << (class - 1) };
        let last = if class == 0 { 0 } else { first + (first - 1) };
        Bin { first, last, calls, bytes }
    };
    (first..=last).map(bin).collect()
}
