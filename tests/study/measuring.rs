//! Measuring goes on where it stopped, shards make one whole, and what is wrong with a file is one line.

use super::bench::{complaint, done, measure, measured, study, text};
use copysmith::record::{Entry, JOURNAL, Phase, read};
use copysmith::study::load;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

/// How many samples each kernel of each class has in a journal.
fn counts(journal: &Path) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for entry in read(journal).unwrap().entries {
        if let Entry::Block(block) = entry
            && block.phase == Phase::Race
        {
            block.samples.into_iter().for_each(|timing| *counts.entry(timing.routine).or_insert(0) += 1);
        }
    }
    counts
}

#[test]
fn every_kernel_gets_as_many_samples_as_asked_for_and_the_data_say_where() {
    let counts = counts(&measured().join(JOURNAL));
    assert!(counts.len() > 60 && counts.values().all(|&count| count == 10), "{counts:?}");
    let data = load(measured()).unwrap();
    assert_eq!(data.header.machine, copysmith::host::Host::read().machine());
    assert_eq!(data.classes.iter().map(|class| class.span.to_string()).collect::<Vec<_>>(), ["129..=256", "257..=512"]);
    for class in &data.classes {
        assert!(class.reference_ns.is_some_and(|ns| ns > 0.0) && class.noise_floor.is_finite(), "{}", class.span);
        assert!(class.kernels.iter().all(|kernel| kernel.truth >= class.best().truth));
    }
}

#[test]
fn the_data_in_the_checkout_are_whole() {
    let data = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tuned/study/amd-1ah-02h.jsonl.zst")).unwrap();
    assert_eq!((data.header.machine.as_str(), data.classes.len()), ("amd-1ah-02h", 3));
    for class in &data.classes {
        assert!(class.kernels.len() >= 400 && class.rejected.is_empty(), "{}", class.span);
        assert!(class.kernels.iter().all(|kernel| kernel.samples.len() == 24), "{}", class.span);
    }
}

#[test]
fn a_run_that_is_interrupted_or_killed_loses_no_block_and_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let journal = dir.path().join(JOURNAL);
    for signal in [libc::SIGINT, libc::SIGKILL] {
        let mut child =
            measure(dir.path(), &["--blocks", "60"]).process_group(0).stderr(Stdio::piped()).spawn().unwrap();
        let before = fs::metadata(&journal).map_or(0, |data| data.len());
        while fs::metadata(&journal).map_or(0, |data| data.len()) < before + 30_000 {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it could be stopped");
            sleep(Duration::from_micros(300));
        }
        // SAFETY: sends a signal to a group whose leader is ours and not yet reaped.
        unsafe { libc::kill(-(child.id() as libc::pid_t), signal) };
        let ended = child.wait_with_output().unwrap();
        if signal == libc::SIGINT {
            assert_eq!(ended.status.code(), Some(130));
            assert!(text(&ended.stderr).contains("the same command goes on from there"), "{}", text(&ended.stderr));
        }
    }
    let kept = fs::read(&journal).unwrap();
    let whole = kept.iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
    done(&measure(dir.path(), &["--blocks", "60"]).output().unwrap());
    assert_eq!(fs::read(&journal).unwrap()[..whole], kept[..whole], "what was measured is changed");
    assert!(counts(&journal).values().all(|&count| count == 60));
    let bytes = fs::read(&journal).unwrap();
    done(&measure(dir.path(), &["--blocks", "60"]).output().unwrap());
    assert_eq!(fs::read(&journal).unwrap(), bytes, "a finished study was measured again");
}

#[test]
fn shards_are_merged_into_the_whole_in_any_order_and_merging_twice_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    for shard in ["1/2", "2/2"] {
        done(&measure(dir.path(), &["--shard", shard]).output().unwrap());
    }
    let [one, two] = ["shard-1-of-2", "shard-2-of-2"].map(|shard| dir.path().join(shard));
    let [file, other] = ["merged.jsonl.zst", "other.jsonl.zst"].map(|name| dir.path().join(name));
    done(&study(&["merge"], &[&one, &two, Path::new("-o"), &file]).output().unwrap());
    let bytes = fs::read(&file).unwrap();
    done(&study(&["merge"], &[&two, &one, Path::new("-o"), &other]).output().unwrap());
    assert_eq!(fs::read(&other).unwrap(), bytes);
    let said = study(&["merge"], &[&two, &one, &two, Path::new("-o"), &file]).output().unwrap();
    assert!(done(&said).contains("there more than once"));
    assert_eq!(fs::read(&file).unwrap(), bytes);
    let (merged, whole) = (load(&file).unwrap(), load(measured()).unwrap());
    let kernels = |data: &copysmith::study::Data| data.classes.iter().map(|class| class.recipes()).collect::<Vec<_>>();
    assert_eq!(kernels(&merged), kernels(&whole));
    assert!(merged.classes.iter().flat_map(|class| &class.kernels).all(|kernel| kernel.samples.len() == 10));
}

#[test]
fn damaged_foreign_and_missing_data_are_one_line_that_names_the_place() {
    let dir = tempfile::tempdir().unwrap();
    let good = fs::read_to_string(measured().join(JOURNAL)).unwrap();
    let damaged = good.replacen("\"log_ratio\":", "\"log_ratio\":x", 1);
    let schema = good.replacen("{\"schema\":1,\"kind\":\"block\"", "{\"schema\":2,\"kind\":\"block\"", 1);
    let other = good.replacen("\"seed\":5", "\"seed\":6", 1);
    let packed = &zstd::encode_all(good.as_bytes(), 3).unwrap();
    let merge = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        let to = dir.path().join("to.jsonl");
        let said = complaint(&study(&["merge"], &[measured(), &path, Path::new("-o"), &to]).output().unwrap());
        assert!(said.contains(name) && !to.exists(), "{said}");
        said
    };
    assert!(merge("damaged", damaged.as_bytes()).contains("line 2 is damaged"));
    assert!(merge("schema", schema.as_bytes()).contains("of schema 2, and only 1 is known"));
    assert!(merge("other", other.as_bytes()).contains("of another study than"));
    assert!(merge("packed", &packed[..packed.len() / 2]).contains("cannot be unpacked"));
    assert!(merge("empty", b"").contains("has no data"));
    fs::write(dir.path().join(JOURNAL), &other).unwrap();
    let said = complaint(&measure(dir.path(), &["--seed", "7"]).output().unwrap());
    assert!(said.contains("seed: recorded 6, now 7"), "{said}");
}

#[test]
fn a_full_disk_is_one_line_and_what_was_measured_stays() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = measure(dir.path(), &[]);
    // SAFETY: setrlimit is safe between fork and exec.
    unsafe {
        command.pre_exec(|| {
            let most = libc::rlimit { rlim_cur: 40_000, rlim_max: 40_000 };
            match libc::setrlimit(libc::RLIMIT_FSIZE, &most) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        });
    }
    let said = complaint(&command.output().unwrap());
    assert!(said.contains("File too large") && said.contains("lines are kept"), "{said}");
    let kept = fs::read(dir.path().join(JOURNAL)).unwrap();
    done(&measure(dir.path(), &[]).output().unwrap());
    assert!(fs::read(dir.path().join(JOURNAL)).unwrap().starts_with(&kept));
}
