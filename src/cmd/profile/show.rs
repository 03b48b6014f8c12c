//! `copysmith profile show`: the figures of a profile, with bars.

use super::open;
use crate::cmd::exit::Exit;
use crate::cmd::output::{Format, FormatArgs, Output};
use copysmith::bench::{CallTime, Worth};
use copysmith::host::Host;
use copysmith::print::write::{writable, write};
use copysmith::profile::{Bin, Header, Profile, Summary, plot};
use copysmith::time::Recording;
use serde::Serialize;
use std::path::PathBuf;

/// Show what a program copies: lengths, alignment, overlap, and how predictable the next length is
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith profile show git
  copysmith profile show python3.profile.gz --svg lengths.svg
  copysmith profile show sqlite3 --json
  copysmith profile show nginx --nanoseconds 6.5

Counts of calls, bytes and lengths are exact. Alignment, overlap and order are of the calls kept in order.
repeats: the share of calls with as many bytes as the call before. predicted: the share of calls whose size class (0, or from one \
power of two to the next) is the one that followed the last time after the same two classes in the same order; an order-2 table, \
empty at first, where an empty entry is a miss. most frequent: what always predicting the commonest class would reach.
copying: all calls, each of which takes what the calls kept in order take on average, replayed here through the system's memcpy, or \
the --nanoseconds given. ceiling: its share of the run time (recorder included), or of the processor time where that is longer; no \
other copy routine can save more.")]
pub struct Args {
    /// A file, or the name of a shipped profile
    profile: PathBuf,
    /// What a call takes, in nanoseconds [default: measured, by replaying the calls here]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = nanoseconds)]
    nanoseconds: Option<f64>,
    /// Draw the lengths into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

fn nanoseconds(text: &str) -> Result<f64, String> {
    let allowed = |nanoseconds: &f64| nanoseconds.is_finite() && *nanoseconds >= 0.0;
    text.parse().ok().filter(allowed).ok_or_else(|| "a number of nanoseconds, 0 or more, is allowed".to_owned())
}

/// What is printed as JSON.
#[derive(Serialize)]
struct Printed<'s> {
    #[serde(flatten)]
    summary: &'s Summary,
    /// `null` where it could not be timed.
    worth: Option<Worth>,
    /// Why not.
    worth_error: Option<String>,
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
    let call = match args.nanoseconds {
        Some(nanoseconds) => Ok(CallTime::given(nanoseconds)),
        None => CallTime::replayed(Recording::from(&profile)),
    };
    let worth = call.map(|call| Worth::of(profile.header(), call));
    match args.format.format() {
        Format::Json => {
            let (worth, worth_error) = (worth.as_ref().ok().copied(), worth.err());
            output.json(&Printed { summary: &summary, worth, worth_error })?;
        }
        Format::Text => {
            whole(profile.header(), &summary, output)?;
            value(&worth, profile.header(), output)?;
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

/// What the copies are worth.
fn value(worth: &Result<Worth, String>, header: &Header, output: &mut Output) -> anyhow::Result<()> {
    let (copying, ceiling) = match worth {
        Err(why) => (format!("not timed: {why}"), "unknown".to_owned()),
        Ok(Worth { call, copying_seconds, run_seconds, share }) => {
            let source = match call.empty_nanoseconds {
                Some(empty) => format!(", replayed here through memcpy (an empty call: {empty:.2} ns)"),
                None => String::new(),
            };
            let copying =
                format!("{copying_seconds:.4} s: {} calls of {:.2} ns{source}", header.calls, call.nanoseconds);
            let ceiling = match (run_seconds, share) {
                (Some(run), Some(share)) => {
                    let here = Host::read().machine();
                    let elsewhere = header.machine.as_ref().filter(|machine| **machine != here);
                    let there = elsewhere.map_or(String::new(), |machine| format!(" on {machine}"));
                    format!("{:.2} % of the {run:.3} s that the program took{there}", 100.0 * share)
                }
                _ => "unknown: the run time is not recorded".to_owned(),
            };
            (copying, ceiling)
        }
    };
    output.text(format_args!("{:<14} {copying}\n{:<14} {ceiling}\n", "copying", "ceiling"))
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
