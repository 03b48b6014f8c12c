//! The text of a routine, and what makes leaves and cuts a routine.

use super::{Cut, FallsThrough, Routine};
use crate::recipe::{Operation, Recipe, RecipeError};
use std::fmt;
use std::str::FromStr;

/// Why a text, or leaves and cuts, are not a routine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RoutineError {
    /// There is no leaf.
    Empty,
    /// A leaf does not start where the one before it ends.
    Gap {
        /// The leaf that starts wrong.
        leaf: String,
        /// The length it should start with.
        expected: usize,
    },
    /// A leaf is a copy where the first one is a move, or the other way round.
    Operation {
        /// The leaf.
        leaf: String,
        /// What the first leaf is.
        expected: Operation,
    },
    /// The cuts are not the ends of the leaves.
    Cuts {
        /// The cuts given.
        given: String,
        /// The ends of all leaves but the last.
        expected: String,
    },
    /// A cut above what a compare instruction can hold.
    TooLarge {
        /// The cut.
        at: usize,
    },
    /// Sides of compares that are jumped to cannot be aligned so.
    AlignJumps {
        /// The alignment.
        align: u8,
    },
    /// A word between the cuts and the first leaf.
    Word(String),
    /// A leaf is no recipe.
    Leaf(RecipeError),
}

impl fmt::Display for RoutineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RoutineError::Empty => f.write_str("a routine needs at least one leaf"),
            RoutineError::Gap { leaf, expected } => write!(f, "leaf '{leaf}' must start at length {expected}"),
            RoutineError::Operation { leaf, expected } => {
                write!(
                    f,
                    "leaf '{leaf}' must be a {expected} like the first one; a routine is the same for every length"
                )
            }
            RoutineError::Cuts { given, expected } if expected.is_empty() => {
                write!(f, "cuts={given} is not allowed; a routine of one leaf has no cuts")
            }
            RoutineError::Cuts { given, expected } => {
                write!(f, "cuts={given} is not allowed; each of {expected} must stand there once")
            }
            RoutineError::TooLarge { at } => write!(f, "cut {at} is too large; at most {}", i32::MAX),
            RoutineError::AlignJumps { align } => {
                let allowed = list(&Routine::ALIGN_JUMPS);
                write!(f, "align-jumps={align} is not allowed; {allowed} are, and 1 alone where there are no cuts")
            }
            RoutineError::Word(word) => {
                write!(f, "'{word}' does not belong behind the cuts; align-jumps=16, say, does")
            }
            RoutineError::Leaf(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RoutineError {}

impl From<RecipeError> for RoutineError {
    fn from(error: RecipeError) -> RoutineError {
        RoutineError::Leaf(error)
    }
}

pub(super) fn check(cuts: &[Cut], leaves: &[Recipe]) -> Result<(), RoutineError> {
    if leaves.is_empty() {
        return Err(RoutineError::Empty);
    }
    let expected = leaves[0].operation();
    if let Some(leaf) = leaves.iter().find(|leaf| leaf.operation() != expected) {
        return Err(RoutineError::Operation { leaf: leaf.to_string(), expected });
    }
    for pair in leaves.windows(2) {
        let expected = pair[0].span().last().wrapping_add(1);
        if pair[1].span().first() != expected || expected == 0 {
            return Err(RoutineError::Gap { leaf: pair[1].to_string(), expected });
        }
    }
    let ends: Vec<usize> = leaves[..leaves.len() - 1].iter().map(|leaf| leaf.span().last()).collect();
    let mut given: Vec<usize> = cuts.iter().map(|cut| cut.at).collect();
    given.sort_unstable();
    if given != ends {
        return Err(RoutineError::Cuts { given: list(cuts), expected: list(&ends) });
    }
    match ends.last() {
        Some(&at) if at > i32::MAX as usize => Err(RoutineError::TooLarge { at }),
        _ => Ok(()),
    }
}

/// What stands behind the cuts.
fn align_jumps(word: &str) -> Result<u8, RoutineError> {
    let align = word.strip_prefix("align-jumps=").and_then(|align| align.parse().ok());
    align.ok_or_else(|| RoutineError::Word(word.to_owned()))
}

fn list<T: fmt::Display>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

impl fmt::Display for Routine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [only] = &self.leaves[..] {
            return only.fmt(f);
        }
        write!(f, "cuts={}", list(&self.cuts))?;
        if self.align_jumps > 1 {
            write!(f, " align-jumps={}", self.align_jumps)?;
        }
        self.leaves.iter().try_for_each(|leaf| write!(f, " | {leaf}"))
    }
}

impl FromStr for Routine {
    type Err = RoutineError;

    fn from_str(text: &str) -> Result<Routine, RoutineError> {
        let Some(cuts) = text.trim_start().strip_prefix("cuts=") else {
            return Ok(Routine::from(text.parse::<Recipe>()?));
        };
        let mut parts = cuts.split('|');
        let mut words = parts.next().unwrap_or("").split_whitespace();
        let cuts = words.next().unwrap_or("");
        let align = words.next().map_or(Ok(1), align_jumps)?;
        if let Some(word) = words.next() {
            return Err(RoutineError::Word(word.to_owned()));
        }
        let leaves = parts.map(str::parse).collect::<Result<Vec<Recipe>, _>>()?;
        let parsed = cuts.split(',').map(cut).collect::<Option<Vec<Cut>>>();
        let parsed = parsed.ok_or_else(|| RoutineError::Cuts {
            given: cuts.to_owned(),
            expected: "the leaves' last lengths, with > where the larger ones fall through,".to_owned(),
        })?;
        Routine::new(parsed, leaves)?.with_align_jumps(align)
    }
}

fn cut(text: &str) -> Option<Cut> {
    match text.strip_suffix('>') {
        Some(at) => Some(Cut { at: at.parse().ok()?, falls: FallsThrough::Above }),
        None => Some(Cut { at: text.parse().ok()?, falls: FallsThrough::AtMost }),
    }
}
