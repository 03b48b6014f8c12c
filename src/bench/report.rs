//! What was measured, as data: the command prints it as a table or as JSON, and writes it as a file or a drawing.

use super::cases::Case;
use super::contestants::contestants;
use crate::host::{Host, Warning};
use crate::time::{Confirmation, Series, TimeError};
use crate::tune::timed;
use copysmith_search::stats::{Estimate, noise_floor};
use serde::Serialize;

/// The rows, and what they were measured on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The machine's key.
    pub machine: String,
    /// What the processor calls itself.
    pub cpu: String,
    /// The machine whose table is linked and in use; `None` where there is none for this one.
    pub table: Option<&'static str>,
    /// What makes the numbers doubtful, before any of them.
    pub warnings: Vec<Warning>,
    /// One for each case that was come to.
    pub rows: Vec<Row>,
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
    /// The noise floor, as a log ratio; `None` where the row could not be timed.
    pub noise_floor: Option<f64>,
    /// Blocks.
    pub blocks: usize,
    /// One for each contestant, in their order.
    pub results: Vec<Measured>,
    /// Why the row could not be timed.
    pub error: Option<String>,
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
    /// Why it could not be timed, where its row could.
    pub error: Option<String>,
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

impl Report {
    /// These rows, measured here and now.
    pub fn new(host: &Host, rows: Vec<Row>) -> Report {
        Report {
            machine: host.machine(),
            cpu: host.cpu.brand.clone(),
            table: copysmith_tuned::machine(),
            warnings: host.warnings.clone(),
            rows,
        }
    }

    /// Whether every contestant could be timed in every row.
    pub fn is_whole(&self) -> bool {
        self.rows.iter().all(|row| row.results.iter().all(|result| row.reason(result).is_none()))
    }
}

impl Row {
    /// The row of a case, whatever came of it.
    pub(super) fn new(case: &Case, blocks: usize, done: Result<Confirmation, TimeError>) -> Row {
        let span = timed(case.span);
        let workloads: Vec<String> = case.situations.iter().map(|situation| situation.workload.to_string()).collect();
        let names = contestants().into_iter().map(|linked| linked.name);
        let empty = Row {
            first: span.first(),
            last: span.last(),
            offset: case.offset,
            workload: workloads.join("; "),
            memcpy_gigabytes_per_second: None,
            noise_floor: None,
            blocks,
            results: Vec::new(),
            error: None,
        };
        match done {
            Ok(Confirmation { finalists, clone, reference_gigabytes_per_second, .. }) => Row {
                memcpy_gigabytes_per_second: reference_gigabytes_per_second,
                noise_floor: Some(noise_floor(&clone)),
                results: names.zip(finalists).map(|(name, series)| Measured::new(name, series)).collect(),
                ..empty
            },
            Err(error) => Row { results: names.map(Measured::nothing).collect(), error: Some(reason(error)), ..empty },
        }
    }

    /// Why there are no figures of one of its contestants.
    pub fn reason<'r>(&'r self, result: &'r Measured) -> Option<&'r str> {
        result.error.as_deref().or(self.error.as_deref())
    }
}

impl Measured {
    fn new(name: String, series: Result<Series, String>) -> Measured {
        match series {
            Ok(Series { log_ratios, gigabytes_per_second }) => {
                let Estimate { mean, low, high, .. } = Estimate::of(&log_ratios);
                let ratio = Some(Ratio { ratio: mean.exp(), low: low.exp(), high: high.exp() });
                Measured { ratio, gigabytes_per_second, ..Measured::nothing(name) }
            }
            Err(error) => Measured { error: Some(error), ..Measured::nothing(name) },
        }
    }

    fn nothing(name: String) -> Measured {
        Measured { name, ratio: None, gigabytes_per_second: None, error: None }
    }
}

/// A row is no confirmation of anything: without the words for that.
fn reason(error: TimeError) -> String {
    match error {
        TimeError::Confirmation(reason) => reason,
        error => error.to_string(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::cases::{Over, cases};
    use super::*;

    /// A row of two contestants of which one could be timed.
    pub fn row(first: usize, last: usize) -> Row {
        let ratio = Some(Ratio { ratio: 0.75, low: 0.7, high: 0.8 });
        let nothing = |name: &str| Measured::nothing(name.to_owned());
        Row {
            first,
            last,
            offset: None,
            workload: String::new(),
            memcpy_gigabytes_per_second: Some(9.5),
            noise_floor: Some(0.005),
            blocks: 60,
            results: vec![
                Measured { ratio, gigabytes_per_second: Some(12.25), ..nothing("copysmith_tuned") },
                Measured { error: Some("\"odd\", it says".to_owned()), ..nothing("core::ptr") },
            ],
            error: None,
        }
    }

    #[test]
    fn a_row_that_fails_names_every_contestant_and_the_reason_once() {
        let host = Host::read();
        let case = &cases(Over::Lengths, None, &host)[0];
        let row = Row::new(case, 8, Err(TimeError::Confirmation("no clock".to_owned())));
        assert_eq!(row.results.len(), contestants().len());
        assert_eq!((row.first, row.last, row.noise_floor, row.error.as_deref()), (0, 16, None, Some("no clock")));
        assert!(row.results.iter().all(|result| row.reason(result) == Some("no clock")));
        assert!(!Report::new(&host, vec![row]).is_whole());
    }

    #[test]
    fn a_contestant_that_fails_keeps_its_own_reason_beside_the_others_figures() {
        let host = Host::read();
        let case = &cases(Over::Lengths, None, &host)[0];
        let series = || Ok(Series { log_ratios: vec![0.0; 8], gigabytes_per_second: None });
        let mut finalists = vec![series(); contestants().len()];
        let done = |finalists| Confirmation {
            finalists,
            clone: vec![0.0; 8],
            reference_gigabytes_per_second: None,
            tally: String::new(),
        };
        let whole = Row::new(case, 8, Ok(done(finalists.clone())));
        *finalists.last_mut().unwrap() = Err("too quick".to_owned());
        let row = Row::new(case, 8, Ok(done(finalists)));
        assert_eq!(row.results.last().unwrap().error.as_deref(), Some("too quick"));
        assert_eq!(row.error, None);
        assert!(Report::new(&host, vec![whole.clone()]).is_whole());
        assert!(!Report::new(&host, vec![whole, row]).is_whole());
    }
}
