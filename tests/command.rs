//! The command as a shell sees it: standard output, standard error, exit code.

use assert_cmd::cargo::CommandCargoExt;
use std::io::{Read, pipe};
use std::process::{Command, Output, Stdio};

const ROUTINE: &str = "cuts=32 | copy 0..=32 chain width=sse16 | copy 33.. string unit=1";

/// Through the runner that cargo is set up with, if any: the tests also run in user-mode emulation.
fn copysmith(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("copysmith").unwrap();
    command.args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

fn ended(args: &[&str]) -> Output {
    copysmith(args).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[track_caller]
fn result(args: &[&str]) -> String {
    let output = ended(args);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    text(&output.stdout).to_owned()
}

/// The one line of an error, without the name of the command.
#[track_caller]
fn complaint(args: &[&str], code: i32) -> String {
    let output = ended(args);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(code), ""), "{args:?}");
    let said = text(&output.stderr);
    assert!(said.starts_with("copysmith: ") && said.ends_with('\n') && said.lines().count() == 1, "{said:?}");
    said["copysmith: ".len()..].trim_end().to_owned()
}

#[test]
fn help_and_version_are_results_and_help_shows_examples() {
    for args in [&["--help"][..], &["-h"], &["help"], &["show", "--help"], &["completions", "-h"], &["help", "show"]] {
        let help = result(args);
        assert!(help.contains("Usage: copysmith") && help.contains("Examples:\n  copysmith "), "{args:?} {help}");
    }
    assert_eq!(result(&["--version"]), format!("copysmith {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_example_that_help_gives_for_show_works() {
    let help = result(&["show", "--help"]);
    let examples: Vec<&str> = help.lines().filter_map(|line| line.trim().strip_prefix("copysmith show ")).collect();
    assert_eq!(examples.len(), 3);
    for example in examples {
        // As a shell would: quotes keep a text together.
        let words: Vec<&str> = match example.strip_prefix('\'') {
            Some(quoted) => vec![quoted.strip_suffix('\'').unwrap()],
            None => example.split_whitespace().collect(),
        };
        result(&[&["show"][..], &words].concat());
    }
}

#[test]
fn a_wrong_command_line_is_one_line_and_exit_code_2() {
    for (args, says) in [
        (&[][..], "subcommand"),
        (
            &["shew"],
            "unrecognized subcommand 'shew'; a similar subcommand exists: 'show'; the verbs are tune, bench, show",
        ),
        (&["show"], "required arguments were not provided"),
        (&["show", "--jsno", "copy"], "unexpected argument '--jsno' found"),
        (&["completions", "csh"], "invalid value 'csh'"),
        (&["--quiet=1", "show"], "unexpected value '1'"),
    ] {
        let said = complaint(args, 2);
        assert!(said.contains(says) && !said.contains("Usage:"), "{args:?}: {said}");
    }
}

#[test]
fn a_text_that_is_no_routine_is_the_one_line_that_its_error_has() {
    for wrong in
        ["move 1..=2", "copy 9..=3 chain width=8", "copy 17..=32 pairs width=sse17", "cuts=9 | copy 0.. string unit=1"]
    {
        let error = wrong.parse::<copysmith_kernels::Routine>().unwrap_err().to_string();
        assert_eq!(complaint(&["show", wrong], 2), error);
    }
}

#[test]
fn words_and_one_quoted_text_show_the_same_canonical_text_and_its_plan_and_code() {
    let words = result(&["show", "copy", "17..=32", "pairs", "width=sse16", "moves=1"]);
    assert_eq!(words, result(&["show", "copy 17..=32  pairs width=sse16"]));
    let plan = "copy 17..=32 pairs width=sse16".parse::<copysmith_kernels::Routine>().unwrap().plan();
    let head = "routine  copy 17..=32 pairs width=sse16\nspan     17..=32\nisa      sse2\n";
    let code = "  7  f3 0f 6f 4c 16 f0                 movdqu xmm1, [rsi+rdx-0x10]\n";
    assert!(words.starts_with(&format!("{head}\nplan\n{plan}\ncode, 24 bytes\n")) && words.contains(code), "{words}");
}

#[test]
fn the_leaves_of_a_routine_are_a_table() {
    let shown = result(&["show", ROUTINE]);
    let table =
        "leaf    isa   recipe\n0..=32  sse2  copy 0..=32 chain width=sse16\n33..    sse2  copy 33.. string unit=1\n";
    assert!(shown.contains(table), "{shown}");
}

/// The first leaf is safe with the destination below the source; the second, whose last move overlaps the one before, in neither way.
#[test]
#[cfg(target_arch = "x86_64")]
fn overlap_is_asked_of_each_leaf_at_its_own_edges() {
    const LONG: &str = "cuts=262144 | copy 0..=262144 string unit=1 | copy 262145.. loop width=sse16 unroll=1";
    assert!(
        result(&["check", "copy 0..=262144 string unit=1"])
            .contains("overlap  safe only where the destination lies below")
    );
    assert!(result(&["check", LONG]).contains("overlap  none: operands must not overlap"));
}

#[test]
fn json_holds_the_same_and_its_routine_is_taken_back() {
    let json: serde_json::Value = serde_json::from_str(&result(&["show", "--json", ROUTINE])).unwrap();
    assert_eq!(json["routine"], ROUTINE);
    assert_eq!(json["leaves"][1]["span"], "33..");
    assert_eq!(json["plan"], ROUTINE.parse::<copysmith_kernels::Routine>().unwrap().plan().to_string());
}

/// Each would be waited for without end; so would the journal and the winners, which `tests/tune` tries.
#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn a_fifo_instead_of_a_file_that_is_read_is_one_line_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("fifo");
    let name = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: the name is terminated.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o700) }, 0);
    let (fifo, out, record) = (path.to_str().unwrap(), dir.path().join("out"), dir.path().join("record"));
    let (out, record) = (out.to_str().unwrap(), record.to_str().unwrap());
    for args in [
        &["profile", "show", fifo][..],
        &["profile", "merge", "git", fifo, "-o", out],
        &["profile", "sample", fifo, "--calls", "9", "-o", out],
        &["profile", "import", "/dev/zero", "-o", out],
        &["bench", "replay", "--profile", fifo],
        &["bench", "--against", fifo],
        &["bench", "program", "--library", fifo, "--", "true"],
        &["tune", "--record", record, "--profile", fifo],
    ] {
        let said = complaint(args, 1);
        assert!(said.contains("it is not a regular file"), "{args:?}: {said}");
    }
    for args in [&["record", "-o", out, "--", fifo][..], &["bench", "program", "--library", "/bin/true", "--", fifo]] {
        let said = complaint(args, 1);
        assert!(said.contains("cannot be started"), "{args:?}: {said}");
    }
}

