//! Classes of lengths, without a mode: the rows in each form, what becomes of failures, of files, and of Ctrl-C.

use super::bench::{NAMES, bench, complaint, ended, of_blocks, text};
use serde_json::Value;
use std::fs::{self, OpenOptions};
use std::io::{Seek, Write};
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::{sleep, spawn};
use std::time::Duration;

/// Too long to be timed anywhere.
const TERABYTE: &str = "1099511627776..=1099511627776";

fn table(printed: &str) -> Vec<Vec<&str>> {
    super::bench::table(printed, "bytes").1
}

#[test]
fn the_json_names_the_machine_the_table_and_what_is_doubtful_as_the_text_does() {
    let dir = tempfile::tempdir().unwrap();
    let host = copysmith::host::Host::read();
    let printed = ended(bench(dir.path(), &["--spans", "8..=8", "--json"]), 0).stdout;
    let json: Value = serde_json::from_slice(&printed).unwrap();
    assert_eq!(json["machine"], host.machine());
    assert_eq!(json["cpu"], host.cpu.brand);
    assert_eq!(json["table"].as_str(), copysmith_tuned::machine());
    let rows = json["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["first"], &rows[0]["error"]), (1, &Value::from(8), &Value::Null));
    let results = rows[0]["results"].as_array().unwrap();
    assert_eq!(json["reference"], "memcpy");
    assert!(results.iter().all(|result| result["ratio"]["low"].is_f64() && result["error"].is_null()));

    let printed = ended(bench(dir.path(), &["--spans", "8..=8"]), 0).stdout;
    let printed = text(&printed);
    assert!(printed.starts_with(&format!("{}, {}\n", host.machine(), host.cpu.brand)), "{printed}");
    // The load comes and goes between two runs.
    let lasting = |warning: &&Value| warning.get("Busy").is_none();
    let warnings = json["warnings"].as_array().unwrap().iter().filter(lasting).count();
    let warned = printed.lines().filter(|line| line.starts_with("warning: ") && !line.contains("load ")).count();
    assert_eq!(warned, warnings, "{printed}");
    assert_eq!(table(printed).len(), results.len());
}

/// In something that looks like a checkout, with the winners that the linked table was printed from, and then with others.
#[test]
fn a_table_that_is_not_what_was_tuned_in_the_checkout_is_told_apart_from_one_that_is() {
    let (dir, machine) = (tempfile::tempdir().unwrap(), copysmith::host::Host::read().machine());
    fs::write(dir.path().join("Cargo.toml"), "[package]\nname = \"copysmith\"\n").unwrap();
    let folder = dir.path().join("tuned/record").join(&machine);
    fs::create_dir_all(&folder).unwrap();
    let doubt = || -> Value {
        let printed = ended(bench(dir.path(), &["--spans", "8..=8", "--json"]), 0).stdout;
        serde_json::from_slice::<Value>(&printed).unwrap()["table_doubt"].clone()
    };
    assert_eq!(doubt(), Value::Null, "nothing was tuned");
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("tuned/record");
    let known = records.join(&machine).join("winners");
    if known.exists() {
        fs::copy(known, folder.join("winners")).unwrap();
        assert_eq!(doubt(), Value::Null, "it is linked");
    }
    let text = fs::read_to_string(records.join("amd-1ah-02h/winners")).unwrap();
    let mut winners: Value = serde_json::from_str(&text).unwrap();
    winners["machine"] = Value::from(machine);
    winners["routine"]["text"] = Value::from("move 0.. string unit=1");
    fs::write(folder.join("winners"), winners.to_string()).unwrap();
    let doubt = doubt();
    let doubt = doubt.as_str().unwrap();
    assert!(doubt.starts_with("the linked table is not that of ") && doubt.contains("build again"), "{doubt}");
}

#[test]
fn files_are_written_and_named_and_a_sweep_is_drawn_over_its_offsets() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["offsets", "--spans", "1..=8", "--csv", "ratios.csv", "--svg", "ratios.svg"];
    let printed = ended(bench(dir.path(), &args), 0).stdout;
    assert!(text(&printed).ends_with("written: ratios.csv\nwritten: ratios.svg\n"));
    let csv = fs::read_to_string(dir.path().join("ratios.csv")).unwrap();
    assert_eq!(csv.lines().next(), Some(NAMES));
    for offset in copysmith::tune::OFFSETS {
        assert!(csv.contains(&format!("\n,8,8,{offset},,core::ptr,")), "{csv}");
    }
    let svg = fs::read_to_string(dir.path().join("ratios.svg")).unwrap();
    assert!(svg.contains("destination - source, modulo 4096 (bytes)") && svg.contains("core::ptr, 8 bytes"));
}

