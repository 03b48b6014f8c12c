//! `copysmith study merge`: shards as one file.

use crate::cmd::exit::Exit;
use crate::cmd::output::{Format, FormatArgs, Output};
use copysmith::study::merge;
use std::path::PathBuf;

/// Join what shards measured, every sample once
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith study merge data -o data
  copysmith study merge shard-1-of-2 shard-2-of-2 -o both.jsonl.zst

What is already in the output is kept: merging again changes nothing.")]
pub struct Args {
    /// Files or directories of one study
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// Write to this file, compressed if its name ends in .zst, or into this directory
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
}

/// Merges, and says what was there.
///
/// # Errors
/// [`StudyError`](copysmith::study::StudyError)
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    let merged = merge(&args.data, &args.output)?;
    match args.format.format() {
        Format::Json => output.json(&merged)?,
        Format::Text => output.text(format_args!(
            "{}: {} lines from {} files; {} were there more than once\n",
            merged.file.display(),
            merged.lines,
            merged.from.len(),
            merged.repeated
        ))?,
    }
    Ok(Exit::Done)
}
