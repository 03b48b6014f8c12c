//! How good a search is: against the true best, and against drawing at random.
//!
//! Source of the score and the budget: Willemsen et al., doi 10.1016/j.future.2024.05.021.

/// What a random draw without replacement is expected to have found after 1, 2, ... evaluations: the mean least value.
///
/// Formula: with the N values ascending, P(the least of t is number i) = C(N - i, t - 1) / C(N, t) for i from 1; computed as a product,
/// so that nothing overflows.
pub fn random_baseline(values: &[f64], most: usize) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len();
    let expected = |t: usize| {
        // The chance that the least is the first: t / N. Then C(N - i - 1, t - 1) / C(N - i, t - 1) = (N - i - t + 1) / (N - i).
        let mut chance = t as f64 / count as f64;
        let mut sum = 0.0;
        for (index, value) in sorted.iter().enumerate() {
            let place = index + 1;
            sum += chance * value;
            if place + t > count {
                break;
            }
            chance *= (count - place - t + 1) as f64 / (count - place) as f64;
        }
        sum
    };
    (1..=most.min(count)).map(expected).chain((count..most).map(|_| sorted.first().copied().unwrap_or(0.0))).collect()
}

/// After how many evaluations a random draw is expected to be within 5 % of the way from the median to the best.
pub fn default_budget(values: &[f64]) -> usize {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (Some(&best), median) = (sorted.first(), copysmith_search::stats::median(&sorted)) else { return 1 };
    let enough = best + 0.05 * (median - best);
    let baseline = random_baseline(&sorted, sorted.len());
    baseline.iter().position(|&expected| expected <= enough).map_or(sorted.len(), |index| index + 1)
}

/// The performance score of a curve: the mean over the evaluations of (F - S) / (f* - S), where F is what the search had found,
/// S the random baseline and f* the best. 1 is the optimum at once, 0 is random, below 0 worse than that.
pub fn score(found: &[f64], baseline: &[f64], best: f64) -> f64 {
    let parts = found.iter().zip(baseline).filter(|(_, random)| **random > best + 1e-12);
    let scores: Vec<f64> = parts.map(|(found, random)| (found - random) / (best - random)).collect();
    if scores.is_empty() { 0.0 } else { scores.iter().sum::<f64>() / scores.len() as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::seq::IndexedRandom;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn the_baseline_is_what_drawing_gives() {
        let values: Vec<f64> = (0..50).map(|index| f64::from(index * index % 37) + 1.0).collect();
        let baseline = random_baseline(&values, 60);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for t in [1, 2, 7, 30, 50] {
            let draws: f64 =
                (0..20_000).map(|_| values.sample(&mut rng, t).copied().fold(f64::INFINITY, f64::min)).sum();
            assert!((draws / 20_000.0 - baseline[t - 1]).abs() < 0.15, "{t}: {} {}", draws / 20_000.0, baseline[t - 1]);
        }
        assert_eq!((baseline[49], baseline[59]), (1.0, 1.0));
        assert!((baseline[0] - values.iter().sum::<f64>() / 50.0).abs() < 1e-9);
    }

    #[test]
    fn the_optimum_at_once_scores_1_the_baseline_0_and_worse_below() {
        let values: Vec<f64> = (1..=40).map(f64::from).collect();
        let baseline = random_baseline(&values, 20);
        assert_eq!(score(&[1.0; 20], &baseline, 1.0), 1.0);
        assert_eq!(score(&baseline, &baseline, 1.0), 0.0);
        assert!(score(&[40.0; 20], &baseline, 1.0) < -1.0);
        // 5 % of the way from the median 20.5 to 1 is 1.975: expected (40 + 1) / (t + 1) is below that from 20 on.
        assert_eq!(default_budget(&values), 20);
    }
}
