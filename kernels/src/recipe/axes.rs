//! The axes of the search space that have a text of their own. Every one is a small closed type: what cannot be said
//! cannot be searched.

use super::error::RecipeError;
use crate::plan::{Direction, Hint, Locality};
use std::fmt;
use std::str::FromStr;

/// Gives a closed set of words: a constant with all values in the order of the list, `Display` and `FromStr`.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $axis:literal { $($(#[$vdoc:meta])* $value:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$vdoc])* $value),+ }

        impl $name {
            /// Every value, in the order in which they are printed in error messages.
            pub const ALL: &'static [$name] = &[$($name::$value),+];
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $($name::$value => $text),+ })
            }
        }

        impl FromStr for $name {
            type Err = RecipeError;
            fn from_str(text: &str) -> Result<$name, RecipeError> {
                match text {
                    $($text => Ok($name::$value),)+
                    other => Err(RecipeError::value($axis, other, concat!("one of", $(" ", $text),+))),
                }
            }
        }
    };
}

words! {
    /// How the bytes left over after whole blocks are copied.
    Tail, "tail" {
        /// The last block again, ending at the last byte: no branch, at least one block must be there.
        Block = "block",
        /// Single moves while more than one is left, then one move ending at the last byte.
        Overlap = "overlap",
        /// One test for each power of two below the block, largest first.
        Ladder = "ladder",
        /// A loop of single bytes.
        Bytes = "bytes",
        /// A string move of bytes.
        String = "string",
        /// Whole moves, then one masked move (AVX-512, POWER9).
        Mask = "mask",
        /// The last block, loaded before everything else and stored after the loop: no branch, at least one block must be there.
        Early = "early",
        /// As a ladder, of which each test looks at a bit that one move put into the condition register (PowerPC).
        Bits = "bits",
    }
}

impl Tail {
    /// Those that an x86 processor has instructions for.
    pub const X86: [Tail; 7] =
        [Tail::Block, Tail::Overlap, Tail::Ladder, Tail::Bytes, Tail::String, Tail::Mask, Tail::Early];
}

words! {
    /// How the bytes before the first aligned one are copied.
    Head, "head" {
        /// One unaligned stretch of the alignment's length; the aligned loop copies part of it again.
        Overlap = "overlap",
        /// A loop of single bytes.
        Bytes = "bytes",
        /// A string move of bytes.
        String = "string",
        /// One masked move (AVX-512, POWER9).
        Mask = "mask",
        /// One unaligned stretch of the alignment's length, loaded before the loop and stored at the very end.
        Early = "early",
    }
}

words! {
    /// Which of the two memory operands is meant.
    Side, "side" {
        /// The destination.
        Dst = "dst",
        /// The source.
        Src = "src",
        /// Both.
        Both = "both",
    }
}

words! {
    /// How a loop keeps its place.
    Form, "form" {
        /// Both pointers advance.
        Bump = "bump",
        /// Both pointers name the end and one negative index rises to zero.
        Index = "index",
        /// Both pointers advance, and the turns that are left are counted down (PowerPC: in the counter).
        Count = "count",
        /// Counted, and the last load and the last store of each group move their pointer on (PowerPC: update forms).
        Update = "update",
    }
}

impl Form {
    /// Those that an x86 processor has instructions for.
    pub const X86: [Form; 2] = [Form::Bump, Form::Index];
}

words! {
    /// How a loop loads from a source that is not aligned as the destination is.
    Source, "source" {
        /// As from any other: the processor does it.
        Hardware = "hardware",
        /// Aligned, and each two values that follow each other are merged into one (PowerPC).
        Merge = "merge",
    }
}

words! {
    /// What brings a line near.
    Fetch, "prefetch" {
        /// `prefetcht0`
        T0 = "t0",
        /// `prefetcht1`
        T1 = "t1",
        /// `prefetcht2`
        T2 = "t2",
        /// `prefetchnta`
        Nta = "nta",
        /// `prefetchw`
        Write = "w",
        /// A plain load of one byte.
        Touch = "touch",
        /// A plain load of one byte for each line of a whole block before the block is copied.
        Block = "block",
    }
}

