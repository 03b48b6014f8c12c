//! Races on machines whose truth is known.

mod common;

use common::{race, routines, table};
use copysmith_kernels::Routine;
use copysmith_search::race::{Lane, Limit, Outcome, Race, Rules, Stop};
use copysmith_search::simulator::{Noise, Simulator};
use copysmith_search::ties::{Standing, choose, ties};
use copysmith_search::{Judge, Progress, Sample, Watch};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Blocks a quick search has.
const QUICK: usize = 60;

fn standing(routine: &Routine) -> Standing {
    // Any fixed figures will do, as long as they depend on the routine alone.
    let text = routine.to_string();
    Standing {
        code_bytes: text.len(),
        incumbent: false,
        common: true,
        neighbour: text.contains("=4"),
        routine: routine.clone(),
    }
}

/// The names of the tie set in the order of the alphabet, and of the one that is taken.
fn winners(lanes: &[Lane], margin: f64) -> (Vec<String>, String) {
    let tied = ties(lanes, margin).expect("someone was timed").tied;
    let standings: Vec<Standing> = tied.iter().map(|&index| standing(&lanes[index].routine)).collect();
    let mut names: Vec<String> = standings.iter().map(|standing| standing.routine.to_string()).collect();
    names.sort();
    (names, choose(&standings).expect("the best is in the set").routine.to_string())
}

#[test]
fn a_kernel_three_per_cent_slower_than_its_twin_is_told_apart() {
    let field = routines(12);
    let told = (0..100).filter(|&seed| {
        let truth = table(&[(&field[1], -0.12), (&field[2], -0.09)]);
        let race = race(seed, Noise::realistic(0.01), &field, truth, QUICK);
        winners(race.lanes(), Rules::default().margin).0 == [field[1].to_string()]
    });
    let told = told.count();
    assert!(told >= 95, "{told} of 100");
}

#[test]
fn equal_kernels_tie_and_do_not_run_on() {
    let pair = routines(2);
    let mut equivalent = 0;
    for seed in 0..100 {
        let mut race = Race::new(pair.iter().cloned(), Rules::default());
        let Ok(stop) =
            race.run(&mut Simulator::new(seed, Noise::realistic(0.01), |_| -0.1), Limit::blocks(QUICK), &mut ());
        equivalent += usize::from(stop == Stop::Equivalent && race.blocks() < QUICK);
    }
    assert!(equivalent >= 90, "{equivalent} of 100");
}

#[test]
fn of_equal_kernels_every_seed_takes_the_same_one() {
    let field = routines(20);
    let taken: Vec<String> = (0..60)
        .map(|seed| winners(race(seed, Noise::realistic(0.01), &field, |_| -0.1, QUICK).lanes(), 0.01).1)
        .collect();
    let same = taken.iter().filter(|name| **name == taken[0]).count();
    assert!(same >= 59, "{same} of 60 took {}", taken[0]);
}

/// What the rule promises is kept for each one: whoever is as fast as the rest, is dropped in one race of twenty at most.
#[test]
fn whoever_is_as_fast_as_the_rest_is_hardly_ever_dropped() {
    let field = routines(20);
    let dropped = (0..200).map(|seed| {
        let race = race(seed, Noise::private(0.02), &field, |_| -0.1, QUICK);
        race.lanes().iter().filter(|lane| lane.outcome != Outcome::Survived).count()
    });
    let dropped: usize = dropped.sum();
    assert!(dropped <= 4000 / 20, "{dropped} of 4000");
}

#[test]
fn of_two_with_the_very_same_times_the_best_is_the_first_by_name() {
    let lane = |routine: &Routine| Lane { samples: vec![-0.1; 8], ..Lane::new(routine.clone()) };
    let lanes: Vec<Lane> = routines(2).iter().map(lane).collect();
    let turned = [lanes[1].clone(), lanes[0].clone()];
    let best = |lanes: &[Lane]| ties(lanes, 0.01).map(|ties| lanes[ties.best].routine.to_string());
    assert_eq!(best(&lanes), best(&turned));
}

#[test]
fn the_slow_leave_early_and_the_fastest_hardly_ever() {
    let field = routines(40);
    let truth = || {
        let entries: Vec<(&Routine, f64)> =
            field.iter().enumerate().map(|(index, routine)| (routine, 0.02 * index as f64)).collect();
        table(&entries)
    };
    let mut lost = 0;
    for seed in 0..100 {
        let race = race(seed, Noise::realistic(0.01), &field, truth(), QUICK);
        lost += usize::from(race.lanes()[0].outcome != Outcome::Survived);
        assert!(race.evaluations() < 40 * 20, "{} samples", race.evaluations());
    }
    assert!(lost <= 5, "the fastest was dropped {lost} times of 100");
}

#[test]
fn the_same_verdicts_name_the_same_winner_whatever_the_order() {
    let field = routines(16);
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for seed in 0..200 {
        let noise = Noise::realistic(rng.random_range(0.002..0.03));
        let entries: Vec<(&Routine, f64)> =
            field.iter().map(|routine| (routine, 0.005 * f64::from(rng.random_range(0..6_u8)))).collect();
        let mut lanes = race(seed, noise, &field, table(&entries), rng.random_range(3..30)).lanes().to_vec();
        let expected = winners(&lanes, 0.01);
        for _ in 0..5 {
            lanes.shuffle(&mut rng);
            assert_eq!(winners(&lanes, 0.01), expected, "seed {seed}");
        }
    }
}

