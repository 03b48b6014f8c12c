//! Loops that know how many turns they take: the count is what decides, and pointers may be moved on by the accesses themselves.
//!
//! ```text
//! forward, update        dst, src, one move below          backward
//!   v                                                                                 v
//!   |------|-1st--|-2nd--|  the 2nd moves the pointer here      |-2nd--|-1st--|
//! ```

use super::blocks::{Phase, block_at, fence, fetches};
use super::ops::{Walk, load, set, sum};
use crate::plan::{Cond, Direction, Expr, Op, Reg, Relation, Val};
use crate::recipe::{Form, Loop, Order};

/// Blocks while at least `phase.enough` bytes are left, which are now. [`Reg::COUNT`] is lost.
pub(super) fn turns(ops: &mut Vec<Op>, axes: &Loop, phase: Phase) {
    let walk = Walk(axes.direction);
    let block = axes.block();
    // So many bytes are to be left after the last turn, and what does not fill a block.
    let kept = (phase.enough - block) as i32;
    let keep = |ops: &mut Vec<Op>, by| ops.extend((by != 0).then(|| sum(Reg::N, Reg::N, by)));
    keep(ops, -kept);
    ops.push(match block.trailing_zeros() as u8 {
        0 => sum(Reg::COUNT, Reg::N, 0),
        shift => set(Reg::COUNT, Expr::ShiftRight(Reg::N, shift)),
    });
    ops.push(set(Reg::N, Expr::And(Reg::N, block as i32 - 1)));
    let below = if updates_forward(axes) { axes.width.bytes() as i32 } else { 0 };
    let move_by = |ops: &mut Vec<Op>, by| {
        ops.extend([Reg::SRC, Reg::DST].into_iter().filter(|_| by != 0).map(|cursor| sum(cursor, cursor, by)));
    };
    move_by(ops, -below);
    let mut body = Vec::new();
    if axes.form == Form::Update {
        fetches(&mut body, axes, phase.fetch, |cursor, ahead, bytes| walk.at(cursor, ahead + below, bytes));
        groups(&mut body, axes, below);
    } else {
        block_at(&mut body, axes, phase.fetch, |cursor, ahead, bytes| walk.at(cursor, ahead, bytes));
        walk.advance(&mut body, block);
    }
    body.push(sum(Reg::COUNT, Reg::COUNT, -1));
    let again = Cond::imm(Reg::COUNT, Relation::NotEqual, 0);
    ops.push(Op::Turn { body, again, align: axes.loop_align });
    fence(ops, axes);
    move_by(ops, below);
    keep(ops, kept);
}

fn updates_forward(axes: &Loop) -> bool {
    axes.form == Form::Update && axes.direction == Direction::Forward
}

/// The moves of a block, group by group; the cursors are `below` bytes below what comes next, and go to where the last of a group was.
fn groups(body: &mut Vec<Op>, axes: &Loop, below: i32) {
    let Loop { width, order: Order::Group(group), .. } = *axes else { return };
    let (walk, hint) = (Walk(axes.direction), axes.stores.hint());
    let place = |cursor, number: u8| walk.at(cursor, i32::from(number) * width.bytes() as i32 + below, width.bytes());
    let on = |cursor| sum(cursor, cursor, walk.signed(i32::from(group) * width.bytes() as i32));
    for _ in 0..axes.unroll / group {
        body.extend((0..group).map(|number| load(number, width, place(Reg::SRC, number))));
        body.push(on(Reg::SRC));
        body.extend((0..group).map(|number| Op::Store { val: Val(number), width, to: place(Reg::DST, number), hint }));
        body.push(on(Reg::DST));
    }
}
