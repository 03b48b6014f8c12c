//! PowerPC kernels executed by an emulated processor: whole copies between guard pages, everything that must stay as it was, and faulty
//! kernels that must be caught. The harness is assembler; see `power/harness.s` for what it looks at.
#![cfg(target_os = "linux")]

#[path = "power/qemu.rs"]
mod qemu;

use copysmith_kernels::power::instruction::{Instruction, Mnemonic as M, Operand};
use copysmith_kernels::power::{Mode, Power, Processor};
use copysmith_kernels::{Code, Recipe, Routine, Span, Target};
use qemu::{AREA, At, Case, Outcome, missing, run};

/// Each shape in words; doublewords where they are admitted.
const WORDS: [&str; 24] = [
    "copy 8..=16 pairs width=4 moves=2",
    "copy 0..=8 chain width=4 bottom=three",
    "copy 0..=8 branch-free width=4",
    "copy 4..=16 computed width=4 moves=4 last=head",
    "copy 0..=64 jump-table width=4",
    "copy 0.. loop width=1 unroll=1 tail=bytes",
    "copy 3.. loop width=4 unroll=2 order=group:2 align=dst:4:bytes tail=ladder",
    "copy 64.. loop width=4 unroll=8 order=ahead align=src:16:overlap form=index tail=overlap",
    "copy 8.. loop width=4 unroll=2 direction=backward tail=block",
    "copy 0.. loop width=2 unroll=16 direction=backward form=index tail=ladder",
    "copy 64.. loop width=4 unroll=4 prefetch=t0:both:128:clamp tail=block",
    "copy 64.. loop width=4 unroll=4 prefetch=w:dst:64:overrun tail=bytes",
    "copy 0.. loop width=4 unroll=4 form=count tail=ladder",
    "copy 0.. loop width=4 unroll=16 direction=backward tail=bits",
    "move 7.. loop width=4 unroll=5 align=dst:8:bytes form=index tail=bits",
    "copy 0.. loop width=1 unroll=16 form=count tail=bits",
    "copy 64.. loop width=4 unroll=8 order=group:4 form=update align=dst:4:bytes prefetch=t0:both:128:clamp tail=block",
    "copy 4.. loop width=2 unroll=4 order=group:2 form=update direction=backward tail=ladder",
    "copy 32.. loop width=4 unroll=8 order=group:4 prefetch=t0:src:128:clamp line=32 align=dst:32:bytes zero=32 form=update tail=ladder",
    "copy 64.. loop width=4 unroll=16 order=group:4 align=dst:32:overlap zero=32 direction=backward tail=block",
    "copy 63.. loop width=4 unroll=16 align=dst:64:bytes zero=64 form=count tail=ladder",
    "copy 127.. loop width=4 unroll=16 align=dst:64:bytes zero=64 direction=backward tail=bytes",
    "copy 4.. loop width=4 unroll=2 align=dst:4:overlap source=merge tail=overlap",
    "copy 3.. loop width=4 unroll=4 align=dst:4:bytes source=merge direction=backward tail=ladder",
];
const DOUBLEWORDS: [&str; 12] = [
    "copy 16..=32 pairs width=8 moves=2 last=head",
    "copy 0..=16 chain width=8",
    "copy 0..=16 branch-free width=8",
    "copy 8..=32 computed width=8 moves=4",
    "copy 9..=73 jump-table width=8",
    "copy 64.. loop width=8 unroll=4 order=group:4 align=dst:16:bytes tail=overlap",
    "copy 32.. loop width=8 unroll=4 direction=backward form=index tail=ladder",
    "copy 128.. loop width=8 unroll=16 prefetch=t0:src:128:clamp line=128 align=dst:128:bytes zero=128 form=count tail=ladder",
    "copy 127.. loop width=8 unroll=16 align=dst:128:bytes zero=128 direction=backward tail=ladder",
    "move 32.. loop width=8 unroll=4 order=group:2 form=update tail=bytes",
    "copy 16.. loop width=8 unroll=2 align=dst:8:overlap source=merge tail=block",
    "move 7.. loop width=8 unroll=4 align=dst:8:bytes source=merge tail=ladder",
];
const ROUTINE: &str = "cuts=8,64>,16 | copy 0..=8 branch-free width=4 | copy 9..=16 computed width=4 moves=4 | \
    copy 17..=64 loop width=4 unroll=4 tail=block | copy 65.. loop width=4 unroll=8 align=dst:4:overlap tail=ladder";

