//! What the tests of studies share: small measurements and the command.

use assert_cmd::cargo::CommandCargoExt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// A study of two small classes that takes about a second.
pub const SMALL: [&str; 8] =
    ["study", "measure", "--space", "quick", "--classes", "129..=256,257..=512", "--sample", "60"];

/// The command, away from any checkout of copysmith.
pub fn copysmith(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("copysmith").unwrap();
    command.args(args).current_dir("/").env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

/// The small study into a directory.
pub fn measure(dir: &Path, more: &[&str]) -> Command {
    let mut args = [&SMALL, more].concat();
    for (option, value) in [("--blocks", "10"), ("--seed", "5")] {
        if !args.contains(&option) {
            args.extend([option, value]);
        }
    }
    let mut command = copysmith(&args);
    command.arg("-o").arg(dir);
    command
}

/// A verb of `study` on paths.
pub fn study(words: &[&str], paths: &[&Path]) -> Command {
    let mut command = copysmith(&[&["study"], words].concat());
    command.args(paths);
    command
}

pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[track_caller]
pub fn done(output: &Output) -> &str {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// The one line of an error, without the name of the command.
#[track_caller]
pub fn complaint(output: &Output) -> String {
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), ""), "{said}");
    assert!(said.starts_with("copysmith: ") && said.ends_with('\n') && said.lines().count() == 1, "{said:?}");
    said["copysmith: ".len()..].trim_end().to_owned()
}

/// A directory in which the small study was measured; made once, to be read only.
pub fn measured() -> &'static Path {
    static MEASURED: OnceLock<PathBuf> = OnceLock::new();
    MEASURED.get_or_init(|| {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("measured-study");
        let _ = fs::remove_dir_all(&dir);
        done(&measure(&dir, &[]).output().unwrap());
        dir
    })
}
