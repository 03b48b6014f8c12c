//! The comparison that a user asks for: the checked-in table through its dispatch, the system's `memcpy`, and
//! [`core::ptr::copy_nonoverlapping`], over lengths and offsets.
//!
//! Each row is timed in a process of its own, in interleaved blocks, by the same judge that tunes.

mod contestants;
mod csv;
mod plot;

pub use contestants::{CORE_PTR, TUNED, contestants};
pub use csv::csv;
pub use plot::{PlotError, plot};

use crate::host::Host;
use crate::time::{
    self, Confirmation, Entered, Lengths, Placements, Relative, Situation, TimeError, Workload, compare,
};
use crate::tune::{situations, timed};
use copysmith_kernels::Span;
use copysmith_search::stats::{Estimate, noise_floor};
use serde::Serialize;
use std::time::Duration;

/// The last length of each class that is compared by default, in bytes.
const EDGES: [usize; 12] = [16, 32, 64, 128, 256, 512, 1 << 10, 4 << 10, 16 << 10, 256 << 10, 4 << 20, 64 << 20];

/// The lengths whose relative page offsets are swept by default, in bytes.
pub const SWEPT: [usize; 3] = [256, 4096, 65536];

/// How long one row may take.
const LIMIT: Duration = Duration::from_secs(600);

/// The classes that are compared by default: 0 to 16 bytes up to 4 to 64 MiB, without gaps.
pub fn classes() -> Vec<Span> {
    let firsts = std::iter::once(0).chain(EDGES.iter().map(|edge| edge + 1));
    firsts.zip(EDGES).filter_map(|(first, last)| Span::new(first, last).ok()).collect()
}

/// What one row is timed on.
#[derive(Clone, Debug)]
pub struct Case {
    /// The lengths.
    pub span: Span,
    /// `(dst - src) mod 4096`, where it is fixed.
    pub offset: Option<u16>,
    /// The situations.
    situations: Vec<Situation>,
}

impl Case {
    /// Lengths random within a span (an open one up to 64 MiB), at places as a tune draws them.
    pub fn lengths(span: Span, host: &Host) -> Case {
        Case { span, offset: None, situations: situations(span, &host.caches) }
    }

    /// One length at one relative page offset, hot.
    pub fn offset(length: usize, offset: u16) -> Case {
        let placements = Placements { relative: vec![Relative::At(offset)], ..Placements::default() };
        let workload = Workload { placements, ..Workload::hot(Lengths::Fixed(length)) };
        let span = Span::new(length, length).unwrap_or(Span::ALL);
        Case { span, offset: Some(offset), situations: vec![workload.into()] }
    }
}

/// What was measured of one case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The first length, in bytes.
    pub first: usize,
    /// The last length that was timed, in bytes.
    pub last: usize,
    /// `(dst - src) mod 4096`, where it was fixed.
    pub offset: Option<u16>,
    /// What was timed, in words.
    pub workload: String,
    /// The speed of the system's memcpy, in bytes a nanosecond.
    pub memcpy_gigabytes_per_second: Option<f64>,
    /// The noise floor, as a log ratio.
    pub noise_floor: f64,
    /// Blocks.
    pub blocks: usize,
    /// One for each contestant, in their order.
    pub results: Vec<Measured>,
}

/// What was measured of one contestant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// Who.
    pub name: String,
    /// Its time divided by that of the system's memcpy; `None` where it could not be timed.
    pub ratio: Option<Ratio>,
    /// Its speed, in bytes a nanosecond.
    pub gigabytes_per_second: Option<f64>,
}

/// A ratio with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ratio {
    /// The estimate.
    pub ratio: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Times one case in `blocks` blocks on `cpu`.
///
/// # Errors
/// [`TimeError`], where nothing can be timed.
pub fn run(host: &Host, case: &Case, blocks: usize, cpu: Option<usize>, seed: u64) -> Result<Row, TimeError> {
    let settings = time::Settings {
        seed,
        cpu,
        last_level_cache: host.caches.large_copy_start() as usize,
        reference: contestants::reference(),
        entered: Entered::Directly,
        ..time::Settings::new(case.situations.clone())
    };
    let contestants = contestants();
    let names = contestants.iter().map(|linked| linked.name.clone());
    let Confirmation { finalists, clone, reference_gigabytes_per_second, .. } =
        compare(&settings, &contestants, blocks, LIMIT)?;
    let results = names.zip(finalists).map(|(name, series)| match series {
        Ok(series) => {
            let Estimate { mean, low, high, .. } = Estimate::of(&series.log_ratios);
            let ratio = Some(Ratio { ratio: mean.exp(), low: low.exp(), high: high.exp() });
            Measured { name, ratio, gigabytes_per_second: series.gigabytes_per_second }
        }
        Err(_) => Measured { name, ratio: None, gigabytes_per_second: None },
    });
    let span = timed(case.span);
    let workloads: Vec<String> = case.situations.iter().map(|situation| situation.workload.to_string()).collect();
    Ok(Row {
        first: span.first(),
        last: span.last(),
        offset: case.offset,
        workload: workloads.join("; "),
        memcpy_gigabytes_per_second: reference_gigabytes_per_second,
        noise_floor: noise_floor(&clone),
        blocks,
        results: results.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_classes_leave_no_length_out() {
        let classes = classes();
        assert_eq!((classes.len(), classes[0].first(), classes[11].last()), (12, 0, 64 << 20));
        assert!(classes.windows(2).all(|pair| pair[1].first() == pair[0].last() + 1));
    }
}