words! {
    /// What a prefetch does near the end of the span.
    Beyond, "prefetch end" {
        /// Nothing outside the source and destination is named.
        Clamp = "clamp",
        /// Lines past the end are named too.
        Overrun = "overrun",
    }
}

words! {
    /// What a chain of compares ends in for the shortest lengths.
    Bottom, "bottom" {
        /// Overlapping pairs down to single bytes.
        Pairs = "pairs",
        /// For 1 to 3 bytes: the first, the middle and the last byte, which may coincide.
        Three = "three",
    }
}

words! {
    /// Which of the moves of a short shape is stored last: where a reload soon after finds its bytes in one store.
    Last, "last" {
        /// The moves at the end.
        Tail = "tail",
        /// The moves at the start.
        Head = "head",
    }
}

impl Fetch {
    /// The cache a prefetch instruction aims at; `None` for plain loads.
    pub const fn locality(self) -> Option<Locality> {
        match self {
            Fetch::T0 => Some(Locality::T0),
            Fetch::T1 => Some(Locality::T1),
            Fetch::T2 => Some(Locality::T2),
            Fetch::Nta => Some(Locality::Nta),
            Fetch::Write => Some(Locality::Write),
            Fetch::Touch | Fetch::Block => None,
        }
    }
}

/// In which order a block's loads and stores come. Its text is `pairs`, `group:K` or `ahead`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// So many loads, then as many stores; 1 is load-store pairs. Divides the unroll factor.
    Group(u8),
    /// The load of each move comes before the store of the move before it.
    Ahead,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Order::Group(1) => f.write_str("pairs"),
            Order::Group(moves) => write!(f, "group:{moves}"),
            Order::Ahead => f.write_str("ahead"),
        }
    }
}

impl FromStr for Order {
    type Err = RecipeError;

    fn from_str(text: &str) -> Result<Order, RecipeError> {
        let group = |count: &str| count.parse().ok().filter(|count| (2..=16).contains(count)).map(Order::Group);
        match text {
            "pairs" => Some(Order::Group(1)),
            "ahead" => Some(Order::Ahead),
            _ => text.strip_prefix("group:").and_then(group),
        }
        .ok_or_else(|| RecipeError::value("order", text, "pairs, ahead or group:K with K from 2 to 16"))
    }
}

/// Alignment of one operand before the loop. Its text is `none` or `SIDE:BYTES:HEAD`, as `dst:32:overlap`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Align {
    /// Which operand; never [`Side::Both`].
    pub side: Side,
    /// To a multiple of how many bytes: 4, 8, 16, 32 or 64; the destination also 128.
    pub to: u8,
    /// How the bytes before it are copied.
    pub head: Head,
}

impl Align {
    pub(super) const ALLOWED: &'static str = "none or SIDE:BYTES:HEAD with SIDE dst or src, BYTES 4, 8, 16, 32 or 64 (dst also 128), HEAD overlap, bytes, string, mask or early";

    pub(super) const fn is_allowed(self) -> bool {
        match self.side {
            Side::Dst => matches!(self.to, 4 | 8 | 16 | 32 | 64 | 128),
            Side::Src => matches!(self.to, 4 | 8 | 16 | 32 | 64),
            Side::Both => false,
        }
    }
}

impl fmt::Display for Align {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.side, self.to, self.head)
    }
}

impl FromStr for Align {
    type Err = RecipeError;

    fn from_str(text: &str) -> Result<Align, RecipeError> {
        let wrong = || RecipeError::value("align", text, Align::ALLOWED);
        let mut parts = text.split(':');
        let (Some(side), Some(to), Some(head), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
            return Err(wrong());
        };
        let side = side.parse().map_err(|_| wrong())?;
        let to = to.parse().map_err(|_| wrong())?;
        let head = head.parse().map_err(|_| wrong())?;
        Some(Align { side, to, head }).filter(|align| align.is_allowed()).ok_or_else(wrong)
    }
}

