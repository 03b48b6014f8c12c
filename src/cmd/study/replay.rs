//! `copysmith study replay`: every strategy against recorded data.

use crate::cmd::choice::one_of;
use crate::cmd::exit::Exit;
use crate::cmd::number::number;
use crate::cmd::output::{Format, FormatArgs, Output};
use crate::cmd::tune::DEFAULT_SEED;
use clap::builder::PossibleValuesParser;
use copysmith::print::write::{write, write_bytes};
use copysmith::study::plot::{Curve, Words, curves};
use copysmith::study::{Noise, Replay, Row, load, relive, replay};
use copysmith_search::strategy::Strategy;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Search recorded data with every strategy, many times, and say how soon each finds the best
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith study replay data
  copysmith study replay data --strategy surrogate --strategy random --budget 60 --csv rows.csv --svg curves.svg
  copysmith study replay tuned/record/amd-1ah-02h --noise recorded

An evaluation is a look at one kernel: 8 samples. Columns: regret of the choice at the end, mean and worst; runs that chose within 1 %; \
evaluations until the answer first was within 1 % (median), and expected running time (all evaluations over the runs that got there); \
performance score: 0 is random search, 1 the optimum at once (doi 10.1016/j.future.2024.05.021).
With --noise recorded a tune's own races are run again from its record, and the winners compared.")]
pub struct Args {
    /// Recorded data
    data: PathBuf,
    /// Strategies, or all; may be given more than once
    #[arg(long = "strategy", value_name = "NAME", default_value = "all", value_parser = strategy())]
    strategies: Vec<String>,
    /// Evaluations of each run [default: what random search needs to come within 5 % of the way from the median to the best]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number(1..=1_000_000_usize))]
    budget: Option<usize>,
    /// Runs of each strategy in each class
    #[arg(long, value_name = "N", default_value_t = 100, allow_negative_numbers = true, value_parser = number(1..=100_000_usize))]
    repeats: usize,
    /// Seed of the first run
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED, allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    seed: u64,
    /// Answers: resampled blocks, none but the mean, or as they were recorded
    #[arg(long, default_value_t = Noise::Resampled, value_parser = one_of(&Noise::ALL))]
    noise: Noise,
    /// Write the rows to this file as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the mean regret over evaluations, over all classes, to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Serialize)]
struct Replayed<'a> {
    machine: &'a str,
    version: &'a str,
    noise: Noise,
    seed: u64,
    rows: &'a [Row],
}

/// Replays and prints.
///
/// # Errors
/// [`StudyError`](copysmith::study::StudyError), or a file that cannot be written.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    let data = load(&args.data)?;
    if args.noise == Noise::Recorded {
        return again(&data, args.format, output);
    }
    let strategies = match args.strategies.iter().any(|name| name == "all") {
        true => Strategy::ALL.to_vec(),
        false => args.strategies.iter().map(|name| name.parse()).collect::<Result<_, _>>()?,
    };
    let Args { noise, repeats, seed, .. } = args;
    let rows = replay(&data, &Replay { strategies, noise, evaluations: args.budget, repeats, seed })?;
    if let Some(path) = &args.csv {
        write_csv(path, &rows)?;
    }
    if let Some(path) = &args.svg {
        write(path, &drawn(&rows)?)?;
    }
    let header = &data.header;
    match args.format.format() {
        Format::Json => {
            output.json(&Replayed { machine: &header.machine, version: &header.version, noise, seed, rows: &rows })?;
        }
        Format::Text => {
            output.text(format_args!("{}, {}, noise {noise}, seed {seed}\n\n", header.machine, header.effort))?;
            table(&rows, output)?;
        }
    }
    Ok(Exit::Done)
}

/// The table of rows, for this verb and for those that compare.
pub(super) fn table(rows: &[Row], output: &mut Output) -> anyhow::Result<()> {
    let headings =
        ["class", "strategy", "budget", "regret", "worst", "within 1 %", "to 1 %", "expected", "seconds", "score"];
    let per_cent = |share: f64| format!("{:.2} %", 100.0 * share);
    let count = |count: Option<f64>| count.map_or_else(|| "never".to_owned(), |count| format!("{count:.0}"));
    let line = |row: &Row| {
        [
            row.class.clone(),
            row.strategy.clone(),
            row.evaluations.to_string(),
            per_cent(row.regret),
            per_cent(row.worst_regret),
            format!("{:.0} %", 100.0 * row.success),
            count(row.to_within),
            count(row.expected),
            row.expected_seconds.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.3}")),
            format!("{:.3}", row.score),
        ]
    };
    output.table(headings, &rows.iter().map(line).collect::<Vec<_>>())
}

fn write_csv(path: &Path, rows: &[Row]) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "class",
        "strategy",
        "evaluations",
        "runs",
        "regret",
        "worst_regret",
        "success",
        "to_within",
        "expected",
        "expected_seconds",
        "score",
    ])?;
    let some = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    for row in rows {
        writer.write_record([
            row.class.clone(),
            row.strategy.clone(),
            row.evaluations.to_string(),
            row.runs.to_string(),
            row.regret.to_string(),
            row.worst_regret.to_string(),
            row.success.to_string(),
            some(row.to_within),
            some(row.expected),
            some(row.expected_seconds),
            row.score.to_string(),
        ])?;
    }
    let bytes = writer.into_inner().map_err(|error| anyhow::anyhow!("{error}"))?;
    write_bytes(path, &bytes)?;
    Ok(())
}

/// The mean regret of each strategy over all classes, by the share of the budget, since budgets differ by class.
fn drawn(rows: &[Row]) -> anyhow::Result<String> {
    const POINTS: usize = 50;
    let mut lines: Vec<Curve> = Vec::new();
    for name in rows.iter().map(|row| &row.strategy) {
        if lines.iter().any(|line| line.label == *name) {
            continue;
        }
        let of: Vec<&Row> = rows.iter().filter(|row| row.strategy == *name && !row.curve.is_empty()).collect();
        let at = |point: usize| {
            let regret = |row: &&Row| row.curve[((row.curve.len() * point).div_ceil(POINTS)).max(1) - 1];
            (100.0 * point as f64 / POINTS as f64, 100.0 * of.iter().map(regret).sum::<f64>() / of.len() as f64)
        };
        lines.push(Curve { label: name.clone(), points: (1..=POINTS).map(at).collect() });
    }
    let words = Words {
        caption: "regret of the answer so far, mean of all classes",
        x: "% of the budget",
        y: "% slower than the best",
    };
    Ok(curves(&lines, words)?)
}

/// A tune's races again, and whether they end the same.
fn again(data: &copysmith::study::Data, format: FormatArgs, output: &mut Output) -> anyhow::Result<Exit> {
    let races = relive(data)?;
    let same = races.iter().all(copysmith::study::Relived::is_same);
    match format.format() {
        Format::Json => output.json(&races)?,
        Format::Text => {
            let line = |race: &copysmith::study::Relived| {
                let verdict = if race.is_same() { "same" } else { "DIFFERENT" };
                let replayed = race.replayed.clone().unwrap_or_else(|| "nobody".to_owned());
                [race.class.clone(), verdict.to_owned(), race.live.clone(), replayed]
            };
            output.table(["class", "winner", "live", "replayed"], &races.iter().map(line).collect::<Vec<_>>())?;
        }
    }
    Ok(if same { Exit::Done } else { Exit::Failed })
}

fn strategy() -> PossibleValuesParser {
    PossibleValuesParser::new(
        std::iter::once("all".to_owned()).chain(Strategy::ALL.map(|strategy| strategy.to_string())),
    )
}
