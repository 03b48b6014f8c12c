//! A recipe and a routine have one canonical text, and bad text is answered in one line.

mod recipes;

use copysmith_kernels::plan::Width;
use copysmith_kernels::recipe::Shape;
use copysmith_kernels::{Recipe, Routine, Span};
use proptest::prelude::*;
use recipes::{merged, operation, shape, span, zeroed};

fn any_shape() -> impl Strategy<Value = Shape> {
    prop_oneof![2 => shape(&Width::X86), 2 => shape(&Width::POWER), 1 => merged(), 1 => zeroed()]
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 200_000, cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn text_gives_back_the_recipe_it_was_printed_from(operation in operation(), span in span(), shape in any_shape()) {
        let recipe = Recipe::of(operation, span, shape);
        prop_assume!(recipe.is_ok());
        let recipe = recipe.unwrap();
        let text = recipe.to_string();
        prop_assert_eq!(text.parse::<Recipe>().unwrap(), recipe.clone());
        prop_assert_eq!(text.parse::<Routine>().unwrap(), Routine::from(recipe));
    }

    #[test]
    fn whatever_parses_prints_to_something_that_parses_to_the_same(operation in operation(), words in "[a-z0-9:=.-]{0,12}( [a-z0-9:=.-]{1,12}){0,6}") {
        if let Ok(recipe) = format!("{operation} {words}").parse::<Recipe>() {
            prop_assert_eq!(recipe.to_string().parse::<Recipe>().unwrap(), recipe);
        }
    }
}

#[test]
fn a_routine_text_names_cuts_and_leaves() {
    let text = "cuts=64,32>,7 | copy 0..=7 branch-free width=4 | copy 8..=32 computed width=8 moves=4 \
                | copy 33..=64 pairs width=sse16 moves=2 | copy 65.. loop width=sse16 unroll=4 tail=overlap";
    let routine: Routine = text.parse().unwrap();
    assert_eq!(routine.to_string(), text);
    assert_eq!(routine.leaves().len(), 4);
    assert!(routine.span() == Span::ALL);
}

#[test]
fn a_routine_says_how_what_is_jumped_to_is_aligned_unless_it_is_not() {
    let text = |words: &str| format!("cuts=7{words} | copy 0..=7 branch-free width=4 | copy 8.. string unit=1");
    let plain: Routine = text("").parse().unwrap();
    for align in Routine::ALIGN_JUMPS {
        let aligned = plain.clone().with_align_jumps(align).unwrap();
        let words = format!(" align-jumps={align}");
        assert_eq!(text(&words).parse::<Routine>().unwrap(), aligned);
        assert_eq!(aligned.to_string(), text(if align == 1 { "" } else { &words }));
    }
    let one = Routine::from(plain.leaves()[0].clone());
    assert!(one.clone().with_align_jumps(1).is_ok() && one.with_align_jumps(16).is_err());
}

#[test]
fn orders_of_the_same_cuts_that_make_one_tree_have_one_text() {
    let leaves = ["0..=7", "8..=31", "32..=99", "100.."].map(|span| format!("copy {span} string unit=1")).join(" | ");
    let text = |cuts: &str| format!("cuts={cuts} | {leaves}").parse::<Routine>().unwrap().to_string();
    assert_eq!(text("31,99>,7"), text("31,7,99>"));
    assert!(text("31,99>,7").starts_with("cuts=31,7,99> |"));
    assert_ne!(text("31,7,99"), text("7,31,99"));
}

