//! More columns on the command line: other libraries, and routines that are emitted now.

use crate::cmd::exit::Usage;
use anyhow::Context;
use copysmith::bench::Field;
use copysmith_kernels::Routine;
use std::path::PathBuf;

/// Other libraries.
#[derive(Debug, clap::Args)]
pub struct LibraryArgs {
    /// Race the function of this library as well, as one more column; may be given again
    #[arg(long, value_name = "LIBRARY")]
    against: Vec<PathBuf>,
    /// What the function is called [default: memcpy; for moves memmove]
    #[arg(long, value_name = "NAME", requires = "against")]
    symbol: Option<String>,
}

impl LibraryArgs {
    /// Adds their columns.
    ///
    /// # Errors
    /// A library that cannot be loaded, has no such function, or has one that is wrong.
    pub fn enter(&self, field: &mut Field) -> anyhow::Result<()> {
        let symbol = self.symbol.clone().unwrap_or_else(|| field.reference().to_owned());
        self.against.iter().try_for_each(|path| Ok(field.add_library(path, &symbol)?))
    }
}

/// Other libraries, and routines.
#[derive(Debug, clap::Args)]
pub struct EntrantArgs {
    #[command(flatten)]
    libraries: LibraryArgs,
    /// Emit and prove this routine now and race it as well, as one more column; may be given again
    #[arg(long, value_name = "TEXT")]
    routine: Vec<String>,
}

impl EntrantArgs {
    /// The usual contestants and these.
    ///
    /// # Errors
    /// As [`LibraryArgs::enter`]; a text that is no routine, or a routine that a proof refuses.
    pub fn field(&self) -> anyhow::Result<Field> {
        let mut field = Field::copies();
        self.libraries.enter(&mut field)?;
        for text in &self.routine {
            field.add_routine(&routine(text)?).with_context(|| format!("routine '{text}' does not race"))?;
        }
        Ok(field)
    }
}

/// A routine from its text.
///
/// # Errors
/// [`Usage`] with what is wrong with it.
pub fn routine(text: &str) -> Result<Routine, Usage> {
    text.parse().map_err(|error: copysmith_kernels::RoutineError| Usage(format!("--routine: {error}")))
}
