//! A recipe as a point: the values of its axes as words, for whoever treats all axes alike.

use copysmith_kernels::Recipe;
use copysmith_kernels::recipe::{Align, Loop, Shape, StringMove};

/// The axes, in the order of [`axes`]. The parts of an alignment and of a prefetch are axes of their own.
pub const AXES: [&str; 24] = [
    "shape",
    "width",
    "unroll",
    "moves",
    "order",
    "align",
    "align-to",
    "head",
    "prefetch",
    "prefetch-side",
    "distance",
    "prefetch-end",
    "stores",
    "streams",
    "form",
    "loop-align",
    "direction",
    "tail",
    "bottom",
    "last",
    "guard",
    "line",
    "zero",
    "source",
];

/// The value of each of [`AXES`]; empty where the shape has no such axis, `none` where an alignment, prefetch, guard or
/// zeroing is left out.
///
/// ```
/// use copysmith_search::space::{AXES, axes};
/// let recipe = "copy 257.. loop width=avx32 unroll=4 align=dst:32:overlap".parse().unwrap();
/// let values = axes(&recipe);
/// let value = |axis: &str| &values[AXES.iter().position(|name| *name == axis).unwrap()];
/// assert_eq!((value("shape").as_str(), value("align-to").as_str(), value("prefetch").as_str()), ("loop", "32", "none"));
/// assert_eq!(value("moves"), "");
/// ```
pub fn axes(recipe: &Recipe) -> [String; AXES.len()] {
    let mut values: [String; AXES.len()] = std::array::from_fn(|_| String::new());
    let mut set = |axis: &str, value: String| {
        let at = AXES.iter().position(|name| *name == axis);
        values[at.expect("one of the axes")] = value;
    };
    let shape = recipe.shape().to_string();
    set("shape", shape.split(' ').next().unwrap_or_default().to_owned());
    match *recipe.shape() {
        Shape::Pairs { width, moves, last } | Shape::Computed { width, moves, last } => {
            set("width", width.to_string());
            set("moves", moves.to_string());
            set("last", last.to_string());
        }
        Shape::Chain { width, bottom } => {
            set("width", width.to_string());
            set("bottom", bottom.to_string());
        }
        Shape::BranchFree { width } | Shape::Masked { width } | Shape::JumpTable { width } => {
            set("width", width.to_string())
        }
        Shape::String(StringMove { unit, align, tail, direction, guard }) => {
            set("width", unit.to_string());
            set("tail", tail.to_string());
            set("direction", direction.to_string());
            set("guard", or_none(guard));
            aligned(align, &mut set);
        }
        Shape::Loop(Loop {
            width,
            unroll,
            order,
            prefetch,
            line,
            align,
            zero,
            source,
            stores,
            form,
            loop_align,
            direction,
            tail,
        }) => {
            set("width", width.to_string());
            set("unroll", unroll.to_string());
            set("order", order.to_string());
            aligned(align, &mut set);
            set("prefetch", prefetch.map_or_else(|| "none".to_owned(), |prefetch| prefetch.fetch.to_string()));
            if let Some(prefetch) = prefetch {
                set("prefetch-side", prefetch.side.to_string());
                set("distance", prefetch.distance.to_string());
                set("prefetch-end", prefetch.beyond.to_string());
            }
            set("stores", if stores.non_temporal { "nt" } else { "plain" }.to_owned());
            set("streams", stores.streams.to_string());
            set("line", line.to_string());
            set("zero", or_none(zero));
            set("source", source.to_string());
            set("form", form.to_string());
            set("loop-align", loop_align.to_string());
            set("direction", direction.to_string());
            set("tail", tail.to_string());
        }
    }
    values
}

fn or_none(bytes: Option<u8>) -> String {
    bytes.map_or_else(|| "none".to_owned(), |bytes| bytes.to_string())
}

fn aligned(align: Option<Align>, set: &mut impl FnMut(&str, String)) {
    set("align", align.map_or_else(|| "none".to_owned(), |align| align.side.to_string()));
    if let Some(align) = align {
        set("align-to", align.to.to_string());
        set("head", align.head.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{Breadth, Features, space};
    use copysmith_kernels::Isa;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_recipes_of_a_space_have_the_same_axes() {
        for span in ["0..=16", "33..=64", "257..=512", "1048577.."] {
            let features = Features { isa: Isa::Avx512, prefetchw: true };
            let recipes = space(span.parse().expect("a span"), features, Breadth::Patient);
            let points: BTreeSet<[String; AXES.len()]> = recipes.iter().map(axes).collect();
            assert_eq!(points.len(), recipes.len(), "{span}");
        }
    }
}
