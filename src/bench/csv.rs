//! Rows as comma-separated values, with every digit.

use super::Row;
use std::fmt::Write;

/// One line of names, then a line for each contestant of each row. Absent figures are empty.
pub fn csv(rows: &[Row]) -> String {
    let mut text = "first,last,offset,contestant,ratio,low,high,gigabytes_per_second,memcpy_gigabytes_per_second,\
                    noise_floor,blocks\n"
        .to_owned();
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    for row in rows {
        for result in &row.results {
            let ratio = result.ratio;
            let offset = row.offset.map_or_else(String::new, |offset| offset.to_string());
            // Writing into a string cannot fail.
            let _ = writeln!(
                text,
                "{},{},{offset},{},{},{},{},{},{},{},{}",
                row.first,
                row.last,
                result.name,
                number(ratio.map(|ratio| ratio.ratio)),
                number(ratio.map(|ratio| ratio.low)),
                number(ratio.map(|ratio| ratio.high)),
                number(result.gigabytes_per_second),
                number(row.memcpy_gigabytes_per_second),
                row.noise_floor,
                row.blocks,
            );
        }
    }
    text
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::bench::{Measured, Ratio};

    pub fn row(first: usize, last: usize) -> Row {
        let ratio = Some(Ratio { ratio: 0.75, low: 0.7, high: 0.8 });
        Row {
            first,
            last,
            offset: None,
            workload: String::new(),
            memcpy_gigabytes_per_second: Some(9.5),
            noise_floor: 0.005,
            blocks: 60,
            results: vec![
                Measured { name: "copysmith_tuned".to_owned(), ratio, gigabytes_per_second: Some(12.25) },
                Measured { name: "core::ptr".to_owned(), ratio: None, gigabytes_per_second: None },
            ],
        }
    }

    #[test]
    fn there_is_a_line_for_each_contestant_and_nothing_where_nothing_is_known() {
        let text = csv(&[row(17, 32)]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "17,32,,copysmith_tuned,0.75,0.7,0.8,12.25,9.5,0.005,60");
        assert_eq!(lines[2], "17,32,,core::ptr,,,,,9.5,0.005,60");
        assert!(lines.iter().all(|line| line.split(',').count() == 11));
    }
}
