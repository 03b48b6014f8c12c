//! Every faulty kernel is rejected for its own fault, every good one accepted, and the process goes on.

use super::*;
use crate::run::faulty::{
    Faulty, Needs, SeenBy, Symptom, family, good, good_loop, good_move, keeps_data_below_the_red_zone,
    wrong_one_byte_above,
};

/// The battery's verdict; `None`, with a word, where this CPU cannot run the kernel.
fn verdict(kernel: &Faulty, span: Span, depth: Depth) -> Option<Verdict> {
    if kernel.needs == Needs::Avx && Avx::here() == Avx::Absent {
        println!("skipped: '{}' needs AVX", kernel.name);
        return None;
    }
    // Hanging is the one fault that takes as long as it is given.
    let limit = if kernel.symptom == Symptom::Hang { Duration::from_millis(300) } else { depth.limit() };
    Some(try_out_within(&kernel.code, span, depth, limit).unwrap())
}

fn assert_shows(kernel: &Faulty, verdict: &Verdict) {
    let shows = match (kernel.symptom, verdict) {
        (Symptom::Comparison(words), Verdict::Rejected(rejection)) => rejection.to_string().contains(words),
        (Symptom::Signal(number), Verdict::Signal { signal, input, .. }) => signal.0 == number && input.is_some(),
        (Symptom::Hang, Verdict::TimedOut { input, .. }) => input.is_some(),
        (Symptom::Exit(expected), Verdict::Exited { code, input }) => *code == expected && input.is_some(),
        (Symptom::None, Verdict::Passed(_)) => true,
        _ => false,
    };
    assert!(shows, "'{}' should show {:?}, but: {verdict}", kernel.name, kernel.symptom);
    assert_eq!(verdict.is_passed(), kernel.seen_by == SeenBy::Proof, "'{}': {verdict}", kernel.name);
}

#[test]
fn the_gate_rejects_every_faulty_kernel_that_running_can_show_for_its_own_fault() {
    for kernel in family() {
        if let Some(verdict) = verdict(&kernel, Span::ALL, Depth::Gate) {
            println!("{:<40} {verdict}", kernel.name);
            assert_shows(&kernel, &verdict);
        }
    }
}

#[test]
fn good_kernels_pass_the_gate_of_any_span_within_reach() {
    for text in ["0..=0", "0..=64", "17..=32", "1025..", "0..", "300000..=2000000", "2097153.."] {
        let span: Span = text.parse().unwrap();
        for kernel in [good(), good_loop()] {
            assert_shows(&kernel, &verdict(&kernel, span, Depth::Gate).unwrap());
        }
    }
}

#[test]
fn the_full_battery_accepts_good_kernels_and_counts_what_it_did() {
    let verdict = verdict(&good(), "0..=2049".parse().unwrap(), Depth::FULL).unwrap();
    let Verdict::Passed(coverage) = verdict else { panic!("{verdict}") };
    assert_eq!((coverage.shortest, coverage.longest), (0, 2049));
    assert!(coverage.calls > 301 * 4096 && coverage.signals > 0, "{coverage:?}");
}

#[test]
fn what_is_wrong_one_byte_above_passes_as_a_copy_and_is_found_as_a_move() {
    let kernel = wrong_one_byte_above();
    for text in ["0..", "2..=2", "17..=32", "1025..=4096", "70001.."] {
        let span: Span = text.parse().unwrap();
        assert!(verdict(&kernel, span, Depth::Gate).unwrap().is_passed(), "{text}");
        let verdict = try_out_move(&kernel.code, span, Depth::Gate).unwrap();
        println!("{verdict}");
        assert_shows(&kernel, &verdict);
    }
    assert_shows(&kernel, &try_out_move(&kernel.code, "100..=300".parse().unwrap(), Depth::FULL).unwrap());
}

