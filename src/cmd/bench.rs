//! `copysmith bench`: the checked-in table against the system's memcpy, over lengths or offsets.

use super::exit::{Exit, Usage};
use super::number::number;
use super::output::{Format, FormatArgs, Output};
use super::ratios::print;
use super::spans::Spans;
use copysmith::bench::{Options, Over, Report, Row, cases, csv, plot, rows};
use copysmith::host::Host;
use copysmith::print::write::{same, writable, write};
use copysmith::record::{Interrupt, Interrupted};
use std::path::PathBuf;

/// Time the checked-in table, the system's memcpy and core::ptr's copy, and print the ratios
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith bench
  copysmith bench --spans 0..=128,1024..=4096 --csv ratios.csv --svg ratios.svg
  copysmith bench --offsets --spans 4096..=4096

A ratio is the time of a call over that of the system's memcpy, with a 95 % interval; below 1 is faster. Each row is timed in a
process of its own, in interleaved blocks. A row that cannot be timed says why and the others are timed; the exit code is then 1.
Ctrl-C gives up the row in flight, and those before it are printed and written.")]
pub struct Args {
    /// Only these lengths, in order; random within each
    #[arg(long, value_name = "LIST", value_parser = Spans::apart)]
    spans: Option<Spans>,
    /// Sweep dst - src modulo 4096, one row each, at the last length of each span
    #[arg(long)]
    offsets: bool,
    /// Blocks a row
    #[arg(long, value_name = "N", default_value_t = 60, allow_negative_numbers = true, value_parser = number(8..=100_000_u32))]
    blocks: u32,
    /// Measure on this processor, by number
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number(0..=usize::MAX))]
    cpu: Option<usize>,
    /// Seed of lengths, places and orders
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    seed: u64,
    /// Write every row to this file; a pipe or device gets it directly
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the ratios over the length, or over the offset, into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

/// Times every row, writes what was asked for, and prints the table.
///
/// # Errors
/// A file that cannot be written, or [`Interrupted`], with the rows until then written and printed.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    ready(&args)?;
    let host = Host::read();
    let over = if args.offsets { Over::Offsets } else { Over::Lengths };
    let cases = cases(over, args.spans.as_ref().map(Spans::as_slice), &host);
    let options = Options { blocks: args.blocks as usize, cpu: args.cpu, seed: args.seed };
    let interrupt = Interrupt::install()?;
    let bar = output.progress(cases.len() as u64, "bench");
    let rows = rows(&host, &cases, options, || interrupt.is_asked()).inspect(|_| bar.inc(1)).collect();
    bar.finish_and_clear();
    let report = Report::new(&host, rows);
    let written = files(&args, &report.rows);
    let printed = match args.format.format() {
        Format::Json => output.json(&report),
        Format::Text => print(output, &report).and_then(|()| names(output, written.as_deref().unwrap_or_default())),
    };
    let printed = printed.and_then(|()| output.finish());
    written?;
    if report.rows.len() < cases.len() {
        let timed = format!("interrupted; {} of {} rows were timed", report.rows.len(), cases.len());
        return Err(anyhow::Error::new(Interrupted).context(timed));
    }
    printed.map(|()| if report.is_whole() { Exit::Done } else { Exit::Failed })
}

/// What cannot be written at the end is better known before the work than after it.
fn ready(args: &Args) -> anyhow::Result<()> {
    if let (Some(csv), Some(svg)) = (&args.csv, &args.svg)
        && same(csv, svg)?
    {
        let path = svg.display();
        return Err(Usage(format!("--csv and --svg both lead to {path}; one would overwrite the other")).into());
    }
    args.csv.iter().chain(&args.svg).try_for_each(|path| writable(path).map_err(anyhow::Error::new))
}

/// Writes the files; their names. Where nothing was timed at all they are left as they were.
fn files(args: &Args, rows: &[Row]) -> anyhow::Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    if rows.is_empty() {
        return Ok(written);
    }
    if let Some(path) = &args.csv {
        write(path, &csv(rows))?;
        written.push(path.clone());
    }
    if let Some(path) = &args.svg {
        write(path, &plot(rows)?)?;
        written.push(path.clone());
    }
    Ok(written)
}

fn names(output: &mut Output, files: &[PathBuf]) -> anyhow::Result<()> {
    files.iter().try_for_each(|file| output.text(format_args!("written: {}\n", file.display())))
}
