//! Lines with intervals as an SVG drawing, by `plotters`, the best kept plotting crate; its SVG part needs no font library.

use super::Ratio;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::fmt;
use std::ops::Range;

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

/// The figures of one contestant.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    /// What the legend says.
    pub label: String,
    /// Where on the horizontal axis, and what was measured there.
    pub points: Vec<(f64, Ratio)>,
}

/// The horizontal axis.
pub(super) struct Axis<'a, R> {
    /// What it shows, with its unit.
    pub name: &'a str,
    /// How positions lie on it.
    pub range: R,
    /// Its ends.
    pub ends: Range<f64>,
    /// A position as text.
    pub text: &'a dyn Fn(&f64) -> String,
    /// How those texts stand.
    pub labels: Labels,
}

/// How the texts on the horizontal axis stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Labels {
    /// As text does: for numbers.
    Level,
    /// Upright below the axis, one at each whole number: for names, which no line connects.
    Upright,
}

type Drawn<'t> = Result<(), Box<dyn std::error::Error + 't>>;

const SIZE: (u32, u32) = (900, 520);
/// How wide the legend is, which stands beside the lines and not on them.
const LEGEND: u32 = 220;
/// Colours that also the colour-blind tell apart.
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 90, 181),
    RGBColor(220, 50, 32),
    RGBColor(90, 90, 90),
    RGBColor(0, 150, 110),
    RGBColor(230, 150, 0),
    RGBColor(80, 180, 230),
    RGBColor(200, 110, 160),
];

/// The lines as ratios, in a logarithmic scale, over this axis.
pub(super) fn chart<R>(lines: &[Line], axis: Axis<'_, R>) -> Result<String, PlotError>
where
    R: AsRangedCoord<Value = f64>,
    R::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let mut text = String::new();
    let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
    draw(&root, lines, axis).map_err(|error| PlotError(error.to_string()))?;
    drop(root);
    Ok(text)
}

fn draw<'t, R>(root: &DrawingArea<SVGBackend<'t>, Shift>, lines: &[Line], axis: Axis<'_, R>) -> Drawn<'t>
where
    R: AsRangedCoord<Value = f64>,
    R::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    root.fill(&WHITE)?;
    let (picture, beside) = root.split_horizontally(root.dim_in_pixel().0 - LEGEND);
    legend(&beside, lines)?;
    let ratios = || lines.iter().flat_map(|line| line.points.iter().map(|(_, ratio)| ratio));
    let least = ratios().map(|ratio| ratio.low).fold(0.8, f64::min);
    let most = ratios().map(|ratio| ratio.high).fold(1.25, f64::max);
    let mut chart = ChartBuilder::on(&picture)
        .caption("time of a call, the system's = 1 (below is faster)", ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(if axis.labels == Labels::Level { 44 } else { 190 })
        .y_label_area_size(56)
        .build_cartesian_2d(axis.range, (least * 0.95..most * 1.05).log_scale().base(1.25))?;
    let Axis { name, ends, text, labels, .. } = axis;
    chart
        .configure_mesh()
        .x_label_style(("sans-serif", 12))
        .x_desc(name)
        .y_desc("ratio, 95 % interval")
        .x_label_formatter(&|at| if labels == Labels::Level { text(at) } else { String::new() })
        .y_label_formatter(&|ratio| format!("{ratio:.2}"))
        .light_line_style(WHITE)
        .draw()?;
    chart.draw_series(LineSeries::new([(ends.start, 1.0), (ends.end, 1.0)], BLACK.stroke_width(1)))?;
    if labels == Labels::Upright {
        upright(&picture, chart.plotting_area(), ends.end, text)?;
    }
    for (line, color) in colored(lines) {
        if labels == Labels::Level {
            let points = line.points.iter().map(|(at, ratio)| (*at, ratio.ratio));
            chart.draw_series(LineSeries::new(points, color.stroke_width(2)))?;
        }
        let interval = |&(at, Ratio { ratio, low, high }): &(f64, Ratio)| {
            ErrorBar::new_vertical(at, low, ratio, high, color.filled(), 6)
        };
        chart.draw_series(line.points.iter().map(interval))?;
    }
    root.present()?;
    Ok(())
}

/// The texts of all whole numbers up to an end, downwards from the axis. Plotters' own, turned, stand across it.
fn upright<'t, C>(
    picture: &DrawingArea<SVGBackend<'t>, Shift>,
    plotted: &DrawingArea<SVGBackend<'t>, C>,
    end: f64,
    text: &dyn Fn(&f64) -> String,
) -> Drawn<'t>
where
    C: CoordTranslate<From = (f64, f64)>,
{
    let style = ("sans-serif", 11).into_font().transform(FontTransform::Rotate90);
    let style = TextStyle::from(style).pos(Pos::new(HPos::Left, VPos::Center));
    let below = plotted.get_pixel_range().1.end + 8;
    for at in (0..).map(f64::from).take_while(|&at| at < end) {
        let (across, _) = plotted.map_coordinate(&(at, 1.0));
        picture.draw(&Text::new(text(&at), (across, below), style.clone()))?;
    }
    Ok(())
}

fn legend<'t>(beside: &DrawingArea<SVGBackend<'t>, Shift>, lines: &[Line]) -> Drawn<'t> {
    for ((line, color), y) in colored(lines).zip((48..).step_by(20)) {
        beside.draw(&PathElement::new([(0, y), (18, y)], color.stroke_width(2)))?;
        beside.draw(&Text::new(line.label.as_str(), (26, y - 6), ("sans-serif", 13)))?;
    }
    Ok(())
}

fn colored(lines: &[Line]) -> impl Iterator<Item = (&Line, RGBColor)> {
    lines.iter().zip(COLORS.into_iter().cycle())
}
