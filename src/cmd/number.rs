//! Whole numbers on the command line: a wrong one is answered with the numbers that are allowed, a negative one too.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A parser of whole numbers in this range. Give the argument `allow_negative_numbers` as well, or `-1` is taken for an option.
pub fn number<N>(allowed: RangeInclusive<N>) -> impl Fn(&str) -> Result<N, String> + Clone + Send + Sync + 'static
where
    N: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text| {
        let parsed = text.parse().ok().filter(|number| allowed.contains(number));
        parsed.ok_or_else(|| format!("a whole number from {} to {} is needed", allowed.start(), allowed.end()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_in_range_is_told_the_range() {
        let parse = number(8..=100_u32);
        assert_eq!((parse("8"), parse("100")), (Ok(8), Ok(100)));
        for wrong in ["7", "101", "-1", "1e3", "", "9.5", "99999999999"] {
            assert_eq!(parse(wrong), Err("a whole number from 8 to 100 is needed".to_owned()), "{wrong}");
        }
    }
}
