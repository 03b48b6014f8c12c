//! What is timed: which lengths, where the buffers lie, whether they are in the cache, and whether the copy is read.

use super::driver::ReadBack;
use super::lengths::Lengths;
use super::recording::{FEWEST_RECORDED, Recording};
use copysmith_kernels::Span;
use std::fmt;

/// One kind of use of a copy routine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    /// How much each call copies.
    pub lengths: Lengths,
    /// Where destination and source lie to each other and to cache lines.
    pub placements: Placements,
    /// Whether the bytes are in the cache before the copy.
    pub temperature: Temperature,
    /// What is read of the copy before the next one.
    pub read_back: ReadBack,
    /// `dst - src` in bytes, where both lie in one buffer, as memmove allows; [`Workload::placements`] then says where the source
    /// starts. Such copies are hot. Whoever races must be right for them.
    pub overlap: Option<i32>,
}

/// Whether the bytes are in a cache before they are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Temperature {
    /// The same few pages again and again.
    Hot,
    /// Every call goes where nobody was for several times the last-level cache.
    Cold,
}

/// `(dst - src) mod 4096`: which offset it is decides by itself whether some routines are fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relative {
    /// This many bytes, below 4096.
    At(u16),
    /// Drawn anew each time.
    Random,
}

/// The placements a workload goes through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placements {
    /// The relative page offsets, each as often as the others.
    pub relative: Vec<Relative>,
    /// In how many of 4 calls both pointers are on a cache line's start as far as the relative offset allows; in the others
    /// the destination lies anywhere in its page.
    pub aligned_quarters: u8,
}

impl Default for Placements {
    /// Half at random; the others on both sides of every known trap. A destination just above its source (mod 4096) slows a
    /// forward loop down, one just below it a backward loop, so there are as many of the one kind as of the other.
    fn default() -> Placements {
        let traps = [0, 1, 16, 64, 512, 2048, 3584, 4032, 4080, 4095];
        let relative = traps.into_iter().flat_map(|offset| [Relative::At(offset), Relative::Random]).collect();
        Placements { relative, aligned_quarters: 1 }
    }
}

impl Placements {
    /// The usual ones, all at this relative page offset.
    pub fn at(offset: u16) -> Placements {
        Placements { relative: vec![Relative::At(offset)], ..Placements::default() }
    }

    /// Both operands on the start of a cache line, and of a page in the same place.
    pub fn on_line_starts() -> Placements {
        Placements { relative: vec![Relative::At(0)], aligned_quarters: 4 }
    }
}

/// The longest single copy, in bytes: offsets in a buffer are 32 bits.
pub const LONGEST: usize = 1 << 30;

impl Workload {
    /// Hot copies of these lengths with the usual placements, not read back.
    pub fn hot(lengths: Lengths) -> Workload {
        Workload {
            lengths,
            placements: Placements::default(),
            temperature: Temperature::Hot,
            read_back: ReadBack::None,
            overlap: None,
        }
    }

    /// The same, cold.
    pub fn cold(lengths: Lengths) -> Workload {
        Workload { temperature: Temperature::Cold, ..Workload::hot(lengths) }
    }

    /// The calls of a profile replayed in order, as hot as they were: those with one page offset share a place. Their places are the
    /// recorded ones, so [`Workload::placements`] says nothing about them.
    pub fn replay(recording: Recording) -> Workload {
        Workload::hot(Lengths::Recorded(recording))
    }

    /// The same copies, read back.
    pub fn read_back(self, read_back: ReadBack) -> Workload {
        Workload { read_back, ..self }
    }

    /// The workload, with its placements only where they are all of one kind: `17..=32 hot, read back at the ends`.
    pub fn in_short(&self) -> String {
        Brief(self).to_string()
    }

    /// Hot moves of these lengths within one buffer, from `distance` bytes before the destination (behind it, if negative).
    pub fn overlapping(lengths: Lengths, distance: i32) -> Workload {
        Workload { overlap: Some(distance), ..Workload::hot(lengths) }
    }

