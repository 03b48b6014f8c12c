//! What a loop loads before it stores anything, and stores when it is done.
//!
//! ```text
//! forward                                     backward
//! |-head-|---blocks---|                            |---blocks---|-head-|
//!             |-tail--|                            |-tail--|
//! ```
//!
//! Both are values above those that the loop itself uses. The head is at the end where the walk starts, so its place is the one thing to
//! remember: forward that is the result, backward [`END`]. The tail's place is known from where the walk stops, or is the result.

use super::ops::{Walk, load, store, sum};
use crate::plan::{Addr, Direction, Op, Reg};
use crate::recipe::Loop;

/// Where the destination ends, in a backward loop with an early head.
const END: Reg = Reg::SPARE[0];

/// Loads the tail. The cursors name the start.
pub(super) fn load_tail(ops: &mut Vec<Op>, axes: &Loop) {
    let [_, count] = axes.early();
    let bytes = axes.width.bytes() as i32;
    for number in 0..count {
        let ahead = i32::from(number) * bytes;
        let from = match axes.direction {
            Direction::Forward => Addr::indexed(Reg::SRC, Reg::N, ahead - i32::from(count) * bytes),
            Direction::Backward => Addr::at(Reg::SRC, ahead),
        };
        ops.push(load(tail_val(axes, number), axes.width, from));
    }
}

/// Loads the head. The cursors name where the walk starts.
pub(super) fn load_head(ops: &mut Vec<Op>, axes: &Loop) {
    let [count, _] = axes.early();
    let bytes = axes.width.bytes();
    for number in 0..count {
        let from = Walk(axes.direction).at(Reg::SRC, i32::from(number) * bytes as i32, bytes);
        ops.push(load(head_val(axes, number), axes.width, from));
    }
    if count > 0 && axes.direction == Direction::Backward {
        ops.push(sum(END, Reg::DST, 0));
    }
}

/// Stores the tail. [`Reg::N`] bytes are left at the cursors, at most a block.
pub(super) fn store_tail(ops: &mut Vec<Op>, axes: &Loop) {
    let [_, count] = axes.early();
    let bytes = axes.width.bytes() as i32;
    for number in 0..count {
        let ahead = i32::from(number) * bytes;
        let to = match axes.direction {
            Direction::Forward => Addr::indexed(Reg::DST, Reg::N, ahead - i32::from(count) * bytes),
            Direction::Backward => Addr::at(Reg::RETURN, ahead),
        };
        ops.push(store(tail_val(axes, number), axes.width, to));
    }
}

/// Stores the head, last of all: everything has been loaded by now, so where head and tail overlap, both store the same.
pub(super) fn store_head(ops: &mut Vec<Op>, axes: &Loop) {
    let [count, _] = axes.early();
    let bytes = axes.width.bytes();
    let start = if axes.direction == Direction::Forward { Reg::RETURN } else { END };
    for number in 0..count {
        let to = Walk(axes.direction).at(start, i32::from(number) * bytes as i32, bytes);
        ops.push(store(head_val(axes, number), axes.width, to));
    }
}

fn tail_val(axes: &Loop, number: u8) -> u8 {
    axes.under_way() as u8 + number
}

fn head_val(axes: &Loop, number: u8) -> u8 {
    let [_, tail] = axes.early();
    tail_val(axes, tail) + number
}
