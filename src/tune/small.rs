//! Ways to move the shortest lengths: every row of shapes that leaves none of 0 to 64 out and wastes none of its reach.
//!
//! ```text
//! 0      7 8                    32 33                                      64
//! |------|-|---------------------|-|---------------------------------------|   branch-free 4, computed 8, pairs of 16
//! |--|-|----------|-|----------------------------------------------------|     branch-free 1 and 8, computed 16
//! ```
//!
//! Which of them is best depends on what programs copy, and in which order: where lengths vary a compare that is guessed wrong costs
//! more than a copy, and where they repeat it costs nothing.

use copysmith_kernels::plan::Width;
use copysmith_kernels::recipe::{Bottom, Last, Operation, Shape};
use copysmith_kernels::{Recipe, Span};
use copysmith_search::space::Features;

/// Where leaves may end: 2 to the k, which shares a leaf with what is below, or one less, which shares it with what is above.
const ENDS: [usize; 6] = [3, 7, 15, 16, 32, 64];
/// The last length of a whole row.
pub(super) const LAST: usize = 64;
/// Most leaves of a row: each is a compare.
const MOST: usize = 3;

/// Rows of leaves from 0 to [`LAST`], those with the fewest leaves first.
pub(super) fn rows(features: Features) -> Vec<Vec<Recipe>> {
    let mut rows = Vec::new();
    extend(&mut Vec::new(), features, &mut rows);
    rows.sort_by_key(Vec::len);
    rows
}

/// Every way to go on from the leaves so far.
fn extend(leaves: &mut Vec<Recipe>, features: Features, rows: &mut Vec<Vec<Recipe>>) {
    let first = leaves.last().map_or(0, |leaf| leaf.span().last() + 1);
    if first > LAST {
        rows.push(leaves.clone());
        return;
    }
    if leaves.len() == MOST {
        return;
    }
    for end in ENDS {
        // What a mask is good for is the shortest lengths, and what can do without one from some length on can from there up.
        let fits = |(reach, shape): &(usize, Shape)| {
            (*reach == end || *reach == end + 1) && (first == 0 || !matches!(shape, Shape::Masked { .. }))
        };
        for shape in shapes().filter(fits).map(|(_, shape)| shape) {
            let recipe = Span::new(first, end).ok().and_then(|span| Recipe::of(Operation::Move, span, shape).ok());
            if let Some(recipe) = recipe.filter(|recipe| features.allow(recipe)) {
                leaves.push(recipe);
                extend(leaves, features, rows);
                leaves.pop();
            }
        }
    }
}

/// Short shapes, each with the longest move it can do.
fn shapes() -> impl Iterator<Item = (usize, Shape)> {
    let (last, bottom) = (Last::Head, Bottom::Three);
    let branch_free = [Width::B1, Width::B4, Width::B8, Width::Sse16, Width::Avx32, Width::Evex32]
        .map(|width| (if width == Width::B1 { 3 } else { 2 * width.bytes() }, Shape::BranchFree { width }));
    let chains = [Width::B8].map(|width| (2 * width.bytes(), Shape::Chain { width, bottom }));
    let masked = [Width::Evex32, Width::Evex64].map(|width| (width.bytes(), Shape::Masked { width }));
    let computed =
        [Width::B8, Width::Sse16].map(|width| (4 * width.bytes(), Shape::Computed { width, moves: 4, last }));
    let pairs = [(Width::Sse16, 1), (Width::Sse16, 2), (Width::Avx32, 1)]
        .map(|(width, moves)| (2 * width.bytes() * moves as usize, Shape::Pairs { width, moves, last: Last::Tail }));
    branch_free.into_iter().chain(masked).chain(chains).chain(computed).chain(pairs)
}