#[test]
fn copies_from_either_end_are_no_moves_and_a_choice_between_them_is() {
    for (kernel, word) in [(good(), "dst=src+"), (good_loop(), "dst=src+")] {
        let verdict = try_out_move(&kernel.code, Span::ALL, Depth::Gate).unwrap();
        assert!(verdict.to_string().contains(word), "{verdict}");
    }
    for depth in [Depth::Gate, Depth::FULL] {
        let verdict = try_out_move(&good_move().code, "0..=9000".parse().unwrap(), depth).unwrap();
        assert_shows(&good_move(), &verdict);
    }
}

#[test]
fn the_gate_of_a_move_takes_no_longer_than_it_may() {
    let words = try_out_move(&good_move().code, Span::ALL, Depth::Gate).unwrap();
    let Verdict::Passed(moved) = &words else { panic!("{words}") };
    let Verdict::Passed(copied) = try_out(&good_move().code, Span::ALL, Depth::Gate).unwrap() else { panic!() };
    assert!(moved.calls > copied.calls + 500 && moved.calls < copied.calls + 4000, "{moved:?} {copied:?}");
}

#[test]
fn data_kept_below_the_red_zone_passes_the_gate_and_is_lost_in_the_storm() {
    let kernel = keeps_data_below_the_red_zone();
    let span: Span = "5000..=5003".parse().unwrap();
    assert!(verdict(&kernel, span, Depth::Gate).unwrap().is_passed());
    assert_shows(&kernel, &verdict(&kernel, span, Depth::FULL).unwrap());
}

#[test]
fn the_full_battery_rejects_what_shows_at_one_residue_pair_of_one_length_only() {
    use dynasmrt::{DynasmApi, DynasmLabelApi, VecAssembler, dynasm, x64::X64Relocation};
    let mut ops = VecAssembler::<X64Relocation>::new(0);
    // n = 299, dst = 63 and src = 1 modulo 64: one byte fewer.
    dynasm!(ops; .arch x64
        ; mov rax, rdi
        ; mov rcx, rdx
        ; cmp rdx, 299
        ; jne >right
        ; mov r8, rdi
        ; and r8, 63
        ; cmp r8, 63
        ; jne >right
        ; mov r8, rsi
        ; and r8, 63
        ; cmp r8, 1
        ; jne >right
        ; dec rcx
        ; right:
        ; rep movsb
        ; ret);
    let code = Code { bytes: ops.finalize().unwrap(), align: 16, switches: Vec::new() };
    let verdict = try_out(&code, "290..=310".parse().unwrap(), Depth::FULL).unwrap();
    assert!(verdict.to_string().starts_with("n=299 dst=page+575 src=page+513: byte 298 was not copied"), "{verdict}");
}

#[test]
fn an_access_past_the_end_is_told_by_its_distance() {
    let kernel = family().into_iter().find(|kernel| kernel.name == "reads 31 past").unwrap();
    let verdict = verdict(&kernel, "64..=80".parse().unwrap(), Depth::Gate).unwrap();
    let Verdict::Signal { touched, input: Some(input), .. } = &verdict else { panic!("{verdict}") };
    assert_eq!((*touched, input.n), (Some(Touch::AfterSrc(31)), 64));
}

#[test]
fn a_routine_whose_shortest_length_is_out_of_reach_is_rejected_untried() {
    let span = Span::new(1 << 40, usize::MAX).unwrap();
    for depth in [Depth::Gate, Depth::FULL] {
        let verdict = try_out(&good().code, span, depth).unwrap();
        assert!(verdict.to_string().contains("not tried"), "{verdict}");
        assert!(!verdict.is_passed());
    }
}

#[test]
fn code_without_an_instruction_is_an_error_and_not_a_verdict() {
    let nothing = Code { bytes: Vec::new(), align: 16, switches: Vec::new() };
    assert!(matches!(try_out(&nothing, Span::ALL, Depth::Gate), Err(TryError::Map(MapError::Empty { index: 0 }))));
}

#[test]
fn verdicts_survive_json_unchanged() {
    for kernel in [&good(), &family()[0]] {
        let verdict = verdict(kernel, "1..=40".parse().unwrap(), Depth::Gate).unwrap();
        let text = serde_json::to_string(&verdict).unwrap();
        assert_eq!(serde_json::from_str::<Verdict>(&text).unwrap(), verdict);
    }
}
