//! One copy function as Rust source: a naked function of bytes, one line an instruction, each with its disassembly.

use super::PrintError;
use super::instructions::{directive, instructions, name, placed_at};
use super::winners::{Evidence, Winners};
use copysmith_kernels::{Code, Line, Routine, Target};
use std::fmt::Write;

/// Where the disassembly starts, in characters after the indentation.
const COMMENT: usize = 56;

/// A routine or kernel that is being printed.
pub(super) struct Function {
    /// Its name in the printed module.
    pub name: String,
    pub routine: Routine,
    pub code: Code,
    pub evidence: Evidence,
}

/// The functions of a table: the routine first, then the kernels in order of their lengths.
pub(super) fn functions(winners: &Winners, target: &dyn Target) -> Result<Vec<Function>, PrintError> {
    winners.validate()?;
    if target.name() != "x86-64" {
        return Err(PrintError::Target(target.name()));
    }
    let whole = ("routine".to_owned(), winners.routine.text.clone(), winners.routine.evidence);
    let kernels = winners
        .classes
        .iter()
        .map(|class| (name(class.recipe.operation(), class.span), class.recipe.clone().into(), class.evidence));
    std::iter::once(whole)
        .chain(kernels)
        .map(|(name, routine, evidence)| {
            let code = target.emit(&routine.plan());
            let code = code.map_err(|why| PrintError::Emit { text: routine.to_string(), why })?;
            Ok(Function { name, routine, code, evidence })
        })
        .collect()
}

impl Function {
    /// The alignment it is placed at, in bytes.
    pub fn align(&self) -> usize {
        placed_at(&self.code)
    }

    /// The naked function.
    pub fn source(&self, target: &dyn Target) -> Result<String, PrintError> {
        let mut out = format!(
            "/// `{}`\n#[rustfmt::skip]\n#[unsafe(naked)]\n\
             unsafe extern \"sysv64\" fn {}(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {{\n    naked_asm!(\n",
            self.routine, self.name
        );
        // Each function has a section of its own, in which this directive comes first: it aligns the section, and puts
        // nothing between the symbol and the first instruction.
        line(&mut out, &format!("\".p2align {}\",", self.align().trailing_zeros()), "");
        for Line { bytes, text, .. } in instructions(&self.code, &self.routine, target)? {
            line(&mut out, &format!("\"{}\",", directive(&bytes)), &text);
        }
        out.push_str("    )\n}\n");
        Ok(out)
    }

    /// The row that names it.
    pub fn row(&self, indent: &str) -> String {
        let span = self.routine.span();
        let last = if span.is_open() { "usize::MAX".to_owned() } else { span.last().to_string() };
        let evidence = match self.evidence {
            // Four decimals always: a shortest form would let the width of a line depend on luck.
            Evidence::Measured { ratio, low, high, blocks } => format!(
                "row::Evidence::Measured {{ ratio: {ratio:.4}, low: {low:.4}, high: {high:.4}, blocks: {blocks} }}"
            ),
            Evidence::Modelled => "row::Evidence::Modelled".to_owned(),
        };
        format!(
            "row::Row {{\n\
             {indent}    first: {},\n\
             {indent}    last: {last},\n\
             {indent}    recipe: {:?},\n\
             {indent}    entry: {},\n\
             {indent}    bytes: {},\n\
             {indent}    evidence: {evidence},\n\
             {indent}}}",
            span.first(),
            self.routine.to_string(),
            self.name,
            self.code.bytes.len(),
        )
    }
}

fn line(out: &mut String, asm: &str, comment: &str) {
    let written = if comment.is_empty() {
        writeln!(out, "        {asm}")
    } else {
        writeln!(out, "        {asm:COMMENT$} // {comment}")
    };
    written.expect("a String takes all text");
}
