//! The estimator against machines whose truth is known: null, drift, heavy tails, echoes, and planted faults.

mod common;

use common::{blocks, routines, table};
use copysmith_search::confirm::confirm;
use copysmith_search::simulator::{Noise, Order, Simulator, Tail};
use copysmith_search::stats::{Estimate, Verdict, compare, mad_sigma, trimmed_mean};

/// Share of simulated comparisons of two contestants `apart` from each other whose 95 % interval holds the truth.
fn coverage(noise: Noise, apart: f64, count: usize, repeats: u64) -> f64 {
    let pair = routines(2);
    let held = (0..repeats).filter(|&seed| {
        let mut judge = Simulator::new(seed, noise, table(&[(&pair[0], apart)]));
        let samples = blocks(&mut judge, &pair, count);
        let Estimate { low, high, .. } = compare(&samples[0], &samples[1]).estimate;
        low <= apart && apart <= high
    });
    held.count() as f64 / repeats as f64
}

#[test]
fn intervals_hold_the_truth_under_the_null_and_under_drift() {
    let machines = [
        ("null", 0.0, Noise::private(0.01)),
        ("3 % apart", 0.03, Noise::private(0.01)),
        ("drift", 0.0, Noise { drift: 0.005, ..Noise::private(0.01) }),
        ("ramp", 0.0, Noise { ramp: 0.01, ..Noise::private(0.01) }),
        ("spikes", 0.0, Noise::realistic(0.03)),
        ("heavy tail", 0.0, Noise { tail: Tail::Student(2), ..Noise::private(0.02) }),
    ];
    for (name, apart, noise) in machines {
        for count in [8, 12, 40] {
            // The standard error of the coverage itself is 0.35 points.
            let held = coverage(noise, apart, count, 4000);
            assert!((0.93..0.975).contains(&held), "{name}, {count} blocks: {held}");
        }
    }
}

/// The correction is estimated from the same few blocks, so it mends most of the loss and not all of it.
#[test]
fn echoes_from_block_to_block_are_mostly_corrected() {
    let held = coverage(Noise { lag: 0.5, ..Noise::private(0.01) }, 0.0, 40, 1000);
    assert!(held >= 0.88, "{held}");
}

#[test]
fn a_delayed_kernel_is_slower_and_its_clone_ties() {
    let trio = routines(3);
    let mut verdicts = [0; 2];
    for seed in 0..200 {
        let mut judge = Simulator::new(seed, Noise::realistic(0.01), table(&[(&trio[2], 0.05)]));
        let samples = blocks(&mut judge, &trio, 20);
        verdicts[0] += usize::from(compare(&samples[2], &samples[0]).verdict == Verdict::Slower);
        verdicts[1] += usize::from(compare(&samples[1], &samples[0]).verdict == Verdict::Tie);
    }
    assert!(verdicts[0] >= 198, "slower in {} of 200", verdicts[0]);
    assert!(verdicts[1] >= 186, "tie in {} of 200", verdicts[1]);
}

/// A judge that times in a fixed order is a planted fault: on a machine that gets slower all the time, the later of two
/// equal kernels always loses. Were this to tie, the simulator could not show any fault of order.
#[test]
fn a_judge_without_random_order_is_caught() {
    let pair = routines(2);
    let ramp = Noise { ramp: 0.01, ..Noise::private(0.005) };
    for (order, expected) in [(Order::Shuffled, Verdict::Tie), (Order::AsGiven, Verdict::Slower)] {
        let mut judge = Simulator::new(7, Noise { order, ..ramp }, |_| 0.0);
        let samples = blocks(&mut judge, &pair, 40);
        assert_eq!(compare(&samples[1], &samples[0]).verdict, expected, "{order:?}");
    }
}

/// The control for pairing: the same samples with the blocks of one side turned by one, so that every block is paired
/// with a stranger. A reference as noisy as this is in both samples of a block and in neither difference.
#[test]
fn pairing_by_block_is_what_removes_the_noise_of_the_reference() {
    let pair = routines(2);
    let mut errors = [0.0; 2];
    for seed in 0..100 {
        let mut judge = Simulator::new(seed, Noise { drift: 0.03, ..Noise::private(0.005) }, |_| 0.0);
        let mut samples = blocks(&mut judge, &pair, 20);
        // Both contestants see a reference that is itself disturbed by ten per cent, block by block.
        for block in 0..20 {
            let shaken = 0.1 * ((block * 7 + seed as usize) % 5) as f64;
            samples.iter_mut().for_each(|lane| lane[block] += shaken);
        }
        errors[0] += compare(&samples[0], &samples[1]).estimate.se;
        samples[1].rotate_left(1);
        errors[1] += compare(&samples[0], &samples[1]).estimate.se;
    }
    assert!(errors[1] > 3.0 * errors[0], "paired {} turned {}", errors[0], errors[1]);
}

/// Thirty kernels within two per cent of each other, one is picked by its own samples, then confirmed on other samples.
#[test]
fn the_published_speed_up_is_unbiased_and_the_selections_own_is_not() {
    let field = routines(30);
    let truths: Vec<f64> = (0..30).map(|index| -0.12 + 0.02 * f64::from(index) / 30.0).collect();
    let truth = || table(&field.iter().zip(truths.iter().copied()).collect::<Vec<_>>());
    let repeats = 400;
    let (mut promised, mut published, mut optimism) = (0.0, 0.0, 0.0);
    for seed in 0..repeats {
        let samples = blocks(&mut Simulator::new(seed, Noise::realistic(0.03), truth()), &field, 12);
        let mean = |lane: &usize| trimmed_mean(&samples[*lane]);
        let picked = (0..30).min_by(|a, b| mean(a).total_cmp(&mean(b))).expect("thirty");
        let finalist = &field[picked..=picked];
        let later = blocks(&mut Simulator::new(seed + 1_000_000, Noise::realistic(0.03), truth()), finalist, 40);
        let confirmed = confirm(&samples[picked], &later[0]).expect("forty blocks");
        assert!(confirmed.low < confirmed.ratio && confirmed.ratio < confirmed.high);
        let speed_up = (-truths[picked]).exp();
        promised += ((-mean(&picked)).exp() - speed_up) / repeats as f64;
        published += (1.0 / confirmed.ratio - speed_up) / repeats as f64;
        optimism += confirmed.optimism / repeats as f64;
    }
    assert!(published.abs() < 0.003, "published {published:+.4}");
    assert!(promised > 0.01, "promised {promised:+.4}");
    assert!(optimism > 0.008, "optimism {optimism:+.4}");
}

#[test]
fn the_spread_of_a_clone_is_measured_in_spite_of_spikes() {
    let clone = routines(1);
    let samples = blocks(&mut Simulator::new(3, Noise::realistic(0.01), |_| 0.0), &clone, 2000);
    // Its own noise, and half the variance of one sample from a reference timed twice.
    let expected = 0.01 * 1.5_f64.sqrt();
    let sigma = mad_sigma(&samples[0]);
    assert!((sigma / expected - 1.0).abs() < 0.1, "{sigma} {expected}");
}
