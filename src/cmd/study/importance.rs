//! `copysmith study importance`: which axes decide.

use crate::cmd::exit::Exit;
use crate::cmd::number::number;
use crate::cmd::output::{Format, FormatArgs, Output};
use crate::cmd::tune::DEFAULT_SEED;
use copysmith::print::write::write;
use copysmith::study::plot::{Words, bars};
use copysmith::study::{Importance, Minimal, importance, load, minimal};
use serde::Serialize;
use std::path::PathBuf;

/// Say which axes decide how fast a kernel is, and which values a smaller space could do without
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith study importance data
  copysmith study importance data --svg axes.svg --json

Shares of the variance of log ratios: what a random forest loses on kernels it has not seen when an axis is permuted. An axis's share \
has its interactions in it; a pair's is what only both together explain. The smaller space keeps a kernel within 1 % of the best of \
each class.")]
pub struct Args {
    /// Recorded data
    data: PathBuf,
    /// Seed of forests and permutations
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED, allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    seed: u64,
    /// Draw the mean shares of all classes to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Serialize)]
struct Answer {
    machine: String,
    seed: u64,
    classes: Vec<Importance>,
    minimal: Minimal,
}

/// Prints the shares of each class and the smaller space.
///
/// # Errors
/// [`StudyError`](copysmith::study::StudyError), or a file that cannot be written.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    let data = load(&args.data)?;
    let classes = data.classes.iter().map(|class| importance(class, args.seed)).collect::<Result<Vec<_>, _>>()?;
    if let Some(path) = &args.svg {
        let caption = format!("{}: share of the variance, mean of {} classes", data.header.machine, classes.len());
        write(path, &bars(&means(&classes), Words { caption: &caption, x: "interactions included", y: "" })?)?;
    }
    let answer = Answer {
        machine: data.header.machine.clone(),
        seed: args.seed,
        minimal: minimal(&data.classes, 0.01),
        classes,
    };
    match args.format.format() {
        Format::Json => output.json(&answer)?,
        Format::Text => print(&answer, output)?,
    }
    Ok(Exit::Done)
}

/// The mean share of each axis, largest first; an axis that a class does not vary counts as 0 there.
fn means(classes: &[Importance]) -> Vec<(String, f64)> {
    let mut means: Vec<(String, f64)> = Vec::new();
    for (name, share) in classes.iter().flat_map(|class| &class.axes) {
        match means.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => *sum += share / classes.len() as f64,
            None => means.push((name.clone(), share / classes.len() as f64)),
        }
    }
    means.sort_by(|a, b| b.1.total_cmp(&a.1));
    means
}

fn print(answer: &Answer, output: &mut Output) -> anyhow::Result<()> {
    let per_cent = |share: f64| format!("{:.1} %", 100.0 * share);
    let mut rows = Vec::new();
    for class in &answer.classes {
        for (name, share) in &class.axes {
            rows.push([class.class.clone(), name.clone(), per_cent(*share)]);
        }
        for (one, other, share) in class.pairs.iter().filter(|(.., share)| *share >= 0.01).take(5) {
            rows.push([class.class.clone(), format!("{one} x {other}"), per_cent(*share)]);
        }
    }
    output.text(format_args!("{}, seed {}\n", answer.machine, answer.seed))?;
    for Importance { class, kernels, explained, .. } in &answer.classes {
        output.text(format_args!(
            "{class}: {kernels} kernels, of whose variance {} is explained\n",
            per_cent(*explained)
        ))?;
    }
    output.text("\n")?;
    output.table(["class", "axis", "share"], &rows)?;
    output.text("\na space as good within 1 %:\n")?;
    let axes: Vec<[String; 2]> =
        answer.minimal.axes.iter().map(|(name, values)| [name.clone(), values.join(" ")]).collect();
    output.table(["axis", "values"], &axes)?;
    for (class, before, left, regret) in &answer.minimal.classes {
        output.text(format_args!("{class}: {left} of {before} kernels, the best {} slower\n", per_cent(*regret)))?;
    }
    Ok(())
}
