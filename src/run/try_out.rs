//! The battery in a forked child: a verdict on code that may do anything.

use super::battery::{Avx, Coverage, Depth, Input, Rejection, Subject, check};
use super::isolate::{Outcome, Signal, isolate};
use super::memory::{Arena, MapError, Piece};
use super::watch::{Moment, Watch};
use copysmith_kernels::recipe::Operation;
use copysmith_kernels::{Code, Span};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::time::Duration;

mod last_words;
mod storm;

/// What became of a candidate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Verdict {
    /// No fault was found.
    Passed(Coverage),
    /// A call did something wrong and returned.
    Rejected(Rejection),
    /// A call was ended by a signal.
    Signal {
        /// Which.
        signal: Signal,
        /// The call; `None` if it happened before the first.
        input: Option<Input>,
        /// The access beside a buffer that did it, if that is what it was.
        touched: Option<Touch>,
    },
    /// A call did not return in time.
    TimedOut {
        /// The time the whole battery had.
        limit: Duration,
        /// The call; `None` if it happened before the first.
        input: Option<Input>,
    },
    /// A call ended the process.
    Exited {
        /// With this code.
        code: i32,
        /// The call; `None` if it happened before the first.
        input: Option<Input>,
    },
}

/// An access beside a buffer, into its guard pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Touch {
    /// So many bytes before the first byte of the destination.
    BeforeDst(usize),
    /// So many bytes after the last byte of the destination.
    AfterDst(usize),
    /// So many bytes before the first byte of the source.
    BeforeSrc(usize),
    /// So many bytes after the last byte of the source.
    AfterSrc(usize),
}

impl Touch {
    /// Which buffer a fault belongs to: the one it is close to, as close as guard pages are wide.
    fn of(moment: &Moment) -> Option<Touch> {
        const NEAR: usize = 64 << 10;
        let fault = moment.fault?;
        let beside = |start: usize| {
            let before = start.checked_sub(fault).filter(|&distance| (1..=NEAR).contains(&distance));
            let end = start + moment.input.n;
            let after = fault.checked_sub(end).map(|distance| distance + 1).filter(|&distance| distance <= NEAR);
            (before, after)
        };
        match (beside(moment.dst), beside(moment.src)) {
            ((Some(distance), _), _) => Some(Touch::BeforeDst(distance)),
            ((_, Some(distance)), _) => Some(Touch::AfterDst(distance)),
            (_, (Some(distance), _)) => Some(Touch::BeforeSrc(distance)),
            (_, (_, Some(distance))) => Some(Touch::AfterSrc(distance)),
            _ => None,
        }
    }
}

impl fmt::Display for Touch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (distance, side) = match self {
            Touch::BeforeDst(distance) => (distance, "before dst"),
            Touch::AfterDst(distance) => (distance, "past the end of dst"),
            Touch::BeforeSrc(distance) => (distance, "before src"),
            Touch::AfterSrc(distance) => (distance, "past the end of src"),
        };
        write!(f, "{distance} {side}")
    }
}

impl Verdict {
    /// Whether no fault was found.
    pub fn is_passed(&self) -> bool {
        matches!(self, Verdict::Passed(_))
    }
}

/// One line, the call first.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = |f: &mut fmt::Formatter<'_>, input: &Option<Input>| match input {
            Some(input) => write!(f, "{input}: "),
            None => f.write_str("before the first call: "),
        };
        match self {
            Verdict::Passed(Coverage { lengths, shortest, longest, calls, .. }) => {
                write!(f, "passed {calls} calls of {lengths} lengths from {shortest} to {longest}")
            }
            Verdict::Rejected(rejection) => rejection.fmt(f),
            Verdict::Signal { signal, input, touched } => {
                at(f, input)?;
                match touched {
                    Some(touch) => write!(f, "{signal}, touched {touch}"),
                    None => signal.fmt(f),
                }
            }
            Verdict::TimedOut { limit, input } => {
                at(f, input)?;
                write!(f, "did not return within {} s", limit.as_secs_f64())
            }
            Verdict::Exited { code, input } => {
                at(f, input)?;
                write!(f, "ended the process with exit code {code}")
            }
        }
    }
}

/// Why there is no verdict. Says nothing about the candidate.
#[derive(Debug)]
#[non_exhaustive]
pub enum TryError {
    /// The code cannot be made runnable.
    Map(MapError),
    /// The system has no memory or no process to give.
    System(io::Error),
}

