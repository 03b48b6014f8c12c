//! `copysmith bench starts`: one routine with its code at each byte of a cache line.

use super::entrants::routine;
use super::timing::TimingArgs;
use crate::cmd::exit::{Exit, Usage};
use crate::cmd::output::Output;
use crate::cmd::ratios::Shown;
use crate::cmd::spans::Spans;
use anyhow::Context;
use copysmith::bench::{Field, starts};
use copysmith::host::Host;
use copysmith_kernels::Routine;

/// Where its code starts, and what that does to a routine
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith bench starts
  copysmith bench starts --spans 17..=32 --svg starts.svg
  copysmith bench starts --routine 'copy 0.. string unit=1'

The routine is emitted at each of the 64 bytes of a cache line and at several lines of a page, which are then contestants of one \
race. It is made to start a line; a large spread says how much that is worth, and how much of another result may be chance.")]
pub struct Args {
    /// Only these lengths, in order; random within each [default: all up to 4 MiB]
    #[arg(long, value_name = "LIST", value_parser = Spans::apart)]
    spans: Option<Spans>,
    /// Another routine than the checked-in one of this machine
    #[arg(long, value_name = "TEXT")]
    routine: Option<String>,
    #[command(flatten)]
    timing: TimingArgs,
}

/// Each start is a lane of its own, so blocks are long.
const BLOCKS: u32 = 24;

/// Races a routine against itself elsewhere.
///
/// # Errors
/// There is no routine, or a proof refuses it; as for the other modes.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    let timing = args.timing.blocks_or(BLOCKS);
    timing.ready()?;
    let routine = match &args.routine {
        Some(text) => routine(text)?,
        None => linked()?,
    };
    let host = Host::read();
    let field = Field::starts(&routine).with_context(|| format!("routine '{routine}' does not race"))?;
    let cases = starts(args.spans.as_ref().map(Spans::as_slice), &host);
    timing.time(&host, &field, &cases, Shown::Starts, output)
}

/// The routine of the table in use.
fn linked() -> anyhow::Result<Routine> {
    let table = copysmith_tuned::machine()
        .and_then(|machine| copysmith_tuned::tables().iter().find(|table| table.machine() == machine));
    let Some(table) = table else {
        return Err(Usage("no table for this machine was linked; give a --routine".to_owned()).into());
    };
    table.routine().recipe().parse::<Routine>().context("the table's routine")
}
