//! Whole searches on machines whose truth is known.

mod common;

use copysmith_kernels::recipe::{Loop, Order, Shape};
use copysmith_kernels::{Isa, Recipe, Routine, Span};
use copysmith_search::race::Rules;
use copysmith_search::simulator::{Noise, Simulator};
use copysmith_search::space::{Breadth, Features, space};
use copysmith_search::strategy::{Budget, Found, Settings, Strategy, search};
use copysmith_search::ties::{Standing, choose};
use copysmith_search::{Judge, Progress, Sample, Watch};
use std::collections::{BTreeMap, BTreeSet};

const FEATURES: Features = Features { isa: Isa::Avx, prefetchw: false };

fn span() -> Span {
    "1024..=4095".parse().expect("a span")
}

fn settings(strategy: Strategy, seed: u64) -> Settings {
    let budget = Budget { evaluations: 20_000, blocks: 60 };
    Settings { strategy, features: FEATURES, rules: Rules::default(), budget, seed, starts: Vec::new() }
}

/// A machine that likes wide moves, six of them a turn, loaded in threes, and an aligned destination: a hill whose top
/// (unroll 6 in groups of 3) no quick or normal space has.
fn hill(recipe: &Recipe) -> f64 {
    let Shape::Loop(Loop { width, unroll, order, align, .. }) = *recipe.shape() else { return 0.3 };
    let wide = 0.1 * (5.0 - (width.bytes() as f64).log2());
    let turned = 0.02 * (f64::from(unroll) - 6.0).abs();
    let grouped = if order == Order::Group(3) { 0.0 } else { 0.04 };
    let aligned = if align.is_some_and(|align| align.to == 32) { 0.0 } else { 0.05 };
    wide + turned + grouped + aligned - 0.2
}

const TOP: f64 = -0.2;

fn on_the_hill(routine: &Routine) -> f64 {
    hill(&routine.leaves()[0])
}

fn run(settings: &Settings, breadth: Breadth, noise: Noise, truth: fn(&Routine) -> f64) -> Found {
    let mut judge = Simulator::new(settings.seed, noise, truth);
    let recipes = space(span(), FEATURES, breadth);
    let Ok(found) = search(&mut judge, &recipes, settings, &mut (), &mut |_| Ok(()));
    found
}

/// What the tie rule takes of what was found.
fn taken(found: &Found) -> Recipe {
    let standing = |recipe: &Recipe| {
        let routine = Routine::from(recipe.clone());
        let common = found.common.contains(recipe);
        Standing { code_bytes: routine.to_string().len(), incumbent: false, common, neighbour: false, routine }
    };
    let eligible = found.eligible(Rules::default().margin);
    let eligible: Vec<Standing> = eligible.into_iter().map(|ranked| standing(&ranked.recipe)).collect();
    choose(&eligible).expect("someone was timed").routine.leaves()[0].clone()
}

#[test]
fn the_default_climbs_from_a_quick_space_to_a_top_that_is_not_in_it() {
    let quick = space(span(), FEATURES, Breadth::Quick).iter().map(hill).fold(f64::INFINITY, f64::min);
    assert!(quick > TOP + 0.05, "the space already has {quick}");
    let tops = (0..20).filter(|&seed| {
        let found = run(&settings(Strategy::Default, seed), Breadth::Quick, Noise::realistic(0.01), on_the_hill);
        hill(&taken(&found)) <= TOP + 0.01
    });
    let tops = tops.count();
    assert!(tops >= 19, "{tops} of 20");
}

#[test]
fn where_climbing_gains_little_runs_take_the_same_recipe() {
    // What only climbing finds is a per cent and a half faster, and there is more of it than one run can meet.
    let flat = |routine: &Routine| on_the_hill(routine).max(-0.135);
    let quick = space(span(), FEATURES, Breadth::Quick).iter().map(hill).fold(f64::INFINITY, f64::min);
    assert!((-0.125..-0.115).contains(&quick), "{quick}");
    let mut counts: BTreeMap<Recipe, usize> = BTreeMap::new();
    for seed in 0..20 {
        let found = run(&settings(Strategy::Default, seed), Breadth::Quick, Noise::realistic(0.01), flat);
        *counts.entry(taken(&found)).or_default() += 1;
    }
    assert!(counts.values().any(|&same| same >= 18), "{counts:?}");
}

