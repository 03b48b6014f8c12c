//! What the copies of a program are worth: how long they take, and so the most that faster ones could save.
//!
//! ```text
//! calls (exact) x nanoseconds a call (replayed here, or given) = seconds of copying
//! seconds of copying / seconds that the program ran            = share: the ceiling of any gain
//! ```

use super::{Field, LIMIT};
use crate::profile::Header;
use crate::time::{FEWEST_RECORDED, Recording, TimeError, Workload, compare};
use serde::Serialize;

/// Blocks that the replay takes. The figure is one of three digits, and the clock's share of it is gone after a few.
const BLOCKS: usize = 12;

/// What a call takes, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CallTime {
    /// The call itself included.
    pub nanoseconds: f64,
    /// Of these, what a call takes that copies nothing; `None` where it was not measured.
    pub empty_nanoseconds: Option<f64>,
}

impl CallTime {
    /// One that the user knows.
    pub fn given(nanoseconds: f64) -> CallTime {
        CallTime { nanoseconds, empty_nanoseconds: None }
    }

    /// The mean of recorded calls, replayed in their order through the system's memcpy on this machine, in a process of its own.
    ///
    /// # Errors
    /// Why they could not be timed, as text: too few of them, or [`TimeError`].
    pub fn replayed(recording: Recording) -> Result<CallTime, String> {
        let calls = recording.calls();
        if calls < FEWEST_RECORDED {
            return Err(format!("{calls} calls in order are too few; at least {FEWEST_RECORDED} are timed"));
        }
        let settings = Field::copies().settings(vec![Workload::replay(recording).into()]);
        let timed =
            compare(&settings, &[], BLOCKS, LIMIT, &mut || false).map_err(|error: TimeError| error.to_string())?;
        let nanoseconds = timed.reference_nanoseconds.ok_or("nothing was measured")?;
        Ok(CallTime { nanoseconds, empty_nanoseconds: timed.overhead_nanoseconds })
    }
}

/// What all of a program's copies take.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Worth {
    /// What a call takes.
    #[serde(flatten)]
    pub call: CallTime,
    /// All calls together, in seconds.
    pub copying_seconds: f64,
    /// How long the program ran, recorder and all: by the clock, or its processor time where that is longer because several
    /// processors ran it at once. `None` where it was not recorded.
    pub run_seconds: Option<f64>,
    /// Copying as a share of that: no copy routine can save more.
    pub share: Option<f64>,
}

impl Worth {
    /// That of the calls of a profile, each of which takes so long.
    pub fn of(header: &Header, call: CallTime) -> Worth {
        let copying_seconds = header.calls as f64 * call.nanoseconds * 1e-9;
        let run_seconds = header.seconds.into_iter().chain(header.cpu_seconds).reduce(f64::max);
        let share = run_seconds.filter(|&seconds| seconds > 0.0).map(|seconds| copying_seconds / seconds);
        Worth { call, copying_seconds, run_seconds, share }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_a_share_of_the_longer_of_run_time_and_processor_time() {
        let header = |seconds, cpu_seconds| Header { calls: 40_000_000, seconds, cpu_seconds, ..Header::default() };
        let worth = |seconds, cpu_seconds| Worth::of(&header(seconds, cpu_seconds), CallTime::given(5.0));
        let close = |share: Option<f64>, expected: f64| share.is_some_and(|share| (share - expected).abs() < 1e-9);
        assert!((worth(None, None).copying_seconds - 0.2).abs() < 1e-9);
        assert!(close(worth(Some(2.0), Some(1.5)).share, 0.1));
        assert!(close(worth(Some(2.0), Some(4.0)).share, 0.05));
        assert!(close(worth(Some(0.8), None).share, 0.25));
        assert_eq!((worth(None, None).share, worth(Some(0.0), None).share), (None, None));
    }

    #[test]
    fn a_handful_of_calls_is_not_timed_and_says_so() {
        let few = Recording::from(&crate::profile::import("0 64 300\n", "few").unwrap());
        assert_eq!(CallTime::replayed(few).unwrap_err(), "1 calls in order are too few; at least 64 are timed");
    }
}
