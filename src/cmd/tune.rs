//! `copysmith tune`: the search for the best routine of each size class on this machine.

use super::output::FormatArgs;
use super::spans::Spans;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use copysmith_kernels::Isa;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The seed where none is given: any number does as long as it is always the same.
pub const DEFAULT_SEED: u64 = 1;

/// Find the fastest proven routine for each size class on this machine, and record it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith tune --effort quick --dry-run
  copysmith tune --spans 0..=64,65..=512,513.. --cpu 1
  copysmith tune --isa sse2 --budget 600 --record /tmp/record

A run that is stopped goes on where it was when the same command is given again.")]
pub struct Args {
    /// How long to search
    #[arg(long, value_enum, default_value_t = Effort::Normal)]
    effort: Effort,
    /// Seed of the search; the same seed asks the same questions
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    seed: u64,
    /// Measure on this processor, by number
    #[arg(long, value_name = "N")]
    cpu: Option<u32>,
    /// Size classes, in order, that leave no length out, as 0..=64,65..
    #[arg(long, value_name = "LIST", value_parser = Spans::whole)]
    spans: Option<Spans>,
    /// Use this instruction set and those before it, even where the machine has more
    #[arg(long, value_parser = isa())]
    isa: Option<Isa>,
    /// Keep the record in this directory
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Write the table to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Say what would be searched, and measure nothing
    #[arg(long)]
    dry_run: bool,
    /// Start no new race after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = budget)]
    budget: Option<Duration>,
    #[command(flatten)]
    format: FormatArgs,
}

/// How long a search goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Effort {
    /// A first impression
    Quick,
    /// A table to use
    Normal,
    /// A table to check in
    Patient,
    /// Every recipe of the space
    Exhaustive,
}

/// Its name on the command line, which is its name in records.
impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_possible_value();
        f.write_str(value.as_ref().map_or("", |value| value.get_name()))
    }
}

/// Lists the values in help and completions, which a plain `FromStr` would not.
fn isa() -> impl TypedValueParser<Value = Isa> {
    PossibleValuesParser::new(Isa::ALL.map(|isa| isa.to_string())).try_map(|name| name.parse::<Isa>())
}

fn budget(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(0) => Err("no time is left to measure anything; give at least 1 second".to_owned()),
        Ok(seconds) => Ok(Duration::from_secs(seconds)),
        Err(_) => Err("a budget is a whole number of seconds, at least 1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Alone {
        #[command(flatten)]
        args: Args,
    }

    fn parsed(line: &str) -> Result<Args, String> {
        let words = std::iter::once("tune").chain(line.split_whitespace());
        Alone::try_parse_from(words).map(|alone| alone.args).map_err(|error| error.to_string())
    }

    #[test]
    fn everything_has_a_default() {
        let args = parsed("").unwrap();
        assert_eq!((args.effort, args.seed, args.isa), (Effort::Normal, DEFAULT_SEED, None));
        assert!(args.spans.is_none() && args.budget.is_none() && !args.dry_run);
    }

    #[test]
    fn every_option_is_taken() {
        let line = "--effort patient --seed 7 --cpu 1 --spans 0..=9,10.. --isa avx --record r --out o --dry-run --json \
                    --budget 60";
        let args = parsed(line).unwrap();
        assert_eq!((args.effort, args.seed, args.cpu, args.isa), (Effort::Patient, 7, Some(1), Some(Isa::Avx)));
        assert_eq!(args.spans.unwrap().as_slice().len(), 2);
        assert_eq!(args.budget, Some(Duration::from_secs(60)));
    }

    #[test]
    fn a_budget_of_nothing_and_spans_with_a_gap_are_refused_with_the_reason() {
        assert!(parsed("--budget 0").unwrap_err().contains("give at least 1 second"));
        assert!(parsed("--budget 1.5").unwrap_err().contains("whole number of seconds"));
        assert!(parsed("--spans 0..=9,11..").unwrap_err().contains("10..=10 are left out"));
        assert!(parsed("--isa avx2").unwrap_err().contains("sse2, avx, avx512"));
        assert!(parsed("--effort fast").unwrap_err().contains("quick, normal, patient, exhaustive"));
    }

    #[test]
    fn an_effort_has_the_same_name_everywhere() {
        let names: Vec<String> = Effort::value_variants().iter().map(Effort::to_string).collect();
        assert_eq!(names, ["quick", "normal", "patient", "exhaustive"]);
    }
}
