//! Every load, store and prefetch at every kind of address.

use super::machine::{Made, Registers, run};
use super::*;
use crate::plan::{Hint, Locality, Val, Width};
use crate::proof::Slot;

/// All bases, indexes and displacements of interest: around 16 signed bits, off multiples of four, and far.
fn addresses() -> Vec<Addr> {
    let registers = || (0..Reg::ALL).map(Reg).filter(|reg| *reg != Reg::SPARE[3]);
    let indexes = || std::iter::once(None).chain(registers().map(Some));
    let displacements = [0, 1, -1, 4, 6, -8, 0x7ffc, 0x7fff, 0x8000, -0x8000, -0x8001, 0x1234_8000, i32::MAX, i32::MIN];
    registers()
        .flat_map(|base| indexes().map(move |index| (base, index)))
        .flat_map(|(base, index)| displacements.map(|displacement| Addr { base, index, displacement }))
        .collect()
}

fn widths(target: Power) -> &'static [Width] {
    let all = &[Width::B1, Width::B2, Width::B4, Width::B8];
    if target.mode() == Mode::Ppc32 { &all[..3] } else { all }
}

/// Every register has a content that no sum of others is near.
fn contents() -> Registers {
    std::array::from_fn(|number| 0x0123_4567 * (number as u64 + 1) % 0x6000_0000)
}

#[test]
fn every_access_at_every_address_goes_where_it_was_asked_to() {
    let val = Val(0);
    for target in targets() {
        for addr in addresses() {
            let mut ops = vec![step(Reg::DST, 0)];
            for &width in widths(target) {
                ops.push(Op::Load { val, width, from: addr });
                ops.push(Op::Store { val, width, to: addr, hint: Hint::Plain });
            }
            ops.extend([Locality::T0, Locality::Write].map(|locality| Op::Prefetch { locality, at: addr }));
            ops.extend([Op::Touch { at: addr, val }, Op::Return]);
            let code = emitted(target, ops);
            let mut before = contents();
            before[6] = before[3];
            let of = |reg: Reg| before[usize::from(number(reg))];
            let sum =
                of(addr.base).wrapping_add(addr.index.map_or(0, of)).wrapping_add(i64::from(addr.displacement) as u64);
            let at = target.mode().word().cut(sum);
            let slot = Slot::Int(11);
            let mut expected = Vec::new();
            for width in widths(target) {
                let bytes = width.bytes() as u8;
                expected.extend([Made::Load { to: slot, bytes, at }, Made::Store { from: slot, bytes, at }]);
            }
            expected.extend([Made::Prefetch { at }, Made::Prefetch { at }, Made::Load { to: slot, bytes: 1, at }]);
            let (after, made) = run(&program(target, &code), before);
            assert_eq!(made, expected, "{addr}\n{}", text(target, &code));
            for reg in (0..Reg::ALL - 1).map(Reg) {
                assert_eq!(after[usize::from(number(reg))], of(reg), "{addr} changes {reg}\n{}", text(target, &code));
            }
        }
    }
}

#[test]
fn every_value_has_a_register_of_its_own() {
    let target = targets()[4];
    for (val, register) in [(0, 11), (1, 10), (2, 9), (3, 8), (4, 7)] {
        let load = Op::Load { val: Val(val), width: Width::B8, from: Addr::at(Reg::SRC, 8) };
        let code = emitted(target, vec![load, Op::Return]);
        assert_eq!(target.listing(&code)[0].text, format!("ld r{register},8(r4)"));
    }
    let load = Op::Load { val: Val(5), width: Width::B8, from: Addr::at(Reg::SRC, 8) };
    let error = emit(target, vec![load, Op::Return]).unwrap_err();
    assert_eq!(error.to_string(), "ppc64le has no register for v5 of width 8; there are 5");
}

#[test]
fn the_end_of_an_operand_is_computed_once_and_again_after_it_moves() {
    let target = targets()[0];
    let load = |val, displacement| Op::Load {
        val: Val(val),
        width: Width::B4,
        from: Addr::indexed(Reg::SRC, Reg::N, displacement),
    };
    let adds = |ops: Vec<Op>| count(target, &emitted(target, [ops, vec![Op::Return]].concat()), "add");
    assert_eq!(adds(vec![load(0, -8), load(1, -4)]), 1);
    for moved in [Reg::SRC, Reg::N] {
        assert_eq!(adds(vec![load(0, -8), step(moved, 1), load(1, -4)]), 2);
    }
    assert_eq!(adds(vec![load(0, -8), step(Reg::COUNT, 1), load(1, -4)]), 1);
    let cond = Cond::imm(Reg::N, crate::plan::Relation::Equal, 8);
    assert_eq!(adds(vec![load(0, -8), when(cond, vec![step(Reg::SRC, 1)], vec![]), load(1, -4)]), 2);
}
