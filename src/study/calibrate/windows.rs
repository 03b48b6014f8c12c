//! Windows of blocks, as long as a confirmation: what their intervals hold and what they tell apart. No clock.

use copysmith_search::stats::{Estimate, margin, trimmed_mean};

/// The difference that is planted: three per cent, in log units.
pub const PLANTED: f64 = 0.029_558_802_241_544_4;

/// Whether the 95 % interval of a window holds a value.
pub fn holds(window: &[f64], value: f64) -> bool {
    let Estimate { low, high, .. } = Estimate::of(window);
    low <= value && value <= high
}

/// Whether a routine 3 % slower than the reference would be told apart from it in blocks like these.
pub fn finds_planted(window: &[f64]) -> bool {
    let slower: Vec<f64> = window.iter().map(|ratio| ratio + PLANTED).collect();
    let Estimate { mean, low, .. } = Estimate::of(&slower);
    low > 0.0 && mean > margin(0.0)
}

/// For each window of so many blocks, whether its interval holds the mean of all other blocks.
pub fn covered(series: &[f64], blocks: usize) -> Vec<bool> {
    let windows = series.len() / blocks.max(1);
    if windows < 2 {
        return Vec::new();
    }
    let one = |number: usize| {
        let (from, to) = (number * blocks, (number + 1) * blocks);
        let others: Vec<f64> = series[..from].iter().chain(&series[to..]).copied().collect();
        holds(&series[from..to], trimmed_mean(&others))
    };
    (0..windows).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::super::share;
    use super::*;
    use copysmith_kernels::Routine;
    use copysmith_search::simulator::{Noise, Simulator};
    use copysmith_search::{Judge, Sample};

    fn series(private: f64, truth: f64, blocks: usize) -> Vec<f64> {
        let mut judge = Simulator::new(1, Noise::private(private), move |_| truth);
        let routine: Vec<Routine> = vec!["copy 17..=32 pairs width=sse16".parse().unwrap()];
        let one = |_| match judge.block(&routine).unwrap()[0] {
            Sample::LogRatio(ratio) => ratio,
            Sample::Failed(_) => unreachable!("nothing fails here"),
        };
        (0..blocks).map(one).collect()
    }

    #[test]
    fn normal_noise_is_covered_nineteen_times_in_twenty_and_three_per_cent_is_found() {
        let noise = series(0.01, 0.0, 24 * 400);
        let wrong = share(noise.chunks_exact(24).map(|window| !holds(window, 0.0)));
        assert!((0.02..0.08).contains(&wrong), "{wrong}");
        assert!(share(noise.chunks_exact(24).map(finds_planted)) > 0.99);
        let held = covered(&series(0.01, -0.3, 24 * 400), 24);
        let held = share(held.into_iter());
        assert!((0.92..0.98).contains(&held), "{held}");
    }

    #[test]
    fn noise_that_drowns_three_per_cent_is_seen_to() {
        let loud = series(0.3, 0.0, 24 * 100);
        assert!(share(loud.chunks_exact(24).map(finds_planted)) < 0.3);
        // A machine whose every second window is another machine holds nothing.
        let jumps: Vec<f64> =
            (0..24 * 20).map(|block| f64::from(block / 24 % 2) + f64::from(block % 7) * 1e-4).collect();
        assert!(covered(&jumps, 24).into_iter().all(|held| !held));
        assert!(covered(&jumps[..30], 24).is_empty());
    }
}
