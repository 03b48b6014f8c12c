//! Kernels that are wrong on purpose: one for each check of the ROM, so that every check is seen to fail.

use crate::blob::Kernel;
use crate::lengths::lengths;
use copysmith_kernels::plan::{Hint, Op, Plan, Reg};
use copysmith_kernels::{Code, Isa, Recipe, Routine, Target, X86_64};
use std::error::Error;

/// Straight code with one return; above 64 bytes its first store does not reach the end.
const PAIRS: &str = "copy 65..=128 pairs width=evex64";
/// A loop with a masked tail, and with one return; never so short that one byte less is below zero.
const MASKED: &str = "copy 1.. loop width=evex64 unroll=2 tail=mask";

/// `mov rax, rdi`, with which every routine starts.
const MOV_RAX_RDI: usize = 3;
const RET: u8 = 0xc3;

/// The kernels, after one that is as emitted.
///
/// # Errors
/// Where a recipe is none any more, or its code has no place for the fault.
pub fn faulty() -> Result<Vec<Kernel>, Box<dyn Error>> {
    // Instructions put before the code, where rdi, rsi and rdx are destination, source and length.
    let dec_rdx = [0x48, 0xff, 0xca];
    let inc_rdx = [0x48, 0xff, 0xc2];
    let xor_ebx_ebx = [0x31, 0xdb];
    let jump_to_itself = [0xeb, 0xfe];
    // mov rcx, rdi; and rcx, -0x200000; mov byte [rcx+0x100000], 0
    let write_far_away = [
        &[0x48, 0x89, 0xf9][..],
        &[0x48, 0x81, 0xe1, 0x00, 0x00, 0xe0, 0xff],
        &[0xc6, 0x81, 0x00, 0x00, 0x10, 0x00, 0x00],
    ]
    .concat();
    let std_ret = [0xfd, RET];
    let mov_rax_rsi = [0x48, 0x89, 0xf0];
    Ok(vec![
        kernel("pass", "as emitted", MASKED, |_| {}, |_| {})?,
        kernel("contents", "stores one byte further on", PAIRS, shift_a_store, |_| {})?,
        kernel("contents", "leaves out the last byte", MASKED, |_| {}, before(&dec_rdx))?,
        kernel("outside", "copies a byte too many", MASKED, |_| {}, before(&inc_rdx))?,
        kernel("elsewhere", "writes far away", PAIRS, |_| {}, before(&write_far_away))?,
        kernel("saved", "loses rbx", PAIRS, |_| {}, before(&xor_ebx_ebx))?,
        kernel(
            "result",
            "returns the source",
            PAIRS,
            |_| {},
            |code| {
                code.bytes.splice(..MOV_RAX_RDI, mov_rax_rsi);
            },
        )?,
        kernel(
            "direction",
            "leaves the direction flag set",
            PAIRS,
            |_| {},
            |code| {
                code.bytes.pop();
                code.bytes.extend(std_ret);
            },
        )?,
        kernel("fault-14", "loads past the end", MASKED, load_whole, |_| {})?,
        kernel("fault-13", "streams to any address", PAIRS, stream, |_| {})?,
        kernel("hang", "never ends", PAIRS, |_| {}, before(&jump_to_itself))?,
    ])
}

fn kernel(
    expected: &'static str,
    fault: &str,
    recipe: &str,
    plan_fault: impl FnOnce(&mut Plan),
    code_fault: impl FnOnce(&mut Code),
) -> Result<Kernel, Box<dyn Error>> {
    let recipe: Recipe = recipe.parse()?;
    let right = Routine::from(recipe.clone()).plan();
    let mut plan = right.clone();
    plan_fault(&mut plan);
    let emitted = X86_64.emit(&plan)?;
    if !(emitted.bytes.starts_with(&[0x48, 0x89, 0xf8]) && emitted.bytes.ends_with(&[RET])) {
        return Err(format!("code of '{recipe}' does not start with 'mov rax, rdi' and end with 'ret'").into());
    }
    let mut code = emitted.clone();
    code_fault(&mut code);
    if (plan == right && code == emitted) != (expected == "pass") {
        return Err(format!("'{fault}' finds no place in '{recipe}'").into());
    }
    let name = format!("{fault}: {recipe}");
    Ok(Kernel {
        expected,
        isa: Isa::Avx512,
        name,
        bytes: code.bytes,
        align: code.align,
        lengths: lengths(&recipe).into_iter().step_by(7).collect(),
    })
}

fn before(instructions: &[u8]) -> impl FnOnce(&mut Code) {
    move |code| {
        // After `mov rax, rdi`, so that the result stays right.
        code.bytes.splice(MOV_RAX_RDI..MOV_RAX_RDI, instructions.iter().copied());
    }
}

fn shift_a_store(plan: &mut Plan) {
    let store = plan.body.iter_mut().find_map(|op| match op {
        Op::Store { to, .. } if to.base == Reg::DST && to.index.is_none() => Some(to),
        _ => None,
    });
    if let Some(to) = store {
        to.displacement += 1;
    }
}

/// Only the store stays masked.
fn load_whole(plan: &mut Plan) {
    for op in &mut plan.body {
        if let Op::LoadPartial { val, width, from, .. } = *op {
            *op = Op::Load { val, width, from };
        }
    }
}

/// Non-temporal stores without an alignment.
fn stream(plan: &mut Plan) {
    for op in &mut plan.body {
        if let Op::Store { hint, .. } = op {
            *hint = Hint::NonTemporal;
        }
    }
}
