//! What a recipe must keep to so that no byte is lost where source and destination overlap, and what stands in for it where it cannot.
//!
//! ```text
//! forward, dst below src           backward, dst above src
//!      |--- src ---|                |--- src ---|
//!   |--- dst ---|                       |--- dst ---|
//!   -> stores stay below             <- stores stay above
//!      what is yet to be loaded         what is yet to be loaded
//! ```
//!
//! Walking the right way, a loop may load and store block by block, and a byte at a time at either end. What it may not do is to copy a byte
//! twice, at a head or a tail that overlaps its blocks: the second load finds what the first store left. Such bytes are loaded early, before
//! anything is stored.

use super::valid::{check_loop, values, wrong};
use super::{Align, Head, Loop, RecipeError, Shape, Side, Stores, StringMove, Tail};
use crate::Span;
use crate::plan::{Direction, Width};

/// Whether the shape moves every length of the span, given that it copies them.
pub(super) fn check(span: Span, shape: &Shape) -> Result<(), RecipeError> {
    match *shape {
        // Every load comes before the first store.
        Shape::Pairs { .. }
        | Shape::Chain { .. }
        | Shape::BranchFree { .. }
        | Shape::Masked { .. }
        | Shape::Computed { .. } => Ok(()),
        Shape::JumpTable { width } => {
            let moves = span.last().div_ceil(width.bytes());
            if moves <= values(width) {
                return Ok(());
            }
            wrong(format!(
                "jump-table width={width} is not allowed for a move of {span}; {moves} values must be loaded before the first store, \
                 and there are registers for {}",
                values(width)
            ))
        }
        Shape::String(StringMove { direction, .. }) => any_direction(direction),
        Shape::Loop(ref axes) => {
            any_direction(axes.direction)?;
            if !needs_disjoint(shape) {
                check_both_ways(span, axes)?;
            }
            Ok(())
        }
    }
}

fn any_direction(direction: Direction) -> Result<(), RecipeError> {
    if direction == Direction::Forward {
        return Ok(());
    }
    wrong(format!("direction={direction} is not allowed for a move; it is found at run time"))
}

/// A loop that must be right forward, with the destination below the source, and mirrored, with the destination above it.
fn check_both_ways(span: Span, axes: &Loop) -> Result<(), RecipeError> {
    if let Some(bytes) = axes.zero {
        return wrong(format!("zero={bytes} is not allowed for a move; the block may be what is yet to be loaded"));
    }
    match axes.tail {
        Tail::Block | Tail::Overlap => {
            return wrong(format!(
                "tail={} is not allowed for a move; it loads again what may have been written over; early, ladder, bytes or string",
                axes.tail
            ));
        }
        Tail::Mask => return wrong("tail=mask is not allowed for a move; it has no backward form"),
        Tail::Early | Tail::Ladder | Tail::Bits | Tail::Bytes | Tail::String => {}
    }
    match axes.align {
        Some(align @ Align { head: Head::Overlap, .. }) => {
            return wrong(format!(
                "align={align} is not allowed for a move; the loop loads again what the head may have written over; HEAD early, bytes or \
                 string"
            ));
        }
        Some(align @ Align { head: Head::Mask, .. }) => {
            return wrong(format!("align={align} is not allowed for a move; a masked head has no backward form"));
        }
        _ => {}
    }
    check_loop(span, &reversed(axes))
}

/// The same loop from the end down. What it prefetches is where the forward loop goes, so it does not.
pub(crate) fn reversed(axes: &Loop) -> Loop {
    Loop { direction: Direction::Backward, prefetch: None, ..*axes }
}

/// Whether a move does as the shape says only where source and destination have no byte in common: interleaved streams are wrong under any
/// overlap, non-temporal stores and string moves slow.
pub(crate) const fn needs_disjoint(shape: &Shape) -> bool {
    match shape {
        Shape::Loop(Loop { stores: Stores { non_temporal, streams }, .. }) => *non_temporal || *streams > 1,
        Shape::String(_) => true,
        _ => false,
    }
}

/// What stands in for a shape that [`needs_disjoint`] operands where they are not: a plain loop of vectors (or floating-point registers) as
/// wide, with an early head and
/// tail where every length of the span has room for them.
pub(crate) fn twin(span: Span, shape: &Shape) -> Loop {
    let width = match shape {
        Shape::Loop(Loop { width, .. }) if width.bytes() >= 16 || *width == Width::Fp8 => *width,
        _ => Width::Sse16,
    };
    let fits = |unroll: &u8| usize::from(*unroll) * width.bytes() <= span.first();
    let align = Align { side: Side::Dst, to: width.bytes() as u8, head: Head::Early };
    match [4, 2, 1].into_iter().find(fits) {
        Some(unroll) => Loop { align: Some(align), tail: Tail::Early, ..Loop::plain(width, unroll) },
        None => Loop { tail: Tail::Ladder, ..Loop::plain(width, 4) },
    }
}
