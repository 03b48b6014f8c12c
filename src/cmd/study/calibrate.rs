//! `copysmith study calibrate`: how far the numbers of a tune can be trusted here.

use crate::cmd::choice::one_of;
use crate::cmd::exit::Exit;
use crate::cmd::number::number;
use crate::cmd::output::{Format, FormatArgs, Output};
use crate::cmd::spans::Spans;
use crate::cmd::tune::DEFAULT_SEED;
use crate::cmd::tuning::Bar;
use copysmith::host::Host;
use copysmith::record::{Interrupt, Interrupted};
use copysmith::study::{Amount, Calibration, StudyError, calibrate};
use copysmith::time::Pin;
use copysmith::tune::{Effort, classes};
use copysmith_kernels::Span;

/// Measure how often the intervals and the races of a tune are right on this machine
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith study calibrate --classes 17..=32,257..=512 --effort quick
  copysmith study calibrate --effort quick --effort normal --reruns 5 --json

Columns: false: windows of the reference against its own clone whose 95 % interval leaves out zero (5 % is right); 3 % found: those in \
which a planted difference of 3 % is told apart; coverage: windows of kernels whose interval holds the mean of all other blocks (95 % is \
right); same, agree: pairs of races with the same pick, with picks that tie; Jaccard of tie sets; tied: share of the candidates in \
the tie set; optimism: how much faster the race said the winner is than a fresh process.")]
pub struct Args {
    /// Size classes, in order [default: those of a tune]
    #[arg(long, value_name = "LIST", value_parser = Spans::apart)]
    classes: Option<Spans>,
    /// Efforts; may be given more than once
    #[arg(long = "effort", default_value = "quick", value_parser = one_of(&Effort::ALL))]
    efforts: Vec<Effort>,
    /// Windows of the reference against its clone, and of each kernel
    #[arg(long, value_name = "N", default_value_t = 60, allow_negative_numbers = true, value_parser = number(2..=10_000_usize))]
    trials: usize,
    /// Races of each class
    #[arg(long, value_name = "N", default_value_t = 4, allow_negative_numbers = true, value_parser = number(1..=1000_usize))]
    reruns: usize,
    /// Seed of everything drawn
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED, allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    seed: u64,
    /// Measure on this processor, by number
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number(0..=usize::MAX))]
    cpu: Option<usize>,
    #[command(flatten)]
    format: FormatArgs,
}

/// Calibrates and prints a row for each effort and class.
///
/// # Errors
/// [`StudyError`], or [`Interrupted`].
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    let host = Host::read();
    Pin::check(args.cpu)?;
    let mut bar = Bar::new(output, Interrupt::install()?);
    let spans: Vec<Span> = args.classes.map_or_else(|| classes(&host.caches), |spans| spans.as_slice().to_vec());
    let Args { trials, reruns, seed, cpu, .. } = args;
    let mut rows = Vec::new();
    for &effort in &args.efforts {
        for &span in &spans {
            match calibrate(&host, span, effort, Amount { trials, reruns, seed, cpu }, &mut bar) {
                Err(StudyError::Interrupted) => {
                    bar.finish();
                    return Err(anyhow::Error::new(Interrupted).context("interrupted; nothing of it is kept"));
                }
                row => rows.push(row?),
            }
        }
    }
    bar.finish();
    match args.format.format() {
        Format::Json => output.json(&rows)?,
        Format::Text => {
            output.text(format_args!("{}, {trials} windows, {reruns} races, seed {seed}\n", host.machine()))?;
            for warning in &host.warnings {
                output.text(format_args!("warning: {warning}\n"))?;
            }
            output.text("\n")?;
            let headings =
                ["effort", "class", "false", "3 % found", "coverage", "same", "agree", "Jaccard", "tied", "optimism"];
            output.table(headings, &rows.iter().map(line).collect::<Vec<_>>())?;
        }
    }
    Ok(Exit::Done)
}

fn line(row: &Calibration) -> [String; 10] {
    let per_cent = |share: f64| format!("{:.1} %", 100.0 * share);
    [
        row.effort.clone(),
        row.class.clone(),
        per_cent(row.false_positives),
        per_cent(row.planted_found),
        per_cent(row.coverage),
        per_cent(row.stability.same),
        per_cent(row.stability.agree),
        format!("{:.2}", row.stability.jaccard),
        per_cent(row.stability.tied),
        per_cent(row.optimism),
    ]
}
