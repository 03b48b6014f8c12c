//! `mempcpy`: a call of the copy, and the length added to its result.
//!
//! A jump past the instruction that sets the result would be a little faster, but routines may use the result while they copy: those
//! that move find the start of the destination in it.

use super::section::Frame;
use copysmith_kernels::Line;

/// Where it starts, in bytes: processors fetch code in blocks of so many.
pub(super) const ALIGN: usize = 16;

/// Where the frame of the caller ends, above the stack pointer, while the length is kept on the stack. On entry the stack pointer is
/// 8 beyond a multiple of 16, so that with the length it is as every callee may expect it.
pub(super) const FRAMES: [Frame; 2] = [Frame { from: 1, bytes: 16 }, Frame { from: 7, bytes: 8 }];

/// The function, which stands at offset `at` from the copy called `body`.
pub(super) fn lines(at: usize, body: &str) -> Vec<Line> {
    let called = at + 1 + 5;
    let distance = -i32::try_from(called).expect("no routine has two gigabytes of code");
    let call = [&[0xe8][..], &distance.to_le_bytes()].concat();
    let instructions = [
        (vec![0x52], "push rdx".to_owned()),
        (call, format!("call {body}")),
        (vec![0x5a], "pop rdx".to_owned()),
        (vec![0x48, 0x01, 0xd0], "add rax, rdx".to_owned()),
        (vec![0xc3], "ret".to_owned()),
    ];
    let mut offset = 0;
    let line = |(bytes, text): (Vec<u8>, String)| {
        let line = Line { offset, bytes, text };
        offset += line.bytes.len();
        line
    };
    instructions.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use copysmith_kernels::{Code, Target, X86_64};

    #[test]
    fn the_lines_are_what_a_disassembler_reads_and_the_call_ends_at_the_start_of_the_copy() {
        for at in [16, 128, 4096] {
            let mut bytes = vec![0x90; at];
            let lines = lines(at, "memcpy");
            bytes.extend(lines.iter().flat_map(|line| &line.bytes));
            let read = X86_64.listing(&Code { bytes, align: 64, switches: Vec::new() });
            let read: Vec<(usize, &str)> =
                read.iter().filter(|line| line.offset >= at).map(|line| (line.offset - at, &*line.text)).collect();
            let mut written: Vec<(usize, &str)> = lines.iter().map(|line| (line.offset, &*line.text)).collect();
            assert_eq!(written[1].1, "call memcpy");
            written[1].1 = "call 0";
            assert_eq!(read, written);
        }
    }

    #[test]
    fn the_frame_grows_with_the_push_and_shrinks_with_the_pop() {
        let lines = lines(64, "memcpy");
        let behind =
            |text: &str| lines.iter().find(|line| line.text == text).map(|line| line.offset + line.bytes.len());
        assert_eq!(FRAMES.map(|frame| Some(frame.from)), [behind("push rdx"), behind("pop rdx")]);
    }
}
