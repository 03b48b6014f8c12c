//! The shapes without a loop.

use super::branch_free::three_bytes;
use super::head;
use super::ops::{Move, leave, less, load, moves, set, store, sum, sum3, when};
use crate::Span;
use crate::plan::{Addr, Cond, Expr, Hint, Op, Reg, Relation, Width};
use crate::recipe::{Bottom, Last, Order, values};

/// ```text
/// |-- head moves --|
///          |-- tail moves --|
/// ```
pub(super) fn pairs(width: Width, count: u8, last: Last) -> Vec<Op> {
    let mut ops = Vec::new();
    overlapping(&mut ops, width, count, last, Reg::SRC, Reg::DST);
    leave(&mut ops, width);
    ops
}

/// One load and one store of the first `n` bytes of a vector.
pub(super) fn masked(width: Width) -> Vec<Op> {
    let mut ops = Vec::new();
    head::masked(&mut ops, width, Reg::N);
    leave(&mut ops, width);
    ops
}

/// `count` moves from the start and as many that end at the end, every load before the first store.
fn overlapping(ops: &mut Vec<Op>, width: Width, count: u8, last: Last, src: Reg, dst: Reg) {
    let bytes = width.bytes() as i32;
    let count = i32::from(count);
    let head = (0..count).map(|i| (i as u8, None, i * bytes));
    let tail = (0..count).map(|i| ((count + i) as u8, Some(Reg::N), (i - count) * bytes));
    let addr = |base, index: Option<Reg>, displacement| Addr { base, index, displacement };
    for (val, index, at) in head.clone().chain(tail.clone()) {
        ops.push(load(val, width, addr(src, index, at)));
    }
    let ordered: Vec<_> = match last {
        Last::Tail => head.chain(tail).collect(),
        Last::Head => tail.chain(head).collect(),
    };
    ops.extend(ordered.into_iter().map(|(val, index, at)| store(val, width, addr(dst, index, at))));
}

pub(super) fn chain(width: Width, bottom: Bottom, span: Span) -> Vec<Op> {
    let mut ops = Vec::new();
    let bytes = width.bytes();
    let narrower = width.narrower();
    if span.last() < bytes {
        // No length of the span is long enough for this pair.
        return match narrower {
            Some(narrower) => below(narrower, bottom, span),
            None => vec![Op::Return],
        };
    }
    overlapping(&mut ops, width, 1, Last::Tail, Reg::SRC, Reg::DST);
    leave(&mut ops, width);
    if span.first() >= bytes {
        return ops;
    }
    let otherwise = match narrower {
        Some(narrower) => below(narrower, bottom, span),
        None => vec![Op::Return],
    };
    vec![Op::If { cond: Cond::imm(Reg::N, Relation::AboveOrEqual, bytes as i32), then: ops, otherwise, align: 1 }]
}

/// The lengths of the span that are below twice the next wider width.
fn below(width: Width, bottom: Bottom, span: Span) -> Vec<Op> {
    let nonempty = Cond::imm(Reg::N, Relation::NotEqual, 0);
    let mut ops = Vec::new();
    match (width, bottom) {
        (Width::B2, Bottom::Three) => three_bytes(&mut ops, Reg::SRC, |_| Reg::DST),
        (Width::B1, _) => ops.extend([load(0, width, Addr::at(Reg::SRC, 0)), store(0, width, Addr::at(Reg::DST, 0))]),
        _ => return chain(width, bottom, span),
    }
    if span.first() == 0 {
        ops = vec![when(nonempty, ops)];
    }
    ops.push(Op::Return);
    ops
}

