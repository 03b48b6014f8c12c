//! Hand-written plans that are right, each with the lengths it is for. What a lowering may come to look like.
#![allow(dead_code, reason = "each test file uses some of the plans")]

use copysmith_kernels::Span;
use copysmith_kernels::plan::*;

pub use Relation::{Above, AboveOrEqual, Below, BelowOrEqual, NotEqual};

/// The lengths `first..=last`.
pub fn span(first: usize, last: usize) -> Span {
    Span::new(first, last).unwrap()
}

/// The lengths `first..`.
pub fn open(first: usize) -> Span {
    span(first, usize::MAX)
}

/// A plan that ends in a return.
pub fn plan(mut body: Vec<Op>) -> Plan {
    body.push(Op::Return);
    Plan { body }
}

pub fn load(val: u8, width: Width, base: Reg, displacement: i32) -> Op {
    Op::Load { val: Val(val), width, from: Addr::at(base, displacement) }
}

pub fn store(val: u8, width: Width, base: Reg, displacement: i32) -> Op {
    Op::Store { val: Val(val), width, to: Addr::at(base, displacement), hint: Hint::Plain }
}

pub fn stream(val: u8, width: Width, base: Reg, displacement: i32) -> Op {
    Op::Store { val: Val(val), width, to: Addr::at(base, displacement), hint: Hint::NonTemporal }
}

/// A load ending `n` bytes after `base`.
pub fn load_last(val: u8, width: Width, base: Reg) -> Op {
    Op::Load { val: Val(val), width, from: Addr::indexed(base, Reg::N, -(width.bytes() as i32)) }
}

pub fn store_last(val: u8, width: Width, base: Reg) -> Op {
    Op::Store { val: Val(val), width, to: Addr::indexed(base, Reg::N, -(width.bytes() as i32)), hint: Hint::Plain }
}

pub fn set(to: Reg, value: Expr) -> Op {
    Op::Set { to, value }
}

/// `to = from + displacement`.
pub fn sum(to: Reg, from: Reg, displacement: i32) -> Op {
    set(to, Expr::Sum(Addr::at(from, displacement)))
}

pub fn add(to: Reg, left: Reg, right: Reg) -> Op {
    set(to, Expr::Sum(Addr::indexed(left, right, 0)))
}

pub fn when(cond: Cond, then: Vec<Op>) -> Op {
    Op::If { cond, then, otherwise: vec![], align: 1 }
}

pub fn turn(body: Vec<Op>, again: Cond) -> Op {
    Op::Turn { body, again, align: 1 }
}

/// 16 to 32 bytes: the first and the last 16, which overlap; both loads before both stores.
pub fn head_and_tail() -> (Plan, Span) {
    let width = Width::Sse16;
    let body = vec![
        load(0, width, Reg::SRC, 0),
        load_last(1, width, Reg::SRC),
        store(0, width, Reg::DST, 0),
        store_last(1, width, Reg::DST),
    ];
    (plan(body), span(16, 32))
}

/// 33 bytes and more: 32 at a time with both cursors bumped, while more than 32 are left; then the last 32.
pub fn bump_loop() -> (Plan, Span) {
    let width = Width::Avx32;
    let body = vec![
        turn(
            vec![
                load(0, width, Reg::SRC, 0),
                store(0, width, Reg::DST, 0),
                sum(Reg::SRC, Reg::SRC, 32),
                sum(Reg::DST, Reg::DST, 32),
                sum(Reg::N, Reg::N, -32),
            ],
            Cond::imm(Reg::N, Above, 32),
        ),
        load_last(0, width, Reg::SRC),
        store_last(0, width, Reg::DST),
        Op::ClearUpper,
    ];
    (plan(body), open(33))
}

/// 32 bytes and more: both pointers at the end of whole blocks, one index that counts up to zero; then the last 32 bytes.
pub fn negative_index() -> (Plan, Span) {
    let [end_src, end_dst, index, _] = Reg::SPARE;
    let width = Width::Sse16;
    let moved = |val, displacement| {
        let from = Addr::indexed(end_src, index, displacement);
        let to = Addr::indexed(end_dst, index, displacement);
        [Op::Load { val: Val(val), width, from }, Op::Store { val: Val(val), width, to, hint: Hint::Plain }]
    };
    let mut inner: Vec<Op> = moved(0, 0).into_iter().chain(moved(1, 16)).collect();
    inner.push(sum(index, index, 32));
    let body = vec![
        set(index, Expr::And(Reg::N, -32)),
        add(end_src, Reg::SRC, index),
        add(end_dst, Reg::DST, index),
        set(index, Expr::Negated(index)),
        turn(inner, Cond::imm(index, NotEqual, 0)),
        Op::Load { val: Val(0), width, from: Addr::indexed(Reg::SRC, Reg::N, -32) },
        Op::Load { val: Val(1), width, from: Addr::indexed(Reg::SRC, Reg::N, -16) },
        Op::Store { val: Val(0), width, to: Addr::indexed(Reg::DST, Reg::N, -32), hint: Hint::Plain },
        Op::Store { val: Val(1), width, to: Addr::indexed(Reg::DST, Reg::N, -16), hint: Hint::Plain },
    ];
    (plan(body), open(32))
}

