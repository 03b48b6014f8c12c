//! The few finalists timed again, in a fresh process with fresh buffers: the only numbers that may be published, because
//! nobody chose among them.

use super::TimeError;
use super::entrant::Entrant;
use super::live::{Figures, LiveJudge};
use super::settings::Settings;
use crate::run::isolate::{Outcome, isolate_unless};
use copysmith_kernels::Routine;
use copysmith_search::{Judge, Sample};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What one finalist did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// ln(its time / the reference's), one a block.
    pub log_ratios: Vec<f64>,
    /// The same for each situation alone, in the order of the settings'.
    pub situations: Vec<Vec<f64>>,
    /// Its speed in the first situation; `None` for a figure that no copy can reach.
    pub gigabytes_per_second: Option<f64>,
    /// What a call of it took there, in nanoseconds, the call loop's share included.
    pub nanoseconds: Option<f64>,
}

/// What the fresh process timed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Confirmation {
    /// One for each finalist, in the order given; or why it could not run.
    pub finalists: Vec<Result<Series, String>>,
    /// The log ratios of the reference against its clone, from the same process.
    pub clone: Vec<f64>,
    /// The reference's speed in the first situation.
    pub reference_gigabytes_per_second: Option<f64>,
    /// What a call of the reference took there, in nanoseconds.
    pub reference_nanoseconds: Option<f64>,
    /// What an empty call took there, in nanoseconds.
    pub overhead_nanoseconds: Option<f64>,
    /// What was dropped, as text.
    pub tally: String,
}

/// The finalists and the reference's clone in this many blocks each, in a forked process that ends after `limit` at the
/// latest. Give the settings another seed than the race had: the same calls would confirm the same luck. Once `stop` says so the
/// process is killed.
///
/// # Errors
/// [`TimeError`], when there is no such process or it gives no results; [`TimeError::Stopped`].
pub fn confirm(
    settings: &Settings,
    finalists: &[Routine],
    blocks: usize,
    limit: Duration,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Confirmation, TimeError> {
    fresh(limit, stop, || {
        let mut judge = LiveJudge::new(settings)?;
        let clone = judge.aa(blocks)?;
        let mut all = vec![Ok(Vec::with_capacity(blocks)); finalists.len()];
        for _ in 0..blocks {
            let samples = judge.block(finalists)?.into_iter().map(|sample| match sample {
                Sample::LogRatio(ratio) => Ok(ratio),
                Sample::Failed(why) => Err(why),
            });
            add(&mut all, samples);
        }
        let names: Vec<String> = finalists.iter().map(Routine::to_string).collect();
        Ok(gathered(&judge, clone, all, &names))
    })
}

/// The same for anybody.
///
/// # Errors
/// As [`confirm`].
pub fn compare(
    settings: &Settings,
    entrants: &[Entrant],
    blocks: usize,
    limit: Duration,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Confirmation, TimeError> {
    fresh(limit, stop, || {
        let mut judge = LiveJudge::new(settings)?;
        let clone = judge.aa(blocks)?;
        let mut all = vec![Ok(Vec::with_capacity(blocks)); entrants.len()];
        for _ in 0..blocks {
            add(&mut all, judge.entrants_block(entrants)?.into_iter());
        }
        let names: Vec<String> = entrants.iter().map(|entrant| entrant.name.clone()).collect();
        Ok(gathered(&judge, clone, all, &names))
    })
}

/// What the work gives in a process of its own.
fn fresh(
    limit: Duration,
    stop: &mut dyn FnMut() -> bool,
    work: impl FnOnce() -> Result<Confirmation, TimeError>,
) -> Result<Confirmation, TimeError> {
    let outcome = isolate_unless(limit, stop, || work().map_err(|error| error.to_string()));
    match outcome.map_err(TimeError::Process)?.ok_or(TimeError::Stopped)? {
        Outcome::Finished(outcome) => outcome.map_err(TimeError::Confirmation),
        Outcome::Signal(signal) => Err(TimeError::Died(signal)),
        Outcome::TimedOut(limit) => Err(TimeError::TimedOut(limit)),
        Outcome::Exited(code) => Err(TimeError::Confirmation(format!("the process ended with code {code}"))),
    }
}

/// One block more; who fails once has failed.
fn add(all: &mut [Result<Vec<f64>, String>], samples: impl Iterator<Item = Result<f64, String>>) {
    for (series, sample) in all.iter_mut().zip(samples) {
        match (series.as_mut(), sample) {
            (Ok(ratios), Ok(ratio)) => ratios.push(ratio),
            (Ok(_), Err(why)) => *series = Err(why),
            (Err(_), _) => {}
        }
    }
}

fn gathered(judge: &LiveJudge, clone: Vec<f64>, all: Vec<Result<Vec<f64>, String>>, names: &[String]) -> Confirmation {
    let series = all.into_iter().zip(names).map(|(series, name)| {
        let Figures { gigabytes_per_second, nanoseconds } = judge.figures(name);
        let situations = judge.breakdown(name).to_vec();
        series.map(|log_ratios| Series { log_ratios, situations, gigabytes_per_second, nanoseconds })
    });
    let reference = judge.reference_figures();
    Confirmation {
        finalists: series.collect(),
        clone,
        reference_gigabytes_per_second: reference.gigabytes_per_second,
        reference_nanoseconds: reference.nanoseconds,
        overhead_nanoseconds: judge.overhead_nanoseconds(),
        tally: judge.tally().to_string(),
    }
}
