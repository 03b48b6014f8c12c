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
    for other in others {
        let (Some(ours), Some(theirs)) = (&first.contents.header, &other.contents.header) else { continue };
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
    // The header that all agree on, whoever is first.
    let headers = all.iter().filter_map(|stored| stored.contents.header.as_ref());
    let header = headers.min_by_key(|header| serde_json::to_string(header).unwrap_or_default()).cloned();
    // By their text, so that the order of the shards does not matter; within a class and group by their place in the file, which is the
    // order in which blocks were timed.
    let mut lines: BTreeMap<(String, usize), (usize, &Entry)> = BTreeMap::new();
    for stored in all {
        // A line that a file itself has twice was measured twice.
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for (place, entry) in stored.contents.entries.iter().enumerate() {
            let text = serde_json::to_string(entry)
                .map_err(|error| StudyError::Import(format!("{}: {error}", stored.path.display())))?;
            let nth = times.entry(text.clone()).and_modify(|times| *times += 1).or_default();
            // Two shards may have the same line at different places, as a gate's sample: the earlier one, whichever file is read first.
            let line = lines.entry((text, *nth)).or_insert((place, entry));
            line.0 = line.0.min(place);
        }
    }
    let mut lines: Vec<(usize, &Entry)> = lines.into_values().collect();
    lines.sort_by_cached_key(|(place, entry)| (group(entry), *place));
    Ok(Contents::new(header, lines.into_iter().map(|(_, entry)| entry.clone()).collect()))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Block, Outcome, Phase, Timing};

    /// A file whose gate drew these.
    fn gate(path: &str, ratios: &[f64]) -> Stored {
        let block = |&ratio: &f64| {
            let samples = vec![Timing { routine: "clone".to_owned(), outcome: Outcome::LogRatio(ratio) }];
            Entry::Block(Block { class: "1..=8".to_owned(), phase: Phase::Gate, reference_ns: None, samples })
        };
        Stored { path: PathBuf::from(path), contents: Contents::new(None, ratios.iter().map(block).collect()) }
    }

    #[test]
    fn a_line_that_two_shards_have_at_different_places_is_at_one_whoever_is_first() {
        let (one, two) = (gate("one", &[0.5, 0.25, 0.125]), gate("two", &[0.75, 0.625, 0.5]));
        let merged = joined(&[one.clone(), two.clone()]).unwrap();
        assert_eq!(joined(&[two.clone(), one.clone()]).unwrap(), merged);
        let again = Stored { path: PathBuf::from("merged"), contents: merged.clone() };
        assert_eq!(joined(&[again, two, one]).unwrap(), merged);
        assert_eq!(merged.entries.len(), 5);
    }
}