/// Registers beside the general ones, each width where it is admitted.
const WIDER: [&str; 24] = [
    "copy 8..=16 pairs width=fp8",
    "copy 0..=16 chain width=fp8",
    "copy 0..=16 branch-free width=fp8",
    "copy 8..=64 computed width=fp8 moves=8",
    "copy 9..=73 jump-table width=fp8",
    "copy 64.. loop width=fp8 unroll=8 order=group:4 align=dst:8:bytes tail=overlap",
    "move 64.. loop width=fp8 unroll=4 align=dst:32:early tail=early",
    "copy 64.. loop width=fp8 unroll=8 order=group:4 form=update tail=overlap",
    "copy 15.. loop width=altivec16 unroll=2 align=dst:16:bytes source=merge tail=ladder",
    "copy 64.. loop width=altivec16 unroll=4 align=dst:16:overlap source=merge direction=backward tail=bytes",
    "move 63.. loop width=altivec16 unroll=8 align=dst:64:bytes source=merge prefetch=t0:src:128:clamp tail=ladder",
    "copy 16..=32 pairs width=vsx16 last=head",
    "copy 0..=32 branch-free width=vsx16",
    "copy 16..=128 computed width=vsx16 moves=8 last=head",
    "copy 64..=128 jump-table width=vsx16",
    "copy 64.. loop width=vsx16 unroll=4 order=ahead align=dst:16:overlap tail=ladder",
    "copy 64.. loop width=vsx16 unroll=2 direction=backward form=index tail=block",
    "move 256.. loop width=vsx16 unroll=8 order=group:4 align=src:16:early tail=early",
    "copy 32..=64 pairs width=vsx32",
    "copy 0..=64 chain width=vsx32",
    "copy 128.. loop width=vsx32 unroll=4 order=group:2 align=dst:32:overlap tail=ladder",
    "move 256.. loop width=vsx32 unroll=4 tail=early",
    "copy 16.. loop width=vsx16 unroll=4 align=dst:16:mask tail=mask",
    "copy 0.. loop width=vsx16 unroll=1 form=index tail=mask",
];

fn routines(target: Power) -> Vec<Routine> {
    let all = WORDS.iter().chain(&DOUBLEWORDS).chain(&WIDER).map(|text| text.parse::<Recipe>().unwrap());
    let admitted = all.filter(|recipe| target.admits(recipe).is_ok()).map(Routine::from);
    admitted.chain([ROUTINE.parse().unwrap()]).collect()
}

/// How many routines that is.
fn count(target: Power) -> usize {
    match target.processor() {
        Processor::P970 | Processor::Power7 => 44,
        Processor::Power8 => 51,
        Processor::Power9 => 53,
        Processor::Power10 => 57,
        Processor::P7400 | Processor::P7450 => 26,
        _ => 23,
    }
}

/// Code for blocks of 32 bytes where 64 are zeroed is refused, and would be wrong; the emulator shows that it would.
#[test]
fn code_that_zeroes_blocks_of_another_length_destroys_what_is_beside_them() {
    if missing() {
        return;
    }
    let recipe: Recipe = "copy 32.. loop width=4 unroll=8 align=dst:32:bytes zero=32 tail=bytes".parse().unwrap();
    let [small, large] = [Processor::E300c3, Processor::E500mc].map(|one| Power::new(Mode::Ppc32, one).unwrap());
    assert!(small.admits(&recipe).is_ok() && large.admits(&recipe).is_err());
    let code = emitted(small, &Routine::from(recipe));
    let case = Case { kernel: 0, n: 64, dst: At::Start(32), src: At::Start(0) };
    let outcome = |processor| run(Mode::Ppc32, processor, std::slice::from_ref(&code), &[case]);
    assert_eq!(outcome(Processor::E300c3), [Outcome::Passed]);
    assert!(matches!(outcome(Processor::E500mc)[..], [Outcome::Contents | Outcome::Outside]));
}

