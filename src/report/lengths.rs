//! Ratios to the system's memcpy over the length, with intervals, of one record or several: the drawing of `bench`.

use super::html::figure;
use super::{Record, ReportError};
use crate::bench::{Measured, Ratio, Row, plot};
use crate::print::winners::{Evidence, Winner};
use crate::tune::timed;

/// A line for each record.
pub(super) fn section(records: &[Record]) -> Result<String, ReportError> {
    let rows: Vec<Row> = records.iter().flat_map(rows).collect();
    Ok(figure(&plot(&rows).map_err(|error| ReportError::Plot(error.to_string()))?))
}

/// A record's classes as rows of a bench, without what was not timed here.
fn rows(record: &Record) -> Vec<Row> {
    let row = |winner: &Winner| {
        let span = timed(winner.span);
        let Evidence::Measured { ratio, low, high, blocks } = winner.evidence else { return None };
        let measured = Measured {
            name: record.winners.machine.clone(),
            ratio: Some(Ratio { ratio, low, high }),
            gigabytes_per_second: None,
            nanoseconds: None,
            error: None,
        };
        Some(Row {
            case: None,
            first: span.first(),
            last: span.last(),
            offset: None,
            distance: None,
            calls: None,
            workload: String::new(),
            reference_gigabytes_per_second: None,
            reference_nanoseconds: None,
            overhead_nanoseconds: None,
            noise_floor: None,
            blocks: blocks as usize,
            results: vec![measured],
            error: None,
            skipped: None,
        })
    };
    record.winners.classes.iter().filter_map(row).collect()
}