/// Any length: eight bytes a unit, then single bytes.
pub fn string_move() -> (Plan, Span) {
    let body = vec![
        set(Reg::COUNT, Expr::ShiftRight(Reg::N, 3)),
        Op::Repeat { unit: Width::B8, direction: Direction::Forward },
        set(Reg::COUNT, Expr::And(Reg::N, 7)),
        Op::Repeat { unit: Width::B1, direction: Direction::Forward },
    ];
    (plan(body), open(0))
}

/// Any length, from the last byte down.
pub fn backward_string_move() -> (Plan, Span) {
    let body = vec![
        set(Reg::SRC, Expr::Sum(Addr::indexed(Reg::SRC, Reg::N, -1))),
        set(Reg::DST, Expr::Sum(Addr::indexed(Reg::DST, Reg::N, -1))),
        sum(Reg::COUNT, Reg::N, 0),
        Op::Repeat { unit: Width::B1, direction: Direction::Backward },
    ];
    (plan(body), open(0))
}

/// 16 bytes and more: the first 16 are kept, then 16 at a time from the end down while more than 16 are left.
pub fn backward_loop() -> (Plan, Span) {
    let width = Width::Sse16;
    let body = vec![
        load(1, width, Reg::SRC, 0),
        when(
            Cond::imm(Reg::N, Above, 16),
            vec![turn(
                vec![load_last(0, width, Reg::SRC), store_last(0, width, Reg::DST), sum(Reg::N, Reg::N, -16)],
                Cond::imm(Reg::N, Above, 16),
            )],
        ),
        store(1, width, Reg::DST, 0),
    ];
    (plan(body), open(16))
}

/// 0 to 64 bytes under one mask.
pub fn masked() -> (Plan, Span) {
    let (mask, val, width) = (Mask(1), Val(0), Width::Evex64);
    let body = vec![
        Op::SetMask { mask, count: Reg::N, width },
        Op::LoadPartial { val, width, from: Addr::at(Reg::SRC, 0), mask },
        Op::StorePartial { val, width, to: Addr::at(Reg::DST, 0), mask },
    ];
    (plan(body), span(0, 64))
}

/// 0 to 15 bytes: an arm for each.
pub fn switch() -> (Plan, Span) {
    let arm = |n: i32| {
        let (mut ops, mut at) = (Vec::new(), 0);
        for width in [Width::B8, Width::B4, Width::B2, Width::B1] {
            if n & width.bytes() as i32 != 0 {
                ops.extend([load(0, width, Reg::SRC, at), store(0, width, Reg::DST, at)]);
                at += width.bytes() as i32;
            }
        }
        ops.push(Op::Return);
        ops
    };
    (Plan { body: vec![Op::Switch { on: Reg::N, arms: (0..16).map(arm).collect() }] }, span(0, 15))
}

/// 128 bytes and more: the head, then non-temporal stores of 64 bytes to an aligned destination, a fence, and the tail.
pub fn streamed() -> (Plan, Span) {
    let [end, aligned, offset, _] = Reg::SPARE;
    let width = Width::Evex64;
    let body = vec![
        load(0, width, Reg::SRC, 0),
        load_last(1, width, Reg::SRC),
        store(0, width, Reg::DST, 0),
        store_last(1, width, Reg::DST),
        set(end, Expr::Sum(Addr::indexed(Reg::DST, Reg::N, -64))),
        sum(aligned, Reg::DST, 64),
        set(aligned, Expr::And(aligned, -64)),
        set(offset, Expr::Difference(aligned, Operand::Reg(Reg::DST))),
        add(Reg::SRC, Reg::SRC, offset),
        Op::Turn {
            body: vec![
                Op::Prefetch { locality: Locality::Nta, at: Addr::at(Reg::SRC, 512) },
                load(0, width, Reg::SRC, 0),
                stream(0, width, aligned, 0),
                sum(Reg::SRC, Reg::SRC, 64),
                sum(aligned, aligned, 64),
            ],
            again: Cond::reg(aligned, BelowOrEqual, end),
            align: 32,
        },
        Op::Fence,
    ];
    (plan(body), open(128))
}