/// Merged loops, whose loads reach around the source at either end of it.
#[test]
fn merged_loops_copy_at_every_pair_of_offsets_between_guard_pages() {
    if missing() {
        return;
    }
    for target in Power::all() {
        let mut routines = routines(target);
        routines.retain(|routine| routine.to_string().contains("source=merge"));
        let kernels: Vec<Code> = routines.iter().map(|routine| emitted(target, routine)).collect();
        let mut cases = Vec::new();
        for (kernel, routine) in routines.iter().enumerate() {
            let first = routine.span().first();
            for (one, other) in (0..16).flat_map(|one| (0..16).map(move |other| (one, other))) {
                for n in [first + (one + 3 * other) % 64, 128 + one + other, 257] {
                    cases.push(Case { kernel, n, dst: At::Start(one), src: At::Start(other) });
                    cases.push(Case { kernel, n, dst: At::End(one), src: At::End(other) });
                }
            }
        }
        let outcomes = run(target.mode(), target.processor(), &kernels, &cases);
        if let Some(wrong) = outcomes.iter().position(|outcome| *outcome != Outcome::Passed) {
            let case = cases[wrong];
            panic!("{target:?}: '{}' {case:?}: {:?}", routines[case.kernel], outcomes[wrong]);
        }
        assert!(routines.len() >= 2 && cases.len() == routines.len() * 16 * 16 * 6);
        println!("{} {}: {} routines, {} cases", target.name(), target.processor(), routines.len(), cases.len());
    }
}

fn emitted(target: Power, routine: &Routine) -> Code {
    target.emit(&routine.plan()).unwrap_or_else(|error| panic!("{routine}: {error}"))
}

/// Lengths at both ends of a span and around powers of two, each at four places: both buffers at the start of their areas with other
/// offsets each time, both at the end, and crosswise.
fn cases(kernel: usize, span: Span) -> impl Iterator<Item = Case> {
    let near = span.first()..=span.first() + 80;
    let far = [127, 128, 129, 255, 256, 257, 511, 1023, 1024, 1025, 2049, 3000];
    let lengths = near.chain(far).filter(move |&n| span.contains(n));
    lengths.enumerate().flat_map(move |(number, n)| {
        let (one, other) = (number % 16, number * 7 % 16);
        let places = [
            (At::Start(one), At::Start(other)),
            (At::End(0), At::End(0)),
            (At::Start(0), At::End(one % 8)),
            (At::End(other % 4), At::Start(0)),
        ];
        places.map(|(dst, src)| Case { kernel, n, dst, src })
    })
}

#[test]
fn kernels_for_every_processor_copy_and_touch_nothing_else() {
    if missing() {
        return;
    }
    for target in Power::all() {
        let routines = routines(target);
        let kernels: Vec<Code> = routines.iter().map(|routine| emitted(target, routine)).collect();
        let cases: Vec<Case> =
            routines.iter().enumerate().flat_map(|(kernel, routine)| cases(kernel, routine.span())).collect();
        assert!(
            routines.len() == count(target) && cases.len() > 2000 && cases.iter().all(|case| case.n <= AREA - 16),
            "{}",
            cases.len()
        );
        let outcomes = run(target.mode(), target.processor(), &kernels, &cases);
        if let Some(wrong) = outcomes.iter().position(|outcome| *outcome != Outcome::Passed) {
            let case = cases[wrong];
            panic!("{target:?}: '{}' {case:?}: {:?}", routines[case.kernel], outcomes[wrong]);
        }
        println!("{} {}: {} routines, {} cases", target.name(), target.processor(), routines.len(), cases.len());
    }
}

/// A mnemonic with its operands.
type Line<'a> = (M, &'a [Operand]);

/// Instructions one after the other.
fn assembled(mode: Mode, instructions: &[Line]) -> Code {
    let word = |&(mnemonic, operands): &Line| Instruction::new(mnemonic, operands).unwrap().word();
    let bytes = |word: u32| if mode == Mode::Ppc64le { word.to_le_bytes() } else { word.to_be_bytes() };
    Code { bytes: instructions.iter().map(word).flat_map(bytes).collect(), align: 64, switches: Vec::new() }
}

