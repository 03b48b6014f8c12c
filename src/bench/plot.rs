//! Ratios over lengths as an SVG drawing, by `plotters`, the best kept plotting crate; its SVG part needs no font library.

use super::Row;
use plotters::prelude::*;
use std::fmt;

/// Why there is no drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlotError(
    /// What the drawing library says.
    pub String,
);

impl fmt::Display for PlotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the drawing failed: {}", self.0)
    }
}

impl std::error::Error for PlotError {}

const SIZE: (u32, u32) = (900, 520);
const COLORS: [RGBColor; 4] = [RGBColor(0, 90, 181), RGBColor(220, 50, 32), RGBColor(90, 90, 90), RGBColor(0, 128, 0)];

/// Each contestant's ratio to the system's memcpy over the length, both axes logarithmic, with 95 % intervals. A row of many
/// lengths stands at their geometric middle.
///
/// # Errors
/// [`PlotError`]; none is known.
pub fn plot(rows: &[Row]) -> Result<String, PlotError> {
    let mut text = String::new();
    draw(rows, &mut text).map_err(|error| PlotError(error.to_string()))?;
    Ok(text)
}

fn draw<'t>(rows: &[Row], text: &'t mut String) -> Result<(), Box<dyn std::error::Error + 't>> {
    let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let ratios = || rows.iter().flat_map(|row| row.results.iter().filter_map(|result| result.ratio));
    let least = ratios().map(|ratio| ratio.low).fold(0.8, f64::min);
    let most = ratios().map(|ratio| ratio.high).fold(1.25, f64::max);
    let lengths = || rows.iter().map(middle);
    // With an infinite end the axis would be divided for ever.
    let first = lengths().reduce(f64::min).unwrap_or(1.0);
    let last = lengths().reduce(f64::max).unwrap_or(1.0);
    let mut chart = ChartBuilder::on(&root)
        .caption("time of a call, system memcpy = 1 (below is faster)", ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(56)
        .build_cartesian_2d(
            (first * 0.8..last * 1.25).log_scale().base(4.0),
            (least * 0.95..most * 1.05).log_scale().base(1.25),
        )?;
    chart
        .configure_mesh()
        .x_desc("bytes copied")
        .y_desc("ratio, 95 % interval")
        .x_label_formatter(&|bytes| size(*bytes))
        .y_label_formatter(&|ratio| format!("{ratio:.2}"))
        .light_line_style(WHITE)
        .draw()?;
    chart.draw_series(LineSeries::new([(first * 0.8, 1.0), (last * 1.25, 1.0)], BLACK.stroke_width(1)))?;
    let names: Vec<&str> =
        rows.first().map(|row| row.results.iter().map(|result| result.name.as_str()).collect()).unwrap_or_default();
    for (index, name) in names.into_iter().enumerate() {
        let color = COLORS[index % COLORS.len()];
        let points: Vec<(f64, super::Ratio)> =
            rows.iter().filter_map(|row| Some((middle(row), row.results.get(index)?.ratio?))).collect();
        chart
            .draw_series(LineSeries::new(points.iter().map(|(at, ratio)| (*at, ratio.ratio)), color.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2)));
        let bar = |&(at, ratio): &(f64, super::Ratio)| {
            ErrorBar::new_vertical(at, ratio.low, ratio.ratio, ratio.high, color.filled(), 8)
        };
        chart.draw_series(points.iter().map(bar))?;
    }
    chart
        .configure_series_labels()
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .position(SeriesLabelPosition::LowerRight)
        .draw()?;
    root.present()?;
    drop(chart);
    drop(root);
    Ok(())
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
    use super::super::csv::tests::row;
    use super::*;

    #[test]
    fn the_drawing_names_its_axes_and_whoever_is_in_it() {
        let text = plot(&[row(0, 16), row(17, 32), row(1025, 4096)]).unwrap();
        for part in ["<svg", "bytes copied", "ratio, 95 % interval", "copysmith_tuned", "core::ptr"] {
            assert!(text.contains(part), "{part}");
        }
        // One mark for each interval of the contestant that was timed.
        assert_eq!(text.matches("<circle").count(), 3);
    }

    #[test]
    fn no_rows_are_a_drawing_too() {
        assert!(plot(&[]).unwrap().contains("</svg>"));
    }
}
