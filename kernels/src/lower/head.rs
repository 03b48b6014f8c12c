//! The bytes before the first aligned one.

use super::ops::{Walk, less, moves, set, sum, sum3};
use crate::plan::{Direction, Expr, Hint, Mask, Op, Reg, Val, Width};
use crate::recipe::{Align, Head, Order, Side};

/// Copies up to the first place where the aligned cursor is a multiple of `align.to`, and moves both cursors there.
/// [`Reg::COUNT`] is lost.
pub(super) fn head(ops: &mut Vec<Op>, align: Align, width: Width, walk: Walk) {
    let to = i32::from(align.to);
    let aligned = if align.side == Side::Src { Reg::SRC } else { Reg::DST };
    let count = Reg::COUNT;
    if matches!(align.head, Head::Overlap | Head::Early) {
        // Copies `to` bytes, of which the aligned loop copies some again; no branch. An early head has them in registers.
        if align.head == Head::Overlap {
            let pieces = (align.to as usize).div_ceil(width.bytes());
            let list: Vec<_> = (0..pieces).map(|i| walk.one((i * width.bytes()) as i32, width)).collect();
            moves(ops, &list, width, Order::Group(1), Hint::Plain);
        }
        ops.push(set(count, Expr::And(aligned, to - 1)));
        match walk.0 {
            Direction::Forward => {
                // minus the way to the next multiple, 1 to `to` bytes on
                ops.push(sum(count, count, -to));
                ops.extend([less(Reg::SRC, count), less(Reg::DST, count), sum3(Reg::N, Reg::N, count, 0)]);
            }
            Direction::Backward => {
                walk.advance_by(ops, count);
                ops.push(less(Reg::N, count));
            }
        }
        return;
    }
    match walk.0 {
        Direction::Forward => {
            ops.push(set(count, Expr::Negated(aligned)));
            ops.push(set(count, Expr::And(count, to - 1)));
        }
        Direction::Backward => ops.push(set(count, Expr::And(aligned, to - 1))),
    }
    ops.push(less(Reg::N, count));
    match align.head {
        Head::Bytes => walk.bytes(ops, count),
        Head::String => walk.string_of_bytes(ops),
        Head::Mask | Head::Overlap | Head::Early => {
            masked(ops, width, count);
            walk.advance_by(ops, count);
        }
    }
}

/// One masked move of `count` bytes at the cursors, forward.
pub(super) fn masked(ops: &mut Vec<Op>, width: Width, count: Reg) {
    let forward = Walk(Direction::Forward).one(0, width);
    let (val, mask) = (Val(0), Mask(0));
    ops.push(Op::SetMask { mask, count, width });
    ops.push(Op::LoadPartial { val, width, from: forward.from, mask });
    ops.push(Op::StorePartial { val, width, to: forward.to, mask });
}
