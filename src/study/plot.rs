//! Drawings of studies and reports: curves, bars and heat maps as SVG, by `plotters` like those of `bench`.

use super::StudyError;
use plotters::coord::Shift;
use plotters::prelude::*;

/// A named line.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What the legend says.
    pub label: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// What a drawing says about itself.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// Above it.
    pub caption: &'a str,
    /// Below the horizontal axis.
    pub x: &'a str,
    /// Beside the vertical axis.
    pub y: &'a str,
}

const SIZE: (u32, u32) = (760, 420);
const LEGEND: u32 = 170;
/// Colours that also the colour-blind tell apart, the same as those of `bench`, and two more.
const COLORS: [RGBColor; 9] = [
    RGBColor(0, 90, 181),
    RGBColor(220, 50, 32),
    RGBColor(90, 90, 90),
    RGBColor(0, 150, 110),
    RGBColor(230, 150, 0),
    RGBColor(80, 180, 230),
    RGBColor(200, 110, 160),
    RGBColor(120, 90, 40),
    RGBColor(0, 0, 0),
];

type Area<'t> = DrawingArea<SVGBackend<'t>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Lines over a horizontal axis from the least to the largest point; the vertical axis holds all points and zero.
///
/// # Errors
/// [`StudyError::Plot`]
pub fn curves(curves: &[Curve], words: Words<'_>) -> Result<String, StudyError> {
    drawing(SIZE, |root| {
        let (picture, beside) = root.split_horizontally(SIZE.0 - LEGEND);
        let points = || curves.iter().flat_map(|curve| &curve.points);
        let ends = |of: fn(&(f64, f64)) -> f64| {
            let least = points().map(of).fold(f64::INFINITY, f64::min);
            let most = points().map(of).fold(f64::NEG_INFINITY, f64::max);
            match (least.is_finite(), least < most) {
                (_, true) => (least, most),
                (true, false) => (least - 1.0, least + 1.0),
                (false, false) => (0.0, 1.0),
            }
        };
        let ((left, right), (low, high)) = (ends(|point| point.0), ends(|point| point.1));
        let mut chart = ChartBuilder::on(&picture)
            .caption(words.caption, ("sans-serif", 16))
            .margin(10)
            .x_label_area_size(40)
            .y_label_area_size(56)
            .build_cartesian_2d(left..right, low.min(0.0)..high.max(0.0) * 1.05 + 1e-9)?;
        chart.configure_mesh().x_desc(words.x).y_desc(words.y).light_line_style(WHITE).draw()?;
        for (number, (curve, color)) in curves.iter().zip(COLORS.into_iter().cycle()).enumerate() {
            chart.draw_series(LineSeries::new(curve.points.iter().copied(), color.stroke_width(2)))?;
            let y = 40 + 20 * number as i32;
            beside.draw(&PathElement::new([(0, y), (16, y)], color.stroke_width(2)))?;
            beside.draw(&Text::new(curve.label.clone(), (22, y - 6), ("sans-serif", 13)))?;
        }
        Ok(())
    })
}

/// Horizontal bars, one for each name, the first at the top. Values are not below zero.
///
/// # Errors
/// [`StudyError::Plot`]
pub fn bars(bars: &[(String, f64)], words: Words<'_>) -> Result<String, StudyError> {
    const ROW: i32 = 22;
    const NAMES: i32 = 220;
    let height = 70 + ROW * bars.len() as i32;
    drawing((SIZE.0, height as u32), |root| {
        root.draw(&Text::new(words.caption.to_owned(), (10, 10), ("sans-serif", 16)))?;
        let most = bars.iter().map(|bar| bar.1).fold(1e-12, f64::max);
        for (number, (name, value)) in bars.iter().enumerate() {
            let y = 40 + ROW * number as i32;
            let wide = (value / most * f64::from(SIZE.0 as i32 - NAMES - 90)).round() as i32;
            root.draw(&Text::new(name.clone(), (10, y + 3), ("sans-serif", 13)))?;
            root.draw(&Rectangle::new([(NAMES, y), (NAMES + wide.max(1), y + ROW - 6)], COLORS[0].filled()))?;
            root.draw(&Text::new(format!("{value:.3}"), (NAMES + wide.max(1) + 6, y + 3), ("sans-serif", 13)))?;
        }
        root.draw(&Text::new(words.x.to_owned(), (NAMES, height - 22), ("sans-serif", 13)))?;
        Ok(())
    })
}

