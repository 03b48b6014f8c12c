//! Loops: every width and unroll factor of a breadth, with one or two other axes moved away from their defaults.

use super::Breadth;
use super::values::{LARGE, SHORT, Touch, first_tails, touches, unrolls, widths};
use copysmith_kernels::plan::Width;
use copysmith_kernels::recipe::{Align, Head, Loop, Operation, Shape, Side, Stores};
use copysmith_kernels::{Recipe, Span};

/// Loops over the span with at most one axis away from its default, valid or not.
pub(super) fn singles(operation: Operation, span: Span, breadth: Breadth) -> impl Iterator<Item = Shape> {
    let touches = touches(operation, breadth, span.last() >= LARGE);
    let around = move |axes: Loop| {
        let touched = touches.iter().map(|&touch| touched(axes, touch)).collect::<Vec<Loop>>();
        [axes].into_iter().chain(touched)
    };
    bases(operation, span, breadth).into_iter().flat_map(around).map(Shape::Loop)
}

/// Loops over the span with two axes away from their defaults, valid or not. Only values of a narrower breadth are
/// paired: those of a wide one in pairs would be hundreds of thousands.
pub(super) fn pairs(operation: Operation, span: Span, breadth: Breadth) -> impl Iterator<Item = Shape> {
    let touches = match breadth {
        Breadth::Quick => Vec::new(),
        Breadth::Normal => touches(operation, Breadth::Quick, span.last() >= LARGE),
        Breadth::Patient | Breadth::All => touches(operation, Breadth::Normal, span.last() >= LARGE),
    };
    let both = move |axes: Loop| {
        let second = |first| touches.iter().map(move |&second| touched(touched(axes, first), second));
        touches.iter().flat_map(|&first| second(first)).collect::<Vec<Loop>>()
    };
    bases(operation, span, breadth).into_iter().flat_map(both).map(Shape::Loop)
}

/// Loops with every axis at its default, but with the first tail that can finish the span.
fn bases(operation: Operation, span: Span, breadth: Breadth) -> Vec<Loop> {
    if span.last() <= SHORT && breadth < Breadth::All {
        return Vec::new();
    }
    let unrolls = unrolls(operation, breadth);
    let each = |&width: &Width| unrolls.iter().filter_map(move |&unroll| base(operation, span, width, unroll));
    widths(operation, breadth).iter().flat_map(each).collect()
}

/// The plainest loop of a width and an unroll factor; `None` where it would not turn even once for the longest length.
pub(super) fn base(operation: Operation, span: Span, width: Width, unroll: u8) -> Option<Loop> {
    let plain = Loop::plain(width, unroll);
    if plain.block() > span.last() {
        return None;
    }
    first_tails(operation)
        .iter()
        .map(|&tail| Loop { tail, ..plain })
        .find(|&axes| Recipe::of(operation, span, Shape::Loop(axes)).is_ok())
}

/// The same loop with one axis at another value. Wide non-temporal stores bring the alignment without which they fault.
pub(super) fn touched(axes: Loop, touch: Touch) -> Loop {
    let moved = axes.width.bytes();
    match touch {
        Touch::Order(order) => Loop { order, ..axes },
        Touch::Align(align) => Loop { align: Some(align), ..axes },
        Touch::Stores(stores) => Loop { stores, align: axes.align.or_else(|| needed(stores, moved)), ..axes },
        Touch::Prefetch(prefetch) => Loop { prefetch: Some(prefetch), ..axes },
        Touch::Form(form) => Loop { form, ..axes },
        Touch::LoopAlign(loop_align) => Loop { loop_align, ..axes },
        Touch::Direction(direction) => Loop { direction, ..axes },
        Touch::Tail(tail) => Loop { tail, ..axes },
    }
}

fn needed(stores: Stores, moved: usize) -> Option<Align> {
    (stores.non_temporal && moved >= 16).then_some(Align { side: Side::Dst, to: moved as u8, head: Head::Overlap })
}
