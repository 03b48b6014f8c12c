//! How long copies are: the draws from which a pass takes its lengths.

use super::recording::Recording;
use copysmith_kernels::Span;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Where the lengths of a pass come from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lengths {
    /// Always the same.
    Fixed(usize),
    /// Every length of a span; evenly, or evenly by logarithm where the span is wider than fourfold. Not open.
    Span(Span),
    /// As programs copy: 97 % below 128 bytes, the rest up to 4095, evenly by logarithm.
    Mix,
    /// The mix with each length repeated, 8 times on average, so that branches are partly predictable.
    Runs,
    /// Those of recorded calls, in their order; with them come the places.
    Recorded(Recording),
}

/// Calls next to each other that copy the same length and belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// How long each copy is.
    pub n: usize,
    /// How many there are, at least 1.
    pub times: usize,
}

/// Log-uniform from here on: the last length over the first, both with 1 added so that 0 has a logarithm.
const WIDE: f64 = 4.0;
/// How often in the mix a length is below 128.
const SHORT_SHARE: f64 = 0.97;
/// The chance that a run goes on: 7 of 8, for a mean of 8.
const RUN_ON: f64 = 7.0 / 8.0;

impl Lengths {
    /// Whether they are drawn, and all of them from this span.
    pub fn are_within(&self, span: Span) -> bool {
        match self {
            Lengths::Fixed(length) => span.contains(*length),
            Lengths::Span(drawn) => span.contains(drawn.first()) && span.contains(drawn.last()),
            Lengths::Mix | Lengths::Runs | Lengths::Recorded(_) => false,
        }
    }

    /// The smallest length there can be.
    pub fn first(&self) -> usize {
        match self {
            Lengths::Fixed(n) => *n,
            Lengths::Span(span) => span.first(),
            Lengths::Recorded(recording) => recording.first(),
            Lengths::Mix | Lengths::Runs => 0,
        }
    }

    /// The largest length there can be.
    pub fn last(&self) -> usize {
        match self {
            Lengths::Fixed(n) => *n,
            Lengths::Span(span) => span.last(),
            Lengths::Recorded(recording) => recording.last(),
            Lengths::Mix | Lengths::Runs => 128 * 32 - 1,
        }
    }

    /// Runs of this many calls in all, in their order; of fewer where fewer were recorded.
    pub(super) fn draw(&self, count: usize, rng: &mut ChaCha8Rng) -> Vec<Run> {
        if let Lengths::Recorded(recording) = self {
            return recording.piece(count, rng).map(|call| Run { n: call.n as usize, times: 1 }).collect();
        }
        let mut runs = Vec::with_capacity(count);
        let mut left = count;
        while left > 0 {
            let mut run = Run { n: self.one(rng), times: 1 };
            while *self == Lengths::Runs && run.times < left && rng.random_bool(RUN_ON) {
                run.times += 1;
            }
            left -= run.times;
            runs.push(run);
        }
        runs
    }

    fn one(&self, rng: &mut ChaCha8Rng) -> usize {
        match self {
            Lengths::Fixed(n) => *n,
            Lengths::Span(span) => {
                let (low, high) = (span.first() as f64 + 1.0, span.last() as f64 + 2.0);
                if high - 1.0 <= WIDE * low {
                    return rng.random_range(span.first()..=span.last());
                }
                let drawn = log_uniform(low, high, rng) as usize - 1;
                drawn.clamp(span.first(), span.last())
            }
            Lengths::Mix | Lengths::Runs if rng.random_bool(SHORT_SHARE) => {
                (log_uniform(1.0, 128.0, rng) - 1.0 + rng.random::<f64>()) as usize
            }
            Lengths::Mix | Lengths::Runs => log_uniform(128.0, 4096.0, rng) as usize,
            Lengths::Recorded(recording) => recording.piece(1, rng).next().map_or(0, |call| call.n as usize),
        }
    }
}

/// A draw from `[low, high)` whose logarithm is even.
fn log_uniform(low: f64, high: f64, rng: &mut ChaCha8Rng) -> f64 {
    low * ((high / low).ln() * rng.random::<f64>()).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    fn drawn(lengths: &Lengths, count: usize) -> Vec<usize> {
        let runs = lengths.draw(count, &mut ChaCha8Rng::seed_from_u64(7));
        runs.into_iter().flat_map(|run| vec![run.n; run.times]).collect()
    }

    #[test]
    fn lengths_stay_inside_and_reach_both_ends() {
        for span in ["0..=0", "0..=3", "17..=32", "0..=64", "33..=128", "1024..=4096", "100..=100000"] {
            let lengths = Lengths::Span(span.parse().unwrap());
            let all = drawn(&lengths, 20_000);
            assert!(all.iter().all(|&n| lengths.first() <= n && n <= lengths.last()), "{span}");
            let near = lengths.last() - (lengths.last() - lengths.first()) / 100;
            assert!(all.contains(&lengths.first()) && all.iter().any(|&n| n >= near), "{span}");
        }
    }

    #[test]
    fn what_lies_within_a_span_is_drawn_from_it_alone() {
        let span: Span = "129..=256".parse().unwrap();
        let drawn = |text: &str| Lengths::Span(text.parse().unwrap());
        for within in [Lengths::Fixed(129), Lengths::Fixed(256), drawn("129..=256"), drawn("200..=200")] {
            assert!(within.are_within(span), "{within:?}");
        }
        for beyond in [Lengths::Fixed(128), Lengths::Fixed(257), drawn("128..=256"), drawn("129.."), Lengths::Mix] {
            assert!(!beyond.are_within(span), "{beyond:?}");
        }
    }

    #[test]
    fn a_narrow_span_is_even_and_a_wide_one_is_even_by_logarithm() {
        let share = |lengths: Lengths, below: usize| {
            let all = drawn(&lengths, 20_000);
            all.iter().filter(|&&n| n < below).count() as f64 / all.len() as f64
        };
        let narrow = Lengths::Span("100..=399".parse().unwrap());
        assert!((share(narrow, 250) - 0.5).abs() < 0.02);
        let wide = Lengths::Span("100..=9999".parse().unwrap());
        assert!((share(wide, 1000) - 0.5).abs() < 0.02);
    }

    #[test]
    fn the_mix_is_short_97_times_in_100_and_never_above_4095() {
        let all = drawn(&Lengths::Mix, 100_000);
        let short = all.iter().filter(|&&n| n < 128).count() as f64 / all.len() as f64;
        assert!((short - 0.97).abs() < 0.005, "{short}");
        // Half of the short ones lie below exp(ln 128 / 2) = 11.3 minus 1 plus a half.
        let below = all.iter().filter(|&&n| n < 11).count() as f64 / all.len() as f64;
        assert!((0.46..0.52).contains(&below), "{below}");
        assert!(all.iter().all(|&n| n <= Lengths::Mix.last()));
    }

    #[test]
    fn runs_are_eight_long_on_average_and_everything_else_has_none() {
        let runs = Lengths::Runs.draw(200_000, &mut ChaCha8Rng::seed_from_u64(7));
        assert_eq!(runs.iter().map(|run| run.times).sum::<usize>(), 200_000);
        let mean = 200_000.0 / runs.len() as f64;
        assert!((7.8..8.2).contains(&mean), "{mean}");
        let single = Lengths::Mix.draw(1000, &mut ChaCha8Rng::seed_from_u64(7));
        assert!(single.len() == 1000 && single.iter().all(|run| run.times == 1));
    }
}
