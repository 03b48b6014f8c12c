//! A known sequence of calls is written down, each exactly, in order.

use crate::program::Program;

const MAIN: &str = "#[unsafe(no_mangle)] extern \"C\" fn main() -> c_int { unsafe { BODY } 0 }";

fn program(body: &str) -> Program {
    Program::new(&MAIN.replace("BODY", body))
}

#[test]
fn every_function_is_written_down_with_length_offsets_and_distance() {
    let run = program(
        "memcpy(to().add(1), from().add(2), 1001);
         memmove(from().add(3), from().add(1), 1002);
         let end = mempcpy(to().add(5), from(), 1003);
         write(1, if end == to().add(1008) { b\"end\\n\" } else { b\"bad\\n\" }.as_ptr(), 4);
         bcopy(from().add(4096 + 7), from().add(9), 1004);
         __memcpy_chk(to(), from(), 1005, 65536);
         __memmove_chk(to(), from(), 1006, 65536);
         let end = __mempcpy_chk(to(), from(), 5000, 65536);
         write(1, if end == to().add(5000) { b\"end\\n\" } else { b\"bad\\n\" }.as_ptr(), 4);
         write(1, to(), 1);",
    )
    .record(&[]);
    let seen: Vec<String> = run
        .calls()
        .iter()
        .map(|call| format!("{} {} {} {}", call.symbol(), call.length, call.dst_offset, call.src_offset))
        .collect();
    let expected = [
        "memcpy 1001 1 2",
        "memmove 1002 3 1",
        "mempcpy 1003 5 0",
        "memmove 1004 9 7",
        "__memcpy_chk 1005 0 0",
        "__memmove_chk 1006 0 0",
        "__mempcpy_chk 5000 0 0",
    ];
    assert_eq!(seen, expected);
    let distances: Vec<Option<i64>> = run.calls().iter().map(|call| call.distance).collect();
    assert_eq!((distances[1], distances[3]), (Some(2), Some(2 - 4096)));
    assert_eq!(run.output.stdout, b"end\nend\n\x07");
    let header = run.profile.header();
    for symbol in ["mempcpy", "__memcpy_chk", "__memmove_chk", "__mempcpy_chk"] {
        assert_eq!(header.functions[symbol], 1, "{symbol}");
    }
    assert_eq!((header.processes, header.threads), (1, 1));
}

/// The lengths that a linear congruence draws, as the program below draws them.
fn drawn(calls: usize) -> Vec<u64> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        1001 + u64::from(state >> 25)
    };
    (0..calls).map(|_| next()).collect()
}

fn drawing(calls: usize) -> Program {
    program(&format!(
        "let mut state = 1u32;
         for _ in 0..{calls} {{
             state = state.wrapping_mul(1664525).wrapping_add(1013904223);
             copy(1001 + (state >> 25) as usize);
         }}"
    ))
}

#[test]
fn a_short_run_is_kept_whole_and_in_order() {
    assert_eq!(drawing(50_000).record(&[]).lengths(), drawn(50_000));
}

#[test]
fn a_long_run_is_kept_in_long_stretches_over_all_of_it_with_exact_counts() {
    let calls = 3_000_000;
    let (run, all) = (drawing(calls).record(&[]), drawn(calls));
    for length in 1001..1001 + 128 {
        assert_eq!(run.count(length), all.iter().filter(|&&drawn| drawn == length).count() as u64, "{length}");
    }
    let (kept, last) = (run.lengths().len(), run.profile.stretches().last().unwrap());
    assert!((200_000..2_000_000).contains(&kept), "{kept} of {calls} calls");
    assert!(last.from > calls as u64 * 3 / 4, "the last stretch begins at {}", last.from);
    // Start-up makes a few calls before the first of these.
    let before = run.profile.header().calls - calls as u64;
    for stretch in run.profile.stretches().iter().skip(1) {
        let from = (stretch.from - before) as usize;
        let lengths: Vec<u64> = stretch.calls().iter().map(|call| call.length).collect();
        assert!(lengths.len() >= 16_384 || stretch == last, "{}", lengths.len());
        assert_eq!(lengths, all[from..from + lengths.len()], "from {from} on");
    }
}

#[test]
fn fewer_calls_are_kept_if_that_is_asked_for() {
    let run = drawing(50_000).record(&["--calls", "1000"]);
    assert!((700..=1000).contains(&run.profile.calls().count()));
    assert!(run.profile.header().calls >= 50_000);
}

#[test]
fn callers_are_named_by_object_and_offset_and_only_if_that_is_asked_for() {
    let program = program("copy(1001); memcpy(to(), from(), 1002); copy(1003);");
    let run = program.record(&["--keep-callers"]);
    let names: Vec<&str> =
        run.calls().iter().map(|call| run.profile.header().callers[call.caller.unwrap() as usize].as_str()).collect();
    assert!(names[0].starts_with("program+0x"), "{names:?}");
    assert!(names[0] == names[2] && names[0] != names[1], "{names:?}");
    let run = program.record(&[]);
    assert!(run.profile.header().callers.is_empty() && run.calls().iter().all(|call| call.caller.is_none()));
}
