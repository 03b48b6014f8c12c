//! The common ground of all strategies: admission, races with the leaders carried along, and the budget.

use super::ranking::{leaders, rank};
use super::{Found, Ranked, Settings};
use crate::race::{Limit, Outcome, Race, Rules, Stop};
use crate::space::{simpler, thinned};
use crate::{Judge, Watch};
use copysmith_kernels::{Recipe, Routine};
use std::collections::{BTreeMap, BTreeSet};

/// Leaders that are carried from one race into the next.
const CARRIED: usize = 12;

/// Everyone who was admitted, refused and timed so far.
pub(super) struct Field<'a, J> {
    judge: &'a mut J,
    pub(super) settings: &'a Settings,
    watch: &'a mut dyn Watch,
    admit: &'a mut dyn FnMut(&Recipe) -> Result<(), String>,
    asked: BTreeMap<Recipe, Admission>,
    found: Found,
    /// Where in `found.samples` a recipe's are.
    timed: BTreeMap<Recipe, usize>,
    ended: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Admission {
    Admitted,
    Rejected,
}

impl<'a, J: Judge> Field<'a, J> {
    pub(super) fn new(
        judge: &'a mut J,
        settings: &'a Settings,
        watch: &'a mut dyn Watch,
        admit: &'a mut dyn FnMut(&Recipe) -> Result<(), String>,
    ) -> Field<'a, J> {
        let (asked, timed) = (BTreeMap::new(), BTreeMap::new());
        Field { judge, settings, watch, admit, asked, found: Found::default(), timed, ended: false }
    }

    pub(super) fn found(self) -> Found {
        self.found
    }

    /// The ranking of the last race.
    pub(super) fn ranking(&self) -> &[Ranked] {
        &self.found.ranking
    }

    /// At most so many of the best so far.
    pub(super) fn leaders(&self, most: usize) -> Vec<Recipe> {
        leaders(&self.found.ranking, self.settings.rules.margin, most)
    }

    /// Remembers the simplest of the last race's ties as those that other runs meet as well, and gives them: those with the lowest
    /// instruction set first, as the tie rule takes them.
    pub(super) fn settle_common(&mut self) -> Vec<Recipe> {
        let tied = self.found.ties().map(|ranked| ranked.recipe.clone());
        let mut common: Vec<Recipe> = tied.collect();
        common.sort_by(|a, b| a.isa().cmp(&b.isa()).then_with(|| simpler(a, b)));
        common.truncate(CARRIED);
        self.found.common.clone_from(&common);
        common
    }

    /// Whether it has been timed or rejected.
    pub(super) fn knows(&self, recipe: &Recipe) -> bool {
        self.timed.contains_key(recipe) || self.asked.get(recipe) == Some(&Admission::Rejected)
    }

    /// Whether one more race of `contestants` could reach its first look before a share of the whole budget is used up.
    pub(super) fn affords(&self, contestants: usize, share: f64) -> bool {
        !self.ended && contestants as u64 * self.settings.rules.first as u64 <= self.left(share)
    }

    fn left(&self, share: f64) -> u64 {
        let allowed = (self.settings.budget.evaluations as f64 * share) as u64;
        allowed.saturating_sub(self.found.evaluations)
    }

    /// Races these against each other and the leaders so far, until a share of the whole budget is used up. Those that
    /// are not admitted are left out; of more than can be raced to the first look, evenly spaced ones are taken.
    pub(super) fn race(&mut self, candidates: &[Recipe], share: f64) -> Result<(), J::Error> {
        self.race_by(self.settings.rules, candidates, share)
    }

    /// As [`Field::race`], by other rules.
    pub(super) fn race_by(&mut self, rules: Rules, candidates: &[Recipe], share: f64) -> Result<(), J::Error> {
        let mut recipes = self.leaders(CARRIED);
        if recipes.is_empty() {
            recipes = self.admitted(&self.settings.starts);
        }
        let mut seen: BTreeSet<Recipe> = recipes.iter().cloned().collect();
        let fresh: Vec<Recipe> = candidates.iter().filter(|&recipe| seen.insert(recipe.clone())).cloned().collect();
        let most = (self.left(share) / rules.first.max(1) as u64) as usize;
        let room = most.saturating_sub(recipes.len());
        recipes.extend(self.admitted(&thinned(fresh, room)));
        if self.ended || recipes.is_empty() {
            return Ok(());
        }
        let routines: Vec<Routine> = recipes.iter().cloned().map(Routine::from).collect();
        self.watch.started(&routines);
        let mut race = Race::new(routines, rules);
        let limit = Limit { blocks: self.settings.budget.blocks, evaluations: self.left(share) };
        let stop = race.run(self.judge, limit, self.watch)?;
        self.ended |= stop == Stop::Watch;
        self.take(&recipes, &race);
        Ok(())
    }

    /// Those that the caller admits, each asked once and for all.
    fn admitted(&mut self, recipes: &[Recipe]) -> Vec<Recipe> {
        let mut admitted = Vec::new();
        for recipe in recipes {
            let known = self.asked.get(recipe).copied();
            // Admission may take long: proofs and gates. When time is up, whoever has not been asked stays out.
            if known.is_none() && !self.watch.more() {
                self.ended = true;
                break;
            }
            let admission = known.unwrap_or_else(|| match (self.admit)(recipe) {
                Ok(()) => Admission::Admitted,
                Err(reason) => {
                    self.watch.refused(recipe, &reason);
                    self.found.rejected.push((recipe.clone(), reason));
                    Admission::Rejected
                }
            });
            self.asked.insert(recipe.clone(), admission);
            if admission == Admission::Admitted {
                admitted.push(recipe.clone());
            }
        }
        admitted
    }

    fn take(&mut self, recipes: &[Recipe], race: &Race) {
        self.found.evaluations += race.evaluations();
        for (recipe, lane) in recipes.iter().zip(race.lanes()) {
            if let Outcome::Failed(reason) = &lane.outcome {
                self.asked.insert(recipe.clone(), Admission::Rejected);
                self.found.rejected.push((recipe.clone(), reason.clone()));
            }
            let samples = &mut self.found.samples;
            let at = *self.timed.entry(recipe.clone()).or_insert_with(|| {
                samples.push((recipe.clone(), Vec::new()));
                samples.len() - 1
            });
            samples[at].1.extend_from_slice(&lane.samples);
        }
        // A race that ended before its first look knows less than the one before it, and must not forget who led.
        if race.blocks() >= self.settings.rules.first || self.found.ranking.is_empty() {
            self.found.ranking = rank(recipes, race.lanes(), self.settings.rules.margin);
        } else {
            let asked = &self.asked;
            self.found.ranking.retain(|ranked| asked.get(&ranked.recipe) == Some(&Admission::Admitted));
        }
    }
}
