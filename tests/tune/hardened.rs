//! Where memory may not become executable: a tune works through a file mapped twice, or says what to do.

use super::bench::{complaint, done, journal, long_class_done, text, tune, with_journal};
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Whether this kernel can refuse to make pages executable (from 6.3 on).
fn can_be_hardened() -> bool {
    // SAFETY: asks only.
    unsafe { libc::prctl(libc::PR_GET_MDWE, 0_usize, 0_usize, 0_usize, 0_usize) >= 0 }
}

fn outcome(result: i32) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// From here on, no page becomes executable that was not so from the start.
fn deny_making_executable(command: &mut Command) -> &mut Command {
    // SAFETY: one system call, between fork and exec.
    unsafe { command.pre_exec(|| outcome(libc::prctl(libc::PR_SET_MDWE, 1_usize, 0_usize, 0_usize, 0_usize))) }
}

/// From here on, `memfd_create` fails with EPERM.
fn deny_memory_files(command: &mut Command) -> &mut Command {
    const LOAD_NUMBER: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    let deny = || {
        let step = |code, jf, k| libc::sock_filter { code, jt: 0, jf, k };
        let mut steps = [
            step(LOAD_NUMBER, 0, 0),
            step(IF_EQUAL, 1, libc::SYS_memfd_create as u32),
            step(RETURN, 0, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
            step(RETURN, 0, libc::SECCOMP_RET_ALLOW),
        ];
        let program = libc::sock_fprog { len: 4, filter: steps.as_mut_ptr() };
        // SAFETY: the program and its steps live across the call.
        unsafe {
            outcome(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1_usize, 0_usize, 0_usize, 0_usize))?;
            outcome(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program))
        }
    };
    // SAFETY: two system calls, between fork and exec.
    unsafe { command.pre_exec(deny) }
}

#[test]
fn where_pages_may_not_become_executable_a_tune_runs_to_its_end() {
    if !can_be_hardened() {
        println!("skipped: this kernel has no PR_SET_MDWE");
        return;
    }
    let before = long_class_done();
    let record = with_journal(&before);
    let output = deny_making_executable(&mut tune(record.path(), &[])).output().unwrap();
    assert!(done(&output).contains("whole routine"));
    let after = fs::read(journal(record.path())).unwrap();
    for measured in ["gate", "race", "confirmation"] {
        let block = format!("\"class\":\"0..=32\",\"phase\":\"{measured}\"");
        assert!(text(&after[before.len()..]).contains(&block), "nothing was measured for the {measured}");
    }
}

#[test]
fn where_memory_files_are_denied_as_well_one_line_says_what_to_do() {
    if !can_be_hardened() {
        println!("skipped: this kernel has no PR_SET_MDWE");
        return;
    }
    let record = tempfile::tempdir().unwrap();
    let mut command = tune(record.path(), &[]);
    let said = complaint(&deny_memory_files(deny_making_executable(&mut command)).output().unwrap(), 1);
    for part in ["mprotect: Permission denied", "memfd_create: Operation not permitted", "copysmith-tuned", "execmem"] {
        assert!(said.contains(part), "{part:?} is not in {said:?}");
    }
    assert!(!super::bench::folder(record.path()).join(copysmith::tune::WINNERS).exists());

    // Checking a routine needs to run it, too; showing one does not.
    let recipe = "copy 17..=32 pairs width=sse16";
    let mut command = super::bench::copysmith(&["check", recipe]);
    let said = complaint(&deny_memory_files(deny_making_executable(&mut command)).output().unwrap(), 1);
    assert!(said.contains("execmem"), "{said}");
    let mut command = super::bench::copysmith(&["show", recipe]);
    done(&deny_memory_files(deny_making_executable(&mut command)).output().unwrap());
}
