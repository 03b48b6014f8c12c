//! The noise floor of this machine: the C library's `memcpy` raced against itself through two call loops.
//!
//! `cargo run --release --example aa [blocks]`

use copysmith::host::Caches;
use copysmith::time::{Lengths, LiveJudge, ReadBack, Settings, Workload};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let blocks: usize = std::env::args().nth(1).map_or(Ok(40), |text| text.parse())?;
    let span = |text: &str| -> Result<Lengths, Box<dyn std::error::Error>> { Ok(Lengths::Span(text.parse()?)) };
    let workloads = [
        Workload::hot(span("17..=32")?),
        Workload::hot(Lengths::Mix),
        Workload::hot(Lengths::Runs),
        Workload::hot(Lengths::Fixed(16)).read_back(ReadBack::Ends),
        Workload::hot(span("1024..=4096")?),
        Workload::hot(Lengths::Fixed(64 << 10)),
        Workload::hot(Lengths::Fixed(64 << 10)).read_back(ReadBack::Full),
        Workload::hot(Lengths::Fixed(4 << 20)),
        Workload::cold(span("17..=32")?),
        Workload::cold(Lengths::Fixed(64 << 10)),
        Workload::cold(Lengths::Fixed(16 << 20)),
    ];
    for workload in workloads {
        let name = workload.to_string();
        let mut settings = Settings::new(vec![workload.into()]);
        settings.last_level_cache = usize::try_from(Caches::read().l3.unwrap_or(0))?;
        let mut judge = LiveJudge::new(&settings)?;
        let start = Instant::now();
        let ratios = judge.aa(blocks)?;
        let milliseconds = start.elapsed().as_secs_f64() * 1e3 / blocks as f64;
        println!("{name}");
        println!(
            "  median {:+.2} %, sigma {:.2} %, calls a pass {}, {milliseconds:.2} ms a block, {:.2} GB/s",
            100.0 * median(ratios.clone()),
            100.0 * sigma(&ratios),
            judge.calls()[0],
            judge.reference_gigabytes_per_second().unwrap_or(f64::NAN),
        );
        println!("  {}", judge.tally());
    }
    Ok(())
}

/// 1.4826 times the median distance from the median: the standard deviation, if the ratios are normal.
fn sigma(ratios: &[f64]) -> f64 {
    let middle = median(ratios.to_vec());
    1.4826 * median(ratios.iter().map(|ratio| (ratio - middle).abs()).collect())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
