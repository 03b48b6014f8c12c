//! The bytes after the last whole block.

use super::blocks::{Phase, phase};
use super::early;
use super::head::masked;
use super::ops::{Move, Walk, less, moves, state_back, sum, when};
use crate::plan::{Addr, Cond, Direction, Hint, Op, Reg, Width};
use crate::recipe::{Loop, Order, Tail};

/// The rest of a loop and the way out.
pub(super) fn after_loop(ops: &mut Vec<Op>, axes: &Loop) {
    let walk = Walk(axes.direction);
    let width = axes.width;
    match axes.tail {
        Tail::Block => last(ops, axes.block(), width, axes.order, walk),
        Tail::Overlap => {
            singles(ops, axes, width.bytes() + 1);
            last_move(ops, width, walk);
        }
        Tail::Mask => {
            singles(ops, axes, width.bytes());
            masked(ops, width, Reg::N);
        }
        Tail::Early => early::store_tail(ops, axes),
        Tail::Ladder | Tail::Bits => {
            if axes.tail == Tail::Bits {
                ops.push(Op::KeepBits { reg: Reg::N, mask: axes.block().next_power_of_two() as i32 - 1 });
            }
            ladder(ops, axes.block(), axes.edge(), walk);
            early::store_head(ops, axes);
            if width != Width::Avx32 {
                ops.extend(state_back(width));
            }
            ops.push(Op::Return);
            return;
        }
        Tail::Bytes => walk.bytes(ops, Reg::N),
        Tail::String => string(ops, walk),
    }
    early::store_head(ops, axes);
    super::ops::leave(ops, width);
}

/// Single moves as long as `enough` bytes are left.
fn singles(ops: &mut Vec<Op>, axes: &Loop, enough: usize) {
    if axes.unroll > 1 {
        let single = Loop { form: axes.form, direction: axes.direction, ..Loop::plain(axes.width, 1) };
        phase(ops, &single, Phase { enough, fetch: None }, 0);
    }
}

/// One move that ends where the copy ends.
pub(super) fn last_move(ops: &mut Vec<Op>, width: Width, walk: Walk) {
    last(ops, width.bytes(), width, Order::Group(1), walk);
}

/// `block` bytes that end where the copy ends; some of them have been copied already.
fn last(ops: &mut Vec<Op>, block: usize, width: Width, order: Order, walk: Walk) {
    let places = (0..block / width.bytes()).map(|i| (i * width.bytes()) as i32);
    let list: Vec<Move> = match walk.0 {
        Direction::Forward => {
            let at = |base, ahead| Addr::indexed(base, Reg::N, ahead - block as i32);
            places.map(|ahead| Move { from: at(Reg::SRC, ahead), to: at(Reg::DST, ahead) }).collect()
        }
        Direction::Backward => {
            ops.extend([less(Reg::SRC, Reg::N), less(Reg::DST, Reg::N)]);
            places.map(|ahead| Move { from: Addr::at(Reg::SRC, ahead), to: Addr::at(Reg::DST, ahead) }).collect()
        }
    };
    moves(ops, &list, width, order, Hint::Plain);
}

/// One test for each power of two below `block`, largest first: at most one piece of each size is left.
pub(super) fn ladder(ops: &mut Vec<Op>, block: usize, width: Width, walk: Walk) {
    let mut size = block.next_power_of_two() / 2;
    let mut wide = width;
    while size > 0 {
        while wide.bytes() > size {
            if wide == Width::Avx32 {
                // Legacy SSE moves after 256-bit ones would wait for the upper halves.
                ops.push(Op::ClearUpper);
            }
            wide = wide.narrower().unwrap_or(Width::B1);
        }
        let list: Vec<_> = (0..size / wide.bytes()).map(|i| walk.one((i * wide.bytes()) as i32, wide)).collect();
        let mut piece = Vec::new();
        moves(&mut piece, &list, wide, Order::Group(1), Hint::Plain);
        if size > 1 {
            walk.advance(&mut piece, size);
        }
        ops.push(when(Cond::AnyBit { reg: Reg::N, mask: size as i32 }, piece));
        size /= 2;
    }
}

/// A string move of the bytes left.
pub(super) fn string(ops: &mut Vec<Op>, walk: Walk) {
    ops.push(sum(Reg::COUNT, Reg::N, 0));
    walk.string_of_bytes(ops);
}
