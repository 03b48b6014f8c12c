//! A judge that answers from data: the same seam as the live clock's, and no clock.

use super::Class;
use copysmith_kernels::{Recipe, Routine};
use copysmith_search::space::UnknownWord;
use copysmith_search::{Judge, Sample};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

/// What a question is answered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Noise {
    /// A recorded sample, drawn anew for each block; kernels that shared a block share it in the replay too.
    Resampled,
    /// What the kernel truly takes, always: the mean of all its samples.
    Free,
    /// The recorded samples one after the other, as they were measured: the run they come from, again.
    Recorded,
}

impl Noise {
    /// Every kind, in the order of the help.
    pub const ALL: [Noise; 3] = [Noise::Resampled, Noise::Free, Noise::Recorded];
}

/// `resampled`, `free`, `recorded`
impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Noise::Resampled => "resampled",
            Noise::Free => "free",
            Noise::Recorded => "recorded",
        })
    }
}

impl FromStr for Noise {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Noise, UnknownWord> {
        UnknownWord::find("noise", text, &Noise::ALL)
    }
}

/// The judge of one class.
#[derive(Debug)]
pub struct RecordedJudge<'a> {
    class: &'a Class,
    places: BTreeMap<&'a Recipe, usize>,
    noise: Noise,
    rng: ChaCha8Rng,
    /// How often each kernel was asked for.
    asked: Vec<usize>,
}

impl<'a> RecordedJudge<'a> {
    /// A judge that answers for every kernel of a class; the seed decides what is drawn.
    pub fn new(class: &'a Class, noise: Noise, seed: u64) -> RecordedJudge<'a> {
        let kernels = class.kernels.iter().enumerate();
        RecordedJudge {
            class,
            places: kernels.map(|(place, kernel)| (&kernel.recipe, place)).collect(),
            noise,
            rng: ChaCha8Rng::seed_from_u64(seed),
            asked: vec![0; class.kernels.len()],
        }
    }
}

impl Judge for RecordedJudge<'_> {
    type Error = Infallible;

    fn block(&mut self, contestants: &[Routine]) -> Result<Vec<Sample>, Infallible> {
        // One draw for all: blocks of one group are the same blocks, in the same order, for everyone in it.
        let draw = self.rng.random::<f64>();
        let mut answer = |routine: &Routine| {
            let recipe = routine.leaves().first().filter(|_| routine.leaves().len() == 1);
            let Some(&place) = recipe.and_then(|recipe| self.places.get(recipe)) else {
                return Sample::Failed("not in the data".to_owned());
            };
            let kernel = &self.class.kernels[place];
            let count = kernel.samples.len();
            let asked = self.asked[place];
            self.asked[place] += 1;
            Sample::LogRatio(match self.noise {
                Noise::Free => kernel.truth,
                Noise::Resampled => kernel.samples[((draw * count as f64) as usize).min(count - 1)],
                Noise::Recorded => kernel.samples[asked % count],
            })
        };
        Ok(contestants.iter().map(&mut answer).collect())
    }
}
