//! How many kernels a second are emitted, and read back: `cargo bench -p copysmith-kernels --bench emit`.
#![allow(missing_docs)] // criterion's macros write undocumented functions.

use copysmith_kernels::plan::{Addr, Cond, Expr, Hint, Locality, Op, Operand, Plan, Reg, Relation, Val, Width};
use copysmith_kernels::{Target, X86_64};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

const END: Reg = Reg::SPARE[0];
const DST_END: Reg = Reg::SPARE[1];

fn set(to: Reg, value: Expr) -> Op {
    Op::Set { to, value }
}

fn sum(to: Reg, base: Reg, index: Reg) -> Op {
    set(to, Expr::Sum(Addr::indexed(base, index, 0)))
}

/// Moves `count` blocks from one displacement on: all loads, then all stores.
fn blocks(width: Width, count: u8, from: Addr, to: Addr, hint: Hint) -> Vec<Op> {
    let shifted = |addr: Addr, block: u8| Addr {
        displacement: addr.displacement + i32::from(block) * width.bytes() as i32,
        ..addr
    };
    let loads = (0..count).map(|block| Op::Load { val: Val(block), width, from: shifted(from, block) });
    let stores = (0..count).map(|block| Op::Store { val: Val(block), width, to: shifted(to, block), hint });
    loads.chain(stores).collect()
}

/// Head, an aligned non-temporal loop of four vectors with a prefetch, and a tail that overlaps it.
fn loop_with_head_and_tail(width: Width) -> Plan {
    let bytes = width.bytes() as i32;
    let (src, dst) = (Addr::at(Reg::SRC, 0), Addr::at(Reg::DST, 0));
    let mut body = blocks(width, 1, src, dst, Hint::Plain);
    body.extend([
        sum(END, Reg::SRC, Reg::N),
        sum(DST_END, Reg::DST, Reg::N),
        set(Reg::COUNT, Expr::Sum(Addr::at(Reg::DST, bytes))),
        set(Reg::COUNT, Expr::And(Reg::COUNT, -bytes)),
        set(Reg::COUNT, Expr::Difference(Reg::COUNT, Operand::Reg(Reg::DST))),
        sum(Reg::SRC, Reg::SRC, Reg::COUNT),
        sum(Reg::DST, Reg::DST, Reg::COUNT),
        set(Reg::N, Expr::Difference(Reg::N, Operand::Reg(Reg::COUNT))),
    ]);
    let mut turn = vec![Op::Prefetch { locality: Locality::T0, at: Addr::at(Reg::SRC, 1024) }];
    turn.extend(blocks(width, 4, src, dst, Hint::NonTemporal));
    turn.extend([Reg::SRC, Reg::DST].map(|cursor| set(cursor, Expr::Sum(Addr::at(cursor, 4 * bytes)))));
    turn.push(set(Reg::N, Expr::Difference(Reg::N, Operand::Imm(4 * bytes))));
    body.push(Op::Turn { body: turn, again: Cond::imm(Reg::N, Relation::Above, 4 * bytes), align: 32 });
    body.push(Op::Fence);
    body.extend(blocks(width, 4, Addr::at(END, -4 * bytes), Addr::at(DST_END, -4 * bytes), Hint::Plain));
    if width == Width::Avx32 {
        body.push(Op::ClearUpper);
    }
    body.push(Op::Return);
    Plan { body }
}

/// One bit of the length after the other.
fn ladder() -> Plan {
    let rung = |width: Width| {
        let bytes = width.bytes() as i32;
        let mut then = blocks(width, 1, Addr::at(Reg::SRC, 0), Addr::at(Reg::DST, 0), Hint::Plain);
        then.extend([Reg::SRC, Reg::DST].map(|cursor| set(cursor, Expr::Sum(Addr::at(cursor, bytes)))));
        Op::If { cond: Cond::AnyBit { reg: Reg::N, mask: bytes }, then, otherwise: vec![], align: 1 }
    };
    let mut body: Vec<Op> = [Width::Sse16, Width::B8, Width::B4, Width::B2, Width::B1].map(rung).to_vec();
    body.push(Op::Return);
    Plan { body }
}

/// A computed jump to one of 17 arms.
fn switch() -> Plan {
    let arm = |bytes: u8| {
        let mut ops = blocks(Width::B1, bytes.min(4), Addr::at(Reg::SRC, 0), Addr::at(Reg::DST, 0), Hint::Plain);
        ops.push(Op::Return);
        ops
    };
    Plan { body: vec![Op::Switch { on: Reg::N, arms: (0..17).map(arm).collect() }] }
}

fn emit(criterion: &mut Criterion) {
    let plans = [
        ("avx32 loop with head and tail", loop_with_head_and_tail(Width::Avx32)),
        ("evex64 loop with head and tail", loop_with_head_and_tail(Width::Evex64)),
        ("ladder", ladder()),
        ("switch of 17 arms", switch()),
    ];
    for (name, plan) in &plans {
        let code = X86_64.emit(plan).expect("a plan that x86-64 can express");
        let instructions = X86_64.listing(&code).len();
        let mut group = criterion.benchmark_group(format!("{name}, {instructions} instructions"));
        group.throughput(Throughput::Elements(1));
        group.bench_function("emit", |bencher| bencher.iter(|| X86_64.emit(black_box(plan))));
        group.bench_function("decode", |bencher| bencher.iter(|| X86_64.decode(black_box(&code))));
        group.finish();
    }
}

criterion_group!(benches, emit);
criterion_main!(benches);
