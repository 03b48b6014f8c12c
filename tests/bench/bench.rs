//! The command, and what it says.

use assert_cmd::cargo::CommandCargoExt;
use std::path::Path;
use std::process::{Command, Output};

/// The columns of a file of rows.
pub const NAMES: &str = "case,first,last,offset,distance,contestant,ratio,low,high,gigabytes_per_second,\
                         reference_gigabytes_per_second,nanoseconds,reference_nanoseconds,overhead_nanoseconds,noise_floor,\
                         blocks,error";

/// The command with the fewest blocks, in this folder; a mode is the first argument.
pub fn bench(folder: &Path, args: &[&str]) -> Command {
    of_blocks(8, folder, args)
}

pub fn of_blocks(blocks: u32, folder: &Path, args: &[&str]) -> Command {
    let (mode, options) = args.split_at(args.first().is_some_and(|first| !first.starts_with("--")).into());
    let mut command = plain(folder);
    command.args(mode).args(["--blocks", &blocks.to_string()]).args(options);
    command
}

/// `copysmith bench`, in this folder.
pub fn plain(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("copysmith").unwrap();
    command.arg("bench").current_dir(folder);
    command
}

pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[track_caller]
pub fn ended(mut command: Command, code: i32) -> Output {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
    output
}

/// The one line of a bench that measured nothing.
#[track_caller]
pub fn complaint(command: Command, code: i32) -> String {
    let output = ended(command, code);
    let said = text(&output.stderr);
    assert_eq!((text(&output.stdout), said.lines().count()), ("", 1), "{said}");
    said.strip_prefix("copysmith: ").unwrap().trim_end().to_owned()
}

/// The headings of a text table that begins with this one, and what it says in each line after them.
pub fn table<'p>(printed: &'p str, first: &str) -> (Vec<&'p str>, Vec<Vec<&'p str>>) {
    let cells = |line: &'p str| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    let mut lines = printed.lines().skip_while(|line| line.split("  ").next() != Some(first));
    let headings = cells(lines.next().unwrap());
    (headings, lines.take_while(|line| !line.is_empty() && !line.starts_with("written: ")).map(cells).collect())
}

/// The C library that this process runs with.
pub fn libc() -> String {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let found = maps.lines().find_map(|line| line.split_whitespace().nth(5).filter(|path| path.contains("/libc.so")));
    found.unwrap().to_owned()
}
