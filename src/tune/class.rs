//! The race of one class.

use super::door::Door;
use super::session::{Passing, Session, Use};
use super::situations::timed;
use super::{TuneError, confirmation, offsets};
use crate::print::winners::Winners;
use crate::record::{Entry, Phase, Race, Recording};
use crate::time::LiveJudge;
use copysmith_kernels::{Recipe, Routine, Span};
use copysmith_search::race::Rules;
use copysmith_search::space::{Features, space};
use copysmith_search::stats::{margin, trimmed_mean};
use copysmith_search::strategy::{Budget, Found, Settings, Strategy, search};
use copysmith_search::ties::{Standing, choose};

/// Blocks that the first look of a race needs, and a few more: fewer for each candidate make no race.
const BLOCKS_A_CANDIDATE: usize = 14;

/// The races of all classes, in order. In each the present winner for its lengths has a place, and what won the class below.
pub(super) fn races(
    session: &mut Session<'_>,
    spans: &[Span],
    incumbents: Option<&Winners>,
) -> Result<Vec<Race>, TuneError> {
    let mut races: Vec<Race> = Vec::new();
    let mut neighbour: Option<Recipe> = None;
    for (number, &span) in spans.iter().enumerate() {
        session.stage(&format!("race {span}"))?;
        let race = race(session, span, number, [incumbent(incumbents, span), neighbour.as_ref()])?;
        neighbour = confirmation::routine(&race.winner)?.leaves().first().cloned();
        races.push(race);
    }
    Ok(races)
}

/// The present winner for a class; where its classes are others, since a threshold was measured say, the one for the
/// middle of it.
fn incumbent(incumbents: Option<&Winners>, span: Span) -> Option<&Recipe> {
    let classes = &incumbents?.classes;
    let same = classes.iter().find(|winner| winner.span == span);
    let middle = offsets::middle(timed(span));
    same.or_else(|| classes.iter().find(|winner| winner.span.contains(middle))).map(|winner| &winner.recipe)
}

/// Races the candidates of the class with this number and notes who won, unless the record says so already. The incumbent and the
/// neighbouring class's choice are raced whatever the space holds.
fn race(
    session: &mut Session<'_>,
    span: Span,
    number: usize,
    [incumbent, neighbour]: [Option<&Recipe>; 2],
) -> Result<Race, TuneError> {
    let class = span.to_string();
    if let Some(race) = session.past.class(&class).and_then(|past| past.races.last()) {
        return Ok(race.clone());
    }
    let settings = session.settings(session.situations(span), &class, Use::Race);
    let mut judge = LiveJudge::new(&settings)?;
    let floor = session.floor(&mut judge, &class)?;
    let effort = session.options.effort;
    let (candidates, search_settings) = Asked {
        space: space(span, session.features, effort.breadth()),
        features: session.features,
        budget: effort.budget(span, &session.host.caches, session.allowance.class_seconds()),
        floor,
        seed: session.options.seed,
        starts: [incumbent, neighbour],
    }
    .of(span);
    let (found, refused) = {
        let door = Door::new(&session.admission, &session.journal, &session.past);
        let mut admit = |recipe: &Recipe| door.admit(&Routine::from(recipe.clone()));
        let mut recording = Recording::new(judge, &session.journal, &session.past, &class, Phase::Race);
        let deadline = session.allowance.class(number);
        let mut watch = Passing { observer: &mut *session.observer, span, door: &door, deadline };
        let found = search(&mut recording, &candidates, &search_settings, &mut watch, &mut admit);
        (found, door.close()?)
    };
    session.remember(refused);
    let found = found?;
    session.check()?;
    let race = result(session, span, &found, [incumbent, neighbour], floor)?;
    session.note(Entry::Race(race.clone()))?;
    Ok(race)
}

