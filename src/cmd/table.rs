//! `copysmith table`: winners become Rust source.

/// Print the tables of the tuned library from the recorded winners, without measuring anything
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith table
  copysmith table --check")]
pub struct Args {
    /// Write nothing; fail where a file is not what would be printed
    #[arg(long)]
    check: bool,
}
