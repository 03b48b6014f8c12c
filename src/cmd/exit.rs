//! How the command ends: one line on standard error, one exit code.

use super::output::{Closed, said};
use clap::CommandFactory;
use clap::error::ErrorKind;
use copysmith::record::{EXIT_INTERRUPTED, Interrupted};
use std::fmt;
use std::process::ExitCode;

/// How a verb that ran to its end ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// What was asked for is done.
    Done,
    /// It ran to its end and the result, already printed, is a failure: a check that does not hold.
    Failed,
    /// A program was run, and this is its exit code.
    Passed(u8),
}

/// A command line that clap takes and that makes no sense.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// The exit code of a verb's end, its error printed.
pub fn of(ended: anyhow::Result<Exit>) -> ExitCode {
    let error = match ended {
        Ok(exit) => return code(exit),
        Err(error) => error,
    };
    // Whoever reads the results has seen enough (`| head`): that is no failure and nobody is there to be told.
    if error.is::<Closed>() {
        return ExitCode::SUCCESS;
    }
    complain(&told(&error));
    code_of(&error)
}

/// The error and its causes, leaving out a cause that what comes before it says already.
fn told(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |said, cause| match said.as_str() {
        "" => cause,
        said if said.contains(&cause) => said.to_owned(),
        said => format!("{said}: {cause}"),
    })
}

fn code(exit: Exit) -> ExitCode {
    match exit {
        Exit::Done => ExitCode::SUCCESS,
        Exit::Failed => ExitCode::FAILURE,
        Exit::Passed(code) => code.into(),
    }
}

fn code_of(error: &anyhow::Error) -> ExitCode {
    // By the chain and not by downcasting alone: a verb may have wrapped the interruption in an error of its own.
    if error.chain().any(|cause| cause.is::<Interrupted>()) {
        EXIT_INTERRUPTED.into()
    } else if error.is::<Usage>() {
        ExitCode::from(2)
    } else {
        ExitCode::FAILURE
    }
}

/// The exit code of a command line that clap does not take; help and version, which come this way too, are results.
pub fn of_parse(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return match error.print() {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                complain(&format!("standard output: {error}"));
                ExitCode::FAILURE
            }
            _ => ExitCode::SUCCESS,
        };
    }
    let mut said = one_line(&error.render().to_string());
    match error.kind() {
        ErrorKind::InvalidSubcommand => said.push_str(&allowed()),
        ErrorKind::ArgumentConflict if said.starts_with("the subcommand ") => said.push_str("; options come after it"),
        ErrorKind::InvalidUtf8 => {
            if let Some(odd) = std::env::args_os().find(|argument| argument.to_str().is_none()) {
                said = format!("{odd:?} is not UTF-8; every argument must be");
            }
        }
        _ => {}
    }
    complain(&said);
    ExitCode::from(2)
}

/// What is allowed where a verb, or what a verb has in its place, is none: as the help lists them.
fn allowed() -> String {
    let command = super::Cli::command();
    let given = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let inner = command.find_subcommand(&given).filter(|verb| verb.has_subcommands());
    let (what, of) = inner.map_or(("the verbs", &command), |verb| (given.as_str(), verb));
    let names = of.get_subcommands().map(clap::Command::get_name).collect::<Vec<_>>().join(", ");
    match inner {
        None => format!("; {what} are {names}"),
        Some(_) => format!("; {what} has {names}"),
    }
}

/// Clap's paragraphs as one line, without its usage lines: `--help` has those.
fn one_line(rendered: &str) -> String {
    let rendered = rendered.strip_prefix("error: ").unwrap_or(rendered);
    let lines = rendered.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let said: Vec<&str> = lines.filter(|line| !line.is_empty() && !line.starts_with("For more information")).collect();
    said.join(" ").replace(" tip: ", "; ")
}

/// The one line. A standard error that cannot be written leaves the exit code to tell.
fn complain(what: &str) {
    said(format_args!("copysmith: {}", what.replace('\n', " ")));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_end_has_its_exit_code_through_any_context() {
        let context = |error: anyhow::Error| error.context("while doing something");
        assert_eq!(code(Exit::Done), ExitCode::SUCCESS);
        assert_eq!(code(Exit::Failed), ExitCode::FAILURE);
        assert_eq!(code(Exit::Passed(137)), ExitCode::from(137));
        assert_eq!(code_of(&context(Interrupted.into())), ExitCode::from(130));
        assert_eq!(code_of(&context(Usage("odd".to_owned()).into())), ExitCode::from(2));
        assert_eq!(code_of(&anyhow::anyhow!("broken")), ExitCode::FAILURE);
        assert_eq!(of(Err(context(Closed.into()))), ExitCode::SUCCESS);
    }

    #[test]
    fn a_cause_is_told_once() {
        let error = anyhow::anyhow!("no space").context("f: no space").context("while writing");
        assert_eq!(told(&error), "while writing: f: no space");
    }

    #[test]
    fn what_clap_says_in_paragraphs_becomes_one_line() {
        let text = "error: unexpected argument '--jso' found\n\n  tip: a similar argument exists: '--json'\n\n\
                    Usage: copysmith show --json <TEXT>...\n\nFor more information, try '--help'.\n";
        let expected = "unexpected argument '--jso' found; a similar argument exists: '--json'";
        assert_eq!(one_line(text), expected);
    }
}
