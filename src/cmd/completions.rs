//! `copysmith completions`: what a shell needs to complete this command.

use super::exit::Exit;
use super::output::Output;
use clap::CommandFactory;
use clap_complete::Shell;

/// Print the completion script of a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith completions bash > ~/.local/share/bash-completion/completions/copysmith
  copysmith completions zsh > ~/.zfunc/_copysmith
  copysmith completions fish > ~/.config/fish/completions/copysmith.fish")]
pub struct Args {
    /// For which shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script.
///
/// # Errors
/// A result that cannot be written.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    // Into memory first: the generator panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::Cli::command(), "copysmith", &mut script);
    output.text(String::from_utf8(script)?)?;
    Ok(Exit::Done)
}
