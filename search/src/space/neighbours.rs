//! The recipes one step away: what a local search tries next.

use super::values::{GUARDS, aligns, all_widths, heads, orders, prefetches, stores, tails, unrolls};
use super::{Breadth, Features, loops, simpler};
use copysmith_kernels::plan::{Direction, Width};
use copysmith_kernels::recipe::{
    Align, Beyond, Bottom, Fetch, Form, Last, Loop, Operation, Order, Prefetch, Shape, Side, Stores, StringMove,
};
use copysmith_kernels::{Recipe, Span};

const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Backward];

/// Every valid recipe of the same operation for the same span that differs from this one in the value of one axis, in the order of
/// [`simpler`](super::simpler). The parts of an alignment (side, bytes, head) and of a prefetch (kind, side, distance, end)
/// are axes of their own; so is the shape, which changes at the same width with its other axes at their defaults.
///
/// ```
/// use copysmith_kernels::Isa;
/// use copysmith_search::space::neighbours;
/// let pair = "copy 17..=32 pairs width=sse16".parse().unwrap();
/// let texts: Vec<String> = neighbours(&pair, Isa::Sse2).iter().map(|recipe| recipe.to_string()).collect();
/// assert!(texts.contains(&"copy 17..=32 pairs width=sse16 last=head".to_owned()));
/// assert!(texts.contains(&"copy 17..=32 chain width=sse16".to_owned()));
/// ```
pub fn neighbours(recipe: &Recipe, features: impl Into<Features>) -> Vec<Recipe> {
    let features = features.into();
    let (operation, span) = (recipe.operation(), recipe.span());
    let mut found: Vec<Recipe> = same_shape(operation, recipe.shape())
        .into_iter()
        .chain(other_shapes(operation, span, recipe.shape()))
        .filter_map(|shape| Recipe::of(operation, span, shape).ok())
        .filter(|other| other != recipe && features.allow(other))
        .collect();
    found.sort_by(simpler);
    found.dedup();
    found
}

fn same_shape(operation: Operation, shape: &Shape) -> Vec<Shape> {
    match *shape {
        Shape::Pairs { width, moves, last } => widths(operation, |width| Shape::Pairs { width, moves, last })
            .chain((1..=8).map(|moves| Shape::Pairs { width, moves, last }))
            .chain(Last::ALL.iter().map(|&last| Shape::Pairs { width, moves, last }))
            .collect(),
        Shape::Chain { width, bottom } => widths(operation, |width| Shape::Chain { width, bottom })
            .chain(Bottom::ALL.iter().map(|&bottom| Shape::Chain { width, bottom }))
            .collect(),
        Shape::BranchFree { .. } => widths(operation, |width| Shape::BranchFree { width }).collect(),
        Shape::Masked { .. } => widths(operation, |width| Shape::Masked { width }).collect(),
        Shape::Computed { width, moves, last } => widths(operation, |width| Shape::Computed { width, moves, last })
            .chain([4, 8].map(|moves| Shape::Computed { width, moves, last }))
            .chain(Last::ALL.iter().map(|&last| Shape::Computed { width, moves, last }))
            .collect(),
        Shape::JumpTable { .. } => widths(operation, |width| Shape::JumpTable { width }).collect(),
        Shape::String(string) => strings(operation, string).into_iter().map(Shape::String).collect(),
        Shape::Loop(axes) => turned(operation, axes).into_iter().map(Shape::Loop).collect(),
    }
}

fn widths<T>(operation: Operation, with: impl Fn(Width) -> T) -> impl Iterator<Item = T> {
    all_widths(operation).iter().copied().map(with)
}

fn strings(operation: Operation, string: StringMove) -> Vec<StringMove> {
    widths(operation, |unit| StringMove { unit, ..string })
        .chain(other_aligns(operation, string.align).into_iter().map(|align| StringMove { align, ..string }))
        .chain(tails(operation, Breadth::All).iter().map(|&tail| StringMove { tail, ..string }))
        .chain(DIRECTIONS.map(|direction| StringMove { direction, ..string }))
        .chain(GUARDS.map(|guard| StringMove { guard, ..string }))
        .collect()
}

