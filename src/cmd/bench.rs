//! `copysmith bench`: the checked-in table against the system's memcpy, over lengths or offsets.

use super::exit::Exit;
use super::output::{Format, FormatArgs, Output};
use super::spans::Spans;
use copysmith::bench::{Case, Row, SWEPT, classes, csv, plot, run as time};
use copysmith::host::Host;
use copysmith::print::write::{writable, write};
use copysmith::record::{Interrupt, Interrupted};
use copysmith::tune::OFFSETS;
use copysmith_kernels::Span;
use std::path::PathBuf;

/// Time the checked-in table, the system's memcpy and core::ptr's copy, and print the ratios
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith bench
  copysmith bench --spans 0..=128,1024..=4096 --csv ratios.csv --svg ratios.svg
  copysmith bench --offsets --spans 4096..=4096

A ratio is the time of a call over that of the system's memcpy, with a 95 % interval; below 1 is faster. Each row is timed in a
process of its own, in interleaved blocks.")]
pub struct Args {
    /// Only these lengths, in order; random within each
    #[arg(long, value_name = "LIST", value_parser = Spans::apart)]
    spans: Option<Spans>,
    /// Sweep dst - src modulo 4096, one row each, at the last length of each span
    #[arg(long)]
    offsets: bool,
    /// Blocks a row
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(8..=100_000))]
    blocks: u32,
    /// Measure on this processor, by number
    #[arg(long, value_name = "N")]
    cpu: Option<usize>,
    /// Seed of lengths, places and orders
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write every row to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the ratios into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

/// Times every row, prints the table, and writes what was asked for.
///
/// # Errors
/// Nothing can be timed, a file cannot be written, or [`Interrupted`].
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    // What cannot be written at the end is better known before the work than after it.
    for path in args.csv.iter().chain(&args.svg) {
        writable(path)?;
    }
    let host = Host::read();
    let spans = args.spans.map_or_else(classes, |spans| spans.as_slice().to_vec());
    let cases: Vec<Case> = match args.offsets {
        false => spans.iter().map(|&span| Case::lengths(span, &host)).collect(),
        true => {
            swept(&spans).into_iter().flat_map(|length| OFFSETS.map(|offset| Case::offset(length, offset))).collect()
        }
    };
    let interrupt = Interrupt::install()?;
    let bar = output.progress(cases.len() as u64, "bench");
    let mut rows = Vec::with_capacity(cases.len());
    for case in &cases {
        if interrupt.is_asked() {
            return Err(anyhow::Error::new(Interrupted));
        }
        rows.push(time(&host, case, args.blocks as usize, args.cpu, args.seed)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    match args.format.format() {
        Format::Json => output.json(&rows)?,
        Format::Text => print(&host, &rows, output)?,
    }
    let mut files = Vec::new();
    if let Some(path) = args.csv {
        write(&path, &csv(&rows))?;
        files.push(path);
    }
    if let Some(path) = args.svg {
        write(&path, &plot(&rows)?)?;
        files.push(path);
    }
    if args.format.format() == Format::Text {
        files.iter().try_for_each(|file| output.text(format_args!("written: {}\n", file.display())))?;
    }
    Ok(Exit::Done)
}

/// The lengths to sweep: the last of each span given, or a short, a middle and a long one.
fn swept(spans: &[Span]) -> Vec<usize> {
    if *spans == *classes() {
        SWEPT.to_vec()
    } else {
        spans.iter().map(|span| copysmith::tune::timed(*span).last()).collect()
    }
}

fn print(host: &Host, rows: &[Row], output: &mut Output) -> anyhow::Result<()> {
    output.text(format_args!("{}, {}\n", host.machine(), host.cpu.brand))?;
    for warning in &host.warnings {
        output.text(format_args!("warning: {warning}\n"))?;
    }
    match copysmith_tuned::machine() {
        Some(machine) => output.text(format_args!("table: {machine}\n\n"))?,
        None => output.text(format_args!("table: none for this machine was linked; tune it, then build again\n\n"))?,
    }
    let speed = |speed: Option<f64>| speed.map_or_else(|| "-".to_owned(), |speed| format!("{speed:.1}"));
    let mut table = Vec::new();
    for row in rows {
        for result in &row.results {
            let length =
                if row.first == row.last { row.last.to_string() } else { format!("{}..={}", row.first, row.last) };
            let ratio = result.ratio;
            table.push([
                length,
                row.offset.map_or_else(|| "mixed".to_owned(), |offset| offset.to_string()),
                result.name.clone(),
                ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{:.3}", ratio.ratio)),
                ratio.map_or_else(String::new, |ratio| format!("{:.3} to {:.3}", ratio.low, ratio.high)),
                speed(result.gigabytes_per_second),
                speed(row.memcpy_gigabytes_per_second),
                format!("{:.1} %", 100.0 * row.noise_floor),
            ]);
        }
    }
    output.table(["bytes", "offset", "contestant", "ratio", "95 % interval", "GB/s", "memcpy GB/s", "noise"], &table)
}
