//! Random axis values for property tests: every shape, every axis, spans that fit short and long shapes.

use copysmith_kernels::Span;
use copysmith_kernels::plan::{Direction, Width};
use copysmith_kernels::recipe::{
    Align, Beyond, Bottom, Fetch, Form, Head, Last, Loop, Operation, Order, Prefetch, Shape, Side, Source, Stores,
    StringMove, Tail,
};
use proptest::prelude::*;
use proptest::sample::select;

pub fn operation() -> impl Strategy<Value = Operation> {
    select(Operation::ALL.to_vec())
}

fn direction() -> impl Strategy<Value = Direction> {
    select(vec![Direction::Forward, Direction::Backward])
}

fn align() -> impl Strategy<Value = Option<Align>> {
    let some = (select(vec![Side::Dst, Side::Src]), select(vec![4u8, 8, 16, 32, 64]), select(Head::ALL));
    proptest::option::of(some.prop_map(|(side, to, head)| Align { side, to, head }))
}

fn prefetch() -> impl Strategy<Value = Option<Prefetch>> {
    let some = (select(Fetch::ALL), select(Side::ALL), 1u32..=64, select(Beyond::ALL));
    proptest::option::of(some.prop_map(|(fetch, side, units, beyond)| {
        let unit = if fetch == Fetch::Block { 1024 } else { 64 };
        Prefetch { fetch, side, distance: units * unit, beyond }
    }))
}

fn looped(widths: &'static [Width]) -> impl Strategy<Value = Shape> {
    let order = prop_oneof![Just(Order::Ahead), (1u8..=16).prop_map(Order::Group)];
    let stores =
        (any::<bool>(), select(vec![1u8, 2, 4])).prop_map(|(non_temporal, streams)| Stores { non_temporal, streams });
    let first = (select(widths), 1u8..=16, order, prefetch(), align(), stores);
    let tails = if widths.contains(&Width::Fp8) { Tail::ALL } else { &Tail::X86 };
    let second = (select(Form::ALL), select(vec![1u8, 16, 32, 64]), direction(), select(tails));
    (first, second).prop_map(
        |((width, unroll, order, prefetch, align, stores), (form, loop_align, direction, tail))| {
            let plain = Loop::plain(width, unroll);
            Shape::Loop(Loop { order, prefetch, align, stores, form, loop_align, direction, tail, ..plain })
        },
    )
}

/// Loops with heads and tails that are right whichever way they walk; among those of all axes, they are too rare to come up.
pub fn both_ways(widths: &'static [Width]) -> impl Strategy<Value = Shape> {
    let head =
        (select(vec![Side::Dst, Side::Src]), select(vec![4u8, 8, 16, 32, 64]), select(vec![Head::Early, Head::Bytes]));
    let align = proptest::option::weighted(0.7, head.prop_map(|(side, to, head)| Align { side, to, head }));
    let order = prop_oneof![3 => Just(Order::Group(1)), 1 => Just(Order::Ahead), 1 => (2u8..=8).prop_map(Order::Group)];
    let prefetch = prop_oneof![3 => Just(None), 1 => prefetch()];
    let tail = prop_oneof![3 => Just(Tail::Early), 1 => select(vec![Tail::Ladder, Tail::Bytes, Tail::String])];
    let first = (select(widths), 1u8..=8, order, prefetch, align);
    let second = (select(Form::ALL), direction(), tail);
    (first, second).prop_map(|((width, unroll, order, prefetch, align), (form, direction, tail))| {
        let plain = Loop::plain(width, unroll);
        Shape::Loop(Loop { order, prefetch, align, form, direction, tail, ..plain })
    })
}

