//! A tune that is stopped at any moment, by asking or by killing, goes on where it was.

use super::bench::{complaint, done, entries, folder, journal, lines, lowest_cpu, signalled, started, text, tune};
use copysmith::record::{Best, Entry, Past, Phase};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

#[test]
fn stopped_and_killed_at_random_moments_it_ends_with_everything_measured_once() {
    let dir = tempfile::tempdir().unwrap();
    let journal = journal(dir.path());
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let cpu = lowest_cpu();
    let on = ["--cpu", cpu.as_str()];
    let mut stopped = 0;
    for round in 0..10 {
        let signal = if round % 2 == 0 { libc::SIGINT } else { libc::SIGKILL };
        let run = started(tune(dir.path(), &on));
        let (output, sent) = signalled(run, &journal, rng.random_range(1..30), signal);
        let said = text(&output.stderr);
        match output.status.code() {
            // It was done before the signal could stop it.
            Some(0) => break,
            code if signal == libc::SIGINT => {
                assert_eq!((code, text(&output.stdout)), (Some(130), ""), "{said}");
                let last = said.lines().last().unwrap();
                assert!(last.starts_with("copysmith: interrupted; ") && last.ends_with("goes on from there"), "{said}");
            }
            code => assert_eq!(code, None, "{said}"),
        }
        assert!(sent);
        stopped += 1;
    }
    assert!(stopped >= 4, "only {stopped} runs could be stopped");
    done(&tune(dir.path(), &on).output().unwrap());

    let all = entries(&journal);
    best_never_gets_worse(&all);
    let counts = blocks(&all);
    for class in ["0..=32", "33..", "routine"] {
        assert_eq!(counts[&(class.to_owned(), Phase::Gate)], 16, "{class}");
        let ended = |entry: &&Entry| match entry {
            Entry::Race(race) => race.class == class,
            Entry::Confirmed(confirmed) => confirmed.class == class,
            _ => false,
        };
        assert_eq!(all.iter().filter(ended).count(), 2, "{class}");
    }

    // Once more: nothing is measured, and the files stay as they are.
    let before = files(dir.path());
    done(&tune(dir.path(), &on).output().unwrap());
    assert_eq!(files(dir.path()), before);

    // And from the blocks of the races alone the search arrives at the same races: each block is one that it asks for.
    let again = tempfile::tempdir().unwrap();
    let kept = |line: &&str| !line.contains("\"kind\":\"race\"");
    let text = fs::read_to_string(&journal).unwrap();
    let text: String = text.lines().filter(kept).map(|line| format!("{line}\n")).collect();
    fs::create_dir_all(folder(again.path())).unwrap();
    fs::write(super::bench::journal(again.path()), text).unwrap();
    done(&tune(again.path(), &on).output().unwrap());
    let replayed = entries(&super::bench::journal(again.path()));
    assert_eq!(blocks(&replayed), counts, "the search asked for blocks that were not recorded");
    let races = |entries: &[Entry]| {
        let mut races: Vec<String> =
            entries.iter().filter(|entry| matches!(entry, Entry::Race(_))).map(|race| format!("{race:?}")).collect();
        races.sort();
        races
    };
    assert_eq!(races(&replayed), races(&all));
    let winners = |record: &Path| fs::read(folder(record).join("winners")).unwrap();
    assert_eq!(winners(again.path()), winners(dir.path()));
}

fn blocks(entries: &[Entry]) -> BTreeMap<(String, Phase), usize> {
    let mut counts = BTreeMap::new();
    for entry in entries {
        if let Entry::Block(block) = entry {
            *counts.entry((block.class.clone(), block.phase)).or_default() += 1;
        }
    }
    counts
}

fn best_never_gets_worse(entries: &[Entry]) {
    let mut past = Past::default();
    let mut best: BTreeMap<String, Best> = BTreeMap::new();
    for entry in entries {
        past.add(entry);
        // A finalist that is terrible at some offset is rejected after it won its race; what is chosen instead comes next.
        if let Entry::Rejected(rejected) = entry {
            best.retain(|_, best| best.routine != rejected.routine);
        }
        for class in ["0..=32", "33..", "routine"] {
            let now = past.best(class);
            if let Some(before) = best.get(class) {
                let now = now.as_ref().expect("a best one is never lost");
                assert!(now.evidence >= before.evidence, "{class}");
                assert!(now.evidence > before.evidence || now.log_ratio <= before.log_ratio, "{class}");
            }
            if let Some(now) = now {
                best.insert(class.to_owned(), now);
            }
        }
    }
    assert_eq!(best.len(), 3);
}

/// Every file of the record with its bytes; the lock's come and go.
fn files(record: &Path) -> BTreeMap<String, Vec<u8>> {
    let all = fs::read_dir(folder(record)).unwrap().map(|file| file.unwrap());
    let all = all.map(|file| (file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap()));
    // Load and free memory of the machine are other ones each time.
    all.filter(|(name, _)| name != "lock" && name != "host").collect()
}

#[test]
fn of_two_tunes_at_once_the_second_says_who_is_there_and_the_first_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let journal = journal(dir.path());
    let first = started(tune(dir.path(), &[]));
    while lines(&journal) < 2 {
        sleep(Duration::from_millis(1));
    }
    // The first waits while the second looks, so that it cannot be done by then.
    // SAFETY: stops and continues a child that is ours and not yet reaped.
    let send = |signal| unsafe { libc::kill(first.id() as libc::pid_t, signal) };
    send(libc::SIGSTOP);
    let before = fs::read(&journal).unwrap();
    let second = tune(dir.path(), &[]).output().unwrap();
    let fresh = tune(dir.path(), &["--fresh"]).output().unwrap();
    let unchanged = fs::read(&journal).unwrap() == before;
    let holder = format!("process {}", first.id());
    send(libc::SIGCONT);
    let (output, _) = signalled(first, &journal, 1, libc::SIGINT);
    for refused in [second, fresh] {
        let said = complaint(&refused, 1);
        assert!(said.contains(&holder) && said.contains("--record DIR"), "{said}");
    }
    assert!(unchanged, "a run that does not hold the lock changed the journal");
    assert!(matches!(output.status.code(), Some(0 | 130)), "{}", text(&output.stderr));
}
