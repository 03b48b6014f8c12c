//! The common ground of all strategies: admission, races with the leaders carried along, and the budget.

use super::ranking::{leaders, rank};
use super::{Found, Ranked, Settings};
use crate::race::{Limit, Outcome, Race, Rules, Stop};
use crate::space::{simpler, thinned};
use crate::stats::trimmed_mean;
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
        let mut carried = self.leaders(CARRIED);
        if carried.is_empty() {
            carried = self.admitted(&self.settings.starts);
        }
        self.race_with(carried, candidates, rules, self.settings.budget.blocks, share)
    }

    /// Times these to their first look and no further, with the fastest so far alone.
    pub(super) fn glance(&mut self, candidates: &[Recipe], share: f64) -> Result<(), J::Error> {
        let fastest = self.means().into_iter().take(1).map(|(recipe, _)| recipe).collect();
        let rules = self.settings.rules;
        self.race_with(fastest, candidates, rules, rules.first.min(self.settings.budget.blocks), share)
    }

    /// Races these, who have been admitted, and nobody else, until it is decided or the budget ends.
    pub(super) fn race_alone(&mut self, recipes: &[Recipe]) -> Result<(), J::Error> {
        let most = (self.left(1.0) / self.settings.rules.first.max(1) as u64) as usize;
        let racing = recipes.iter().take(most).cloned().collect();
        self.race_with(racing, &[], self.settings.rules, self.settings.budget.blocks, 1.0)
    }

    /// The mean log ratio of everyone who was timed and never failed, over all races, the fastest first.
    pub(super) fn means(&self) -> Vec<(Recipe, f64)> {
        let usable = |(recipe, samples): &&(Recipe, Vec<f64>)| {
            !samples.is_empty() && self.asked.get(recipe) == Some(&Admission::Admitted)
        };
        let mean = |(recipe, samples): &(Recipe, Vec<f64>)| (recipe.clone(), trimmed_mean(samples));
        let mut means: Vec<(Recipe, f64)> = self.found.samples.iter().filter(usable).map(mean).collect();
        means.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| simpler(&a.0, &b.0)));
        means
    }

    /// The mean log ratio of one; `None` where it was not timed.
    pub(super) fn mean(&self, recipe: &Recipe) -> Option<f64> {
        let (_, samples) = &self.found.samples[*self.timed.get(recipe)?];
        (!samples.is_empty()).then(|| trimmed_mean(samples))
    }

    /// How many candidates the whole budget can bring to their first look.
    pub(super) fn evaluations(&self) -> usize {
        (self.settings.budget.evaluations / self.settings.rules.first.max(1) as u64) as usize
    }

    /// The share of the budget that is used up.
    pub(super) fn spent(&self) -> f64 {
        self.found.evaluations as f64 / self.settings.budget.evaluations.max(1) as f64
    }

    /// Races those carried, who have been admitted, and as many of the candidates as there is room for.
    fn race_with(
        &mut self,
        mut recipes: Vec<Recipe>,
        candidates: &[Recipe],
        rules: Rules,
        blocks: usize,
        share: f64,
    ) -> Result<(), J::Error> {
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
        let limit = Limit { blocks, evaluations: self.left(share) };
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
