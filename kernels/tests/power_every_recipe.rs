//! Every recipe that a processor admits lowers to PowerPC code that reads back and proves, in each mode and for each processor.

mod recipes;

use copysmith_kernels::plan::Width;
use copysmith_kernels::power::{Mode, Power, Processor};
use copysmith_kernels::proof::{Depth, Residues, prove, prove_operation};
use copysmith_kernels::recipe::{Operation, Shape};
use copysmith_kernels::{Recipe, Routine, Span, Target};
use proptest::prelude::*;
use proptest::sample::Index;
use recipes::{both_ways, merged, operation, shape, span, zeroed};

/// The shape with doublewords cut to words where there are none, and no more moves than there are registers for.
fn fitting(shape: Shape, mode: Mode) -> Shape {
    let cut = |width: Width| if width == Width::B8 && mode == Mode::Ppc32 { Width::B4 } else { width };
    let most = |width: Width, moves: u8, general: u8| if width.is_general() { moves.min(general) } else { moves };
    match shape {
        Shape::Pairs { width, moves, last } => Shape::Pairs { width: cut(width), moves: most(width, moves, 2), last },
        Shape::Chain { width, bottom } => Shape::Chain { width: cut(width), bottom },
        Shape::BranchFree { width } => Shape::BranchFree { width: cut(width) },
        Shape::Computed { width, moves, last } => {
            Shape::Computed { width: cut(width), moves: most(width, moves, 4), last }
        }
        Shape::JumpTable { width } => Shape::JumpTable { width: cut(width) },
        Shape::Loop(mut axes) => {
            axes.width = cut(axes.width);
            axes.stores.non_temporal = false;
            Shape::Loop(axes)
        }
        Shape::Masked { .. } | Shape::String(_) => shape,
    }
}

