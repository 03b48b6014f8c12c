//! Kernel Tuner's strategies on the same data, judged the same way.
//!
//! Kernel Tuner replays an exported cache (`drive.py`, which runs under a Python that has it); what it evaluated comes back
//! as lines and becomes the same rows as a replay's. Its time for a kernel is what counts as true here, without noise; each kernel that
//! it evaluates for the first time is one evaluation, again ones are free.

use super::exchange::to_kernel_tuner;
use super::replay::{Run, summed};
use super::{Class, Data, Row, StudyError};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

const DRIVER: &str = include_str!("drive.py");

/// What is asked of Kernel Tuner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drive {
    /// A Python that has it.
    pub python: PathBuf,
    /// Its strategies, by its names; all of them where empty.
    pub strategies: Vec<String>,
    /// Evaluations of each run.
    pub evaluations: usize,
    /// Runs of each strategy.
    pub repeats: usize,
    /// Seed of the first run.
    pub seed: u64,
    /// Most seconds of one run.
    pub seconds: u32,
}

/// What came of it in one class.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Driven {
    /// What ran, by name.
    pub versions: BTreeMap<String, String>,
    /// A row for each strategy that ended at least once.
    pub rows: Vec<Row>,
    /// What did not, and why.
    pub failures: Vec<Failure>,
    /// The recipe that each strategy's last run called the best, where it named one.
    pub best: BTreeMap<String, String>,
}

/// A run that failed or took too long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The class.
    pub class: String,
    /// The strategy.
    pub strategy: String,
    /// Which of its runs, from 1.
    pub run: usize,
    /// Why.
    pub why: String,
}

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    versions: BTreeMap<String, String>,
    strategy: Option<String>,
    #[serde(default)]
    repeat: usize,
    times: Option<Vec<Option<f64>>>,
    best: Option<String>,
    error: Option<String>,
}

/// Runs Kernel Tuner's strategies on one class.
///
/// # Errors
/// [`StudyError::Import`] where there is no such Python or it has no Kernel Tuner, with what to install.
pub fn drive(data: &Data, class: &Class, ask: &Drive) -> Result<Driven, StudyError> {
    let failed = |what: &str, error: &dyn std::fmt::Display| StudyError::Import(format!("{what}: {error}"));
    let python = ask.python.display().to_string();
    let mut cache =
        tempfile::Builder::new().suffix(".json").tempfile().map_err(|error| failed("no temporary file", &error))?;
    let text = to_kernel_tuner(&data.header, class)?;
    cache.write_all(text.as_bytes()).map_err(|error| failed("no temporary file", &error))?;
    let Drive { strategies, evaluations, repeats, seed, seconds, .. } = ask;
    let question = json!({
        "cache": cache.path(), "evaluations": evaluations, "repeats": repeats, "seed": seed, "seconds": seconds,
        "strategies": strategies,
    });
    let mut child = Command::new(&ask.python)
        .args(["-c", DRIVER, &question.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(&python, &error))?;
    // Read beside the results, or a child that complains a lot would wait for ever.
    let mut complaints = child.stderr.take().expect("it is piped");
    let complaints = std::thread::spawn(move || {
        let mut said = Vec::new();
        let _ = complaints.read_to_end(&mut said);
        String::from_utf8_lossy(&said).into_owned()
    });
    let mut lines = Vec::new();
    for line in BufReader::new(child.stdout.take().expect("it is piped")).lines() {
        let line = line.map_err(|error| failed(&python, &error))?;
        lines.push(serde_json::from_str::<Line>(&line).map_err(|error| failed("Kernel Tuner's driver", &error))?);
    }
    let status = child.wait().map_err(|error| failed(&python, &error))?;
    let said = complaints.join().unwrap_or_default();
    if !status.success() {
        let last = said.lines().last().unwrap_or("it said nothing").to_owned();
        let way_out = "python3 -m venv kt && kt/bin/pip install kernel-tuner==1.5.0, then --python kt/bin/python";
        return Err(StudyError::Import(format!("{python} does not run Kernel Tuner ({last}); {way_out}")));
    }
    Ok(gathered(class, ask, lines))
}

fn gathered(class: &Class, ask: &Drive, lines: Vec<Line>) -> Driven {
    let mut driven = Driven::default();
    let mut runs: Vec<(String, Vec<Run>)> = Vec::new();
    // The cache holds milliseconds; a row is about times relative to the reference's.
    let reference = class.reference_ns.map_or(1.0, |ns| ns / 1e6);
    for Line { versions, strategy, repeat, times, best, error } in lines {
        driven.versions.extend(versions);
        let Some(strategy) = strategy else { continue };
        match (times, error) {
            (Some(times), None) => {
                driven.best.extend(best.map(|best| (strategy.clone(), best)));
                let run = run(&times, reference, ask.evaluations);
                match runs.iter_mut().find(|(name, _)| *name == strategy) {
                    Some((_, all)) => all.push(run),
                    None => runs.push((strategy, vec![run])),
                }
            }
            (_, error) => driven.failures.push(Failure {
                class: class.span.to_string(),
                strategy,
                run: repeat + 1,
                why: error.unwrap_or_else(|| "it gave no times".to_owned()),
            }),
        }
    }
    driven.rows = runs
        .into_iter()
        .map(|(strategy, runs)| summed(class, format!("kernel-tuner {strategy}"), ask.evaluations, &runs))
        .collect();
    driven
}

/// The best so far after each evaluation, held to the end.
fn run(times: &[Option<f64>], reference: f64, evaluations: usize) -> Run {
    let mut best: Option<f64> = None;
    let mut answers: Vec<Option<f64>> = Vec::new();
    for time in times.iter().take(evaluations) {
        let time = time.map(|time| time / reference);
        best = [best, time].into_iter().flatten().reduce(f64::min);
        answers.push(best);
    }
    answers.resize(evaluations, best);
    Run { answers, chosen: best }
}
