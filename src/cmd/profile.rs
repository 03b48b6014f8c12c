//! `copysmith profile`: looks at profiles, and makes others of them.

use super::exit::{Exit, Usage};
use super::output::{Format, FormatArgs, Output};
use anyhow::Context;
use clap::Subcommand;
use copysmith::print::write::{writable, write_bytes};
use copysmith::profile::{self, MOST_CALLS, Profile, Summary};
use copysmith::regular;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

mod show;

/// Look at recorded copies, merge and sample them, or import a list of them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith profile list
  copysmith profile show git
  copysmith profile merge a.profile.gz b.profile.gz -o both.profile.gz

A profile is a file, or one that is shipped with this command, by its name.")]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    List(List),
    Show(show::Args),
    Merge(Merge),
    Sample(Sample),
    Import(Import),
}

/// List the profiles that are shipped with this command
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith profile list
  copysmith profile list --json")]
struct List {
    #[command(flatten)]
    format: FormatArgs,
}

/// Make one profile of several: counts are added, stretches follow each other
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith profile merge git sqlite3 -o both.profile.gz
  copysmith profile merge monday.profile.gz tuesday.profile.gz -o week.profile --name week")]
struct Merge {
    /// Files, or names of shipped profiles
    #[arg(required = true)]
    profiles: Vec<PathBuf>,
    #[command(flatten)]
    to: To,
}

/// Keep fewer calls of a profile, in long pieces spread over the run; counts stay those of the whole
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith profile sample make.profile.gz --calls 65536 -o small.profile.gz
  copysmith profile sample make.profile.gz --calls 65536 --drop-callers -o to-share.profile.gz")]
struct Sample {
    /// A file, or the name of a shipped profile
    profile: PathBuf,
    /// Keep at most this many calls in order
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_CALLS))]
    calls: u64,
    /// Keep distances below this many bytes only; those of overlapping regions always
    #[arg(long, value_name = "BYTES")]
    near: Option<u64>,
    /// Keep no callers
    #[arg(long)]
    drop_callers: bool,
    #[command(flatten)]
    to: To,
}

/// Make a profile of a list: lines of 'SIZE WEIGHT', or of 'DST SRC N' in order
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith profile import sizes.txt -o sizes.profile.gz
  copysmith profile import trace.txt -o trace.profile.gz --name trace

Numbers are decimal, or hexadecimal after 0x; empty lines and lines that begin with # are left out. A list of sizes has no \
order: one is drawn, always the same.")]
struct Import {
    /// The list; - is standard input
    list: PathBuf,
    #[command(flatten)]
    to: To,
}

/// Where a new profile goes.
#[derive(Debug, clap::Args)]
struct To {
    /// Write the profile to this file, compressed if its name ends in .gz
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
    /// The name of the profile [default: the file's, up to its first dot]
    #[arg(long, value_parser = named)]
    name: Option<String>,
}

/// The name of a profile, from the command line.
///
/// # Errors
/// What is wrong with it.
pub fn named(name: &str) -> Result<String, String> {
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err("a name has at least one character, and none for control".to_owned());
    }
    Ok(name.to_owned())
}

/// Does what was asked for.
///
/// # Errors
/// A profile or list that cannot be read, or a file that cannot be written.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    match args.verb {
        Verb::List(args) => list(args, output),
        Verb::Show(args) => show::run(args, output),
        Verb::Merge(Merge { profiles, to }) => {
            let profiles = profiles.iter().map(|path| open(path)).collect::<anyhow::Result<Vec<_>>>()?;
            let merged = profile::merge(&profiles, &to.name()).map_err(anyhow::Error::msg)?;
            written(&merged, &to, output)
        }
        Verb::Sample(Sample { profile, calls, near, drop_callers, to }) => {
            let mut sampled = open(&profile)?.sample(calls);
            if drop_callers {
                sampled = sampled.without_callers();
            }
            if let Some(limit) = near {
                sampled = sampled.near(limit);
            }
            let sampled = sampled.named(&to.name()).map_err(Usage)?;
            written(&sampled, &to, output)
        }
        Verb::Import(Import { list, to }) => {
            let text = text(&list)?;
            let imported = profile::import(&text, &to.name()).with_context(|| list.display().to_string())?;
            written(&imported, &to, output)
        }
    }
}

