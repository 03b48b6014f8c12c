//! Rows as comma-separated values, with every digit, by the `csv` crate: reasons of failures hold commas and quotes.

use super::{Measured, Row};

const NAMES: [&str; 17] = [
    "case",
    "first",
    "last",
    "offset",
    "distance",
    "contestant",
    "ratio",
    "low",
    "high",
    "gigabytes_per_second",
    "reference_gigabytes_per_second",
    "nanoseconds",
    "reference_nanoseconds",
    "overhead_nanoseconds",
    "noise_floor",
    "blocks",
    "error",
];

/// One line of names, then a line for each contestant of each row. Absent figures are empty, and so is the error of a line that
/// has figures.
pub fn csv(rows: &[Row]) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let lines = rows.iter().flat_map(|row| row.results.iter().map(move |result| line(row, result)));
    for line in std::iter::once(NAMES.map(str::to_owned)).chain(lines) {
        writer.write_record(line).expect("a vector takes everything, and all lines are as long as the first");
    }
    let bytes = writer.into_inner().expect("a vector takes everything");
    String::from_utf8(bytes).expect("texts, quotes and commas are text")
}

fn line(row: &Row, result: &Measured) -> [String; NAMES.len()] {
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let ratio = result.ratio;
    [
        row.case.clone().unwrap_or_default(),
        row.first.to_string(),
        row.last.to_string(),
        row.offset.map_or_else(String::new, |offset| offset.to_string()),
        row.distance.map_or_else(String::new, |distance| distance.to_string()),
        result.name.clone(),
        number(ratio.map(|ratio| ratio.ratio)),
        number(ratio.map(|ratio| ratio.low)),
        number(ratio.map(|ratio| ratio.high)),
        number(result.gigabytes_per_second),
        number(row.reference_gigabytes_per_second),
        number(result.nanoseconds),
        number(row.reference_nanoseconds),
        number(row.overhead_nanoseconds),
        number(row.noise_floor),
        row.blocks.to_string(),
        row.reason(result).unwrap_or_default().to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::row;
    use super::*;

    #[test]
    fn there_is_a_line_for_each_contestant_and_a_reason_where_nothing_is_known() {
        let text = csv(&[row(17, 32)]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], ",17,32,,,copysmith_tuned,0.75,0.7,0.8,12.25,9.5,3.375,4.5,1.5,0.005,60,");
        assert_eq!(lines[2], ",17,32,,,core::ptr,,,,,9.5,,4.5,1.5,0.005,60,\"\"\"odd\"\", it says\"");
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn a_row_that_failed_has_its_reason_in_every_line() {
        let mut failed = Row { error: Some("no memory".to_owned()), noise_floor: None, ..row(1, 2) };
        failed.results.remove(0);
        failed.results[0].error = None;
        assert!(csv(&[failed]).ends_with("1,2,,,core::ptr,,,,,9.5,,4.5,1.5,,60,no memory\n"));
    }

    #[test]
    fn no_rows_are_a_line_of_names() {
        assert_eq!(csv(&[]).lines().count(), 1);
    }
}
