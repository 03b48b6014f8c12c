//! `copysmith host`: which machine this is.

use super::output::FormatArgs;

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
