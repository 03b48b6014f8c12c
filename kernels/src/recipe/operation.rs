//! What a recipe does with its bytes when source and destination overlap: the first word of its text.

use super::RecipeError;
use std::fmt;
use std::str::FromStr;

/// What is promised about operands that overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// Nothing: the operands must not overlap, as for memcpy.
    Copy,
    /// Every destination byte becomes what its source byte was before, however the operands overlap, as for memmove.
    Move,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Operation; 2] = [Operation::Copy, Operation::Move];
}

/// `copy`, `move`
impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operation::Copy => "copy",
            Operation::Move => "move",
        })
    }
}

impl FromStr for Operation {
    type Err = RecipeError;

    fn from_str(text: &str) -> Result<Operation, RecipeError> {
        Operation::ALL.into_iter().find(|operation| operation.to_string() == text).ok_or_else(|| RecipeError::Word {
            word: text.to_owned(),
            allowed: "the operation: copy or move".to_owned(),
        })
    }
}
