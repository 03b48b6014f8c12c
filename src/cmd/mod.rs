//! The verbs, one file each: what its arguments are, and what it does with them.

mod bench;
mod check;
mod choice;
mod completions;
pub mod exit;
mod export;
mod host;
mod number;
mod output;
mod profile;
mod ratios;
mod record;
mod report;
mod show;
mod spans;
mod study;
mod table;
mod tune;
mod tuning;
mod words;

use clap::{Parser, Subcommand};
use exit::Exit;
use output::Output;

/// Writes memory-copy routines, proves them, times them on this machine and checks the best in as Rust source
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = false, max_term_width = 120, after_help = AFTER)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
    /// Print no progress and no notes, only results and errors
    #[arg(long, short, global = true)]
    quiet: bool,
}

const AFTER: &str = "\
Examples:
  copysmith tune
  copysmith bench
  copysmith record -- python3 -c 'print(1)'
  copysmith show copy 17..=32 pairs width=sse16
  copysmith completions bash > ~/.local/share/bash-completion/completions/copysmith

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
Results go to standard output, everything else to standard error. NO_COLOR is honoured.";

#[derive(Debug, Subcommand)]
enum Verb {
    Tune(tune::Args),
    Bench(Box<bench::Args>),
    Show(show::Args),
    Check(check::Args),
    Record(record::Args),
    Profile(profile::Args),
    Host(host::Args),
    Table(table::Args),
    Export(export::Args),
    Study(study::Args),
    Report(report::Args),
    Completions(completions::Args),
}

/// Does what the command line says.
///
/// # Errors
/// Whatever stops the verb; [`exit::of`] prints it.
pub fn run(cli: Cli) -> anyhow::Result<Exit> {
    // A program that is recorded would inherit it.
    if !matches!(cli.verb, Verb::Record(_)) {
        report_large_files();
    }
    let mut output = Output::new(cli.quiet);
    let exit = match cli.verb {
        Verb::Tune(args) => tune::run(args, &mut output),
        Verb::Bench(args) => bench::run(*args, &mut output),
        Verb::Show(args) => show::run(args, &mut output),
        Verb::Check(args) => check::run(args, &mut output),
        Verb::Record(args) => record::run(args, &mut output),
        Verb::Profile(args) => profile::run(args, &mut output),
        Verb::Host(args) => host::run(args, &mut output),
        Verb::Table(args) => table::run(args, &mut output),
        Verb::Export(args) => export::run(args, &mut output),
        Verb::Study(args) => study::run(args, &mut output),
        Verb::Report(args) => report::run(args, &mut output),
        Verb::Completions(args) => completions::run(args, &mut output),
    }?;
    output.finish()?;
    Ok(exit)
}

/// A file beyond the limit of this process is to be an error like a full disk, not a silent death by SIGXFSZ.
fn report_large_files() {
    // SAFETY: ignoring a signal runs no code of this program.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
