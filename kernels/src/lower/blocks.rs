//! The whole blocks of a loop.
//!
//! A phase copies blocks while at least `enough` bytes are left. A loop has up to three: interleaved streams or touched blocks
//! while there is room for them; blocks with prefetch while the prefetched lines lie inside; plain blocks. Every phase leaves the
//! cursors where copying goes on and [`Reg::N`] bytes to copy.

use super::ops::{Move, Walk, from_constant, less, moves, set, sum, sum3, when};
use crate::plan::{Addr, Cond, Direction, Expr, Hint, Op, Operand, Reg, Relation, Val};
use crate::recipe::{Beyond, Fetch, Form, Loop, PAGE, Prefetch, Side, Source, Tail};

/// One loop over blocks.
#[derive(Clone, Copy)]
pub(super) struct Phase {
    /// Goes on while so many bytes are left; at least a block.
    pub enough: usize,
    /// What is prefetched in each turn.
    pub fetch: Option<Prefetch>,
}

/// Bytes of a cache line, as far as plain loads that touch one go.
const LINE: usize = 64;

/// All whole blocks, given that at least `left` bytes are left now.
pub(super) fn blocks(ops: &mut Vec<Op>, axes: &Loop, mut left: usize) {
    let block = axes.block();
    let mut fetch = axes.prefetch;
    if axes.stores.streams > 1 {
        let chunk = axes.stores.streams as usize * PAGE;
        large(ops, axes, chunk, left, |ops| interleaved(ops, axes));
        left = left.min(block);
    }
    match fetch {
        Some(Prefetch { fetch: Fetch::Block, distance, .. }) => {
            large(ops, axes, distance as usize, left, |ops| touched(ops, axes, distance as usize));
            left = left.min(block);
            fetch = None;
        }
        Some(prefetch) if prefetch.beyond == Beyond::Clamp => {
            // The furthest byte named is less than a block beyond the distance.
            let enough = prefetch.distance as usize + block + super::merge::ahead(axes);
            phase(ops, axes, Phase { enough, fetch }, left);
            left = left.min(prefetch.distance as usize);
            fetch = None;
        }
        _ => {}
    }
    // Some tails copy the end again and want at least a byte; the others want less than a block.
    let enough = if matches!(axes.tail, Tail::Block | Tail::Overlap | Tail::Early) { block + 1 } else { block };
    phase(ops, axes, Phase { enough, fetch }, left);
}

/// Blocks while at least `phase.enough` bytes are left; a test before the loop unless `left` says that there are.
pub(super) fn phase(ops: &mut Vec<Op>, axes: &Loop, phase: Phase, left: usize) {
    let mut inner = Vec::new();
    match axes.form {
        Form::Bump if axes.source == Source::Merge => merge(&mut inner, axes, phase),
        Form::Bump => bump(&mut inner, axes, phase),
        Form::Index => index(&mut inner, axes, phase),
        Form::Count | Form::Update => super::counted::turns(&mut inner, axes, phase),
    }
    guarded(ops, inner, phase.enough, left);
}

fn guarded(ops: &mut Vec<Op>, inner: Vec<Op>, enough: usize, left: usize) {
    if left >= enough {
        ops.extend(inner);
    } else {
        ops.push(when(Cond::imm(Reg::N, Relation::AboveOrEqual, enough as i32), inner));
    }
}

/// Turns [`Reg::N`] into the last place of the source cursor at which `enough` bytes are left.
fn to_limit(ops: &mut Vec<Op>, walk: Walk, enough: i32) {
    match walk.0 {
        Direction::Forward => ops.push(sum3(Reg::N, Reg::SRC, Reg::N, -enough)),
        Direction::Backward => ops.extend([set(Reg::N, Expr::Negated(Reg::N)), sum3(Reg::N, Reg::SRC, Reg::N, enough)]),
    }
}

/// Turns the limit back into the number of bytes left.
fn from_limit(ops: &mut Vec<Op>, walk: Walk, enough: i32) {
    match walk.0 {
        Direction::Forward => ops.extend([less(Reg::N, Reg::SRC), sum(Reg::N, Reg::N, enough)]),
        Direction::Backward => ops.extend([set(Reg::N, Expr::Negated(Reg::N)), sum3(Reg::N, Reg::SRC, Reg::N, enough)]),
    }
}

