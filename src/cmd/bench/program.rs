//! `copysmith bench program`: a program with and without a preloaded library.

use crate::cmd::exit::Exit;
use crate::cmd::number::number;
use crate::cmd::output::{Format, FormatArgs, Output};
use anyhow::Context;
use copysmith::bench::Ratio;
use copysmith::bench::program::{Pairs, Request, drop_in, pairs};
use copysmith::record::{Interrupt, Interrupted};
use copysmith_search::stats::{Comparison, Verdict};
use serde::Serialize;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// A program with and without a preloaded library, in interleaved pairs of runs
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith bench program -- git log -p
  copysmith bench program --library ./libcopy.so --pairs 60 --json -- gcc -O2 -c big.c -o /dev/null

The ratio is the time with the library over that without; a tie is a result. The program's input is empty, what it prints goes \
nowhere, and it must end with the same exit status every time. Ctrl-C gives up the pair in flight, and those before it count.")]
pub struct Args {
    /// The library that is preloaded in one run of each pair [default: libcopysmith_dropin.so beside this command]
    #[arg(long, value_name = "LIBRARY")]
    library: Option<PathBuf>,
    /// Pairs of runs
    #[arg(long, value_name = "N", default_value_t = 20, allow_negative_numbers = true, value_parser = number(3..=100_000_u32))]
    pairs: u32,
    /// Seed of the orders
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    seed: u64,
    #[command(flatten)]
    format: FormatArgs,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// What is printed as JSON.
#[derive(Debug, Serialize)]
struct Printed {
    command: Vec<String>,
    library: String,
    /// Seconds of each pair's run without the library.
    without: Vec<f64>,
    /// Seconds of each pair's run with it.
    with: Vec<f64>,
    /// `null` below three pairs.
    ratio: Option<Ratio>,
    verdict: String,
}

/// Runs the pairs and prints what they come to.
///
/// # Errors
/// Runs that cannot be compared, or [`Interrupted`], with the pairs until then printed.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    let wanted = args.pairs as usize;
    let library = match args.library {
        Some(library) => library,
        None => drop_in(&env::current_exe().context("where this command is")?)?,
    };
    let mut words = args.program.into_iter();
    let request = Request {
        program: words.next().unwrap_or_default(),
        arguments: words.collect(),
        library,
        pairs: wanted,
        seed: args.seed,
    };
    let interrupt = Interrupt::install()?;
    let bar = output.progress(wanted as u64, "pairs");
    let timed = pairs(&request, || interrupt.is_asked(), || bar.inc(1));
    bar.finish_and_clear();
    let timed = timed?;
    match args.format.format() {
        Format::Json => output.json(&printed(&request, &timed))?,
        Format::Text => output.text(text(&timed))?,
    }
    output.finish()?;
    if timed.with.len() < wanted {
        let done = format!("interrupted; {} of {wanted} pairs were run", timed.with.len());
        return Err(anyhow::Error::new(Interrupted).context(done));
    }
    Ok(Exit::Done)
}

fn ratio(Comparison { estimate, .. }: &Comparison) -> Option<Ratio> {
    let ratio = Ratio { ratio: estimate.mean.exp(), low: estimate.low.exp(), high: estimate.high.exp() };
    estimate.se.is_finite().then_some(ratio)
}

fn printed(request: &Request, timed: &Pairs) -> Printed {
    let words = std::iter::once(&request.program).chain(&request.arguments);
    let comparison = timed.comparison();
    Printed {
        command: words.map(|word| word.to_string_lossy().into_owned()).collect(),
        library: request.library.display().to_string(),
        without: timed.without.clone(),
        with: timed.with.clone(),
        ratio: ratio(&comparison),
        verdict: comparison.verdict.to_string(),
    }
}

fn text(timed: &Pairs) -> String {
    if timed.with.is_empty() {
        return String::new();
    }
    let comparison = timed.comparison();
    let (without, with) = timed.medians();
    let medians =
        format!("{} pairs; medians: {without:.4} s without the library, {with:.4} s with it\n", timed.with.len());
    let Some(Ratio { ratio, low, high }) = ratio(&comparison) else {
        return format!("{medians}too few pairs for a ratio\n");
    };
    let verdict = match comparison.verdict {
        Verdict::Tie => "a tie: not told apart",
        Verdict::Faster => "faster with the library",
        Verdict::Slower => "slower with the library",
    };
    format!("{medians}ratio {ratio:.4}, 95 % interval {low:.4} to {high:.4}: {verdict}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_and_too_few_pairs_are_told_as_such() {
        let pairs = |with: &[f64]| Pairs { without: vec![1.0; with.len()], with: with.to_vec() };
        let faster = text(&pairs(&[0.9, 0.91, 0.89, 0.9]));
        assert!(
            faster.starts_with("4 pairs; medians: 1.0000 s without the library, 0.9000 s with it\nratio 0.9"),
            "{faster}"
        );
        assert!(faster.ends_with(": faster with the library\n"));
        assert!(text(&pairs(&[1.1, 0.9, 1.05, 0.96])).ends_with(": a tie: not told apart\n"));
        assert!(text(&pairs(&[0.9, 0.9])).ends_with("too few pairs for a ratio\n"));
        assert_eq!(text(&Pairs::default()), "");
    }
}
