//! What made a choice, so that a choice made by something else is noticed.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What made a choice. Winners of another provenance are stale: their recipes may mean other code today.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// The version of copysmith.
    pub copysmith: String,
    /// A hash over the code that the emitter gives.
    pub emitter: String,
    /// A hash over the recipes that were searched.
    pub space: String,
}

impl Provenance {
    /// What is different now, named; empty where nothing is.
    pub fn differences(&self, now: &Provenance) -> Vec<Difference> {
        [
            ("copysmith version", &self.copysmith, &now.copysmith),
            ("emitter", &self.emitter, &now.emitter),
            ("search space", &self.space, &now.space),
        ]
        .into_iter()
        .filter(|(_, recorded, now)| recorded != now)
        .map(|(what, recorded, now)| Difference { what, recorded: recorded.clone(), now: now.clone() })
        .collect()
    }
}

/// One thing that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which thing.
    pub what: &'static str,
    /// What it was.
    pub recorded: String,
    /// What it is.
    pub now: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} was {} and is {}", self.what, self.recorded, self.now)
    }
}
