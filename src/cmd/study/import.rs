//! `copysmith study import`: what `export` wrote, as data again.

use crate::cmd::exit::Exit;
use crate::cmd::output::Output;
use anyhow::Context;
use copysmith::study::exchange::{from_kernel_tuner, from_t4};
use copysmith::study::{Data, store};
use std::fs;
use std::path::PathBuf;

/// Read a Kernel Tuner cache or a T4 file that came from here
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith study import --kernel-tuner cache.json -o data.jsonl.zst
  copysmith study import --t4 results.json -o data.jsonl")]
#[command(group = clap::ArgGroup::new("form").required(true).args(["kernel_tuner", "t4"]))]
pub struct Args {
    /// Read a cache file of Kernel Tuner 1.5.0
    #[arg(long, value_name = "FILE")]
    kernel_tuner: Option<PathBuf>,
    /// Read a T4 1.0.0 file
    #[arg(long, value_name = "FILE")]
    t4: Option<PathBuf>,
    /// Write the data to this file, compressed if its name ends in .zst
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
}

/// Reads, checks that it makes sense, and writes.
///
/// # Errors
/// [`StudyError`](copysmith::study::StudyError), or a file that cannot be read.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    let (path, is_cache) = match (&args.kernel_tuner, &args.t4) {
        (Some(path), _) => (path, true),
        (None, Some(path)) => (path, false),
        (None, None) => unreachable!("clap asks for one of them"),
    };
    let named = || path.display().to_string();
    let text = fs::read_to_string(path).with_context(named)?;
    let contents = if is_cache { from_kernel_tuner(&text) } else { from_t4(&text) }.with_context(named)?;
    let data = Data::new(&contents).with_context(named)?;
    store(&args.output, &contents)?;
    for class in &data.classes {
        let (class, kernels) = (class.span, class.kernels.len());
        output.text(format_args!("{}: class {class}, {kernels} kernels\n", args.output.display()))?;
    }
    Ok(Exit::Done)
}
