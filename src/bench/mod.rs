//! The comparisons that a user asks for: the checked-in table through its dispatch, [`core::ptr::copy_nonoverlapping`], other
//! libraries and routines, against the system's `memcpy`; and a program with and without a library.
//!
//! ```text
//! cases (what is timed) ──┐
//! Field (who races) ──────┴──> rows ──> Report ──> table, csv, plot
//! program: pairs of runs ──> Pairs
//! a profile's calls, replayed ──> Worth
//! ```
//!
//! Each row is timed in a process of its own, in interleaved blocks, by the same judge that tunes. What goes wrong there is in the
//! row; the other rows are timed all the same.

mod cases;
mod chart;
mod csv;
mod field;
mod functions;
mod library;
mod plot;
pub mod program;
mod report;
mod summary;
mod worth;

pub use cases::{Case, classes, cold, offsets, overlap, random, read_back, replay, starts, sweep};
pub use chart::PlotError;
pub use csv::csv;
pub use field::{CORE_PTR, Column, Field, PAGE_STARTS, TUNED};
pub use library::LibraryError;
pub use plot::{plot, plot_starts};
pub use report::{Measured, Ratio, Report, Row};
pub use summary::{Spread, Worst, spread, worst};
pub use worth::{CallTime, Worth};

use crate::host::Host;
use crate::time::{self, TimeError, compare};
use std::time::Duration;

/// How long one row may take.
const LIMIT: Duration = Duration::from_secs(600);

/// How rows are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Blocks a row.
    pub blocks: usize,
    /// The CPU to stay on; the highest-numbered one allowed by default.
    pub cpu: Option<usize>,
    /// Where lengths, places and orders are drawn from.
    pub seed: u64,
}

/// A row for each case as it is timed. Once `stop` says so the row in flight is given up within milliseconds, and none follows.
pub fn rows(
    host: &Host,
    field: &Field,
    cases: &[Case],
    options: Options,
    mut stop: impl FnMut() -> bool,
) -> impl Iterator<Item = Row> {
    cases.iter().map_while(move |case| match &case.skipped {
        Some(why) => (!stop()).then(|| Row::skipped(field, case, why)),
        None => match row(host, field, case, options, &mut stop) {
            Err(TimeError::Stopped) => None,
            done => Some(Row::new(field, case, options.blocks, done)),
        },
    })
}

fn row(
    host: &Host,
    field: &Field,
    case: &Case,
    Options { blocks, cpu, seed }: Options,
    stop: &mut dyn FnMut() -> bool,
) -> Result<time::Confirmation, TimeError> {
    // Rows that fail at once are over before anybody asks.
    if stop() {
        return Err(TimeError::Stopped);
    }
    let settings = time::Settings {
        seed,
        cpu,
        last_level_cache: host.caches.large_copy_start() as usize,
        ..field.settings(case.situations.clone())
    };
    compare(&settings, field.entrants(), blocks, LIMIT, stop)
}