/// What no PowerPC processor has, or not this one.
fn may_be_refused(why: &str) -> bool {
    ["string moves", "masked vectors", "into a farther cache", "needed once", "general-width value", "has no width sse"]
        .iter()
        .any(|lacking| why.contains(lacking))
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 400_000, cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_valid_recipe_is_what_it_says_as_powerpc_code(operation in operation(), span in span(), shape in shape(&Width::POWER), which in any::<Index>()) {
        any_of_them_proves(operation, span, shape, which)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 400_000, cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_loop_that_moves_walks_the_way_that_loses_nothing_as_powerpc_code(span in span(), shape in both_ways(&Width::POWER), which in any::<Index>()) {
        any_of_them_proves(Operation::Move, span, shape, which)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 400_000, cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_loop_that_merges_aligned_loads_is_what_it_says(operation in operation(), span in span(), shape in merged(), which in any::<Index>()) {
        any_of_them_proves(operation, span, shape, which)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 400_000, cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_loop_that_zeroes_blocks_is_what_it_says(span in span(), shape in zeroed(), which in any::<Index>()) {
        any_of_them_proves(Operation::Copy, span, shape, which)?;
    }
}

/// The recipe, for one of all pairs of mode and processor.
fn any_of_them_proves(operation: Operation, span: Span, shape: Shape, which: Index) -> Result<(), TestCaseError> {
    let targets: Vec<Power> = Power::all().collect();
    let target = targets[which.index(targets.len())];
    let recipe = Recipe::of(operation, span, fitting(shape, target.mode()));
    prop_assume!(recipe.is_ok() && !matches!(shape, Shape::String(_)));
    let recipe = recipe.unwrap();
    prop_assume!(target.admits(&recipe).is_ok());
    let plan = Routine::from(recipe.clone()).plan();
    let code = match target.emit(&plan) {
        Ok(code) => code,
        Err(error) => {
            prop_assert!(may_be_refused(&error.to_string()), "{recipe}: {error}");
            return Err(TestCaseError::reject("not for this processor"));
        }
    };
    let line = |line: copysmith_kernels::Line| format!("{:4x} {}\n", line.offset, line.text);
    let text = || target.listing(&code).into_iter().map(line).collect::<String>();
    let program =
        target.decode(&code).map_err(|error| TestCaseError::fail(format!("{recipe}: {error}\n{}", text())))?;
    let zeroes = matches!(shape, Shape::Loop(axes) if axes.zero.is_some());
    let residues = if zeroes { Residues::both(128, 4) } else { Residues::both(16, 16) };
    prove_operation(operation, &program, span, residues, Depth::Gate)
        .map_err(|failure| TestCaseError::fail(format!("{recipe} for {target:?}: {failure}\n{plan}\n{}", text())))?;
    Ok(())
}

/// The shapes that a processor with nothing but the base needs, each by its text.
const SHAPES: [&str; 22] = [
    "copy 8..=16 pairs width=4 moves=2",
    "copy 0..=8 chain width=4",
    "copy 0..=8 chain width=4 bottom=three",
    "copy 0..=3 branch-free width=1",
    "copy 0..=8 branch-free width=4",
    "copy 4..=16 computed width=4 moves=4",
    "copy 4..=16 computed width=4 moves=4 last=head",
    "copy 0..=40 jump-table width=4",
    "copy 0.. loop width=1 unroll=1 tail=bytes",
    "copy 4.. loop width=4 unroll=1 align=dst:4:bytes tail=bytes",
    "copy 3.. loop width=4 unroll=8 order=group:4 align=src:4:bytes tail=ladder",
    "copy 64.. loop width=4 unroll=16 order=ahead align=dst:32:overlap form=index tail=overlap",
    "copy 8.. loop width=4 unroll=2 direction=backward tail=block",
    "copy 0.. loop width=4 unroll=4 direction=backward form=index tail=ladder",
    "copy 0.. loop width=4 unroll=4 form=count tail=ladder",
    "copy 0.. loop width=4 unroll=16 direction=backward tail=bits",
    "move 7.. loop width=4 unroll=5 align=dst:8:bytes form=index tail=bits",
    "copy 64.. loop width=4 unroll=8 order=group:4 form=update align=dst:4:bytes prefetch=t0:both:128:clamp tail=block",
    "copy 4.. loop width=4 unroll=2 order=group:2 form=update direction=backward tail=ladder",
    "move 64.. loop width=4 unroll=2 form=update tail=early",
    "copy 64.. loop width=4 unroll=8 prefetch=t0:src:128:clamp tail=block",
    "copy 64.. loop width=4 unroll=8 prefetch=touch:src:256:clamp tail=bytes",
];

#[test]
fn every_shape_proves_for_every_processor_in_words_and_doublewords() {
    for target in Power::all() {
        for text in SHAPES {
            let words: Recipe = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            proves(target, &words, Residues::both(16, 16));
            if target.mode() != Mode::Ppc32 {
                let double = text
                    .replace("width=4", "width=8")
                    .replace("4..=16 computed", "8..=32 computed")
                    .replace("8..=16 pairs", "16..=32 pairs");
                let double = double
                    .replace("copy 4..", "copy 8..")
                    .replace("copy 3..", "copy 7..")
                    .replace("copy 8.. loop", "copy 16.. loop")
                    .replace("copy 64.. loop", "copy 128.. loop")
                    .replace("move 64.. loop", "move 128.. loop");
                proves(
                    target,
                    &double.parse().unwrap_or_else(|error| panic!("{double}: {error}")),
                    Residues::both(16, 16),
                );
            }
        }
    }
}

/// Floating-point and vector widths, and partial accesses, which are too rare among random recipes to come up on each processor; by how
/// many of the targets each is admitted.
const WIDER: [(&str, usize); 12] = [
    ("copy 0..=16 chain width=fp8", 8),
    ("copy 64.. loop width=fp8 unroll=8 order=group:4 align=dst:8:bytes tail=overlap", 8),
    ("copy 64.. loop width=fp8 unroll=4 order=group:4 form=update tail=overlap", 8),
    ("copy 64.. loop width=vsx16 unroll=4 order=group:2 form=update tail=overlap", 6),
    ("copy 15.. loop width=altivec16 unroll=4 align=dst:16:bytes source=merge tail=ladder", 10),
    ("move 15.. loop width=altivec16 unroll=2 align=dst:16:bytes source=merge tail=bytes", 10),
    ("copy 0..=32 branch-free width=vsx16", 6),
    ("move 64.. loop width=vsx16 unroll=4 order=ahead align=src:16:early tail=early", 6),
    ("copy 16.. loop width=vsx16 unroll=4 align=dst:16:mask tail=mask", 4),
    ("copy 0.. loop width=vsx16 unroll=1 form=index tail=mask", 4),
    ("copy 0..=64 chain width=vsx32", 2),
    ("copy 128.. loop width=vsx32 unroll=4 order=group:2 align=dst:32:overlap tail=ladder", 2),
];

#[test]
fn wider_registers_prove_for_every_processor_that_admits_them() {
    WIDER.into_iter().for_each(|(text, targets)| all_that_admit_it_prove(text, targets, Residues::both(16, 16)));
}

/// That so many targets admit the recipe, and that it proves for each of them.
fn all_that_admit_it_prove(text: &str, targets: usize, residues: Residues) {
    let recipe: Recipe = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    let admitting: Vec<Power> = Power::all().filter(|target| target.admits(&recipe).is_ok()).collect();
    assert_eq!(admitting.len(), targets, "{text}: {admitting:?}");
    admitting.into_iter().for_each(|target| proves(target, &recipe, residues));
}

fn proves(target: Power, recipe: &Recipe, residues: Residues) {
    let code = target.emit(&Routine::from(recipe.clone()).plan()).unwrap_or_else(|error| panic!("{recipe}: {error}"));
    let program = target.decode(&code).unwrap_or_else(|error| panic!("{recipe}: {error}"));
    prove_operation(recipe.operation(), &program, recipe.span(), residues, Depth::Gate)
        .unwrap_or_else(|failure| panic!("{target:?} {recipe}: {failure}"));
}

/// Blocks of each length, by how many of the targets each is admitted.
const ZEROED: [(&str, usize); 4] = [
    (
        "copy 64.. loop width=4 unroll=8 order=group:4 prefetch=t0:src:128:clamp line=32 align=dst:32:bytes zero=32 form=update tail=ladder",
        7,
    ),
    ("copy 64.. loop width=4 unroll=16 align=dst:64:bytes zero=64 direction=backward tail=block", 1),
    (
        "copy 128.. loop width=8 unroll=16 prefetch=t0:src:128:clamp line=128 align=dst:128:bytes zero=128 form=count tail=ladder",
        8,
    ),
    ("copy 127.. loop width=altivec16 unroll=8 align=dst:128:bytes zero=128 source=merge tail=bytes", 8),
];

/// Which processors zero blocks of that length, and that their code writes nothing else than the destination. Code that is made for blocks of
/// one length is wrong where they are longer.
#[test]
fn blocks_are_zeroed_by_processors_that_zero_just_as_much() {
    ZEROED.into_iter().for_each(|(text, targets)| all_that_admit_it_prove(text, targets, Residues::both(128, 4)));
    let [small, large] = [Processor::E300c3, Processor::E500mc].map(|one| Power::new(Mode::Ppc32, one).unwrap());
    let recipe: Recipe = ZEROED[0].0.parse().unwrap();
    let why = large.admits(&recipe).unwrap_err().to_string();
    assert_eq!(why, "e500mc zeroes 64 bytes at once, not 32");
    let plan = Routine::from(recipe.clone()).plan();
    assert_eq!(large.emit(&plan).unwrap_err().to_string(), why);
    let there = large.decode(&small.emit(&plan).unwrap()).unwrap();
    let failure = prove(&there, recipe.span(), Residues::destination(128), Depth::Gate).unwrap_err().to_string();
    assert!(
        failure.contains("past the end") || failure.contains("before the start") || failure.contains("holds a zero"),
        "{failure}"
    );
}

/// Short lengths byte by byte, the others by merged words (or doublewords), each way.
const MERGED: [&str; 4] = [
    "cuts=7 | copy 0..=7 chain width=4 | copy 8..=128 loop width=4 unroll=2 align=dst:4:bytes source=merge tail=ladder",
    "cuts=7 | copy 0..=7 chain width=4 | copy 8..=128 loop width=4 unroll=2 align=dst:8:overlap source=merge direction=backward tail=bytes",
    "cuts=7 | copy 0..=7 chain width=4 | copy 8..=128 loop width=4 unroll=2 align=dst:4:overlap source=merge tail=overlap",
    "cuts=7 | move 0..=7 chain width=4 | move 8..=128 loop width=4 unroll=4 align=dst:4:bytes source=merge tail=ladder",
];

#[test]
fn words_merged_by_shifts_prove_for_every_length_at_every_pair_of_alignments_on_both_endians() {
    for target in Power::all() {
        for text in MERGED {
            let doublewords = text.replace("loop width=4", "loop width=8").replace("dst:4", "dst:8");
            let texts = [text.to_owned(), doublewords];
            let widths = if target.mode() == Mode::Ppc32 { &texts[..1] } else { &texts[..] };
            for text in widths {
                let routine: Routine = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
                let code = target.emit(&routine.plan()).unwrap_or_else(|error| panic!("{text}: {error}"));
                let program = target.decode(&code).unwrap_or_else(|error| panic!("{text}: {error}"));
                let operation = routine.leaves()[1].operation();
                let span = Span::new(0, 128).unwrap();
                let proof = prove_operation(operation, &program, span, Residues::both(8, 8), Depth::Full)
                    .unwrap_or_else(|failure| panic!("{target:?} {text}: {failure}"));
                assert_eq!((proof.lengths, proof.residues, proof.runs), (129, 64, 129 * 64), "{text}");
            }
        }
    }
}

#[test]
fn a_whole_routine_proves() {
    let text = "cuts=8,64>,16 | copy 0..=8 branch-free width=4 | copy 9..=16 computed width=4 moves=4 | \
                copy 17..=64 loop width=4 unroll=4 tail=block | copy 65.. loop width=4 unroll=8 align=dst:4:overlap tail=ladder";
    let routine: Routine = text.parse().unwrap();
    for target in Power::all() {
        let program = target.decode(&target.emit(&routine.plan()).unwrap()).unwrap();
        let proof = prove(&program, routine.span(), Residues::both(8, 8), Depth::Full)
            .unwrap_or_else(|failure| panic!("{failure}"));
        assert!(proof.lengths > 600);
    }
}

#[test]
fn what_a_processor_must_be_kept_from_is_not_admitted_and_does_not_prove() {
    let processors =
        [Processor::E300c3, Processor::P7450, Processor::E500mc, Processor::P970, Processor::Power7, Processor::Power8];
    // Which of these traps, and lacks nothing of the recipe.
    for (recipe, traps, lacks) in [
        ("copy 8..=16 pairs width=fp8", &processors[..3], &processors[..0]),
        ("copy 8.. loop width=fp8 unroll=1 align=dst:8:overlap tail=overlap", &processors[..3], &processors[..0]),
        ("copy 16..=32 pairs width=vsx16", &processors[4..5], &processors[..4]),
        ("copy 32..=64 pairs width=vsx32", &processors[..0], &processors[..]),
        ("copy 8..=16 pairs width=sse8", &processors[..0], &processors[..]),
    ] {
        let recipe: Recipe = recipe.parse().unwrap();
        for processor in processors {
            let target = Power::new(processor.modes()[0], processor).unwrap();
            let code = target.emit(&Routine::from(recipe.clone()).plan());
            let proof = code.map(|code| {
                let program = target.decode(&code).unwrap();
                prove(&program, recipe.span(), Residues::both(8, 8), Depth::Gate)
            });
            let width = recipe.to_string().split("width=").nth(1).unwrap().split(' ').next().unwrap().to_owned();
            match target.admits(&recipe) {
                Ok(()) => assert!(matches!(proof, Ok(Ok(_))), "{processor} {recipe}: {proof:?}"),
                Err(why) if lacks.contains(&processor) => {
                    assert_eq!(why.to_string(), format!("{} for {processor} has no width {width}", target.name()));
                    assert!(proof.is_err(), "{processor} {recipe}");
                }
                Err(why) => {
                    assert!(
                        why.to_string().starts_with(&format!("{processor} traps where an access of width {width} ")),
                        "{why}"
                    );
                    let failure = proof.unwrap().unwrap_err().to_string();
                    assert!(
                        failure.contains("past a multiple of 4; it must be one"),
                        "{processor} {recipe}: {failure}"
                    );
                    assert!(traps.contains(&processor), "{processor} {recipe}");
                }
            }
        }
    }
}

#[test]
fn what_powerpc_lacks_is_refused_by_name() {
    let refused = |mode, processor, recipe: &str| {
        let plan = Routine::from(recipe.parse::<Recipe>().unwrap()).plan();
        Power::new(mode, processor).unwrap().emit(&plan).unwrap_err().to_string()
    };
    let (e300, power8) = ((Mode::Ppc32, Processor::E300c3), (Mode::Ppc64le, Processor::Power8));
    let cases = [
        (e300, "copy 8..=16 pairs width=8", "e300c3 has no ld r11,0(r4)"),
        (e300, "copy 16..=32 pairs width=sse16", "ppc32 has no width sse16"),
        (power8, "copy 0.. loop width=vsx16 unroll=1 tail=mask", "power8 has no partial accesses"),
        (power8, "copy 0.. string unit=1", "ppc64le has no string moves"),
        (power8, "copy 64.. loop width=8 unroll=1 stores=nt", "ppc64le has no non-temporal stores"),
        (
            e300,
            "copy 64.. loop width=4 unroll=1 prefetch=nta:src:64:clamp",
            "e300c3 has no prefetch of a line needed once",
        ),
        (
            power8,
            "copy 64.. loop width=8 unroll=1 prefetch=t1:src:64:clamp",
            "ppc64le has no prefetch into a farther cache",
        ),
    ];
    for ((mode, processor), recipe, why) in cases {
        assert_eq!(refused(mode, processor, recipe), why, "{recipe}");
    }
    let error = Power::new(Mode::Ppc64le, Processor::P970).unwrap_err();
    assert_eq!(error.to_string(), "970 has no ppc64le; it has ppc64");
}
