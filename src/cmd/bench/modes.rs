//! The modes that differ in their cases alone.

use super::entrants::{EntrantArgs, LibraryArgs};
use super::timing::TimingArgs;
use crate::cmd::exit::Exit;
use crate::cmd::number::number;
use crate::cmd::output::Output;
use crate::cmd::ratios::Shown;
use crate::cmd::spans::Spans;
use copysmith::bench::{Case, Field, cold, offsets, overlap, random, read_back, sweep};
use copysmith::host::Host;
use copysmith::time::LONGEST;

/// Short lengths at random: a mix, and the same with each length repeated
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith bench random
  copysmith bench random --routine 'copy 0.. string unit=1' --csv random.csv

mix: with probability 0.97 a length is exp(v ln 128) - 1 + w, else 128 exp(v ln 32), v and w even in [0, 1). runs: the same, \
each length repeated 8 times on average. Programs are more predictable than the one and less than the other: see bench replay.")]
pub struct Random {
    #[command(flatten)]
    race: RaceArgs,
}

/// One length at a time, hot, from 0 to 64 MiB
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith bench sweep
  copysmith bench sweep --lengths 8,16,32,40,64 --svg sweep.svg

Every branch is predicted here: this is the other end of what random lengths show.")]
pub struct Sweep {
    /// Only these lengths, in bytes
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = number(0..=LONGEST))]
    lengths: Option<Vec<usize>>,
    #[command(flatten)]
    race: RaceArgs,
}

/// Each destination - source modulo 4096 alone, and the worst of them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith bench offsets
  copysmith bench offsets --spans 4096..=4096 --svg offsets.svg")]
pub struct Offsets {
    /// At the last length of each of these spans [default: 256, 4096 and 65536 bytes]
    #[arg(long, value_name = "LIST", value_parser = Spans::apart)]
    spans: Option<Spans>,
    #[command(flatten)]
    race: RaceArgs,
}

/// Copies from 64 KiB to 64 MiB of what is in no cache, not read afterwards
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith bench cold
  copysmith bench cold --json

Stores around the caches look best here, because nobody reads what they wrote: see bench readback.")]
pub struct Cold {
    #[command(flatten)]
    race: RaceArgs,
}

/// Copies that are read: short ones at their ends at once, long ones in full
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith bench readback
  copysmith bench readback --csv readback.csv

An 8-byte or 16-byte reload loads both ends of the copy, and the next copy waits for them: loads that need bytes of two stores take \
longer. Read in full: one word of each 64 bytes.")]
pub struct Readback {
    #[command(flatten)]
    race: RaceArgs,
}

/// Moves within a buffer, against the system's memmove
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith bench overlap
  copysmith bench overlap --against ./libother.so

The distance is destination - source in bytes. The checked-in table does not move.")]
pub struct Overlap {
    #[command(flatten)]
    libraries: LibraryArgs,
    #[command(flatten)]
    timing: TimingArgs,
}

/// Who races beside the usual contestants, and how that is timed.
#[derive(Debug, clap::Args)]
struct RaceArgs {
    #[command(flatten)]
    entrants: EntrantArgs,
    #[command(flatten)]
    timing: TimingArgs,
}

impl RaceArgs {
    /// The cases of a mode, timed.
    fn run(&self, cases: &[Case], shown: Shown, output: &mut Output) -> anyhow::Result<Exit> {
        self.timing.ready()?;
        self.timing.time(&Host::read(), &self.entrants.field()?, cases, shown, output)
    }
}

impl Random {
    pub fn run(self, output: &mut Output) -> anyhow::Result<Exit> {
        self.race.run(&random(), Shown::Time, output)
    }
}

impl Sweep {
    pub fn run(self, output: &mut Output) -> anyhow::Result<Exit> {
        self.race.run(&sweep(self.lengths.as_deref()), Shown::Time, output)
    }
}

impl Offsets {
    pub fn run(self, output: &mut Output) -> anyhow::Result<Exit> {
        let cases = offsets(self.spans.as_ref().map(Spans::as_slice));
        self.race.run(&cases, Shown::Speed, output)
    }
}

impl Cold {
    pub fn run(self, output: &mut Output) -> anyhow::Result<Exit> {
        self.race.run(&cold(), Shown::Speed, output)
    }
}

impl Readback {
    pub fn run(self, output: &mut Output) -> anyhow::Result<Exit> {
        self.race.run(&read_back(), Shown::Time, output)
    }
}

impl Overlap {
    pub fn run(self, output: &mut Output) -> anyhow::Result<Exit> {
        self.timing.ready()?;
        let mut field = Field::moves();
        self.libraries.enter(&mut field)?;
        self.timing.time(&Host::read(), &field, &overlap(), Shown::Speed, output)
    }
}
