//! The search space: the recipes of one operation and span, simplest first, and the neighbours of one recipe.
//!
//! Values and shapes are tried blindly and [`Recipe::new`] says which of them are recipes, so the rules of validity
//! stand in one place. What is tried is bounded by the lists in `values.rs`; each breadth contains the one before it.

mod axes;
mod loops;
mod neighbours;
mod short;
mod values;

pub use axes::{AXES, axes};
pub use neighbours::neighbours;

use copysmith_kernels::recipe::{Operation, Shape};
use copysmith_kernels::{Isa, Recipe, Span};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// What the processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Features {
    /// The largest instruction set.
    pub isa: Isa,
    /// Whether `prefetchw` is there: a feature of its own.
    pub prefetchw: bool,
}

impl Features {
    /// Whether a recipe needs nothing else.
    pub fn allow(&self, recipe: &Recipe) -> bool {
        recipe.isa() <= self.isa && (self.prefetchw || !recipe.shape().prefetches_for_write())
    }
}

/// Without `prefetchw`.
impl From<Isa> for Features {
    fn from(isa: Isa) -> Features {
        Features { isa, prefetchw: false }
    }
}

/// How much of the space is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Breadth {
    /// The values that usually win, one at a time: at most 80 recipes.
    Quick,
    /// Those in pairs, and more values one at a time: at most 400 (150 to 400 for spans above 64 bytes).
    Normal,
    /// More values in pairs: at most 1500.
    Patient,
    /// Every documented value of every axis one at a time, and pairs: at most 8000.
    All,
}

impl Breadth {
    /// Every breadth, narrowest first.
    pub const ALL: [Breadth; 4] = [Breadth::Quick, Breadth::Normal, Breadth::Patient, Breadth::All];

    /// Most recipes a space of this breadth has.
    pub const fn most(self) -> usize {
        match self {
            Breadth::Quick => 80,
            Breadth::Normal => 400,
            Breadth::Patient => 1500,
            Breadth::All => 8000,
        }
    }
}

/// `quick`, `normal`, `patient`, `all`
impl fmt::Display for Breadth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Breadth::Quick => "quick",
            Breadth::Normal => "normal",
            Breadth::Patient => "patient",
            Breadth::All => "all",
        })
    }
}

impl FromStr for Breadth {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Breadth, UnknownWord> {
        UnknownWord::find("breadth", text, &Breadth::ALL)
    }
}

/// A word that is none of those a setting takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownWord {
    /// The setting.
    pub setting: &'static str,
    /// The word given.
    pub word: String,
    /// The words it takes.
    pub allowed: Vec<String>,
}

impl UnknownWord {
    /// The value of a setting whose text is the word.
    ///
    /// # Errors
    /// That it is none of `all`.
    pub fn find<T: Copy + fmt::Display>(setting: &'static str, word: &str, all: &[T]) -> Result<T, UnknownWord> {
        all.iter().copied().find(|value| value.to_string() == word).ok_or_else(|| UnknownWord {
            setting,
            word: word.to_owned(),
            allowed: all.iter().map(T::to_string).collect(),
        })
    }
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={} is not allowed; one of {}", self.setting, self.word, self.allowed.join(" "))
    }
}

impl std::error::Error for UnknownWord {}

/// The recipes that copy `span` on a processor with these features: [`space_of`] copies.
///
/// Short spans (up to 32 bytes) have pairs, chains, branch-free, masked, computed and jump-table shapes; longer ones pairs,
/// computed moves and loops; from 4 KiB on also string moves of every kind, non-temporal stores, streams and
/// prefetches. `All` leaves no shape out anywhere.
///
/// ```
/// use copysmith_kernels::Isa;
/// use copysmith_search::space::{Breadth, space};
/// let recipes = space("17..=32".parse().unwrap(), Isa::Sse2, Breadth::Quick);
/// assert_eq!(recipes[0].to_string(), "copy 17..=32 pairs width=sse16");
/// ```
pub fn space(span: Span, features: impl Into<Features>, breadth: Breadth) -> Vec<Recipe> {
    space_of(Operation::Copy, span, features, breadth)
}

