//! Every shape but loops: straight code for short lengths, and string moves.

use super::Breadth;
use super::values::{GUARDS, LARGE, SHORT, aligns, all_widths};
use copysmith_kernels::Span;
use copysmith_kernels::plan::{Direction, Width};
use copysmith_kernels::recipe::{Bottom, Last, Operation, Shape, StringMove, Tail};

/// Shapes without a loop, valid for the span or not.
pub(super) fn shapes(operation: Operation, span: Span, breadth: Breadth) -> impl Iterator<Item = Shape> {
    let mut shapes = Vec::new();
    let lasts: &[Last] = Last::ALL;
    // Straight code is so little that its widths are always tried whole; which fit the span decides how many are left.
    for &width in all_widths(operation) {
        for &last in lasts {
            shapes.extend((1..=8).map(|moves| Shape::Pairs { width, moves, last }));
            shapes.extend([4, 8].map(|moves| Shape::Computed { width, moves, last }));
        }
        shapes.extend(Bottom::ALL.iter().map(|&bottom| Shape::Chain { width, bottom }));
        shapes.extend([Shape::BranchFree { width }, Shape::Masked { width }]);
        if breadth > Breadth::Quick || span.last() <= SHORT {
            shapes.push(Shape::JumpTable { width });
        }
    }
    shapes.extend(strings(operation, span, breadth).into_iter().map(Shape::String));
    shapes.into_iter()
}

/// Below this length the compare of a guard, and where it leads, is worth more than what it saves.
const GUARDED: usize = 4096;

fn strings(operation: Operation, span: Span, breadth: Breadth) -> Vec<StringMove> {
    let plain = StringMove::plain(Width::B1);
    let mut strings = vec![plain, StringMove::plain(Width::B8)];
    if breadth == Breadth::Quick || (span.last() < LARGE && breadth < Breadth::All) {
        // The start-up of a string move is longer than a short copy: one or two are there to show it.
        if span.last() >= GUARDED {
            strings.push(StringMove { guard: Some(32), ..plain });
        }
        return if span.last() <= SHORT && breadth < Breadth::All { Vec::new() } else { strings };
    }
    let directions: &[Direction] = match breadth {
        Breadth::All => &[Direction::Forward, Direction::Backward],
        _ => &[Direction::Forward],
    };
    for unit in [Width::B1, Width::B2, Width::B4, Width::B8] {
        for align in [None].into_iter().chain(aligns(operation, breadth).into_iter().map(Some)) {
            for tail in Tail::X86 {
                // A guard only chooses between two ways that are tried themselves: with the plainest of each unit it shows what it is worth.
                let all = breadth == Breadth::All || (align.is_none() && tail == Tail::String);
                for &guard in if all { &GUARDS[..] } else { &GUARDS[..1] } {
                    strings.extend(directions.iter().map(|&direction| StringMove {
                        unit,
                        align,
                        tail,
                        direction,
                        guard,
                    }));
                }
            }
        }
    }
    strings
}