impl fmt::Display for TryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TryError::Map(error) => error.fmt(f),
            TryError::System(error) => write!(f, "a candidate could not be tried out: {error}"),
        }
    }
}

impl std::error::Error for TryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TryError::Map(error) => Some(error),
            TryError::System(error) => Some(error),
        }
    }
}

impl From<io::Error> for TryError {
    fn from(error: io::Error) -> TryError {
        TryError::System(error)
    }
}

/// The verdict of the battery on code that may crash, hang, exit or write anywhere: it runs in a forked child.
///
/// The child has this process's rights to files and other processes; code that means harm needs more than this.
///
/// ```
/// # #[cfg(target_arch = "x86_64")] {
/// use copysmith::run::{battery::Depth, faulty, try_out};
/// use copysmith_kernels::Span;
/// let verdict = try_out(&faulty::good().code, Span::ALL, Depth::Gate).unwrap();
/// assert!(verdict.is_passed(), "{verdict}");
/// # }
/// ```
///
/// # Errors
/// [`TryError`] where the system refuses executable memory, memory or a process. It is not the candidate's fault.
pub fn try_out(code: &Code, span: Span, depth: Depth) -> Result<Verdict, TryError> {
    try_out_within(code, span, depth, depth.limit())
}

/// As [`try_out()`], with a time limit of the caller's choice.
///
/// # Errors
/// As [`try_out()`].
pub fn try_out_within(code: &Code, span: Span, depth: Depth, limit: Duration) -> Result<Verdict, TryError> {
    tried_out(code, Operation::Copy, span, depth, limit)
}

/// As [`try_out()`], for code that must move: it is called with overlapping operands too.
///
/// # Errors
/// As [`try_out()`].
pub fn try_out_move(code: &Code, span: Span, depth: Depth) -> Result<Verdict, TryError> {
    tried_out(code, Operation::Move, span, depth, depth.limit())
}

fn tried_out(
    code: &Code,
    operation: Operation,
    span: Span,
    depth: Depth,
    limit: Duration,
) -> Result<Verdict, TryError> {
    let arena = Arena::new(&[Piece::from(code)]).map_err(TryError::Map)?;
    let Some(entry) = arena.entry(0) else {
        return Err(TryError::Map(MapError::Empty { index: 0 }));
    };
    let watch = Watch::new()?;
    let subject = Subject { entry, operation, span, avx: Avx::here() };
    let outcome = isolate(limit, || {
        last_words::install(&watch);
        // SAFETY: this child holds nothing that may not be lost. An instruction that the CPU lacks ends it by SIGILL.
        unsafe { examine(&subject, depth, &watch) }.map_err(|error| error.raw_os_error().unwrap_or(0))
    })?;
    let moment = watch.last();
    let input = moment.map(|moment| moment.input);
    Ok(match outcome {
        Outcome::Finished(Ok(Ok(coverage))) => Verdict::Passed(coverage),
        Outcome::Finished(Ok(Err(rejection))) => Verdict::Rejected(rejection),
        Outcome::Finished(Err(errno)) => return Err(io::Error::from_raw_os_error(errno).into()),
        Outcome::Signal(signal) => Verdict::Signal { signal, input, touched: moment.as_ref().and_then(Touch::of) },
        Outcome::TimedOut(limit) => Verdict::TimedOut { limit, input },
        Outcome::Exited(code) => Verdict::Exited { code, input },
    })
}

/// The battery; at full depth then the gate again and again while timer signals arrive on the routine's stack.
///
/// # Safety
/// As for [`check`].
unsafe fn examine(subject: &Subject, depth: Depth, watch: &Watch) -> io::Result<Result<Coverage, Rejection>> {
    // SAFETY: passed on to the caller.
    let mut coverage = match unsafe { check(subject, depth, Some(watch)) }? {
        Ok(coverage) if depth != Depth::Gate => coverage,
        done => return Ok(done),
    };
    // A signal meets the routine, and not the comparisons around it, about one time in four: five rounds.
    let rounds = || {
        for _ in 0..5 {
            // SAFETY: passed on to the caller.
            if let Err(rejection) = unsafe { check(subject, Depth::Gate, Some(watch)) }? {
                return io::Result::Ok(Err(rejection));
            }
        }
        Ok(Ok(()))
    };
    let (outcome, signals) = storm::during(rounds)?;
    coverage.signals = signals;
    Ok(outcome?.map(|()| coverage))
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
