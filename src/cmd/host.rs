//! `copysmith host`: which machine this is.

use super::exit::Exit;
use super::output::{Format, FormatArgs, Output};
use copysmith::host::Host;

/// Show this machine as records keep it: processor, features, caches, system, and what makes measuring doubtful
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith host
  copysmith host --json")]
pub struct Args {
    #[command(flatten)]
    format: FormatArgs,
}

/// Prints the machine.
///
/// # Errors
/// A result that cannot be written.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    let host = Host::read();
    match args.format.format() {
        Format::Json => output.json(&host)?,
        Format::Text => output.text(&host)?,
    }
    Ok(Exit::Done)
}
