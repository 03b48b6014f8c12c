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

/// Robust standard deviations beyond which a value is not believed: 1 in 80 of normal ones are.
const BELIEVED: f64 = 2.5;

/// A value of several, moved to the nearest one within 2.5 [`mad_sigma`] of their median.
///
/// A mean over many series that each have an outlier now and then has one nearly every time, and no trimming of the means afterwards
/// helps: outliers are to be tamed in the series (Alqallaf, Van Aelst, Yohai and Zamar 2009; the form is Huber's of 1964).
pub fn tamed(value: f64, all: &[f64]) -> f64 {
    let (middle, most) = (median(all), BELIEVED * mad_sigma(all));
    value.max(middle - most).min(middle + most)
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
    fn an_outlier_is_moved_to_the_edge_of_what_is_believed_and_the_others_stay() {
        let all = [1.0, 2.0, 3.0, 4.0, 1e9];
        let edge = 3.0 + 2.5 * 1.4826;
        assert!((tamed(1e9, &all) - edge).abs() < 1e-12 && (tamed(-1e9, &all) - (6.0 - edge)).abs() < 1e-12);
        assert!(all[..4].iter().all(|&value| tamed(value, &all) == value));
        assert_eq!((tamed(7.0, &[7.0]), tamed(7.0, &[7.0, 9.0])), (7.0, 7.0));
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
