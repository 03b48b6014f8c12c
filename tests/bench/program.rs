//! Programs with and without a library. Any library serves: the one that is next to this test's own C library.

use super::bench::{complaint, ended, libc, plain, text};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

fn library() -> String {
    Path::new(&libc()).with_file_name("libm.so.6").display().to_string()
}

fn program(options: &[&str], words: &[&str]) -> Command {
    let mut command = plain(Path::new("."));
    command.args(["program", "--library", &library()]).args(options).arg("--").args(words);
    command
}

#[test]
fn pairs_come_to_a_ratio_with_its_interval_and_a_verdict() {
    let printed = ended(program(&["--pairs", "4"], &["true"]), 0).stdout;
    let printed = text(&printed);
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("4 pairs; medians: "), "{printed}");
    assert!(lines[1].starts_with("ratio ") && lines[1].contains(", 95 % interval "), "{printed}");
    let json = ended(program(&["--pairs", "4", "--json"], &["sh", "-c", "echo nobody reads this"]), 0).stdout;
    let json: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["without"].as_array().unwrap().len(), 4);
    assert_eq!(json["with"].as_array().unwrap().len(), 4);
    assert_eq!(json["command"][2], "echo nobody reads this");
    assert!(json["ratio"]["low"].as_f64() <= json["ratio"]["high"].as_f64(), "{json}");
    assert!(["tie", "faster", "slower"].contains(&json["verdict"].as_str().unwrap()));
}

#[test]
fn the_library_is_preloaded_in_one_run_of_each_pair_and_not_in_the_other() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let script = format!("echo \"${{LD_PRELOAD:-nothing}}\" >> {}", log.display());
    ended(program(&["--pairs", "5"], &["sh", "-c", &script]), 0);
    let log = std::fs::read_to_string(log).unwrap();
    let whole = std::fs::canonicalize(library()).unwrap();
    let with: Vec<bool> = log.lines().map(|line| line == whole.to_str().unwrap()).collect();
    assert_eq!(with.len(), 2 + 10, "{log}");
    assert!(with[2..].chunks(2).all(|pair| pair[0] != pair[1]), "{log}");
    assert!([true, false].iter().all(|first| with[2..].chunks(2).any(|pair| pair[0] == *first)), "{log}");
}

#[test]
fn a_failing_program_is_compared_as_long_as_it_fails_the_same_way() {
    ended(program(&["--pairs", "3"], &["sh", "-c", "exit 3"]), 0);
    let said = complaint(program(&["--pairs", "3"], &["sh", "-c", "test -z \"$LD_PRELOAD\""]), 1);
    assert_eq!(said, "sh ends with exit status: 0, and with the library with exit status: 1");
    let dir = tempfile::tempdir().unwrap();
    let script = format!("mkdir {0}/once || mkdir {0}/twice", dir.path().display());
    let said = complaint(program(&["--pairs", "3"], &["sh", "-c", &script]), 1);
    assert_eq!(said, "sh ends with exit status: 0 and then with exit status: 1: runs cannot be compared");
}

#[test]
fn what_cannot_be_run_or_preloaded_is_one_line() {
    let said = complaint(program(&[], &["/no/such/program"]), 1);
    assert!(said.starts_with("/no/such/program cannot be started: No such file"), "{said}");
    let run = |library: &str| {
        let mut command = plain(Path::new("."));
        command.args(["program", "--library", library, "--", "true"]);
        complaint(command, 1)
    };
    assert!(run("/no/such.so").starts_with("/no/such.so cannot be preloaded: No such file"));
    let dir = tempfile::tempdir().unwrap();
    let odd = dir.path().join("a b.so");
    std::fs::write(&odd, "text").unwrap();
    assert!(run(odd.to_str().unwrap()).contains("its path has ' ', which separates paths in LD_PRELOAD"));
    let text = dir.path().join("text.so");
    std::fs::write(&text, "text").unwrap();
    assert!(run(text.to_str().unwrap()).contains("cannot be preloaded"));
}

/// A copy of the command in a folder of its own, first without a drop-in and then with a library of that name.
#[test]
fn without_a_library_it_is_the_drop_in_beside_the_command_or_a_line_that_says_how_to_make_it() {
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join("copysmith");
    std::fs::copy(env!("CARGO_BIN_EXE_copysmith"), &copy).unwrap();
    let command = || {
        let mut command = Command::new(&copy);
        command.args(["bench", "program", "--json", "--pairs", "3", "--", "true"]);
        command
    };
    assert!(complaint(command(), 1).contains("make it with cargo build --release -p copysmith-dropin"));
    let drop_in = dir.path().join("libcopysmith_dropin.so");
    std::fs::copy(library(), &drop_in).unwrap();
    let json: Value = serde_json::from_slice(&ended(command(), 0).stdout).unwrap();
    assert_eq!(json["library"], drop_in.display().to_string());
}

#[test]
fn interrupted_it_ends_the_run_in_flight_and_prints_the_pairs_before() {
    let mut command = program(&["--pairs", "3"], &["sleep", "600"]);
    let bench = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let children = format!("/proc/{0}/task/{0}/children", bench.id());
    let running = || std::fs::read_to_string(&children).is_ok_and(|children| !children.trim().is_empty());
    while !running() {
        std::thread::sleep(Duration::from_millis(1));
    }
    // SAFETY: a signal to a process that this test started.
    unsafe { libc::kill(bench.id() as libc::pid_t, libc::SIGINT) };
    let output = bench.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(130), ""));
    assert_eq!(text(&output.stderr), "copysmith: interrupted; 0 of 3 pairs were run\n");
}
