//! Shards of one study as one: every line once, in an order that does not depend on who was first.

use super::file::{files, store, stored};
use super::{Stored, StudyError};
use crate::record::{Contents, Entry, Mismatch, Weight};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What was merged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Merged {
    /// The file written.
    pub file: PathBuf,
    /// The files read.
    pub from: Vec<PathBuf>,
    /// Lines in the file, the header not counted.
    pub lines: usize,
    /// Lines that were there more than once: merged before, or given twice.
    pub repeated: usize,
}

/// Merges data sets of one study into `to`, with what is already there: merging again changes nothing.
///
/// # Errors
/// [`StudyError::Foreign`] where they are not of one study; as [`load`](super::load) and [`store`].
pub fn merge(from: &[PathBuf], to: &Path) -> Result<Merged, StudyError> {
    let file = if to.is_dir() || to.extension().is_none() { to.join(super::file::DATA) } else { to.to_owned() };
    // What was merged before comes first: its lines keep their order, and merging them again changes nothing.
    let mut paths: Vec<PathBuf> = Some(file.clone()).filter(|file| file.exists()).into_iter().collect();
    for path in from {
        paths.extend(files(path)?);
    }
    let mut unique = BTreeSet::new();
    paths.retain(|path| unique.insert(path.clone()));
    let all = paths.iter().cloned().map(stored).collect::<Result<Vec<Stored>, _>>()?;
    let contents = joined(&all)?;
    let given: usize = all.iter().map(|stored| stored.contents.entries.len()).sum();
    store(&file, &contents)?;
    let lines = contents.entries.len();
    Ok(Merged { file, from: paths, lines, repeated: given - lines })
}

/// The contents of files of one study as one.
pub(super) fn joined(all: &[Stored]) -> Result<Contents, StudyError> {
    let [first, others @ ..] = all else { return Err(StudyError::NoData(PathBuf::new())) };
    let header = first.contents.header.clone();
    for other in others {
        let (Some(ours), Some(theirs)) = (&header, &other.contents.header) else { continue };
        let mismatches: Vec<Mismatch> = ours.mismatches(theirs);
        let fatal: Vec<Mismatch> =
            mismatches.into_iter().filter(|mismatch| mismatch.field.weight() == Weight::Fatal).collect();
        if !fatal.is_empty() {
            return Err(StudyError::Foreign { first: first.path.clone(), path: other.path.clone(), mismatches: fatal });
        }
    }
    if others.is_empty() {
        return Ok(first.contents.clone());
    }
    // By their text, so that the order of the shards does not matter; the sort is stable and keeps each file's own order within a class
    // and group, where it is the order in which blocks were timed.
    let mut lines: Vec<(String, usize, String, &Entry)> = Vec::new();
    let mut seen = BTreeSet::new();
    for stored in all {
        // A line that a file itself has twice was measured twice.
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for (place, entry) in stored.contents.entries.iter().enumerate() {
            let text = serde_json::to_string(entry)
                .map_err(|error| StudyError::Import(format!("{}: {error}", stored.path.display())))?;
            let nth = times.entry(text.clone()).and_modify(|times| *times += 1).or_default();
            if seen.insert((text.clone(), *nth)) {
                lines.push((group(entry), place, text, entry));
            }
        }
    }
    lines.sort_by(|a, b| (&a.0, a.1, &a.2).cmp(&(&b.0, b.1, &b.2)));
    let entries = lines.into_iter().map(|(.., entry)| entry.clone()).collect();
    Ok(Contents::new(header, entries))
}

/// What belongs together, in the order in which it was measured: the blocks of a class that begin with the same routine, say.
fn group(entry: &Entry) -> String {
    match entry {
        Entry::Header(_) => String::new(),
        Entry::Resumed(_) => "0".to_owned(),
        Entry::Rejected(rejected) => format!("1 {}", rejected.routine),
        Entry::Block(block) => {
            // The least routine of a group stands for it; who failed later was in its first blocks too.
            let least = block.samples.iter().map(|timing| timing.routine.as_str()).min().unwrap_or_default();
            format!("2 {} {:?} {least}", block.class, block.phase)
        }
        Entry::Race(race) => format!("3 {}", race.class),
        Entry::Breakdown(breakdown) => format!("4 {} {:?}", breakdown.class, breakdown.phase),
        Entry::Confirmed(confirmed) => format!("5 {}", confirmed.class),
    }
}
