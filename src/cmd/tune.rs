//! `copysmith tune`: the search for the best routine of each size class on this machine.

use super::choice::one_of;
use super::exit::Exit;
use super::number::number;
use super::output::{Format, FormatArgs, Output};
use super::spans::Spans;
use super::tuning::{Bar, print};
use copysmith::host::Host;
use copysmith::print::standalone;
use copysmith::print::write::{writable, write};
use copysmith::record::{Interrupt, Interrupted, Lock, Place, Surroundings};
use copysmith::time::{Pin, Placements, Recording};
use copysmith::tune::{
    Admission, Begin, Destination, Effort, Options, TuneError, WINNERS, features, tune, winners_in, write_all,
};
use copysmith_kernels::{Isa, X86_64};
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
  copysmith tune --destination unread --record /tmp/record --out streaming.rs
  copysmith tune --profile python3 --profile mine.profile --record /tmp/record --out python.rs

A run that is stopped goes on where it was when the same command is given again; with --fresh it begins anew.")]
pub struct Args {
    /// How long to search
    #[arg(long, default_value = "normal", value_parser = one_of(&Effort::ALL))]
    effort: Effort,
    /// Seed of the search; the same seed asks the same questions
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED, allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    seed: u64,
    /// Measure on this processor, by number
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number(0..=usize::MAX))]
    cpu: Option<usize>,
    /// Size classes, in order, that leave no length out, as 0..=64,65..
    #[arg(long, value_name = "LIST", value_parser = Spans::whole)]
    spans: Option<Spans>,
    /// Use this instruction set and those before it, even where the machine has more
    #[arg(long, value_parser = one_of(&Isa::ALL))]
    isa: Option<Isa>,
    /// Keep the record in this directory
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Also write the table to this file, as a module that needs nothing else
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Make the routine for this program: a recorded profile, or the name of a shipped one; may be given more than once
    #[arg(long = "profile", value_name = "FILE")]
    profiles: Vec<PathBuf>,
    /// Whether programs read soon what was copied; where they do not, long copies may pass the caches by
    #[arg(long, value_name = "USE", default_value = "read", value_parser = one_of(&Destination::ALL))]
    destination: Destination,
    /// Begin anew: an earlier record in the same place is kept under another name
    #[arg(long)]
    fresh: bool,
    /// Say what would be searched, and measure nothing
    #[arg(long)]
    dry_run: bool,
    /// About how long the tune may take, instead of what the effort says; less than 30 counts as 30
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = budget)]
    budget: Option<Duration>,
    #[command(flatten)]
    format: FormatArgs,
}

/// Tunes, writes the record and the table, and prints what was found.
///
/// # Errors
/// [`TuneError`], a file that cannot be written, or [`Interrupted`].
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    let interrupt = Interrupt::install()?;
    let host = Host::read();
    let program = |path: &PathBuf| super::profile::open(path).map(|profile| Recording::from(&profile));
    let options = Options {
        effort: args.effort,
        seed: args.seed,
        cpu: args.cpu,
        spans: args.spans.map(|spans| spans.as_slice().to_vec()),
        isa: args.isa,
        budget: args.budget,
        begin: if args.fresh { Begin::Anew } else { Begin::WhereItStopped },
        programs: args.profiles.iter().map(program).collect::<anyhow::Result<_>>()?,
        destination: args.destination,
    };
    Pin::check(options.cpu)?;
    let place = Place::find(args.record.as_deref(), &Surroundings::read())?;
    // What cannot be written at the end is better known before the work than after it, and before a directory is made for it.
    args.out.as_deref().map_or(Ok(()), writable)?;
    if args.dry_run {
        return planned(&host, &options, &place, output);
    }
    let dir = place.of_machine(&host.machine())?;
    let lock = Lock::acquire(&dir).map_err(TuneError::Lock)?;
    let incumbents = winners_in(&dir)?;
    writable(&dir.join(WINNERS))?;
    let mut bar = Bar::new(output, interrupt);
    let admission = Admission::new(host.cpu.features);
    let tuned = tune(&host, &options, admission, &lock, incumbents.as_ref(), &mut bar);
    bar.finish();
    let (winners, mut report) = match tuned {
        Err(TuneError::Interrupted) => {
            let kept = "interrupted; what was measured is kept, and the same command goes on from there";
            return Err(anyhow::Error::new(Interrupted).context(kept));
        }
        tuned => tuned?,
    };
    report.files = write_all(&place, &dir, &host, &winners)?;
    if let Some(out) = args.out {
        write(&out, &standalone(&winners, &X86_64)?)?;
        report.files.push(out);
    }
    match args.format.format() {
        Format::Json => output.json(&report)?,
        Format::Text => print(output, &report)?,
    }
    Ok(Exit::Done)
}

/// What would be searched, without measuring anything.
fn planned(host: &Host, options: &Options, place: &Place, output: &mut Output) -> anyhow::Result<Exit> {
    let features = features(&host.cpu.features, options.isa);
    let rows: Vec<[String; 3]> = options
        .classes(host)?
        .into_iter()
        .map(|span| {
            let recipes = copysmith_search::space::space(span, features, options.effort.breadth()).len();
            let situations = copysmith::tune::situations(span, &host.caches, options.destination);
            let situations: Vec<String> = situations.iter().map(|one| one.workload.in_short()).collect();
            [span.to_string(), recipes.to_string(), situations.join("; ")]
        })
        .collect();
    output.text(format_args!("{} at effort {}, isa {}\n", host.machine(), options.effort, features.isa))?;
    output.table(["class", "recipes", "timed on"], &rows)?;
    output.text(format_args!("each {}\n", Placements::default()))?;
    output.text(format_args!("the record would be in {}\n", place.dir.join(host.machine()).display()))?;
    Ok(Exit::Done)
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
        assert_eq!(args.destination, Destination::Read);
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
        assert!(parsed("--destination gone").unwrap_err().contains("read, unread"));
        assert!(parsed("--budget 1.5").unwrap_err().contains("whole number of seconds"));
        assert!(parsed("--spans 0..=9,11..").unwrap_err().contains("10..=10 are left out"));
        assert!(parsed("--isa avx2").unwrap_err().contains("sse2, avx, avx512"));
        assert!(parsed("--effort fast").unwrap_err().contains("quick, normal, patient, exhaustive"));
    }
}