#[test]
fn merged_loads_and_zeroed_blocks_are_refused_where_something_is_missing_for_them() {
    let loop_of = |rest: &str| format!("copy 64.. loop {rest}").parse::<Recipe>().map_err(|error| error.to_string());
    let right = "width=altivec16 unroll=2 align=dst:16:bytes source=merge tail=ladder";
    assert!(loop_of(right).is_ok());
    for (value, instead, part) in [
        (" source=merge", "", "width=altivec16 needs source=merge"),
        ("unroll=2", "unroll=3", "unroll=3 order=pairs; it needs pairs and an even"),
        ("unroll=2", "unroll=4 order=group:2", "order=group:2; it needs pairs"),
        (" align=dst:16:bytes", "", "needs align=dst:16:HEAD or more"),
        ("dst:16", "src:16", "needs align=dst:16:HEAD or more"),
        ("dst:16", "dst:8", "needs align=dst:16:HEAD or more"),
        ("16:bytes", "16:early", "an early head"),
        ("tail=ladder", "tail=overlap", "tail=overlap is not allowed with width=altivec16"),
        ("tail=ladder", "tail=early", "tail=early is not allowed with source=merge"),
        ("tail=ladder", "form=index tail=ladder", "form=index stores=plain; bump and plain"),
        (" align", " prefetch=touch:src:64:clamp align", "prefetch=touch:src:64:clamp is not allowed"),
        ("altivec16", "vsx16", "source=merge is not allowed with width=vsx16; 4, 8 or altivec16"),
    ] {
        let message = loop_of(&right.replace(value, instead)).unwrap_err();
        assert!(message.contains(part), "{message}");
    }
    for (rest, part) in [
        ("width=8 unroll=8 zero=64", "zero=64 needs align=dst:64:HEAD or more"),
        ("width=8 unroll=8 align=dst:32:bytes zero=64", "zero=64 needs align=dst:64:HEAD or more"),
        ("width=8 unroll=6 align=dst:64:bytes zero=32", "turns of a multiple of 32 bytes; width times unroll is 48"),
        ("width=8 unroll=8 align=dst:64:bytes zero=48", "zero is 32, 64 or 128"),
        ("width=8 unroll=8 align=dst:64:bytes zero=64 stores=nt", "zero=64 is not allowed with stores=nt"),
        ("width=8 unroll=8 line=32", "line=32 is not allowed without a prefetch"),
        ("width=8 unroll=8 prefetch=t0:src:96:clamp", "with line=64; BYTES is a multiple of that"),
        ("width=8 unroll=8 prefetch=t0:src:128:clamp line=16", "line is 32, 64 or 128"),
        ("width=8 unroll=8 prefetch=touch:src:128:clamp line=32", "plain loads touch lines of 64"),
    ] {
        let message = loop_of(rest).unwrap_err();
        assert!(message.contains(part), "{message}");
    }
    let moves = "move 64.. loop width=8 unroll=8 align=dst:64:bytes zero=64 tail=bytes".parse::<Recipe>();
    assert!(moves.unwrap_err().to_string().starts_with("zero=64 is not allowed for a move"));
    let short = "copy 16..=32 pairs width=altivec16".parse::<Recipe>().unwrap_err().to_string();
    assert!(short.starts_with("width=altivec16 is allowed in loops only"), "{short}");
}

#[test]
fn wrong_words_are_answered_with_the_value_and_what_is_allowed() {
    for (text, parts) in [
        ("", vec!["the text ends where", "copy"]),
        ("clone 0..=1 chain width=1", vec!["clone", "copy or move"]),
        ("copy 9..=3 chain width=8", vec!["9..=3", "backward"]),
        ("copy 0..=16 chian width=8", vec!["chian", "chain"]),
        ("copy 0..=16 chain width=9", vec!["width=9", "sse16"]),
        ("copy 0..=16 chain", vec!["width"]),
        ("copy 0..=16 chain width=8 unroll=2", vec!["unroll=2", "axis of chain"]),
        ("copy 0..=16 chain width=8 width=8", vec!["width=8", "once"]),
        ("copy 0..=99 chain width=8", vec!["0..=99", "0..=16"]),
        ("copy 8.. loop width=8 unroll=17", vec!["unroll=17", "16"]),
        ("copy 8.. loop width=8 unroll=3 order=group:2", vec!["group:2", "divide"]),
        ("copy 8.. loop width=8 prefetch=t9:src:64:clamp", vec!["t9:src:64:clamp", "nta"]),
        ("copy 64.. loop width=avx32 stores=nt", vec!["stores=nt", "align=dst:32"]),
        ("copy 64.. loop width=avx32 tail=mask", vec!["tail=mask", "EVEX"]),
        ("copy 3.. loop width=8", vec!["3..", "8 bytes"]),
    ] {
        let message = text.parse::<Recipe>().unwrap_err().to_string();
        assert!(!message.contains('\n'), "{message}");
        for part in parts {
            assert!(message.contains(part), "{text:?} gave {message:?}, without {part:?}");
        }
    }
    for (text, part) in [
        ("cuts=5 | copy 0..=5 string unit=1", "a routine of one leaf has no cuts"),
        ("cuts=16 | copy 0..=8 chain width=8 | copy 9.. string unit=1", "cuts=16"),
        ("cuts=8 | copy 0..=8 chain width=8 | copy 10.. string unit=1", "start at length 9"),
        ("cuts=x | copy 0..=8 chain width=8 | copy 9.. string unit=1", "cuts=x"),
        (
            "cuts=8 align-jumps=48 | copy 0..=8 chain width=8 | copy 9.. string unit=1",
            "48 is not allowed; 1,16,32,64 are",
        ),
        ("cuts=8 align=16 | copy 0..=8 chain width=8 | copy 9.. string unit=1", "'align=16'"),
        ("cuts=8 align-jumps=16 align-jumps=32 | copy 0..=8 chain width=8 | copy 9.. string unit=1", "align-jumps=32"),
    ] {
        let message = text.parse::<Routine>().unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}
