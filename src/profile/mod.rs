//! Profiles: the copies that a real program makes, in order.
//!
//! ```text
//! recorder (a program under a preloaded library) ──┐
//! import (a list of sizes, or of calls) ───────────┼──> Profile ──> sample, merge, halves ──> text
//! shipped (inside the command) ────────────────────┘       └──────> Summary ──> plot
//! ```
//!
//! A program's branches are partly predictable, so a histogram of its lengths, or lengths drawn from one, cannot say which
//! routine is best for it: the order is kept, in long stretches, and the counts of everything besides.
//!
//! # What a recording cannot see
//!
//! A preloaded library sees the calls that go through the program's dynamic symbol table. It sees no copy that a compiler
//! inlined (most of those whose length is constant and short), none that libc makes inside itself (stdio, realloc, qsort),
//! none in a program that is linked statically, and none in one that changes user when it starts: the loader preloads
//! nothing there.
//!
//! Two kinds of programs notice the recorder. One of 32 bits has the loader complain that the library is not for it. One that
//! forbids itself system calls (seccomp) may be ended by the recorder's, of which there are a few in every 1,024 calls.
//!
//! # The format
//!
//! Text, in lines that end in a line feed; gzip around it is recognized by its first bytes. The first line is a [`Header`]
//! as JSON, `{"copysmith_profile":1,...}`. Then come its stretches, each of them a line
//!
//! ```text
//! stretch THREAD FROM CALLS
//! ```
//!
//! and a line for each of its `CALLS` calls:
//!
//! ```text
//! LETTER LENGTH DST SRC [DISTANCE] [@CALLER]
//! c 24 3856 1400 +2456 @3
//! ```
//!
//! - `LETTER`: `c` memcpy, `m` memmove, `p` mempcpy; in upper case, its `__*_chk` form.
//! - `LENGTH`: bytes. `DST`, `SRC`: addresses modulo 4096.
//! - `DISTANCE`: dst - src, with its sign, where it is below the header's `distances_below`.
//! - `CALLER`: index into the header's `callers`.
//!
//! Numbers are decimal. A reader takes only what holds together: counts that add up, offsets that agree with the distance, as
//! many stretches and calls as were promised.

mod call;
mod counts;
mod error;
mod header;
mod import;
#[path = "shim/layout.rs"]
mod layout;
mod merge;
mod plot;
mod read;
pub mod recorder;
mod sample;
mod shipped;
mod summary;
mod text;

pub use call::{Call, Form, Function, PAGE_BYTES, Stretch};
pub use counts::{Counts, LengthCount};
pub use error::{ParseError, ReadError};
pub use header::{Header, SCHEMA};
pub use import::import;
pub use merge::merge;
pub use plot::plot;
pub use read::{MOST_BYTES, MOST_CALLS, packed};
pub use sample::Extent;
pub use shipped::{Shipped, by_name, shipped};
pub use summary::{Bin, Summary};

/// The copies of a program: counts of all, and stretches of them in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    header: Header,
    stretches: Vec<Stretch>,
}

impl Profile {
    /// A profile of these stretches; the header's number of them is set.
    ///
    /// # Errors
    /// What is wrong with the header or a call, in words.
    pub fn new(mut header: Header, stretches: Vec<Stretch>) -> Result<Profile, String> {
        header.stretches = stretches.len() as u64;
        header.check()?;
        let profile = Profile { header, stretches };
        for call in profile.calls() {
            text::check(call, &profile.header)?;
        }
        let (kept, all) = (profile.calls().count() as u64, profile.header.calls);
        if kept > all {
            return Err(format!("{kept} calls are in stretches, and the header has {all} in all"));
        }
        Ok(profile)
    }

    /// Where it comes from, and exact counts.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The stretches, in the order in which they began.
    pub fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// Every call that is kept in order.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.stretches.iter().flat_map(|stretch| stretch.calls())
    }

    /// The first and the second half of the calls, in order: one to tune on, one to score on. The stretch in the middle is
    /// divided; each half counts only its own calls.
    pub fn halves(&self) -> (Profile, Profile) {
        let mut left = self.calls().count() / 2;
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for stretch in &self.stretches {
            let cut = left.min(stretch.calls.len());
            left -= cut;
            let (head, tail) = stretch.calls.split_at(cut);
            if !head.is_empty() {
                first.push(Stretch { calls: head.to_vec(), ..*stretch });
            }
            if !tail.is_empty() {
                second.push(Stretch { calls: tail.to_vec(), from: stretch.from + cut as u64, ..*stretch });
            }
        }
        (self.part("first half", first), self.part("second half", second))
    }

    /// Some of the calls, counted anew.
    fn part(&self, which: &str, stretches: Vec<Stretch>) -> Profile {
        let mut header = Header { name: format!("{}, {which}", self.header.name), ..self.header.clone() };
        header.set(&Counts::of(stretches.iter().flat_map(|stretch| stretch.calls())));
        header.stretches = stretches.len() as u64;
        Profile { header, stretches }
    }

    /// The same without callers.
    pub fn without_callers(mut self) -> Profile {
        self.header.callers.clear();
        self.stretches.iter_mut().flat_map(|stretch| &mut stretch.calls).for_each(|call| call.caller = None);
        self
    }

    /// The same with distances only where they are below `limit` bytes in either direction, or the regions overlap.
    pub fn near(mut self, limit: u64) -> Profile {
        self.header.distances_below = self.header.distances_below.min(limit);
        for call in self.stretches.iter_mut().flat_map(|stretch| &mut stretch.calls) {
            let is_near = call.distance.is_some_and(|distance| distance.unsigned_abs() < limit);
            if !is_near && !call.overlaps() {
                call.distance = None;
            }
        }
        self
    }

    /// The same under another name.
    ///
    /// # Errors
    /// What is wrong with the name, in words.
    pub fn named(mut self, name: &str) -> Result<Profile, String> {
        name.clone_into(&mut self.header.name);
        self.header.check()?;
        Ok(self)
    }
}

#[cfg(test)]
mod tests;
