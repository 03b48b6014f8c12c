//! Placement, and executable memory under the systems that forbid it.

use super::*;
use crate::run::isolate::{Outcome, isolate};
use std::time::Duration;

/// `mov rax, rdi; mov rcx, rdx; rep movsb; ret`
const COPY: &[u8] = &[0x48, 0x89, 0xf8, 0x48, 0x89, 0xd1, 0xf3, 0xa4, 0xc3];

/// Copies seven bytes by a fresh arena; says how the arena was made, or why not.
fn copy_seven() -> Result<String, String> {
    let arena = Arena::new(&[Piece { bytes: COPY, align: 64, offset: 16 }]).map_err(|error| error.to_string())?;
    let mut dst = [0_u8; 7];
    // SAFETY: `COPY` is a correct copy for every length, and both buffers hold seven bytes.
    unsafe { arena.entry(0).unwrap().call(dst.as_mut_ptr(), b"1234567".as_ptr(), 7) };
    assert_eq!(&dst, b"1234567");
    Ok(format!("{:?}", arena.way()))
}

/// Refuses to make a page executable that was not from the start. False where the kernel does not know how (before 6.3).
fn deny_making_executable() -> bool {
    // SAFETY: restricts this process only, and only tests in forked children call it.
    unsafe { libc::prctl(libc::PR_SET_MDWE, 1_usize, 0_usize, 0_usize, 0_usize) == 0 }
}

/// Makes `memfd_create` fail with EPERM from now on.
fn deny_memory_files() -> bool {
    const LOAD_NUMBER: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    let step = |code, jf, k| libc::sock_filter { code, jt: 0, jf, k };
    let mut steps = [
        step(LOAD_NUMBER, 0, 0),
        step(IF_EQUAL, 1, libc::SYS_memfd_create as u32),
        step(RETURN, 0, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
        step(RETURN, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: 4, filter: steps.as_mut_ptr() };
    // SAFETY: restricts this process only; the program and its four steps live across the call.
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1_usize, 0_usize, 0_usize, 0_usize) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0
    }
}

fn in_child(work: impl FnOnce() -> Result<String, String>) -> Result<String, String> {
    match isolate(Duration::from_secs(20), work).unwrap() {
        Outcome::Finished(answer) => answer,
        other => panic!("{other:?}"),
    }
}

#[test]
fn code_runs_from_pages_made_executable_in_place() {
    assert_eq!(copy_seven().as_deref(), Ok("Protected"));
}

#[test]
fn where_pages_may_not_become_executable_a_file_is_mapped_twice() {
    let answer = in_child(|| if deny_making_executable() { copy_seven() } else { Ok("unsupported".to_owned()) });
    if answer.as_deref() == Ok("unsupported") {
        println!("skipped: this kernel has no PR_SET_MDWE");
        return;
    }
    assert_eq!(answer.as_deref(), Ok("MappedTwice"));
}

#[test]
fn where_both_ways_are_forbidden_the_error_says_what_failed_and_what_to_do() {
    let answer = in_child(|| {
        if deny_making_executable() && deny_memory_files() { copy_seven() } else { Ok("unsupported".to_owned()) }
    });
    if answer.as_deref() == Ok("unsupported") {
        println!("skipped: this kernel has no PR_SET_MDWE or no seccomp filters");
        return;
    }
    let text = answer.unwrap_err();
    for part in ["mprotect: Permission denied", "memfd_create: Operation not permitted", "copysmith-tuned", "execmem"] {
        assert!(text.contains(part), "{part:?} is not in {text:?}");
    }
}

#[test]
fn no_page_of_code_is_writable() {
    let arena = Arena::new(&[Piece { bytes: COPY, align: 1, offset: 0 }]).unwrap();
    let address = arena.entry(0).unwrap().address();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let mut ranges = maps.lines().filter_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (from, to) = range.split_once('-')?;
        let from = usize::from_str_radix(from, 16).ok()?;
        let to = usize::from_str_radix(to, 16).ok()?;
        (from <= address && address < to).then(|| rest[..4].to_owned())
    });
    assert_eq!(ranges.next().as_deref(), Some("r-xp"));
}

#[test]
fn every_piece_lands_on_its_offset_whatever_lies_before_it() {
    let piece = Piece { bytes: COPY, align: 64, offset: 0 };
    let pieces: Vec<Piece> = (0..64).flat_map(|k| [piece.placed(64, k), piece.placed(4096, 63 - k)]).collect();
    let arena = Arena::new(&pieces).unwrap();
    assert_eq!(arena.len(), 128);
    let mut end = 0;
    for (index, piece) in pieces.iter().enumerate() {
        let address = arena.entry(index).unwrap().address();
        assert_eq!(address % piece.align, piece.offset, "piece {index}");
        assert!(address >= end, "piece {index} overlaps the one before it");
        end = address + piece.bytes.len();
    }
    assert!(arena.entry(128).is_none());
}

#[test]
fn a_piece_that_cannot_be_placed_is_refused_by_name() {
    let good = Piece { bytes: COPY, align: 64, offset: 0 };
    let refused = |piece| Arena::new(&[good, piece]).unwrap_err();
    assert_eq!(refused(Piece { bytes: &[], ..good }), MapError::Empty { index: 1 });
    for align in [0, 3, 8192] {
        assert_eq!(refused(good.placed(align, 0)), MapError::Align { index: 1, align });
    }
    assert_eq!(refused(good.placed(16, 16)), MapError::Offset { index: 1, offset: 16, align: 16 });
}
