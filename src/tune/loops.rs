//! Loops for the lengths at which straight code still reaches: as fast as can be where one length comes again and again, and behind
//! it only where lengths vary so that the end of the loop is guessed wrong.

use copysmith_kernels::plan::Width;
use copysmith_kernels::recipe::{Align, Head, Loop, Operation, Order, Shape, Side, Tail};
use copysmith_kernels::{Recipe, Span};
use copysmith_search::space::Features;

/// Shorter copies than this are over before a loop would turn twice.
const SHORTEST: usize = 128;

/// How many widths are tried.
const WIDTHS: usize = 2;

/// Loops as moves of these lengths, with the widest registers that there are and those of half the width: two moves a turn or four,
/// neither operand aligned or one of them, each load before its store or all or one before those of the turn: where the destination
/// lies just above the source in its page, a load waits for the store that it seems to need. None for lengths up to 128 bytes.
pub(super) fn loops(span: Span, features: Features) -> Vec<Recipe> {
    if span.first() <= SHORTEST {
        return Vec::new();
    }
    let widest_first = [Width::Evex64, Width::Evex32, Width::Avx32, Width::Sse16];
    let of_widths = widest_first.into_iter().map(|width| of_width(width, span, features));
    of_widths.filter(|loops| !loops.is_empty()).take(WIDTHS).flatten().collect()
}

/// Those of one width that the span and the processor allow.
fn of_width(width: Width, span: Span, features: Features) -> Vec<Recipe> {
    let to = width.bytes() as u8;
    let aligned = [Side::Src, Side::Dst].map(|side| Some(Align { side, to, head: Head::Early }));
    let mut found = Vec::new();
    for unroll in [2, 4] {
        for align in std::iter::once(None).chain(aligned) {
            for order in [Order::Group(1), Order::Group(unroll), Order::Ahead] {
                let shape = Shape::Loop(Loop { order, align, tail: Tail::Early, ..Loop::plain(width, unroll) });
                found.extend(Recipe::of(Operation::Move, span, shape).ok().filter(|recipe| features.allow(recipe)));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use copysmith_kernels::Isa;

    #[test]
    fn there_are_loops_for_every_class_above_128_bytes_on_every_processor() {
        for isa in Isa::ALL {
            for (span, least) in [("129..=256", 1), ("257..=512", 6), ("513..=1024", 6), ("1025..=4096", 6)] {
                let found = loops(span.parse().unwrap(), isa.into());
                assert!(found.len() >= least && found.len() <= 36, "{isa} {span}: {found:#?}");
                assert!(found.iter().all(|recipe| recipe.isa() <= isa && recipe.operation() == Operation::Move));
            }
        }
        let found = loops("513..=1024".parse().unwrap(), Isa::Avx512.into());
        let known = "move 513..=1024 loop width=evex64 unroll=4 align=src:64:early tail=early";
        assert!(found.iter().any(|recipe| recipe.to_string() == known), "{found:#?}");
        assert!(loops("65..=128".parse().unwrap(), Isa::Avx512.into()).is_empty());
    }
}
