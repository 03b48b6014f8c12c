//! Which recipes run: drawn with a fixed seed from the generator of the property tests, then chosen so that few recipes show
//! every value of every axis and as many pairs of values as possible.

use crate::lengths::farthest;
use crate::recipes;
use copysmith_kernels::plan::{Direction, Width};
use copysmith_kernels::recipe::{
    Beyond, Bottom, Fetch, Form, Head, Last, Loop, Operation, Order, Prefetch, Shape, Side, Tail,
};
use copysmith_kernels::{Isa, Recipe, Span};
use proptest::prelude::any;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::BTreeSet;
use std::fmt::Display;

const SEED: &[u8; 32] = b"copysmith avx-512 on an emulator";
/// How many shapes are drawn; most are no recipes, or of another instruction set.
const DRAWN: usize = 600_000;
/// Longest length a loop may need to reach its innermost phase: four interleaved pages and a block.
const FARTHEST: usize = 4 * 4096 + 1024;
/// The same for loops with one stream, so that the run stays short.
const FARTHEST_PLAIN: usize = 4096 + 512;
/// What a value never shown before counts, in pairs of values.
const NEW_VALUE: usize = 1000;

/// Recipes of one instruction set.
pub struct Choice {
    /// The recipes, those that show most first.
    pub recipes: Vec<Recipe>,
    /// Values that drawn recipes or the lists of the axes have, and none of the chosen recipes.
    pub not_shown: BTreeSet<String>,
}

/// Up to `count` recipes that need exactly this instruction set.
///
/// # Errors
/// A message when the generator gives up.
pub fn choose(isa: Isa, count: usize) -> Result<Choice, String> {
    let drawn = drawn(isa)?;
    let drawn: Vec<(&Recipe, Vec<String>)> = drawn.iter().map(|recipe| (recipe, values(recipe))).collect();
    let mut shown: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut chosen = Vec::with_capacity(count);
    while chosen.len() < count {
        let gain = |values: &[String]| {
            pairs(values).filter(|pair| !shown.contains(pair)).map(|(a, b)| if a == b { NEW_VALUE } else { 1 }).sum()
        };
        let best = drawn.iter().map(|(recipe, values)| (gain(values), *recipe, values));
        // The first of equals, so that the order of drawing decides.
        let best = best.reduce(|best, next| if next.0 > best.0 { next } else { best });
        let Some((1usize.., recipe, values)) = best else { break };
        shown.extend(pairs(values));
        chosen.push(recipe.clone());
    }
    let all = drawn.iter().flat_map(|(_, values)| values).cloned().chain(listed());
    let not_shown = all.filter(|value| !shown.contains(&(value.as_str(), value.as_str()))).collect();
    Ok(Choice { recipes: chosen, not_shown })
}

/// The values of the axes that have a list, all of which a recipe with EVEX moves can have.
fn listed() -> Vec<String> {
    fn all<T: Display>(axis: &str, list: &[T]) -> Vec<String> {
        list.iter().map(|value| format!("{axis}={value}")).collect()
    }
    [
        all("loop operation", &Operation::ALL),
        all("loop tail", &Tail::X86),
        all("loop head", Head::ALL),
        all("loop form", Form::ALL),
        all("loop prefetch", Fetch::ALL),
        all("loop prefetch-side", Side::ALL),
        all("loop prefetch-end", Beyond::ALL),
        all("loop align-to", &[4, 8, 16, 32, 64]),
        all("loop unroll", &(1..=16).collect::<Vec<u8>>()),
        all("loop stores", &["plain", "plain:2", "plain:4", "nt", "nt:2", "nt:4"]),
        all("chain bottom", Bottom::ALL),
        all("pairs last", Last::ALL),
        all("computed last", Last::ALL),
    ]
    .concat()
}

/// Every two values, and every value with itself.
fn pairs(values: &[String]) -> impl Iterator<Item = (&str, &str)> {
    values.iter().enumerate().flat_map(|(at, a)| values[at..].iter().map(move |b| (a.as_str(), b.as_str())))
}

fn drawn(isa: Isa) -> Result<Vec<Recipe>, String> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, SEED);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = (recipes::operation(), recipes::shape(&Width::X86), any::<u8>());
    let mut recipes = BTreeSet::new();
    for _ in 0..DRAWN {
        let (operation, shape, vary) = strategy.new_tree(&mut runner).map_err(|why| why.to_string())?.current();
        let recipe = spanned(operation, nearer(shape), usize::from(vary))
            .filter(|recipe| recipe.isa() == isa && is_short(recipe));
        recipes.extend(recipe);
    }
    Ok(recipes.into_iter().collect())
}

