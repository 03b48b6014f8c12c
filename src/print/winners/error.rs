//! Why a text is not winners.

use copysmith_kernels::{Isa, Span};
use std::fmt;

/// Why a text is not winners, or winners contradict themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WinnersError {
    /// The file is of a version that this program does not know.
    Schema(u32),
    /// The text is not of the form; says where.
    Json(String),
    /// The machine's name cannot be a file name and a module.
    Machine(String),
    /// A class and its recipe are for different lengths.
    Span {
        /// The class.
        span: Span,
        /// The recipe.
        recipe: String,
    },
    /// The classes leave out lengths or copy some twice.
    Cover {
        /// Where.
        found: String,
        /// The length that should have come next; `None` where there was none left.
        expected: Option<usize>,
    },
    /// The routine does not copy every length.
    Routine(
        /// What it copies.
        Span,
    ),
    /// A recipe needs more than the choice was made from.
    Isa {
        /// The recipe or routine.
        text: String,
        /// What it needs.
        needs: Isa,
        /// What there was.
        has: Isa,
    },
    /// A ratio that is no ratio, or lies outside its interval.
    Evidence {
        /// The recipe or routine.
        text: String,
        /// The evidence.
        evidence: String,
    },
}

impl fmt::Display for WinnersError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WinnersError::Schema(found) => {
                write!(f, "winners of schema {found} are not understood; this program knows schema {}", super::SCHEMA)
            }
            WinnersError::Json(why) => write!(f, "these are not winners: {why}"),
            WinnersError::Machine(name) => super::super::PrintError::Machine(name.clone()).fmt(f),
            WinnersError::Span { span, recipe } => write!(f, "class {span} has a recipe for other lengths: '{recipe}'"),
            WinnersError::Cover { found, expected: Some(next) } => {
                write!(f, "the classes must copy every length once and in order: expected length {next}, found {found}")
            }
            WinnersError::Cover { found, expected: None } => {
                write!(f, "the classes must copy every length once and in order: nothing is left for {found}")
            }
            WinnersError::Routine(span) => write!(f, "the routine must copy every length, this one copies {span}"),
            WinnersError::Isa { text, needs, has } => {
                write!(f, "'{text}' needs {needs}; these winners were chosen from {has}")
            }
            WinnersError::Evidence { text, evidence } => {
                write!(f, "'{text}' rests on {evidence}; needed are 0 < low <= ratio <= high, all finite, and a block")
            }
        }
    }
}

impl std::error::Error for WinnersError {}
