//! Every load, store and prefetch at every kind of address.

use super::{NUMBERS, number, program, steps};
use crate::code::Code;
use crate::plan::{Addr, Direction, Hint, Locality, Mask, Op, Reg, Val, Width};
use crate::proof::{Arith, Base, Flags, MaskSource, Place, Right, Slot, Step};
use crate::x86_64::emit::Emitter;
use crate::x86_64::layout::Layout;
use crate::x86_64::registers::operand;
use iced_x86::{Encoder, Instruction, Register};

pub const LOCALITIES: [Locality; 5] = [Locality::T0, Locality::T1, Locality::T2, Locality::Nta, Locality::Write];

/// Where a value lives: general values from r11 downward, the others from the first register of their file.
pub fn slot(val: Val, width: Width) -> Slot {
    match width {
        Width::B1 | Width::B2 | Width::B4 | Width::B8 => Slot::Int(NUMBERS[8 - usize::from(val.0)]),
        Width::Mmx8 => Slot::Vector(32 + val.0),
        Width::Sse4 | Width::Sse8 | Width::Sse16 | Width::Avx32 => Slot::Vector(val.0),
        Width::Evex16 | Width::Evex32 | Width::Evex64 => Slot::Vector(16 + val.0),
        Width::Fp8 | Width::Altivec16 | Width::Vsx16 | Width::Vsx32 => panic!("x86-64 has no width {width}"),
    }
}

pub fn place(addr: Addr) -> Place {
    Place {
        base: Some(Base::Reg(number(addr.base))),
        index: addr.index.map(|index| (number(index), 0)),
        displacement: i64::from(addr.displacement),
    }
}

/// All bases, indexes and displacements of interest.
pub fn addresses() -> Vec<Addr> {
    let registers = || (0..Reg::ALL).map(Reg);
    let indexes = || std::iter::once(None).chain(registers().map(Some));
    let displacements = [0, 1, -1, 64, 127, 128, -128, -129, i32::MAX, i32::MIN];
    registers()
        .flat_map(|base| indexes().map(move |index| (base, index)))
        .flat_map(|(base, index)| displacements.map(|displacement| Addr { base, index, displacement }))
        .collect()
}

/// Every operation that names memory, at an address.
pub fn accesses(addr: Addr, val: Val) -> Vec<Op> {
    let mut ops = Vec::new();
    for width in Width::X86 {
        ops.push(Op::Load { val, width, from: addr });
        ops.push(Op::Store { val, width, to: addr, hint: Hint::Plain });
        if !matches!(width, Width::B1 | Width::B2 | Width::Sse4 | Width::Sse8) {
            ops.push(Op::Store { val, width, to: addr, hint: Hint::NonTemporal });
        }
        if width.is_evex() {
            ops.push(Op::LoadPartial { val, width, from: addr, mask: Mask(2) });
            ops.push(Op::StorePartial { val, width, to: addr, mask: Mask(2) });
        }
    }
    ops.extend(LOCALITIES.map(|locality| Op::Prefetch { locality, at: addr }));
    ops
}

/// The step an access must be read back as.
fn expected(op: &Op) -> Step {
    match *op {
        Op::Load { val, width, from } => {
            Step::Load { to: slot(val, width), bytes: width.bytes() as u8, from: place(from), align: 1 }
        }
        Op::Store { val, width, to, hint } => {
            let non_temporal = hint == Hint::NonTemporal;
            let bytes = width.bytes() as u8;
            let align = if non_temporal && bytes >= 16 { bytes } else { 1 };
            Step::Store { from: slot(val, width), bytes, to: place(to), non_temporal, align }
        }
        Op::LoadPartial { val, width, from, mask } => {
            let to = vector(slot(val, width));
            Step::LoadMasked { to, bytes: width.bytes() as u8, from: place(from), mask: mask.0 + 1 }
        }
        Op::StorePartial { val, width, to, mask } => {
            let from = vector(slot(val, width));
            Step::StoreMasked { from, bytes: width.bytes() as u8, to: place(to), mask: mask.0 + 1 }
        }
        Op::Prefetch { at, .. } => Step::Prefetch { at: place(at) },
        ref other => panic!("{other:?} names no memory"),
    }
}

fn vector(slot: Slot) -> u8 {
    match slot {
        Slot::Vector(number) => number,
        Slot::Int(number) => panic!("integer register {number} has no mask"),
    }
}

/// The accesses one after the other, past the check that integers and values do not meet.
pub fn encoded(ops: &[Op]) -> Code {
    let layout = Layout::default();
    let mut emitter = Emitter::new(&layout, &[]);
    for op in ops {
        match *op {
            Op::Load { val, width, from } => emitter.load(val, width, from),
            Op::Store { val, width, to, hint } => emitter.store(val, width, to, hint),
            Op::LoadPartial { val, width, from, mask } => emitter.load_partial(val, width, from, mask),
            Op::StorePartial { val, width, to, mask } => emitter.store_partial(val, width, to, mask),
            Op::Prefetch { locality, at } => emitter.prefetch(locality, at),
            ref other => panic!("{other:?} names no memory"),
        }
        .unwrap_or_else(|error| panic!("{op:?}: {error}"));
    }
    Code { bytes: emitter.asm.finalize().expect("no label"), align: 64, switches: Vec::new() }
}

