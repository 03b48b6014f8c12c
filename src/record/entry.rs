//! The lines of a journal, as data. One schema serves tuning and research.
//!
//! Routines and classes stand here as text: a record outlives the version that wrote it, and a text that today's
//! version cannot parse must still be readable.

use super::header::{Header, Mismatch};
use super::measurement::{finite, finite_or_absent, log_ratio};
use serde::{Deserialize, Serialize};

/// One line of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Entry {
    /// Where and with what everything below was measured; the first line, and only the first.
    Header(Header),
    /// A later run went on where something worth knowing had changed.
    Resumed(Resumed),
    /// One interleaved pass over all contestants.
    Block(Block),
    /// A candidate that is out for good.
    Rejected(Rejected),
    /// How a race ended.
    Race(Race),
    /// What a candidate did in each situation alone.
    Breakdown(Breakdown),
    /// What a held-out confirmation run found.
    Confirmed(Confirmed),
}

/// What had changed when a run went on with an earlier record, none of it fatal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resumed {
    /// The fields that differ from the header.
    pub changed: Vec<Mismatch>,
}

/// What a block was measured for. Samples of different phases are never pooled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The reference against its own clone: how loud the noise is.
    Gate,
    /// Choosing.
    Race,
    /// The held-out run whose numbers are published.
    Confirmation,
}

/// One interleaved pass over all contestants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// The size class that was raced.
    pub class: String,
    /// What for.
    pub phase: Phase,
    /// What one call of the reference took, in nanoseconds; absent where the judge knows ratios only.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "finite_or_absent")]
    pub reference_ns: Option<f64>,
    /// One sample for each contestant, in the order in which the search named them.
    pub samples: Vec<Timing>,
}

/// What one contestant did in one block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Its canonical text.
    pub routine: String,
    /// What it did.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// A measured ratio, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Natural logarithm of its time divided by the reference's time in the same block: negative is faster.
    LogRatio(#[serde(with = "log_ratio")] f64),
    /// It cannot run: why.
    Failed(String),
}

/// Which check a candidate failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The proof of the plan.
    Plan,
    /// Emitting the code, or the proof of the code.
    Code,
    /// The run gate.
    Run,
    /// It crashed, hung or failed while it was timed.
    Timing,
    /// It is right, and very slow at some relative page offset of its operands.
    Offset,
}

/// A candidate that is out for good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    /// Its canonical text.
    pub routine: String,
    /// What it failed.
    pub stage: Stage,
    /// How, with the input that showed it.
    pub reason: String,
}

/// How a race ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Race {
    /// The size class.
    pub class: String,
    /// The routine chosen.
    pub winner: String,
    /// Those that could not be told from it, without itself; the best of them first.
    pub tied: Vec<String>,
    /// How many candidates were timed.
    pub candidates: u32,
    /// How many were refused before, or failed while being timed.
    pub refused: u32,
    /// Blocks that counted.
    pub blocks: u32,
    /// The winner's log ratio against the reference as the race scored it: optimistic, never published.
    #[serde(with = "log_ratio")]
    pub log_ratio: f64,
    /// The noise floor, as a log ratio.
    #[serde(with = "log_ratio")]
    pub noise_floor: f64,
}

/// What a candidate did in each of the situations that its score is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Breakdown {
    /// The size class.
    pub class: String,
    /// What for.
    pub phase: Phase,
    /// The candidate's canonical text.
    pub routine: String,
    /// One for each situation, in their order.
    pub situations: Vec<InSituation>,
}

/// A log ratio against the reference in one situation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InSituation {
    /// What was timed.
    pub situation: String,
    /// Negative is faster.
    #[serde(with = "log_ratio")]
    pub log_ratio: f64,
    /// Lower end of the 95 % interval; absent where too few blocks were timed for one.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "finite_or_absent")]
    pub low: Option<f64>,
    /// Upper end of the 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "finite_or_absent")]
    pub high: Option<f64>,
}

/// What a held-out confirmation run found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Confirmed {
    /// The size class.
    pub class: String,
    /// The routine.
    pub routine: String,
    /// Blocks that counted.
    pub blocks: u32,
    /// Its log ratio against the reference: negative is faster.
    #[serde(with = "log_ratio")]
    pub log_ratio: f64,
    /// Lower end of the interval of `log_ratio`.
    #[serde(serialize_with = "finite")]
    pub low: f64,
    /// Upper end of the interval of `log_ratio`.
    #[serde(serialize_with = "finite")]
    pub high: f64,
    /// The noise floor of the run, as a log ratio.
    #[serde(with = "log_ratio")]
    pub noise_floor: f64,
    /// Log speed-up at selection minus log speed-up here: positive when the race promised too much. Absent where the selection
    /// scored something else than this ratio.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "finite_or_absent")]
    pub optimism: Option<f64>,
    /// Its speed in bytes a nanosecond; absent where the figure cannot be.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "finite_or_absent")]
    pub gigabytes_per_second: Option<f64>,
    /// Where it is slowest; absent for short lengths, where offsets do not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<Worst>,
}

/// The slowest relative page offset.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Worst {
    /// `(dst - src) mod 4096`.
    pub offset: u16,
    /// The speed there, in bytes a nanosecond.
    #[serde(serialize_with = "finite")]
    pub gigabytes_per_second: f64,
}
