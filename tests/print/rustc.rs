//! The compiler and the formatter that build this project, run on printed text.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// Runs the tool and panics with what it said if it fails. `false`, with the reason on the screen, if there is no such tool.
fn run(tool: &OsStr, arguments: &[&OsStr]) -> bool {
    let mut command = Command::new(tool);
    command.args(arguments);
    match command.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            println!("skipped: there is no {}", tool.display());
            false
        }
        Err(error) => panic!("{command:?}: {error}"),
        Ok(output) => {
            let said = [output.stdout, output.stderr].concat();
            assert!(output.status.success(), "{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&said));
            true
        }
    }
}

/// Compiles with warnings as errors.
pub fn rustc(file: &Path, output: &Path, arguments: &[&str]) -> bool {
    let tool = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let fixed = ["-D", "warnings", "-o"].map(OsStr::new);
    let arguments = arguments.iter().map(OsStr::new);
    let all: Vec<&OsStr> = fixed.into_iter().chain([output.as_os_str(), file.as_os_str()]).chain(arguments).collect();
    run(&tool, &all)
}

/// Checks that the formatter has nothing to change; with an empty `config`, by its defaults.
pub fn rustfmt(file: &Path, edition: &str, config: &str) -> bool {
    let tool = std::env::var_os("RUSTFMT").unwrap_or_else(|| "rustfmt".into());
    let mut arguments = vec!["--check", "--edition", edition, "--style-edition", edition];
    if !config.is_empty() {
        arguments.extend(["--config-path", config]);
    }
    let all: Vec<&OsStr> = arguments.into_iter().map(OsStr::new).chain([file.as_os_str()]).collect();
    run(&tool, &all)
}