/// Software prefetch. Its text is `none` or `KIND:SIDE:BYTES:END`, as `t0:src:512:clamp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Prefetch {
    /// By which instruction.
    pub fetch: Fetch,
    /// Of which operand.
    pub side: Side,
    /// How far ahead in bytes (up to 4096, a multiple of the line); for [`Fetch::Block`] the block size (1024 to 65536, a multiple of 1024).
    pub distance: u32,
    /// What happens near the end.
    pub beyond: Beyond,
}

impl Prefetch {
    pub(super) const ALLOWED: &'static str = "none or KIND:SIDE:BYTES:END with KIND t0, t1, t2, nta, w, touch or block, SIDE src, dst or both, BYTES a multiple \
         of the line up to 4096 (block: of 1024 from 1024 to 65536), END clamp or overrun (touch and block: clamp)";

    pub(super) const fn is_allowed(self) -> bool {
        let (unit, most) = if matches!(self.fetch, Fetch::Block) { (1024, 65536) } else { (32, 4096) };
        let loads = matches!(self.fetch, Fetch::Touch | Fetch::Block);
        self.distance > 0
            && self.distance.is_multiple_of(unit)
            && self.distance <= most
            && !(loads && matches!(self.beyond, Beyond::Overrun))
    }
}

impl fmt::Display for Prefetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}:{}", self.fetch, self.side, self.distance, self.beyond)
    }
}

impl FromStr for Prefetch {
    type Err = RecipeError;

    fn from_str(text: &str) -> Result<Prefetch, RecipeError> {
        let wrong = || RecipeError::value("prefetch", text, Prefetch::ALLOWED);
        let mut parts = text.split(':');
        let (Some(fetch), Some(side), Some(distance), Some(beyond), None) =
            (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(wrong());
        };
        let fetch = fetch.parse().map_err(|_| wrong())?;
        let side = side.parse().map_err(|_| wrong())?;
        let distance: u32 = distance.parse().map_err(|_| wrong())?;
        let beyond = beyond.parse().map_err(|_| wrong())?;
        Some(Prefetch { fetch, side, distance, beyond }).filter(|prefetch| prefetch.is_allowed()).ok_or_else(wrong)
    }
}

/// How the destination is written. Its text is `plain`, `nt`, `nt:2` or `nt:4` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stores {
    /// Whether the stores bypass the caches.
    pub non_temporal: bool,
    /// How many pages are written in turn: 1, 2 or 4.
    pub streams: u8,
}

impl Stores {
    /// One stream of ordinary stores.
    pub const PLAIN: Stores = Stores { non_temporal: false, streams: 1 };

    /// The hint each store carries.
    pub const fn hint(self) -> Hint {
        if self.non_temporal { Hint::NonTemporal } else { Hint::Plain }
    }
}

impl fmt::Display for Stores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.non_temporal { "nt" } else { "plain" })?;
        if self.streams > 1 { write!(f, ":{}", self.streams) } else { Ok(()) }
    }
}

impl FromStr for Stores {
    type Err = RecipeError;

    fn from_str(text: &str) -> Result<Stores, RecipeError> {
        let (kind, streams) = match text.split_once(':') {
            Some((kind, "2")) => (kind, Some(2)),
            Some((kind, "4")) => (kind, Some(4)),
            Some((kind, _)) => (kind, None),
            None => (text, Some(1)),
        };
        match (kind, streams) {
            ("plain", Some(streams)) => Ok(Stores { non_temporal: false, streams }),
            ("nt", Some(streams)) => Ok(Stores { non_temporal: true, streams }),
            _ => Err(RecipeError::value("stores", text, "plain or nt, with :2 or :4 for interleaved streams")),
        }
    }
}

/// Parses a walking direction.
pub(super) fn direction(text: &str) -> Result<Direction, RecipeError> {
    match text {
        "forward" => Ok(Direction::Forward),
        "backward" => Ok(Direction::Backward),
        other => Err(RecipeError::value("direction", other, "forward or backward")),
    }
}
