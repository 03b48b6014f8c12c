//! Quantiles of Student's t distribution.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The value below which a share `p` of Student's t distribution with `dof` degrees of freedom lies.
///
/// Infinite where nothing can be said: fewer than one degree of freedom, or `p` not strictly between 0 and 1.
///
/// Source: the inverse of the regularised incomplete beta function, from the crate statrs; the tests compare it with
/// the printed tables.
///
/// ```
/// let t = copysmith_search::stats::quantile(0.975, 10);
/// assert!((t - 2.228).abs() < 0.001);
/// ```
pub fn quantile(p: f64, dof: usize) -> f64 {
    if dof == 0 || !(0.0..1.0).contains(&p) || p == 0.0 {
        return if p < 0.5 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    match StudentsT::new(0.0, 1.0, dof as f64) {
        Ok(distribution) => distribution.inverse_cdf(p),
        Err(_) => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::quantile;

    /// Printed tables (NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2), and for one and two degrees of
    /// freedom the closed forms tan(pi (p - 1/2)) and (2p - 1) / sqrt(2p (1 - p)), which reach far into the tail.
    #[test]
    fn quantiles_agree_with_printed_tables_and_closed_forms() {
        for (p, dof, printed) in
            [(0.975, 5, 2.571), (0.95, 11, 1.796), (0.999, 5, 5.893), (0.975, 100, 1.984), (0.99, 30, 2.457)]
        {
            assert!((quantile(p, dof) - printed).abs() < 0.0006, "t({p}, {dof}) = {}", quantile(p, dof));
        }
        for p in [0.6, 0.9, 0.99, 0.999, 1.0 - 1e-5, 1.0 - 1e-7] {
            let cauchy = (std::f64::consts::PI * (p - 0.5)).tan();
            assert!((quantile(p, 1) / cauchy - 1.0).abs() < 1e-5, "{p}");
            let two = (2.0 * p - 1.0) / (2.0 * p * (1.0 - p)).sqrt();
            assert!((quantile(p, 2) / two - 1.0).abs() < 1e-5, "{p}");
        }
    }

    #[test]
    fn without_freedom_nothing_is_certain() {
        assert_eq!(quantile(0.975, 0), f64::INFINITY);
        assert_eq!(quantile(1.0, 7), f64::INFINITY);
        assert_eq!(quantile(0.0, 7), f64::NEG_INFINITY);
        assert_eq!(quantile(f64::NAN, 7), f64::INFINITY);
    }
}