#[test]
fn every_strategy_ends_near_the_best_it_can_see_within_its_budget() {
    let best = |breadth| space(span(), FEATURES, breadth).iter().map(hill).fold(f64::INFINITY, f64::min);
    for strategy in Strategy::ALL {
        let mut regret = 0.0;
        for seed in 0..10 {
            let settings = settings(strategy, seed);
            let found = run(&settings, Breadth::Normal, Noise::realistic(0.01), on_the_hill);
            assert!(found.evaluations <= settings.budget.evaluations, "{strategy}: {}", found.evaluations);
            let kept: u64 = found.samples.iter().map(|(_, samples)| samples.len() as u64).sum();
            assert_eq!(kept, found.evaluations, "{strategy}");
            regret += (hill(&taken(&found)) - best(Breadth::Normal)) / 10.0;
        }
        println!("{strategy} {regret:+.4}");
        assert!(regret <= 0.01, "{strategy}: {regret}");
    }
}

#[test]
fn a_search_is_determined_by_its_seed_and_its_answers() {
    for strategy in Strategy::ALL {
        let once = run(&settings(strategy, 3), Breadth::Quick, Noise::realistic(0.02), on_the_hill);
        assert!(once == run(&settings(strategy, 3), Breadth::Quick, Noise::realistic(0.02), on_the_hill), "{strategy}");
        assert!(once != run(&settings(strategy, 4), Breadth::Quick, Noise::realistic(0.02), on_the_hill), "{strategy}");
    }
}

#[test]
fn of_equal_recipes_every_seed_takes_the_same_one() {
    for strategy in [Strategy::Default, Strategy::Racing, Strategy::Exhaustive] {
        let take = |seed| taken(&run(&settings(strategy, seed), Breadth::Quick, Noise::realistic(0.005), |_| -0.1));
        let first = take(0);
        let same = (0..20).filter(|&seed| take(seed) == first).count();
        assert!(same >= 19, "{strategy}: {same} of 20 took {first}");
    }
}

/// Times with a simulator and remembers whom.
struct Remembering {
    judge: Simulator,
    timed: BTreeSet<String>,
}

impl Judge for Remembering {
    type Error = std::convert::Infallible;

    fn block(&mut self, contestants: &[Routine]) -> Result<Vec<Sample>, Self::Error> {
        self.timed.extend(contestants.iter().map(Routine::to_string));
        self.judge.block(contestants)
    }
}

#[test]
fn who_is_refused_is_never_timed_and_who_fails_is_a_row() {
    let crash = "copy 1024..=4095 loop width=avx32 unroll=4";
    for strategy in Strategy::ALL {
        let judge = Simulator::new(1, Noise::realistic(0.01), on_the_hill).failing(crash, 3, "SIGSEGV at length 1025");
        let mut judge = Remembering { judge, timed: BTreeSet::new() };
        let recipes = space(span(), FEATURES, Breadth::Quick);
        let mut asked: Vec<Recipe> = Vec::new();
        let mut settings = settings(strategy, 1);
        settings.starts = vec![crash.parse().expect("a recipe")];
        let refuses = |recipe: &Recipe| recipe.to_string().contains("unroll=8");
        let Ok(found) = search(&mut judge, &recipes, &settings, &mut (), &mut |recipe| {
            asked.push(recipe.clone());
            if refuses(recipe) { Err("byte 7 is wrong".to_owned()) } else { Ok(()) }
        });
        assert!(!judge.timed.iter().any(|text| text.contains("unroll=8")), "{strategy}");
        assert_eq!(asked.iter().collect::<BTreeSet<_>>().len(), asked.len(), "{strategy}: each is asked once");
        let expected: Vec<Recipe> = asked.iter().filter(|recipe| refuses(recipe)).cloned().collect();
        let (refused, failed): (Vec<_>, Vec<_>) = found.rejected.iter().partition(|(recipe, _)| refuses(recipe));
        assert_eq!(refused.iter().map(|(recipe, _)| recipe.clone()).collect::<Vec<_>>(), expected, "{strategy}");
        assert!(refused.iter().all(|(_, reason)| reason == "byte 7 is wrong"));
        assert_eq!(failed, [&(settings.starts[0].clone(), "SIGSEGV at length 1025".to_owned())], "{strategy}");
        assert!(!found.ranking.is_empty() && !found.ranking.iter().any(|ranked| ranked.recipe == settings.starts[0]));
    }
}

