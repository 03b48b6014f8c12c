//! What a tune is to do.

use super::deadline::CLASSES;
use super::{Destination, Effort, TuneError, check_spans, classes};
use crate::host::Host;
use crate::time::Recording;
use copysmith_kernels::{Isa, Span};
use std::time::Duration;

/// What a tune is to do.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How much is tried.
    pub effort: Effort,
    /// Seed of everything drawn.
    pub seed: u64,
    /// The CPU to time on; the highest-numbered one allowed by default.
    pub cpu: Option<usize>,
    /// Size classes, instead of those that follow the caches.
    pub spans: Option<Vec<Span>>,
    /// The largest instruction set, instead of what the processor has.
    pub isa: Option<Isa>,
    /// About how long a tune may take, two fifths of it for the races of the classes, instead of what the effort says.
    pub budget: Option<Duration>,
    /// What is done with an earlier record.
    pub begin: Begin,
    /// Recorded calls that the whole routine is for, and nothing else; without any it is for the shipped profiles, the mixes and
    /// single lengths alike.
    pub programs: Vec<Recording>,
    /// Whether what is copied is read soon after.
    pub destination: Destination,
}

/// What a tune does with the record of an earlier one in the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Begin {
    /// Goes on with it, or refuses one that is not from here and now.
    #[default]
    WhereItStopped,
    /// Leaves it under another name and begins a new one.
    Anew,
}

impl Options {
    /// The classes of a tune on this machine.
    ///
    /// # Errors
    /// [`TuneError::Spans`] where those given do not cover every length once.
    pub fn classes(&self, host: &Host) -> Result<Vec<Span>, TuneError> {
        match &self.spans {
            None => Ok(classes(&host.caches)),
            Some(spans) => check_spans(spans).map(|()| spans.clone()).map_err(TuneError::Spans),
        }
    }

    /// How long the races of one of so many classes may take, in seconds.
    pub(crate) fn class_seconds(&self, classes: usize) -> f64 {
        self.budget.map_or(self.effort.class_seconds(), |budget| budget.as_secs_f64() * CLASSES / classes as f64)
    }

    /// So much of what the effort would count in races of whole routines as the budget leaves, and no fewer than a race needs.
    pub(super) fn share_of(&self, count: usize) -> usize {
        const FEWEST: usize = 8;
        let share = self.budget.map_or(1.0, |budget| budget.as_secs_f64() / self.effort.seconds());
        ((count as f64 * share.min(1.0)) as usize).max(FEWEST)
    }
}
