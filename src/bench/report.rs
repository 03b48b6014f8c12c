//! What was measured, as data: the command prints it as a table or as JSON, and writes it as a file or a drawing.

use super::cases::Case;
use super::field::{Column, Field};
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
    /// Why that is not what was tuned here, where it is not.
    pub table_doubt: Option<String>,
    /// What everything is held against: the system's `memcpy`, or `memmove`.
    pub reference: &'static str,
    /// Who the contestants are.
    pub contestants: Vec<Column>,
    /// What makes the numbers doubtful, before any of them.
    pub warnings: Vec<Warning>,
    /// One for each case that was come to.
    pub rows: Vec<Row>,
}

/// What was measured of one case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// What the case is called, where its lengths do not say so: a profile's name, for one.
    pub case: Option<String>,
    /// The first length, in bytes.
    pub first: usize,
    /// The last length that was timed, in bytes.
    pub last: usize,
    /// `(dst - src) mod 4096`, where it was fixed.
    pub offset: Option<u16>,
    /// `dst - src`, where both lay in one buffer.
    pub distance: Option<i32>,
    /// How many recorded calls there are to replay.
    pub calls: Option<usize>,
    /// What was timed, in words.
    pub workload: String,
    /// The speed of the reference, in bytes a nanosecond.
    pub reference_gigabytes_per_second: Option<f64>,
    /// What a call of the reference took, in nanoseconds, the call loop's share included.
    pub reference_nanoseconds: Option<f64>,
    /// What an empty call took through the same loop, in nanoseconds: it is in every time and ratio.
    pub overhead_nanoseconds: Option<f64>,
    /// The noise floor, as a log ratio; `None` where the row was not timed.
    pub noise_floor: Option<f64>,
    /// Blocks.
    pub blocks: usize,
    /// One for each contestant, in their order.
    pub results: Vec<Measured>,
    /// Why the row could not be timed.
    pub error: Option<String>,
    /// Why it was left out, which is no failure.
    pub skipped: Option<String>,
}

/// What was measured of one contestant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// Who.
    pub name: String,
    /// Its time divided by that of the reference; `None` where it was not timed.
    pub ratio: Option<Ratio>,
    /// Its speed, in bytes a nanosecond.
    pub gigabytes_per_second: Option<f64>,
    /// What a call of it took, in nanoseconds, the call loop's share included.
    pub nanoseconds: Option<f64>,
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
    pub fn new(host: &Host, field: &Field, rows: Vec<Row>) -> Report {
        Report {
            machine: host.machine(),
            cpu: host.cpu.brand.clone(),
            table: copysmith_tuned::machine(),
            table_doubt: None,
            reference: field.reference(),
            contestants: field.legend().to_vec(),
            warnings: host.warnings.clone(),
            rows,
        }
    }

    /// Whether every contestant could be timed in every row that was not left out.
    pub fn is_whole(&self) -> bool {
        let timed = |row: &Row| row.error.is_none() && row.results.iter().all(|result| result.error.is_none());
        self.rows.iter().all(timed)
    }
}

impl Row {
    /// The row of a case, whatever came of it.
    pub(super) fn new(field: &Field, case: &Case, blocks: usize, done: Result<Confirmation, TimeError>) -> Row {
        let empty = Row { blocks, ..Row::empty(field, case) };
        match done {
            Ok(done) => Row {
                reference_gigabytes_per_second: done.reference_gigabytes_per_second,
                reference_nanoseconds: done.reference_nanoseconds,
                overhead_nanoseconds: done.overhead_nanoseconds,
                noise_floor: Some(noise_floor(&done.clone)),
                results: names(field).zip(done.finalists).map(|(name, series)| Measured::new(name, series)).collect(),
                ..empty
            },
            Err(error) => Row { error: Some(reason(error)), ..empty },
        }
    }

    /// The row of a case that is not worth timing.
    pub(super) fn skipped(field: &Field, case: &Case, why: &str) -> Row {
        Row { skipped: Some(why.to_owned()), ..Row::empty(field, case) }
    }

    /// Nothing measured yet.
    fn empty(field: &Field, case: &Case) -> Row {
        let span = timed(case.span);
        let workloads: Vec<String> = case.situations.iter().map(|situation| situation.workload.to_string()).collect();
        Row {
            case: case.name.clone(),
            first: span.first(),
            last: span.last(),
            offset: case.offset,
            distance: case.distance,
            calls: case.calls,
            workload: workloads.join("; "),
            reference_gigabytes_per_second: None,
            reference_nanoseconds: None,
            overhead_nanoseconds: None,
            noise_floor: None,
            blocks: 0,
            results: names(field).map(Measured::nothing).collect(),
            error: None,
            skipped: None,
        }
    }

    /// Why there are no figures of one of its contestants.
    pub fn reason<'r>(&'r self, result: &'r Measured) -> Option<&'r str> {
        result.error.as_deref().or(self.error.as_deref()).or(self.skipped.as_deref())
    }

