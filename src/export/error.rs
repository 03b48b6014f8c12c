//! Why something cannot be exported.

use super::Function;
use crate::print::PrintError;
use copysmith_kernels::Span;
use std::fmt;

/// Why something cannot be exported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExportError {
    /// No function has this name.
    Function(String),
    /// There is no function to export.
    Nothing,
    /// A function is there twice.
    Twice(Function),
    /// The routine copies other lengths than the function promises.
    Lengths {
        /// The function.
        function: Function,
        /// What the routine copies.
        span: Span,
    },
    /// The routine does not move overlapping regions, as memmove must.
    Overlap {
        /// The leaf that does not.
        leaf: String,
        /// What it does.
        why: String,
    },
    /// The routine has no code, or none that can be printed.
    Code(PrintError),
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExportError::Function(name) => {
                let known = Function::WHOLE.map(|function| function.to_string()).join(" ");
                write!(f, "'{name}' is no function that can be exported; there are {known}")
            }
            ExportError::Nothing => f.write_str("there is no function to export"),
            ExportError::Twice(function) => write!(f, "{function} is named twice"),
            ExportError::Lengths { function, span } => {
                write!(f, "{function} must copy every length, and this routine copies {span} only")
            }
            ExportError::Overlap { leaf, why } => {
                write!(f, "memmove must move regions that overlap, and '{leaf}' is not shown to: {why}")
            }
            ExportError::Code(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ExportError {}

impl From<PrintError> for ExportError {
    fn from(error: PrintError) -> ExportError {
        ExportError::Code(error)
    }
}