/// Four moves at 0, a, n-a-w, n-w with a = (n/2) & 3w, that is 0, w or 2w; or eight at sums of a and b, which are
/// 0 or w and 0 or 2w, from both ends.
pub(super) fn computed(width: Width, count: u8, last: Last) -> Vec<Op> {
    let bytes = width.bytes() as i32;
    let (a, b) = (Reg::COUNT, Reg::SPARE[0]);
    let mut ops = Vec::new();
    if count == 4 {
        ops.push(set(a, Expr::ShiftRight(Reg::N, 1)));
        ops.push(set(a, Expr::And(a, 3 * bytes)));
        ops.extend([load(0, width, Addr::at(Reg::SRC, 0)), load(1, width, Addr::indexed(Reg::SRC, a, 0))]);
        ops.push(load(3, width, Addr::indexed(Reg::SRC, Reg::N, -bytes)));
        // The source cursor is done for once the end is known, and the length once the last store is made.
        ops.extend([sum3(Reg::SRC, Reg::SRC, Reg::N, 0), less(Reg::SRC, a)]);
        ops.push(load(2, width, Addr::at(Reg::SRC, -bytes)));
        let head = [store(1, width, Addr::indexed(Reg::DST, a, 0)), store(0, width, Addr::at(Reg::DST, 0))];
        let tail = [
            store(3, width, Addr::indexed(Reg::DST, Reg::N, -bytes)),
            less(Reg::N, a),
            store(2, width, Addr::indexed(Reg::DST, Reg::N, -bytes)),
        ];
        both_ends(&mut ops, head.into(), tail.into(), last);
    } else {
        let zero = Reg::SPARE[1];
        ops.push(set(zero, Expr::Const(0)));
        for (offset, times) in [(a, 1), (b, 2)] {
            ops.push(set(offset, Expr::Const(times * bytes)));
            let far = Cond::imm(Reg::N, Relation::Above, 2 * times * bytes);
            ops.push(set(offset, Expr::Select { cond: far, yes: offset, no: zero }));
        }
        eight(&mut ops, width, a, b, last);
    }
    leave(&mut ops, width);
    ops
}

/// The eight moves at 0, a, b, a+b from the start and mirrored from the end.
fn eight(ops: &mut Vec<Op>, width: Width, a: Reg, b: Reg, last: Last) {
    let bytes = width.bytes() as i32;
    let end = Reg::SPARE[1];
    ops.push(sum3(end, Reg::SRC, Reg::N, -bytes));
    ops.extend([load(0, width, Addr::at(Reg::SRC, 0)), load(1, width, Addr::indexed(Reg::SRC, a, 0))]);
    ops.push(sum3(Reg::SRC, Reg::SRC, b, 0));
    ops.extend([load(2, width, Addr::at(Reg::SRC, 0)), load(3, width, Addr::indexed(Reg::SRC, a, 0))]);
    let mut step = |val, by: Reg| {
        ops.push(load(val, width, Addr::at(end, 0)));
        ops.push(less(end, by));
    };
    step(7, a);
    step(6, b);
    // end - a - b, then back by a.
    ops.push(load(4, width, Addr::at(end, 0)));
    ops.push(sum3(end, end, a, 0));
    ops.push(load(5, width, Addr::at(end, 0)));
    ops.push(sum3(end, Reg::DST, Reg::N, -bytes));
    let head = vec![
        store(1, width, Addr::indexed(Reg::DST, a, 0)),
        store(0, width, Addr::at(Reg::DST, 0)),
        sum3(Reg::DST, Reg::DST, b, 0),
        store(3, width, Addr::indexed(Reg::DST, a, 0)),
        store(2, width, Addr::at(Reg::DST, 0)),
    ];
    let tail = vec![
        store(7, width, Addr::at(end, 0)),
        less(end, a),
        store(6, width, Addr::at(end, 0)),
        less(end, b),
        store(4, width, Addr::at(end, 0)),
        sum3(end, end, a, 0),
        store(5, width, Addr::at(end, 0)),
    ];
    both_ends(ops, head, tail, last);
}

fn both_ends(ops: &mut Vec<Op>, head: Vec<Op>, tail: Vec<Op>, last: Last) {
    match last {
        Last::Tail => ops.extend(head.into_iter().chain(tail)),
        Last::Head => ops.extend(tail.into_iter().chain(head)),
    }
}

pub(super) fn jump_table(width: Width, span: Span) -> Vec<Op> {
    let arms = (span.first()..=span.last()).map(|n| exact(width, n)).collect();
    let mut ops = Vec::new();
    if span.first() > 0 {
        ops.push(sum(Reg::N, Reg::N, -(span.first() as i32)));
    }
    ops.push(Op::Switch { on: Reg::N, arms });
    ops
}

/// Straight code for one length: moves of the widest width that fits, the last one ending at the end.
fn exact(widest: Width, n: usize) -> Vec<Op> {
    let fitting = std::iter::successors(Some(widest), |width| width.narrower()).find(|width| width.bytes() <= n);
    let Some(width) = fitting else { return vec![Op::Return] };
    let bytes = width.bytes();
    let whole = (0..n / bytes).map(|i| i * bytes);
    let rest = (!n.is_multiple_of(bytes)).then(|| n - bytes);
    let list: Vec<Move> = whole
        .chain(rest)
        .map(|at| Move { from: Addr::at(Reg::SRC, at as i32), to: Addr::at(Reg::DST, at as i32) })
        .collect();
    let mut ops = Vec::new();
    moves(&mut ops, &list, width, Order::Group(values(width) as u8), Hint::Plain);
    leave(&mut ops, width);
    ops
}
