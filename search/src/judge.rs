//! The seam between choosing and measuring: a judge times contestants against each other and tells only
//! dimensionless log ratios.

use copysmith_kernels::Routine;

/// What one contestant did in one block.
#[derive(Clone, Debug, PartialEq)]
pub enum Sample {
    /// Natural logarithm of its time divided by the reference's time in the same block: negative is faster.
    LogRatio(f64),
    /// It cannot run: why. It leaves the race for good.
    Failed(String),
}

/// Times contestants. Implemented by the live clock, by a replay of recorded blocks, and by the seeded simulator of the tests.
pub trait Judge {
    /// Why no block can be had any more.
    type Error;

    /// One block: every contestant and the reference once, interleaved in fresh random order. Blocks that were disturbed are
    /// repeated or dropped inside; the answer has one sample for each contestant, in the order given.
    ///
    /// # Errors
    /// The judge's own: nothing can be timed any more, or the run was interrupted.
    fn block(&mut self, contestants: &[Routine]) -> Result<Vec<Sample>, Self::Error>;
}

impl<J: Judge + ?Sized> Judge for &mut J {
    type Error = J::Error;

    fn block(&mut self, contestants: &[Routine]) -> Result<Vec<Sample>, J::Error> {
        (**self).block(contestants)
    }
}
