//! Code as lines of bytes, an instruction a line, whatever the language they are printed in.

use super::PrintError;
use copysmith_kernels::recipe::Operation;
use copysmith_kernels::{Code, Line, Routine, Span, Target};

/// The instructions of a routine's code, which together are the code and nothing else.
pub(crate) fn instructions(code: &Code, routine: &Routine, target: &dyn Target) -> Result<Vec<Line>, PrintError> {
    let mut at = 0;
    let departs = |offset| PrintError::Listing { text: routine.to_string(), offset };
    let lines = target.listing(code);
    for line in &lines {
        let bytes = code.bytes.get(at..at + line.bytes.len());
        if line.offset != at || bytes != Some(&line.bytes) || line.bytes.is_empty() {
            return Err(departs(at));
        }
        at += line.bytes.len();
    }
    if at == code.bytes.len() { Ok(lines) } else { Err(departs(at)) }
}

/// The directive that both Rust's inline assembly and GNU's assembler take for these bytes.
pub(crate) fn directive(bytes: &[u8]) -> String {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:#04x}")).collect();
    format!(".byte {}", bytes.join(","))
}

/// The alignment code is placed at, in bytes: a cache line, or what its inner alignments need if that is more.
pub(crate) fn placed_at(code: &Code) -> usize {
    code.align.max(64)
}

/// What a function of these lengths is called: `copy_17_32`, or `move_33_up` where there is no upper end.
pub(crate) fn name(operation: Operation, span: Span) -> String {
    match span.is_open() {
        true => format!("{operation}_{}_up", span.first()),
        false => format!("{operation}_{}_{}", span.first(), span.last()),
    }
}
