//! A judge that answers from the record as long as it can, and writes down what it has to ask the inner judge.
//!
//! The search is a function of its seed and the samples, so a run that is resumed asks the recorded questions again, gets
//! the recorded answers, and arrives where it was stopped without timing anything.

use super::entry::{Block, Entry, Outcome, Phase, Timing};
use super::journal::Journal;
use super::past::Past;
use super::read::{JournalError, WAY_OUT};
use copysmith_kernels::Routine;
use copysmith_search::{Judge, Sample};
use std::collections::VecDeque;
use std::fmt;

/// The judge of one phase of one size class, with its record.
#[derive(Debug)]
pub struct Recording<'a, J> {
    inner: J,
    journal: &'a Journal,
    class: String,
    phase: Phase,
    recorded: VecDeque<Block>,
    answered: usize,
}

impl<'a, J: Judge> Recording<'a, J> {
    /// A judge of `class` that first gives what `past` holds of this phase, then what `inner` measures.
    pub fn new(inner: J, journal: &'a Journal, past: &Past, class: &str, phase: Phase) -> Recording<'a, J> {
        let blocks = past.class(class).map(|class| class.blocks.as_slice()).unwrap_or_default();
        let recorded = blocks.iter().filter(|block| block.phase == phase).cloned().collect();
        Recording { inner, journal, class: class.to_owned(), phase, recorded, answered: 0 }
    }

    /// How many recorded blocks have not been asked for again yet.
    pub fn left(&self) -> usize {
        self.recorded.len()
    }
}

impl<J: Judge> Judge for Recording<'_, J> {
    type Error = RecordingError<J::Error>;

    fn block(&mut self, contestants: &[Routine]) -> Result<Vec<Sample>, Self::Error> {
        let names: Vec<String> = contestants.iter().map(Routine::to_string).collect();
        self.answered += 1;
        if let Some(block) = self.recorded.pop_front() {
            if !block.samples.iter().map(|timing| &timing.routine).eq(&names) {
                return Err(RecordingError::Diverged { class: self.class.clone(), block: self.answered });
            }
            return Ok(block.samples.into_iter().map(|timing| timing.outcome.into()).collect());
        }
        let samples = self.inner.block(contestants).map_err(RecordingError::Judge)?;
        let timings = names.into_iter().zip(&samples);
        let block = Block {
            class: self.class.clone(),
            phase: self.phase,
            reference_ns: None,
            samples: timings.map(|(routine, sample)| Timing { routine, outcome: sample.clone().into() }).collect(),
        };
        self.journal.append(&Entry::Block(block)).map_err(RecordingError::Journal)?;
        Ok(samples)
    }
}

impl From<Outcome> for Sample {
    fn from(outcome: Outcome) -> Sample {
        match outcome {
            Outcome::LogRatio(ratio) => Sample::LogRatio(ratio),
            Outcome::Failed(why) => Sample::Failed(why),
        }
    }
}

impl From<Sample> for Outcome {
    fn from(sample: Sample) -> Outcome {
        match sample {
            Sample::LogRatio(ratio) => Outcome::LogRatio(ratio),
            Sample::Failed(why) => Outcome::Failed(why),
        }
    }
}

/// Why a recording judge has no answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordingError<E> {
    /// The inner judge has none.
    Judge(E),
    /// It could not be written down, so it does not count.
    Journal(JournalError),
    /// The search asks for other contestants than the record answers for: the record's header should have shown why.
    Diverged {
        /// The size class.
        class: String,
        /// The block, from 1.
        block: usize,
    },
}

