//! `copysmith bench replay`: the calls that programs made, in their order.

use super::entrants::EntrantArgs;
use super::timing::TimingArgs;
use crate::cmd::exit::Exit;
use crate::cmd::number::number;
use crate::cmd::output::Output;
use crate::cmd::profile::open;
use crate::cmd::ratios::Shown;
use copysmith::bench::replay;
use copysmith::host::Host;
use copysmith::profile::{Profile, shipped};
use copysmith::time::{Recording, Temperature};
use std::path::PathBuf;

/// Calls that programs made, in their order
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith bench replay
  copysmith bench replay --profile git --profile make.profile.gz
  copysmith bench replay --half second --csv replay.csv
  copysmith bench replay --profile redis --routine 'copy 0.. string unit=1'

Each block replays another 16,384 calls that follow each other, after as many before them; all go to one function, whatever the \
program called, and none overlaps. Page offsets are the recorded ones; calls with one offset share a place, unless --cold. Times are \
nanoseconds a call. An empty call goes through the same loop; what it takes is in every ratio, since a short copy runs in the shadow \
of its call. A --routine lies elsewhere in each block, and predictors know it less well than linked code: that is worth up to 3 %.")]
pub struct Args {
    /// Replay this profile, a file or the name of a shipped one; may be given again [default: all shipped]
    #[arg(long, value_name = "PROFILE")]
    profile: Vec<PathBuf>,
    /// Replay only half of each profile: tune on one, score on the other
    #[arg(long, value_name = "HALF")]
    half: Option<Half>,
    /// A row more for the calls above this many bytes alone
    #[arg(long, value_name = "BYTES", default_value_t = 128, allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    above: u64,
    /// Every call goes where no cache has anything
    #[arg(long)]
    cold: bool,
    #[command(flatten)]
    entrants: EntrantArgs,
    #[command(flatten)]
    timing: TimingArgs,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Half {
    First,
    Second,
}

/// Replays the profiles.
///
/// # Errors
/// A profile that cannot be read; as for the other modes.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    args.timing.ready()?;
    let profiles = if args.profile.is_empty() {
        shipped().iter().map(|shipped| Ok(shipped.profile()?)).collect::<anyhow::Result<Vec<Profile>>>()?
    } else {
        args.profile.iter().map(|path| open(path)).collect::<anyhow::Result<Vec<Profile>>>()?
    };
    let part = |profile: &Profile| match args.half {
        None => Recording::from(profile),
        Some(Half::First) => Recording::from(&profile.halves().0),
        Some(Half::Second) => Recording::from(&profile.halves().1),
    };
    let recordings: Vec<Recording> = profiles.iter().map(part).collect();
    let temperature = if args.cold { Temperature::Cold } else { Temperature::Hot };
    let cases = replay(&recordings, args.above, temperature);
    args.timing.time(&Host::read(), &args.entrants.field()?, &cases, Shown::Time, output)
}
