//! A list of spans on the command line: `0..=32,33..=256,257..`.

use copysmith::tune::check_spans;
use copysmith_kernels::{Span, SpanError};
use std::fmt;

/// Spans in order, none overlapping another, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spans(Vec<Span>);

impl Spans {
    /// Spans that may leave lengths out.
    ///
    /// # Errors
    /// [`SpansError`]
    pub fn apart(text: &str) -> Result<Spans, SpansError> {
        let spans: Vec<Span> =
            text.split(',').map(|span| span.trim().parse()).collect::<Result<_, _>>().map_err(SpansError::Span)?;
        match spans.windows(2).find(|pair| pair[1].first() <= pair[0].last()) {
            Some(pair) => Err(SpansError::Order { before: pair[0], span: pair[1] }),
            None => Ok(Spans(spans)),
        }
    }

    /// Spans that leave no length out.
    ///
    /// # Errors
    /// [`SpansError`]
    pub fn whole(text: &str) -> Result<Spans, SpansError> {
        let spans = Spans::apart(text)?;
        let mut next = Some(0);
        for span in &spans.0 {
            match next {
                Some(first) if first < span.first() => return Err(SpansError::gap(first, span.first() - 1)),
                _ => next = span.last().checked_add(1),
            }
        }
        match next {
            Some(first) => Err(SpansError::gap(first, usize::MAX)),
            None => check_spans(&spans.0).map(|()| spans).map_err(SpansError::Tune),
        }
    }

    /// The spans.
    pub fn as_slice(&self) -> &[Span] {
        &self.0
    }
}

/// Why a text is no such list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpansError {
    /// One of them is no span.
    Span(SpanError),
    /// One does not lie after the one before it.
    Order {
        /// The one before.
        before: Span,
        /// The one that does not.
        span: Span,
    },
    /// Lengths are left out.
    Gap(Span),
    /// A tune cannot have them: why.
    Tune(String),
}

impl SpansError {
    fn gap(first: usize, last: usize) -> SpansError {
        Span::new(first, last).map_or_else(SpansError::Span, SpansError::Gap)
    }
}

impl fmt::Display for SpansError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpansError::Span(error) => error.fmt(f),
            SpansError::Order { before, span } => {
                write!(f, "{span} must lie wholly above {before}, which stands before it")
            }
            SpansError::Gap(span) => {
                write!(f, "the lengths {span} are left out; the spans must cover 0.. without a gap")
            }
            SpansError::Tune(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for SpansError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Result<usize, String> {
        Spans::whole(text).map(|spans| spans.as_slice().len()).map_err(|error| error.to_string())
    }

    #[test]
    fn lists_without_a_gap_are_taken_whole() {
        assert_eq!(whole("0.."), Ok(1));
        assert_eq!(whole("0..=32, 33..=256,257.."), Ok(3));
        assert_eq!(whole(&format!("0..=0,1..={}", usize::MAX)), Ok(2));
    }

    #[test]
    fn every_gap_is_named_at_the_start_in_the_middle_and_at_the_end() {
        for (text, gap) in
            [("1..", "0..=0"), ("0..=32,34..", "33..=33"), ("0..=32,40..=50", "33..=39"), ("0..=7", "8..")]
        {
            let error = whole(text).unwrap_err();
            assert!(error.starts_with(&format!("the lengths {gap} are left out")), "{text}: {error}");
        }
    }

    #[test]
    fn overlaps_disorder_and_what_is_no_span_are_refused_by_name() {
        for text in ["0..=32,32..", "0..,5..=6", "33..,0..=32"] {
            assert!(whole(text).unwrap_err().contains("must lie wholly above"), "{text}");
        }
        for text in ["", "0..=32,", "0-32", "9..=3"] {
            assert!(matches!(Spans::apart(text), Err(SpansError::Span(_))), "{text}");
        }
    }

    #[test]
    fn lengths_may_be_left_out_where_that_is_allowed() {
        assert_eq!(Spans::apart("1..=3,9..=9").unwrap().as_slice().len(), 2);
    }
}
