//! More columns: other libraries' functions, and routines that are emitted now.

use super::bench::{bench, complaint, ended, libc, table, text};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A library that is compiled from this source.
fn library(folder: &Path, name: &str, source: &str) -> String {
    fs::write(folder.join("library.rs"), format!("#![no_std]\n{source}")).unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.args(["--crate-type", "cdylib", "-Cpanic=abort", "-O", "-o", name, "library.rs"]).current_dir(folder);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    name.to_owned()
}

const PANIC: &str = "#[panic_handler] fn panic(_: &core::panic::PanicInfo) -> ! { loop {} }\n";

/// Copies byte by byte, without a loop that a compiler would take for a call of memcpy.
const COPIES: &str = "
#[unsafe(no_mangle)]
unsafe extern \"C\" fn NAME(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    let mut at = 0;
    while at < n {
        unsafe { dst.add(at).write_volatile(src.add(at).read_volatile()) };
        at += 1;
    }
    dst
}";

fn copying(name: &str) -> String {
    format!("{PANIC}{}", COPIES.replace("NAME", name))
}

#[test]
fn libraries_and_routines_are_columns_that_are_explained() {
    let dir = tempfile::tempdir().unwrap();
    let mine = library(dir.path(), "mine.so", &copying("my_copy"));
    let args = ["random", "--against", &mine, "--symbol", "my_copy", "--routine", "copy 0.. string unit=1"];
    let printed = ended(bench(dir.path(), &args), 0).stdout;
    let printed = text(&printed);
    for line in ["mine.so: my_copy of mine.so", "routine 1: copy 0.. string unit=1"] {
        assert!(printed.lines().any(|printed| printed == line), "{printed}");
    }
    let (_, rows) = table(printed, "case");
    for name in ["core::ptr", "mine.so", "routine 1"] {
        assert_eq!(rows.iter().filter(|row| row[2] == name).count(), 2, "{name}: {printed}");
    }
}

#[test]
fn a_library_may_be_given_twice_and_the_c_library_itself_is_one() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["--spans", "8..=8", "--against", &libc(), "--against", &libc(), "--json"];
    let json: Value = serde_json::from_slice(&ended(bench(dir.path(), &args), 0).stdout).unwrap();
    let names: Vec<&str> =
        json["contestants"].as_array().unwrap().iter().map(|column| column["name"].as_str().unwrap()).collect();
    let results = json["rows"][0]["results"].as_array().unwrap();
    assert_eq!(results.iter().map(|result| result["name"].as_str().unwrap()).collect::<Vec<_>>(), names);
    let unlike: std::collections::HashSet<&str> = names.iter().copied().collect();
    assert_eq!(unlike.len(), names.len(), "{names:?}");
}

#[test]
fn a_routine_is_timed_only_on_lengths_that_it_is_for() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["--spans", "1..=8,20..=30", "--routine", "copy 17..=32 pairs width=sse16", "--json"];
    let json: Value = serde_json::from_slice(&ended(bench(dir.path(), &args), 1).stdout).unwrap();
    let errors: Vec<Option<&str>> = json["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["results"].as_array().unwrap().last().unwrap()["error"].as_str())
        .collect();
    assert!(errors[0].unwrap().starts_with("it copies 17..=32 only, and is to be timed on 1..=8"), "{errors:?}");
    assert_eq!(errors[1], None);
}

#[test]
fn a_library_that_cannot_race_is_one_clear_line() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("text.so"), "text").unwrap();
    let said = |args: &[&str]| complaint(bench(dir.path(), args), 1);
    assert_eq!(said(&["--against", "none.so"]), "none.so: No such file or directory (os error 2)");
    assert!(said(&["--against", "text.so"]).starts_with("text.so cannot be loaded: "));
    let mine = library(dir.path(), "mine.so", &copying("my_copy"));
    assert_eq!(said(&["--against", &mine]), "mine.so has no function memcpy of its own");
    let short = copying("my_copy").replace("while at < n", "while at + 1 < n");
    let short = library(dir.path(), "short.so", &short);
    let said_of_it = said(&["--against", &short, "--symbol", "my_copy"]);
    assert!(said_of_it.starts_with("my_copy of short.so is wrong: "), "{said_of_it}");
    // It copies, and does not move.
    let said_of_it = said(&["overlap", "--against", &mine, "--symbol", "my_copy"]);
    assert!(said_of_it.starts_with("my_copy of mine.so is wrong: ") && said_of_it.contains(" dst=src"), "{said_of_it}");
    let died = library(
        dir.path(),
        "died.so",
        &format!("{PANIC}#[unsafe(no_mangle)] extern \"C\" fn my_copy() {{ unsafe {{ core::arch::asm!(\"ud2\") }} }}"),
    );
    assert_eq!(said(&["--against", &died, "--symbol", "my_copy"]), "my_copy of died.so is wrong: it died of SIGILL");
}

#[test]
fn a_text_that_is_no_routine_is_wrong_usage() {
    let dir = tempfile::tempdir().unwrap();
    let said = complaint(bench(dir.path(), &["random", "--routine", "copy 9..=3 pairs"]), 2);
    assert!(said.starts_with("--routine: "), "{said}");
    let said = complaint(bench(dir.path(), &["random", "--symbol", "f"]), 2);
    assert!(said.contains("--against"), "{said}");
}
