//! `mempcpy`: the same copy with another result, the end of the destination.
//!
//! Every routine begins by setting its result, and needs that register for nothing else. So this function sets the result
//! itself, and jumps to the instruction after: no call, no second copy of the code. Both facts are looked up in the decoded
//! code and not taken for granted.

use super::ExportError;
use copysmith_kernels::proof::{Base, IntReg, MaskSource, Place, Program, Right, Slot, Step};
use copysmith_kernels::{Code, Line, Routine, Target, X86_64};

/// Where it starts, in bytes: processors fetch code in blocks of so many.
pub(super) const ALIGN: usize = 16;

/// The offset of the instruction at which the routine may be entered with any result in its register.
pub(super) fn behind_result(routine: &Routine, code: &Code) -> Result<usize, ExportError> {
    let refused = |why: &str| ExportError::Result { text: routine.to_string(), why: why.to_owned() };
    let program = X86_64.decode(code).map_err(|error| refused(&error.to_string()))?;
    let Program { dst, result, .. } = program;
    let from_dst = Place { base: Some(Base::Reg(dst)), index: None, displacement: 0 };
    if program.steps.first() != Some(&Step::Address { to: result, place: from_dst }) {
        return Err(refused("its first instruction is not the one that sets the result"));
    }
    match program.steps[1..].iter().position(|step| mentions(step, result) || goes_to_start(step)) {
        None => Ok(program.offsets.get(1).copied().unwrap_or(code.bytes.len())),
        Some(step) => Err(refused(&format!("its result is used at offset {:#x}", program.offsets[step + 1]))),
    }
}

/// The function, which stands at offset `at` from the routine called `body`, and enters it at offset `to`.
pub(super) fn lines(at: usize, to: usize, body: &str) -> Vec<Line> {
    let set = Line { offset: 0, bytes: vec![0x48, 0x8d, 0x04, 0x17], text: "lea rax, [rdi+rdx]".to_owned() };
    let start = at + set.bytes.len();
    let distance = |length: usize| to as i64 - (start + length) as i64;
    let bytes = match i8::try_from(distance(2)) {
        Ok(short) => vec![0xeb, short.cast_unsigned()],
        // Code of two gigabytes is beyond any routine.
        Err(_) => [&[0xe9][..], &(distance(5) as i32).to_le_bytes()].concat(),
    };
    let jump = Line { offset: set.bytes.len(), bytes, text: format!("jmp {body}+{to:#x}") };
    vec![set, jump]
}

fn goes_to_start(step: &Step) -> bool {
    match step {
        Step::Jump { to } | Step::JumpIf { to, .. } => *to == 0,
        Step::JumpTo { targets, .. } => targets.iter().any(|&(_, to)| to == 0),
        _ => false,
    }
}

/// Whether the step reads or writes the integer register.
fn mentions(step: &Step, reg: IntReg) -> bool {
    let place =
        |place: &Place| place.base == Some(Base::Reg(reg)) || place.index.is_some_and(|(index, _)| index == reg);
    let slot = |slot: &Slot| *slot == Slot::Int(reg);
    let right = |right: &Right| *right == Right::Reg(reg);
    match step {
        Step::Arith { to, left, right: other, .. } => *to == reg || *left == reg || right(other),
        Step::Const { to, .. } => *to == reg,
        Step::Address { to, place: at } => *to == reg || place(at),
        Step::Negate { to, from, .. } | Step::MoveIf { to, from, .. } => *to == reg || *from == reg,
        Step::Test { left, right: other, .. } => *left == reg || right(other),
        Step::Load { to, from, .. } => slot(to) || place(from),
        Step::Store { from, to, .. } => slot(from) || place(to),
        Step::SetMask { from: MaskSource::Count(from) | MaskSource::Bits(from), .. } => *from == reg,
        Step::LoadMasked { from: at, .. } | Step::StoreMasked { to: at, .. } | Step::Prefetch { at } => place(at),
        Step::Repeat { dst, src, count, .. } => [dst, src, count].contains(&&reg),
        Step::JumpTo { address, .. } => *address == reg,
        Step::SetDirection { .. }
        | Step::Fence
        | Step::ClearUpper
        | Step::EndMmx
        | Step::Jump { .. }
        | Step::JumpIf { .. }
        | Step::Nothing
        | Step::Return => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(bytes: &[u8]) -> Code {
        Code { bytes: bytes.to_vec(), align: 64, switches: Vec::new() }
    }

    fn behind(bytes: &[u8]) -> Result<usize, String> {
        let routine: Routine = "copy 0.. string unit=1".parse().unwrap();
        behind_result(&routine, &code(bytes)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_routine_that_sets_its_result_first_and_leaves_it_alone_is_entered_behind() {
        assert_eq!(behind(&[0x48, 0x89, 0xf8, 0x48, 0x89, 0xd1, 0xf3, 0xa4, 0xc3]), Ok(3));
    }

    #[test]
    fn a_result_that_is_set_late_read_or_set_again_and_a_loop_over_the_start_are_refused() {
        for (bytes, says) in [
            (&[0x48, 0x89, 0xd1, 0x48, 0x89, 0xf8, 0xf3, 0xa4, 0xc3][..], "first instruction"),
            // mov rcx, rax; mov rax, rdi again; load from [rax]; jmp to the start
            (&[0x48, 0x89, 0xf8, 0x48, 0x89, 0xc1, 0xc3], "used at offset 0x3"),
            (&[0x48, 0x89, 0xf8, 0x48, 0x89, 0xf8, 0xc3], "used at offset 0x3"),
            (&[0x48, 0x89, 0xf8, 0x48, 0x8b, 0x08, 0xc3], "used at offset 0x3"),
            (&[0x48, 0x89, 0xf8, 0xeb, 0xfb], "used at offset 0x3"),
        ] {
            let error = behind(bytes).unwrap_err();
            assert!(error.contains(says), "{bytes:02x?}: {error}");
        }
    }

    #[test]
    fn the_jump_is_as_short_as_it_can_be_and_ends_where_it_should() {
        for at in [16, 112, 128, 144, 4096] {
            let lines = lines(at, 3, "memcpy");
            let [_, jump] = &lines[..] else { panic!("{lines:?}") };
            let end = at + 4 + jump.bytes.len();
            let distance = match jump.bytes[..] {
                [0xeb, short] => i64::from(short.cast_signed()),
                [0xe9, a, b, c, d] => i64::from(i32::from_le_bytes([a, b, c, d])),
                ref other => panic!("{other:02x?}"),
            };
            assert_eq!(end as i64 + distance, 3);
            assert_eq!(jump.bytes.len(), if at <= 124 { 2 } else { 5 }, "{at}");
        }
    }
}
