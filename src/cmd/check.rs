//! `copysmith check`: the proofs of a routine, without a clock.

use super::output::FormatArgs;
use super::words::RoutineArgs;

/// Prove a recipe or a routine: its plan, its code, and its running here
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith check copy 17..=32 pairs width=sse16
  copysmith check --json 'cuts=32 | copy 0..=32 chain width=sse16 | copy 33.. string unit=1'")]
pub struct Args {
    #[command(flatten)]
    routine: RoutineArgs,
    #[command(flatten)]
    format: FormatArgs,
}