/// The recipes that copy or move `span` on a processor with these features, each once, in the order of [`simpler`].
///
/// Moves have the short shapes of copies, and narrow vector widths with them; loops that load their heads and tails early, of at most 8
/// moves a turn; and for large spans what wants disjoint operands, with its plain twin behind a guard.
///
/// ```
/// use copysmith_kernels::{Isa, recipe::Operation};
/// use copysmith_search::space::{Breadth, space_of};
/// let recipes = space_of(Operation::Move, "257..=1024".parse().unwrap(), Isa::Avx, Breadth::Quick);
/// let aligned = "move 257..=1024 loop width=avx32 unroll=4 align=dst:32:early tail=early".parse().unwrap();
/// assert!(recipes.contains(&aligned));
/// ```
pub fn space_of(operation: Operation, span: Span, features: impl Into<Features>, breadth: Breadth) -> Vec<Recipe> {
    let features = features.into();
    let mut chosen = BTreeSet::new();
    for level in Breadth::ALL.into_iter().filter(|&level| level <= breadth) {
        let singles = short::shapes(operation, span, level).chain(loops::singles(operation, span, level));
        // When there are more than a breadth takes, pairs are the first to be left out, evenly over their order, so that
        // no width and no axis goes without.
        for shapes in [singles.collect::<Vec<Shape>>(), loops::pairs(operation, span, level).collect()] {
            let recipes = shapes.into_iter().filter_map(|shape| Recipe::of(operation, span, shape).ok());
            let more: BTreeSet<Recipe> =
                recipes.filter(|recipe| features.allow(recipe) && !chosen.contains(recipe)).collect();
            let room = level.most().saturating_sub(chosen.len());
            chosen.extend(thinned(ordered(more), room));
        }
    }
    ordered(chosen)
}

fn ordered(recipes: BTreeSet<Recipe>) -> Vec<Recipe> {
    let mut recipes: Vec<Recipe> = recipes.into_iter().collect();
    recipes.sort_by_cached_key(simplicity);
    recipes
}

/// At most `most` of the items, evenly spaced, the first among them, in their order.
pub(crate) fn thinned<T>(items: Vec<T>, most: usize) -> Vec<T> {
    let count = items.len();
    if count <= most {
        return items;
    }
    // The item at `index` is the first of its share of `count / most` items.
    let first_of_share = |index: usize| (index * most).div_ceil(count) * count / most.max(1) == index;
    let kept = items.into_iter().enumerate().filter(|&(index, _)| first_of_share(index)).take(most);
    kept.map(|(_, item)| item).collect()
}

/// The order of a space: the recipe whose canonical text has fewer words first, since an axis at its default is left out
/// of it; then by shape, width and the other axes in the order in which their types list them.
pub fn simpler(a: &Recipe, b: &Recipe) -> Ordering {
    simplicity(a).cmp(&simplicity(b))
}

fn simplicity(recipe: &Recipe) -> (usize, Recipe) {
    (recipe.to_string().split(' ').count(), recipe.clone())
}

/// A hash of a space, for records: two searches of the same operation, span, features and breadth are comparable when it is the same.
///
/// [`lasting_hash`] of the canonical texts, each followed by a line feed.
pub fn space_hash(recipes: &[Recipe]) -> u64 {
    lasting_hash(recipes.iter().flat_map(|recipe| format!("{recipe}\n").into_bytes()))
}

/// A hash for records: FNV-1a (Fowler, Noll and Vo; 64 bits) of these bytes.
///
/// The standard library's hashers promise nothing from one release to the next; this one is two lines and fixed for good. It finds
/// what has changed; it is no protection against what is made to collide.
pub fn lasting_hash(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, fold)
}

#[cfg(test)]
mod tests;
