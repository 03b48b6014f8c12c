//! Kills at every byte, stale and damaged files, disks that fill up.

use super::*;
use crate::record::header::tests::header;
use crate::record::measurement::FURTHEST;
use crate::record::{Block, Confirmed, Field, Fingerprint, Outcome, Phase, Race, Rejected, Stage, Timing, read};
use proptest::prelude::*;
use tempfile::TempDir;

fn block(class: &str, samples: &[(&str, f64)]) -> Entry {
    let timing =
        |&(routine, ratio): &(&str, f64)| Timing { routine: routine.to_owned(), outcome: Outcome::LogRatio(ratio) };
    Entry::Block(Block {
        class: class.to_owned(),
        phase: Phase::Race,
        reference_ns: Some(7.25),
        samples: samples.iter().map(timing).collect(),
    })
}

fn sample() -> Vec<Entry> {
    vec![
        block("17..=32", &[("copy 17..=32 pairs width=sse16", -0.1), ("copy 17..=32 chain width=sse16", 0.3)]),
        Entry::Rejected(Rejected {
            routine: "ü\n\"".to_owned(),
            stage: Stage::Run,
            reason: "n=17: byte 3 differs".to_owned(),
        }),
        block("17..=32", &[]),
    ]
}

/// A directory whose journal holds the sample.
fn written() -> (TempDir, Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    let lock = Lock::acquire(dir.path()).unwrap();
    let journal = Journal::open(&lock, &header()).unwrap().journal;
    sample().iter().for_each(|entry| journal.append(entry).unwrap());
    let bytes = fs::read(journal.path()).unwrap();
    (dir, bytes)
}

fn reopened(dir: &TempDir, now: &Header) -> Result<Opened, JournalError> {
    Journal::open(&Lock::acquire(dir.path()).unwrap(), now)
}

#[test]
fn every_line_says_its_schema_and_kind_first() {
    let (_dir, bytes) = written();
    let text = String::from_utf8(bytes).unwrap();
    let kinds = ["header", "block", "rejected", "block"];
    assert_eq!(text.lines().count(), kinds.len());
    for (line, kind) in text.lines().zip(kinds) {
        assert!(line.starts_with(&format!("{{\"schema\":1,\"kind\":\"{kind}\"")), "{line}");
    }
}

#[test]
fn a_kill_at_any_byte_loses_only_the_line_in_flight_and_the_journal_goes_on() {
    let (dir, bytes) = written();
    let path = dir.path().join(JOURNAL);
    let ends: Vec<usize> = bytes.iter().enumerate().filter(|&(_, &b)| b == b'\n').map(|(at, _)| at + 1).collect();
    for cut in 0..=bytes.len() {
        fs::write(&path, &bytes[..cut]).unwrap();
        let whole = ends.iter().filter(|&&end| end <= cut).count();
        let torn_bytes = cut - ends[..whole].last().copied().unwrap_or(0);

        let opened = reopened(&dir, &header()).unwrap();
        assert_eq!(opened.entries, sample()[..whole.saturating_sub(1)], "cut at {cut}");
        assert_eq!(opened.torn, (torn_bytes > 0).then_some(Torn { line: whole + 1, bytes: torn_bytes }));
        if whole > 0 {
            let kept = fs::read(&path).unwrap();
            assert_eq!(kept, bytes[..ends[whole - 1]], "the torn line is gone even if nothing follows");
        }
        let journal = opened.journal;
        sample()[whole.saturating_sub(1)..].iter().for_each(|entry| journal.append(entry).unwrap());
        assert_eq!(fs::read(&path).unwrap(), bytes, "cut at {cut}");
    }
}

#[test]
fn a_damaged_line_that_is_not_the_last_is_one_error_that_names_file_line_and_way_out() {
    let (dir, bytes) = written();
    let path = dir.path().join(JOURNAL);
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&b| b == b'\n').collect();
    let wrong: [&[u8]; 7] = [
        b"\n",
        b"{}\n",
        b"\xff\xfe\n",
        &[0; 40],
        b"{\"schema\":1,\"kind\":\"surprise\"}\n",
        b"{\"schema\":1,\"kind\":\"rejected\",\"routine\":\"x\"}\n",
        &lines[1][..20],
    ];
    for number in 1..=2 {
        for wrong in wrong {
            let mut damaged = lines.clone();
            damaged[number] = wrong;
            fs::write(&path, damaged.concat()).unwrap();
            let before = fs::read(&path).unwrap();
            let error = reopened(&dir, &header()).unwrap_err();
            let text = error.to_string();
            assert!(matches!(error, JournalError::Damaged { line, .. } if line == number + 1), "{text}");
            assert!(text.starts_with(&format!("{}, line {} is damaged", path.display(), number + 1)), "{text}");
            assert!(text.ends_with("keeps it under another name, or give another --record DIR"), "{text}");
            assert_eq!(text.lines().count(), 1);
            assert_eq!(fs::read(&path).unwrap(), before);
        }
    }
}

