//! Rows as lines of a drawing: ratios over the length, or over the relative offset of a sweep.

use super::chart::{Axis, Line, PlotError, chart};
use super::{Measured, Row};
use plotters::prelude::IntoLogRange;

/// Each contestant's ratio to the system's memcpy, with 95 % intervals.
///
/// Over the length, in a logarithmic scale, where a row of many lengths stands at their geometric middle; in a sweep of offsets over
/// the offset, a line for each contestant and length.
///
/// # Errors
/// [`PlotError`]; none is known.
pub fn plot(rows: &[Row]) -> Result<String, PlotError> {
    match rows.iter().any(|row| row.offset.is_some()) {
        true => over_offsets(rows),
        false => over_lengths(rows),
    }
}

fn over_lengths(rows: &[Row]) -> Result<String, PlotError> {
    let timed = |row: &&Row| row.results.iter().any(|result| result.ratio.is_some());
    let lengths = || rows.iter().filter(timed).map(middle);
    // With an infinite end the axis would be divided for ever.
    let first = lengths().reduce(f64::min).unwrap_or(1.0) * 0.8;
    let last = lengths().reduce(f64::max).unwrap_or(1.0) * 1.25;
    let axis = Axis {
        name: "bytes copied",
        range: (first..last).log_scale().base(4.0),
        ends: first..last,
        text: &|bytes| size(*bytes),
    };
    chart(&lines(rows, middle, |_, result| result.name.clone()), axis)
}

fn over_offsets(rows: &[Row]) -> Result<String, PlotError> {
    let axis = Axis {
        name: "destination - source, modulo 4096 (bytes)",
        // A little more than the offsets, for the intervals at both ends.
        range: -64.0..4160.0,
        ends: 0.0..4095.0,
        text: &|offset| format!("{offset:.0}"),
    };
    let label = |row: &Row, result: &Measured| format!("{}, {} bytes", result.name, row.last);
    chart(&lines(rows, |row| row.offset.map_or(f64::NAN, f64::from), label), axis)
}

/// A line for each label, in the order in which they first occur.
fn lines(rows: &[Row], at: impl Fn(&Row) -> f64, label: impl Fn(&Row, &Measured) -> String) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for (row, result) in rows.iter().flat_map(|row| row.results.iter().map(move |result| (row, result))) {
        let label = label(row, result);
        let index = lines.iter().position(|line| line.label == label).unwrap_or_else(|| {
            lines.push(Line { label, points: Vec::new() });
            lines.len() - 1
        });
        lines[index].points.extend(result.ratio.map(|ratio| (at(row), ratio)));
    }
    lines
}

/// The geometric middle of a row's lengths; 0 counts as 1.
fn middle(row: &Row) -> f64 {
    (row.first.max(1) as f64 * row.last.max(1) as f64).sqrt()
}

/// Bytes as a person writes them.
fn size(bytes: f64) -> String {
    match bytes {
        bytes if bytes >= 1048576.0 => format!("{:.0}M", bytes / 1048576.0),
        bytes if bytes >= 1024.0 => format!("{:.0}K", bytes / 1024.0),
        bytes => format!("{bytes:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::row;
    use super::*;

    /// The horizontal places of the marks, one for each interval.
    fn places(svg: &str) -> Vec<&str> {
        svg.lines().filter_map(|line| line.strip_prefix("<circle cx=\"")?.split('"').next()).collect()
    }

    #[test]
    fn the_drawing_names_its_axes_and_whoever_is_in_it() {
        let text = plot(&[row(0, 16), row(17, 32), row(1025, 4096)]).unwrap();
        for part in ["<svg", "bytes copied", "ratio, 95 % interval", "copysmith_tuned", "core::ptr"] {
            assert!(text.contains(part), "{part}");
        }
        // One mark for each interval of the contestant that was timed.
        assert_eq!(places(&text).len(), 3);
    }

    #[test]
    fn a_sweep_is_drawn_over_its_offsets_a_line_for_each_length() {
        let swept = |length, offset| Row { offset: Some(offset), ..row(length, length) };
        let rows = [swept(256, 0), swept(256, 2048), swept(256, 4095), swept(4096, 0), swept(4096, 2048)];
        let text = plot(&rows).unwrap();
        let labels = ["copysmith_tuned, 256 bytes", "core::ptr, 256 bytes", "copysmith_tuned, 4096 bytes"];
        for part in labels.into_iter().chain(["destination - source, modulo 4096 (bytes)"]) {
            assert!(text.contains(part), "{part}");
        }
        let places: Vec<f64> = places(&text).into_iter().map(|place| place.parse().unwrap()).collect();
        assert_eq!(places.len(), 5);
        // Not by the logarithm: the middle offset stands in the middle.
        assert!((places[1] - (places[0] + places[2]) / 2.0).abs() <= 1.0, "{places:?}");
        assert_eq!(places[..2], places[3..]);
    }

    #[test]
    fn no_rows_are_a_drawing_too() {
        assert!(plot(&[]).unwrap().contains("</svg>"));
    }
}
