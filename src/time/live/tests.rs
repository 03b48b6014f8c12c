use super::super::clock::Clock;
use super::super::confirm::confirm;
use super::super::driver::ReadBack;
use super::super::lengths::Lengths;
use super::super::recording::Recording;
use super::*;
use crate::profile::by_name;
use std::cell::Cell;
use std::time::Duration;

/// `mov rax, rdi; mov rcx, rdx; rep movsb; ret`: right for every length on every x86-64 CPU.
const BYTES_IN_TURN: [u8; 9] = [0x48, 0x89, 0xf8, 0x48, 0x89, 0xd1, 0xf3, 0xa4, 0xc3];

fn code() -> Code {
    Code { bytes: BYTES_IN_TURN.to_vec(), align: 64, switches: Vec::new() }
}

fn settings(workloads: &[Workload]) -> Settings {
    let mut settings = Settings::new(workloads.iter().cloned().map(Situation::from).collect());
    let emit =
        |routine: &Routine| if routine.span().first() == 16 { Err("no such code".to_owned()) } else { Ok(code()) };
    // SAFETY: the only code it gives copies any number of bytes with instructions that every x86-64 CPU has.
    settings.emitter = unsafe { Emitter::vouched(emit) };
    settings
}

fn routine(text: &str) -> Routine {
    text.parse().unwrap()
}

fn few() -> [Routine; 4] {
    let pairs = "copy 17..=32 pairs width=sse16";
    let narrow = "copy 17..=31 pairs width=sse16";
    let refused = "copy 16..=32 pairs width=sse16";
    [pairs, narrow, refused, pairs].map(routine)
}

fn short() -> Workload {
    Workload::hot(Lengths::Span("17..=32".parse().unwrap()))
}

#[test]
fn each_contestant_has_one_sample_in_the_order_given_and_a_reason_where_it_cannot_race() {
    let cold = Workload::cold(Lengths::Fixed(20)).read_back(ReadBack::Ends);
    let mut judge = LiveJudge::new(&settings(&[short(), cold])).unwrap();
    for _ in 0..6 {
        let samples = judge.block(&few()).unwrap();
        let Sample::Failed(narrow) = &samples[1] else { panic!("{samples:?}") };
        assert!(narrow.starts_with("it copies 17..=31 only, and is to be timed on 17..=32 hot"), "{narrow}");
        assert_eq!(samples[2], Sample::Failed("no such code".to_owned()));
        for sample in [&samples[0], &samples[3]] {
            assert!(matches!(sample, Sample::LogRatio(ratio) if ratio.is_finite()), "{sample:?}");
        }
    }
    assert_eq!(judge.tally().blocks, 12);
    assert!(judge.gigabytes_per_second(&few()[0]).is_some() && judge.reference_gigabytes_per_second().is_some());
    assert_eq!(judge.gigabytes_per_second(&few()[1]), None);
}

#[test]
fn a_routine_is_emitted_once_however_often_it_races() {
    let count = Rc::new(Cell::new(0));
    let mut settings = settings(&[short()]);
    let counter = count.clone();
    let emit = move |_: &Routine| {
        counter.set(counter.get() + 1);
        Ok(code())
    };
    // SAFETY: as in `settings`.
    settings.emitter = unsafe { Emitter::vouched(emit) };
    let mut judge = LiveJudge::new(&settings).unwrap();
    (0..6).for_each(|_| drop(judge.block(&few()[..1]).unwrap()));
    assert_eq!(count.get(), 1);
}

#[test]
fn short_copies_are_timed_in_at_least_16384_fresh_calls() {
    let workloads = [short(), Workload::hot(Lengths::Mix), Workload::hot(Lengths::Runs)];
    assert_eq!(LiveJudge::new(&settings(&workloads)).unwrap().calls(), [16_384; 3]);
}

#[test]
fn recorded_calls_race_beside_drawn_ones_in_passes_of_16384() {
    let recording = Recording::from(&by_name("sqlite3").unwrap().profile().unwrap());
    let workloads = [Workload::replay(recording.clone()), short(), Workload::cold(Lengths::Recorded(recording))];
    let mut judge = LiveJudge::new(&settings(&workloads)).unwrap();
    assert_eq!(judge.calls(), [16_384; 3]);
    let samples = judge.block(&[routine("copy 0.. string unit=1"), few()[0].clone()]).unwrap();
    assert!(matches!(samples[0], Sample::LogRatio(ratio) if ratio.is_finite()), "{samples:?}");
    let Sample::Failed(narrow) = &samples[1] else { panic!("{samples:?}") };
    assert!(narrow.contains("it copies 17..=32 only, and is to be timed on sqlite3 (65536 calls"), "{narrow}");
}

#[test]
fn a_confirmation_is_another_process_with_as_many_ratios_as_blocks() {
    // The child must not wait for a calibration that another test's thread had begun.
    Clock::detect().ticks_per_nanosecond();
    let confirmation = confirm(&settings(&[short()]), &few(), 5, Duration::from_secs(30), &mut || false).unwrap();
    let lengths = |series: &Result<_, String>| series.as_ref().map(|s: &super::super::Series| s.log_ratios.len()).ok();
    let finalists: Vec<Option<usize>> = confirmation.finalists.iter().map(lengths).collect();
    assert_eq!(finalists, [Some(5), None, None, Some(5)]);
    assert_eq!(confirmation.clone.len(), 5);
}

#[test]
fn a_confirmation_that_dies_says_of_what() {
    let mut settings = settings(&[short()]);
    // SAFETY: not correct, on purpose: `ud2` kills the child that runs it.
    settings.emitter =
        unsafe { Emitter::vouched(|_| Ok(Code { bytes: vec![0x0f, 0x0b], align: 64, switches: Vec::new() })) };
    Clock::detect().ticks_per_nanosecond();
    let error = confirm(&settings, &few()[..1], 5, Duration::from_secs(30), &mut || false).unwrap_err();
    assert_eq!(error.to_string(), "the confirming process died of SIGILL");
}
