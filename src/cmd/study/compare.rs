//! `copysmith study compare`: the strategies of this program and of Kernel Tuner on the same data.

use super::replay::table;
use crate::cmd::choice::one_of;
use crate::cmd::exit::Exit;
use crate::cmd::number::number;
use crate::cmd::output::{Format, FormatArgs, Output};
use crate::cmd::tune::DEFAULT_SEED;
use copysmith::study::compare::{Drive, Failure, drive};
use copysmith::study::score::default_budget;
use copysmith::study::{Noise, Replay, Row, load, replay};
use copysmith_search::strategy::Strategy;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Replay recorded data with the strategies of this program and of Kernel Tuner, at equal evaluations
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith study compare data --python kt/bin/python
  copysmith study compare data --python kt/bin/python --with genetic_algorithm --with simulated_annealing --repeats 5

Kernel Tuner 1.5.0 is not installed by this command: python3 -m venv kt && kt/bin/pip install kernel-tuner==1.5.0. Its strategies run at \
their defaults on what counts as true, without noise; so do those of this program, unless --noise says otherwise. Columns as in \
'study replay --help'. Runs that failed or took too long are listed below the table.")]
pub struct Args {
    /// Recorded data
    data: PathBuf,
    /// A Python that has Kernel Tuner
    #[arg(long, value_name = "PATH", default_value = "python3")]
    python: PathBuf,
    /// Strategies of Kernel Tuner [default: all but brute_force]
    #[arg(long = "with", value_name = "NAME")]
    strategies: Vec<String>,
    /// Evaluations of each run [default: as in 'study replay']
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number(1..=1_000_000_usize))]
    budget: Option<usize>,
    /// Runs of each strategy in each class
    #[arg(long, value_name = "N", default_value_t = 20, allow_negative_numbers = true, value_parser = number(1..=10_000_usize))]
    repeats: usize,
    /// Seed of the first run
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED, allow_negative_numbers = true, value_parser = number(0..=u64::from(u32::MAX)))]
    seed: u64,
    /// What this program's strategies are answered with
    #[arg(long, default_value_t = Noise::Free, value_parser = one_of(&[Noise::Free, Noise::Resampled]))]
    noise: Noise,
    /// Most seconds of one run of Kernel Tuner
    #[arg(long, value_name = "SECONDS", default_value_t = 60, allow_negative_numbers = true, value_parser = number(1..=86_400_u32))]
    seconds: u32,
    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Serialize)]
struct Compared {
    copysmith: &'static str,
    versions: BTreeMap<String, String>,
    noise: Noise,
    seed: u64,
    rows: Vec<Row>,
    failures: Vec<Failure>,
}

/// Replays both sides and prints one table, the best score first within each class.
///
/// # Errors
/// [`StudyError`](copysmith::study::StudyError), also where Kernel Tuner is not there.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    let data = load(&args.data)?;
    let Args { python, strategies, repeats, seed, noise, seconds, .. } = args;
    let (mut versions, mut rows, mut failures) = (BTreeMap::new(), Vec::new(), Vec::new());
    let bar = output.progress(data.classes.len() as u64, "classes");
    for class in &data.classes {
        let times: Vec<f64> = class.kernels.iter().map(|kernel| kernel.truth.exp()).collect();
        let evaluations = args.budget.unwrap_or_else(|| default_budget(&times));
        let (python, strategies) = (python.clone(), strategies.clone());
        let driven = drive(&data, class, &Drive { python, strategies, evaluations, repeats, seed, seconds })?;
        let ours = Replay { strategies: Strategy::ALL.to_vec(), noise, evaluations: Some(evaluations), repeats, seed };
        let only = copysmith::study::Data { header: data.header.clone(), classes: vec![class.clone()] };
        let mut of_class = replay(&only, &ours)?;
        of_class.extend(driven.rows);
        of_class.sort_by(|a, b| b.score.total_cmp(&a.score));
        rows.extend(of_class);
        versions.extend(driven.versions);
        failures.extend(driven.failures);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let copysmith = env!("CARGO_PKG_VERSION");
    match args.format.format() {
        Format::Json => output.json(&Compared { copysmith, versions, noise, seed, rows, failures })?,
        Format::Text => {
            let with: Vec<String> = versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
            let (machine, effort) = (&data.header.machine, &data.header.effort);
            output.text(format_args!(
                "{machine}, {effort}; copysmith {copysmith}, {}, seed {seed}\n\n",
                with.join(", ")
            ))?;
            table(&rows, output)?;
            for Failure { class, strategy, run, why } in &failures {
                output.text(format_args!("failed: {class} kernel-tuner {strategy}, run {run}: {why}\n"))?;
            }
        }
    }
    Ok(Exit::Done)
}
