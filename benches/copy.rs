//! Copies of constant length as a program makes them: the linked table against the standard library. Lengths that repeat are predicted, so
//! this shows the other end of what `copysmith bench`, with random lengths, shows.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

fn copies(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("copy");
    for length in [8, 32, 128, 1024, 16384, 1 << 20] {
        let (src, mut dst) = (vec![1u8; length], vec![2u8; length]);
        group.throughput(Throughput::Bytes(length as u64));
        group.bench_function(BenchmarkId::new("copysmith_tuned", length), |bencher| {
            bencher.iter(|| copysmith_tuned::copy(black_box(&mut dst), black_box(&src)));
        });
        group.bench_function(BenchmarkId::new("copy_from_slice", length), |bencher| {
            bencher.iter(|| black_box(&mut dst[..]).copy_from_slice(black_box(&src)));
        });
    }
    group.finish();
}

criterion_group!(benches, copies);
criterion_main!(benches);