#[test]
fn when_nobody_can_be_timed_there_is_no_winner_and_a_reason_for_each() {
    let recipes = space(span(), FEATURES, Breadth::Quick);
    for strategy in Strategy::ALL {
        let dead = Simulator::new(1, Noise::private(0.01), |_| 0.0);
        let mut dead = recipes.iter().fold(dead, |judge, recipe| judge.failing(&recipe.to_string(), 1, "SIGILL"));
        let Ok(found) = search(&mut dead, &recipes, &settings(strategy, 1), &mut (), &mut |recipe| {
            if recipes.contains(recipe) { Ok(()) } else { Err("not of the space".to_owned()) }
        });
        assert!(found.ranking.is_empty() && !found.rejected.is_empty(), "{strategy}");
        let Ok(found) =
            search(&mut dead, &recipes, &settings(strategy, 1), &mut (), &mut |_| Err("refused".to_owned()));
        assert!(found.ranking.is_empty() && found.evaluations == 0 && !found.rejected.is_empty(), "{strategy}");
        let Ok(found) = search(&mut dead, &[], &settings(strategy, 1), &mut (), &mut |_| Ok(()));
        assert_eq!(found, Found::default(), "{strategy}");
    }
}

#[test]
fn the_incumbent_is_raced_by_every_strategy_though_the_space_lacks_it() {
    let incumbent: Recipe =
        "copy 1024..=4095 loop width=avx32 unroll=6 order=group:3 align=dst:32:bytes".parse().expect("one");
    for strategy in Strategy::ALL {
        let settings = Settings { starts: vec![incumbent.clone()], ..settings(strategy, 5) };
        let found = run(&settings, Breadth::Quick, Noise::realistic(0.01), on_the_hill);
        // It stands on the top of the hill, so it is still there at the end.
        assert!(found.ties().any(|ranked| ranked.recipe == incumbent), "{strategy}");
    }
}

/// A clock that runs out after some blocks.
struct Clock {
    blocks: usize,
}

impl Watch for Clock {
    fn block(&mut self, _: &Progress<'_>) {
        self.blocks = self.blocks.saturating_sub(1);
    }

    fn more(&mut self) -> bool {
        self.blocks > 0
    }
}

#[test]
fn whoever_led_when_time_ran_out_is_the_answer() {
    let recipes = space(span(), FEATURES, Breadth::Quick);
    for strategy in Strategy::ALL {
        for blocks in [0, 1, 7, 8, 30, 61, 62, 65, 100] {
            let mut judge = Simulator::new(9, Noise::realistic(0.01), on_the_hill);
            let settings = settings(strategy, 9);
            let Ok(found) = search(&mut judge, &recipes, &settings, &mut Clock { blocks }, &mut |_| Ok(()));
            assert!(judge.blocks() <= blocks, "{strategy} after {blocks}");
            assert_eq!(found.ranking.is_empty(), blocks == 0, "{strategy} after {blocks}");
            if let Some(best) = found.ranking.first().filter(|_| blocks >= 8) {
                assert!(best.samples.len() >= 8, "{strategy} after {blocks}: {} blocks", best.samples.len());
            }
        }
    }
}

/// A judge that is interrupted.
struct Interrupted(Simulator);

impl Judge for Interrupted {
    type Error = &'static str;

    fn block(&mut self, contestants: &[Routine]) -> Result<Vec<Sample>, Self::Error> {
        let Ok(samples) = self.0.block(contestants);
        if self.0.blocks() > 12 { Err("interrupted") } else { Ok(samples) }
    }
}

#[test]
fn an_interruption_is_the_judges_own_error_after_every_block_was_shown() {
    let recipes = space(span(), FEATURES, Breadth::Quick);
    let mut judge = Interrupted(Simulator::new(9, Noise::realistic(0.01), on_the_hill));
    let mut clock = Clock { blocks: 100 };
    let ended = search(&mut judge, &recipes, &settings(Strategy::Default, 9), &mut clock, &mut |_| Ok(()));
    assert_eq!((ended, clock.blocks), (Err("interrupted"), 88));
}

#[test]
fn a_budget_too_small_for_the_space_is_spent_on_a_part_of_it() {
    let recipes = space(span(), FEATURES, Breadth::Normal);
    for strategy in Strategy::ALL {
        let budget = Budget { evaluations: 400, blocks: 60 };
        let settings = Settings { budget, ..settings(strategy, 2) };
        let found = run(&settings, Breadth::Normal, Noise::realistic(0.01), on_the_hill);
        assert!(found.evaluations <= 400 && found.samples.len() < recipes.len(), "{strategy}");
        assert!(
            found.ranking.iter().all(|ranked| ranked.samples.len() >= 8) && !found.ranking.is_empty(),
            "{strategy}"
        );
    }
}

#[test]
fn a_strategy_is_read_back_from_its_word() {
    assert!(Strategy::ALL.iter().all(|strategy| strategy.to_string().parse() == Ok(*strategy)));
    let error = "genetic".parse::<Strategy>().expect_err("no such strategy");
    assert_eq!(
        error.to_string(),
        "strategy=genetic is not allowed; one of default racing local random annealing evolutionary \
                surrogate by-axis exhaustive"
    );
}
