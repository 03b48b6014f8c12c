//! The first line of a profile: where it comes from, and exact counts of all calls.

use super::call::SYMBOLS;
use super::counts::{Counts, LengthCount, bounds};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format that this copysmith writes and reads.
pub const SCHEMA: u32 = 1;

/// What is known of the whole program, one JSON line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The version of the format: [`SCHEMA`].
    #[serde(rename = "copysmith_profile")]
    pub schema: u32,
    /// What to call it.
    pub name: String,
    /// The command that was run, word by word; empty where several were merged or nothing was run.
    pub command: Vec<String>,
    /// How the calls were come by.
    pub source: String,
    /// The machine, as records key it.
    pub machine: Option<String>,
    /// The C library that the program ran with.
    pub libc: Option<String>,
    /// How long the program ran, in seconds, recorder and all.
    pub seconds: Option<f64>,
    /// Processor time of the program and its children, in seconds, recorder and all.
    pub cpu_seconds: Option<f64>,
    /// Programs started, counting each execution and each fork that copied anything.
    pub processes: u64,
    /// Threads that copied anything.
    pub threads: u64,
    /// All calls.
    pub calls: u64,
    /// The sum of their lengths.
    pub bytes: u64,
    /// All calls by symbol.
    pub functions: BTreeMap<String, u64>,
    /// All calls by length, ascending; only those that occur.
    pub lengths: Vec<LengthCount>,
    /// Calls have their distance where it is below this in either direction.
    pub distances_below: u64,
    /// Who called, as `object+0xoffset`; empty where callers were not kept.
    pub callers: Vec<String>,
    /// How many stretches follow.
    pub stretches: u64,
}

impl Header {
    /// Takes these counts for all calls.
    pub(super) fn set(&mut self, counts: &Counts) {
        self.calls = counts.calls();
        self.bytes = counts.bytes();
        self.functions = counts.functions();
        self.lengths = counts.lengths();
    }

    /// Whether the numbers agree with each other; else what is wrong and what is allowed.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.schema != SCHEMA {
            return Err(format!("schema {} is not known; only {SCHEMA} is", self.schema));
        }
        let plain = |text: &String| !text.chars().any(char::is_control);
        if !plain(&self.name) || self.name.is_empty() {
            return Err(format!(
                "name {:?} is not allowed; it has at least one character, none for control",
                self.name
            ));
        }
        for (name, seconds) in [("seconds", self.seconds), ("cpu_seconds", self.cpu_seconds)] {
            if seconds.is_some_and(|seconds| !seconds.is_finite() || seconds < 0.0) {
                return Err(format!("{name} {seconds:?} is not allowed; 0 or more is"));
            }
        }
        if let Some(symbol) = self.functions.keys().find(|symbol| !SYMBOLS.contains(&symbol.as_str())) {
            return Err(format!("function {symbol:?} is not known; {} are", SYMBOLS.join(", ")));
        }
        let mut least = 0;
        for &count in &self.lengths {
            let LengthCount { first, last, calls, bytes } = count;
            if first < least || bounds(first) != (first, last) {
                let (first_allowed, last_allowed) = bounds(first);
                return Err(format!(
                    "lengths {first} to {last} are not allowed here; they ascend, and these would be {first_allowed} to \
                     {last_allowed}"
                ));
            }
            least = last.saturating_add(1);
            let all = |length: u64| u128::from(length) * u128::from(calls);
            if calls == 0 || !(all(first)..=all(last)).contains(&u128::from(bytes)) {
                return Err(format!("{calls} calls of {first} to {last} bytes cannot have {bytes} bytes"));
            }
        }
        let sum = |numbers: &mut dyn Iterator<Item = u64>| numbers.map(u128::from).sum::<u128>();
        for (what, found, expected) in [
            ("calls by function", sum(&mut self.functions.values().copied()), self.calls),
            ("calls by length", sum(&mut self.lengths.iter().map(|count| count.calls)), self.calls),
            ("bytes by length", sum(&mut self.lengths.iter().map(|count| count.bytes)), self.bytes),
        ] {
            if found != u128::from(expected) {
                return Err(format!("{what} add up to {found}, and the whole is {expected}"));
            }
        }
        if let Some(caller) = self.callers.iter().find(|caller| !plain(caller)) {
            return Err(format!("caller {caller:?} is not allowed; it has no characters for control"));
        }
        Ok(())
    }
}
