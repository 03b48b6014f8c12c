//! Records from elsewhere, from another search, and damaged ones: named, left alone, and never mixed into a table.

use super::bench::{complaint, done, finished, folder, journal, signalled, started, text, tune, with_journal};
use copysmith::tune::WINNERS;
use serde_json::{Value, json};
use std::fs;
use std::thread::sleep;
use std::time::Duration;

/// The finished journal with its header changed.
fn with_header(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let bytes = fs::read(journal(finished())).unwrap();
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap();
    let mut header: Value = serde_json::from_slice(&bytes[..end]).unwrap();
    change(&mut header);
    [header.to_string().as_bytes(), &bytes[end..]].concat()
}

#[test]
fn a_record_that_differs_in_any_one_thing_is_refused_by_its_name_and_left_alone() {
    let other = "0123456789abcdef";
    for (field, value, named) in [
        ("version", json!("0.0.1"), "copysmith version: recorded 0.0.1, now "),
        ("emitter", json!(other), "emitter: recorded 0123456789abcdef, now "),
        ("space", json!(other), "search space: recorded 0123456789abcdef, now "),
        ("seed", json!(8), "seed: recorded 8, now 7"),
        ("effort", json!("quick"), "effort: recorded quick, now quick in 1 s"),
        ("machine", json!("amd-0fh-01h"), "machine: recorded amd-0fh-01h, now "),
        ("microcode", json!("0xbad"), "microcode: recorded 0xbad, now "),
        ("features", json!(["sse2", "mmx"]), "cpu features: recorded sse2 mmx, now "),
        ("caches", json!({"l1d": 1, "l2": 2, "l3": 512}), "cache sizes: recorded L1d 1, L2 2, L3 512, now "),
    ] {
        let bytes = with_header(|header| header[field] = value);
        let record = with_journal(&bytes);
        let said = complaint(&tune(record.path(), &[]).output().unwrap(), 1);
        assert!(said.contains(named), "{field}: {said}");
        assert!(said.contains("--fresh") && said.contains("--record DIR"), "no way on: {said}");
        assert_eq!(fs::read(journal(record.path())).unwrap(), bytes, "{field}");
        assert!(!folder(record.path()).join(WINNERS).exists(), "{field}");
    }
}

/// A journal that is a fifo would be waited for, and so would winners and lock; each is named.
#[test]
fn a_fifo_instead_of_a_file_of_the_record_is_one_line_at_once() {
    for name in ["journal", WINNERS, "lock"] {
        let record = with_journal(&fs::read(journal(finished())).unwrap());
        let path = match name {
            "journal" => journal(record.path()),
            _ => folder(record.path()).join(name),
        };
        let _ = fs::remove_file(&path);
        let terminated = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: the name is terminated.
        assert_eq!(unsafe { libc::mkfifo(terminated.as_ptr(), 0o600) }, 0);
        let said = complaint(&tune(record.path(), &[]).output().unwrap(), 1);
        assert!(said.contains(path.to_str().unwrap()) && said.contains("it is not a regular file"), "{name}: {said}");
    }
}

#[test]
fn another_question_is_not_answered_from_the_record() {
    let bytes = fs::read(journal(finished())).unwrap();
    for (other, named) in [
        (&["--budget", "2"][..], "effort: recorded quick in 1 s for gcc "),
        (&["--seed", "8"], "seed: recorded 7, now 8"),
        (&["--spans", "0..=31,32.."], "search space: "),
        (&["--isa", "sse2"], "search space: "),
        (&["--effort", "normal"], "effort: "),
        (&["--profile", "tar"], " for tar "),
    ] {
        let record = with_journal(&bytes);
        let mut args: Vec<&str> = super::bench::SMALL.to_vec();
        match args.iter().position(|arg| *arg == other[0]) {
            Some(at) => args[at + 1] = other[1],
            None => args.extend(other),
        }
        let mut command = super::bench::copysmith(&[&["tune"][..], &args].concat());
        let said = complaint(&command.arg("--record").arg(record.path()).output().unwrap(), 1);
        assert!(said.contains(named), "{other:?}: {said}");
        assert_eq!(fs::read(journal(record.path())).unwrap(), bytes);
    }
}

