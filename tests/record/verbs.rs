//! `record` and `profile` as a shell sees them.

use crate::program::{Program, copysmith, text, word};
use copysmith::profile::Profile;
use std::fs;
use std::process::Output;

fn small() -> Program {
    Program::new("#[unsafe(no_mangle)] extern \"C\" fn main() -> c_int { for n in 1001..1011 { copy(n); } 3 }")
}

fn ended(words: &[&str]) -> Output {
    copysmith(words).output().unwrap()
}

#[track_caller]
fn complaint(words: &[&str], code: i32) -> String {
    let output = ended(words);
    let said = text(&output.stderr).to_owned();
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(code), ""), "{said}");
    assert!(said.starts_with("copysmith: ") && said.lines().count() == 1, "{said}");
    said
}

#[track_caller]
fn result(words: &[&str]) -> String {
    let output = ended(words);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    text(&output.stdout).to_owned()
}

#[test]
fn a_recording_ends_with_one_line_and_replaces_no_file_unless_told_to() {
    let program = small();
    let file = program.dir.path().join("p.profile.gz");
    let words = ["record", "-o", word(&file), "--", word(&program.path)];
    let output = ended(&words);
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(3), ""));
    assert!(said.lines().count() == 1 && said.contains("1 process;") && said.contains(word(&file)), "{said}");
    let before = fs::read(&file).unwrap();
    assert!(complaint(&words, 1).contains("exists; give another file with -o, or --force to replace it"));
    assert_eq!(fs::read(&file).unwrap(), before);
    assert_eq!(ended(&["record", "--force", "-o", word(&file), "--", word(&program.path)]).status.code(), Some(3));
}

#[test]
fn a_profile_is_named_after_the_program_and_lies_where_the_command_runs() {
    let program = small();
    let status = copysmith(&["-q", "record", "./program"]).current_dir(program.dir.path()).status().unwrap();
    assert_eq!(status.code(), Some(3));
    let profile = Profile::read(&program.dir.path().join("program.profile.gz")).unwrap();
    assert_eq!(profile.header().name, "program");
    assert_eq!(profile.header().command, ["./program"]);
    assert!(profile.header().seconds.is_some_and(|seconds| seconds > 0.0));
}

#[test]
fn a_program_that_cannot_be_started_is_one_line_and_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("p.gz");
    let said = complaint(&["record", "-o", word(&file), "--", "/no/such/program"], 1);
    assert!(said.contains("/no/such/program cannot be started"), "{said}");
    assert!(!file.exists());
}

#[test]
fn a_program_that_loads_no_library_runs_and_it_is_said_why_nothing_was_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let (source, path, file) = (dir.path().join("s.rs"), dir.path().join("static"), dir.path().join("p.gz"));
    fs::write(&source, "fn main() { println!(\"static\"); std::process::exit(4) }").unwrap();
    let mut rustc = std::process::Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["-C", "target-feature=+crt-static", "-C", "relocation-model=static", "-o"]).args([&path, &source]);
    assert!(rustc.status().unwrap().success());
    let output = ended(&["record", "-o", word(&file), "--", word(&path)]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(4), "static\n"));
    let said = text(&output.stderr);
    assert!(said.contains("nothing was recorded of") && said.contains("linked statically"), "{said}");
    assert!(!file.exists());
}

/// The recorder's file would be larger than the process may write, and trying would end it with SIGXFSZ.
#[test]
fn a_program_that_may_write_no_large_file_runs_unrecorded() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("p.gz");
    let limited = "ulimit -f 100; exec /bin/sh -c 'ls / | sort | wc -l; exit 6'";
    let output = ended(&["record", "-o", word(&file), "--", "/bin/sh", "-c", limited]);
    assert_eq!(output.status.code(), Some(6), "{}", text(&output.stderr));
    assert!(text(&output.stdout).trim().parse::<u32>().is_ok_and(|lines| lines > 3));
}

/// A program may close files that it does not know, as daemons do.
#[test]
fn a_program_that_closes_every_file_is_recorded_on() {
    let run = Program::new(
        "unsafe extern \"C\" { fn close(file: c_int) -> c_int; }
         #[unsafe(no_mangle)] extern \"C\" fn main() -> c_int { unsafe {
             copy(1001);
             for file in 3..1000 { close(file); }
             for _ in 0..5000 { copy(1002); }
             0
         } }",
    )
    .record(&[]);
    assert_eq!((run.count(1001), run.count(1002), run.lengths().len()), (1, 5000, 5001));
}

#[test]
fn a_name_that_a_profile_cannot_have_is_a_wrong_command_line() {
    let dir = tempfile::tempdir().unwrap();
    let to = dir.path().join("o.gz");
    let said = complaint(&["profile", "sample", "git", "--calls", "9", "-o", word(&to), "--name", "a\nb"], 2);
    assert!(said.contains("a name has at least one character, and none for control"), "{said}");
    assert!(!to.exists());
}

#[test]
fn a_shell_and_its_children_print_the_same() {
    let script =
        "echo one; for word in a b c; do ls / | wc -l; done; (echo two >&2; exit 3); echo $?; cat /etc/passwd | sort";
    let alone = std::process::Command::new("/bin/sh").args(["-c", script]).output().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("p.gz");
    let recorded = ended(&["-q", "record", "-o", word(&file), "--", "/bin/sh", "-c", script]);
    assert_eq!(recorded, alone);
    assert!(Profile::read(&file).unwrap().header().processes > 10);
}