/// Whether the source cursor has not passed the limit.
fn before_limit(walk: Walk) -> Cond {
    let relation = match walk.0 {
        Direction::Forward => Relation::BelowOrEqual,
        Direction::Backward => Relation::AboveOrEqual,
    };
    Cond::reg(Reg::SRC, relation, Reg::N)
}

pub(super) fn fence(ops: &mut Vec<Op>, axes: &Loop) {
    if axes.stores.hint() == Hint::NonTemporal {
        ops.push(Op::Fence);
    }
}

fn bump(ops: &mut Vec<Op>, axes: &Loop, phase: Phase) {
    let walk = Walk(axes.direction);
    let enough = phase.enough as i32;
    to_limit(ops, walk, enough);
    let mut body = Vec::new();
    block_at(&mut body, axes, phase.fetch, |cursor, ahead, bytes| walk.at(cursor, ahead, bytes));
    walk.advance(&mut body, axes.block());
    ops.push(Op::Turn { body, again: before_limit(walk), align: axes.loop_align });
    fence(ops, axes);
    from_limit(ops, walk, enough);
}

/// As [`bump`], with an aligned source cursor.
fn merge(ops: &mut Vec<Op>, axes: &Loop, phase: Phase) {
    let walk = Walk(axes.direction);
    let enough = phase.enough as i32;
    super::merge::enter(ops, axes);
    to_limit(ops, walk, enough);
    let mut body = Vec::new();
    fetches(&mut body, axes, phase.fetch, |cursor, ahead, bytes| walk.at(cursor, ahead, bytes));
    super::merge::block(&mut body, axes);
    walk.advance(&mut body, axes.block());
    ops.push(Op::Turn { body, again: before_limit(walk), align: axes.loop_align });
    from_limit(ops, walk, enough);
    super::merge::leave(ops, axes);
}

fn index(ops: &mut Vec<Op>, axes: &Loop, phase: Phase) {
    let walk = Walk(axes.direction);
    let block = axes.block() as i32;
    let enough = phase.enough as i32;
    let mut body = Vec::new();
    match walk.0 {
        Direction::Forward => {
            // Both cursors name one byte past the last place at which a block may start; the index rises to it from below.
            let ends = [Reg::SRC, Reg::DST].map(|cursor| sum3(cursor, cursor, Reg::N, 1 - enough));
            ops.extend(ends);
            ops.extend(from_constant(Reg::N, enough - 1));
            block_at(&mut body, axes, phase.fetch, |cursor, ahead, _| Addr::indexed(cursor, Reg::N, ahead));
            body.push(sum(Reg::N, Reg::N, block));
            // Below zero, that is huge, until the sum wraps and is less than what was added.
            let again = Cond::imm(Reg::N, Relation::AboveOrEqual, block);
            ops.push(Op::Turn { body, again, align: axes.loop_align });
            fence(ops, axes);
            walk.advance_by(ops, Reg::N);
            ops.extend(from_constant(Reg::N, enough - 1));
        }
        Direction::Backward => {
            // The number of bytes left is the index: the cursors name the start.
            ops.extend([less(Reg::SRC, Reg::N), less(Reg::DST, Reg::N)]);
            block_at(&mut body, axes, phase.fetch, |cursor, ahead, bytes| {
                Addr::indexed(cursor, Reg::N, -(ahead + bytes as i32))
            });
            body.push(sum(Reg::N, Reg::N, -block));
            let again = Cond::imm(Reg::N, Relation::AboveOrEqual, enough);
            ops.push(Op::Turn { body, again, align: axes.loop_align });
            fence(ops, axes);
            Walk(Direction::Forward).advance_by(ops, Reg::N);
        }
    }
}

/// One block: prefetches, then the moves. `place` gives the address of so many bytes so far ahead of a cursor.
pub(super) fn block_at(
    body: &mut Vec<Op>,
    axes: &Loop,
    fetch: Option<Prefetch>,
    place: impl Fn(Reg, i32, usize) -> Addr,
) {
    fetches(body, axes, fetch, &place);
    let bytes = axes.width.bytes();
    let list: Vec<Move> = (0..axes.unroll as i32)
        .map(|i| i * bytes as i32)
        .map(|ahead| Move { from: place(Reg::SRC, ahead, bytes), to: place(Reg::DST, ahead, bytes) })
        .collect();
    moves(body, &list, axes.width, axes.order, axes.stores.hint());
}

