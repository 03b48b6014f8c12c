//! Why a text or a combination of axis values is not a recipe.

use std::fmt;

/// Why a text or a combination of axis values is not a recipe. The message is one line and names the value and what
/// was allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecipeError {
    /// A value that its axis does not have.
    Value {
        /// The axis.
        axis: &'static str,
        /// The value given.
        value: String,
        /// What the axis takes.
        allowed: &'static str,
    },
    /// A word that is not where one of its kind may stand.
    Word {
        /// The word given.
        word: String,
        /// What may stand there.
        allowed: String,
    },
    /// Values that are valid alone and not together.
    Combination(String),
}

impl RecipeError {
    pub(crate) fn value(axis: &'static str, value: &str, allowed: &'static str) -> RecipeError {
        RecipeError::Value { axis, value: value.to_owned(), allowed }
    }
}

impl fmt::Display for RecipeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecipeError::Value { axis, value, allowed } => {
                write!(f, "{axis}={value} is not allowed; {axis} is {allowed}")
            }
            RecipeError::Word { word, allowed } if word.is_empty() => {
                write!(f, "the text ends where {allowed} is expected")
            }
            RecipeError::Word { word, allowed } => write!(f, "'{word}' is not allowed here; expected {allowed}"),
            RecipeError::Combination(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for RecipeError {}
