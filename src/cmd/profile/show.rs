//! `copysmith profile show`: the figures of a profile, with bars.

use super::open;
use crate::cmd::exit::Exit;
use crate::cmd::output::{Format, FormatArgs, Output};
use copysmith::print::write::{writable, write};
use copysmith::profile::{Bin, Header, Profile, Summary, plot};
use std::path::PathBuf;

/// Show what a program copies: lengths, alignment, overlap, and how predictable the next length is
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith profile show git
  copysmith profile show python3.profile.gz --svg lengths.svg
  copysmith profile show sqlite3 --json

Counts of calls, bytes and lengths are exact. Alignment, overlap and order are of the calls kept in order.
repeats: the share of calls with as many bytes as the call before. predicted: the share of calls whose size class (0, or from one
power of two to the next) is the one that followed the last time after the same two classes in the same order; an order-2 table,
empty at first, where an empty entry is a miss. most frequent: what always predicting the commonest class would reach.")]
pub struct Args {
    /// A file, or the name of a shipped profile
    profile: PathBuf,
    /// Draw the lengths into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

/// Prints the figures.
///
/// # Errors
/// The profile cannot be read, or the drawing cannot be written.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    if let Some(path) = &args.svg {
        writable(path)?;
    }
    let profile = open(&args.profile)?;
    let summary = Summary::of(&profile);
    match args.format.format() {
        Format::Json => output.json(&summary)?,
        Format::Text => {
            whole(profile.header(), &summary, output)?;
            lengths(&summary, output)?;
            order(&summary, output)?;
            callers(&profile, output)?;
        }
    }
    if let Some(path) = args.svg {
        write(&path, &plot(&profile)?)?;
        if args.format.format() == Format::Text {
            output.text(format_args!("written: {}\n", path.display()))?;
        }
    }
    Ok(Exit::Done)
}

fn per_cent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}

fn part(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn whole(header: &Header, summary: &Summary, output: &mut Output) -> anyhow::Result<()> {
    let or_unknown = |text: Option<String>| text.unwrap_or_else(|| "unknown".to_owned());
    let functions: Vec<String> = header.functions.iter().map(|(symbol, calls)| format!("{symbol} {calls}")).collect();
    for (name, value) in [
        ("profile", header.name.clone()),
        ("command", header.command.join(" ")),
        ("source", header.source.clone()),
        ("machine", or_unknown(header.machine.clone())),
        ("libc", or_unknown(header.libc.clone())),
        ("run time", or_unknown(header.seconds.map(|seconds| format!("{seconds:.3} s")))),
        ("processes", format!("{}, with {} threads that copy", header.processes, header.threads)),
        ("calls", summary.calls.to_string()),
        ("a second", or_unknown(summary.calls_per_second.map(|calls| format!("{calls:.0} calls")))),
        ("bytes", summary.bytes.to_string()),
        ("functions", functions.join(", ")),
        ("below 128", format!("{} of calls", per_cent(summary.calls_below_128))),
        ("", format!("{} of bytes", per_cent(summary.bytes_below_128))),
    ] {
        output.text(format_args!("{name:<14} {value}\n"))?;
    }
    Ok(())
}

/// The widest bar, in characters.
const WIDTH: f64 = 40.0;

fn lengths(summary: &Summary, output: &mut Output) -> anyhow::Result<()> {
    let most = summary.bins.iter().map(|bin| bin.calls).max().unwrap_or(0);
    let row = |bin: &Bin| {
        let span = if bin.first == bin.last { bin.first.to_string() } else { format!("{}..={}", bin.first, bin.last) };
        let length = part(bin.calls, most).unwrap_or(0.0) * WIDTH;
        // What occurs is seen.
        let length = if bin.calls > 0 { length.round().max(1.0) } else { 0.0 };
        let shares = [part(bin.calls, summary.calls), part(bin.bytes, summary.bytes)].map(per_cent);
        let [calls, bytes] = shares;
        [span, bin.calls.to_string(), calls, bytes, "#".repeat(length as usize)]
    };
    let rows: Vec<_> = summary.bins.iter().map(row).collect();
    output.text("\n")?;
    output.table(["bytes", "calls", "of calls", "of bytes", ""], &rows)
}

fn order(summary: &Summary, output: &mut Output) -> anyhow::Result<()> {
    let of_kept = |calls: u64| per_cent(part(calls, summary.kept));
    let residues =
        |counts: &[u64; 16]| counts.map(|calls| format!("{:.0}", 100.0 * part(calls, summary.kept).unwrap_or(0.0)));
    output.text("\n")?;
    for (name, value) in [
        ("in order", format!("{} calls in {} stretches", summary.kept, summary.stretches)),
        ("dst mod 16", format!("{} (per cent at 0 to 15)", residues(&summary.dst_mod_16).join(" "))),
        ("src mod 16", format!("{} (per cent at 0 to 15)", residues(&summary.src_mod_16).join(" "))),
        ("same mod 16", of_kept(summary.same_mod_16)),
        (
            "overlap",
            format!(
                "{} up, {} down, {} onto itself; distance known of {}",
                summary.overlap_up,
                summary.overlap_down,
                summary.overlap_same,
                of_kept(summary.with_distance)
            ),
        ),
        ("repeats", per_cent(summary.repeats)),
        ("predicted", per_cent(summary.predicted)),
        ("most frequent", per_cent(summary.most_frequent)),
    ] {
        output.text(format_args!("{name:<14} {value}\n"))?;
    }
    Ok(())
}

/// The most frequent callers, where they were kept.
fn callers(profile: &Profile, output: &mut Output) -> anyhow::Result<()> {
    let names = &profile.header().callers;
    if names.is_empty() {
        return Ok(());
    }
    let mut calls = vec![(0u64, 0u64); names.len()];
    for call in profile.calls() {
        if let Some(sums) = call.caller.and_then(|caller| calls.get_mut(caller as usize)) {
            *sums = (sums.0 + 1, sums.1.saturating_add(call.length));
        }
    }
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|&caller| std::cmp::Reverse(calls[caller].0));
    let row = |&caller: &usize| [names[caller].clone(), calls[caller].0.to_string(), calls[caller].1.to_string()];
    let rows: Vec<_> = order.iter().take(16).map(row).collect();
    output.text("\n")?;
    output.table(["caller", "calls in order", "bytes"], &rows)
}
