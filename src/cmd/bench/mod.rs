//! `copysmith bench`: the checked-in table and others against the system's memcpy, in as many ways as there are modes.

mod entrants;
mod modes;
mod program;
mod replay;
mod starts;
mod timing;

use super::exit::Exit;
use super::output::Output;
use super::ratios::Shown;
use super::spans::Spans;
use clap::Subcommand;
use copysmith::bench::classes;
use copysmith::host::Host;
use entrants::EntrantArgs;
use timing::TimingArgs;

/// Time the checked-in table, the system's memcpy and core::ptr's copy, and print the ratios
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_value_name = "MODE", subcommand_help_heading = "Modes")]
#[command(after_help = "\
Examples:
  copysmith bench
  copysmith bench --spans 0..=128,1024..=4096 --csv ratios.csv --svg ratios.svg
  copysmith bench --against ./libother.so --routine 'copy 0.. string unit=1'
  copysmith bench replay --profile git
  copysmith bench offsets --spans 4096..=4096

Without a mode, rows are classes of lengths, random within each. A ratio is the time of a call over that of the system's memcpy, \
with a 95 % interval; below 1 is faster. Each row is timed in a process of its own, in interleaved blocks. A row that cannot be \
timed says why and the others are timed; the exit code is then 1. Ctrl-C gives up the row in flight, and those before it are \
printed and written.")]
pub struct Args {
    #[command(subcommand)]
    mode: Option<Mode>,
    #[command(flatten)]
    classes: Classes,
}

/// Classes of lengths.
#[derive(Debug, clap::Args)]
struct Classes {
    /// Only these lengths, in order; random within each
    #[arg(long, value_name = "LIST", value_parser = Spans::apart)]
    spans: Option<Spans>,
    #[command(flatten)]
    entrants: EntrantArgs,
    #[command(flatten)]
    timing: TimingArgs,
}

#[derive(Debug, Subcommand)]
enum Mode {
    Replay(replay::Args),
    Random(modes::Random),
    Sweep(modes::Sweep),
    Offsets(modes::Offsets),
    Cold(modes::Cold),
    Readback(modes::Readback),
    Overlap(modes::Overlap),
    Starts(starts::Args),
    Program(program::Args),
}

/// Times what the mode asks for, writes what was asked for, and prints the result.
///
/// # Errors
/// A contestant that cannot race, a file that cannot be written, or an interruption, with what was done until then printed.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    match args.mode {
        None => {
            let Classes { spans, entrants, timing } = args.classes;
            timing.ready()?;
            let (host, field) = (Host::read(), entrants.field()?);
            let cases = classes(spans.as_ref().map(Spans::as_slice), &host);
            timing.time(&host, &field, &cases, Shown::Speed, output)
        }
        Some(Mode::Replay(args)) => replay::run(args, output),
        Some(Mode::Random(args)) => args.run(output),
        Some(Mode::Sweep(args)) => args.run(output),
        Some(Mode::Offsets(args)) => args.run(output),
        Some(Mode::Cold(args)) => args.run(output),
        Some(Mode::Readback(args)) => args.run(output),
        Some(Mode::Overlap(args)) => args.run(output),
        Some(Mode::Starts(args)) => starts::run(args, output),
        Some(Mode::Program(args)) => program::run(args, output),
    }
}
