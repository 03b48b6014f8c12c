//! What every space holds, over spans from one byte to open.

use super::*;
use std::collections::BTreeSet;

const SPANS: [&str; 12] = [
    "0..=16",
    "0..=7",
    "8..=32",
    "17..=32",
    "33..=64",
    "65..=128",
    "128..=256",
    "257..=1023",
    "1024..=4095",
    "4096..=65535",
    "65536..",
    "0..",
];

fn span(text: &str) -> Span {
    text.parse().expect("a span")
}

const EVERYTHING: Features = Features { isa: Isa::Avx512, prefetchw: true };

#[test]
fn each_breadth_holds_the_one_before_and_is_ordered_bounded_and_without_twins() {
    for (operation, text) in Operation::ALL.into_iter().flat_map(|operation| SPANS.map(|text| (operation, text))) {
        let mut narrower = BTreeSet::new();
        for breadth in Breadth::ALL {
            let recipes = space_of(operation, span(text), EVERYTHING, breadth);
            assert!(recipes.iter().all(|recipe| recipe.operation() == operation), "{operation} {text} {breadth}");
            assert!(!recipes.is_empty() && recipes.len() <= breadth.most(), "{text} {breadth}: {}", recipes.len());
            assert!(recipes.windows(2).all(|pair| simpler(&pair[0], &pair[1]) == Ordering::Less), "{text} {breadth}");
            let set: BTreeSet<Recipe> = recipes.into_iter().collect();
            assert!(set.is_superset(&narrower), "{text} {breadth}");
            narrower = set;
        }
    }
}

#[test]
fn each_breadth_is_worth_its_name_where_the_span_is_long_enough() {
    for text in ["65..=128", "257..=1023", "1024..=4095", "4096..=65535", "65536.."] {
        for operation in Operation::ALL {
            let counts = Breadth::ALL.map(|breadth| space_of(operation, span(text), EVERYTHING, breadth).len());
            println!("{operation} {text} {counts:?}");
            let least = match operation {
                Operation::Copy => [40, 150, 1000, 4000],
                // A move has fewer heads and tails to choose from.
                Operation::Move => [40, 150, 800, 2500],
            };
            assert!(counts.iter().zip(least).all(|(&count, least)| count >= least), "{operation} {text}: {counts:?}");
        }
    }
}

#[test]
fn nothing_is_offered_that_the_processor_lacks() {
    for text in SPANS {
        for isa in Isa::ALL {
            for recipe in space(span(text), isa, Breadth::Patient) {
                assert!(recipe.isa() <= isa && !recipe.shape().prefetches_for_write(), "{isa}: {recipe}");
                assert_eq!(recipe.span(), span(text));
            }
        }
    }
    let all = space(span("65536.."), EVERYTHING, Breadth::Normal);
    assert!(all.iter().any(|recipe| recipe.shape().prefetches_for_write()));
}

#[test]
fn a_space_has_the_shapes_that_are_known_to_win_somewhere() {
    for (within, breadth, text) in [
        ("0..=7", Breadth::Quick, "copy 0..=7 branch-free width=4"),
        ("8..=32", Breadth::Quick, "copy 8..=32 computed width=8 moves=4 last=head"),
        ("33..=64", Breadth::Quick, "copy 33..=64 pairs width=sse16 moves=2"),
        ("65..=128", Breadth::Quick, "copy 65..=128 pairs width=avx32 moves=2"),
        ("0..=16", Breadth::Quick, "copy 0..=16 jump-table width=8"),
        ("257..=1023", Breadth::Quick, "copy 257..=1023 loop width=avx32 unroll=4 align=dst:32:overlap"),
        ("4096..=65535", Breadth::Quick, "copy 4096..=65535 string unit=1"),
        ("65536..", Breadth::Quick, "copy 65536.. loop width=avx32 unroll=4 align=dst:32:overlap stores=nt"),
        ("65536..", Breadth::Normal, "copy 65536.. loop width=sse16 unroll=4 align=dst:16:overlap stores=nt:2"),
        ("65536..", Breadth::Patient, "copy 65536.. loop width=avx32 unroll=8 prefetch=nta:src:1024:clamp"),
        ("0..=7", Breadth::Quick, "move 0..=7 branch-free width=4"),
        ("0..=7", Breadth::Quick, "move 0..=7 branch-free width=sse4"),
        ("8..=32", Breadth::Quick, "move 8..=32 computed width=8 moves=4 last=head"),
        ("257..=1023", Breadth::Quick, "move 257..=1023 loop width=avx32 unroll=4 align=dst:32:early tail=early"),
        ("65..=128", Breadth::Quick, "move 65..=128 loop width=avx32 unroll=1 tail=early"),
        ("65536..", Breadth::Quick, "move 65536.. loop width=avx32 unroll=4 align=dst:32:overlap stores=nt tail=early"),
        ("65536..", Breadth::Quick, "move 65536.. loop width=evex64 unroll=8 align=dst:64:early tail=early"),
    ] {
        let wanted: Recipe = text.parse().expect("a recipe");
        let recipes = space_of(wanted.operation(), span(within), EVERYTHING, breadth);
        assert!(recipes.contains(&wanted), "{breadth}: {text}");
    }
}