    /// A contestant's time without an empty call's, in nanoseconds. Short copies run in the shadow of their call, so what is left is
    /// less than the copy takes by itself, and no ratio is made of it.
    pub fn corrected(&self, nanoseconds: Option<f64>) -> Option<f64> {
        Some(nanoseconds? - self.overhead_nanoseconds?)
    }
}

fn names(field: &Field) -> impl Iterator<Item = String> {
    field.legend().iter().map(|column| column.name.clone())
}

impl Measured {
    fn new(name: String, series: Result<Series, String>) -> Measured {
        match series {
            Ok(Series { log_ratios, gigabytes_per_second, nanoseconds, .. }) => {
                let Estimate { mean, low, high, .. } = Estimate::of(&log_ratios);
                let ratio = Some(Ratio { ratio: mean.exp(), low: low.exp(), high: high.exp() });
                Measured { ratio, gigabytes_per_second, nanoseconds, ..Measured::nothing(name) }
            }
            Err(error) => Measured { error: Some(error), ..Measured::nothing(name) },
        }
    }

    fn nothing(name: String) -> Measured {
        Measured { name, ratio: None, gigabytes_per_second: None, nanoseconds: None, error: None }
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
    use super::super::cases::{classes, replay};
    use super::*;
    use crate::profile::import;
    use crate::time::{Recording, Temperature};

    /// A row of two contestants of which one could be timed.
    pub fn row(first: usize, last: usize) -> Row {
        let ratio = Some(Ratio { ratio: 0.75, low: 0.7, high: 0.8 });
        let nothing = |name: &str| Measured::nothing(name.to_owned());
        Row {
            case: None,
            first,
            last,
            offset: None,
            distance: None,
            calls: None,
            workload: String::new(),
            reference_gigabytes_per_second: Some(9.5),
            reference_nanoseconds: Some(4.5),
            overhead_nanoseconds: Some(1.5),
            noise_floor: Some(0.005),
            blocks: 60,
            results: vec![
                Measured {
                    ratio,
                    gigabytes_per_second: Some(12.25),
                    nanoseconds: Some(3.375),
                    ..nothing("copysmith_tuned")
                },
                Measured { error: Some("\"odd\", it says".to_owned()), ..nothing("core::ptr") },
            ],
            error: None,
            skipped: None,
        }
    }

    fn first_class(host: &Host) -> Case {
        classes(None, host).remove(0)
    }

    #[test]
    fn a_row_that_fails_names_every_contestant_and_the_reason_once() {
        let (host, field) = (Host::read(), Field::copies());
        let row = Row::new(&field, &first_class(&host), 8, Err(TimeError::Confirmation("no clock".to_owned())));
        assert_eq!(row.results.len(), field.legend().len());
        assert_eq!((row.first, row.last, row.noise_floor, row.error.as_deref()), (0, 16, None, Some("no clock")));
        assert!(row.results.iter().all(|result| row.reason(result) == Some("no clock")));
        assert!(!Report::new(&host, &field, vec![row]).is_whole());
    }

    #[test]
    fn a_contestant_that_fails_keeps_its_own_reason_beside_the_others_figures() {
        let (host, field) = (Host::read(), Field::copies());
        let case = first_class(&host);
        let series = || {
            let (log_ratios, situations) = (vec![0.0; 8], Vec::new());
            Ok(Series { log_ratios, situations, gigabytes_per_second: None, nanoseconds: Some(2.0) })
        };
        let mut finalists = vec![series(); field.legend().len()];
        let done = |finalists| Confirmation {
            finalists,
            clone: vec![0.0; 8],
            reference_gigabytes_per_second: None,
            reference_nanoseconds: Some(3.0),
            overhead_nanoseconds: Some(0.5),
            tally: String::new(),
        };
        let whole = Row::new(&field, &case, 8, Ok(done(finalists.clone())));
        *finalists.last_mut().unwrap() = Err("too quick".to_owned());
        let row = Row::new(&field, &case, 8, Ok(done(finalists)));
        assert_eq!(row.results.last().unwrap().error.as_deref(), Some("too quick"));
        assert_eq!((row.error.as_deref(), row.corrected(row.reference_nanoseconds)), (None, Some(2.5)));
        assert!(Report::new(&host, &field, vec![whole.clone()]).is_whole());
        assert!(!Report::new(&host, &field, vec![whole, row]).is_whole());
    }

    #[test]
    fn a_row_that_was_left_out_says_why_and_is_no_failure() {
        let (host, field) = (Host::read(), Field::copies());
        let recording = Recording::from(&import("0 64 9\n", "mine").unwrap());
        let case = &replay(&[recording], 128, Temperature::Hot)[1];
        let row = Row::skipped(&field, case, "0 calls");
        assert!(row.results.iter().all(|result| row.reason(result) == Some("0 calls")));
        assert_eq!((row.case.as_deref(), row.calls), (Some("mine, above 128 bytes"), Some(0)));
        assert!(Report::new(&host, &field, vec![row]).is_whole());
    }
}
