//! Class winners as moves: what replaces memcpy everywhere had better be memmove too, since half of all programs that call the one
//! where they should call the other would never know.

use copysmith_kernels::Recipe;
use copysmith_kernels::plan::Direction;
use copysmith_kernels::recipe::{Align, Head, Loop, Operation, Order, Shape, Tail};

/// The recipe as a move of the same lengths: as it is where that moves; otherwise with head and tail loaded early, as many moves a turn
/// as there are registers for; or with the tail as a ladder.
pub(super) fn moving(recipe: &Recipe) -> Option<Recipe> {
    let of = |shape: Shape| Recipe::of(Operation::Move, recipe.span(), shape).ok();
    if let Some(same) = of(*recipe.shape()) {
        return Some(same);
    }
    let Shape::Loop(axes) = *recipe.shape() else { return None };
    let forward = Loop { direction: Direction::Forward, ..axes };
    let unrolls = std::iter::successors(Some(axes.unroll), |unroll| (*unroll > 1).then_some(unroll / 2));
    let tails = [Tail::Early, Tail::Ladder];
    unrolls
        .flat_map(|unroll| tails.map(|tail| (unroll, tail)))
        .flat_map(|(unroll, tail)| {
            let order = match forward.order {
                Order::Group(moves) if unroll % moves != 0 => Order::Group(1),
                Order::Ahead if unroll < 2 => Order::Group(1),
                order => order,
            };
            let early = forward.align.map(|align| Align { head: Head::Early, ..align });
            let kept = Loop { unroll, order, align: early, tail, ..forward };
            [kept, Loop { align: None, ..kept }, Loop { prefetch: None, ..kept }]
        })
        .find_map(|axes| of(Shape::Loop(axes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use copysmith_kernels::Isa;
    use copysmith_search::space::{Breadth, space};

    #[test]
    fn whatever_wins_a_class_has_a_move_of_the_same_lengths() {
        for span in ["0..=16", "33..=64", "65..=128", "129..=256", "1025..=4096", "262145..=1048576", "33554433.."] {
            let recipes = space(span.parse().unwrap(), Isa::Avx512, Breadth::Normal).into_iter();
            // Straight code for one length may need more registers than there are.
            for recipe in recipes.filter(|recipe| !matches!(recipe.shape(), Shape::JumpTable { .. })) {
                let found = moving(&recipe).unwrap_or_else(|| panic!("{recipe}"));
                assert_eq!((found.operation(), found.span()), (Operation::Move, recipe.span()));
                assert!(found.isa() <= recipe.isa().max(Isa::Sse2), "{recipe} {found}");
            }
        }
    }
}