#[test]
fn every_access_at_every_address_is_read_back_as_what_was_asked() {
    let ops: Vec<Op> = addresses().into_iter().flat_map(|addr| accesses(addr, Val(1))).collect();
    assert!(ops.len() > 30_000, "{} accesses", ops.len());
    let read = program(&encoded(&ops)).steps;
    assert_eq!(read.len(), ops.len());
    for (op, step) in ops.iter().zip(read) {
        assert_eq!(step, expected(op), "{op:?}");
    }
}

#[test]
fn every_value_has_a_register_of_its_own() {
    for width in Width::X86 {
        let count = match width {
            Width::B1 | Width::B2 | Width::B4 | Width::B8 => 5,
            Width::Mmx8 => 8,
            _ => 16,
        };
        let at = Addr::at(Reg::SRC, 3);
        for val in (0..count).map(Val) {
            let load = Op::Load { val, width, from: at };
            let store = Op::Store { val, width, to: Addr::at(Reg::DST, -3), hint: Hint::Plain };
            assert_eq!(steps(vec![load.clone(), store.clone()]), [expected(&load), expected(&store)]);
        }
    }
}

#[test]
fn the_other_operations_are_read_back_as_themselves() {
    let cases = [
        (Op::Fence, vec![Step::Fence]),
        (Op::ClearUpper, vec![Step::ClearUpper]),
        (Op::EndMmx, vec![Step::EndMmx]),
        (
            Op::Touch { at: Addr::at(Reg::SRC, 64), val: Val(0) },
            vec![Step::Load { to: Slot::Int(11), bytes: 1, from: place(Addr::at(Reg::SRC, 64)), align: 1 }],
        ),
        (
            Op::SetMask { mask: Mask(0), count: Reg::N, width: Width::Evex64 },
            vec![
                Step::Const { to: 11, value: u64::MAX },
                Step::Arith { to: 11, op: Arith::LowBits, left: 11, right: Right::Reg(2), flags: Flags::Lost },
                Step::SetMask { to: 1, from: MaskSource::Bits(11) },
            ],
        ),
    ];
    for (op, expected) in cases {
        assert_eq!(steps(vec![op.clone()]), expected, "{op:?}");
    }
}

#[test]
fn string_moves_have_each_unit_and_clear_the_direction_again() {
    for (unit, bytes) in [(Width::B1, 1), (Width::B2, 2), (Width::B4, 4), (Width::B8, 8)] {
        let moved = Step::Repeat { bytes, dst: 7, src: 6, count: 1 };
        assert_eq!(steps(vec![Op::Repeat { unit, direction: Direction::Forward }]), std::slice::from_ref(&moved));
        let (down, up) = (Step::SetDirection { backward: true }, Step::SetDirection { backward: false });
        assert_eq!(steps(vec![Op::Repeat { unit, direction: Direction::Backward }]), [down, moved, up]);
    }
}

#[test]
fn addresses_with_a_peculiar_encoding_have_it() {
    use iced_x86::Code as Form;
    let encode = |form, to, base, index, displacement| {
        let instruction = Instruction::with2(form, to, operand(base, index, displacement)).expect("a load");
        let mut encoder = Encoder::new(64);
        encoder.encode(&instruction, 0).expect("a form of 64-bit code");
        encoder.take_buffer()
    };
    let (none, rax, zmm0) = (Register::None, Register::RAX, Register::ZMM0);
    let (mov, zmm) = (Form::Mov_r64_rm64, Form::EVEX_Vmovdqu64_zmm_k1z_zmmm512);
    assert_eq!(encode(mov, rax, Register::R13, rax, 0), [0x49, 0x8b, 0x44, 0x05, 0x00]);
    assert_eq!(encode(mov, rax, Register::R12, none, 0), [0x49, 0x8b, 0x04, 0x24]);
    assert_eq!(encode(mov, rax, Register::RBP, none, 0), [0x48, 0x8b, 0x45, 0x00]);
    assert_eq!(encode(mov, rax, Register::RSI, none, -128), [0x48, 0x8b, 0x46, 0x80]);
    assert_eq!(encode(mov, rax, Register::RSI, none, 128), [0x48, 0x8b, 0x86, 0x80, 0, 0, 0]);
    assert_eq!(
        encode(Form::VEX_Vmovdqu_ymm_ymmm256, Register::YMM0, Register::R13, none, 0),
        [0xc4, 0xc1, 0x7e, 0x6f, 0x45, 0x00]
    );
    assert_eq!(encode(zmm, zmm0, Register::RSI, none, 64), [0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x46, 0x01]);
    assert_eq!(encode(zmm, zmm0, Register::RSI, none, 60), [0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x86, 60, 0, 0, 0]);
    let stack_as_index = Instruction::with2(mov, rax, operand(rax, Register::RSP, 0)).expect("a load");
    assert!(Encoder::new(64).encode(&stack_as_index, 0).is_err());
}

#[test]
fn plain_loads_have_no_needless_byte() {
    let length = |width, displacement| {
        encoded(&[Op::Load { val: Val(0), width, from: Addr::at(Reg::SRC, displacement) }]).bytes.len()
    };
    assert_eq!([0, 16, 127, 128].map(|displacement| length(Width::Avx32, displacement)), [4, 5, 5, 8]);
    assert_eq!([0, 16, 127, 128].map(|displacement| length(Width::Sse16, displacement)), [4, 5, 5, 8]);
    assert_eq!([0, 64, 4096, 8192, 60].map(|displacement| length(Width::Evex64, displacement)), [6, 7, 7, 10, 10]);
}
