//! Signals to a real process. Its own `main`, because the test harness would share the handlers and die of the second
//! signal. Each case is this program again, which signals itself; where a program cannot start itself again, as under
//! user-mode emulation, the cases are skipped by name.

use copysmith::record::{EXIT_INTERRUPTED, Interrupt, Interrupted};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::raise;
use std::env;
use std::io::{self, Write};
use std::process::{Command, ExitCode};

/// Signals, what must have been printed, and the exit code.
const CASES: [(&str, &[i32], &str, i32); 5] = [
    ("no_signal_asks_for_nothing", &[], "false ", 0),
    ("the_first_interrupt_only_asks", &[SIGINT], "false true ", 0),
    ("a_termination_asks_as_well", &[SIGTERM], "false true ", 0),
    ("the_second_interrupt_ends_at_once", &[SIGINT, SIGINT], "false true ", 130),
    ("a_second_signal_of_the_other_kind_ends_as_well", &[SIGTERM, SIGINT], "false true ", 130),
];

fn child(signals: &[i32]) -> io::Result<()> {
    let interrupt = Interrupt::install()?;
    print!("{} ", interrupt.check() == Err(Interrupted));
    io::stdout().flush()?;
    for &signal in signals {
        raise(signal)?;
        print!("{} ", interrupt.clone().is_asked());
        io::stdout().flush()?;
    }
    Ok(())
}

fn main() -> ExitCode {
    assert_eq!(EXIT_INTERRUPTED, 130);
    if let Some(name) = env::var_os("INTERRUPT_CASE") {
        let (_, signals, ..) = CASES.iter().find(|case| name == case.0).expect("a case");
        child(signals).expect("signals can be handled");
        return ExitCode::SUCCESS;
    }
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for (name, _, printed, code) in CASES {
        let program = env::current_exe().expect("this program has a path");
        match Command::new(program).env("INTERRUPT_CASE", name).output() {
            Err(error) => {
                skipped += 1;
                println!("test {name} ... skipped: this program cannot start itself again ({error})");
            }
            Ok(output) if output.status.code() == Some(code) && output.stdout == printed.as_bytes() => {
                passed += 1;
                println!("test {name} ... ok");
            }
            Ok(output) => {
                failed += 1;
                println!("test {name} ... FAILED: {output:?}");
            }
        }
    }
    println!("{passed} passed, {failed} failed, {skipped} skipped");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