/// The shape with loads ahead that are allowed and near: among the shapes as drawn, those are too rare to come up.
fn nearer(shape: Shape) -> Shape {
    let Shape::Loop(axes) = shape else { return shape };
    let prefetch = axes.prefetch.map(|prefetch| match prefetch.fetch {
        Fetch::Touch => Prefetch { side: Side::Src, beyond: Beyond::Clamp, ..prefetch },
        Fetch::Block => {
            Prefetch { side: Side::Src, beyond: Beyond::Clamp, distance: 1024 + prefetch.distance % 4096, ..prefetch }
        }
        _ => prefetch,
    });
    Shape::Loop(Loop { prefetch, ..axes })
}

/// The shape with all lengths it can copy; a loop sometimes starts a little later, which spares its code a test.
fn spanned(operation: Operation, shape: Shape, vary: usize) -> Option<Recipe> {
    let (first, last) = match shape {
        Shape::Pairs { width, moves, .. } => {
            let once = usize::from(moves) * width.bytes();
            (once, 2 * once)
        }
        Shape::Chain { width, .. } | Shape::BranchFree { width } => (0, 2 * width.bytes()),
        Shape::Masked { width } => (0, width.bytes()),
        Shape::Computed { width, moves, .. } => (width.bytes(), usize::from(moves) * width.bytes()),
        Shape::JumpTable { .. } => (vary % 65, vary % 65 + 64),
        Shape::Loop(axes) => {
            let open = |first| Span::new(first, usize::MAX).ok();
            let valid = |&first: &usize| open(first).is_some_and(|span| Recipe::of(operation, span, shape).is_ok());
            // No rule asks for more than a block, an overlapping head or a vector.
            let least = (0..=axes.block().max(64)).find(valid)?;
            (least + if vary.is_multiple_of(2) { 0 } else { vary }, usize::MAX)
        }
        Shape::String(_) => return None,
    };
    Recipe::of(operation, Span::new(first, last).ok()?, shape).ok()
}

fn is_short(recipe: &Recipe) -> bool {
    match recipe.shape() {
        Shape::Loop(axes) => farthest(axes) <= if axes.stores.streams > 1 { FARTHEST } else { FARTHEST_PLAIN },
        _ => true,
    }
}

/// The value of every axis, with the shape's name so that the same word in two shapes is two values.
fn values(recipe: &Recipe) -> Vec<String> {
    let text = match recipe.shape() {
        Shape::Pairs { width, moves, last } => format!("pairs {width} moves={moves} last={last}"),
        Shape::Chain { width, bottom } => format!("chain {width} bottom={bottom}"),
        Shape::BranchFree { width } => format!("branch-free {width}"),
        Shape::Masked { width } => format!("masked {width}"),
        Shape::Computed { width, moves, last } => format!("computed {width} moves={moves} last={last}"),
        Shape::JumpTable { width } => format!("jump-table {width}"),
        Shape::String(string) => format!("string {}", string.unit),
        Shape::Loop(axes) => loop_values(axes),
    };
    let (shape, values) = text.split_once(' ').unwrap_or((&text, ""));
    let operation = format!("operation={}", recipe.operation());
    values.split(' ').chain([operation.as_str()]).map(|value| format!("{shape} {value}")).collect()
}

fn loop_values(axes: &Loop) -> String {
    let Loop { width, unroll, form, loop_align, direction, tail, stores, .. } = axes;
    let order = match axes.order {
        Order::Group(1) => "pairs",
        Order::Group(_) => "group",
        Order::Ahead => "ahead",
    };
    let direction = if *direction == Direction::Forward { "forward" } else { "backward" };
    let align = axes.align.map_or("align=none".to_owned(), |align| {
        format!("align={} align-to={} head={}", align.side, align.to, align.head)
    });
    let prefetch = axes.prefetch.map_or("prefetch=none".to_owned(), |prefetch| {
        format!("prefetch={} prefetch-side={} prefetch-end={}", prefetch.fetch, prefetch.side, prefetch.beyond)
    });
    format!(
        "loop {width} unroll={unroll} order={order} form={form} loop-align={loop_align} direction={direction} tail={tail} \
         stores={stores} {align} {prefetch}"
    )
}