    /// Whether it can be timed at all.
    ///
    /// # Errors
    /// [`WorkloadError`] names what is out of bounds.
    pub fn check(&self) -> Result<(), WorkloadError> {
        if let Lengths::Span(span) = self.lengths
            && span.is_open()
        {
            return Err(WorkloadError::Open(span));
        }
        if let Lengths::Recorded(recording) = &self.lengths
            && recording.calls() < FEWEST_RECORDED
        {
            return Err(WorkloadError::Few { name: recording.name().to_owned(), calls: recording.calls() });
        }
        if self.lengths.last() > LONGEST {
            return Err(WorkloadError::Long(self.lengths.last()));
        }
        if let Some(distance) = self.overlap {
            let recorded = matches!(self.lengths, Lengths::Recorded(_));
            if recorded || self.temperature == Temperature::Cold || distance.unsigned_abs() as usize > LONGEST {
                return Err(WorkloadError::Overlap(distance));
            }
        }
        let outside = |relative: &Relative| matches!(relative, Relative::At(4096..));
        if self.placements.relative.is_empty() || self.placements.relative.iter().any(outside) {
            return Err(WorkloadError::Relative(self.placements.relative.clone()));
        }
        if self.placements.aligned_quarters > 4 {
            return Err(WorkloadError::Quarters(self.placements.aligned_quarters));
        }
        Ok(())
    }
}

/// Why a workload cannot be timed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkloadError {
    /// The span has no last length.
    Open(Span),
    /// A length is above [`LONGEST`].
    Long(usize),
    /// There are fewer than [`FEWEST_RECORDED`] calls to replay.
    Few {
        /// The recording's name.
        name: String,
        /// How many it has.
        calls: usize,
    },
    /// Regions at this distance are to overlap, and are cold, recorded, or further apart than [`LONGEST`].
    Overlap(i32),
    /// There is no relative offset, or one is not below 4096.
    Relative(Vec<Relative>),
    /// More than 4 of 4 calls are to be aligned.
    Quarters(u8),
}

impl fmt::Display for WorkloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorkloadError::Open(span) => write!(f, "span {span} is open; time it up to some last length"),
            WorkloadError::Long(n) => write!(f, "length {n} is too large to time; at most {LONGEST} bytes are"),
            WorkloadError::Few { name, calls } => {
                write!(f, "{name} has {calls} calls in order, too few to time; at least {FEWEST_RECORDED} are needed")
            }
            WorkloadError::Overlap(distance) => {
                write!(
                    f,
                    "moves by {distance} bytes cannot be timed; hot ones of drawn lengths by at most {LONGEST} can"
                )
            }
            WorkloadError::Relative(offsets) => {
                write!(f, "relative page offsets {offsets:?} are not allowed; at least one, each below 4096, is")
            }
            WorkloadError::Quarters(quarters) => write!(f, "{quarters} of 4 calls aligned is not allowed; 0 to 4 are"),
        }
    }
}

impl std::error::Error for WorkloadError {}

impl fmt::Display for Relative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Relative::At(offset) => offset.fmt(f),
            Relative::Random => f.write_str("random"),
        }
    }
}

/// The relative offsets: `dst-src mod 4096 in {0, 1, random}`.
impl fmt::Display for Placements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut relative = self.relative.clone();
        relative.sort();
        relative.dedup();
        let offsets: Vec<String> = relative.iter().map(Relative::to_string).collect();
        write!(f, "dst-src mod 4096 in {{{}}}", offsets.join(", "))
    }
}

/// What a report says about the workload: `17..=32 hot, read back at the ends, dst-src mod 4096 in {0, 1, random}`, or
/// `sqlite3 (65536 calls in order) hot, places as recorded`.
impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.lengths, self.overlap) {
            (_, Some(distance)) => write!(f, "{}, dst-src = {distance}", Brief(self)),
            (Lengths::Recorded(_), None) => write!(f, "{}, places as recorded", Brief(self)),
            _ => write!(f, "{}, {}", Brief(self), self.placements),
        }
    }
}

