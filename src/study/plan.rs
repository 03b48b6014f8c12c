//! What a study measures: which kernels of which classes, how often, and which share of them.

use crate::host::Host;
use crate::record::{Fingerprint, Header};
use crate::tune::{Effort, Options, features, header};
use copysmith_kernels::{Isa, Recipe, Span};
use copysmith_search::space::{Breadth, space, space_hash};
use rand::SeedableRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;
use std::fmt;
use std::str::FromStr;

/// Kernels that are timed in the same blocks: few enough that the reference, timed first and last, stands for all of them.
const TOGETHER: usize = 48;

/// Which kernels of a space are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Every one.
    Exhaustive,
    /// So many of each class, drawn by the seed, the simplest always among them.
    Sample(usize),
}

/// Number `index` (from 1) of `of` parts, each measured by a process of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    of: usize,
}

impl Shard {
    /// All of it.
    pub const WHOLE: Shard = Shard { index: 1, of: 1 };

    /// Its number, from 1.
    pub const fn index(self) -> usize {
        self.index
    }

    /// The name of its directory among the others'; `None` where it is the whole.
    pub fn folder(self) -> Option<String> {
        self.is_part().then(|| format!("shard-{}-of-{}", self.index, self.of))
    }

    /// Whether it is one of several.
    pub const fn is_part(self) -> bool {
        self.of > 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        let shard = parts.map(|(index, of)| Shard { index, of }).filter(|shard| (1..=shard.of).contains(&shard.index));
        shard.ok_or_else(|| format!("'{text}' is no shard; I/N with I from 1 to N, as 3/8"))
    }
}

/// What a study measures.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The space, by its breadth.
    pub space: Breadth,
    /// The size classes.
    pub classes: Vec<Span>,
    /// Which kernels of the space.
    pub choice: Choice,
    /// How many samples each kernel gets, one a block.
    pub blocks: usize,
    /// Which part is measured here.
    pub shard: Shard,
    /// Seed of everything drawn.
    pub seed: u64,
    /// The CPU to time on; the highest-numbered one allowed by default.
    pub cpu: Option<usize>,
    /// The largest instruction set, instead of what the processor has.
    pub isa: Option<Isa>,
}

impl Plan {
    /// The kernels of one class, in the order of [`simpler`](copysmith_search::space::simpler), whatever the shard.
    pub fn recipes(&self, host: &Host, class: Span) -> Vec<Recipe> {
        let all = space(class, features(&host.cpu.features, self.isa), self.space);
        match self.choice {
            Choice::Sample(most) if most < all.len() => {
                let mut places: Vec<usize> = (1..all.len()).collect();
                places = places.sample(&mut self.rng(class), most.saturating_sub(1)).copied().collect();
                places.push(0);
                places.sort_unstable();
                places.truncate(most);
                places.into_iter().map(|place| all[place].clone()).collect()
            }
            Choice::Exhaustive | Choice::Sample(_) => all,
        }
    }

    /// Those of this shard, in groups that are timed together. Groups are drawn, so that none holds all of one kind, and are the same
    /// whatever the number of shards.
    pub(super) fn groups(&self, host: &Host, class: Span) -> Vec<Vec<Recipe>> {
        let mut recipes = self.recipes(host, class);
        recipes.shuffle(&mut self.rng(class));
        let groups = recipes.chunks(TOGETHER).map(<[Recipe]>::to_vec).enumerate();
        let ours = |number: usize| number % self.shard.of == self.shard.index - 1;
        groups.filter(|&(number, _)| ours(number)).map(|(_, group)| group).collect()
    }

    /// The identity of the data: the same for every shard, so that only shards of one study can be merged.
    pub fn header(&self, host: &Host) -> Header {
        let Plan { seed, cpu, isa, .. } = *self;
        let options = Options { effort: Effort::Quick, seed, cpu, isa, ..Options::default() };
        let recipes: Vec<Recipe> = self.classes.iter().flat_map(|&class| self.recipes(host, class)).collect();
        let choice = match self.choice {
            Choice::Exhaustive => "every kernel".to_owned(),
            Choice::Sample(most) => format!("{most} kernels a class"),
        };
        let effort = format!("study of {}, {choice}, {} blocks, {TOGETHER} together", self.space, self.blocks);
        Header { space: Fingerprint(space_hash(&recipes)), effort, ..header(host, &options, &[]) }
    }

    fn rng(&self, class: Span) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        // A stream of its own for each class: adding a class changes no other.
        rng.set_stream(class.first() as u64 ^ (class.last() as u64).rotate_left(32));
        rng
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::collections::BTreeSet;

    pub(crate) fn plan(choice: Choice) -> Plan {
        let classes = vec!["129..=256".parse().unwrap(), "257..=512".parse().unwrap()];
        let (shard, seed) = (Shard::WHOLE, 3);
        Plan { space: Breadth::Normal, classes, choice, blocks: 8, shard, seed, cpu: None, isa: Some(Isa::Sse2) }
    }

    #[test]
    fn shards_are_the_whole_once_in_the_same_groups() {
        let (host, whole) = (Host::read(), plan(Choice::Exhaustive));
        let class = whole.classes[0];
        let part = |index| Plan { shard: Shard { index, of: 3 }, ..whole.clone() };
        let mut groups: Vec<Vec<Recipe>> = (1..=3).flat_map(|index| part(index).groups(&host, class)).collect();
        let mut expected = whole.groups(&host, class);
        assert!(expected.len() > 1);
        groups.sort();
        expected.sort();
        assert_eq!(groups, expected);
        assert_eq!(part(2).header(&host), whole.header(&host));
    }

    #[test]
    fn a_sample_has_as_many_as_asked_for_and_the_simplest_and_is_another_for_another_seed() {
        let host = Host::read();
        let whole: BTreeSet<Recipe> =
            plan(Choice::Exhaustive).recipes(&host, "129..=256".parse().unwrap()).into_iter().collect();
        let sample = plan(Choice::Sample(20));
        let drawn = sample.recipes(&host, sample.classes[0]);
        assert_eq!(drawn.iter().collect::<BTreeSet<_>>().len(), 20);
        assert!(drawn.iter().all(|recipe| whole.contains(recipe)));
        assert_eq!(drawn[0], plan(Choice::Exhaustive).recipes(&host, sample.classes[0])[0]);
        assert_ne!(drawn, Plan { seed: 4, ..sample.clone() }.recipes(&host, sample.classes[0]));
        assert_ne!(sample.header(&host).space, plan(Choice::Exhaustive).header(&host).space);
    }

    #[test]
    fn what_is_no_shard_is_told_how_to_write_one() {
        assert_eq!("3/8".parse::<Shard>().unwrap().to_string(), "3/8");
        for wrong in ["0/3", "4/3", "1", "a/b", "", "1/0", "-1/2"] {
            assert!(wrong.parse::<Shard>().unwrap_err().contains("I/N with I from 1 to N"), "{wrong}");
        }
    }
}
