//! The C functions that a routine can be, and what each promises.

use super::{ExportError, Prefix, Section};
use crate::print::instructions::name;
use copysmith_kernels::proof::{Depth, Overlap, overlap};
use copysmith_kernels::recipe::Operation;
use copysmith_kernels::{Routine, Span, Target, X86_64};
use std::fmt;
use std::str::FromStr;

/// A C function that copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// Copies any length between regions that are apart, and returns the destination.
    Memcpy,
    /// Copies any length between any two regions, and returns the destination.
    Memmove,
    /// Copies any length between regions that are apart, and returns the end of the destination.
    Mempcpy,
    /// Copies some lengths only, named after them; otherwise as [`Function::Memcpy`] or [`Function::Memmove`].
    Kernel(Operation, Span),
}

impl Function {
    /// Those that copy any length.
    pub const WHOLE: [Function; 3] = [Function::Memcpy, Function::Memmove, Function::Mempcpy];

    /// The symbol: the prefix, an underscore, the name.
    pub fn symbol(self, prefix: &Prefix) -> String {
        format!("{prefix}_{self}")
    }

    /// Checks that the routine keeps what the function promises.
    ///
    /// # Errors
    /// [`ExportError::Lengths`] and [`ExportError::Overlap`] say what it does not keep.
    pub(super) fn check(self, routine: &Routine) -> Result<(), ExportError> {
        let (operation, span) = self.promise();
        if routine.span() != span {
            return Err(ExportError::Lengths { function: self, span: routine.span() });
        }
        if operation == Operation::Move { moves(routine) } else { Ok(()) }
    }

    /// What it does, and to which lengths.
    pub(super) fn promise(self) -> (Operation, Span) {
        match self {
            Function::Memcpy | Function::Mempcpy => (Operation::Copy, Span::ALL),
            Function::Memmove => (Operation::Move, Span::ALL),
            Function::Kernel(operation, span) => (operation, span),
        }
    }
}

/// The functions that a routine can be: its own name where it leaves lengths out, otherwise each whose promise it keeps.
///
/// # Errors
/// [`ExportError`] where it has no code.
pub fn offered(routine: &Routine) -> Result<Vec<Function>, ExportError> {
    if routine.span() != Span::ALL {
        return Ok(vec![Function::Kernel(routine.operation(), routine.span())]);
    }
    let mut offered = Vec::new();
    for function in Function::WHOLE {
        match function.check(routine) {
            Ok(()) => offered.push(function),
            Err(ExportError::Overlap { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(offered)
}

/// Checks that the routine moves overlapping regions: the proofs hold each routine of that operation to it, and a copy may do so too.
/// Leaf by leaf, because of a long span only the beginning is interpreted; the longest first, because loops are what mostly does not.
fn moves(routine: &Routine) -> Result<(), ExportError> {
    if routine.operation() == Operation::Move {
        return Ok(());
    }
    let program = X86_64.decode(&Section::code(routine)?);
    let refused = |leaf: String, why: String| ExportError::Overlap { leaf, why };
    let program = program.map_err(|error| refused(routine.to_string(), error.to_string()))?;
    for leaf in routine.leaves().iter().rev() {
        match overlap(&program, leaf.span(), Depth::Full) {
            Ok(Overlap::Safe) => {}
            Ok(other) => return Err(refused(leaf.to_string(), other.to_string())),
            Err(failure) => return Err(refused(leaf.to_string(), failure.to_string())),
        }
    }
    Ok(())
}

/// `memcpy`, `memmove`, `mempcpy`, `copy_17_32`, `move_33_up`
impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Function::Memcpy => f.write_str("memcpy"),
            Function::Memmove => f.write_str("memmove"),
            Function::Mempcpy => f.write_str("mempcpy"),
            Function::Kernel(operation, span) => f.write_str(&name(*operation, *span)),
        }
    }
}

/// The name of a function that copies any length.
impl FromStr for Function {
    type Err = ExportError;

    fn from_str(text: &str) -> Result<Function, ExportError> {
        let named = Function::WHOLE.into_iter().find(|function| function.to_string() == text);
        named.ok_or_else(|| ExportError::Function(text.to_owned()))
    }
}
