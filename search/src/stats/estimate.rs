//! The trimmed mean of paired differences and its interval.

use super::quantile;

/// Share cut off at each end before the mean is taken.
const TRIM: f64 = 0.2;

/// Lag-1 correlation above which blocks are not taken as independent any more.
const LAG: f64 = 0.2;

/// Largest lag-1 correlation that is believed: beyond it the factor would be decided by the noise of the correlation.
const LAG_MOST: f64 = 0.9;

/// Fewest values that say anything about their own spread.
const FEWEST: usize = 3;

/// A location, how sure it is, and its 95 % interval, all in log units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// 20 % trimmed mean.
    pub mean: f64,
    /// Standard error of the mean; infinite when there were fewer than 3 values.
    pub se: f64,
    /// Degrees of freedom of the interval.
    pub dof: usize,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

impl Estimate {
    /// The 20 % trimmed mean of finite values, in the order in which they were measured, with its interval.
    ///
    /// ```text
    /// g = floor(0.2 B)   h = B - 2g         B values, g cut off at each end, h kept
    /// SE = s_w / ((1 - 2g/B) sqrt(B))       s_w: deviation of the winsorised values (the g outermost at each end
    ///                                       moved to the last value kept)
    /// SE *= sqrt((1 + r) / (1 - r))         if the lag-1 correlation r of the winsorised values is above 0.2
    /// mean +/- t(0.975, h - 1) SE
    /// ```
    ///
    /// Source: Tukey and McLaughlin 1963 (the t of a trimmed mean), Yuen 1974 (its standard error and degrees of
    /// freedom); the last step is the variance of the mean of a first-order autoregressive series. Fewer than 3 values
    /// give their mean and an interval without ends.
    pub fn of(values: &[f64]) -> Estimate {
        let count = values.len();
        let mean = trimmed_mean(values);
        if count < FEWEST {
            return Estimate { mean, se: f64::INFINITY, dof: 0, low: f64::NEG_INFINITY, high: f64::INFINITY };
        }
        let cut = trimmed(count);
        let winsorised = winsorised(values);
        let kept = 1.0 - 2.0 * cut as f64 / count as f64;
        let mut se = deviation(&winsorised) / (kept * (count as f64).sqrt());
        let r = lag(&winsorised);
        if r > LAG {
            let r = r.min(LAG_MOST);
            se *= ((1.0 + r) / (1.0 - r)).sqrt();
        }
        let dof = count - 2 * cut - 1;
        let half = quantile(0.975, dof) * se;
        Estimate { mean, se, dof, low: mean - half, high: mean + half }
    }

    /// The lower end of a one-sided interval that the true value is below with probability `alpha`, given the quantile
    /// t(1 - alpha, dof), which a caller with many estimates of the same size computes once.
    pub(crate) fn above(&self, t: f64) -> f64 {
        // An infinite quantile times a zero error would be no number.
        if t.is_finite() && self.se.is_finite() { self.mean - t * self.se } else { f64::NEG_INFINITY }
    }
}

/// The mean of what is left after the fifth of the values at each end is cut off (the number cut is rounded down).
/// Zero for no values.
pub fn trimmed_mean(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let cut = trimmed(sorted.len());
    let kept = &sorted[cut..sorted.len() - cut];
    if kept.is_empty() { 0.0 } else { kept.iter().sum::<f64>() / kept.len() as f64 }
}

fn trimmed(count: usize) -> usize {
    (TRIM * count as f64).floor() as usize
}

/// The values in their order, the outermost moved to the last value that a trimmed mean keeps.
fn winsorised(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let cut = trimmed(sorted.len());
    let (low, high) = (sorted[cut], sorted[sorted.len() - 1 - cut]);
    values.iter().map(|value| value.clamp(low, high)).collect()
}

fn deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (values.len() - 1) as f64).sqrt()
}

/// Correlation of each value with the one after it; winsorised values, so that one outlier does not decide it.
fn lag(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let products: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    if squares > 0.0 { products / squares } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked by hand: B = 10, g = 2, h = 6. Kept 3..=8, mean 5.5; winsorised 3 3 3 4 5 6 7 8 8 8 with squared
    /// deviations 3 * 6.25 + 2.25 + 0.25 + 0.25 + 2.25 + 3 * 6.25 = 42.5; s_w = sqrt(42.5 / 9); SE = s_w / (0.6 sqrt 10).
    #[test]
    fn a_worked_example_comes_out_to_the_last_digit() {
        let values = [5.0, 1.0, 8.0, 3.0, 1000.0, 2.0, 7.0, 4.0, 9.0, 6.0];
        let estimate = Estimate::of(&values);
        let se = (42.5_f64 / 9.0).sqrt() / (0.6 * 10.0_f64.sqrt());
        assert_eq!((estimate.mean, estimate.dof), (5.5, 5));
        assert!((estimate.se - se).abs() < 1e-12, "{} {se}", estimate.se);
        assert!((estimate.high - 5.5 - 2.5706 * se).abs() < 1e-3);
        assert!((estimate.low + estimate.high - 11.0).abs() < 1e-9);
    }

    #[test]
    fn values_that_follow_each_other_widen_the_interval() {
        let mixed = [1.0, 6.0, 2.0, 5.0, 3.0, 4.0, 1.5, 5.5, 2.5, 4.5];
        let mut rising = mixed;
        rising.sort_by(f64::total_cmp);
        let (mixed, rising) = (Estimate::of(&mixed), Estimate::of(&rising));
        assert_eq!(mixed.mean, rising.mean);
        assert!(rising.se > 1.5 * mixed.se, "{} {}", rising.se, mixed.se);
    }

    #[test]
    fn too_few_values_have_an_interval_without_ends() {
        for values in [&[][..], &[0.1], &[0.1, 0.2]] {
            let estimate = Estimate::of(values);
            assert_eq!((estimate.low, estimate.high), (f64::NEG_INFINITY, f64::INFINITY));
            assert_eq!(estimate.above(1.0), f64::NEG_INFINITY);
        }
    }

    #[test]
    fn values_that_are_all_the_same_have_no_error() {
        let estimate = Estimate::of(&[0.25; 8]);
        assert_eq!((estimate.mean, estimate.se, estimate.low, estimate.high), (0.25, 0.0, 0.25, 0.25));
        assert_eq!(estimate.above(f64::INFINITY), f64::NEG_INFINITY);
    }
}