#[test]
fn completions_name_every_verb_in_each_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = result(&["completions", shell]);
        assert!(["show", "completions", "quiet"].iter().all(|word| script.contains(word)), "{shell}");
    }
}

#[test]
fn a_reader_that_has_gone_is_no_error() {
    for args in [&["show", ROUTINE][..], &["show", "--json", ROUTINE], &["completions", "bash"], &["--help"]] {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let output = copysmith(args).stdout(writer).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn a_reader_that_takes_one_line_gets_it() {
    let mut child = copysmith(&["completions", "zsh"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&first), "#compdef c");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
}

#[test]
fn results_that_cannot_be_written_are_an_error() {
    for args in [&["show", ROUTINE][..], &["completions", "bash"], &["--help"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = copysmith(args).stdout(full).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(said.starts_with("copysmith: standard output: No space left") && said.lines().count() == 1, "{said}");
    }
}

#[test]
fn notes_that_cannot_be_written_are_not_said_and_nothing_else_changes() {
    let dir = tempfile::tempdir().unwrap();
    let profile = dir.path().join("p.profile");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let args = ["record", "-o", profile.to_str().unwrap(), "--", "sh", "-c", "exit 7"];
    let output = copysmith(&args).stderr(full).output().unwrap();
    assert_eq!((output.status.code(), profile.exists()), (Some(7), true));
}

#[test]
fn colours_are_for_terminals_and_no_color_wins_over_being_forced() {
    let plain = result(&["--help"]);
    let forced = copysmith(&["--help"]).env("CLICOLOR_FORCE", "1").output().unwrap();
    let refused = copysmith(&["--help"]).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").output().unwrap();
    assert!(!plain.contains('\x1b'));
    assert!(text(&forced.stdout).contains('\x1b'), "forced colours show that the next line can fail");
    assert_eq!(text(&refused.stdout), plain);
}
