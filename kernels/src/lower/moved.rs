//! Loops and string moves that lose no byte under overlap: a compare finds out which way is right.
//!
//! ```text
//! distance = dst - src                 a loop that is right both ways      one that wants disjoint operands
//! distance >= n (dst below, or apart)  the loop                            -distance >= n: as the recipe says
//!                                                                          otherwise: its plain twin
//! distance <  n (dst above)            the loop, backward                  its plain twin, backward
//! ```
//!
//! The distance is unsigned: with the destination below the source it is huge.

use super::looped;
use crate::Span;
use crate::plan::{Cond, Expr, Op, Operand, Reg, Relation};
use crate::recipe::{Shape, needs_disjoint, reversed, twin};

/// A leaf with a loop or a string move in it, as a move.
pub(super) fn moved(shape: &Shape, span: Span) -> Vec<Op> {
    let forward = super::copied(shape, span);
    let distance = Reg::COUNT;
    let apart = Cond::reg(distance, Relation::AboveOrEqual, Reg::N);
    let (below, above) = match shape {
        Shape::Loop(axes) if !needs_disjoint(shape) => (forward, looped(&reversed(axes), span.first())),
        _ => {
            let twin = twin(span, shape);
            let [ahead, back] = [twin, reversed(&twin)].map(|axes| looped(&axes, span.first()));
            let negated = Op::Set { to: distance, value: Expr::Negated(distance) };
            (vec![negated, Op::If { cond: apart, then: forward, otherwise: ahead, align: 1 }], back)
        }
    };
    vec![
        Op::Set { to: distance, value: Expr::Difference(Reg::DST, Operand::Reg(Reg::SRC)) },
        Op::If { cond: apart, then: below, otherwise: above, align: 1 },
    ]
}
