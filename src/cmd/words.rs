//! A recipe or a routine on the command line, quoted or as separate words.

use super::exit::Usage;
use copysmith_kernels::Routine;

/// The words of a routine's text.
#[derive(Clone, Debug, clap::Args)]
pub struct RoutineArgs {
    /// A recipe or a routine; quote it where it holds | or >
    #[arg(required = true, value_name = "TEXT")]
    words: Vec<String>,
}

impl RoutineArgs {
    /// The routine they name.
    ///
    /// # Errors
    /// [`Usage`] with the one line that says what is wrong with the text.
    pub fn routine(&self) -> Result<Routine, Usage> {
        routine(&self.words)
    }
}

/// The routine that words name.
///
/// # Errors
/// As [`RoutineArgs::routine`].
pub fn routine(words: &[String]) -> Result<Routine, Usage> {
    words.join(" ").parse().map_err(|error: copysmith_kernels::RoutineError| Usage(error.to_string()))
}
