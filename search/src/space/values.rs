//! Which values of each axis are tried, for each breadth. Nothing outside these lists is ever searched; the order within
//! a list is that of the search.
//!
//! Bounds, and why: a recipe allows unroll factors to 16 (the registers there are), prefetch distances to 4096 bytes (a page)
//! and blocks to 64 KiB; within them steps grow with the value, since what matters is the ratio. Widths below 8 bytes and
//! MMX are left to `All`: they move fewer bytes an instruction and have not won above 32 bytes.

use super::Breadth;
use copysmith_kernels::plan::{Direction, Width};
use copysmith_kernels::recipe::{Align, Beyond, Fetch, Form, Head, Operation, Order, Prefetch, Side, Stores, Tail};

/// Bytes from which a span is large: string moves of every kind, non-temporal stores, streams and prefetches are tried.
/// Cold copies gained by non-temporal stores from 4 KiB on.
pub(super) const LARGE: usize = 4096;

/// Largest last length of a short span.
pub(super) const SHORT: usize = 32;

/// Distances modulo a page below which a string move gives way to a loop.
pub(super) const GUARDS: [Option<u8>; 4] = [None, Some(16), Some(32), Some(64)];

/// Every width that is tried. The narrow vector widths hold no more than a general register, and are there for moves, which hold all they
/// load.
pub(super) const fn all_widths(operation: Operation) -> &'static [Width] {
    use Width::{Avx32, B1, B2, B4, B8, Evex16, Evex32, Evex64, Mmx8, Sse16};
    match operation {
        Operation::Copy => &[B1, B2, B4, B8, Mmx8, Sse16, Avx32, Evex16, Evex32, Evex64],
        Operation::Move => &Width::X86,
    }
}

/// Bytes moved at once by a loop.
pub(super) fn widths(operation: Operation, breadth: Breadth) -> &'static [Width] {
    use Width::{Avx32, B8, Evex32, Evex64, Sse16};
    match breadth {
        Breadth::Quick => &[Sse16, Avx32, Evex64],
        Breadth::Normal => &[B8, Sse16, Avx32, Evex64],
        Breadth::Patient => &[B8, Sse16, Avx32, Evex32, Evex64],
        Breadth::All => all_widths(operation),
    }
}

/// Moves a turn. A move has at most 8: it holds its whole last block beside what its loop has under way.
pub(super) fn unrolls(operation: Operation, breadth: Breadth) -> &'static [u8] {
    match (operation, breadth) {
        (Operation::Copy, Breadth::Quick | Breadth::Normal) => &[2, 4, 8],
        (Operation::Copy, Breadth::Patient) => &[1, 2, 4, 6, 8, 16],
        (Operation::Copy, Breadth::All) => &[1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16],
        (Operation::Move, Breadth::Quick | Breadth::Normal) => &[1, 2, 4, 8],
        (Operation::Move, Breadth::Patient | Breadth::All) => &[1, 2, 3, 4, 5, 6, 7, 8],
    }
}

/// A value of one axis of a loop that is not its default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    Order(Order),
    Align(Align),
    Stores(Stores),
    Prefetch(Prefetch),
    Form(Form),
    LoopAlign(u8),
    Direction(Direction),
    Tail(Tail),
}

/// The values that are tried on a loop over a span, which is `large` or not.
pub(super) fn touches(operation: Operation, breadth: Breadth, large: bool) -> Vec<Touch> {
    let mut touches = Vec::new();
    touches.extend(orders(breadth).iter().map(|&order| Touch::Order(order)));
    touches.extend(aligns(operation, breadth).into_iter().map(Touch::Align));
    touches.extend(tails(operation, breadth).iter().map(|&tail| Touch::Tail(tail)));
    if large {
        touches.extend(stores(breadth).into_iter().map(Touch::Stores));
        touches.extend(prefetches(breadth).into_iter().map(Touch::Prefetch));
    }
    if breadth >= Breadth::Normal {
        touches.push(Touch::Form(Form::Index));
        touches.push(Touch::LoopAlign(64));
    }
    if breadth >= Breadth::Patient {
        touches.extend([Touch::LoopAlign(1), Touch::LoopAlign(32), Touch::Direction(Direction::Backward)]);
    }
    touches
}

/// Orders other than pairs; a group that does not divide the unroll factor is no recipe.
pub(super) fn orders(breadth: Breadth) -> &'static [Order] {
    use Order::{Ahead, Group};
    match breadth {
        Breadth::Quick => &[Group(4)],
        Breadth::Normal => &[Group(2), Group(4), Group(8), Ahead],
        Breadth::Patient => &[Group(2), Group(4), Group(8), Group(16), Ahead],
        Breadth::All => &[
            Group(2),
            Group(3),
            Group(4),
            Group(5),
            Group(6),
            Group(7),
            Group(8),
            Group(10),
            Group(12),
            Group(14),
            Group(16),
            Ahead,
        ],
    }
}

