//! What a loop must keep to that merges aligned loads from a misaligned source.
//!
//! ```text
//! source           |--------------- n bytes ------
//! aligned    |--first--|--second-|---------|
//!                  |-- merged -|        <- aligned with the destination
//! ```
//!
//! The destination is aligned first, so that both loads and stores are. AltiVec has no other accesses at all: what is not a whole aligned
//! vector is moved through general registers.

use super::valid::wrong;
use super::{Align, Fetch, Form, Head, Loop, Order, RecipeError, Shape, Side, Source, Stores, Tail};
use crate::plan::Width;

/// Shapes other than loops see to no alignment.
pub(super) fn check_width(shape: &Shape) -> Result<(), RecipeError> {
    match *shape {
        Shape::Pairs { width: Width::Altivec16, .. }
        | Shape::Chain { width: Width::Altivec16, .. }
        | Shape::BranchFree { width: Width::Altivec16 }
        | Shape::Computed { width: Width::Altivec16, .. }
        | Shape::JumpTable { width: Width::Altivec16 } => {
            wrong("width=altivec16 is allowed in loops only; its accesses are aligned, which no other shape sees to")
        }
        _ => Ok(()),
    }
}

/// Whether the loads of the loop can be merged, and are where they must be.
pub(super) fn check(axes: &Loop) -> Result<(), RecipeError> {
    let Loop { width, unroll, order, prefetch, align, source, stores, form, tail, .. } = *axes;
    if source == Source::Hardware {
        return match width {
            Width::Altivec16 => {
                wrong("width=altivec16 needs source=merge; its loads ignore the low bits of an address")
            }
            _ => Ok(()),
        };
    }
    if !matches!(width, Width::B4 | Width::B8 | Width::Altivec16) {
        return wrong(format!("source=merge is not allowed with width={width}; 4, 8 or altivec16"));
    }
    // Two values take turns in being the one that was loaded before.
    if order != Order::Group(1) || !unroll.is_multiple_of(2) {
        return wrong(format!(
            "source=merge is not allowed with unroll={unroll} order={order}; it needs pairs and an even unroll factor"
        ));
    }
    let aligned = |align: Align| align.side == Side::Dst && usize::from(align.to) >= width.bytes();
    match align {
        Some(align) if align.head == Head::Early => {
            return wrong("source=merge is not allowed with an early head; no register is left");
        }
        Some(align) if aligned(align) => {}
        _ => return wrong(format!("source=merge with width={width} needs align=dst:{}:HEAD or more", width.bytes())),
    }
    if form != Form::Bump || stores != Stores::PLAIN {
        return wrong(format!("source=merge is not allowed with form={form} stores={stores}; bump and plain"));
    }
    if let Some(prefetch) = prefetch.filter(|prefetch| matches!(prefetch.fetch, Fetch::Touch | Fetch::Block)) {
        return wrong(format!("prefetch={prefetch} is not allowed with source=merge; no register is left"));
    }
    match tail {
        Tail::Early => wrong("tail=early is not allowed with source=merge; no register is left"),
        Tail::Block | Tail::Overlap if width == Width::Altivec16 => wrong(format!(
            "tail={tail} is not allowed with width=altivec16; its accesses are aligned; ladder, bytes or string"
        )),
        _ => Ok(()),
    }
}
