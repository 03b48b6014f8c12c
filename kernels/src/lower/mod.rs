//! From routine to plan: where all arithmetic about overlap, tails and alignment is done, once for every target.
//!
//! `short` lowers the shapes without a loop; `blocks` the loop (`counted` where its turns are counted, `merge` where its loads are aligned),
//! between `head` (bytes up to the first aligned one) and `tail` (bytes after the last whole block), with what is loaded `early` around
//! them. Between the three the state is always the same: both
//! cursors name where copying goes on, [`Reg::N`] holds how many bytes are left. `moved` puts a choice of direction in front.

mod blocks;
mod branch_free;
mod counted;
mod early;
mod head;
mod merge;
mod moved;
mod ops;
mod short;
mod tail;

use crate::Span;
use crate::plan::{Cond, Direction, Expr, Op, Operand, Plan, Reg, Relation, Width};
use crate::recipe::{Loop, Operation, Recipe, Shape, StringMove, Tail, twin};
use crate::routine::{Cut, FallsThrough, Routine};
use ops::{Walk, leave, set};

impl Routine {
    /// Its plan.
    pub fn plan(&self) -> Plan {
        Plan { body: tree(self.cuts(), self.align_jumps(), self.leaves()) }
    }
}

/// The first cut that lies inside the run of leaves divides it; the others go to their sides.
fn tree(cuts: &[Cut], align: u8, leaves: &[Recipe]) -> Vec<Op> {
    let inside = |cut: &&Cut| leaves[..leaves.len() - 1].iter().any(|leaf| leaf.span().last() == cut.at);
    let Some(cut) = cuts.iter().find(inside) else { return leaf(&leaves[0]) };
    let (lower, upper) = leaves.split_at(leaves.partition_point(|leaf| leaf.span().last() <= cut.at));
    let at = i32::try_from(cut.at).expect("a routine has no cut above i32::MAX");
    let (lower, upper) = (tree(cuts, align, lower), tree(cuts, align, upper));
    vec![match cut.falls {
        FallsThrough::AtMost => {
            Op::If { cond: Cond::imm(Reg::N, Relation::BelowOrEqual, at), then: lower, otherwise: upper, align }
        }
        FallsThrough::Above => {
            Op::If { cond: Cond::imm(Reg::N, Relation::Above, at), then: upper, otherwise: lower, align }
        }
    }]
}

fn leaf(recipe: &Recipe) -> Vec<Op> {
    let span = recipe.span();
    match (recipe.operation(), recipe.shape()) {
        (Operation::Move, &Shape::BranchFree { width }) => branch_free::moved(width, span),
        (Operation::Move, shape @ (Shape::Loop(_) | Shape::String(_))) => moved::moved(shape, span),
        // The other shapes load all before they store anything.
        (Operation::Copy | Operation::Move, shape) => copied(shape, span),
    }
}

fn copied(shape: &Shape, span: Span) -> Vec<Op> {
    match *shape {
        Shape::Pairs { width, moves, last } => short::pairs(width, moves, last),
        Shape::Chain { width, bottom } => short::chain(width, bottom, span),
        Shape::BranchFree { width } => branch_free::copied(width, span),
        Shape::Masked { width } => short::masked(width),
        Shape::Computed { width, moves, last } => short::computed(width, moves, last),
        Shape::JumpTable { width } => short::jump_table(width, span),
        Shape::String(ref string) => guarded(string, span),
        Shape::Loop(ref axes) => looped(axes, span.first()),
    }
}

/// Both cursors at the place where a walk starts.
fn start(ops: &mut Vec<Op>, walk: Walk) {
    if walk.0 == Direction::Backward {
        Walk(Direction::Forward).advance_by(ops, Reg::N);
    }
}

fn looped(axes: &Loop, shortest: usize) -> Vec<Op> {
    let walk = Walk(axes.direction);
    let mut ops = Vec::with_capacity(32);
    early::load_tail(&mut ops, axes);
    start(&mut ops, walk);
    early::load_head(&mut ops, axes);
    let mut left_at_least = shortest;
    if let Some(align) = axes.align {
        head::head(&mut ops, align, axes.edge(), walk);
        left_at_least = left_at_least.saturating_sub(align.to as usize);
    }
    blocks::blocks(&mut ops, axes, left_at_least);
    tail::after_loop(&mut ops, axes);
    ops
}

/// A string move, and what stands in for it where its guard forbids it.
fn guarded(string: &StringMove, span: Span) -> Vec<Op> {
    let moved = string_move(string);
    let Some(guard) = string.guard else { return moved };
    let distance = Reg::COUNT;
    let just_above = Cond::imm(distance, Relation::Below, i32::from(guard) - 1);
    vec![
        set(distance, Expr::Difference(Reg::DST, Operand::Reg(Reg::SRC))),
        // So that a distance of nothing is far.
        ops::sum(distance, distance, -1),
        set(distance, Expr::And(distance, 4095)),
        Op::If {
            cond: just_above,
            then: looped(&twin(span, &Shape::String(*string)), span.first()),
            otherwise: moved,
            align: 1,
        },
    ]
}

fn string_move(string: &StringMove) -> Vec<Op> {
    let walk = Walk(string.direction);
    let unit = string.unit;
    let mut ops = Vec::with_capacity(16);
    start(&mut ops, walk);
    if let Some(align) = string.align {
        head::head(&mut ops, align, Width::B8, walk);
    }
    let shift = unit.bytes().trailing_zeros() as u8;
    if shift == 0 {
        ops.push(ops::sum(Reg::COUNT, Reg::N, 0));
        walk.string(&mut ops, unit);
    } else {
        ops.push(set(Reg::COUNT, Expr::ShiftRight(Reg::N, shift)));
        walk.string(&mut ops, unit);
        ops.push(set(Reg::N, Expr::And(Reg::N, unit.bytes() as i32 - 1)));
        match string.tail {
            Tail::Overlap => tail::last_move(&mut ops, unit, walk),
            Tail::Ladder => tail::ladder(&mut ops, unit.bytes(), unit, walk),
            Tail::Bytes => walk.bytes(&mut ops, Reg::N),
            // The others are refused by the recipe's own check.
            Tail::String | Tail::Block | Tail::Mask | Tail::Early | Tail::Bits => tail::string(&mut ops, walk),
        }
    }
    leave(&mut ops, Width::B8);
    ops
}