/// What decides which race a class gets.
pub(crate) struct Asked<'a> {
    /// The whole space of the class.
    pub space: Vec<Recipe>,
    /// What the processor has.
    pub features: Features,
    /// How much may be measured.
    pub budget: Budget,
    /// The noise floor.
    pub floor: f64,
    /// The seed.
    pub seed: u64,
    /// The incumbent and the neighbouring class's choice.
    pub starts: [Option<&'a Recipe>; 2],
}

impl Asked<'_> {
    /// The candidates of the race and how it is run.
    pub fn of(self, span: Span) -> (Vec<Recipe>, Settings) {
        let starts = self.starts.into_iter().flatten().filter_map(|start| start.with_span(span).ok()).collect();
        let candidates = affordable(self.space, self.budget.evaluations);
        let Asked { features, budget, floor, seed, .. } = self;
        let strategy = Strategy::Default;
        (candidates, Settings { strategy, features, rules: Rules::with_floor(floor), budget, seed, starts })
    }
}

/// The winner of what a search found and those it was chosen from; `None` when nobody could be timed.
pub(crate) fn chosen(
    found: &Found,
    floor: f64,
    code_bytes: &dyn Fn(&Routine) -> usize,
    [incumbent, neighbour]: [Option<&Recipe>; 2],
) -> Option<(Routine, Vec<Routine>)> {
    let shape = |recipe: Option<&Recipe>| recipe.map(|recipe| *recipe.shape());
    let standings: Vec<Standing> = found
        .eligible(margin(floor))
        .into_iter()
        .map(|ranked| {
            let routine = Routine::from(ranked.recipe.clone());
            Standing {
                code_bytes: code_bytes(&routine),
                routine,
                incumbent: shape(Some(&ranked.recipe)) == shape(incumbent),
                common: found.common.contains(&ranked.recipe),
                neighbour: shape(Some(&ranked.recipe)) == shape(neighbour),
            }
        })
        .collect();
    let winner = choose(&standings)?.routine.clone();
    Some((winner, standings.into_iter().map(|standing| standing.routine).collect()))
}

/// As many recipes as can be given some blocks each; of more, evenly spaced ones, the simplest first.
fn affordable(recipes: Vec<Recipe>, evaluations: u64) -> Vec<Recipe> {
    let most = (evaluations as usize / BLOCKS_A_CANDIDATE).max(8);
    let step = recipes.len().div_ceil(most).max(1);
    recipes.into_iter().step_by(step).collect()
}

fn result(
    session: &Session<'_>,
    span: Span,
    found: &Found,
    [incumbent, neighbour]: [Option<&Recipe>; 2],
    floor: f64,
) -> Result<Race, TuneError> {
    let class = span.to_string();
    let code_bytes = |routine: &Routine| session.admission.code_bytes(routine);
    let Some((winner, standings)) = chosen(found, floor, &code_bytes, [incumbent, neighbour]) else {
        let reason = found.rejected.first().map_or("none was tried", |(_, reason)| reason).to_owned();
        return Err(TuneError::NobodyLeft { class, reason });
    };
    let winner = winner.to_string();
    let samples = found.samples.iter().filter(|(recipe, _)| recipe.to_string() == winner);
    let samples: Vec<f64> = samples.flat_map(|(_, samples)| samples.iter().copied()).collect();
    Ok(Race {
        class,
        tied: standings.iter().map(Routine::to_string).filter(|tied| *tied != winner).collect(),
        winner,
        candidates: found.samples.len() as u32,
        refused: found.rejected.len() as u32,
        blocks: samples.len() as u32,
        log_ratio: trimmed_mean(&samples),
        noise_floor: floor,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_budget_thins_the_candidates_and_keeps_the_simplest() {
        let recipes =
            space("1025..=4096".parse().unwrap(), copysmith_kernels::Isa::Avx, super::super::Effort::Normal.breadth());
        let few = affordable(recipes.clone(), 400);
        assert!((8..=28).contains(&few.len()), "{}", few.len());
        assert_eq!(few[0], recipes[0]);
        assert_eq!(affordable(recipes.clone(), 1_000_000), recipes);
    }
}
