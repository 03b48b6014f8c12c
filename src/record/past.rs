//! What a record already knows, so that nothing is measured twice and nothing good is forgotten.

use super::entry::{Block, Breakdown, Confirmed, Entry, Outcome, Phase, Race, Rejected, Stage};
use std::collections::BTreeMap;

/// Everything recorded so far, by size class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    classes: BTreeMap<String, ClassPast>,
    rejected: BTreeMap<String, Rejected>,
}

/// Everything recorded of one size class, each list in the order of the journal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassPast {
    /// The blocks of all phases.
    pub blocks: Vec<Block>,
    /// The races that ended.
    pub races: Vec<Race>,
    /// What candidates did in each situation.
    pub breakdowns: Vec<Breakdown>,
    /// The confirmation runs that ended.
    pub confirmed: Vec<Confirmed>,
}

/// The best routine of a class so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Its canonical text.
    pub routine: String,
    /// Its log ratio against the reference.
    pub log_ratio: f64,
    /// How far that number can be trusted.
    pub evidence: Evidence,
}

/// How far a number can be trusted, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// It won a race, whose number is optimistic.
    Raced,
    /// A held-out run confirmed it.
    Confirmed,
}

impl Past {
    /// What the entries of a journal say together.
    pub fn new(entries: &[Entry]) -> Past {
        let mut past = Past::default();
        entries.iter().for_each(|entry| past.add(entry));
        past
    }

    /// Takes one more entry in.
    pub fn add(&mut self, entry: &Entry) {
        match entry {
            Entry::Header(_) | Entry::Resumed(_) => {}
            Entry::Rejected(rejected) => self.reject(rejected.clone()),
            Entry::Race(race) => self.class_mut(&race.class).races.push(race.clone()),
            Entry::Breakdown(breakdown) => self.class_mut(&breakdown.class).breakdowns.push(breakdown.clone()),
            Entry::Confirmed(confirmed) => self.class_mut(&confirmed.class).confirmed.push(confirmed.clone()),
            Entry::Block(block) => {
                for timing in &block.samples {
                    if let Outcome::Failed(reason) = &timing.outcome {
                        let (routine, reason) = (timing.routine.clone(), reason.clone());
                        self.reject(Rejected { routine, stage: Stage::Timing, reason });
                    }
                }
                self.class_mut(&block.class).blocks.push(block.clone());
            }
        }
    }

    /// What is known of a class; `None` where nothing is.
    pub fn class(&self, class: &str) -> Option<&ClassPast> {
        self.classes.get(class)
    }

    /// Everything that is known, by the names of the classes.
    pub fn classes(&self) -> impl Iterator<Item = (&str, &ClassPast)> {
        self.classes.iter().map(|(name, class)| (name.as_str(), class))
    }

    /// Why a candidate is out for good, if it is.
    pub fn rejected(&self, routine: &str) -> Option<&Rejected> {
        self.rejected.get(routine)
    }

    /// Every candidate that is out, in order of its text.
    pub fn all_rejected(&self) -> impl Iterator<Item = &Rejected> {
        self.rejected.values()
    }

    /// The best routine of a class so far: the fastest confirmed one; before any is confirmed, the fastest that won a race;
    /// of equals the earlier. More entries never make it worse, except that a routine which is rejected later (a wrong
    /// kernel is no kernel) is not the best any more.
    pub fn best(&self, class: &str) -> Option<Best> {
        let class = self.class(class)?;
        let confirmed = class.confirmed.iter().map(|run| (&run.routine, run.log_ratio, Evidence::Confirmed));
        let raced = class.races.iter().map(|race| (&race.winner, race.log_ratio, Evidence::Raced));
        let usable = confirmed.chain(raced).filter(|(routine, ..)| !self.rejected.contains_key(*routine));
        // min_by keeps the first of equals.
        let best = usable.min_by(|a, b| b.2.cmp(&a.2).then(a.1.total_cmp(&b.1)))?;
        Some(Best { routine: best.0.clone(), log_ratio: best.1, evidence: best.2 })
    }

    fn class_mut(&mut self, class: &str) -> &mut ClassPast {
        self.classes.entry(class.to_owned()).or_default()
    }

    /// The first reason stands: the later ones come from running what should not have been run.
    fn reject(&mut self, rejected: Rejected) {
        self.rejected.entry(rejected.routine.clone()).or_insert(rejected);
    }
}

