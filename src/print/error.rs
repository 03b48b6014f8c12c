//! Why winners cannot be printed.

use super::winners::WinnersError;
use copysmith_kernels::Unsupported;
use std::fmt;

/// Why winners cannot be printed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PrintError {
    /// The winners contradict themselves.
    Winners(WinnersError),
    /// A list of tables names a machine that cannot be a module.
    Machine(String),
    /// Tables are not printed for this instruction set.
    Target(&'static str),
    /// A routine has no code.
    Emit {
        /// The routine or recipe.
        text: String,
        /// What is missing.
        why: Unsupported,
    },
    /// The disassembly of a routine skips bytes or invents some, so it cannot be printed line by line.
    Listing {
        /// The routine or recipe.
        text: String,
        /// Where the listing leaves the code, in bytes from the entry.
        offset: usize,
    },
}

impl fmt::Display for PrintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrintError::Winners(error) => error.fmt(f),
            PrintError::Machine(name) => write!(
                f,
                "'{name}' is not a machine; a machine is lower-case letters, digits and single dashes between them, \
                 and starts with a letter"
            ),
            PrintError::Target(name) => write!(f, "tables are printed for x86-64, not for {name}"),
            PrintError::Emit { text, why } => write!(f, "'{text}' has no code: {why}"),
            PrintError::Listing { text, offset } => {
                write!(f, "the listing of '{text}' departs from its code at offset {offset:#x}")
            }
        }
    }
}

impl std::error::Error for PrintError {}

impl From<WinnersError> for PrintError {
    fn from(error: WinnersError) -> PrintError {
        PrintError::Winners(error)
    }
}
