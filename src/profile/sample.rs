//! Fewer calls that still cover the whole run: long pieces, evenly spread, in their order.

use super::Profile;
use super::call::Stretch;
use std::collections::HashMap;
use std::ops::Range;

/// Where a stretch lies, without its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Its thread.
    pub thread: u32,
    /// How many calls the thread had made before.
    pub from: u64,
    /// How many calls it has.
    pub calls: u64,
}

/// A sample has at least about this many pieces, if there are that many calls.
const PIECES: u64 = 8;
/// No piece is longer: a recorder's stretch.
const LONGEST: u64 = 16_384;
/// Shorter ones say nothing about order.
const SHORTEST: u64 = 256;

/// A part of an extent, and how many calls of the run it stands for: its own, and the gap behind it.
struct Piece {
    index: usize,
    part: Range<u64>,
    weight: u64,
    kept: bool,
}

impl Piece {
    fn calls(&self) -> u64 {
        self.part.end - self.part.start
    }
}

/// Parts of these extents with at most `budget` calls in all, in order: index and range in it.
///
/// Early calls are recorded more densely than late ones, so each piece counts as many calls as it stands for, and pieces are
/// taken at an even pace along the run; room that is left goes to the others, spread as evenly.
pub(super) fn choose(extents: &[Extent], budget: u64) -> Vec<(usize, Range<u64>)> {
    let total: u64 = extents.iter().map(|extent| extent.calls).sum();
    if budget == 0 {
        return Vec::new();
    }
    if total <= budget {
        return extents.iter().enumerate().map(|(index, extent)| (index, 0..extent.calls)).collect();
    }
    let mut pieces = pieces(extents, (budget / PIECES).clamp(SHORTEST, LONGEST).min(budget));
    let weight: i128 = pieces.iter().map(|piece| i128::from(piece.weight)).sum();
    let (mut due, mut left) = (0i128, budget);
    for piece in &mut pieces {
        // In calls times the weight of all, so that nothing is rounded.
        due += i128::from(piece.weight) * i128::from(budget);
        let price = i128::from(piece.calls()) * weight;
        if due >= price / 2 && piece.calls() <= left {
            piece.kept = true;
            due -= price;
            left -= piece.calls();
        }
    }
    // Multiples of the golden ratio visit a range evenly however early one stops.
    let mut rest: Vec<usize> = (0..pieces.len()).filter(|&index| !pieces[index].kept).collect();
    rest.sort_by_key(|&index| (index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for index in rest {
        let piece = &mut pieces[index];
        piece.part.end = piece.part.start + piece.calls().min(left);
        piece.kept = piece.calls() > 0;
        left -= piece.calls();
    }
    let mut chosen: Vec<(usize, Range<u64>)> = Vec::new();
    for piece in pieces.into_iter().filter(|piece| piece.kept) {
        match chosen.last_mut() {
            Some((index, part)) if *index == piece.index && part.end == piece.part.start => part.end = piece.part.end,
            _ => chosen.push((piece.index, piece.part)),
        }
    }
    chosen
}

fn pieces(extents: &[Extent], longest: u64) -> Vec<Piece> {
    // Where the same thread's next stretch begins, found from the end.
    let mut next: HashMap<u32, u64> = HashMap::new();
    let mut gaps: Vec<u64> = extents
        .iter()
        .rev()
        .map(|extent| {
            let behind = next.insert(extent.thread, extent.from);
            behind.map_or(0, |from| from.saturating_sub(extent.from.saturating_add(extent.calls)))
        })
        .collect();
    gaps.reverse();
    let mut pieces = Vec::new();
    for (index, (extent, gap)) in extents.iter().zip(gaps).enumerate() {
        let mut start = 0;
        while start < extent.calls {
            let stop = (start + longest).min(extent.calls);
            let behind = if stop == extent.calls { gap } else { 0 };
            pieces.push(Piece { index, part: start..stop, weight: stop - start + behind, kept: false });
            start = stop;
        }
    }
    pieces
}

impl Profile {
    /// At most `calls` of the calls in order, in long pieces spread evenly over the run. The exact counts stay those of the
    /// whole program.
    pub fn sample(&self, calls: u64) -> Profile {
        let extent = |stretch: &Stretch| Extent {
            thread: stretch.thread,
            from: stretch.from,
            calls: stretch.calls.len() as u64,
        };
        let extents: Vec<Extent> = self.stretches.iter().map(extent).collect();
        let cut = |(index, part): (usize, Range<u64>)| {
            let stretch = &self.stretches[index];
            let calls = stretch.calls[part.start as usize..part.end as usize].to_vec();
            Stretch { thread: stretch.thread, from: stretch.from + part.start, calls }
        };
        let stretches: Vec<Stretch> = choose(&extents, calls).into_iter().map(cut).collect();
        let mut header = self.header.clone();
        header.stretches = stretches.len() as u64;
        Profile { header, stretches }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extents(all: &[(u32, u64, u64)]) -> Vec<Extent> {
        all.iter().map(|&(thread, from, calls)| Extent { thread, from, calls }).collect()
    }

    #[test]
    fn what_fits_is_taken_whole() {
        let all = extents(&[(0, 0, 300), (1, 0, 5)]);
        assert_eq!(choose(&all, 305), [(0, 0..300), (1, 0..5)]);
    }

    #[test]
    fn pieces_are_long_in_order_and_spread_over_the_run() {
        let all = extents(&[(0, 0, 1 << 20)]);
        let chosen = choose(&all, 1 << 16);
        assert_eq!(chosen.iter().map(|(_, part)| part.end - part.start).sum::<u64>(), 1 << 16);
        assert!(chosen.len() >= 6 && chosen.iter().all(|(_, part)| part.end - part.start >= 8192), "{chosen:?}");
        assert!(chosen.is_sorted_by_key(|(_, part)| part.start));
        assert!(chosen[0].1.start < 1 << 18 && chosen[chosen.len() - 1].1.end > 3 << 18, "{chosen:?}");
    }

    #[test]
    fn a_stretch_before_a_gap_stands_for_the_gap() {
        // Eight dense stretches, then eight of which each stands for sixteen times as much.
        let dense = (0..8).map(|index| (0, index << 14, 1 << 14));
        let sparse = (0..8).map(|index| (0, (8 << 14) + (index << 18), 1 << 14));
        let all = extents(&dense.chain(sparse).collect::<Vec<_>>());
        let chosen = choose(&all, 6 << 14);
        let late: u64 = chosen.iter().filter(|(index, _)| *index >= 8).map(|(_, part)| part.end - part.start).sum();
        assert!(late >= 4 << 14, "{chosen:?}");
    }

    #[test]
    fn the_budget_is_used_to_the_last_call_whatever_the_stretches() {
        for budget in [0, 1, 7, 255, 256, 257, 5000] {
            let all = extents(&(0..500).map(|index| (index, 0, u64::from(index) % 90 + 1)).collect::<Vec<_>>());
            let chosen = choose(&all, budget);
            let calls: u64 = chosen.iter().map(|(_, part)| part.end - part.start).sum();
            assert_eq!(calls, budget);
        }
    }
}