impl ClassPast {
    /// The log ratios of each candidate in one phase, in the order in which they were measured.
    pub fn samples(&self, phase: Phase) -> BTreeMap<&str, Vec<f64>> {
        let mut samples: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for timing in self.blocks.iter().filter(|block| block.phase == phase).flat_map(|block| &block.samples) {
            if let Outcome::LogRatio(ratio) = timing.outcome {
                samples.entry(&timing.routine).or_default().push(ratio);
            }
        }
        samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Timing;
    use proptest::prelude::*;

    fn confirmed(routine: &str, log_ratio: f64) -> Entry {
        let (class, routine) = ("c".to_owned(), routine.to_owned());
        Entry::Confirmed(Confirmed {
            class,
            routine,
            blocks: 9,
            log_ratio,
            low: -9.0,
            high: 9.0,
            noise_floor: 0.005,
            optimism: Some(0.0),
            gigabytes_per_second: None,
            worst: None,
        })
    }

    fn raced(winner: &str, log_ratio: f64) -> Entry {
        let (class, winner) = ("c".to_owned(), winner.to_owned());
        Entry::Race(Race {
            class,
            winner,
            tied: Vec::new(),
            candidates: 3,
            refused: 0,
            blocks: 9,
            log_ratio,
            noise_floor: 0.005,
        })
    }

    fn block(phase: Phase, samples: &[(&str, Outcome)]) -> Entry {
        let timing =
            |(routine, outcome): &(&str, Outcome)| Timing { routine: (*routine).to_owned(), outcome: outcome.clone() };
        let samples = samples.iter().map(timing).collect();
        Entry::Block(Block { class: "c".to_owned(), phase, reference_ns: None, samples })
    }

    fn name(past: &Past) -> Option<String> {
        past.best("c").map(|best| best.routine)
    }

    #[test]
    fn a_confirmed_routine_is_better_than_a_raced_one_however_fast_the_race_saw_it() {
        assert_eq!(name(&Past::new(&[raced("a", -0.9), raced("b", -0.95)])), Some("b".to_owned()));
        assert_eq!(name(&Past::new(&[raced("a", -0.9), confirmed("c", -0.1), raced("b", -2.0)])), Some("c".to_owned()));
        assert_eq!(name(&Past::new(&[confirmed("a", -0.1), confirmed("b", -0.1)])), Some("a".to_owned()));
    }

    #[test]
    fn a_routine_rejected_later_is_not_the_best_and_its_first_reason_stands() {
        let failed = block(Phase::Race, &[("a", Outcome::Failed("signal 11".to_owned()))]);
        let later = Rejected { routine: "a".to_owned(), stage: Stage::Run, reason: "later".to_owned() };
        let past = Past::new(&[confirmed("a", -0.5), confirmed("b", -0.1), failed, Entry::Rejected(later)]);
        assert_eq!(name(&past), Some("b".to_owned()));
        assert_eq!(past.rejected("a").unwrap().reason, "signal 11");
        assert_eq!(past.all_rejected().count(), 1);
        assert_eq!(past.best("other"), None);
    }

    #[test]
    fn samples_of_different_phases_are_never_pooled() {
        let past = Past::new(&[
            block(Phase::Race, &[("a", Outcome::LogRatio(0.1)), ("b", Outcome::LogRatio(0.2))]),
            block(Phase::Confirmation, &[("a", Outcome::LogRatio(0.3))]),
            block(Phase::Race, &[("a", Outcome::LogRatio(0.4)), ("b", Outcome::Failed("x".to_owned()))]),
        ]);
        let class = past.class("c").unwrap();
        assert_eq!(class.samples(Phase::Race), BTreeMap::from([("a", vec![0.1, 0.4]), ("b", vec![0.2])]));
        assert_eq!(class.samples(Phase::Confirmation), BTreeMap::from([("a", vec![0.3])]));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

        #[test]
        fn more_entries_never_make_the_best_worse(runs in prop::collection::vec((any::<bool>(), 0..5u8, -9..9i8), 0..20)) {
            let mut past = Past::default();
            let mut before: Option<Best> = None;
            for (held_out, routine, ratio) in runs {
                let entry = if held_out { confirmed } else { raced }(&routine.to_string(), f64::from(ratio) / 10.0);
                past.add(&entry);
                let best = past.best("c").unwrap();
                if let Some(before) = before {
                    prop_assert!(best.evidence >= before.evidence);
                    prop_assert!(best.evidence > before.evidence || best.log_ratio <= before.log_ratio);
                }
                before = Some(best);
            }
        }
    }
}