/// Writes down every block, and has no more time after some.
struct Journal {
    time: usize,
    blocks: Vec<Vec<Sample>>,
    left: Vec<(String, Outcome)>,
}

impl Watch for Journal {
    fn block(&mut self, progress: &Progress<'_>) {
        assert_eq!(progress.block, self.blocks.len() + 1);
        assert_eq!(progress.contestants.len(), progress.samples.len());
        self.blocks.push(progress.samples.to_vec());
    }

    fn left(&mut self, routine: &Routine, outcome: &Outcome) {
        self.left.push((routine.to_string(), outcome.clone()));
    }

    fn more(&mut self) -> bool {
        self.blocks.len() < self.time
    }
}

#[test]
fn a_race_resumed_from_its_journal_ends_as_the_one_that_was_never_stopped() {
    let field = routines(10);
    let truth = || table(&[(&field[3], -0.05), (&field[4], -0.06)]);
    let judge = || Simulator::new(5, Noise::realistic(0.02), truth()).failing(&field[7].to_string(), 4, "SIGILL");
    let mut whole = Race::new(field.iter().cloned(), Rules::default());
    let Ok(_) = whole.run(&mut judge(), Limit::blocks(40), &mut ());
    for time in [0, 3, 8, 9, 17, 25] {
        let mut judge = judge();
        let mut journal = Journal { time, blocks: Vec::new(), left: Vec::new() };
        let mut stopped = Race::new(field.iter().cloned(), Rules::default());
        let Ok(stop) = stopped.run(&mut judge, Limit::blocks(40), &mut journal);
        assert_eq!(stop, Stop::Watch);
        let mut resumed =
            Race::resume(field.iter().cloned(), Rules::default(), journal.blocks).expect("its own journal");
        assert_eq!(resumed.lanes(), stopped.lanes());
        let Ok(_) = resumed.run(&mut judge, Limit::blocks(40), &mut ());
        assert_eq!((resumed.lanes(), resumed.blocks()), (whole.lanes(), whole.blocks()), "stopped after {time}");
    }
    let torn = Race::resume(field.iter().cloned(), Rules::default(), [vec![Sample::LogRatio(0.0); 3]]);
    assert_eq!(
        torn.expect_err("torn").to_string(),
        "recorded block 1 has 3 samples; the race has 10 contestants there"
    );
}

#[test]
fn a_failed_contestant_is_a_named_row_and_the_race_goes_on() {
    let field = routines(4);
    let judge = || Simulator::new(5, Noise::realistic(0.01), table(&[(&field[0], -0.5)]));
    let mut journal = Journal { time: 100, blocks: Vec::new(), left: Vec::new() };
    let mut race = Race::new(field.iter().cloned(), Rules::default());
    let Ok(_) =
        race.run(&mut judge().failing(&field[0].to_string(), 6, "hung for 1 s"), Limit::blocks(QUICK), &mut journal);
    let failed = Outcome::Failed("hung for 1 s".to_owned());
    assert_eq!((&race.lanes()[0].outcome, race.lanes()[0].samples.len()), (&failed, 5));
    assert_eq!(journal.left[0], (field[0].to_string(), failed));
    assert!(!winners(race.lanes(), 0.01).0.contains(&field[0].to_string()));

    let all = field.iter().fold(judge(), |judge, routine| judge.failing(&routine.to_string(), 2, "SIGSEGV"));
    let mut race = Race::new(field.iter().cloned(), Rules::default());
    let Ok(stop) = race.run(&mut { all }, Limit::blocks(QUICK), &mut ());
    assert_eq!((stop, ties(race.lanes(), 0.01)), (Stop::NobodyLeft, None));
}

/// A judge that breaks its contract.
struct Broken(Vec<Sample>);

impl Judge for Broken {
    type Error = std::convert::Infallible;

    fn block(&mut self, _: &[Routine]) -> Result<Vec<Sample>, Self::Error> {
        Ok(self.0.clone())
    }
}

#[test]
fn what_is_no_time_never_enters_the_figures() {
    let field = routines(3);
    let mut race = Race::new(field.iter().cloned(), Rules::default());
    let mut judge = Broken(vec![Sample::LogRatio(f64::NAN), Sample::LogRatio(f64::NEG_INFINITY)]);
    let Ok(stop) = race.run(&mut judge, Limit::blocks(9), &mut ());
    assert_eq!(stop, Stop::NobodyLeft);
    let reasons: Vec<String> = race.lanes().iter().map(|lane| lane.outcome.to_string()).collect();
    assert_eq!(
        reasons,
        [
            "failed: its log ratio was NaN; only finite ones are times",
            "failed: its log ratio was -inf; only finite ones are times",
            "failed: the judge gave no sample for it"
        ]
    );
}

#[test]
fn limits_are_kept_to_the_sample() {
    let field = routines(5);
    let mut race = Race::new(field.iter().cloned(), Rules::default());
    let mut judge = Simulator::new(1, Noise::private(0.03), |_| 0.0);
    let Ok(stop) = race.run(&mut judge, Limit { blocks: 100, evaluations: 19 }, &mut ());
    assert_eq!((stop, race.blocks(), race.evaluations()), (Stop::Limit, 3, 15));
    let Ok(stop) = race.run(&mut judge, Limit::blocks(7), &mut ());
    assert_eq!((stop, race.blocks(), judge.blocks()), (Stop::Limit, 7, 7));
}