/// Straight code for these lengths that wastes none of its reach, each as a move: what can stand in each other's places.
pub(super) fn straight(span: Span, features: Features) -> Vec<Recipe> {
    let vectors = [Width::B8, Width::Sse16, Width::Avx32, Width::Evex32, Width::Evex64];
    let lasts = [Last::Tail, Last::Head];
    let pairs = vectors.into_iter().flat_map(|width| {
        let moves = [1, 2, 4, 8].into_iter().filter(move |&moves| fits(2 * width.bytes() * moves as usize, span));
        moves.flat_map(move |moves| lasts.map(|last| Shape::Pairs { width, moves, last }))
    });
    let computed = vectors.into_iter().flat_map(|width| {
        let moves = [4, 8].into_iter().filter(move |&moves| fits(width.bytes() * moves as usize, span));
        moves.flat_map(move |moves| lasts.map(|last| Shape::Computed { width, moves, last }))
    });
    let others = shapes().filter(|&(reach, _)| fits(reach, span)).map(|(_, shape)| shape);
    let mut recipes: Vec<Recipe> = Vec::new();
    for shape in others.chain(pairs).chain(computed) {
        if let Ok(recipe) = Recipe::of(Operation::Move, span, shape)
            && features.allow(&recipe)
            && !recipes.contains(&recipe)
        {
            recipes.push(recipe);
        }
    }
    recipes
}

/// Whether a reach is enough for the span, and half of it is not.
fn fits(reach: usize, span: Span) -> bool {
    (span.last()..span.last().saturating_mul(2)).contains(&reach)
}

#[cfg(test)]
mod tests {
    use super::*;
    use copysmith_kernels::Isa;

    #[test]
    fn rows_leave_no_length_out_and_those_that_a_hand_search_found_are_among_them() {
        for isa in Isa::ALL {
            let rows = rows(isa.into());
            let text = |row: &Vec<Recipe>| row.iter().map(Recipe::to_string).collect::<Vec<_>>().join(" | ");
            let texts: Vec<String> = rows.iter().map(text).collect();
            for row in &rows {
                assert!(row.windows(2).all(|pair| pair[1].span().first() == pair[0].span().last() + 1));
                assert!(row[0].span().first() == 0 && row.last().is_some_and(|leaf| leaf.span().last() == LAST));
                assert!(row.iter().all(|leaf| leaf.isa() <= isa));
            }
            for known in [
                "move 0..=7 branch-free width=4 | move 8..=32 computed width=8 moves=4 last=head | \
                 move 33..=64 pairs width=sse16 moves=2",
                "move 0..=3 branch-free width=1 | move 4..=15 branch-free width=8 | \
                 move 16..=64 computed width=sse16 moves=4 last=head",
            ] {
                assert!(texts.iter().any(|text| text == known), "{known}\n{}", texts.join("\n"));
            }
            let masked = "move 0..=64 masked width=evex64".to_owned();
            assert_eq!(texts.contains(&masked), isa == Isa::Avx512);
            assert!((30..=150).contains(&texts.len()), "{}", texts.len());
        }
    }

    #[test]
    fn straight_code_for_some_lengths_is_for_all_of_them_and_reaches_little_further() {
        let texts = |span: &str| {
            let recipes = straight(span.parse().unwrap(), Isa::Avx512.into());
            recipes.iter().map(Recipe::to_string).collect::<Vec<String>>()
        };
        let found = texts("65..=128");
        for known in ["pairs width=evex64", "pairs width=avx32 moves=2 last=head", "computed width=avx32 moves=4"] {
            assert!(found.contains(&format!("move 65..=128 {known}")), "{known} is not in {found:#?}");
        }
        assert!(found.iter().all(|text| !text.contains("evex64 moves")), "{found:#?}");
        assert!(texts("8..=32").contains(&"move 8..=32 computed width=8 moves=4 last=head".to_owned()));
        assert!(straight("65..=128".parse().unwrap(), Isa::Sse2.into()).iter().all(|recipe| recipe.isa() == Isa::Sse2));
        assert!(texts("4097..=24576").is_empty());
    }
}
