//! Who looks on while a search runs: the progress bar, the journal, and the clock that may end it.

use crate::stats::Estimate;
use crate::{Sample, race::Outcome};
use copysmith_kernels::{Recipe, Routine};

/// One block of a race, just timed and judged.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Number of the block in its race, from 1.
    pub block: usize,
    /// Who was in it.
    pub contestants: &'a [Routine],
    /// What they did, in the same order. Fed to [`Race::resume`](crate::race::Race::resume), these bring a race back.
    pub samples: &'a [Sample],
    /// How many are still in the race after it.
    pub survivors: usize,
    /// The best so far with its log ratio to the reference; `None` until the first look, and when all have failed.
    pub best: Option<(&'a Routine, Estimate)>,
}

/// Sees a search as it runs and may end it. Every callback may be left out.
pub trait Watch {
    /// A race begins: who is in it.
    fn started(&mut self, _contestants: &[Routine]) {}

    /// A block has been timed and, at a look, judged.
    fn block(&mut self, _progress: &Progress<'_>) {}

    /// A contestant left the race: it fell behind or failed.
    fn left(&mut self, _routine: &Routine, _outcome: &Outcome) {}

    /// A candidate was refused before it was timed, and why.
    fn refused(&mut self, _recipe: &Recipe, _reason: &str) {}

    /// Whether there is time to go on. Asked before each block and before each candidate is admitted; what has been
    /// measured is kept and judged.
    fn more(&mut self) -> bool {
        true
    }
}

/// Looks away, and never ends anything.
impl Watch for () {}
