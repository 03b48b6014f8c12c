//! However a program begins and ends: what it copied by then is kept, and its end is passed on.

use crate::program::{Program, copysmith, word};
use copysmith::profile::Profile;

/// A program that copies and then ends like this.
fn ending(end: &str) -> Program {
    Program::new(&format!(
        "extern \"C\" fn last() {{ copy(2001); unsafe {{ puts(c\"last\".as_ptr()); }} }}
         #[unsafe(no_mangle)] extern \"C\" fn main() -> c_int {{ unsafe {{
             atexit(last);
             for n in 1001..1101 {{ copy(n); }}
             write(1, b\"out\".as_ptr(), 3);
             write(2, b\"err\".as_ptr(), 3);
             {end}
         }} }}"
    ))
}

fn first() -> Vec<u64> {
    (1001..1101).collect()
}

#[test]
fn a_return_and_exit_reach_the_exit_handlers_and_their_copies_count() {
    for (end, code) in [("7", 7), ("exit(200)", 200)] {
        let run = ending(end).record(&[]);
        assert_eq!(run.output.status.code(), Some(code));
        assert_eq!(run.lengths(), [first(), vec![2001]].concat());
    }
}

#[test]
fn nothing_is_lost_where_a_process_ends_at_once() {
    for (end, code) in
        [("_exit(3)", 3), ("abort()", 134), ("kill(getpid(), 9); 0", 137), ("kill(getpid(), 15); 0", 143)]
    {
        let run = ending(end).record(&[]);
        assert_eq!(run.output.status.code(), Some(code), "{end}");
        assert_eq!(run.lengths(), first(), "{end}");
    }
}

#[test]
fn copies_in_constructors_count() {
    let run = Program::new(
        "extern \"C\" fn early() { copy(1001); }
         #[used] #[unsafe(link_section = \".init_array\")] static EARLY: extern \"C\" fn() = early;
         #[used] #[unsafe(link_section = \".preinit_array\")] static EARLIER: extern \"C\" fn() = earlier;
         extern \"C\" fn earlier() { for n in 0..3 { unsafe { memmove(to().add(n), from(), 1002 + n); } } copy(1005); }
         #[unsafe(no_mangle)] extern \"C\" fn main() -> c_int { copy(1006); unsafe { write(1, to(), 1005); } 0 }",
    )
    .record(&[]);
    assert_eq!(run.lengths(), [1002, 1003, 1004, 1005, 1001, 1006]);
}

/// Before the recorder has found libc's functions, which `.preinit_array` above comes before, string moves stand in.
#[test]
fn what_stands_in_before_the_constructors_moves_overlapping_regions_right() {
    let run = Program::new(
        "#[used] #[unsafe(link_section = \".preinit_array\")] static EARLIER: extern \"C\" fn() = earlier;
         extern \"C\" fn earlier() { unsafe {
             for n in 0..4096 { *to().add(n) = (n / 7) as u8; }
             memmove(to().add(1), to(), 1500);
             memmove(to(), to().add(3), 1500);
             memmove(to(), to(), 1001);
             bcopy(to().add(8), to(), 2000);
             let end = mempcpy(to().add(3000), to(), 1001);
             *end = 9;
             let end = __mempcpy_chk(to().add(5000), to(), 1001, 1001);
             *end = 8;
         } }
         #[unsafe(no_mangle)] extern \"C\" fn main() -> c_int { unsafe { write(1, to(), 8192); } 0 }",
    );
    // The output is compared with that of the program alone.
    assert_eq!(program_output(&run).len(), 8192);
    assert_eq!(run.record(&[]).lengths(), [1500, 1500, 1001, 2000, 1001, 1001]);
}

fn program_output(program: &Program) -> Vec<u8> {
    std::process::Command::new(&program.path).output().unwrap().stdout
}

/// A program whose handler copies at every tick, while its main part copies `body`.
fn storm(body: &str) -> Program {
    Program::new(&format!(
        "use core::sync::atomic::{{AtomicUsize, Ordering::Relaxed}};
         static HANDLED: AtomicUsize = AtomicUsize::new(0);
         extern \"C\" fn handler(_: c_int) {{ copy(1001); copy(2001); HANDLED.fetch_add(1, Relaxed); }}
         #[unsafe(no_mangle)] extern \"C\" fn main() -> c_int {{ unsafe {{
             signal(14, handler);
             let (storm, calm) = ([0, 50, 0, 50], [0i64; 4]);
             setitimer(0, &storm, core::ptr::null_mut());
             let mut calls = 0;
             {body}
             setitimer(0, &calm, core::ptr::null_mut());
             let handled = HANDLED.load(Relaxed);
             for _ in 0..calls + handled {{ memcpy(to(), from(), 3001); }}
             for _ in 0..handled {{ memcpy(to(), from(), 4001); }}
             0
         }} }}"
    ))
}

/// How many copies there were the program tells by making as many of another length.
#[test]
fn a_storm_of_signals_whose_handlers_copy_leaves_every_count_right() {
    let run = storm("while HANDLED.load(Relaxed) < 4000 { for _ in 0..64 { copy(1001); calls += 1; } }").record(&[]);
    assert_eq!(run.count(1001), run.count(3001));
    assert_eq!(run.count(2001), run.count(4001));
    assert!(run.count(2001) >= 4000);
    assert!(run.calls().iter().all(|call| [1001, 2001, 3001, 4001].contains(&call.length)));
}

#[test]
fn a_call_that_a_handler_interrupts_and_those_of_the_handler_all_have_a_place_of_their_own() {
    // Few enough to be kept whole.
    let run = storm("while calls < 20000 { for _ in 0..20 { copy(1001); } copy(60000); copy(60000); calls += 20; }");
    let run = run.record(&[]);
    let header = run.profile.header();
    assert!(run.count(2001) > 0);
    assert_eq!(run.profile.calls().count() as u64, header.calls);
    for length in [1001, 2001, 3001, 4001] {
        assert_eq!(
            run.calls().iter().filter(|call| call.length == length).count() as u64,
            run.count(length),
            "{length}"
        );
    }
    assert_eq!(run.calls().iter().filter(|call| call.length == 60000).count(), 2000);
}

#[test]
fn an_overflow_that_libc_finds_ends_the_program_as_it_does_without_the_recorder() {
    Program::new(
        "#[unsafe(no_mangle)] extern \"C\" fn main() -> c_int { unsafe { __memcpy_chk(to(), from(), 1001, 1000); } 0 }",
    )
    .record(&[]);
}

#[test]
fn a_signal_sent_to_the_recorder_reaches_the_program_and_the_profile_is_still_written() {
    let program = Program::new(
        "#[unsafe(no_mangle)] extern \"C\" fn main() -> c_int { unsafe {
             copy(1001);
             write(1, b\"x\".as_ptr(), 1);
             for _ in 0..1_000_000_000 { copy(1002); } 0
         } }",
    );
    let file = program.dir.path().join("profile.gz");
    let mut command = copysmith(&["record", "-o", word(&file), "--", word(&program.path)]);
    let mut child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
    // It is running once it has written.
    let mut byte = [0];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut byte).unwrap();
    // SAFETY: a signal to a child that was not waited for.
    unsafe { libc::kill(child.id().cast_signed(), libc::SIGINT) };
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(Profile::read(&file).unwrap().calls().filter(|call| call.length == 1001).count(), 1);
}