impl<E: fmt::Display> fmt::Display for RecordingError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordingError::Judge(error) => error.fmt(f),
            RecordingError::Journal(error) => error.fmt(f),
            RecordingError::Diverged { class, block } => write!(
                f,
                "block {block} of class {class} was recorded with other contestants than the search asks for; {WAY_OUT}"
            ),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for RecordingError<E> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::header::tests::header;
    use crate::record::{JOURNAL, Lock, Opened};
    use std::cell::RefCell;
    use std::fs;
    use std::path::Path;

    /// What was timed: the number of the block, and a contestant.
    type Timed = RefCell<Vec<(usize, String)>>;

    /// Fake timings that depend on the block and the contestant, as noisy ones do; stops after so many blocks.
    struct Fake<'a> {
        block: usize,
        left: usize,
        timed: &'a Timed,
    }

    impl Judge for Fake<'_> {
        type Error = &'static str;

        fn block(&mut self, contestants: &[Routine]) -> Result<Vec<Sample>, &'static str> {
            self.left = self.left.checked_sub(1).ok_or("interrupted")?;
            self.block += 1;
            let time = |routine: &Routine| {
                let text = routine.to_string();
                let mixed = text.bytes().fold(self.block as u64, |sum, byte| {
                    (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3).rotate_left(23)
                });
                self.timed.borrow_mut().push((self.block, text));
                if mixed.is_multiple_of(23) {
                    Sample::Failed("signal 11".to_owned())
                } else {
                    Sample::LogRatio((mixed % 1000) as f64 / 3000.0 - 0.2)
                }
            };
            Ok(contestants.iter().map(time).collect())
        }
    }

    /// A small search: whoever fails is out, and after every second block so is the slowest.
    fn search<J: Judge>(judge: &mut J) -> Result<String, J::Error> {
        let shapes = [
            "pairs width=sse16",
            "chain width=sse16",
            "branch-free width=sse16",
            "computed width=8 moves=4",
            "loop width=8 unroll=1",
            "string unit=1",
        ];
        let kernels = shapes.map(|shape| format!("copy 17..=32 {shape}"));
        let mut alive: Vec<(Routine, f64)> = kernels.iter().map(|text| (text.parse().unwrap(), 0.0)).collect();
        for round in 0.. {
            let routines: Vec<Routine> = alive.iter().map(|(routine, _)| routine.clone()).collect();
            let samples = judge.block(&routines)?;
            for ((_, sum), sample) in alive.iter_mut().zip(samples) {
                *sum += if let Sample::LogRatio(ratio) = sample { ratio } else { f64::INFINITY };
            }
            alive.sort_by(|a, b| a.1.total_cmp(&b.1));
            alive.retain(|(_, sum)| sum.is_finite());
            if round % 2 == 1 {
                alive.truncate(alive.len().max(2) - 1);
            }
            if alive.len() < 2 {
                break;
            }
        }
        Ok(alive.first().map(|(routine, _)| routine.to_string()).unwrap_or_default())
    }

    fn run(dir: &Path, left: usize, timed: &Timed) -> Result<String, RecordingError<&'static str>> {
        let lock = Lock::acquire(dir).unwrap();
        let Opened { journal, entries, .. } = Journal::open(&lock, &header()).unwrap();
        let inner = Fake { block: entries.len(), left, timed };
        let mut judge = Recording::new(inner, &journal, &Past::new(&entries), "17..=32", Phase::Race);
        let winner = search(&mut judge)?;
        assert_eq!(judge.left(), 0);
        Ok(winner)
    }

    fn uninterrupted() -> (String, Vec<u8>, Vec<(usize, String)>) {
        let dir = tempfile::tempdir().unwrap();
        let timed = Timed::default();
        let winner = run(dir.path(), usize::MAX, &timed).unwrap();
        let bytes = fs::read(dir.path().join(JOURNAL)).unwrap();
        (winner, bytes, timed.into_inner())
    }

    #[test]
    fn stopped_after_every_block_it_measures_the_same_once_and_ends_the_same() {
        let (winner, bytes, timed) = uninterrupted();
        let dir = tempfile::tempdir().unwrap();
        let pieces = Timed::default();
        let ended = loop {
            match run(dir.path(), 1, &pieces) {
                Ok(winner) => break winner,
                Err(error) => assert_eq!(error.to_string(), "interrupted"),
            }
        };
        assert_eq!(ended, winner);
        assert_eq!(pieces.into_inner(), timed);
        assert_eq!(fs::read(dir.path().join(JOURNAL)).unwrap(), bytes);
    }

    #[test]
    fn killed_at_any_byte_it_repeats_only_the_block_in_flight_and_ends_the_same() {
        let (winner, bytes, timed) = uninterrupted();
        for cut in (0..bytes.len()).step_by(7) {
            let dir = tempfile::tempdir().unwrap();
            fs::write(dir.path().join(JOURNAL), &bytes[..cut]).unwrap();
            let whole = bytes[..cut].iter().filter(|&&byte| byte == b'\n').count().saturating_sub(1);
            let again = Timed::default();
            assert_eq!(run(dir.path(), usize::MAX, &again).unwrap(), winner, "cut at {cut}");
            let rest: Vec<_> = timed.iter().filter(|(block, _)| *block > whole).cloned().collect();
            assert_eq!(again.into_inner(), rest, "cut at {cut}");
            assert_eq!(fs::read(dir.path().join(JOURNAL)).unwrap(), bytes);
        }
    }

    #[test]
    fn a_finished_run_is_repeated_without_timing_anything() {
        let (winner, bytes, _) = uninterrupted();
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(JOURNAL), &bytes).unwrap();
        assert_eq!(run(dir.path(), 0, &Timed::default()).unwrap(), winner);
    }

    #[test]
    fn a_record_of_other_contestants_is_not_taken_for_an_answer() {
        let (_, bytes, _) = uninterrupted();
        let dir = tempfile::tempdir().unwrap();
        let other = String::from_utf8(bytes).unwrap().replacen("moves=4", "moves=8", 1);
        fs::write(dir.path().join(JOURNAL), other).unwrap();
        let error = run(dir.path(), 9, &Timed::default()).unwrap_err();
        assert!(matches!(error, RecordingError::Diverged { block: 1, .. }), "{error}");
    }
}