#[test]
fn a_header_must_come_first_and_only_first() {
    let (dir, bytes) = written();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&b| b == b'\n').collect();
    for (order, line) in [(vec![lines[1], lines[0]], 1), (vec![lines[0], lines[1], lines[0]], 3)] {
        fs::write(dir.path().join(JOURNAL), order.concat()).unwrap();
        let error = reopened(&dir, &header()).unwrap_err();
        assert!(matches!(error, JournalError::Damaged { line: l, .. } if l == line), "{error}");
    }
}

#[test]
fn a_journal_of_another_schema_is_named_as_such_and_left_alone() {
    let (dir, _) = written();
    let path = dir.path().join(JOURNAL);
    fs::write(&path, "{\"schema\":2,\"news\":[]}\n").unwrap();
    let error = reopened(&dir, &header()).unwrap_err();
    assert!(matches!(error, JournalError::Schema { line: 1, found: 2, .. }), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"schema\":2,\"news\":[]}\n");
}

#[test]
fn a_stale_journal_is_refused_by_name_untouched_and_can_be_set_aside() {
    let (dir, mut bytes) = written();
    let path = dir.path().join(JOURNAL);
    bytes.extend(b"{\"torn");
    fs::write(&path, &bytes).unwrap();
    let now = Header { emitter: Fingerprint(2), seed: 3, kernel: "7".to_owned(), ..header() };
    let JournalError::Stale { mismatches, .. } = reopened(&dir, &now).unwrap_err() else { panic!() };
    assert_eq!(mismatches.iter().map(|m| m.field).collect::<Vec<_>>(), [Field::Emitter, Field::Seed]);
    assert_eq!(fs::read(&path).unwrap(), bytes);

    let aside = Journal::set_aside(&Lock::acquire(dir.path()).unwrap()).unwrap().unwrap();
    assert_eq!(fs::read(&aside).unwrap(), bytes);
    assert_eq!(reopened(&dir, &now).unwrap().entries, []);
    let second = Journal::set_aside(&Lock::acquire(dir.path()).unwrap()).unwrap().unwrap();
    assert_ne!(aside, second);
    assert_eq!(fs::read(&aside).unwrap(), bytes);
}

#[test]
fn a_journal_keeps_its_directory_locked() {
    let (dir, _) = written();
    let opened = reopened(&dir, &header()).unwrap();
    Lock::acquire(dir.path()).unwrap_err();
    drop(opened);
    Lock::acquire(dir.path()).unwrap();
}

#[test]
fn a_new_kernel_is_reported_and_kept_with_the_record_whose_header_stays() {
    let (dir, _) = written();
    let now = Header { kernel: "6.2.0".to_owned(), ..header() };
    let opened = reopened(&dir, &now).unwrap();
    assert_eq!(opened.entries, sample());
    assert_eq!(opened.changed.len(), 1);
    let contents = read(opened.journal.path()).unwrap();
    assert_eq!(contents.header, Some(header()));
    assert_eq!(contents.entries.last(), Some(&Entry::Resumed(Resumed { changed: opened.changed })));
}

/// A disk with so many bytes left, which may also refuse to cut.
struct Disk {
    bytes: Vec<u8>,
    room: usize,
    cuts: bool,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fits = bytes.len().min(self.room - self.bytes.len());
        self.bytes.extend(&bytes[..fits]);
        if fits == 0 { Err(ErrorKind::StorageFull.into()) } else { Ok(fits) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Storage for Disk {
    fn cut(&mut self, len: u64) -> io::Result<()> {
        if !self.cuts {
            return Err(ErrorKind::Other.into());
        }
        self.bytes.truncate(len as usize);
        Ok(())
    }
}

#[test]
fn a_disk_that_fills_at_any_byte_keeps_all_whole_lines_and_takes_more_once_there_is_room() {
    let line = b"0123456789\n";
    for room in 0..3 * line.len() {
        for cuts in [true, false] {
            let mut tail = Tail { file: Disk { bytes: Vec::new(), room, cuts }, whole: 0, torn: false };
            let added = (0..3).take_while(|_| tail.add(line).is_ok()).count();
            assert_eq!(added, room / line.len());
            tail.file.room = 1000;
            if !cuts && !room.is_multiple_of(line.len()) {
                assert!(tail.add(line).is_err(), "nothing may follow a torn line");
            }
            tail.file.cuts = true;
            tail.add(line).unwrap();
            assert_eq!(tail.file.bytes, line.repeat(added + 1));
        }
    }
}

#[test]
fn a_ratio_that_no_clock_can_have_given_is_damage_when_it_is_read() {
    let (dir, bytes) = written();
    let text = String::from_utf8(bytes).unwrap();
    for wrong in ["1e300", "-33", "32.001"] {
        fs::write(dir.path().join(JOURNAL), text.replacen("-0.1", wrong, 1)).unwrap();
        let said = reopened(&dir, &header()).unwrap_err().to_string();
        assert!(said.contains("line 2 is damaged") && said.contains("is no log ratio; from -32 to 32 is"), "{said}");
    }
    fs::write(dir.path().join(JOURNAL), text.replacen("-0.1", "-32", 1)).unwrap();
    assert!(reopened(&dir, &header()).is_ok());
}

#[test]
fn a_number_that_is_no_measurement_is_refused_and_nothing_is_written() {
    let (dir, bytes) = written();
    let journal = reopened(&dir, &header()).unwrap().journal;
    for ratio in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 32.5, -1e300] {
        let error = journal.append(&block("c", &[("r", ratio)])).unwrap_err();
        assert!(matches!(error, JournalError::Refused { .. }), "{error}");
    }
    assert_eq!(fs::read(journal.path()).unwrap(), bytes);
}

fn number() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("finite", |value| value.is_finite())
}