/// A workload without its placements.
struct Brief<'w>(&'w Workload);

impl fmt::Display for Brief<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Brief(workload) = self;
        match &workload.lengths {
            Lengths::Fixed(n) => n.fmt(f)?,
            Lengths::Span(span) => span.fmt(f)?,
            Lengths::Mix => f.write_str("mix")?,
            Lengths::Runs => f.write_str("runs")?,
            Lengths::Recorded(recording) => {
                write!(f, "{} ({} calls in order", recording.name(), recording.calls())?;
                match recording.shortened() {
                    0 => f.write_str(")")?,
                    calls => write!(f, ", {calls} of them shortened to {} bytes)", recording.last())?,
                }
            }
        }
        f.write_str(if workload.temperature == Temperature::Hot { " hot" } else { " cold" })?;
        f.write_str(match workload.read_back {
            ReadBack::None => "",
            ReadBack::Ends => ", read back at the ends",
            ReadBack::WideEnds => ", read back at the ends, 16 bytes each",
            ReadBack::Full => ", read back in full",
        })?;
        match workload.placements.relative[..] {
            _ if workload.placements == Placements::on_line_starts() => f.write_str(", on line starts"),
            [Relative::At(offset)] => write!(f, ", at offset {offset}"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::import;

    #[test]
    fn what_cannot_be_timed_is_refused_by_name() {
        let open = Workload::hot(Lengths::Span("5..".parse().unwrap()));
        assert_eq!(open.check(), Err(WorkloadError::Open("5..".parse().unwrap())));
        assert_eq!(Workload::hot(Lengths::Fixed(LONGEST + 1)).check(), Err(WorkloadError::Long(LONGEST + 1)));
        let mut odd = Workload::hot(Lengths::Mix);
        assert_eq!(odd.check(), Ok(()));
        odd.placements.relative = vec![Relative::At(4096)];
        assert!(odd.check().unwrap_err().to_string().contains("4096"));
        odd.placements.relative.clear();
        assert!(odd.check().is_err());
    }

    #[test]
    fn moves_within_a_buffer_are_hot_and_name_their_distance() {
        let moves = Workload::overlapping(Lengths::Fixed(64), -8);
        assert_eq!((moves.check(), moves.to_string().as_str()), (Ok(()), "64 hot, dst-src = -8"));
        let cold = Workload { temperature: Temperature::Cold, ..moves };
        assert_eq!(cold.check(), Err(WorkloadError::Overlap(-8)));
        let far = Workload::overlapping(Lengths::Fixed(64), i32::MIN);
        assert!(far.check().unwrap_err().to_string().contains("moves by -2147483648 bytes cannot be timed"));
    }

    #[test]
    fn a_replay_names_its_profile_and_what_it_leaves_out_and_needs_some_calls() {
        let lines = |lengths: [usize; 64]| lengths.map(|n| format!("0 64 {n}\n")).concat();
        let replay = |text: &str| Workload::replay(Recording::from(&import(text, "mine").unwrap()));
        let whole = replay(&lines([9; 64]));
        assert_eq!(
            (whole.check(), whole.to_string().as_str()),
            (Ok(()), "mine (64 calls in order) hot, places as recorded")
        );
        let mut lengths = [9; 64];
        lengths[5] = 1 << 21;
        let text = "mine (64 calls in order, 1 of them shortened to 1048576 bytes) hot";
        assert_eq!(replay(&lines(lengths)).in_short(), text);
        let refusal = replay("0 64 9\n").check().unwrap_err().to_string();
        assert_eq!(refusal, "mine has 1 calls in order, too few to time; at least 64 are needed");
    }

    #[test]
    fn the_text_names_every_axis() {
        let workload = Workload::cold(Lengths::Fixed(64)).read_back(ReadBack::Full);
        let text =
            "64 cold, read back in full, dst-src mod 4096 in {0, 1, 16, 64, 512, 2048, 3584, 4032, 4080, 4095, random}";
        assert_eq!(workload.to_string(), text);
    }
}
