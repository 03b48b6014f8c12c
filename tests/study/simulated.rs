//! Data of a machine whose truth is known.

use copysmith::host::Host;
use copysmith::record::{Block, Contents, Entry, Phase, Timing};
use copysmith::study::{Choice, Data, Plan, Shard};
use copysmith_kernels::recipe::{Loop, Shape};
use copysmith_kernels::{Isa, Recipe, Routine};
use copysmith_search::Judge;
use copysmith_search::simulator::{Noise, Simulator};
use copysmith_search::space::Breadth;

/// A machine that likes wide moves, four of them a turn, and an aligned destination, and dislikes everything else a little.
pub fn hill(recipe: &Recipe) -> f64 {
    let Shape::Loop(Loop { width, unroll, align, prefetch, tail, .. }) = *recipe.shape() else { return 0.4 };
    let wide = 0.3 * (5.0 - (width.bytes() as f64).log2());
    let turned = 0.02 * (f64::from(unroll) - 4.0).abs();
    let aligned = if align.is_some_and(|align| align.to == 32) { 0.0 } else { 0.05 };
    let fetched = if prefetch.is_some() { 0.03 } else { 0.0 };
    let ended = if tail == copysmith_kernels::recipe::Tail::Overlap { 0.0 } else { 0.015 };
    wide + turned + aligned + fetched + ended - 0.2
}

/// A plan of one class of AVX kernels, on any machine.
pub fn plan(space: Breadth) -> Plan {
    let classes = vec!["4096..=8191".parse().unwrap()];
    let (choice, shard) = (Choice::Exhaustive, Shard::WHOLE);
    Plan { space, classes, choice, blocks: 12, shard, seed: 1, cpu: None, isa: Some(Isa::Avx) }
}

/// What `study measure` would write of such a machine.
pub fn contents(space: Breadth, private: f64, truth: fn(&Recipe) -> f64) -> Contents {
    let (host, plan) = (Host::read(), plan(space));
    let mut judge = Simulator::new(7, Noise::private(private), move |routine: &Routine| truth(&routine.leaves()[0]));
    let mut entries = Vec::new();
    for &class in &plan.classes {
        let routines: Vec<Routine> = plan.recipes(&host, class).into_iter().map(Routine::from).collect();
        for _ in 0..plan.blocks {
            let Ok(samples) = judge.block(&routines);
            let timing = |(routine, sample): (&Routine, copysmith_search::Sample)| Timing {
                routine: routine.to_string(),
                outcome: sample.into(),
            };
            let samples = routines.iter().zip(samples).map(timing).collect();
            let (class, phase, reference_ns) = (class.to_string(), Phase::Race, Some(100.0));
            entries.push(Entry::Block(Block { class, phase, reference_ns, samples }));
        }
    }
    Contents::new(Some(plan.header(&host)), entries)
}

/// The same, read.
pub fn data(space: Breadth, private: f64) -> Data {
    Data::new(&contents(space, private, hill)).unwrap()
}