#[test]
fn another_kernel_or_hypervisor_is_told_and_the_record_is_used() {
    let bytes = with_header(|header| {
        header["kernel"] = json!("2.6.32");
        header["hypervisor"] = json!("Xen");
    });
    let record = with_journal(&bytes);
    let output = tune(record.path(), &[]).output().unwrap();
    done(&output);
    let said = text(&output.stderr);
    assert!(
        said.contains("kernel release went from 2.6.32 to ") && said.contains("hypervisor went from Xen to "),
        "{said}"
    );
    let after = fs::read(journal(record.path())).unwrap();
    assert!(after.starts_with(&bytes));
    let added = text(&after[bytes.len()..]);
    assert!(added.lines().count() == 1 && added.contains("\"kind\":\"resumed\""), "{added}");
    let winners = |folder: std::path::PathBuf| fs::read(folder.join(WINNERS)).unwrap();
    assert_eq!(winners(folder(record.path())), winners(folder(finished())));
}

#[test]
fn a_torn_last_line_is_dropped_and_nothing_is_measured_again() {
    let bytes = fs::read(journal(finished())).unwrap();
    let record = with_journal(&[&bytes[..], b"{\"schema\":1,\"kind\":\"blo"].concat());
    let output = tune(record.path(), &[]).output().unwrap();
    done(&output);
    assert!(text(&output.stderr).contains("its 23 bytes are dropped"), "{}", text(&output.stderr));
    assert_eq!(fs::read(journal(record.path())).unwrap(), bytes);
}

#[test]
fn a_damaged_line_is_named_and_a_fresh_run_keeps_it_aside() {
    let whole = fs::read_to_string(journal(finished())).unwrap();
    let mut lines: Vec<&str> = whole.lines().collect();
    let middle = lines.len() / 2;
    lines[middle] = "{\"schema\":1,\"kind\":\"block\",\"class\":";
    let damaged = lines.join("\n") + "\n";
    let record = with_journal(damaged.as_bytes());
    let said = complaint(&tune(record.path(), &[]).output().unwrap(), 1);
    assert!(said.contains(&format!("race.journal, line {} is damaged", middle + 1)), "{said}");
    assert!(said.contains("--fresh"), "{said}");
    assert_eq!(fs::read_to_string(journal(record.path())).unwrap(), damaged);

    let journal = journal(record.path());
    let run = started(tune(record.path(), &["--fresh"]));
    while fs::metadata(&journal).is_ok_and(|file| file.len() == damaged.len() as u64) {
        sleep(Duration::from_millis(1));
    }
    let (output, sent) = signalled(run, &journal, 20, libc::SIGINT);
    assert!(sent && output.status.code() == Some(130), "{}", text(&output.stderr));
    let aside = folder(record.path()).join("aside-1-race.journal");
    assert!(text(&output.stderr).contains(&format!("the earlier record is now {}", aside.display())));
    assert_eq!(fs::read_to_string(aside).unwrap(), damaged);
    let now = fs::read_to_string(&journal).unwrap();
    assert!(now.lines().count() > 20 && now.lines().all(|line| line != lines[middle]));
}

#[test]
fn winners_that_cannot_be_understood_are_named_before_anything_is_measured() {
    let right = fs::read_to_string(folder(finished()).join(WINNERS)).unwrap();
    for (wrong, says) in [
        ("", "EOF"),
        (&right[..right.find("\"recipe\"").unwrap()], "EOF"),
        (&right.replace("\"schema\": 1", "\"schema\": 99"), "99"),
        (&right.replace("\"0..=32\"", "\"0..=31\""), "0..=31"),
        (&right.replacen("copy 0..=32 ", "clone 0..=32 ", 1), "clone"),
    ] {
        assert_ne!(wrong, right);
        let record = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder(record.path())).unwrap();
        let file = folder(record.path()).join(WINNERS);
        fs::write(&file, wrong).unwrap();
        let said = complaint(&tune(record.path(), &[]).output().unwrap(), 1);
        assert!(said.starts_with(&file.display().to_string()) && said.contains(says), "{said}");
        assert!(said.contains("move the file away"), "{said}");
        assert_eq!(fs::read_to_string(&file).unwrap(), wrong);
        assert!(!journal(record.path()).exists());
    }
}
