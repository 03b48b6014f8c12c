//! A profile as an SVG drawing: the share of calls and of bytes by power of two.

use super::{Profile, Summary};
use crate::bench::PlotError;
use plotters::prelude::*;

const SIZE: (u32, u32) = (900, 480);
const CALLS: RGBColor = RGBColor(0, 90, 181);
const BYTES: RGBColor = RGBColor(220, 50, 32);

/// The drawing.
///
/// # Errors
/// [`PlotError`]; none is known.
pub fn plot(profile: &Profile) -> Result<String, PlotError> {
    let mut text = String::new();
    draw(&Summary::of(profile), &mut text).map_err(|error| PlotError(error.to_string()))?;
    Ok(text)
}

fn draw<'t>(summary: &Summary, text: &'t mut String) -> Result<(), Box<dyn std::error::Error + 't>> {
    let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 };
    let shares = |bin: &super::Bin| [share(bin.calls, summary.calls), share(bin.bytes, summary.bytes)];
    let most = summary.bins.iter().flat_map(shares).fold(1.0, f64::max);
    let below =
        summary.calls_below_128.map_or(String::new(), |share| format!(", {:.1} % below 128 bytes", 100.0 * share));
    let mut chart = ChartBuilder::on(&root)
        .caption(format!("{}: {} calls{below}", summary.name, summary.calls), ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..summary.bins.len().max(1) as f64, 0.0..most * 1.05)?;
    let label = |at: &f64| {
        let bin = (at.fract() == 0.0).then(|| summary.bins.get(*at as usize)).flatten();
        bin.map_or(String::new(), |bin| bytes(bin.first))
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(summary.bins.len() + 1)
        .x_desc("bytes copied, from")
        .y_desc("per cent")
        .x_label_formatter(&label)
        .y_label_formatter(&|share| format!("{share:.0}"))
        .light_line_style(WHITE)
        .draw()?;
    for (which, (name, color)) in [("calls", CALLS), ("bytes", BYTES)].into_iter().enumerate() {
        let bar = |(index, bin): (usize, &super::Bin)| {
            let left = index as f64 + 0.1 + 0.4 * which as f64;
            Rectangle::new([(left, 0.0), (left + 0.4, shares(bin)[which])], color.filled())
        };
        chart
            .draw_series(summary.bins.iter().enumerate().map(bar))?
            .label(name)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], color.filled()));
    }
    chart
        .configure_series_labels()
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .position(SeriesLabelPosition::UpperRight)
        .draw()?;
    root.present()?;
    drop(chart);
    drop(root);
    Ok(())
}

/// Bytes as a person writes them.
fn bytes(bytes: u64) -> String {
    match bytes.trailing_zeros() {
        _ if bytes == 0 => "0".to_owned(),
        zeros @ 10..20 if bytes >> zeros == 1 => format!("{}K", bytes >> 10),
        zeros @ 20..30 if bytes >> zeros == 1 => format!("{}M", bytes >> 20),
        30.. => format!("{}G", bytes >> 30),
        _ => bytes.to_string(),
    }
}
