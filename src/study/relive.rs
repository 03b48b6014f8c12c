//! A tune's races again, from its own record: the same questions, the recorded answers, and so the same winners.

use super::{Data, Noise, RecordedJudge, StudyError};
use crate::tune::{Asked, Effort, Options, chosen};
use copysmith_kernels::{Isa, Recipe, Routine, Target, X86_64};
use copysmith_search::space::{Features, space, space_hash};
use copysmith_search::strategy::search;
use copysmith_search::{Progress, Watch};
use serde::Serialize;
use std::time::Duration;

/// One class of a tune, raced again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Relived {
    /// The class.
    pub class: String,
    /// Who won the live race.
    pub live: String,
    /// Who wins now; `None` where nobody could be timed.
    pub replayed: Option<String>,
}

impl Relived {
    /// Whether it is the same.
    pub fn is_same(&self) -> bool {
        self.replayed.as_ref() == Some(&self.live)
    }
}

/// Races each class of a tune's record again. Incumbents are not in the record, so the record must be of a tune that had none.
///
/// # Errors
/// [`StudyError::Class`] where the data are no tune's, or a tune's of another version of the space.
pub fn relive(data: &Data) -> Result<Vec<Relived>, StudyError> {
    let options = options(data).ok_or_else(|| unlike("its effort is none of a tune's"))?;
    let raced: Vec<_> = data.classes.iter().filter(|class| class.race.is_some()).collect();
    let of = |isa| Features { isa, prefetchw: data.header.features.iter().any(|name| name == "prefetchw") };
    let hash = |features| {
        let recipes = raced.iter().flat_map(|class| space(class.span, features, options.effort.breadth()));
        space_hash(&recipes.collect::<Vec<Recipe>>())
    };
    // The record does not say which instruction set was asked for, but the space does.
    let features = Isa::ALL.into_iter().map(of).find(|&features| hash(features) == data.header.space.0);
    let features = features.ok_or_else(|| unlike("its space is not what this version makes of its classes"))?;
    let (caches, seconds) = (data.caches(), options.class_seconds(raced.len()));
    let mut neighbour: Option<Recipe> = None;
    let mut all = Vec::new();
    for class in raced {
        let live = class.race.as_ref().map(|race| race.winner.clone()).unwrap_or_default();
        let starts = [None, neighbour.as_ref()];
        let budget = options.effort.budget(class.span, &caches, seconds);
        let space = space(class.span, features, options.effort.breadth());
        let (candidates, settings) =
            Asked { space, features, budget, floor: class.noise_floor, seed: options.seed, starts }.of(class.span);
        let mut judge = RecordedJudge::new(class, Noise::Recorded, 0);
        let known = class.truths();
        let mut admit = |recipe: &Recipe| match known.contains_key(&recipe.to_string()) {
            true => Ok(()),
            false => Err("not in the data".to_owned()),
        };
        let recorded = class.kernels.iter().map(|kernel| kernel.samples.len()).sum();
        let Ok(found) = search(&mut judge, &candidates, &settings, &mut Recorded { left: recorded }, &mut admit);
        let winner = chosen(&found, class.noise_floor, &code_bytes, starts).map(|(winner, _)| winner);
        all.push(Relived {
            class: class.span.to_string(),
            replayed: winner.map(|winner| winner.to_string()),
            live: live.clone(),
        });
        neighbour = live.parse().ok().and_then(|live: Routine| live.leaves().first().cloned());
    }
    Ok(all)
}

/// Ends a search where the live one ended: its time may have been up.
struct Recorded {
    /// Samples not asked for yet.
    left: usize,
}

impl Watch for Recorded {
    fn block(&mut self, progress: &Progress<'_>) {
        self.left = self.left.saturating_sub(progress.samples.len());
    }

    fn more(&mut self) -> bool {
        self.left > 0
    }
}

/// How many bytes of code a routine has.
pub(super) fn code_bytes(routine: &Routine) -> usize {
    X86_64.emit(&routine.plan()).map_or(usize::MAX, |code| code.bytes.len())
}

/// What the tune was asked, from `quick in 1 s for gcc ...`.
fn options(data: &Data) -> Option<Options> {
    let mut words = data.header.effort.split(' ');
    let effort: Effort = words.next()?.parse().ok()?;
    let seconds = words.next().filter(|&word| word == "in").and_then(|_| words.next()?.parse().ok());
    Some(Options { effort, seed: data.header.seed, budget: seconds.map(Duration::from_secs_f64), ..Options::default() })
}

fn unlike(why: &str) -> StudyError {
    StudyError::Class { class: "any".to_owned(), why: format!("the data are no record of a tune: {why}") }
}
