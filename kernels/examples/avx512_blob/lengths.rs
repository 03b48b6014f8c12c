//! For which lengths a kernel is run: where its code takes another path, and some in between.

use copysmith_kernels::recipe::{Beyond, Fetch, Loop, Prefetch, Shape};
use copysmith_kernels::{Recipe, Span};
use std::collections::BTreeSet;

/// A span of up to so many lengths is run whole.
const WHOLE: usize = 160;
/// Lengths run one after the other from the first one on: more than a vector and a head.
const DENSE: usize = 130;
/// About how many more are spread evenly over the rest.
const SPREAD: usize = 40;
/// Bytes of a stream's page; see [`copysmith_kernels::recipe::Stores::streams`].
const PAGE: usize = 4096;

/// The lengths, rising.
pub fn lengths(recipe: &Recipe) -> Vec<u32> {
    let span = recipe.span();
    let (edges, reach) = match recipe.shape() {
        Shape::Loop(axes) => (edges(axes), farthest(axes) + 2 * axes.block() + 130),
        _ => (Vec::new(), span.first() + DENSE),
    };
    let last = span.last().min(span.first().max(reach));
    let spread = Span::new(span.first(), last).map_or(0, |span| span.last() - span.first());
    let mut lengths = BTreeSet::new();
    if spread < WHOLE {
        lengths.extend(span.first()..=last);
    } else {
        lengths.extend(span.first()..span.first() + DENSE);
        lengths.extend(edges);
        // Odd, so that every remainder of a power of two comes up.
        lengths.extend((span.first()..=last).step_by((spread / SPREAD) | 1));
        lengths.extend(last - 2..=last);
    }
    lengths.into_iter().filter(|&length| span.contains(length)).map(|length| length as u32).collect()
}

/// How many bytes must be left for the phase of a loop that needs most.
pub fn farthest(axes: &Loop) -> usize {
    let ahead = match axes.prefetch {
        Some(Prefetch { fetch, beyond, distance, .. }) if fetch == Fetch::Block || beyond == Beyond::Clamp => {
            distance as usize
        }
        _ => 0,
    };
    let streams = usize::from(axes.stores.streams);
    axes.block() + ahead.max(if streams > 1 { streams * PAGE } else { 0 })
}

/// Where a phase is entered, entered again or left, with nothing taken off by a head and with everything it may take off.
fn edges(axes: &Loop) -> Vec<usize> {
    let head = axes.align.map_or(0, |align| usize::from(align.to));
    let starts = [axes.block(), 2 * axes.block(), 3 * axes.block(), farthest(axes), farthest(axes) + axes.block()];
    let around = |edge: usize| edge.saturating_sub(1)..=edge + 1;
    starts.into_iter().flat_map(|start| [start, start + head]).flat_map(around).collect()
}
