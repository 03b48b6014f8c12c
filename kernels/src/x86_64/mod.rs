//! x86-64 under the System V calling convention.
//!
//! ```text
//! plan register  result dst src n   count spare0 spare1 spare2 spare3
//! x86 register   rax    rdi rsi rdx rcx   r8     r9     r10    r11
//! general value                     4     3      2      1      0
//!
//! mmx8 value k: mm(k)    sse4, sse8, sse16, avx32 value k: xmm(k), ymm(k)    evex value k: xmm/ymm/zmm(16+k)    mask k: k(1+k)
//! ```
//!
//! Only registers that a callee may overwrite are used, so no routine has a prologue beyond `mov rax, rdi`. EVEX values
//! stay out of registers 0 to 15, whose upper halves would slow down legacy SSE code of the caller.
//!
//! Who encodes: `dynasmrt` keeps labels, jumps and everything without a register chosen at run time; every other instruction goes
//! through the encoder of `iced-x86`, because for run-time registers dynasm always writes a SIB byte, an empty REX prefix and the
//! three-byte VEX prefix (7 bytes for a `vmovdqu ymm, [rsi+16]` of 5) and has no EVEX.

mod access;
mod arith;
mod decode;
mod emit;
mod evex;
mod layout;
mod listing;
mod registers;
#[cfg(test)]
mod tests;

use crate::code::{Code, Line, Target, Unreadable, Unsupported};
use crate::plan::Plan;
use crate::proof::Program;

/// The x86-64 instruction set: SSE2 always, and what a plan asks for of MMX, AVX, BMI2 and AVX-512 (VL and BW).
///
/// ```
/// use copysmith_kernels::plan::{Op, Plan};
/// use copysmith_kernels::{Target, X86_64};
/// let code = X86_64.emit(&Plan { body: vec![Op::Return] }).unwrap();
/// let text: Vec<String> = X86_64.listing(&code).into_iter().map(|line| line.text).collect();
/// assert_eq!(text, ["mov rax, rdi", "ret"]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct X86_64;

impl Target for X86_64 {
    fn name(&self) -> &'static str {
        "x86-64"
    }

    fn emit(&self, plan: &Plan) -> Result<Code, Unsupported> {
        layout::emit(plan)
    }

    fn decode(&self, code: &Code) -> Result<Program, Unreadable> {
        decode::decode(code)
    }

    fn listing(&self, code: &Code) -> Vec<Line> {
        listing::listing(&code.bytes)
    }
}
