//! Each mode: which rows it has, in which form.

use super::bench::{bench, complaint, ended, plain, table, text};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The rows of a mode as JSON.
fn rows(args: &[&str]) -> Vec<Value> {
    let dir = tempfile::tempdir().unwrap();
    rows_in(dir.path(), args)
}

fn rows_in(folder: &Path, args: &[&str]) -> Vec<Value> {
    let printed = ended(bench(folder, &[args, &["--json"]].concat()), 0).stdout;
    let json: Value = serde_json::from_slice(&printed).unwrap();
    json["rows"].as_array().unwrap().clone()
}

fn lengths(rows: &[Value]) -> Vec<u64> {
    rows.iter().map(|row| row["last"].as_u64().unwrap()).collect()
}

/// Every contestant of every row has a ratio with its interval.
#[track_caller]
fn all_timed(rows: &[Value]) {
    for result in rows.iter().flat_map(|row| row["results"].as_array().unwrap()) {
        let ratio = &result["ratio"];
        let within = ratio["low"].as_f64().unwrap() <= ratio["high"].as_f64().unwrap();
        assert!(
            within && ratio["ratio"].is_f64() && result["nanoseconds"].is_f64() && result["error"].is_null(),
            "{result}"
        );
    }
}

#[test]
fn a_replay_has_a_row_for_all_calls_and_one_for_long_ones_and_the_empty_call() {
    let rows = rows(&["replay", "--profile", "zstd", "--profile", "tar", "--above", "100"]);
    let cases: Vec<(&str, u64)> =
        rows.iter().map(|row| (row["case"].as_str().unwrap(), row["calls"].as_u64().unwrap())).collect();
    let names = ["zstd", "zstd, above 100 bytes", "tar", "tar, above 100 bytes"];
    assert_eq!(cases.iter().map(|case| case.0).collect::<Vec<_>>(), names);
    assert!(cases[1].1 < cases[0].1 && rows[1]["first"].as_u64() > Some(100), "{cases:?}");
    all_timed(&rows[..2]);
    for row in &rows[..2] {
        assert!(row["overhead_nanoseconds"].is_f64() && row["reference_nanoseconds"].is_f64(), "{row}");
        let workload = row["workload"].as_str().unwrap();
        assert!(workload.starts_with("zstd") && workload.ends_with("places as recorded"), "{workload}");
    }
}

#[test]
fn a_replay_prints_raw_and_corrected_times_and_leaves_out_what_is_too_little() {
    let dir = tempfile::tempdir().unwrap();
    let calls: String = (0..300).map(|at| format!("{} {} {}\n", at * 64, 1 << 20, at % 100)).collect();
    fs::write(dir.path().join("list"), calls).unwrap();
    let mut import = std::process::Command::new(env!("CARGO_BIN_EXE_copysmith"));
    import.args(["profile", "import", "list", "-o", "mine.profile", "--quiet"]).current_dir(dir.path());
    assert!(import.output().unwrap().status.success());
    let args = ["replay", "--profile", "mine.profile", "--csv", "rows.csv", "--svg", "rows.svg"];
    let printed = ended(bench(dir.path(), &args), 0).stdout;
    let (headings, rows) = table(text(&printed), "case");
    for heading in ["calls", "ns", "memcpy ns", "empty ns", "ns - empty", "memcpy - empty"] {
        assert!(headings.contains(&heading), "{headings:?}");
    }
    assert!(rows.iter().any(|row| row[0] == "mine" && row[1] == "300"), "{rows:?}");
    let left_out = rows.iter().filter(|row| row[0] == "mine, above 128 bytes");
    assert!(left_out.clone().count() > 0);
    assert!(left_out.into_iter().all(|row| row.last() == Some(&"too few calls, 0; at least 64 are timed")), "{rows:?}");
    assert!(fs::read_to_string(dir.path().join("rows.csv")).unwrap().contains("\nmine,0,99,,,"));
    assert!(fs::read_to_string(dir.path().join("rows.svg")).unwrap().contains("mine"));
}

#[test]
fn a_half_of_a_profile_can_be_replayed_and_so_can_cold_calls() {
    for (half, name) in [("first", "gcc, first half"), ("second", "gcc, second half")] {
        let rows = rows(&["replay", "--profile", "gcc", "--half", half, "--cold", "--above", "1000000"]);
        assert_eq!((rows[0]["case"].as_str(), rows[0]["calls"].as_u64()), (Some(name), Some(24_370)));
        assert!(rows[0]["workload"].as_str().unwrap().contains(" cold"));
        all_timed(&rows[..1]);
    }
}

#[test]
fn random_has_the_mix_and_its_runs() {
    let rows = rows(&["random"]);
    assert_eq!(rows.iter().map(|row| row["case"].as_str().unwrap()).collect::<Vec<_>>(), ["mix", "runs"]);
    all_timed(&rows);
}

#[test]
fn a_sweep_has_the_lengths_asked_for_in_their_order() {
    let rows = rows(&["sweep", "--lengths", "64,0,7"]);
    assert_eq!(lengths(&rows), [64, 0, 7]);
    all_timed(&rows);
}

#[test]
fn offsets_end_with_the_worst_of_each_contestant() {
    let dir = tempfile::tempdir().unwrap();
    let printed = ended(bench(dir.path(), &["offsets", "--spans", "64..=64"]), 0).stdout;
    let printed = text(&printed);
    let (_, rows) = table(printed, "bytes");
    let (_, worst) = table(printed, "worst at bytes");
    assert_eq!(rows.len(), copysmith::tune::OFFSETS.len() * worst.len());
    for summary in worst {
        let own = rows.iter().filter(|row| row[2] == summary[1]);
        let most = own.map(|row| row[3]).max_by(|a, b| a.parse::<f64>().unwrap().total_cmp(&b.parse().unwrap()));
        assert_eq!((summary[0], Some(summary[2])), ("64", most));
    }
}