fn log_ratio() -> impl Strategy<Value = f64> {
    prop_oneof![-FURTHEST..=FURTHEST, Just(-0.0)]
}

fn any_entry() -> impl Strategy<Value = Entry> {
    let outcome = prop_oneof![log_ratio().prop_map(Outcome::LogRatio), any::<String>().prop_map(Outcome::Failed)];
    let timing = (any::<String>(), outcome).prop_map(|(routine, outcome)| Timing { routine, outcome });
    let phase = prop_oneof![Just(Phase::Gate), Just(Phase::Race), Just(Phase::Confirmation)];
    let stage = prop_oneof![Just(Stage::Plan), Just(Stage::Code), Just(Stage::Run), Just(Stage::Timing)];
    let block = (any::<String>(), phase, prop::option::of(number()), prop::collection::vec(timing, 0..4))
        .prop_map(|(class, phase, reference_ns, samples)| Entry::Block(Block { class, phase, reference_ns, samples }));
    let rejected = (any::<String>(), stage, any::<String>())
        .prop_map(|(routine, stage, reason)| Entry::Rejected(Rejected { routine, stage, reason }));
    let race =
        (any::<[String; 2]>(), prop::collection::vec(any::<String>(), 0..3), any::<u32>(), log_ratio(), log_ratio())
            .prop_map(|([class, winner], tied, blocks, log_ratio, noise_floor)| {
                Entry::Race(Race {
                    class,
                    winner,
                    tied,
                    candidates: blocks,
                    refused: 1,
                    blocks,
                    log_ratio,
                    noise_floor,
                })
            });
    let confirmed = (any::<[String; 2]>(), any::<u32>(), log_ratio(), number(), number(), log_ratio()).prop_map(
        |([class, routine], blocks, log_ratio, low, high, noise_floor)| {
            Entry::Confirmed(Confirmed {
                class,
                routine,
                blocks,
                log_ratio,
                low,
                high,
                noise_floor,
                optimism: Some(low),
                gigabytes_per_second: Some(high),
                worst: None,
            })
        },
    );
    prop_oneof![block, rejected, race, confirmed]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn whatever_is_added_comes_back_bit_for_bit(entries in prop::collection::vec(any_entry(), 0..6), seed: u64) {
        let dir = tempfile::tempdir().unwrap();
        let now = Header { seed, ..header() };
        let journal = reopened(&dir, &now).unwrap().journal;
        for entry in &entries {
            journal.append(entry).unwrap();
        }
        drop(journal);
        let back = reopened(&dir, &now).unwrap().entries;
        // Debug text tells -0.0 from 0.0, which == does not.
        prop_assert_eq!(format!("{:?}", back), format!("{:?}", entries));
    }
}

#[test]
fn lines_that_belong_together_are_added_all_or_none() {
    let (dir, bytes) = written();
    let journal = reopened(&dir, &header()).unwrap().journal;
    let wrong = [block("c", &[("r", 0.5)]), block("c", &[("r", f64::NAN)])];
    assert!(journal.append_all(&wrong).is_err());
    assert_eq!(fs::read(journal.path()).unwrap(), bytes);
    journal.append_all(&sample()).unwrap();
    drop(journal);
    assert_eq!(reopened(&dir, &header()).unwrap().entries, [sample(), sample()].concat());
}

#[test]
fn where_there_is_no_journal_there_is_none_to_set_aside() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(Journal::set_aside(&Lock::acquire(dir.path()).unwrap()).unwrap(), None);
}
