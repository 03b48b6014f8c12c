//! What several of the simulator's tests need.
#![allow(dead_code)] // each test file uses its own part

use copysmith_kernels::{Recipe, Routine};
use copysmith_search::race::{Limit, Race, Rules};
use copysmith_search::simulator::{Noise, Simulator};
use copysmith_search::{Judge, Sample};
use std::collections::BTreeMap;

/// So many different routines for one span.
pub fn routines(count: usize) -> Vec<Routine> {
    recipes(count).into_iter().map(Routine::from).collect()
}

/// So many different recipes for one span.
pub fn recipes(count: usize) -> Vec<Recipe> {
    let widths = ["8", "sse16", "avx32", "evex64"];
    let texts = widths.iter().flat_map(|width| {
        (1..=16).map(move |unroll| format!("copy 4096..=8191 loop width={width} unroll={unroll}").parse())
    });
    texts.take(count).map(|recipe| recipe.expect("a recipe")).collect()
}

/// A truth from a table by name; what is not in it is as fast as the reference.
pub fn table(entries: &[(&Routine, f64)]) -> impl Fn(&Routine) -> f64 + use<> {
    let entries: BTreeMap<String, f64> = entries.iter().map(|(routine, log)| (routine.to_string(), *log)).collect();
    move |routine| entries.get(&routine.to_string()).copied().unwrap_or(0.0)
}

/// The log ratios of every contestant over so many blocks, without any race.
pub fn blocks(judge: &mut Simulator, contestants: &[Routine], count: usize) -> Vec<Vec<f64>> {
    let mut samples = vec![Vec::new(); contestants.len()];
    for _ in 0..count {
        let Ok(block) = judge.block(contestants);
        for (lane, sample) in samples.iter_mut().zip(block) {
            if let Sample::LogRatio(ratio) = sample {
                lane.push(ratio);
            }
        }
    }
    samples
}

/// A finished race on a simulated machine.
pub fn race(
    seed: u64,
    noise: Noise,
    contestants: &[Routine],
    truth: impl Fn(&Routine) -> f64 + 'static,
    most: usize,
) -> Race {
    let mut race = Race::new(contestants.iter().cloned(), Rules::default());
    let Ok(_) = race.run(&mut Simulator::new(seed, noise, truth), Limit::blocks(most), &mut ());
    race
}