/// The prefetches of a block, and what it zeroes.
pub(super) fn fetches(
    body: &mut Vec<Op>,
    axes: &Loop,
    fetch: Option<Prefetch>,
    place: impl Fn(Reg, i32, usize) -> Addr,
) {
    let zeroed = axes.zero.map_or(axes.block(), usize::from);
    for ahead in (0..axes.block()).step_by(zeroed) {
        let at = place(Reg::DST, ahead as i32, zeroed);
        body.extend(axes.zero.map(|bytes| Op::ZeroLine { at, bytes }));
    }
    let Some(prefetch) = fetch else { return };
    for line in (0..axes.block()).step_by(axes.line.into()) {
        let ahead = prefetch.distance as i32 + line as i32;
        if prefetch.side != Side::Dst {
            body.push(fetch_op(prefetch, axes, place(Reg::SRC, ahead, 1)));
        }
        if prefetch.side != Side::Src {
            body.push(fetch_op(prefetch, axes, place(Reg::DST, ahead, 1)));
        }
    }
}

fn fetch_op(prefetch: Prefetch, axes: &Loop, at: Addr) -> Op {
    match prefetch.fetch.locality() {
        Some(locality) => Op::Prefetch { locality, at },
        None => Op::Touch { at, val: touch_val(axes) },
    }
}

/// A value that no move of a block uses.
fn touch_val(axes: &Loop) -> Val {
    Val(if axes.width.is_general() { crate::recipe::values(axes.width) as u8 - 1 } else { 0 })
}

/// Large chunks (interleaved pages, touched blocks) while there is one and a block more; forward only.
fn large(ops: &mut Vec<Op>, axes: &Loop, chunk: usize, left: usize, body: impl FnOnce(&mut Vec<Op>)) {
    let walk = Walk(Direction::Forward);
    let enough = chunk + axes.block();
    let mut inner = Vec::new();
    to_limit(&mut inner, walk, enough as i32);
    let mut turn = Vec::new();
    body(&mut turn);
    inner.push(Op::Turn { body: turn, again: before_limit(walk), align: 1 });
    fence(&mut inner, axes);
    from_limit(&mut inner, walk, enough as i32);
    guarded(ops, inner, enough, left);
}

/// A turn of `chunk` bytes by blocks, counted in [`Reg::COUNT`].
fn counted(ops: &mut Vec<Op>, axes: &Loop, turns: usize, mut body: Vec<Op>) {
    let nonzero = Cond::imm(Reg::COUNT, Relation::NotEqual, 0);
    Walk(Direction::Forward).advance(&mut body, axes.block());
    body.push(sum(Reg::COUNT, Reg::COUNT, -1));
    ops.push(set(Reg::COUNT, Expr::Const(turns as i32)));
    ops.push(Op::Turn { body, again: nonzero, align: axes.loop_align });
}

/// Blocks of several pages in turn: block by block through the first page of each stream.
fn interleaved(ops: &mut Vec<Op>, axes: &Loop) {
    let mut body = Vec::new();
    let fetch = axes.prefetch.filter(|prefetch| prefetch.beyond == Beyond::Overrun);
    for stream in 0..axes.stores.streams as i32 {
        let page = stream * PAGE as i32;
        block_at(&mut body, axes, fetch, |cursor, ahead, _| Addr::at(cursor, page + ahead));
    }
    counted(ops, axes, PAGE / axes.block(), body);
    Walk(Direction::Forward).advance(ops, (axes.stores.streams as usize - 1) * PAGE);
}

/// Touches one byte in every line of a chunk of the source, then copies the chunk.
fn touched(ops: &mut Vec<Op>, axes: &Loop, chunk: usize) {
    const LINES: usize = 4;
    let mut touch: Vec<Op> = (0..LINES)
        .map(|line| Op::Touch { at: Addr::indexed(Reg::SRC, Reg::COUNT, (line * LINE) as i32), val: touch_val(axes) })
        .collect();
    touch.push(sum(Reg::COUNT, Reg::COUNT, (LINES * LINE) as i32));
    let again = Cond::Compare { left: Reg::COUNT, relation: Relation::Below, right: Operand::Imm(chunk as i32) };
    ops.push(set(Reg::COUNT, Expr::Const(0)));
    ops.push(Op::Turn { body: touch, again, align: 1 });
    let mut body = Vec::new();
    block_at(&mut body, axes, None, |cursor, ahead, _| Addr::at(cursor, ahead));
    counted(ops, axes, chunk / axes.block(), body);
}
