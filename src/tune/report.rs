//! What a tune found, as data: the command prints it as a table or as JSON.

use super::tradeoff::Trade;
use crate::host::Warning;
use crate::record::{InSituation, Worst};
use copysmith_kernels::{Recipe, Routine, Span};
use serde::{Serialize, Serializer};
use std::fmt::Display;
use std::path::PathBuf;

/// What a tune found.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The machine's key.
    pub machine: String,
    /// What makes the numbers doubtful, before any of them.
    pub warnings: Vec<Warning>,
    /// The CPU everything was timed on.
    pub cpu: Option<usize>,
    /// How much was tried.
    pub effort: super::Effort,
    /// The seed.
    pub seed: u64,
    /// One for each class, in order of their lengths.
    pub classes: Vec<ClassReport>,
    /// The function for every length.
    pub routine: RoutineReport,
    /// From which length on the routine copies around the caches, in bytes; `None` where it never does.
    pub non_temporal_from: Option<usize>,
    /// What was written.
    pub files: Vec<PathBuf>,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// The winner of a class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassReport {
    /// The class.
    #[serde(serialize_with = "text")]
    pub span: Span,
    /// The winner.
    #[serde(serialize_with = "text")]
    pub winner: Recipe,
    /// Its confirmed figures.
    pub figures: Figures,
    /// How many candidates could not be told from it, itself included.
    pub tied: usize,
    /// How many were timed.
    pub candidates: usize,
    /// How many were refused before, or failed.
    pub refused: usize,
}

/// The function for every length.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RoutineReport {
    /// The routine.
    #[serde(serialize_with = "text")]
    pub winner: Routine,
    /// Its confirmed figures, over everything that its score is made of, losses not counted more.
    pub figures: Figures,
    /// How many trees could not be told from it, itself included.
    pub tied: usize,
    /// How many were timed.
    pub candidates: usize,
    /// Where it is slower than the system's memcpy, of everything its score is made of, the worst first.
    pub slower: Vec<InSituation>,
    /// The routines of the races that no other one was as good as in everything.
    pub trade_off: Vec<Trade>,
}

/// Confirmed figures of one contestant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Its time divided by that of the system's memcpy: below 1 is faster.
    pub ratio: f64,
    /// Lower end of the ratio's 95 % interval.
    pub low: f64,
    /// Upper end of the ratio's 95 % interval.
    pub high: f64,
    /// Interleaved blocks it rests on.
    pub blocks: usize,
    /// Log speed-up at selection minus at confirmation; `None` for the whole routine, whose race counts losses more.
    pub optimism: Option<f64>,
    /// The noise floor of the run, as a log ratio.
    pub noise_floor: f64,
    /// Its speed, in bytes a nanosecond; for display.
    pub gigabytes_per_second: Option<f64>,
    /// Where it is slowest, of the relative page offsets that were measured alone; `None` for short lengths.
    pub worst: Option<Worst>,
}

fn text<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}
