//! Blocks of a misaligned source, loaded aligned: each value is put together from the one loaded before and the next.
//!
//! ```text
//! forward     |-before-|--next--|          backward     |--next--|-before-|
//!                 ^ src    ^ its cursor                 ^ its cursor  ^ src
//! ```
//!
//! Around the blocks the source cursor is a multiple of the width, moved on as far as [`APART`] says; never beyond a byte that is yet to be
//! copied, so that every load holds one of the source.

use super::ops::{Walk, less, set, store, sum, sum3};
use crate::plan::{Addr, Direction, Expr, Op, Reg, Val};
use crate::recipe::{Loop, Source};

/// How far the source cursor was moved on.
const APART: Reg = Reg::SPARE[1];

/// How many bytes further ahead than the source the aligned cursor may be.
pub(super) fn ahead(axes: &Loop) -> usize {
    if axes.source == Source::Merge { axes.width.bytes() } else { 0 }
}

/// Aligns the source cursor, and loads what comes before it in walking direction.
pub(super) fn enter(ops: &mut Vec<Op>, axes: &Loop) {
    let (walk, bytes) = (axes.direction, axes.width.bytes() as i32);
    let whole = set(APART, Expr::And(APART, -bytes));
    let before = Op::LoadAround { val: Val(0), width: axes.width, from: Addr::at(APART, 0) };
    match walk {
        Direction::Forward => {
            ops.extend([sum(APART, Reg::SRC, 0), whole, before]);
            ops.extend([set(APART, Expr::Negated(Reg::SRC)), set(APART, Expr::And(APART, bytes - 1))]);
            ops.push(sum3(Reg::SRC, Reg::SRC, APART, 0));
        }
        Direction::Backward => {
            ops.extend([sum(APART, Reg::SRC, -1), whole, before]);
            ops.extend([set(APART, Expr::And(Reg::SRC, bytes - 1)), less(Reg::SRC, APART)]);
        }
    }
    ops.push(Op::SetShift { width: axes.width, by: APART, walk });
}

/// Gives the source cursor back what it was moved on.
pub(super) fn leave(ops: &mut Vec<Op>, axes: &Loop) {
    ops.push(match axes.direction {
        Direction::Forward => less(Reg::SRC, APART),
        Direction::Backward => sum3(Reg::SRC, Reg::SRC, APART, 0),
    });
}

/// One block: the merged value takes the place of the one loaded before, and the next becomes that.
pub(super) fn block(body: &mut Vec<Op>, axes: &Loop) {
    let width = axes.width;
    for number in 0..i32::from(axes.unroll) {
        let one = Walk(axes.direction).one(number * width.bytes() as i32, width);
        let (before, next) = ((number % 2) as u8, (1 - number % 2) as u8);
        let (first, second) = match axes.direction {
            Direction::Forward => (before, next),
            Direction::Backward => (next, before),
        };
        body.push(Op::LoadAround { val: Val(next), width, from: one.from });
        body.push(Op::Merge { to: Val(before), first: Val(first), second: Val(second), width });
        body.push(store(before, width, one.to));
    }
}
