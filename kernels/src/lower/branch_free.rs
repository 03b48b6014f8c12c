//! Short lengths without a branch: every pair up to the widest is done always, and what does not fit goes to scratch memory.
//!
//! ```text
//! n       0   1   2   3   4 ........ 8 ........ 16
//! 3 x 1   -   first, middle, last
//! 2 x 4   -   -   -   -   first and last four ...
//! 2 x 8   -   -   -   -   -          first and last eight ...
//! ```
//!
//! A copy stores each level before it loads the next and gets along with few registers. A move loads every level first; stored is the
//! narrowest first, so that a reload soon after finds its bytes in one store.

use super::ops::{leave, load, set, store};
use crate::Span;
use crate::plan::{Addr, Cond, Expr, Op, Reg, Relation, Width};

/// Where redirected accesses go: the middle of each half of the scratch, so that both moves of a pair of 32 bytes stay inside.
const LOAD_SCRATCH: u8 = 32;
const STORE_SCRATCH: u8 = 96;

/// The first, the middle and the last of 1 to 3 bytes. [`Reg::COUNT`] is lost.
pub(super) fn three_bytes(ops: &mut Vec<Op>, src: Reg, dst: impl FnOnce(&mut Vec<Op>) -> Reg) {
    let middle = set(Reg::COUNT, Expr::ShiftRight(Reg::N, 1));
    ops.push(middle.clone());
    ops.extend(bytes_at(src).into_iter().zip(0..).map(|(at, val)| load(val, Width::B1, at)));
    let before = ops.len();
    let dst = dst(ops);
    if ops.len() > before {
        ops.push(middle);
    }
    ops.extend(bytes_at(dst).into_iter().zip(0..).map(|(at, val)| store(val, Width::B1, at)));
}

/// The places of the three bytes, given half the length in [`Reg::COUNT`].
fn bytes_at(base: Reg) -> [Addr; 3] {
    [Addr::at(base, 0), Addr::indexed(base, Reg::COUNT, 0), Addr::indexed(base, Reg::N, -1)]
}

/// The leaf as a copy, level by level.
pub(super) fn copied(width: Width, span: Span) -> Vec<Op> {
    let mut ops = Vec::new();
    if span.first() <= 3 {
        let redirect = |ops: &mut Vec<Op>, cursor, scratch| {
            if span.first() > 0 {
                return cursor;
            }
            redirected(ops, NOT_EMPTY, Reg::SPARE[0], cursor, scratch)
        };
        let src = redirect(&mut ops, Reg::SRC, LOAD_SCRATCH);
        three_bytes(&mut ops, src, |ops| redirect(ops, Reg::DST, STORE_SCRATCH));
    }
    for level in levels(width, span) {
        let at = |ops: &mut Vec<Op>, cursor, scratch| {
            if fits_always(level, span) {
                return cursor;
            }
            redirected(ops, fits(level), Reg::SPARE[0], cursor, scratch)
        };
        let src = at(&mut ops, Reg::SRC, LOAD_SCRATCH);
        ops.extend([load(0, level, Addr::at(src, 0)), load(1, level, tail(src, level))]);
        let dst = at(&mut ops, Reg::DST, STORE_SCRATCH);
        ops.extend([store(0, level, Addr::at(dst, 0)), store(1, level, tail(dst, level))]);
    }
    leave(&mut ops, width);
    ops
}

/// The leaf as a move: every load, then every store.
pub(super) fn moved(width: Width, span: Span) -> Vec<Op> {
    let bytes = span.first() <= 3;
    let levels: Vec<Width> =
        levels(width, span).into_iter().map(|level| if bytes { vector(level) } else { level }).collect();
    let mut ops = Vec::new();
    for (cursor, scratch) in [(Reg::SRC, LOAD_SCRATCH), (Reg::DST, STORE_SCRATCH)] {
        let access = |val, width, at| if cursor == Reg::SRC { load(val, width, at) } else { store(val, width, at) };
        if bytes {
            let base = match span.first() {
                0 => redirected(&mut ops, NOT_EMPTY, Reg::SPARE[0], cursor, scratch),
                _ => cursor,
            };
            ops.push(set(Reg::COUNT, Expr::ShiftRight(Reg::N, 1)));
            ops.extend(bytes_at(base).into_iter().zip(0..).map(|(at, val)| access(val, Width::B1, at)));
        }
        for (&level, val) in levels.iter().zip((if bytes { 3 } else { 0 }..).step_by(2)) {
            // Four general values take every other register, so that only one is left to redirect in.
            let base = match fits_always(level, span) {
                true => cursor,
                false => redirected(&mut ops, fits(level), Reg::COUNT, cursor, scratch),
            };
            ops.extend([access(val, level, Addr::at(base, 0)), access(val + 1, level, tail(base, level))]);
        }
    }
    leave(&mut ops, width);
    ops
}

const NOT_EMPTY: Cond = Cond::imm(Reg::N, Relation::NotEqual, 0);

/// Where the last move of a level goes.
fn tail(base: Reg, level: Width) -> Addr {
    Addr::indexed(base, Reg::N, -(level.bytes() as i32))
}

fn fits(level: Width) -> Cond {
    Cond::imm(Reg::N, Relation::AboveOrEqual, level.bytes() as i32)
}

fn fits_always(level: Width, span: Span) -> bool {
    span.first() >= level.bytes()
}

/// The pairs from 4 bytes up to a width that some length of the span needs, narrowest first. Three single bytes come before them.
fn levels(width: Width, span: Span) -> Vec<Width> {
    let narrower = std::iter::successors(Some(width), |width| width.narrower());
    let mut levels: Vec<Width> = narrower.take_while(|width| width.bytes() >= 4).collect();
    levels.retain(|level| span.first() <= 2 * level.bytes() && span.last() >= level.bytes());
    levels.reverse();
    levels
}

/// The same level where the general registers are taken.
fn vector(level: Width) -> Width {
    match level {
        Width::B4 => Width::Sse4,
        Width::B8 => Width::Sse8,
        other => other,
    }
}

/// The cursor where the condition holds, otherwise scratch memory, in `to`; [`Reg::COUNT`] is lost.
fn redirected(ops: &mut Vec<Op>, cond: Cond, to: Reg, cursor: Reg, scratch: u8) -> Reg {
    ops.push(set(Reg::COUNT, Expr::Scratch(scratch)));
    ops.push(set(to, Expr::Select { cond, yes: cursor, no: Reg::COUNT }));
    to
}
