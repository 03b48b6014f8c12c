//! A judge with known answers: what the tests of anything that chooses run against, since no clock knows the truth.
//!
//! ```text
//! ln t = truth + drift (one walk through all samples of a block, in the order in which they are timed)
//!              + noise of its own (normal or heavy-tailed, each block leaning on the one before it)
//! sample = ln t - mean(ln t of the reference, timed first and last)
//! ```

use crate::{Judge, Sample};
use copysmith_kernels::Routine;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::convert::Infallible;

/// How wide the noise reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tail {
    /// Normal noise.
    Normal,
    /// Student t noise with so many degrees of freedom, 1 or more.
    Student(u32),
    /// Normal noise, and now and then a sample that took `factor` times as long.
    Spikes {
        /// Probability of one.
        chance: f64,
        /// How many times as long.
        factor: f64,
    },
}

/// In which order a block is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// In fresh random order, as a judge has to.
    Shuffled,
    /// Always in the order given: a broken judge, under which drift looks like a difference.
    AsGiven,
}

/// How a simulated machine is noisy. Logs: 0.01 is one per cent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Standard deviation of each contestant's own noise.
    pub private: f64,
    /// Standard deviation of one step of the shared walk, from sample to sample.
    pub drift: f64,
    /// By how much every sample of a block is slower than the one before it, as a clock that is being throttled.
    pub ramp: f64,
    /// The shape of the private noise.
    pub tail: Tail,
    /// Share of a contestant's noise that it keeps to the next block, from 0 to below 1.
    pub lag: f64,
    /// Order of the samples in a block.
    pub order: Order,
}

impl Noise {
    /// Normal private noise of this deviation and nothing else.
    pub const fn private(private: f64) -> Noise {
        Noise { private, drift: 0.0, ramp: 0.0, tail: Tail::Normal, lag: 0.0, order: Order::Shuffled }
    }

    /// A noisy virtual machine: drift of a twentieth of the private noise a sample, and one sample in fifty ten times as long.
    pub const fn realistic(private: f64) -> Noise {
        Noise { drift: private / 20.0, tail: Tail::Spikes { chance: 0.02, factor: 10.0 }, ..Noise::private(private) }
    }
}

/// A seeded machine on which the true log ratio of every routine is known.
pub struct Simulator {
    truth: Box<dyn Fn(&Routine) -> f64>,
    noise: Noise,
    failures: BTreeMap<String, (usize, String)>,
    rng: ChaCha8Rng,
    kept: BTreeMap<String, f64>,
    blocks: usize,
}

impl Simulator {
    /// A machine on which `truth` gives every routine's log ratio to the reference.
    pub fn new(seed: u64, noise: Noise, truth: impl Fn(&Routine) -> f64 + 'static) -> Simulator {
        Simulator {
            truth: Box::new(truth),
            noise,
            failures: BTreeMap::new(),
            rng: ChaCha8Rng::seed_from_u64(seed),
            kept: BTreeMap::new(),
            blocks: 0,
        }
    }

    /// The same machine, but the routine of this text fails in block `block` (from 1) and in every later one.
    pub fn failing(mut self, text: &str, block: usize, reason: &str) -> Simulator {
        self.failures.insert(text.to_owned(), (block, reason.to_owned()));
        self
    }

    /// The true log ratio of a routine to the reference.
    pub fn truth(&self, routine: &Routine) -> f64 {
        (self.truth)(routine)
    }

    /// Blocks asked for so far.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// A standard normal number (Box and Muller 1958).
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.rng.random::<f64>()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.rng.random::<f64>()).cos()
    }

    /// The private noise of one sample of `name`.
    fn own(&mut self, name: &str) -> f64 {
        let Noise { private, tail, lag, .. } = self.noise;
        let fresh = match tail {
            Tail::Normal | Tail::Spikes { .. } => self.normal(),
            Tail::Student(dof) => {
                let dof = dof.max(1);
                let squares: f64 = (0..dof).map(|_| self.normal().powi(2)).sum();
                self.normal() / (squares / f64::from(dof)).sqrt()
            }
        };
        // Scaled so that the deviation is `private` whatever is kept.
        let kept = self.kept.get(name).copied().unwrap_or(fresh);
        let noise = lag * kept + (1.0 - lag * lag).sqrt() * fresh;
        self.kept.insert(name.to_owned(), noise);
        let spike = match tail {
            Tail::Spikes { chance, factor } if self.rng.random::<f64>() < chance => factor.ln(),
            _ => 0.0,
        };
        private * noise + spike
    }
}

impl Judge for Simulator {
    type Error = Infallible;

    fn block(&mut self, contestants: &[Routine]) -> Result<Vec<Sample>, Infallible> {
        self.blocks += 1;
        let mut order: Vec<usize> = (0..contestants.len()).collect();
        if self.noise.order == Order::Shuffled {
            order.shuffle(&mut self.rng);
        }
        let mut level = 0.0;
        let first = self.own("reference");
        let mut times = vec![0.0; contestants.len()];
        for index in order {
            level += self.noise.drift * self.normal() + self.noise.ramp;
            let own = self.own(&contestants[index].to_string());
            times[index] = self.truth(&contestants[index]) + level + own;
        }
        level += self.noise.drift * self.normal() + self.noise.ramp;
        let reference = (first + level + self.own("reference")) / 2.0;
        let sample = |(routine, time): (&Routine, f64)| match self.failures.get(&routine.to_string()) {
            Some((from, reason)) if self.blocks >= *from => Sample::Failed(reason.clone()),
            _ => Sample::LogRatio(time - reference),
        };
        Ok(contestants.iter().zip(times).map(sample).collect())
    }
}
