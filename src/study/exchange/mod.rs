//! One class of a data set in the forms of other tools, and back.
//!
//! ```text
//! Class <──> Table: a row for each kernel, a column for each parameter ──> Kernel Tuner cache, T4, CSV
//! ```
//!
//! A parameter is an axis of the recipe's text, so that a configuration is a recipe again without any list beside it. The identity of
//! the machine travels along where the form leaves room for it.

mod kernel_tuner;
mod ordered;
mod parameters;
mod t4;
mod table;

pub use kernel_tuner::{from_kernel_tuner, to_kernel_tuner};
pub use t4::{from_t4, to_t4};
pub use table::to_csv;

use super::{Class, StudyError};
use crate::record::{Block, Contents, Entry, Header, Outcome, Phase, Rejected, Stage, Timing};
use copysmith_kernels::Span;
use serde::{Deserialize, Serialize};

/// What other tools have no place for: where the numbers come from, and what they are relative to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Origin {
    header: Header,
    class: String,
    /// What a call of the reference takes; 1 ms where nobody knows, so that a time is a ratio.
    reference_ns: f64,
}

/// What a reference whose time is unknown is said to take, in nanoseconds.
const UNKNOWN_NS: f64 = 1e6;

impl Origin {
    fn of(header: &Header, class: &Class) -> Origin {
        let reference_ns = class.reference_ns.unwrap_or(UNKNOWN_NS);
        Origin { header: header.clone(), class: class.span.to_string(), reference_ns }
    }

    /// The time of a log ratio, in milliseconds.
    fn milliseconds(&self, log_ratio: f64) -> f64 {
        self.reference_ns * log_ratio.exp() / 1e6
    }

    /// The log ratio of a time in milliseconds, as data keep it.
    fn log_ratio(&self, milliseconds: f64) -> f64 {
        ((milliseconds * 1e6 / self.reference_ns).ln() * 1e6).round() / 1e6
    }

    fn span(&self) -> Result<Span, StudyError> {
        self.class.parse().map_err(|_| StudyError::Import(format!("'{}' is no class", self.class)))
    }
}

/// One configuration as read: the recipe's text, and the times of its calls in milliseconds or why there are none.
type Read = (String, Result<Vec<f64>, String>);

/// The lines that a study would have written of these.
fn contents(origin: &Origin, read: Vec<Read>) -> Result<Contents, StudyError> {
    let mut entries = Vec::new();
    let mut kernels: Vec<(String, Vec<f64>)> = Vec::new();
    for (routine, times) in read {
        match times {
            Err(reason) => entries.push(Entry::Rejected(Rejected { routine, stage: Stage::Run, reason })),
            Ok(times) if times.iter().all(|time| time.is_finite() && *time > 0.0) && !times.is_empty() => {
                kernels.push((routine, times));
            }
            Ok(times) => {
                return Err(StudyError::Import(format!("'{routine}' has no times above 0 ms: {times:?}")));
            }
        }
    }
    let most = kernels.iter().map(|(_, times)| times.len()).max().unwrap_or(0);
    for block in 0..most {
        let sample = |(routine, times): &(String, Vec<f64>)| {
            let outcome = Outcome::LogRatio(origin.log_ratio(*times.get(block)?));
            Some(Timing { routine: routine.clone(), outcome })
        };
        entries.push(Entry::Block(Block {
            class: origin.class.clone(),
            phase: Phase::Race,
            reference_ns: (origin.reference_ns != UNKNOWN_NS).then_some(origin.reference_ns),
            samples: kernels.iter().filter_map(sample).collect(),
        }));
    }
    Ok(Contents::new(Some(origin.header.clone()), entries))
}