#[test]
fn read_back_copies_are_short_with_a_reload_and_long_ones_read_in_full() {
    let rows = rows(&["readback"]);
    let of = |case: &str| rows.iter().filter(|row| row["case"] == case).cloned().collect::<Vec<_>>();
    assert_eq!(lengths(&of("8-byte reload")), lengths(&of("16-byte reload")));
    assert_eq!(lengths(&of("read in full")).first(), Some(&4096));
    assert!(of("16-byte reload").iter().all(|row| row["workload"].as_str().unwrap().contains("16 bytes each")));
    all_timed(&rows);
}

#[test]
fn moves_are_held_against_memmove_and_have_distances_of_both_signs() {
    let dir = tempfile::tempdir().unwrap();
    let printed = ended(bench(dir.path(), &["overlap", "--svg", "moves.svg"]), 0).stdout;
    let (headings, rows) = table(text(&printed), "bytes");
    assert!(headings.contains(&"memmove GB/s") && headings[1] == "distance", "{headings:?}");
    assert!(rows.iter().any(|row| row[1] == "+1") && rows.iter().any(|row| row[1] == "-8"), "{rows:?}");
    assert!(fs::read_to_string(dir.path().join("moves.svg")).unwrap().contains("destination - source"));
}

#[test]
fn cold_copies_are_cold() {
    let dir = tempfile::tempdir().unwrap();
    // Whether the largest fit is a matter of the machine's memory.
    let output = bench(dir.path(), &["cold", "--json"]).output().unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = json["rows"].as_array().unwrap();
    assert_eq!(lengths(rows), [64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20]);
    assert!(rows.iter().all(|row| row["workload"].as_str().unwrap().contains(" cold, dst-src")));
}

#[test]
fn a_routine_is_raced_at_every_start_in_a_line_and_some_in_a_page() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["starts", "--spans", "0..=16", "--routine", "copy 0..=16 branch-free width=8", "--svg", "starts.svg"];
    let rows = rows_in(dir.path(), &args);
    let names: Vec<&str> =
        rows[0]["results"].as_array().unwrap().iter().map(|result| result["name"].as_str().unwrap()).collect();
    assert_eq!((names.len(), names[0], names[63], names[64]), (72, "+0", "+63", "page +0"));
    all_timed(&rows);
    let printed = ended(bench(dir.path(), &args), 0).stdout;
    let (headings, lines) = table(text(&printed), "bytes");
    assert!(headings.contains(&"in a line") && headings.contains(&"slower"), "{headings:?}");
    assert_eq!((lines.len(), lines[0][0]), (1, "0..=16"));
    assert!(fs::read_to_string(dir.path().join("starts.svg")).unwrap().contains("start of the code"));
}

#[test]
fn wrong_usage_is_one_line_that_says_what_is_allowed() {
    let dir = tempfile::tempdir().unwrap();
    let said = |args: &[&str], code| {
        let mut command = plain(dir.path());
        command.args(args);
        complaint(command, code)
    };
    let modes = "bench has replay, random, sweep, offsets, cold, readback, overlap, starts, program";
    assert_eq!(
        said(&["replays"], 2),
        format!("unrecognized subcommand 'replays'; a similar subcommand exists: 'replay'; {modes}")
    );
    assert!(said(&["--blocks", "8", "random"], 2).ends_with("options come after it"));
    assert!(said(&["random", "--blocks", "7"], 2).ends_with("a whole number from 8 to 100000 is needed"));
    assert!(said(&["sweep", "--lengths", "8,x"], 2).contains("a whole number from 0 to 1073741824 is needed"));
    assert!(said(&["replay", "--profile", "nobody"], 1).contains("nobody"));
    assert!(said(&["replay", "--half", "third"], 2).contains("first, second"));
    assert!(said(&["offsets", "--spans", "9..=8"], 2).contains("9..=8"));
    assert!(said(&["overlap", "--routine", "copy 0.. string unit=1"], 2).contains("unexpected argument '--routine'"));
    assert!(said(&["starts", "--against", "f"], 2).contains("unexpected argument '--against'"));
}

#[test]
fn every_mode_has_examples_in_its_help() {
    let dir = tempfile::tempdir().unwrap();
    for mode in ["replay", "random", "sweep", "offsets", "cold", "readback", "overlap", "starts", "program"] {
        let mut command = plain(dir.path());
        command.args([mode, "--help"]);
        let help = ended(command, 0).stdout;
        assert!(text(&help).contains(&format!("Examples:\n  copysmith bench {mode}")), "{mode}");
    }
}

#[test]
fn a_processor_that_there_is_not_is_one_line_in_every_mode_before_anything_is_written() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("rows.csv"), "kept").unwrap();
    for mode in ["", "replay", "random", "sweep", "offsets", "cold", "readback", "overlap", "starts"] {
        let mut command = plain(dir.path());
        command.args(Some(mode).filter(|mode| !mode.is_empty())).args(["--cpu", "1023", "--csv", "rows.csv"]);
        let said = complaint(command, 1);
        assert!(said.starts_with("CPU 1023 cannot be used; this process may run on "), "{mode}: {said}");
    }
    assert_eq!(fs::read_to_string(dir.path().join("rows.csv")).unwrap(), "kept");
}