impl To {
    fn name(&self) -> String {
        let file = self.output.file_name().unwrap_or_default().to_string_lossy();
        let stem = file.split('.').find(|part| !part.is_empty()).unwrap_or("profile");
        self.name.clone().unwrap_or_else(|| stem.to_owned())
    }
}

fn written(profile: &Profile, to: &To, output: &mut Output) -> anyhow::Result<Exit> {
    save(profile, &to.output, to.force)?;
    let (calls, kept) = (profile.header().calls, profile.calls().count());
    output.text(format_args!("written: {} ({calls} calls, {kept} in order)\n", to.output.display()))?;
    Ok(Exit::Done)
}

/// Whether a profile may and can go there.
///
/// # Errors
/// The file exists and is not to be replaced, or cannot be written.
pub fn is_free(path: &Path, force: bool) -> anyhow::Result<()> {
    if !force && fs::symlink_metadata(path).is_ok() {
        anyhow::bail!("{} exists; give another file with -o, or --force to replace it", path.display());
    }
    Ok(writable(path)?)
}

/// Writes a profile into a file, all of it or nothing.
///
/// # Errors
/// As [`is_free`].
pub fn save(profile: &Profile, path: &Path, force: bool) -> anyhow::Result<()> {
    is_free(path, force)?;
    write_bytes(path, &profile::packed(path, &profile.to_string()))?;
    Ok(())
}

/// The profile in a file, or the shipped one of this name where there is no such file.
///
/// # Errors
/// It cannot be read, or there is none.
pub fn open(path: &Path) -> anyhow::Result<Profile> {
    let shipped = path.to_str().and_then(profile::by_name);
    match shipped.filter(|_| !path.exists()) {
        Some(shipped) => Ok(shipped.profile()?),
        None => Ok(Profile::read(path)?),
    }
}

/// A list, of the size that a profile's text may have.
fn text(path: &Path) -> anyhow::Result<String> {
    let reader: Box<dyn Read> = if path == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        Box::new(regular::open_or_pipe(path).with_context(|| format!("cannot read {}", path.display()))?)
    };
    let mut text = String::new();
    let read = reader.take(profile::MOST_BYTES + 1).read_to_string(&mut text);
    let read = read.with_context(|| format!("cannot read {}", path.display()))?;
    if read as u64 > profile::MOST_BYTES {
        anyhow::bail!("{} is too large; at most {} MiB are read", path.display(), profile::MOST_BYTES >> 20);
    }
    Ok(text)
}

fn list(args: List, output: &mut Output) -> anyhow::Result<Exit> {
    let all = profile::shipped().iter().map(|shipped| Ok(shipped.profile()?));
    let all = all.collect::<anyhow::Result<Vec<Profile>>>()?;
    if args.format.format() == Format::Json {
        output.json(&all.iter().map(Profile::header).collect::<Vec<_>>())?;
        return Ok(Exit::Done);
    }
    let row = |profile: &Profile| {
        let summary = Summary::of(profile);
        let per_cent = |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{:.1} %", 100.0 * share));
        [
            summary.name,
            summary.calls.to_string(),
            per_cent(summary.calls_below_128),
            per_cent(summary.repeats),
            summary.kept.to_string(),
            profile.header().command.join(" "),
        ]
    };
    let rows: Vec<_> = all.iter().map(row).collect();
    output.table(["name", "calls", "below 128", "repeats", "in order", "command"], &rows)?;
    Ok(Exit::Done)
}
