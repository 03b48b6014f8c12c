//! `copysmith record`: the copies that a program makes, into a profile.

use super::exit::Exit;
use super::output::{Output, said};
use super::profile::{is_free, named, save};
use copysmith::profile::Summary;
use copysmith::profile::recorder::{Callers, Recorded, Request, record};
use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// The most calls in order that a profile has unless told otherwise.
const CALLS: u64 = 1 << 18;

/// Run a program and record the copies that it makes: memcpy, memmove and mempcpy, in order
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith record -- python3 -c 'print(1)'
  copysmith record -o build.profile.gz -- make -j2
  copysmith record --keep-callers --calls 100000 -- ls -lR /usr

A preloaded library writes calls down; children are recorded too. It cannot see copies that a compiler inlined, copies that libc \
makes inside itself, and programs that are linked statically or change user when they start. The program has this command's \
input, output and errors, and its exit code is passed on (128 and the signal's number where a signal ended it). Long runs are \
kept as long stretches spread over the run; counts are exact.")]
pub struct Args {
    /// Write the profile to this file, compressed if its name ends in .gz [default: PROGRAM.profile.gz]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
    /// Keep who called, as object and offset
    #[arg(long)]
    keep_callers: bool,
    /// Keep at most this many calls in order
    #[arg(long, value_name = "N", default_value_t = CALLS, value_parser = clap::value_parser!(u64).range(1..=copysmith::profile::MOST_CALLS))]
    calls: u64,
    /// The name of the profile [default: the program's]
    #[arg(long, value_parser = named)]
    name: Option<String>,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// Runs the program, writes its profile, and ends as it did.
///
/// # Errors
/// The program cannot be started, or the profile cannot be written; the program then ran all the same.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    let mut words = args.program.into_iter();
    let program = words.next().unwrap_or_default();
    let name = args.name.unwrap_or_else(|| name(&program));
    let path = args.output.unwrap_or_else(|| PathBuf::from(format!("{name}.profile.gz")));
    // Better known before the program runs than after it.
    is_free(&path, args.force)?;
    let callers = if args.keep_callers { Callers::Kept } else { Callers::Dropped };
    let Recorded { status, profile } =
        record(&Request { program, arguments: words.collect(), callers, calls: args.calls, name })?;
    match profile {
        Ok(profile) => {
            save(&profile, &path, args.force)?;
            let summary = Summary::of(&profile);
            let below = summary.calls_below_128.map_or(0.0, |share| 100.0 * share);
            let header = profile.header();
            let processes = match header.processes {
                1 => "1 process".to_owned(),
                processes => format!("{processes} processes"),
            };
            note(
                output,
                &format!(
                    "{} calls, {} bytes, {below:.1} % of calls below 128 bytes, {processes}; {} calls in order in {}",
                    summary.calls,
                    summary.bytes,
                    summary.kept,
                    path.display()
                ),
            );
        }
        Err(why) => note(output, &why),
    }
    Ok(Exit::Passed(code(status)))
}

/// As shells have it.
fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(255);
    // An exit code has 8 bits.
    (code & 255) as u8
}

/// The last part of the program's path, without what names no file.
fn name(program: &OsStr) -> String {
    let name = Path::new(program).file_name().unwrap_or(program).to_string_lossy();
    name.chars().map(|letter| if letter.is_control() { '_' } else { letter }).collect()
}

/// One line on standard error.
fn note(output: &Output, line: &str) {
    if !output.is_quiet() {
        said(format_args!("copysmith: {line}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_a_signal_ended_has_the_exit_code_that_shells_give_it() {
        assert_eq!(code(ExitStatus::from_raw(0)), 0);
        assert_eq!(code(ExitStatus::from_raw(7 << 8)), 7);
        assert_eq!(code(ExitStatus::from_raw(9)), 137);
    }

    #[test]
    fn a_profile_is_named_after_the_program_wherever_it_is() {
        assert_eq!(name("/usr/bin/python3".as_ref()), "python3");
        assert_eq!(name("a\nb".as_ref()), "a_b");
    }
}
