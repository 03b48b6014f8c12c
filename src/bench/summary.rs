//! What many rows, or many columns, come to.

use super::report::{Ratio, Report, Row};

/// Where a contestant does worst beside the reference, over the offsets of one length.
#[derive(Clone, Debug, PartialEq)]
pub struct Worst {
    /// The length, in bytes.
    pub length: usize,
    /// Who.
    pub contestant: String,
    /// The offset at which its ratio is largest, and that ratio.
    pub ratio: (u16, Ratio),
    /// The offset at which it is slowest, and its speed there in bytes a nanosecond.
    pub slowest: Option<(u16, f64)>,
}

/// The worst offset of each contestant at each length, in order; nothing of rows without offsets.
pub fn worst(report: &Report) -> Vec<Worst> {
    let mut lengths: Vec<usize> = report.rows.iter().filter(|row| row.offset.is_some()).map(|row| row.last).collect();
    lengths.dedup();
    let columns = report.contestants.iter().map(|column| column.name.as_str());
    let both = lengths.into_iter().flat_map(|length| columns.clone().map(move |name| (length, name)));
    both.filter_map(|(length, name)| worst_of(&report.rows, length, name)).collect()
}

fn worst_of(rows: &[Row], length: usize, name: &str) -> Option<Worst> {
    let of_length = rows.iter().filter(|row| row.last == length);
    let found = of_length.filter_map(|row| Some((row.offset?, row.results.iter().find(|result| result.name == name)?)));
    let ratios = found.clone().filter_map(|(offset, result)| Some((offset, result.ratio?)));
    let speeds = found.filter_map(|(offset, result)| Some((offset, result.gigabytes_per_second?)));
    Some(Worst {
        length,
        contestant: name.to_owned(),
        ratio: ratios.max_by(|a, b| a.1.ratio.total_cmp(&b.1.ratio))?,
        slowest: speeds.min_by(|a, b| a.1.total_cmp(&b.1)),
    })
}

/// How much it matters where a routine's code starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// Its ratio to the reference where it starts a line, as it asks to.
    pub aligned: Ratio,
    /// Where in a line it is fastest.
    pub fastest: (String, Ratio),
    /// Where in a line it is slowest.
    pub slowest: (String, Ratio),
    /// At how many bytes of a line it is slower than at the first, by intervals that do not touch.
    pub slower: usize,
    /// The largest ratio over the smallest, among starts of lines at several page offsets; 1 where nothing was measured.
    pub pages: f64,
}

impl Spread {
    /// The largest ratio over the smallest, within a line. Two extremes of 64 noisy figures are further apart than any two others, by
    /// about five standard errors, even where the start does not matter.
    pub fn within_line(&self) -> f64 {
        self.slowest.1.ratio / self.fastest.1.ratio
    }
}

/// The spread of a row whose contestants are one routine at many starts; `None` where too little was measured.
pub fn spread(row: &Row) -> Option<Spread> {
    let timed = || row.results.iter().filter_map(|result| Some((result.name.clone(), result.ratio?)));
    let in_line = || timed().filter(|(name, _)| name.starts_with('+'));
    let in_page = || timed().filter(|(name, _)| !name.starts_with('+')).map(|(_, ratio)| ratio.ratio);
    let (_, aligned) = in_line().find(|(name, _)| name == "+0")?;
    let by_ratio = |a: &(String, Ratio), b: &(String, Ratio)| a.1.ratio.total_cmp(&b.1.ratio);
    let pages = in_page().reduce(f64::max).zip(in_page().reduce(f64::min));
    Some(Spread {
        aligned,
        fastest: in_line().min_by(by_ratio)?,
        slowest: in_line().max_by(by_ratio)?,
        slower: in_line().filter(|(_, ratio)| ratio.low > aligned.high).count(),
        pages: pages.map_or(1.0, |(most, least)| most / least),
    })
}

#[cfg(test)]
mod tests {
    use super::super::Field;
    use super::super::report::tests::row;
    use super::*;
    use crate::host::Host;

    fn ratio(ratio: f64) -> Ratio {
        Ratio { ratio, low: ratio - 0.01, high: ratio + 0.01 }
    }

    #[test]
    fn the_worst_offset_is_found_for_each_length_by_ratio_and_by_speed() {
        let swept = |length, offset, value: f64, speed| {
            let mut row = Row { offset: Some(offset), ..row(length, length) };
            (row.results[0].ratio, row.results[0].gigabytes_per_second) = (Some(ratio(value)), Some(speed));
            row
        };
        let rows =
            vec![swept(64, 0, 0.9, 5.0), swept(64, 1, 1.4, 9.0), swept(64, 16, 1.1, 4.0), swept(256, 0, 0.5, 7.0)];
        let report = Report {
            contestants: vec![super::super::Column { name: "copysmith_tuned".to_owned(), what: String::new() }],
            ..Report::new(&Host::read(), &Field::copies(), rows)
        };
        let worst = worst(&report);
        assert_eq!(worst.len(), 2);
        assert_eq!((worst[0].length, worst[0].ratio, worst[0].slowest), (64, (1, ratio(1.4)), Some((16, 4.0))));
        assert_eq!((worst[1].length, worst[1].ratio.0), (256, 0));
    }

    #[test]
    fn a_spread_counts_only_starts_that_are_slower_beyond_their_intervals() {
        let mut moved = row(0, 16);
        let of = |name: &str, value| super::super::Measured {
            name: name.to_owned(),
            ratio: Some(ratio(value)),
            ..moved.results[0].clone()
        };
        let results = [("+0", 0.8), ("+1", 0.81), ("+2", 0.9), ("+3", 0.75), ("page +0", 0.8), ("page +512", 1.0)];
        moved.results = results.map(|(name, value)| of(name, value)).to_vec();
        let found = spread(&moved).unwrap();
        assert_eq!((found.fastest.0.as_str(), found.slowest.0.as_str(), found.slower), ("+3", "+2", 1));
        assert!((found.within_line() - 1.2).abs() < 1e-12 && (found.pages - 1.25).abs() < 1e-12);
        moved.results.clear();
        assert_eq!(spread(&moved), None);
    }
}
