//! Strategies: which recipes of a space are raced against each other, and in which order.
//!
//! ```text
//! strategy      races
//! exhaustive    one of everything, nobody leaves before the last block
//! random        heats of a random order of the space
//! annealing     a walk to near recipes, a few at a time, uphill less and less readily
//! evolutionary  children of the fastest, axis by axis from one parent or the other
//! surrogate     what a random forest thinks fastest of what has not been timed
//! by-axis       every value of one axis, then of the next, from the best so far
//! local         hill climbs from random starts, each step a race with all neighbours
//! racing        one of everything, the slow leave early
//! default       one of everything, then the neighbours of its leaders, then the leaders and
//!               the simplest ties of the first race alone
//! ```
//!
//! All share one driver: a candidate is proved and gated by the caller before it is ever timed, and the leaders of every
//! race are carried into the next, since only contestants of the same blocks can be compared. Given the seed and the
//! judge's answers, a search is determined.

mod annealing;
mod by_axis;
mod evolutionary;
mod exhaustive;
mod field;
mod glance;
mod local;
mod pool;
mod racing;
mod random;
mod ranking;
mod refine;
mod surrogate;

pub use ranking::{Found, Ranked, WORTH};

use crate::race::Rules;
use crate::space::{Breadth, Features, UnknownWord};
use crate::{Judge, Watch};
use copysmith_kernels::Recipe;
use field::Field;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::fmt;
use std::str::FromStr;

/// How a space is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Strategy {
    /// A broad race, then the neighbours of its leaders.
    #[default]
    Default,
    /// A broad race.
    Racing,
    /// Hill climbs from several starts.
    Local,
    /// Heats in random order: what the others have to beat.
    Random,
    /// A walk that goes uphill less and less readily.
    Annealing,
    /// Children of the fastest.
    Evolutionary,
    /// What a random forest thinks fastest.
    Surrogate,
    /// One axis at a time.
    ByAxis,
    /// Everything, in every block: the truth, if there is time for it.
    Exhaustive,
}

impl Strategy {
    /// Every strategy, the default first.
    pub const ALL: [Strategy; 9] = [
        Strategy::Default,
        Strategy::Racing,
        Strategy::Local,
        Strategy::Random,
        Strategy::Annealing,
        Strategy::Evolutionary,
        Strategy::Surrogate,
        Strategy::ByAxis,
        Strategy::Exhaustive,
    ];
}

/// `default`, `racing`, `local`, `random`, `annealing`, `evolutionary`, `surrogate`, `by-axis`, `exhaustive`
impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Strategy::Default => "default",
            Strategy::Racing => "racing",
            Strategy::Local => "local",
            Strategy::Random => "random",
            Strategy::Annealing => "annealing",
            Strategy::Evolutionary => "evolutionary",
            Strategy::Surrogate => "surrogate",
            Strategy::ByAxis => "by-axis",
            Strategy::Exhaustive => "exhaustive",
        })
    }
}

impl FromStr for Strategy {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Strategy, UnknownWord> {
        UnknownWord::find("strategy", text, &Strategy::ALL)
    }
}

/// How much may be measured. Wall time is the caller's: [`Watch::more`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Samples in all: one contestant in one block is one.
    pub evaluations: u64,
    /// Blocks of any one race.
    pub blocks: usize,
}

impl Budget {
    /// What a space of this breadth deserves: at 50 microseconds a sample about one second, ten, one minute, and ten.
    pub const fn of(breadth: Breadth) -> Budget {
        match breadth {
            Breadth::Quick => Budget { evaluations: 20_000, blocks: 60 },
            Breadth::Normal => Budget { evaluations: 200_000, blocks: 120 },
            Breadth::Patient => Budget { evaluations: 1_200_000, blocks: 240 },
            Breadth::All => Budget { evaluations: 12_000_000, blocks: 600 },
        }
    }
}

/// What a search is to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How the space is searched.
    pub strategy: Strategy,
    /// What the processor has: neighbours may need no more.
    pub features: Features,
    /// When races look, and what they call equal.
    pub rules: Rules,
    /// How much may be measured.
    pub budget: Budget,
    /// Seed of every random choice; the default, racing and exhaustive strategies make none.
    pub seed: u64,
    /// Recipes that are raced whatever the strategy draws: the incumbent, and the shape of the neighbouring span.
    pub starts: Vec<Recipe>,
}

/// Searches a space, given in the order of [`simpler`](crate::space::simpler), for the recipes nobody in it beats.
///
/// `admit` is asked once for each candidate before it is timed, and may refuse it with a reason. A refused candidate, and
/// one that fails while it is timed, is a row of [`Found::rejected`].
///
/// # Errors
/// The judge's own. The blocks until then have been shown to `watch`.
///
/// ```
/// use copysmith_kernels::{Isa, Routine};
/// use copysmith_search::race::Rules;
/// use copysmith_search::simulator::{Noise, Simulator};
/// use copysmith_search::space::{Breadth, space};
/// use copysmith_search::strategy::{Budget, Settings, Strategy, search};
///
/// // A machine on which everything with the computed shape is ten per cent faster than the reference.
/// let truth = |routine: &Routine| if routine.to_string().contains("computed") { -0.1 } else { 0.0 };
/// let mut judge = Simulator::new(1, Noise::realistic(0.01), truth);
/// let settings = Settings {
///     strategy: Strategy::Default,
///     features: Isa::Sse2.into(),
///     rules: Rules::with_floor(0.005),
///     budget: Budget::of(Breadth::Quick),
///     seed: 1,
///     starts: Vec::new(),
/// };
/// let recipes = space("8..=32".parse().unwrap(), Isa::Sse2, Breadth::Quick);
/// let found = search(&mut judge, &recipes, &settings, &mut (), &mut |_| Ok(())).unwrap();
/// assert!(found.ties().all(|ranked| ranked.recipe.to_string().contains("computed")));
/// ```
pub fn search<J: Judge>(
    judge: &mut J,
    space: &[Recipe],
    settings: &Settings,
    watch: &mut dyn Watch,
    admit: &mut dyn FnMut(&Recipe) -> Result<(), String>,
) -> Result<Found, J::Error> {
    let mut field = Field::new(judge, settings, watch, admit);
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
    match settings.strategy {
        Strategy::Default => refine::run(&mut field, space)?,
        Strategy::Racing => racing::run(&mut field, space)?,
        Strategy::Local => local::run(&mut field, space, &mut rng)?,
        Strategy::Random => random::run(&mut field, space, &mut rng)?,
        Strategy::Annealing => annealing::run(&mut field, space, &mut rng)?,
        Strategy::Evolutionary => evolutionary::run(&mut field, space, &mut rng)?,
        Strategy::Surrogate => surrogate::run(&mut field, space, &mut rng)?,
        Strategy::ByAxis => by_axis::run(&mut field, space, &mut rng)?,
        Strategy::Exhaustive => exhaustive::run(&mut field, space)?,
    }
    Ok(field.found())
}