/// 0 to 32 bytes without a branch: see `tests/sketches.rs`.
pub fn branch_free_leaf() -> (Plan, Span) {
    let [at, scratch, last, third] = Reg::SPARE;
    let mut loads = vec![set(scratch, Expr::Scratch(64))];
    let mut stores = Vec::new();
    let mut val = 0;
    let mut access = |loads: &mut Vec<Op>, stores: &mut Vec<Op>, width, setup: &dyn Fn(Reg) -> Vec<Op>| {
        loads.extend(setup(Reg::SRC));
        loads.push(load(val, width, at, 0));
        stores.extend(setup(Reg::DST));
        stores.push(store(val, width, at, 0));
        val += 1;
    };
    // Three bytes, first, middle and last, cover 1 to 3; each goes to scratch where n is zero.
    let not_empty = Cond::imm(Reg::N, NotEqual, 0);
    let redirected = move |cond, yes| set(at, Expr::Select { cond, yes, no: scratch });
    access(&mut loads, &mut stores, Width::B1, &|base| vec![redirected(not_empty, base)]);
    access(&mut loads, &mut stores, Width::B1, &|base| {
        vec![set(third, Expr::ShiftRight(Reg::N, 1)), add(last, base, third), redirected(not_empty, last)]
    });
    access(&mut loads, &mut stores, Width::B1, &|base| {
        vec![set(last, Expr::Sum(Addr::indexed(base, Reg::N, -1))), redirected(not_empty, last)]
    });
    // A pair of w bytes, the first and the last, covers w to 2w; below w both go to scratch.
    for width in [Width::B4, Width::B8, Width::Sse16] {
        let bytes = width.bytes() as i32;
        let enough = Cond::imm(Reg::N, AboveOrEqual, bytes);
        access(&mut loads, &mut stores, width, &|base| vec![redirected(enough, base)]);
        access(&mut loads, &mut stores, width, &|base| {
            vec![set(last, Expr::Sum(Addr::indexed(base, Reg::N, -bytes))), redirected(enough, last)]
        });
    }
    (plan(loads.into_iter().chain(stores).collect()), span(0, 32))
}

/// As [`branch_free_leaf`], but each class is stored before the next is loaded: no move, but it needs nine registers only.
pub fn branch_free_classes() -> (Plan, Span) {
    let (at, scratch) = (Reg::COUNT, Reg::SPARE[0]);
    let mut body = vec![set(scratch, Expr::Scratch(64))];
    let select = |cond| set(at, Expr::Select { cond, yes: at, no: scratch });
    let not_empty = Cond::imm(Reg::N, NotEqual, 0);
    for (base, stores) in [(Reg::SRC, false), (Reg::DST, true)] {
        let access = |val| if stores { store(val, Width::B1, at, 0) } else { load(val, Width::B1, at, 0) };
        body.extend([sum(at, base, 0), select(not_empty), access(0)]);
        body.extend([set(at, Expr::ShiftRight(Reg::N, 1)), add(at, at, base), select(not_empty), access(1)]);
        body.extend([set(at, Expr::Sum(Addr::indexed(base, Reg::N, -1))), select(not_empty), access(2)]);
    }
    for width in [Width::B4, Width::B8, Width::Sse16] {
        let bytes = width.bytes() as i32;
        let enough = Cond::imm(Reg::N, AboveOrEqual, bytes);
        for (base, stores) in [(Reg::SRC, false), (Reg::DST, true)] {
            let access = |val| if stores { store(val, width, at, 0) } else { load(val, width, at, 0) };
            body.extend([sum(at, base, 0), select(enough), access(0)]);
            body.extend([set(at, Expr::Sum(Addr::indexed(base, Reg::N, -bytes))), select(enough), access(1)]);
        }
    }
    (plan(body), span(0, 32))
}

/// Any length, the way of a PowerPC 603: see `tests/sketches.rs`.
pub fn powerpc_loop() -> (Plan, Span) {
    let byte = |left| {
        vec![
            load(0, Width::B1, Reg::SRC, 0),
            store(0, Width::B1, Reg::DST, 0),
            sum(Reg::SRC, Reg::SRC, 1),
            sum(Reg::DST, Reg::DST, 1),
            sum(left, left, -1),
        ]
    };
    let [blocks, head, _, _] = Reg::SPARE;
    let bytes_while_any =
        |left| when(Cond::imm(left, NotEqual, 0), vec![turn(byte(left), Cond::imm(left, NotEqual, 0))]);
    let body = vec![
        // Below 4 bytes there is nothing to align.
        when(Cond::imm(Reg::N, Below, 4), vec![bytes_while_any(Reg::N), Op::Return]),
        set(head, Expr::Negated(Reg::DST)),
        set(head, Expr::And(head, 3)),
        set(Reg::N, Expr::Difference(Reg::N, Operand::Reg(head))),
        bytes_while_any(head),
        set(blocks, Expr::ShiftRight(Reg::N, 3)),
        when(
            Cond::imm(blocks, NotEqual, 0),
            vec![Op::Turn {
                body: vec![
                    load(0, Width::B4, Reg::SRC, 0),
                    load(1, Width::B4, Reg::SRC, 4),
                    store(0, Width::B4, Reg::DST, 0),
                    store(1, Width::B4, Reg::DST, 4),
                    sum(Reg::SRC, Reg::SRC, 8),
                    sum(Reg::DST, Reg::DST, 8),
                    sum(blocks, blocks, -1),
                ],
                again: Cond::imm(blocks, NotEqual, 0),
                align: 32,
            }],
        ),
        when(
            Cond::AnyBit { reg: Reg::N, mask: 4 },
            vec![
                load(0, Width::B4, Reg::SRC, 0),
                store(0, Width::B4, Reg::DST, 0),
                sum(Reg::SRC, Reg::SRC, 4),
                sum(Reg::DST, Reg::DST, 4),
            ],
        ),
        set(Reg::N, Expr::And(Reg::N, 3)),
        bytes_while_any(Reg::N),
    ];
    (plan(body), open(0))
}