fn turned(operation: Operation, axes: Loop) -> Vec<Loop> {
    widths(operation, |width| Loop { width, ..axes })
        .chain(unrolls(operation, Breadth::All).iter().map(|&unroll| Loop { unroll, ..axes }))
        .chain([Order::Group(1)].iter().chain(orders(Breadth::All)).map(|&order| Loop { order, ..axes }))
        .chain(other_prefetches(axes.prefetch).into_iter().map(|prefetch| Loop { prefetch, ..axes }))
        .chain(other_aligns(operation, axes.align).into_iter().map(|align| Loop { align, ..axes }))
        .chain([Stores::PLAIN].into_iter().chain(stores(Breadth::All)).map(|stores| Loop { stores, ..axes }))
        .chain(Form::X86.iter().map(|&form| Loop { form, ..axes }))
        .chain([1, 16, 32, 64].map(|loop_align| Loop { loop_align, ..axes }))
        .chain(DIRECTIONS.map(|direction| Loop { direction, ..axes }))
        .chain(tails(operation, Breadth::All).iter().map(|&tail| Loop { tail, ..axes }))
        .collect()
}

fn other_aligns(operation: Operation, align: Option<Align>) -> Vec<Option<Align>> {
    let Some(align) = align else { return aligns(operation, Breadth::Normal).into_iter().map(Some).collect() };
    let sides = [Side::Dst, Side::Src].map(|side| Align { side, ..align });
    let bytes = [4, 8, 16, 32, 64].map(|to| Align { to, ..align });
    let heads = heads(operation, Breadth::All).iter().map(|&head| Align { head, ..align });
    [None].into_iter().chain(sides.into_iter().chain(bytes).chain(heads).map(Some)).collect()
}

/// From none, one of each kind; from one, none and its parts changed one by one. Only pairs of kind and distance that
/// the wider lists have: a block's size is no distance.
fn other_prefetches(prefetch: Option<Prefetch>) -> Vec<Option<Prefetch>> {
    let Some(prefetch) = prefetch else {
        let begin = |fetch| match fetch {
            Fetch::Block => Prefetch { fetch, side: Side::Src, distance: 4096, beyond: Beyond::Clamp },
            Fetch::Write => Prefetch { fetch, side: Side::Dst, distance: 512, beyond: Beyond::Clamp },
            _ => Prefetch { fetch, side: Side::Src, distance: 512, beyond: Beyond::Clamp },
        };
        return Fetch::ALL.iter().map(|&fetch| Some(begin(fetch))).collect();
    };
    let Prefetch { fetch, side, distance, beyond } = prefetch;
    let parts = |other: &Prefetch| {
        usize::from(other.fetch != fetch)
            + usize::from(other.side != side)
            + usize::from(other.distance != distance)
            + usize::from(other.beyond != beyond)
    };
    let near = prefetches(Breadth::All).into_iter().filter(|other| parts(other) == 1).map(Some);
    [None].into_iter().chain(near).collect()
}

fn other_shapes(operation: Operation, span: Span, shape: &Shape) -> Vec<Shape> {
    let width = shape.width();
    let mut others: Vec<Shape> = (1..=8).map(|moves| Shape::Pairs { width, moves, last: Last::Tail }).collect();
    others.extend([
        Shape::Chain { width, bottom: Bottom::Pairs },
        Shape::BranchFree { width },
        Shape::Masked { width },
        Shape::Computed { width, moves: 4, last: Last::Tail },
        Shape::Computed { width, moves: 8, last: Last::Tail },
        Shape::JumpTable { width },
        Shape::String(StringMove::plain(width)),
    ]);
    others.extend(
        [1, 4, 8].into_iter().filter_map(|unroll| loops::base(operation, span, width, unroll)).map(Shape::Loop),
    );
    others.retain(|other| std::mem::discriminant(other) != std::mem::discriminant(shape));
    others
}