pub fn shape(widths: &'static [Width]) -> impl Strategy<Value = Shape> {
    let width = move || select(widths);
    let guard = select(vec![None, Some(16), Some(32), Some(64), Some(15)]);
    let string = (select(Width::X86[..4].to_vec()), align(), select(Tail::ALL), direction(), guard).prop_map(
        |(unit, align, tail, direction, guard)| Shape::String(StringMove { unit, align, tail, direction, guard }),
    );
    prop_oneof![
        (width(), 1u8..=8, select(Last::ALL)).prop_map(|(width, moves, last)| Shape::Pairs { width, moves, last }),
        (width(), select(Bottom::ALL)).prop_map(|(width, bottom)| Shape::Chain { width, bottom }),
        width().prop_map(|width| Shape::BranchFree { width }),
        width().prop_map(|width| Shape::Masked { width }),
        (width(), select(vec![4u8, 8]), select(Last::ALL)).prop_map(|(width, moves, last)| Shape::Computed {
            width,
            moves,
            last
        }),
        width().prop_map(|width| Shape::JumpTable { width }),
        string,
        looped(widths),
        both_ways(widths),
    ]
}

/// Half of the spans fit a short shape, so that those get their share of valid recipes.
pub fn span() -> impl Strategy<Value = Span> {
    prop_oneof![
        (0usize..70, 0usize..70).prop_map(|(a, b)| Span::new(a.min(b), a.max(b)).unwrap()),
        (0usize..3000).prop_map(|first| Span::new(first, usize::MAX).unwrap()),
    ]
}

/// Loops that merge aligned loads from a misaligned source, of PowerPC widths; most of these axes leave the others no choice.
#[allow(dead_code, reason = "not every test file draws recipes of PowerPC")]
pub fn merged() -> impl Strategy<Value = Shape> {
    let width = select(vec![Width::B4, Width::B8, Width::Altivec16]);
    let head = select(vec![Head::Bytes, Head::Overlap]);
    let align = (select(vec![4u8, 8, 16, 32, 64]), head).prop_map(|(to, head)| Align { side: Side::Dst, to, head });
    let tail = select(vec![Tail::Ladder, Tail::Bits, Tail::Bytes, Tail::Block, Tail::Overlap]);
    let prefetch = prop_oneof![2 => Just(None), 1 => prefetch()];
    (width, 1u8..=8, align, tail, prefetch, direction()).prop_map(|(width, pairs, align, tail, prefetch, direction)| {
        let plain = Loop::plain(width, 2 * pairs);
        Shape::Loop(Loop { align: Some(align), source: Source::Merge, tail, prefetch, direction, ..plain })
    })
}

/// Loops that zero each block of the destination before they write it, and prefetch lines as long.
#[allow(dead_code, reason = "not every test file draws recipes of PowerPC")]
pub fn zeroed() -> impl Strategy<Value = Shape> {
    let width = select(vec![Width::B4, Width::B8, Width::Fp8, Width::Altivec16, Width::Vsx16, Width::Vsx32]);
    let first = (width, select(vec![32u8, 64, 128]), 1u8..=4, any::<bool>(), select(Form::ALL), direction());
    let group = select(vec![Order::Group(1), Order::Group(2), Order::Group(4)]);
    let second = (select(vec![Head::Bytes, Head::Overlap, Head::Early]), group, select(Tail::ALL), select(Beyond::ALL));
    (first, second).prop_map(|((width, bytes, blocks, fetches, form, direction), (head, order, tail, beyond))| {
        let unroll = (u32::from(blocks) * u32::from(bytes) / width.bytes() as u32).min(255) as u8;
        let distance = u32::from(blocks) * u32::from(bytes);
        let prefetch = fetches.then_some(Prefetch { fetch: Fetch::T0, side: Side::Src, distance, beyond });
        let source = if width == Width::Altivec16 { Source::Merge } else { Source::Hardware };
        let align = Some(Align { side: Side::Dst, to: bytes, head });
        let (line, zero) = (if fetches { bytes } else { 64 }, Some(bytes));
        let plain = Loop::plain(width, unroll);
        Shape::Loop(Loop { order, prefetch, line, align, zero, source, form, direction, tail, ..plain })
    })
}
