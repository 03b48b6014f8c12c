//! The comparison that a user asks for: the checked-in table through its dispatch, the system's `memcpy`, and
//! [`core::ptr::copy_nonoverlapping`], over lengths or offsets.
//!
//! Each row is timed in a process of its own, in interleaved blocks, by the same judge that tunes. What goes wrong there is in the
//! row; the other rows are timed all the same.

mod cases;
mod chart;
mod contestants;
mod csv;
mod plot;
mod report;

pub use cases::{Case, Over, cases};
pub use chart::PlotError;
pub use contestants::{CORE_PTR, TUNED, contestants};
pub use csv::csv;
pub use plot::plot;
pub use report::{Measured, Ratio, Report, Row};

use crate::host::Host;
use crate::time::{self, Entered, TimeError, compare};
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
    cases: &[Case],
    options: Options,
    mut stop: impl FnMut() -> bool,
) -> impl Iterator<Item = Row> {
    cases.iter().map_while(move |case| match row(host, case, options, &mut stop) {
        Err(TimeError::Stopped) => None,
        done => Some(Row::new(case, options.blocks, done)),
    })
}

fn row(
    host: &Host,
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
        reference: contestants::reference(),
        entered: Entered::Directly,
        ..time::Settings::new(case.situations.clone())
    };
    compare(&settings, &contestants(), blocks, LIMIT, stop)
}
