//! `copysmith study`: offline research on recorded samples. One file a verb.

mod calibrate;
mod compare;
mod export;
mod import;
mod importance;
mod measure;
mod merge;
mod replay;
mod transfer;

use super::exit::Exit;
use super::output::Output;
use clap::Subcommand;

/// Measure a space once, and work on the data: replay searches, compare them, see what matters
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith study measure --space normal --classes 257..=512,1025..=4096 --exhaustive -o data
  copysmith study merge data -o data.jsonl.zst
  copysmith study replay data --svg curves.svg

DATA is a file, a directory that was measured into (its shards included), or the record of a tune.")]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Measure(measure::Args),
    Merge(merge::Args),
    Replay(replay::Args),
    Export(export::Args),
    Import(import::Args),
    Compare(compare::Args),
    Importance(importance::Args),
    Transfer(transfer::Args),
    Calibrate(calibrate::Args),
}

/// Does what the verb says.
///
/// # Errors
/// Whatever stops the verb.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    match args.verb {
        Verb::Measure(args) => measure::run(args, output),
        Verb::Merge(args) => merge::run(args, output),
        Verb::Replay(args) => replay::run(args, output),
        Verb::Export(args) => export::run(args, output),
        Verb::Import(args) => import::run(args, output),
        Verb::Compare(args) => compare::run(args, output),
        Verb::Importance(args) => importance::run(args, output),
        Verb::Transfer(args) => transfer::run(args, output),
        Verb::Calibrate(args) => calibrate::run(args, output),
    }
}