#[test]
fn profiles_are_imported_shown_sampled_and_merged() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("list"), "# sizes\n16 3000\n0x100 1000\n").unwrap();
    let written = result(&["profile", "import", word(&at("list")), "-o", word(&at("sizes.profile.gz"))]);
    assert!(written.ends_with("(4000 calls, 4000 in order)\n"), "{written}");
    let shown = result(&["profile", "show", word(&at("sizes.profile.gz"))]);
    for part in ["profile        sizes\n", "below 128      75.0 % of calls\n", "16..=31", "75.0 %", "####"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let json = result(&["profile", "show", "--json", word(&at("sizes.profile.gz"))]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["calls"], &json["calls_below_128"]), (&4000.into(), &0.75.into()));
    let svg = at("drawing.svg");
    result(&["profile", "show", word(&at("sizes.profile.gz")), "--svg", word(&svg)]);
    assert!(fs::read_to_string(&svg).unwrap().contains("<svg"));
    let sample = at("sample.profile");
    result(&["profile", "sample", word(&at("sizes.profile.gz")), "--calls", "500", "-o", word(&sample)]);
    assert_eq!(Profile::read(&sample).unwrap().calls().count(), 500);
    let merged = at("m.gz");
    result(&["profile", "merge", word(&sample), word(&sample), "-o", word(&merged), "--name", "both"]);
    let merged = Profile::read(&merged).unwrap();
    assert_eq!((merged.header().calls, merged.calls().count(), merged.header().name.as_str()), (8000, 1000, "both"));
}

/// The share is of the run time that the recording noted; a list of sizes has none.
#[test]
fn what_the_copies_are_worth_is_their_share_of_the_run_time() {
    let program = small();
    let file = program.dir.path().join("p.profile");
    assert_eq!(ended(&["record", "-o", word(&file), "--", word(&program.path)]).status.code(), Some(3));
    let header = Profile::read(&file).unwrap().header().clone();
    let json = |words: &[&str]| -> serde_json::Value {
        serde_json::from_str(&result(&[&["profile", "show", "--json", word(&file)], words].concat())).unwrap()
    };
    let given = &json(&["--nanoseconds", "1000000"])["worth"];
    let run = given["run_seconds"].as_f64().unwrap();
    assert!(run >= header.seconds.unwrap());
    assert!((given["copying_seconds"].as_f64().unwrap() - header.calls as f64 / 1000.0).abs() < 1e-9);
    assert!((given["share"].as_f64().unwrap() * run - header.calls as f64 / 1000.0).abs() < 1e-9);
    let few = json(&[]);
    assert!(few["worth"].is_null() && few["worth_error"].as_str().unwrap().contains("too few"), "{few}");
    let shown = result(&["profile", "show", "git"]);
    let line = |name: &str| shown.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    assert!(
        line("copying").contains(" s: 823842 calls of ") && line("copying").contains("memcpy (an empty"),
        "{shown}"
    );
    assert!(line("ceiling").contains(" % of the 0.248 s that the program took"), "{shown}");
    let list = program.dir.path().join("list");
    fs::write(&list, "16 3000\n").unwrap();
    result(&["profile", "import", word(&list), "-o", word(&program.dir.path().join("l.profile"))]);
    let shown = result(&["profile", "show", word(&program.dir.path().join("l.profile")), "--nanoseconds", "2"]);
    assert!(
        shown.contains("copying        0.0000 s: 3000 calls of 2.00 ns\nceiling        unknown: the run time"),
        "{shown}"
    );
    assert!(complaint(&["profile", "show", "git", "--nanoseconds", "-1"], 2).contains("0 or more, is allowed"));
}

#[test]
fn what_is_no_profile_is_one_line_that_names_the_line() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("wrong");
    fs::write(&file, "16 3\n16\n").unwrap();
    let said = complaint(&["profile", "import", word(&file), "-o", word(&dir.path().join("o"))], 1);
    assert!(said.contains("line 2: 1 numbers are not allowed here; 'SIZE WEIGHT' is"), "{said}");
    assert!(complaint(&["profile", "show", word(&file)], 1).contains("wrong, line 1: no header of a profile"));
    assert!(complaint(&["profile", "show", "no-such-profile"], 1).contains("cannot read no-such-profile"));
}

#[test]
fn help_of_each_verb_shows_examples_that_its_parser_takes() {
    for verb in
        ["record", "profile", "profile list", "profile show", "profile merge", "profile sample", "profile import"]
    {
        let words: Vec<&str> = verb.split(' ').chain(["--help"]).collect();
        let help = result(&words);
        let examples: Vec<&str> = help.lines().filter(|line| line.starts_with("  copysmith ")).collect();
        assert!(help.contains("Examples:\n") && examples.len() >= 2, "{help}");
        for example in examples {
            // Somewhere where no example finds its files: a wrong command line would be exit code 2.
            let words: Vec<&str> = example.split_whitespace().skip(1).take_while(|word| *word != "--").collect();
            let words = if words[0] == "record" { [&words[..], &["--", "/no/such/program"]].concat() } else { words };
            let dir = tempfile::tempdir().unwrap();
            let output = copysmith(&words).current_dir(dir.path()).output().unwrap();
            assert!([Some(0), Some(1)].contains(&output.status.code()), "{example}: {}", text(&output.stderr));
        }
    }
}

#[test]
fn a_directory_for_temporary_files_that_no_library_can_come_from_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let blank = dir.path().join("a b");
    fs::create_dir(&blank).unwrap();
    let mut command = copysmith(&["record", "-o", word(&dir.path().join("o")), "--", "/bin/sh", "-c", "echo ran"]);
    let output = command.env("TMPDIR", &blank).output().unwrap();
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), ""));
    let said = text(&output.stderr);
    assert!(said.contains("its name has blanks or colons; set TMPDIR to another directory"), "{said}");
    assert_eq!(fs::read_dir(&blank).unwrap().count(), 0, "nothing is left behind");
}
