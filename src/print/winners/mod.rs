//! Winners: one recipe a length class and the routine made of them, for one machine. The source of truth of a table.
//!
//! Kept as JSON in `tuned/record/<machine>/winners`, pretty-printed in the order of the fields here, so that a change of
//! one choice is a change of its lines.

mod error;
mod evidence;
mod provenance;

pub use error::WinnersError;
pub use evidence::Evidence;
pub use provenance::{Difference, Provenance};

use super::text;
use copysmith_kernels::{Isa, Recipe, Routine, Span};
use serde::{Deserialize, Serialize};

/// The version of the form that this program writes and reads.
pub const SCHEMA: u32 = 1;

/// Everything a table says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Winners {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The machine, as `amd-1ah-02h`.
    pub machine: String,
    /// The instruction set the choice was made from.
    #[serde(with = "text")]
    pub isa: Isa,
    /// The seed of the search.
    pub seed: u64,
    /// The best recipe of each class, in order of their lengths, which are all lengths.
    pub classes: Vec<Winner>,
    /// The function for every length.
    pub routine: Whole,
    /// What chose.
    pub provenance: Provenance,
}

/// The best recipe of one class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Winner {
    /// The class; the recipe's span.
    #[serde(with = "text")]
    pub span: Span,
    /// The recipe.
    #[serde(with = "text")]
    pub recipe: Recipe,
    /// What it was chosen on.
    pub evidence: Evidence,
}

/// The function for every length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Whole {
    /// The routine.
    #[serde(with = "text")]
    pub text: Routine,
    /// What it was chosen on.
    pub evidence: Evidence,
}

impl Winners {
    /// The winners that a file of this form holds.
    ///
    /// # Errors
    /// [`WinnersError::Schema`] for another version, [`WinnersError::Json`] with line and column where the text is not of the
    /// form, and whatever [`Winners::validate`] finds.
    pub fn from_json(text: &str) -> Result<Winners, WinnersError> {
        #[derive(Deserialize)]
        struct Version {
            schema: u32,
        }
        // The version is read first: a file of another one has other fields too.
        let Version { schema } = serde_json::from_str(text).map_err(|error| WinnersError::Json(error.to_string()))?;
        if schema != SCHEMA {
            return Err(WinnersError::Schema(schema));
        }
        let winners: Winners = serde_json::from_str(text).map_err(|error| WinnersError::Json(error.to_string()))?;
        winners.validate()?;
        Ok(winners)
    }

    /// The text of the file.
    pub fn to_json(&self) -> String {
        let mut text =
            serde_json::to_string_pretty(self).expect("texts, integers and floats in structs always serialize");
        text.push('\n');
        text
    }

    /// Checks what no single field shows.
    ///
    /// # Errors
    /// [`WinnersError`] names the first contradiction.
    pub fn validate(&self) -> Result<(), WinnersError> {
        if self.schema != SCHEMA {
            return Err(WinnersError::Schema(self.schema));
        }
        if !is_machine(&self.machine) {
            return Err(WinnersError::Machine(self.machine.clone()));
        }
        self.cover()?;
        if self.routine.text.span() != Span::ALL {
            return Err(WinnersError::Routine(self.routine.text.span()));
        }
        let evidence = self.classes.iter().map(|class| (class.recipe.to_string(), class.recipe.isa(), class.evidence));
        let whole = (self.routine.text.to_string(), self.routine.text.isa(), self.routine.evidence);
        for (text, needs, evidence) in evidence.chain([whole]) {
            if needs > self.isa {
                return Err(WinnersError::Isa { text, needs, has: self.isa });
            }
            if !evidence.is_sound() {
                return Err(WinnersError::Evidence { text, evidence: format!("{evidence:?}") });
            }
        }
        Ok(())
    }

    /// Checks that the classes are the recipes' spans and copy every length once.
    fn cover(&self) -> Result<(), WinnersError> {
        let mut expected = Some(0);
        for Winner { span, recipe, .. } in &self.classes {
            if recipe.span() != *span {
                return Err(WinnersError::Span { span: *span, recipe: recipe.to_string() });
            }
            if expected != Some(span.first()) {
                return Err(WinnersError::Cover { found: span.to_string(), expected });
            }
            expected = span.last().checked_add(1);
        }
        match expected {
            None => Ok(()),
            Some(_) => Err(WinnersError::Cover { found: "the end of the list".to_owned(), expected }),
        }
    }
}

/// Whether the text can be a folder, a file and, with underscores, a module.
pub(super) fn is_machine(text: &str) -> bool {
    let word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    text.starts_with(|first: char| first.is_ascii_lowercase()) && text.split('-').all(word)
}