/// A heat map: a cell for each row and column, blue the least and red the largest; a cell without a value stays white.
///
/// # Errors
/// [`StudyError::Plot`]
pub fn heat(
    rows: &[String],
    columns: &[String],
    cells: &[Vec<Option<f64>>],
    words: Words<'_>,
) -> Result<String, StudyError> {
    const NAMES: i32 = 110;
    const TOP: i32 = 60;
    let wide = ((SIZE.0 as i32 - NAMES - 10) / columns.len().max(1) as i32).clamp(24, 90);
    let high = 26;
    let size = (SIZE.0, (TOP + high * rows.len() as i32 + 40) as u32);
    drawing(size, |root| {
        root.draw(&Text::new(words.caption.to_owned(), (10, 8), ("sans-serif", 16)))?;
        let known = || cells.iter().flatten().flatten().copied();
        let (least, most) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
        for (number, column) in columns.iter().enumerate() {
            root.draw(&Text::new(column.clone(), (NAMES + wide * number as i32 + 4, TOP - 18), ("sans-serif", 12)))?;
        }
        for (at, (row, cells)) in rows.iter().zip(cells).enumerate() {
            let y = TOP + high * at as i32;
            root.draw(&Text::new(row.clone(), (10, y + 7), ("sans-serif", 12)))?;
            for (number, cell) in cells.iter().enumerate() {
                let Some(value) = *cell else { continue };
                let share = if most > least { (value - least) / (most - least) } else { 0.5 };
                let x = NAMES + wide * number as i32;
                root.draw(&Rectangle::new([(x, y), (x + wide - 2, y + high - 2)], color(share).filled()))?;
                root.draw(&Text::new(format!("{value:.2}"), (x + 4, y + 7), ("sans-serif", 12)))?;
            }
        }
        let below = format!("rows: {}; columns: {}", words.y, words.x);
        root.draw(&Text::new(below, (10, size.1 as i32 - 24), ("sans-serif", 12)))?;
        Ok(())
    })
}

/// From a light blue over white to a light red, on all of which black text can be read.
fn color(share: f64) -> RGBColor {
    let mixed = |from: f64, to: f64, share: f64| (from + (to - from) * share).round() as u8;
    if share < 0.5 {
        let part = share * 2.0;
        RGBColor(mixed(120.0, 250.0, part), mixed(180.0, 250.0, part), mixed(240.0, 250.0, part))
    } else {
        let part = share * 2.0 - 1.0;
        RGBColor(mixed(250.0, 245.0, part), mixed(250.0, 140.0, part), mixed(250.0, 120.0, part))
    }
}

fn drawing(size: (u32, u32), draw: impl FnOnce(&Area<'_>) -> Drawn) -> Result<String, StudyError> {
    let mut text = String::new();
    let drawn = {
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        let all = root.fill(&WHITE).map_err(Box::from).and_then(|()| draw(&root));
        all.and_then(|()| root.present().map_err(Box::from))
    };
    drawn.map(|()| text).map_err(|error: Box<dyn std::error::Error>| StudyError::Plot(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: Words<'_> = Words { caption: "a caption", x: "across", y: "up" };

    #[test]
    fn curves_bars_and_cells_are_drawn_with_their_names() {
        let line = |label: &str, points: &[(f64, f64)]| Curve { label: label.to_owned(), points: points.to_vec() };
        let svg = curves(&[line("one", &[(1.0, 0.5), (2.0, 0.1)]), line("two", &[(1.0, 0.2)])], WORDS).unwrap();
        assert!(["a caption", "across", "up", "one", "two", "</svg>"].iter().all(|part| svg.contains(part)), "{svg}");
        let svg = bars(&[("width".to_owned(), 0.7), ("tail".to_owned(), 0.0)], WORDS).unwrap();
        assert!(svg.contains("width") && svg.contains("0.700") && svg.contains("0.000"), "{svg}");
        let names = |names: [&str; 2]| names.map(str::to_owned).to_vec();
        let cells = [vec![Some(0.5), None], vec![Some(1.25), Some(0.75)]];
        let svg = heat(&names(["r1", "r2"]), &names(["c1", "c2"]), &cells, WORDS).unwrap();
        assert_eq!(svg.matches("<rect").count(), 1 + 3, "a cell without a value is drawn: {svg}");
        assert!(["r2", "c2", "1.25"].iter().all(|part| svg.contains(part)));
    }

    #[test]
    fn nothing_and_one_point_are_drawings_too() {
        let one = Curve { label: "one".to_owned(), points: vec![(3.0, 4.0)] };
        for svg in [curves(&[], WORDS), curves(&[one], WORDS), bars(&[], WORDS), heat(&[], &[], &[], WORDS)] {
            assert!(svg.unwrap().ends_with("</svg>\n"));
        }
    }
}