/// Alignments of one side.
pub(super) fn aligns(operation: Operation, breadth: Breadth) -> Vec<Align> {
    let (sides, bytes): (&[Side], &[u8]) = match breadth {
        Breadth::Quick => (&[Side::Dst], &[32, 64]),
        Breadth::Normal | Breadth::Patient => (&[Side::Dst, Side::Src], &[16, 32, 64]),
        Breadth::All => (&[Side::Dst, Side::Src], &[4, 8, 16, 32, 64, 128]),
    };
    let heads = heads(operation, breadth);
    let head = |side, to| heads.iter().map(move |&head| Align { side, to, head });
    sides.iter().flat_map(|&side| bytes.iter().flat_map(move |&to| head(side, to))).collect()
}

/// Heads of an alignment. Those of a move that only disjoint operands allow come with non-temporal stores and streams alone.
pub(super) fn heads(operation: Operation, breadth: Breadth) -> &'static [Head] {
    use Head::{Bytes, Early, Mask, Overlap, String};
    match (operation, breadth) {
        (Operation::Copy, Breadth::Quick | Breadth::Normal) => &[Overlap],
        (Operation::Copy, Breadth::Patient) => &[Overlap, Mask],
        (Operation::Copy, Breadth::All) => &[Overlap, Bytes, String, Mask],
        (Operation::Move, Breadth::Quick | Breadth::Normal) => &[Early],
        (Operation::Move, Breadth::Patient) => &[Early, Overlap],
        (Operation::Move, Breadth::All) => Head::ALL,
    }
}

/// Ways of storing other than one plain stream.
pub(super) fn stores(breadth: Breadth) -> Vec<Stores> {
    let nt = |streams| Stores { non_temporal: true, streams };
    let plain = |streams| Stores { non_temporal: false, streams };
    match breadth {
        Breadth::Quick => vec![nt(1)],
        Breadth::Normal => vec![nt(1), plain(2), nt(2)],
        Breadth::Patient | Breadth::All => vec![nt(1), plain(2), nt(2), plain(4), nt(4)],
    }
}

/// Tails other than the one a loop begins with.
pub(super) fn tails(operation: Operation, breadth: Breadth) -> &'static [Tail] {
    use Tail::{Block, Bytes, Ladder, Mask, Overlap, String};
    match (operation, breadth) {
        (Operation::Copy, Breadth::Quick) => &[Overlap],
        (Operation::Copy, Breadth::Normal) => &[Overlap, Ladder, Mask],
        (Operation::Copy, Breadth::Patient | Breadth::All) => &[Block, Overlap, Ladder, Bytes, String, Mask],
        (Operation::Move, Breadth::Quick) => &[Ladder],
        (Operation::Move, Breadth::Normal) => &[Ladder, Bytes],
        (Operation::Move, Breadth::Patient | Breadth::All) => &Tail::X86,
    }
}

/// The tails that a loop over a span begins with: the first that can finish it.
pub(super) const fn first_tails(operation: Operation) -> &'static [Tail] {
    match operation {
        Operation::Copy => &[Tail::Block, Tail::Overlap, Tail::Ladder],
        Operation::Move => &[Tail::Early, Tail::Ladder],
    }
}

/// Prefetches.
pub(super) fn prefetches(breadth: Breadth) -> Vec<Prefetch> {
    use Fetch::{Block, Nta, T0, T1, T2, Touch, Write};
    let ahead = |fetches: &[Fetch], sides: &[Side], distances: &[u32], ends: &[Beyond]| {
        let mut all = Vec::new();
        for &fetch in fetches {
            for &side in sides {
                for &distance in distances {
                    all.extend(ends.iter().map(|&beyond| Prefetch { fetch, side, distance, beyond }));
                }
            }
        }
        all
    };
    let blocks = |sides: &[Side], sizes: &[u32]| ahead(&[Block], sides, sizes, &[Beyond::Clamp]);
    let clamp = &[Beyond::Clamp];
    match breadth {
        Breadth::Quick => ahead(&[T0], &[Side::Src], &[512], clamp),
        Breadth::Normal => [
            ahead(&[T0, Nta], &[Side::Src], &[256, 1024], clamp),
            ahead(&[Write], &[Side::Dst], &[512], clamp),
            blocks(&[Side::Src], &[4096]),
        ]
        .concat(),
        Breadth::Patient => [
            ahead(&[T0, T1, Nta], &[Side::Src], &[128, 256, 512, 1024, 2048], clamp),
            ahead(&[T0, Write], &[Side::Dst], &[256, 512, 1024], clamp),
            ahead(&[T0], &[Side::Src], &[512], &[Beyond::Overrun]),
            blocks(&[Side::Src], &[1024, 4096, 16384]),
        ]
        .concat(),
        Breadth::All => {
            let distances = &[64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096];
            [
                ahead(&[T0, T1, T2, Nta, Write], Side::ALL, distances, Beyond::ALL),
                ahead(&[Touch], Side::ALL, distances, clamp),
                blocks(Side::ALL, &[1024, 2048, 4096, 8192, 16384, 32768, 65536]),
            ]
            .concat()
        }
    }
}