#[test]
fn a_row_that_cannot_be_timed_is_a_row_with_its_reason_and_the_others_are_timed() {
    let dir = tempfile::tempdir().unwrap();
    let spans = format!("8..=8,{TERABYTE},2199023255552..=2199023255552");
    let args = ["--spans", &spans, "--csv", "ratios.csv", "--svg", "ratios.svg"];
    let output = ended(bench(dir.path(), &args), 1);
    assert_eq!(text(&output.stderr), "");
    let reason = "length 2199023255552 is too large to time; at most 1073741824 bytes are";
    let printed = text(&output.stdout);
    let table = table(printed);
    let of = |bytes: &str| table.iter().filter(|cells| cells[0] == bytes).collect::<Vec<_>>();
    assert!(!of("8").is_empty() && of("8").iter().all(|cells| cells[3].parse::<f64>().is_ok()), "{printed}");
    assert_eq!(of("1099511627776").len(), of("8").len());
    assert!(of("2199023255552").iter().all(|cells| cells.last() == Some(&reason)), "{printed}");
    let csv = fs::read_to_string(dir.path().join("ratios.csv")).unwrap();
    let last = format!(",2199023255552,2199023255552,,,core::ptr,,,,,,,,,,8,{reason}");
    assert_eq!(csv.lines().last(), Some(last.as_str()));

    let printed = ended(bench(dir.path(), &["--spans", &spans, "--json"]), 1).stdout;
    let json: Value = serde_json::from_slice(&printed).unwrap();
    let errors: Vec<bool> = json["rows"].as_array().unwrap().iter().map(|row| row["error"].is_string()).collect();
    assert_eq!(errors, [false, true, true]);
}

#[test]
fn one_file_for_both_forms_is_wrong_usage_however_it_is_spelt() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("folder")).unwrap();
    symlink("f", dir.path().join("link")).unwrap();
    for other in ["f", "./f", "folder/../f", "link"] {
        let said = complaint(bench(dir.path(), &["--csv", "f", "--svg", other]), 2);
        assert_eq!(said, format!("--csv and --svg both lead to {other}; one would overwrite the other"));
    }
    assert!(!dir.path().join("f").exists());
}

#[test]
fn what_cannot_be_written_is_told_before_anything_is_measured() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("folder")).unwrap();
    for (path, says) in [("folder", "is a directory"), ("none/f", "No such file or directory")] {
        for flag in ["--csv", "--svg"] {
            // Measured first, these would take longer than anybody waits for a test.
            let said = complaint(of_blocks(100_000, dir.path(), &[flag, path]), 1);
            assert!(said.starts_with(&format!("{path} was not written and is as it was: {says}")), "{said}");
        }
    }
}

#[test]
fn pipes_fifos_and_devices_get_the_rows_and_stay_what_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let fifo = dir.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let reader = spawn(move || fs::read_to_string(fifo).unwrap());
    let args = ["--spans", "8..=8", "--csv", "/dev/stdout", "--svg", "fifo"];
    let output = ended(bench(dir.path(), &args), 0);
    let printed = text(&output.stdout);
    assert!(printed.starts_with(&format!("{NAMES}\n,8,8,,")), "{printed}");
    assert_eq!(table(printed).len(), printed.lines().filter(|line| line.starts_with(",8,8,,")).count());
    assert!(reader.join().unwrap().ends_with("</svg>\n"));
    assert!(fs::metadata(dir.path().join("fifo")).unwrap().file_type().is_fifo());

    ended(bench(dir.path(), &["--spans", "8..=8", "--csv", "/dev/null"]), 0);
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    let full = ended(bench(dir.path(), &["--spans", "8..=8", "--csv", "/dev/full"]), 1);
    assert!(text(&full.stderr).starts_with("copysmith: /dev/full was not written in full: No space left"));
    assert!(!table(text(&full.stdout)).is_empty(), "what was measured is printed all the same");
}

