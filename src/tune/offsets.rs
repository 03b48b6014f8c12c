//! How finalists do at each relative page offset alone: a kernel that is best on average may be terrible at one.
//!
//! The race's mean over offsets hides a rare disaster (string moves on some processors take twenty times as long where the destination
//! lies one byte above the source, modulo 4096), and a trimmed mean drops it. So each finalist's worst speed is held
//! against that of a plain vector loop.

use super::TuneError;
use super::session::Session;
use super::situations::timed;
use crate::record::Worst;
use crate::time::{Lengths, LiveJudge, Placements, Settings, Situation, Workload};
use copysmith_kernels::plan::Width;
use copysmith_kernels::recipe::{Align, Head, Loop, Shape, Side, Tail};
use copysmith_kernels::{Isa, Recipe, Routine, Span};
use copysmith_search::Judge;

/// `(dst - src) mod 4096` of each measurement: equal, just above and just below by less than a vector, a vector, a line, and further.
pub const OFFSETS: [u16; 11] = [0, 1, 8, 16, 31, 32, 64, 512, 2048, 4080, 4095];

/// Below this length a copy is over before an offset matters.
const MATTERS_FROM: usize = 512;
/// A finalist whose worst speed is below this share of the plain loop's is out.
const SHARE: f64 = 0.5;

/// Bytes that a finalist copies at one offset at most, but for a single copy: a long copy is a sample of many pages by itself.
const ENOUGH: usize = 16 << 20;

/// The plain loop of a class: the one that finalists are held against, and that is taken when none of them holds.
pub(super) fn plain(span: Span, isa: Isa) -> Option<Recipe> {
    let width = if isa.has(Width::Avx32) { Width::Avx32 } else { Width::Sse16 };
    let align = Align { side: Side::Dst, to: width.bytes() as u8, head: Head::Overlap };
    let axes = Loop { align: Some(align), tail: Tail::Overlap, ..Loop::plain(width, 4) };
    Recipe::new(span, Shape::Loop(axes)).ok().filter(|_| span.last() >= MATTERS_FROM)
}

/// The worst speed of each routine over the offsets, at a length in the middle of its class and otherwise as in the first situation;
/// `None` where nothing was measured.
pub(super) fn worst(
    session: &mut Session<'_>,
    settings: &Settings,
    span: Span,
    routines: &[Routine],
) -> Result<Vec<Option<Worst>>, TuneError> {
    let mut worst: Vec<Option<Worst>> = vec![None; routines.len()];
    if span.last() < MATTERS_FROM {
        return Ok(worst);
    }
    let length = middle(timed(span));
    let blocks = session.options.effort.offset_blocks().min((ENOUGH / length).max(1));
    let Some(first) = settings.situations.first() else { return Ok(worst) };
    for offset in OFFSETS {
        session.check()?;
        let workload =
            Workload { placements: Placements::at(offset), lengths: Lengths::Fixed(length), ..first.workload.clone() };
        let mut judge = LiveJudge::new(&Settings { situations: vec![Situation::from(workload)], ..settings.clone() })?;
        for _ in 0..blocks {
            judge.block(routines)?;
        }
        for (routine, worst) in routines.iter().zip(&mut worst) {
            let Some(speed) = judge.gigabytes_per_second(routine) else { continue };
            if worst.is_none_or(|worst| speed < worst.gigabytes_per_second) {
                *worst = Some(Worst { offset, gigabytes_per_second: speed });
            }
        }
    }
    Ok(worst)
}

/// Which routines hold: not worse at their worst offset than half of what the best of them is at its own.
pub(super) fn hold(worst: &[Option<Worst>]) -> Vec<bool> {
    let speed = |worst: &Option<Worst>| worst.map(|worst| worst.gigabytes_per_second);
    let best = worst.iter().filter_map(speed).fold(0.0, f64::max);
    worst.iter().map(|one| speed(one).is_none_or(|speed| speed >= SHARE * best)).collect()
}

/// The geometric middle of a span; its shortest length where that is long already.
pub(super) fn middle(span: Span) -> usize {
    if span.first() >= ENOUGH {
        return span.first();
    }
    ((span.first().max(1) as f64 * span.last() as f64).sqrt() as usize).clamp(span.first(), span.last())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_terrible_at_one_offset_does_not_hold() {
        let at = |speed| Some(Worst { offset: 1, gigabytes_per_second: speed });
        assert_eq!(hold(&[at(2.0), at(40.0), at(21.0), None]), [false, true, true, true]);
        assert_eq!(hold(&[None, None]), [true, true]);
    }

    #[test]
    fn the_middle_of_a_span_is_inside_it() {
        for text in ["0..=16", "1025..=4096", "33554433..=67108864"] {
            let span: Span = text.parse().unwrap();
            assert!(span.contains(middle(span)), "{text}");
        }
    }

    #[test]
    fn the_plain_loop_exists_for_every_class_where_offsets_matter() {
        for text in ["513..=1024", "1025..=4096", "33554433.."] {
            for isa in Isa::ALL {
                assert!(plain(text.parse().unwrap(), isa).is_some_and(|recipe| recipe.isa() <= isa), "{text} {isa}");
            }
        }
        assert_eq!(plain("17..=32".parse().unwrap(), Isa::Avx), None);
    }
}
