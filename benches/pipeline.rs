//! What a candidate costs before it is timed: text to code, and its proofs at the gate.

use copysmith::host::Features;
use copysmith::proofs::{Thoroughness, prove_routine};
use copysmith_kernels::{Recipe, Routine, Target, X86_64};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::hint::black_box;

const RECIPES: [&str; 4] = [
    "copy 0..=16 branch-free width=8",
    "copy 33..=64 pairs width=sse16 moves=2",
    "copy 257.. loop width=sse16 unroll=4 align=dst:16:overlap prefetch=t0:src:512:clamp tail=ladder",
    "copy 0.. string unit=8 align=dst:8:bytes",
];

fn pipeline(criterion: &mut Criterion) {
    let features = Features::read();
    let mut group = criterion.benchmark_group("pipeline");
    for text in RECIPES {
        let recipe: Recipe = text.parse().expect("a recipe");
        let routine = Routine::from(recipe);
        group.bench_function(BenchmarkId::new("recipe to code", text), |bencher| {
            bencher.iter(|| X86_64.emit(&black_box(&routine).plan()));
        });
        group.bench_function(BenchmarkId::new("three proofs", text), |bencher| {
            bencher.iter(|| prove_routine(black_box(&routine), &features, Thoroughness::Gate).is_ok());
        });
    }
    group.finish();
}

criterion_group!(benches, pipeline);
criterion_main!(benches);
