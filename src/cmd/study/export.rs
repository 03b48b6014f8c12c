//! `copysmith study export`: recorded data in the forms of other tools.

use crate::cmd::exit::{Exit, Usage};
use crate::cmd::output::Output;
use copysmith::print::write::write_bytes;
use copysmith::study::exchange::{to_csv, to_kernel_tuner, to_t4};
use copysmith::study::{Class, Data, load};
use copysmith_kernels::Span;
use std::path::PathBuf;

/// Write recorded data as a Kernel Tuner cache, a T4 file or CSV
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith study export data --class 1025..=4096 --kernel-tuner cache.json
  copysmith study export data --csv kernels.csv

A cache and a T4 file hold one class each. Kernel Tuner 1.5.0 replays a cache with tune_cache('cache.json', strategy=...).")]
#[command(group = clap::ArgGroup::new("form").required(true).multiple(true).args(["kernel_tuner", "t4", "csv"]))]
pub struct Args {
    /// Recorded data
    data: PathBuf,
    /// The size class; needed for a cache or a T4 file where there are several
    #[arg(long, value_name = "SPAN")]
    class: Option<Span>,
    /// Write a cache file of Kernel Tuner 1.5.0
    #[arg(long, value_name = "FILE")]
    kernel_tuner: Option<PathBuf>,
    /// Write a T4 1.0.0 file
    #[arg(long, value_name = "FILE")]
    t4: Option<PathBuf>,
    /// Write one line a kernel
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// Writes the files.
///
/// # Errors
/// [`StudyError`](copysmith::study::StudyError), or a file that cannot be written.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    let data = load(&args.data)?;
    let mut written = Vec::new();
    let mut put = |path: &PathBuf, bytes: &[u8]| -> anyhow::Result<()> {
        write_bytes(path, bytes)?;
        written.push(path.display().to_string());
        Ok(())
    };
    if let Some(path) = &args.kernel_tuner {
        put(path, to_kernel_tuner(&data.header, one(&data, args.class)?)?.as_bytes())?;
    }
    if let Some(path) = &args.t4 {
        put(path, to_t4(&data.header, one(&data, args.class)?)?.as_bytes())?;
    }
    if let Some(path) = &args.csv {
        let classes = match args.class {
            Some(span) => vec![data.class(span)?],
            None => data.classes.iter().collect::<Vec<&Class>>(),
        };
        put(path, &to_csv(&data.header, &classes)?)?;
    }
    output.text(format_args!("written: {}\n", written.join(" ")))?;
    Ok(Exit::Done)
}

/// The class that is meant.
fn one(data: &Data, span: Option<Span>) -> anyhow::Result<&Class> {
    match (span, &data.classes[..]) {
        (Some(span), _) => Ok(data.class(span)?),
        (None, [only]) => Ok(only),
        (None, several) => {
            let all: Vec<String> = several.iter().map(|class| class.span.to_string()).collect();
            Err(Usage(format!("the data have several classes; say --class, one of {}", all.join(" "))).into())
        }
    }
}
