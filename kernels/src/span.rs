//! An inclusive run of lengths, never empty: the unit a recipe is made for.

use std::fmt;
use std::str::FromStr;

/// An inclusive run of copy lengths in bytes; `first <= last` always holds.
///
/// ```
/// use copysmith_kernels::Span;
/// let span: Span = "17..=32".parse().unwrap();
/// assert!(span.contains(32) && !span.contains(33));
/// assert_eq!("1025..".parse::<Span>().unwrap().to_string(), "1025..");
/// assert!("9..=3".parse::<Span>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    first: usize,
    last: usize,
}

impl Span {
    /// Every length there is.
    pub const ALL: Span = Span { first: 0, last: usize::MAX };

    /// The lengths from `first` to `last`, both included.
    ///
    /// # Errors
    /// [`SpanError::Backward`] when `first > last`.
    pub const fn new(first: usize, last: usize) -> Result<Span, SpanError> {
        if first > last { Err(SpanError::Backward { first, last }) } else { Ok(Span { first, last }) }
    }

    /// The smallest length.
    pub const fn first(self) -> usize {
        self.first
    }

    /// The largest length; `usize::MAX` for an open span.
    pub const fn last(self) -> usize {
        self.last
    }

    /// Whether the span has no upper end.
    pub const fn is_open(self) -> bool {
        self.last == usize::MAX
    }

    /// Whether `n` is one of the lengths.
    pub const fn contains(self, n: usize) -> bool {
        self.first <= n && n <= self.last
    }

    /// Whether every length of `other` is one of this span's.
    pub const fn covers(self, other: Span) -> bool {
        self.first <= other.first && other.last <= self.last
    }
}

/// `first..=last`, or `first..` when open.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_open() { write!(f, "{}..", self.first) } else { write!(f, "{}..={}", self.first, self.last) }
    }
}

impl FromStr for Span {
    type Err = SpanError;

    fn from_str(text: &str) -> Result<Span, SpanError> {
        let malformed = || SpanError::Malformed(text.to_owned());
        let (first, last) = text.split_once("..").ok_or_else(malformed)?;
        let first = first.parse().map_err(|_| malformed())?;
        let last = match last.strip_prefix('=') {
            Some(last) => last.parse().map_err(|_| malformed())?,
            None if last.is_empty() => usize::MAX,
            None => return Err(malformed()),
        };
        Span::new(first, last)
    }
}

/// Why a text or a pair of lengths is not a [`Span`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpanError {
    /// The first length is above the last.
    Backward {
        /// The first length given.
        first: usize,
        /// The last length given.
        last: usize,
    },
    /// The text is not `first..=last` or `first..`.
    Malformed(String),
}

impl fmt::Display for SpanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpanError::Backward { first, last } => {
                write!(f, "span {first}..={last} runs backward; the first length must not be above the last")
            }
            SpanError::Malformed(text) => {
                write!(f, "'{text}' is not a span; write first..=last or first.. (lengths in bytes)")
            }
        }
    }
}

impl std::error::Error for SpanError {}
