//! `copysmith bench`: the chosen routines against the reference, over lengths.

use super::output::FormatArgs;
use super::spans::Spans;
use std::path::PathBuf;

/// Time the tuned routines against the C library's and print the ratios
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith bench
  copysmith bench --spans 0..=128,1024..=4096 --csv ratios.csv --svg ratios.svg")]
pub struct Args {
    /// Only these lengths, in order
    #[arg(long, value_name = "LIST", value_parser = Spans::apart)]
    spans: Option<Spans>,
    /// Write every measurement to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the ratios into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}
