//! A routine: a whole function, made of a tree of compares and a recipe at each leaf, emitted as one piece of code.
//!
//! A kernel is a routine with one leaf. The canonical text of a kernel is its recipe's text; that of a larger routine
//! names the compares in the order in which the tree is built, then the leaves:
//!
//! ```text
//! cuts=64,32>,7 | copy 0..=7 branch-free width=4 | copy 8..=32 computed width=8 moves=4 | copy 33..=64 ... | copy 65.. ...
//! ```
//!
//! With `align-jumps=16` after the cuts, the side of each compare that only a jump leads to starts at a multiple of 16 bytes, as compilers
//! do it by an option of that name: where a leaf lies in its cache lines decides by itself about a sixth of its time.
//!
//! A cut `64` compares the length with 64 and falls through where it is at most 64; `64>` falls through where it is above.
//! The first cut is the root; every later one goes below the earlier ones, to the side on which it lies. Several orders make the
//! same tree; the canonical one names a cut, then all cuts below it, then all above it.

mod text;

use crate::Span;
use crate::recipe::{Isa, Operation, Recipe};
use std::fmt;

pub use text::RoutineError;

/// Which side of a compare is laid out next to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FallsThrough {
    /// Lengths up to the cut.
    AtMost,
    /// Lengths above the cut.
    Above,
}

/// One compare of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cut {
    /// The largest length of the lower side.
    pub at: usize,
    /// Which side is not jumped to.
    pub falls: FallsThrough,
}

/// A whole copy or move function.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Routine {
    cuts: Vec<Cut>,
    align_jumps: u8,
    leaves: Vec<Recipe>,
}

impl Routine {
    /// A routine of the leaves, in order of their spans, reached through the cuts.
    ///
    /// # Errors
    /// [`RoutineError`] where the leaves leave a gap or overlap or are not all copies or all moves, or the cuts are not exactly the ends of all leaves but the last.
    pub fn new(cuts: Vec<Cut>, leaves: Vec<Recipe>) -> Result<Routine, RoutineError> {
        text::check(&cuts, &leaves)?;
        Ok(Routine { cuts: preorder(&cuts), align_jumps: 1, leaves })
    }

    /// The same with the side of each compare that is jumped to at a multiple of `align` bytes; 1 is anywhere.
    ///
    /// # Errors
    /// [`RoutineError::AlignJumps`] where `align` is not in [`Routine::ALIGN_JUMPS`], or where there is no compare to jump at.
    pub fn with_align_jumps(self, align: u8) -> Result<Routine, RoutineError> {
        let is_possible = Routine::ALIGN_JUMPS.contains(&align) && (align == 1 || !self.cuts.is_empty());
        if is_possible { Ok(Routine { align_jumps: align, ..self }) } else { Err(RoutineError::AlignJumps { align }) }
    }

    /// The alignments that jumped-to sides of compares can have, in bytes.
    pub const ALIGN_JUMPS: [u8; 4] = [1, 16, 32, 64];

    /// The alignment of the sides of compares that are jumped to, in bytes.
    pub fn align_jumps(&self) -> u8 {
        self.align_jumps
    }

    /// A routine whose compares test the smallest boundary first and fall through to the smaller lengths.
    ///
    /// # Errors
    /// As [`Routine::new`].
    pub fn ascending(leaves: Vec<Recipe>) -> Result<Routine, RoutineError> {
        let ends = leaves.iter().map(|leaf| leaf.span().last());
        let mut cuts: Vec<Cut> = ends.map(|at| Cut { at, falls: FallsThrough::AtMost }).collect();
        cuts.pop();
        Routine::new(cuts, leaves)
    }

    /// The compares, root first.
    pub fn cuts(&self) -> &[Cut] {
        &self.cuts
    }

    /// The leaves, in order of their lengths.
    pub fn leaves(&self) -> &[Recipe] {
        &self.leaves
    }

    /// What it promises about operands that overlap: what each of its leaves does.
    pub fn operation(&self) -> Operation {
        self.leaves[0].operation()
    }

    /// Every length it copies.
    pub fn span(&self) -> Span {
        let first = self.leaves[0].span().first();
        let last = self.leaves[self.leaves.len() - 1].span().last();
        Span::new(first, last).expect("leaves are in order")
    }

    /// The least instruction set it needs.
    pub fn isa(&self) -> Isa {
        self.leaves.iter().map(Recipe::isa).max().unwrap_or(Isa::Sse2)
    }
}

/// The same tree with each cut before those on its lower side, and those before the ones on its upper side.
fn preorder(cuts: &[Cut]) -> Vec<Cut> {
    let Some((root, rest)) = cuts.split_first() else { return Vec::new() };
    let (below, above): (Vec<Cut>, Vec<Cut>) = rest.iter().partition(|cut| cut.at < root.at);
    std::iter::once(*root).chain(preorder(&below)).chain(preorder(&above)).collect()
}

impl From<Recipe> for Routine {
    fn from(recipe: Recipe) -> Routine {
        Routine { cuts: Vec::new(), align_jumps: 1, leaves: vec![recipe] }
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.at, if self.falls == FallsThrough::Above { ">" } else { "" })
    }
}
