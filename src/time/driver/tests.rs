use super::*;
use crate::run::{Arena, Entry, Piece};
use crate::time::libc_memcpy;
use proptest::prelude::*;

const READ_BACKS: [ReadBack; 4] = [ReadBack::None, ReadBack::Ends, ReadBack::WideEnds, ReadBack::Full];
const ROOM: usize = 10_000;

/// `mov rax, rdi; mov rcx, rdx; rep movsb; ret`
const BYTES_IN_TURN: [u8; 9] = [0x48, 0x89, 0xf8, 0x48, 0x89, 0xd1, 0xf3, 0xa4, 0xc3];
/// Adds 1 to the byte at `dst`, whatever `n` is: `mov rax, rdi; inc byte [rdi]; ret`.
const COUNTING: [u8; 6] = [0x48, 0x89, 0xf8, 0xfe, 0x07, 0xc3];
/// Destroys every register a function may, then returns.
const CLOBBERING: &[u8] = &[
    0x48, 0x31, 0xc0, 0x48, 0x31, 0xc9, 0x48, 0x31, 0xd2, 0x48, 0x31, 0xf6, 0x48, 0x31, 0xff, 0x4d, 0x31, 0xc0, 0x4d,
    0x31, 0xc9, 0x4d, 0x31, 0xd2, 0x4d, 0x31, 0xdb, 0xc3,
];

fn drive(read_back: ReadBack, target: &[u8], calls: &[Call], dst: &mut [u8], src: &[u8]) {
    let code = emit(read_back, Entered::ByJump);
    let target = Piece { bytes: target, align: 64, offset: 0 };
    let arena = Arena::new(&[Piece::from(&code), target]).unwrap();
    drive_at(arena.entry(0).unwrap(), arena.entry(1).unwrap(), calls, dst, src);
}

fn drive_at(driver: Entry, target: Entry, calls: &[Call], dst: &mut [u8], src: &[u8]) {
    let inside = |call: &Call| (call.dst.max(call.src) + call.n.max(1)) as usize <= dst.len().min(src.len());
    assert!(calls.iter().all(inside));
    // SAFETY: the code is a call loop, every call stays inside both buffers, the targets above need no special CPU.
    unsafe { Driver::at(driver).run(calls, target, dst.as_mut_ptr(), src.as_ptr()) };
}

fn any_calls() -> impl Strategy<Value = Vec<Call>> {
    let call = (0..4096_u32, 0..4096_u32, prop_oneof![0..40_u32, 0..5000_u32]);
    proptest::collection::vec(call.prop_map(|(dst, src, n)| Call { dst, src, n }), 0..20)
}

proptest! {
    #[test]
    fn every_call_is_made_once_and_in_order(calls in any_calls()) {
        let src: Vec<u8> = (0..ROOM).map(|at| (at % 251) as u8).collect();
        let mut expected = vec![0xa5; ROOM];
        for call in &calls {
            let (to, from, n) = (call.dst as usize, call.src as usize, call.n as usize);
            expected[to..to + n].copy_from_slice(&src[from..from + n]);
        }
        for read_back in READ_BACKS {
            let mut dst = vec![0xa5; ROOM];
            drive(read_back, &BYTES_IN_TURN, &calls, &mut dst, &src);
            prop_assert!(dst == expected, "rep movsb, {read_back:?}");
            let code = emit(read_back, Entered::Directly);
            let arena = Arena::new(&[Piece::from(&code)]).unwrap();
            let mut dst = vec![0xa5; ROOM];
            drive_at(arena.entry(0).unwrap(), libc_memcpy(), &calls, &mut dst, &src);
            prop_assert!(dst == expected, "memcpy, {read_back:?}");
        }
    }
}

#[test]
fn the_target_is_called_once_a_call_even_where_nothing_is_copied() {
    let calls: Vec<Call> = (0..1000).map(|at| Call { dst: at % 7, src: 0, n: 0 }).collect();
    for read_back in READ_BACKS {
        let mut counts = [0; 8];
        drive(read_back, &COUNTING, &calls, &mut counts, &[0; 8]);
        assert_eq!(counts, [143, 143, 143, 143, 143, 143, 142, 0]);
    }
}

#[test]
fn a_target_may_destroy_every_register_that_is_not_its_callers() {
    for read_back in READ_BACKS {
        drive(read_back, CLOBBERING, &[Call { dst: 1, src: 2, n: 30 }; 100], &mut [0; 64], &[0; 64]);
    }
}

#[test]
fn the_null_routine_copies_nothing() {
    let mut dst = [7; 64];
    drive(ReadBack::Full, &emit_null().bytes, &[Call { dst: 0, src: 0, n: 64 }; 10], &mut dst, &[1; 64]);
    assert_eq!(dst, [7; 64]);
}

/// A guard page on either side would fault if read-back left the copied bytes.
#[test]
fn read_back_touches_only_what_was_copied() {
    let mut dst = crate::run::Guarded::new(4096).unwrap();
    let end = dst.len() as u32;
    let src = vec![0; dst.len()];
    let calls: Vec<Call> =
        (1..300).flat_map(|n| [Call { dst: 0, src: 0, n }, Call { dst: end - n, src: 0, n }]).collect();
    let empty = Call { dst: 0, src: 0, n: 0 };
    let calls = [vec![empty], calls].concat();
    for read_back in READ_BACKS {
        drive(read_back, &BYTES_IN_TURN, &calls, dst.bytes_mut(), &src);
    }
}

#[test]
fn the_loop_head_starts_a_cache_line_in_every_variant() {
    for read_back in READ_BACKS {
        let code = emit(read_back, Entered::ByJump);
        assert_eq!(code.align, 64);
        // The back edge is the last jump.
        let head = jump_targets(&code.bytes).into_iter().max_by_key(|&(from, _)| from).unwrap().1;
        assert_eq!(head % 64, 0, "{read_back:?}");
        assert_eq!(code.bytes[head..head + 2], [0x8b, 0x3b], "the loop starts with mov edi, [rbx]");
    }
}

/// Where each jump is, and where it goes.
fn jump_targets(bytes: &[u8]) -> Vec<(usize, usize)> {
    use iced_x86::{Decoder, DecoderOptions, FlowControl};
    Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE)
        .into_iter()
        .filter(|instruction| {
            matches!(instruction.flow_control(), FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch)
        })
        .map(|jump| (jump.ip() as usize, jump.near_branch_target() as usize))
        .collect()
}
