//! How small a difference this machine can resolve: the spread of a routine against its own clone.

/// Least noise floor that is ever claimed, in log units.
const LEAST_FLOOR: f64 = 0.005;

/// Differences below this are never worth a choice, in log units.
pub const MARGIN: f64 = 0.01;

/// The middle value, or the mean of the two middle ones; zero for no values.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => sorted[half],
        _ => (sorted[half - 1] + sorted[half]) / 2.0,
    }
}

/// A standard deviation that outliers do not move: 1.4826 times the median absolute deviation from the median.
///
/// Source: Hampel 1974; the factor is 1 / quantile(3/4) of the normal distribution, so that it is the standard
/// deviation when the values are normal.
pub fn mad_sigma(values: &[f64]) -> f64 {
    let middle = median(values);
    let away: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    1.4826 * median(&away)
}

/// The noise floor phi, in log units, from the log ratios of the reference to its byte-identical clone, one for each block.
///
/// Formula: phi = max(0.005, 2 sigma / sqrt(B)) with sigma = [`mad_sigma`] of the B ratios. Infinite below 3 blocks:
/// nothing has been resolved yet.
pub fn noise_floor(clone_ratios: &[f64]) -> f64 {
    if clone_ratios.len() < 3 {
        return f64::INFINITY;
    }
    (2.0 * mad_sigma(clone_ratios) / (clone_ratios.len() as f64).sqrt()).max(LEAST_FLOOR)
}

/// The difference within which two contestants are equivalent: the larger of one per cent and the noise floor, in log units.
pub fn margin(floor: f64) -> f64 {
    floor.max(MARGIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_does_not_see_one_outlier_in_five() {
        assert!((mad_sigma(&[1.0, 2.0, 3.0, 4.0, 1e9]) - 1.4826).abs() < 1e-12);
        assert_eq!((median(&[]), median(&[3.0, 1.0]), median(&[9.0, 1.0, 2.0])), (0.0, 2.0, 2.0));
    }

    #[test]
    fn the_floor_is_never_below_half_a_per_cent_and_unknown_without_blocks() {
        assert_eq!(noise_floor(&[0.0; 100]), 0.005);
        assert_eq!(noise_floor(&[0.0, 0.0]), f64::INFINITY);
        let noisy = [-0.1, 0.1, -0.1, 0.1, -0.1, 0.1, -0.1, 0.1, 0.0];
        assert!((noise_floor(&noisy) - 2.0 * 0.14826 / 3.0).abs() < 1e-12);
        assert_eq!((margin(0.002), margin(0.03)), (MARGIN, 0.03));
    }
}
