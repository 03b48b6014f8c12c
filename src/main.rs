//! The `copysmith` command.
//!
//! Standard output carries results and nothing else; errors are one line on standard error. Exit codes: 0 done, 1 failed,
//! 2 wrong usage, 130 interrupted.

mod cmd;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    match cmd::Cli::try_parse() {
        Ok(cli) => cmd::exit::of(cmd::run(cli)),
        Err(error) => cmd::exit::of_parse(&error),
    }
}
