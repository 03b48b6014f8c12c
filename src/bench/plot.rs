//! Rows as lines of a drawing: ratios over the length, the relative offset, the distance, the case, or where the code starts.

use super::chart::{Axis, Labels, Line, PlotError, chart};
use super::{Measured, Row};
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::IntoLogRange;
use std::ops::Range;

/// Each contestant's ratio to the reference, with 95 % intervals.
///
/// Over the length, in a logarithmic scale, where a row of many lengths stands at their geometric middle; over offsets or distances
/// where rows differ in those, a line for each contestant and length; over the cases, one beside the other, where rows have names and
/// lengths do not tell them apart.
///
/// # Errors
/// [`PlotError`]; none is known.
pub fn plot(rows: &[Row]) -> Result<String, PlotError> {
    let lengths = |row: &Row| (row.case.clone(), row.first, row.last);
    let is_named = rows.iter().any(|row| row.case.is_some());
    // A name that comes again stands for a line, not for a place.
    let names_repeat =
        rows.windows(2).any(|pair| pair[0].case == pair[1].case && lengths(&pair[0]) != lengths(&pair[1]));
    if rows.iter().any(|row| row.offset.is_some()) {
        over_offsets(rows)
    } else if rows.iter().any(|row| row.distance.is_some()) {
        over_distances(rows)
    } else if is_named && !names_repeat {
        over_cases(rows)
    } else {
        over_lengths(rows)
    }
}

/// The ratios of rows whose contestants are `+0`, `+1`, ...: one routine whose code starts so many bytes behind a line's start. A line
/// for each row.
///
/// # Errors
/// As [`plot`].
pub fn plot_starts(rows: &[Row]) -> Result<String, PlotError> {
    let axis = Axis {
        name: "start of the code behind a cache line's (bytes)",
        range: -1.0..64.0,
        ends: 0.0..63.0,
        text: &|start| format!("{start:.0}"),
        labels: Labels::Level,
    };
    let start = |result: &Measured| result.name.strip_prefix('+').and_then(|bytes| bytes.parse().ok());
    let line = |row: &Row| Line {
        label: format!("{} to {} bytes", row.first, row.last),
        points: row.results.iter().filter_map(|result| Some((start(result)?, result.ratio?))).collect(),
    };
    chart(&rows.iter().map(line).collect::<Vec<_>>(), axis)
}

fn over_cases(rows: &[Row]) -> Result<String, PlotError> {
    // What was not timed has nothing to stand there.
    let is_timed = |row: &&Row| row.results.iter().any(|result| result.ratio.is_some());
    let rows: &[Row] = &rows.iter().filter(is_timed).cloned().collect::<Vec<Row>>();
    // Rows of one name are one place: no two rows are the same case.
    let at = |row: &Row| rows.iter().position(|other| other.case == row.case).unwrap_or(0) as f64;
    let text = |place: &f64| rows.get(place.round() as usize).and_then(|row| row.case.clone()).unwrap_or_default();
    let places = Places(rows.len());
    let axis = Axis { name: "", ends: places.range(), range: places, text: &text, labels: Labels::Upright };
    chart(&lines(rows, at, |_, result| result.name.clone()), axis)
}

/// An axis of so many places beside each other, each with its label: plotters' own has labels at round numbers only, or no text of
/// one's choice for them.
struct Places(usize);

impl Ranged for Places {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        let Range { start, end } = self.range();
        first + ((value - start) / (end - start) * f64::from(last - first)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        (0..self.0).map(|place| place as f64).collect()
    }

    fn range(&self) -> Range<f64> {
        -0.5..self.0.max(1) as f64 - 0.5
    }
}

fn over_distances(rows: &[Row]) -> Result<String, PlotError> {
    let distances = || rows.iter().filter_map(|row| row.distance).map(f64::from);
    // Small distances matter, and both signs: the place is the signed logarithm.
    let place = |distance: f64| distance.signum() * (1.0 + distance.abs()).log2();
    let most = distances().map(|distance| place(distance).abs()).fold(1.0, f64::max) + 0.5;
    let text = |place: &f64| format!("{:.0}", place.signum() * (place.abs().exp2() - 1.0));
    let axis = Axis {
        name: "destination - source (bytes)",
        range: -most..most,
        ends: -most..most,
        text: &text,
        labels: Labels::Level,
    };
    let label = |row: &Row, result: &Measured| format!("{}, {} bytes", result.name, row.last);
    let mut sorted = rows.to_vec();
    sorted.sort_by_key(|row| (row.last, row.distance));
    chart(&lines(&sorted, |row| place(row.distance.map_or(f64::NAN, f64::from)), label), axis)
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
        labels: Labels::Level,
    };
    let label = |row: &Row, result: &Measured| match &row.case {
        Some(case) => format!("{}, {case}", result.name),
        None => result.name.clone(),
    };
    chart(&lines(rows, middle, label), axis)
}

fn over_offsets(rows: &[Row]) -> Result<String, PlotError> {
    let axis = Axis {
        name: "destination - source, modulo 4096 (bytes)",
        // A little more than the offsets, for the intervals at both ends.
        range: -64.0..4160.0,
        ends: 0.0..4095.0,
        text: &|offset| format!("{offset:.0}"),
        labels: Labels::Level,
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
    fn named_cases_stand_beside_each_other_and_repeated_names_are_lines_over_the_length() {
        let named = |case: &str, length| Row { case: Some(case.to_owned()), ..row(length, length) };
        let text = plot(&[named("mix", 5), named("runs", 5)]).unwrap();
        assert_eq!(places(&text).len(), 2);
        // Each name begins below the axis, in a line with its mark.
        let starts: Vec<&str> = text.lines().filter(|line| line.contains("rotate(90")).collect();
        assert_eq!(starts.len(), 2, "{text}");
        for (label, place) in starts.iter().zip(places(&text)) {
            assert!(label.contains(&format!("x=\"{place}\"")) && label.contains("text-anchor=\"start\""), "{label}");
        }
        let mut skipped = named("nothing", 7);
        skipped.results.iter_mut().for_each(|result| result.ratio = None);
        assert!(!plot(&[named("mix", 5), skipped]).unwrap().contains("nothing"));
        let text = plot(&[named("short", 8), named("short", 16), named("long", 999)]).unwrap();
        assert!(text.contains("bytes copied") && text.contains("copysmith_tuned, short"), "{text}");
    }

    #[test]
    fn distances_are_drawn_by_their_logarithm_on_both_sides() {
        let moved = |distance| Row { distance: Some(distance), ..row(64, 64) };
        let text = plot(&[moved(1), moved(31), moved(-1), moved(-31)]).unwrap();
        let places: Vec<f64> = places(&text).into_iter().map(|place| place.parse().unwrap()).collect();
        assert!(places.is_sorted() && places.len() == 4, "{places:?}");
        assert!(((places[1] - places[0]) - (places[3] - places[2])).abs() <= 1.0, "{places:?}");
    }

    #[test]
    fn starts_are_drawn_within_a_line_only() {
        let mut moved = row(0, 16);
        let results =
            ["+0", "+7", "+63", "page +512"].map(|name| Measured { name: name.to_owned(), ..moved.results[0].clone() });
        moved.results = results.to_vec();
        let text = plot_starts(&[moved]).unwrap();
        assert!(text.contains("0 to 16 bytes") && places(&text).len() == 3, "{text}");
    }

    #[test]
    fn no_rows_are_a_drawing_too() {
        assert!(plot(&[]).unwrap().contains("</svg>"));
    }
}