#[test]
fn neighbours_are_valid_near_mutual_and_never_the_recipe_itself() {
    for (operation, text) in Operation::ALL.into_iter().flat_map(|operation| SPANS.map(|text| (operation, text))) {
        for recipe in space_of(operation, span(text), EVERYTHING, Breadth::Quick) {
            let near = neighbours(&recipe, EVERYTHING);
            assert!(!near.is_empty(), "{recipe}");
            assert!(near.windows(2).all(|pair| simpler(&pair[0], &pair[1]) == Ordering::Less), "{recipe}");
            assert!(!near.contains(&recipe), "{recipe}");
            assert!(near.iter().all(|other| other.operation() == operation), "{recipe}");
            // A step that keeps the shape and names no part of an alignment or prefetch anew can be taken back.
            let kind = std::mem::discriminant(recipe.shape());
            for other in near.iter().filter(|other| std::mem::discriminant(other.shape()) == kind) {
                let words = |recipe: &Recipe| recipe.to_string().split(' ').map(str::to_owned).collect::<BTreeSet<_>>();
                let changed = words(other).difference(&words(&recipe)).count();
                assert!(changed <= 1, "{recipe} -> {other}");
            }
        }
    }
}

#[test]
fn neighbours_of_a_loop_move_every_axis() {
    let recipe = "copy 4096.. loop width=avx32 unroll=4 prefetch=t0:src:512:clamp align=dst:32:overlap";
    let near = neighbours(&recipe.parse().expect("a recipe"), EVERYTHING);
    for step in [
        "loop width=sse16 unroll=4 prefetch=t0:src:512:clamp align=dst:32:overlap",
        "loop width=avx32 unroll=8 prefetch=t0:src:512:clamp align=dst:32:overlap",
        "loop width=avx32 unroll=4 order=ahead prefetch=t0:src:512:clamp align=dst:32:overlap",
        "loop width=avx32 unroll=4 align=dst:32:overlap",
        "loop width=avx32 unroll=4 prefetch=nta:src:512:clamp align=dst:32:overlap",
        "loop width=avx32 unroll=4 prefetch=t0:src:768:clamp align=dst:32:overlap",
        "loop width=avx32 unroll=4 prefetch=t0:src:512:clamp",
        "loop width=avx32 unroll=4 prefetch=t0:src:512:clamp align=src:32:overlap",
        "loop width=avx32 unroll=4 prefetch=t0:src:512:clamp align=dst:32:overlap stores=nt",
        "loop width=avx32 unroll=4 prefetch=t0:src:512:clamp align=dst:32:overlap form=index",
        "loop width=avx32 unroll=4 prefetch=t0:src:512:clamp align=dst:32:overlap loop-align=64",
        "loop width=avx32 unroll=4 prefetch=t0:src:512:clamp align=dst:32:overlap tail=overlap",
        "string unit=8",
    ] {
        let step: Result<Recipe, _> = format!("copy 4096.. {step}").parse();
        // A loop of vectors has no string move of its width.
        let there = step.as_ref().is_ok_and(|step| near.contains(step));
        assert_eq!(there, !matches!(step.as_ref().map(Recipe::shape), Ok(Shape::String(_))), "{step:?}");
    }
}

/// Vectors of the hash's authors.
#[test]
fn the_lasting_hash_is_the_published_one() {
    for (text, hash) in
        [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8_u64)]
    {
        assert_eq!(lasting_hash(text.bytes()), hash, "{text}");
    }
}

#[test]
fn the_hash_is_the_published_function_and_changes_with_the_space() {
    // The published vectors of FNV-1a begin with the offset basis for no bytes.
    assert_eq!(space_hash(&[]), 0xcbf2_9ce4_8422_2325);
    let recipes = space(span("17..=32"), Isa::Sse2, Breadth::Quick);
    let hash = space_hash(&recipes);
    assert_eq!(hash, space_hash(&recipes.clone()));
    assert_ne!(hash, space_hash(&recipes[1..]));
    let turned: Vec<Recipe> = recipes.iter().rev().cloned().collect();
    assert_ne!(hash, space_hash(&turned));
}

#[test]
fn the_copies_are_those_that_a_record_made_earlier_was_made_from() {
    // The classes of `copysmith tune` on amd-1ah-02h. Where copies gain an axis or a value this changes, and records with the old one
    // are not used again.
    let spans = [
        "0..=16",
        "17..=32",
        "33..=64",
        "65..=128",
        "129..=256",
        "257..=512",
        "513..=1024",
        "1025..=4096",
        "4097..=24576",
        "24577..=49152",
        "49153..=1048576",
        "1048577..=33554432",
        "33554433..",
    ];
    let recipes: Vec<Recipe> = spans.iter().flat_map(|text| space(span(text), EVERYTHING, Breadth::Normal)).collect();
    assert_eq!(format!("{:016x}", space_hash(&recipes)), "90a8006f01f32d6f");
}

#[test]
fn a_breadth_is_read_back_from_its_word() {
    assert!(Breadth::ALL.iter().all(|breadth| breadth.to_string().parse() == Ok(*breadth)));
    let error = "broad".parse::<Breadth>().expect_err("no such breadth");
    assert_eq!(error.to_string(), "breadth=broad is not allowed; one of quick normal patient all");
}

#[test]
fn thinning_keeps_the_number_asked_for_spread_evenly() {
    for count in 0..60_usize {
        for most in 0..=count + 2 {
            let kept = thinned((0..count).collect(), most);
            assert_eq!(kept.len(), most.min(count), "{most} of {count}");
            let widest = kept.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(1);
            assert!(kept.is_empty() || (kept[0] == 0 && widest <= count.div_ceil(most)), "{most} of {count}: {kept:?}");
        }
    }
}

#[test]
fn long_string_moves_are_tried_with_a_guard_at_every_breadth() {
    for breadth in Breadth::ALL {
        let recipes = space(span("49153..=1048576"), EVERYTHING, breadth);
        assert!(recipes.iter().any(|recipe| recipe.shape().to_string() == "string unit=1 guard=32"), "{breadth}");
    }
}
