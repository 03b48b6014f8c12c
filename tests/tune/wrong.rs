//! Command lines and places that cannot work: one line, the right exit code, no result, and nothing begun.

use super::bench::{SMALL, complaint, copysmith, folder, journal, tune};
use std::fs;
use std::path::Path;

#[test]
fn every_wrong_command_line_is_one_line_with_its_exit_code() {
    let usage: &[(&[&str], &str)] = &[
        (&["tune", "--budget", "0"], "at least 1 second"),
        (&["tune", "--budget", "-1"], "-1"),
        (&["tune", "--budget", "99999999999999999999"], "whole number of seconds"),
        (&["tune", "--spans", "33..,0..=32"], "must lie wholly above"),
        (&["tune", "--spans", "0..=32,40.."], "the lengths 33..=39 are left out"),
        (&["tune", "--spans", "0..=32"], "33.."),
        (&["tune", "--spans", "32..=0,33.."], "32"),
        (&["tune", "--spans", ""], "--spans"),
        (&["tune", "--effort", "heroic"], "quick, normal, patient, exhaustive"),
        (&["tune", "--isa", "neon"], "sse2, avx, avx512"),
        (&["tune", "--seed", "1.5"], "--seed"),
        (&["tune", "--seed", "18446744073709551616"], "--seed"),
        (&["tune", "--cpu", "first"], "--cpu"),
        (&["tune", "--cpu", "-1"], "'-1' for '--cpu <N>': a whole number from 0 to"),
        (&["bench", "--blocks", "-1"], "a whole number from 8 to 100000"),
        (&["table", "nosuch"], "--out"),
        (&["tune", "--spans", "0..=64,65..=600000000,600000001.."], "the longest copy that can be timed"),
        (&["tune", "17..=32"], "17..=32"),
        (&["show", "copy", "17..=32", "spiral"], "spiral"),
        (&["show", "copy", "17..=32", "pairs", "width=sse16", "colour=blue"], "colour"),
        (&["check", "copy", "17..=32", "pairs", "width=sse17"], "sse17"),
        (&["check", "copy", "17..=99", "pairs", "width=sse16"], "17..=99"),
        (&["check", "cuts=8 | copy 0..=9 string unit=1 | copy 10.. string unit=1"], "8"),
        (&["table", "--check", "--out", "x"], "--check"),
        (&["table", "--record", "/nonexistent"], "outside a checkout"),
    ];
    for (args, says) in usage {
        let said = complaint(&copysmith(args).output().unwrap(), 2);
        assert!(said.contains(says), "{args:?}: {said}");
    }
}

#[test]
fn a_place_that_cannot_hold_a_record_is_named_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "text").unwrap();
    for (record, says) in [
        (file.join("record").as_path(), "Not a directory"),
        (&file, "Not a directory"),
        (Path::new("/proc"), "cannot make /proc/"),
        (Path::new("/dev/null"), "Not a directory"),
    ] {
        let said = complaint(&tune(record, &[]).output().unwrap(), 1);
        assert!(said.contains(says) && said.contains("--record DIR"), "{}: {said}", record.display());
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "text");
}

#[test]
fn a_file_that_cannot_be_written_at_the_end_is_known_before_the_work() {
    let dir = tempfile::tempdir().unwrap();
    let record = dir.path().join("record");
    for out in ["none/copies.rs", "."] {
        let out = dir.path().join(out);
        for dry in [&[][..], &["--dry-run"]] {
            let asked = [&["--out", out.to_str().unwrap()], dry].concat();
            let said = complaint(&tune(&record, &asked).output().unwrap(), 1);
            assert!(said.contains("was not written"), "{said}");
            assert!(!record.exists(), "a place was made for {}", out.display());
        }
    }
    fs::create_dir_all(folder(&record).join("winners/in the way")).unwrap();
    let said = complaint(&tune(&record, &[]).output().unwrap(), 1);
    assert!(said.contains("winners"), "{said}");
    assert!(!journal(&record).exists());
}

#[test]
fn a_processor_that_is_not_there_is_refused_with_those_that_are() {
    let dir = tempfile::tempdir().unwrap();
    let asked = ["9999", "1023", "18446744073709551615"];
    assert!(
        complaint(&tune(dir.path(), &["--dry-run", "--cpu", "1023"]).output().unwrap(), 1).starts_with("CPU 1023 ")
    );
    for cpu in asked {
        let said = complaint(&tune(dir.path(), &["--cpu", cpu]).output().unwrap(), 1);
        assert!(said.starts_with(&format!("CPU {cpu} cannot be used; this process may run on ")), "{said}");
    }
    assert!(!folder(dir.path()).join("winners").exists());
}

#[test]
fn a_dry_run_measures_nothing_and_makes_no_place() {
    let dir = tempfile::tempdir().unwrap();
    let record = dir.path().join("record");
    let output = tune(&record, &["--dry-run"]).output().unwrap();
    let said = super::bench::done(&output);
    assert!(SMALL[5].split(',').all(|span| said.contains(span)), "{said}");
    assert!(!record.exists());
}