#[test]
fn faulty_kernels_are_caught_each_by_what_is_wrong_with_it() {
    use Operand::{Imm, R, Zero};
    if missing() {
        return;
    }
    let (load, store): (Line, Line) = ((M::Lwz, &[R(9), Imm(0), R(4)]), (M::Stw, &[R(9), Imm(0), R(3)]));
    let back: Line = (M::Blr, &[]);
    let faulty: [(&str, &[Line], Outcome); 13] = [
        ("right", &[load, store, back], Outcome::Passed),
        ("does nothing", &[back], Outcome::Contents),
        ("loads 4 bytes further on", &[(M::Lwz, &[R(9), Imm(4), R(4)]), store, back], Outcome::Contents),
        (
            "misses the last byte",
            &[(M::Lhz, &[R(9), Imm(0), R(4)]), (M::Sth, &[R(9), Imm(0), R(3)]), back],
            Outcome::Contents,
        ),
        ("writes a byte past the end", &[load, store, (M::Stb, &[R(9), Imm(4), R(3)]), back], Outcome::Outside),
        ("writes a byte before the start", &[load, store, (M::Stb, &[R(9), Imm(-1), R(3)]), back], Outcome::Outside),
        ("returns the source", &[load, store, (M::Or, &[R(3), R(4), R(4)]), back], Outcome::Result),
        (
            "keeps data in r14",
            &[(M::Lwz, &[R(14), Imm(0), R(4)]), (M::Stw, &[R(14), Imm(0), R(3)]), back],
            Outcome::Preserved,
        ),
        ("changes r2", &[load, store, (M::Addi, &[R(2), Zero, Imm(0)]), back], Outcome::Preserved),
        ("moves the stack", &[load, store, (M::Addi, &[R(1), R(1), Imm(-16)]), back], Outcome::Preserved),
        ("changes condition field 3", &[load, store, (M::Mtcrf, &[Imm(1 << 4), R(3)]), back], Outcome::Preserved),
        (
            "swaps source and destination",
            &[(M::Lwz, &[R(9), Imm(0), R(3)]), (M::Stw, &[R(9), Imm(0), R(4)]), back],
            Outcome::Source,
        ),
        ("writes the source too", &[load, store, (M::Stb, &[R(5), Imm(4), R(4)]), back], Outcome::Source),
    ];
    for (mode, processor) in
        [(Mode::Ppc32, Processor::E300c3), (Mode::Ppc64, Processor::P970), (Mode::Ppc64le, Processor::Power9)]
    {
        for (what, instructions, expected) in faulty {
            let case = Case { kernel: 0, n: 4, dst: At::Start(8), src: At::Start(8) };
            let outcomes = run(mode, processor, &[assembled(mode, instructions)], &[case]);
            assert_eq!(outcomes, [expected], "{mode:?}: {what}");
        }
        // Beyond both ends of both areas are pages that may not be touched.
        let reaching = |from: i32, to: i32| {
            assembled(mode, &[load, store, (M::Lbz, &[R(9), Imm(from), R(4)]), (M::Lbz, &[R(9), Imm(to), R(3)]), back])
        };
        for (from, to, at) in [(4, 0, At::End(0)), (0, 4, At::End(0)), (-1, 0, At::Start(0)), (0, -1, At::Start(0))] {
            let case = Case { kernel: 0, n: 4, dst: at, src: at };
            assert_eq!(run(mode, processor, &[reaching(from, to)], &[case]), [Outcome::Killed(11)], "{from} {to}");
        }
    }
}

#[test]
fn what_a_processor_lacks_is_known_before_it_meets_an_illegal_instruction() {
    if missing() {
        return;
    }
    let select: Recipe = "copy 0..=8 branch-free width=4".parse().unwrap();
    let routine = Routine::from(select);
    let case = Case { kernel: 0, n: 5, dst: At::Start(3), src: At::Start(1) };
    // Code made for one processor, on another.
    for (mode, made_for) in [(Mode::Ppc32, Processor::E500mc), (Mode::Ppc64, Processor::Power7)] {
        let code = emitted(Power::new(mode, made_for).unwrap(), &routine);
        for &processor in Processor::ALL.iter().filter(|processor| processor.modes().contains(&mode)) {
            let outcome = run(mode, processor, std::slice::from_ref(&code), &[case])[0];
            let has = processor.has(copysmith_kernels::power::instruction::Facility::Select);
            assert_eq!(
                outcome,
                if has { Outcome::Passed } else { Outcome::Killed(4) },
                "{made_for} code on {processor}"
            );
        }
    }
}
