//! `copysmith table`: winners become Rust source, or are held against it.

use super::exit::{Exit, Usage};
use super::output::Output;
use anyhow::Context;
use copysmith::print::check::{check, linked};
use copysmith::print::standalone;
use copysmith::print::write::write;
use copysmith::proofs::{Thoroughness, prove_code};
use copysmith::record::{Place, Surroundings};
use copysmith::regular;
use copysmith::tune::{printed, recorded, tuned};
use copysmith_kernels::X86_64;
use copysmith_kernels::proof::flatten;
use std::fs;
use std::path::{Path, PathBuf};

/// Print the tables of the tuned library from the recorded winners, without measuring anything
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith table
  copysmith table --check
  copysmith table amd-1ah-02h --out copies.rs

--check holds three equalities: each file is what would be printed, the linked code is what the emitter gives, and the code \
proves. It exits with 1 where one does not hold.")]
pub struct Args {
    /// Write nothing; fail where a file, the linked code or a proof differs
    #[arg(long, conflicts_with = "out")]
    check: bool,
    /// The machine whose winners `--out` prints; this machine where none is named
    #[arg(value_name = "MACHINE", requires = "out")]
    machine: Option<String>,
    /// Write one machine's kernels to this file as a module that needs nothing else
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The records
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
}

/// Prints or checks.
///
/// # Errors
/// No records, or a file that cannot be read or written.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    let place = Place::find(args.record.as_deref(), &Surroundings::read())?;
    if let Some(out) = &args.out {
        return alone(&place, args.machine.as_deref(), out, output);
    }
    let Some(tuned) = tuned(&place) else {
        return Err(Usage(format!(
            "{} is outside a checkout of copysmith, where the tables are; print one machine's with --out FILE",
            place.dir.display()
        ))
        .into());
    };
    if args.check {
        return checked(&place.dir, &tuned, output);
    }
    for (path, text) in printed(&place.dir, &tuned, None)? {
        write(&path, &text)?;
        output.text(format_args!("{}\n", path.display()))?;
    }
    Ok(Exit::Done)
}

fn alone(place: &Place, machine: Option<&str>, out: &Path, output: &mut Output) -> anyhow::Result<Exit> {
    let machine = machine.map_or_else(|| copysmith::host::Host::read().machine(), str::to_owned);
    let all = recorded(&place.dir)?;
    let Some(winners) = all.iter().find(|winners| winners.machine == machine) else {
        let known: Vec<&str> = all.iter().map(|winners| winners.machine.as_str()).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(" ") };
        anyhow::bail!("{} has no winners for {machine}; it has: {known}", place.dir.display());
    };
    write(out, &standalone(winners, &X86_64)?)?;
    output.text(format_args!("{}\n", out.display()))?;
    Ok(Exit::Done)
}

/// The three equalities of every table, one line a machine and one for each that is broken.
fn checked(records: &Path, tuned: &Path, output: &mut Output) -> anyhow::Result<Exit> {
    let mut holds = true;
    let printed = printed(records, tuned, None)?;
    for path in tables_in(&tuned.join("src/table"))? {
        if printed.iter().all(|(known, _)| *known != path) {
            holds = false;
            output.text(format_args!("broken  {}: no winners are recorded for it\n", path.display()))?;
        }
    }
    for (path, text) in printed {
        let file = regular::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        if file != text {
            holds = false;
            output.text(format_args!("broken  {}: it is not what its winners print\n", path.display()))?;
        }
    }
    for winners in recorded(records)? {
        let path = tuned.join("src/table").join(format!("{}.rs", winners.machine.replace('-', "_")));
        let file = regular::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        let linked = linked(&winners.machine);
        let mut prove = |routine: &copysmith_kernels::Routine, code: &copysmith_kernels::Code| {
            let planned = flatten(&routine.plan()).map_err(|error| error.to_string())?;
            let proofs = prove_code(routine, &planned, code, Thoroughness::Full);
            proofs.map(|_| ()).map_err(|refusal| refusal.to_string())
        };
        let result = check(&winners, &X86_64, &file, linked.as_deref(), &mut prove)?;
        holds &= result.holds();
        output.text(format_args!("{result}\n"))?;
    }
    Ok(if holds { Exit::Done } else { Exit::Failed })
}

/// Every file of the folder of tables.
fn tables_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let cannot = || format!("{} cannot be read", folder.display());
    let entries = fs::read_dir(folder).with_context(cannot)?;
    entries.map(|entry| entry.map(|entry| entry.path()).with_context(cannot)).collect()
}