#[test]
fn a_file_that_is_standard_output_as_well_keeps_both() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("all");
    let mut all = OpenOptions::new().create_new(true).write(true).open(&path).unwrap();
    all.write_all(b"before\n").unwrap();
    let mut command = bench(dir.path(), &["--spans", "8..=8", "--csv", "all"]);
    assert!(command.stdout(all.try_clone().unwrap()).status().unwrap().success());
    let written = fs::read_to_string(&path).unwrap();
    assert_eq!(all.stream_position().unwrap(), written.len() as u64);
    assert!(
        written.starts_with(&format!("before\n{NAMES}\n,8,8,,")) && written.ends_with("written: all\n"),
        "{written}"
    );
}

/// The process that times a row of this one, once it is another than `before`; `None` when the bench is over.
fn timing(bench: &mut Child, before: Option<libc::pid_t>) -> Option<libc::pid_t> {
    let children = format!("/proc/{0}/task/{0}/children", bench.id());
    while bench.try_wait().unwrap().is_none() {
        let now = fs::read_to_string(&children).unwrap_or_default().trim().parse().ok();
        if now.is_some() && now != before {
            return now;
        }
        sleep(Duration::from_micros(300));
    }
    None
}

fn send(process: libc::pid_t, signal: i32) {
    // SAFETY: a signal to a process that this test started, or one that it started.
    unsafe { libc::kill(process, signal) };
}

/// A bench of three rows that is asked to stop while it times the last of `rows`; that process itself is held, so that it cannot be
/// done before.
fn stopped(folder: &Path, rows: usize, args: &[&str]) -> Output {
    // Long enough that no row is missed between two looks.
    let mut command = of_blocks(400, folder, &["--spans", "8..=8,9..=9,10..=10"]);
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut bench = command.spawn().unwrap();
    let mut row = None;
    for _ in 0..rows {
        row = timing(&mut bench, row);
        assert!(row.is_some(), "the bench was over before it was asked to stop");
    }
    row.into_iter().for_each(|process| send(process, libc::SIGSTOP));
    send(bench.id() as libc::pid_t, libc::SIGINT);
    bench.wait_with_output().unwrap()
}

#[test]
fn interrupted_it_gives_up_the_row_in_flight_and_keeps_those_before() {
    let dir = tempfile::tempdir().unwrap();
    for rows in [2, 3] {
        let output = stopped(dir.path(), rows, &["--csv", "ratios.csv", "--svg", "ratios.svg"]);
        let said = format!("copysmith: interrupted; {} of 3 rows were timed\n", rows - 1);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(130), said.as_str()));
        let printed = text(&output.stdout);
        assert!(printed.contains("\n8 ") && !printed.contains("\n10 "), "{printed}");
        let csv = fs::read_to_string(dir.path().join("ratios.csv")).unwrap();
        assert_eq!(
            (csv.contains("\n,8,8,"), csv.contains("\n,9,9,"), csv.contains("\n,10,10,")),
            (true, rows > 2, false)
        );
        assert!(fs::read_to_string(dir.path().join("ratios.svg")).unwrap().contains("<svg"));
    }
    let json: Value = serde_json::from_slice(&stopped(dir.path(), 2, &["--json"]).stdout).unwrap();
    assert_eq!(json["rows"].as_array().unwrap().len(), 1);
}

#[test]
fn interrupted_before_the_first_row_is_done_it_leaves_files_alone() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("ratios.csv"), "of yesterday").unwrap();
    let output = stopped(dir.path(), 1, &["--csv", "ratios.csv"]);
    assert_eq!(
        (output.status.code(), text(&output.stderr)),
        (Some(130), "copysmith: interrupted; 0 of 3 rows were timed\n")
    );
    assert_eq!(fs::read_to_string(dir.path().join("ratios.csv")).unwrap(), "of yesterday");
    assert!(!text(&output.stdout).contains("written"));
}
