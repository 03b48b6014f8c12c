//! The same record gives the same bytes: again, elsewhere, in another language and time zone.

use super::bench::{copysmith, done, entries, finished, folder, journal, long_class_done, tune, with_journal};
use copysmith::host::Host;
use copysmith::print::winners::Winners;
use copysmith::record::{Entry, Phase};
use copysmith::tune::{WINNERS, features};
use copysmith_search::space::{Breadth, space};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Directory, time zone, language and home of each run.
const SURROUNDINGS: [[&str; 4]; 5] = [
    ["/", "UTC", "C", "/"],
    ["/usr", "Asia/Tokyo", "de_DE.UTF-8", "/nonexistent"],
    ["/tmp", "America/St_Johns", "tr_TR.UTF-8", ""],
    ["/proc", "Pacific/Apia", "ar_EG", "/root"],
    ["/dev", ":nowhere", "POSIX", "/usr"],
];

fn surrounded(mut command: Command, [directory, zone, language, home]: [&str; 4]) -> Command {
    command.current_dir(directory).env("TZ", zone).env("LANG", language).env("LC_ALL", language).env("HOME", home);
    command
}

#[test]
fn from_one_journal_the_winners_and_the_table_are_the_same_bytes_everywhere() {
    let bytes = fs::read(journal(finished())).unwrap();
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    for around in SURROUNDINGS {
        let record = with_journal(&bytes);
        let out = record.path().join("copies.rs");
        let again = record.path().join("again.rs");
        let command = tune(record.path(), &["--out", out.to_str().unwrap()]);
        done(&surrounded(command, around).output().unwrap());
        assert_eq!(fs::read(journal(record.path())).unwrap(), bytes, "{around:?}");

        let mut command = copysmith(&["table", "--out", again.to_str().unwrap()]);
        command.arg("--record").arg(record.path());
        done(&surrounded(command, around).output().unwrap());
        let text = |path: &Path| fs::read_to_string(path).unwrap();
        assert_eq!(text(&out), text(&again), "{around:?}");
        assert!(!text(&out).contains(record.path().to_str().unwrap()), "a path leaked into the table");
        seen.insert((text(&folder(record.path()).join(WINNERS)), text(&out)));
    }
    assert_eq!(seen.len(), 1);
}

#[test]
fn in_a_checkout_the_present_winners_race_and_the_tables_are_printed() {
    let checkout = tempfile::tempdir().unwrap();
    let at = |path: &str| checkout.path().join(path);
    let records = at("tuned/record");
    fs::create_dir_all(folder(&records)).unwrap();
    fs::create_dir_all(at("tuned/src/table")).unwrap();
    fs::write(at("Cargo.toml"), "[package]\nname = \"copysmith\"\n").unwrap();

    // As winner of the first class, a recipe that a quick search has not in its space.
    let mut winners = Winners::from_json(&fs::read_to_string(folder(finished()).join(WINNERS)).unwrap()).unwrap();
    let span = winners.classes[0].span;
    let has = features(&Host::read().cpu.features, None);
    let few = space(span, has, Breadth::Quick);
    let odd = space(span, has, Breadth::All).into_iter().find(|recipe| !few.contains(recipe)).unwrap();
    winners.classes[0].recipe = odd.clone();
    fs::write(folder(&records).join(WINNERS), winners.to_json()).unwrap();
    fs::write(journal(&records), long_class_done()).unwrap();

    let mut command = copysmith(&[&["tune"][..], &super::bench::SMALL].concat());
    done(&command.current_dir(at("tuned")).output().unwrap());

    let races = entries(&journal(&records)).into_iter().filter_map(|entry| match entry {
        Entry::Block(block) if block.phase == Phase::Race && block.class == span.to_string() => Some(block),
        _ => None,
    });
    let first = races.into_iter().next().unwrap();
    assert_eq!(first.samples[0].routine, odd.to_string());
    let machine = Host::read().machine();
    let module = machine.replace('-', "_");
    assert!(fs::read_to_string(at(&format!("tuned/src/table/{module}.rs"))).unwrap().contains("@generated"));
    assert!(fs::read_to_string(at("tuned/src/table/mod.rs")).unwrap().contains(&module));
}
