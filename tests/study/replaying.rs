//! Replays find what is there, the same every time, and repeat the live run their data come from.

use super::bench::{complaint, copysmith, done, measured, study, text};
use super::simulated::{data, hill};
use copysmith::record::{Entry, Journal, Lock, Opened, Past, Phase, Recording, Rejected, Stage};
use copysmith::study::{Data, Noise, RecordedJudge, Replay, load, replay};
use copysmith_kernels::{Recipe, Routine};
use copysmith_search::race::Rules;
use copysmith_search::simulator::{self, Simulator};
use copysmith_search::space::{Breadth, Features};
use copysmith_search::strategy::{Budget, Settings, Strategy, search};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn all(noise: Noise) -> Replay {
    Replay { strategies: Strategy::ALL.to_vec(), noise, evaluations: Some(400), repeats: 3, seed: 1 }
}

#[test]
fn without_noise_every_strategy_ends_near_the_optimum_and_the_walks_soon_are() {
    let data = data(Breadth::Normal, 0.01);
    for row in replay(&data, &all(Noise::Free)).unwrap() {
        // The tie rule may take what is within its margin, and no more.
        assert!(row.regret <= 0.035 && row.curve.len() == 400, "{}: {}", row.strategy, row.regret);
        assert!(
            row.curve.last().is_some_and(|&regret| (-1e-9..=0.011).contains(&regret)),
            "{}: {:?}",
            row.strategy,
            row.curve.last()
        );
        if ["annealing", "evolutionary", "surrogate", "by-axis"].contains(&row.strategy.as_str()) {
            assert!(row.to_within.is_some_and(|count| count < 150.0), "{}: {:?}", row.strategy, row.to_within);
            assert!(row.expected.is_some() && row.expected_seconds > Some(0.0), "{}", row.strategy);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_rows_and_another_seed_others() {
    let data = data(Breadth::Quick, 0.03);
    let once = replay(&data, &all(Noise::Resampled)).unwrap();
    assert_eq!(replay(&data, &all(Noise::Resampled)).unwrap(), once);
    assert_ne!(replay(&data, &Replay { seed: 9, ..all(Noise::Resampled) }).unwrap(), once);
}

#[test]
fn every_run_of_every_strategy_stays_within_its_evaluations() {
    let data = data(Breadth::Normal, 0.02);
    for evaluations in [1, 5, 30] {
        for row in replay(&data, &Replay { evaluations: Some(evaluations), ..all(Noise::Resampled) }).unwrap() {
            assert_eq!((row.evaluations, row.curve.len()), (evaluations, evaluations), "{}", row.strategy);
            assert!(row.to_within.is_none_or(|count| count <= evaluations as f64), "{}", row.strategy);
        }
    }
}

#[test]
fn the_recorded_run_of_any_strategy_replayed_in_its_order_finds_the_same() {
    let truth = |routine: &Routine| hill(&routine.leaves()[0]);
    for strategy in Strategy::ALL {
        let dir = tempfile::tempdir().unwrap();
        let plan = super::simulated::plan(Breadth::Quick);
        let host = copysmith::host::Host::read();
        let recipes = plan.recipes(&host, plan.classes[0]);
        let settings = Settings {
            strategy,
            features: Features { isa: copysmith_kernels::Isa::Avx, prefetchw: true },
            rules: Rules::default(),
            budget: Budget { evaluations: 6000, blocks: 60 },
            seed: 5,
            starts: Vec::new(),
        };
        let lock = Lock::acquire(dir.path()).unwrap();
        let Opened { journal, .. } = Journal::open(&lock, &plan.header(&host)).unwrap();
        let clock = Simulator::new(3, simulator::Noise::realistic(0.02), truth);
        let mut live = Recording::new(clock, &journal, &Past::default(), "4096..=8191", Phase::Race);
        let found = search(&mut live, &recipes, &settings, &mut (), &mut |_| Ok(())).unwrap();
        let data = load(dir.path()).unwrap();
        let class = &data.classes[0];
        let known: BTreeSet<Recipe> = class.recipes().into_iter().collect();
        let mut judge = RecordedJudge::new(class, Noise::Recorded, 99);
        let mut admit =
            |recipe: &Recipe| known.contains(recipe).then_some(()).ok_or_else(|| "not in the data".to_owned());
        let Ok(again) = search(&mut judge, &recipes, &settings, &mut (), &mut admit);
        assert!(!found.ranking.is_empty());
        assert_eq!((again.ranking, again.evaluations), (found.ranking, found.evaluations), "{strategy}");
    }
}

#[test]
fn who_was_slow_at_an_offset_raced_and_is_data_and_who_crashed_is_not() {
    let mut contents = super::simulated::contents(Breadth::Quick, 0.005, hill);
    let all = Data::new(&contents).unwrap();
    let [slow, crashed] = [2, 3].map(|at| all.classes[0].kernels[at].recipe.clone());
    for (recipe, stage) in [(&slow, Stage::Offset), (&crashed, Stage::Timing)] {
        let (routine, reason) = (recipe.to_string(), "seen to".to_owned());
        contents.entries.push(Entry::Rejected(Rejected { routine, stage, reason }));
    }
    let data = Data::new(&contents).unwrap();
    let recipes = data.classes[0].recipes();
    assert!(recipes.contains(&slow) && !recipes.contains(&crashed));
    assert_eq!(data.classes[0].rejected, [(crashed.to_string(), "seen to".to_owned())]);
}

#[test]
fn a_tune_is_replayed_from_its_record_to_the_same_winners() {
    let record = tempfile::tempdir().unwrap();
    let tune = [
        "tune",
        "--effort",
        "quick",
        "--budget",
        "1",
        "--spans",
        "0..=32,33..",
        "--profile",
        "gcc",
        "--isa",
        "sse2",
        "-q",
    ];
    done(&copysmith(&tune).arg("--record").arg(record.path()).output().unwrap());
    let machine = record.path().join(copysmith::host::Host::read().machine());
    let said = study(&["replay", "--noise", "recorded"], &[&machine]).output().unwrap();
    let table = done(&said).to_owned();
    assert!(table.lines().count() == 3 && table.matches("  same  ").count() == 2, "{table}");
    let journal = machine.join("race.journal");
    let text_of = fs::read_to_string(&journal).unwrap();
    let race = text_of.lines().find(|line| line.contains("\"kind\":\"race\"") && line.contains("\"0..=32\"")).unwrap();
    let winner = race.split("\"winner\":\"").nth(1).unwrap().split('"').next().unwrap();
    let other =
        race.replace(&format!("\"winner\":\"{winner}\""), "\"winner\":\"copy 0..=32 string unit=8 tail=bytes\"");
    fs::write(&journal, text_of.replace(race, &other)).unwrap();
    let said = study(&["replay", "--noise", "recorded"], &[&machine]).output().unwrap();
    assert!(said.status.code() == Some(1) && text(&said.stdout).contains("DIFFERENT"), "{}", text(&said.stdout));
    let none = complaint(&study(&["replay", "--noise", "recorded"], &[measured()]).output().unwrap());
    assert!(none.contains("the data are no record of a tune"), "{none}");
}

#[test]
fn a_replay_prints_every_strategy_of_every_class_and_writes_its_files() {
    let dir = tempfile::tempdir().unwrap();
    let [csv, svg] = ["rows.csv", "curves.svg"].map(|name| dir.path().join(name));
    let paths = [measured(), Path::new("--csv"), &csv, Path::new("--svg"), &svg];
    let output = study(&["replay", "--repeats", "3", "--budget", "20"], &paths).output().unwrap();
    let table = done(&output).to_owned();
    let rows: Vec<csv::StringRecord> = csv::Reader::from_path(&csv).unwrap().records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 2 * Strategy::ALL.len());
    for row in &rows {
        assert!(table.lines().any(|line| line.starts_with(&row[0]) && line.contains(&row[1])), "{table}");
        assert!((0.0..=1.0).contains(&row[6].parse::<f64>().unwrap()) && row[10].parse::<f64>().unwrap() <= 1.0);
    }
    let svg = fs::read_to_string(&svg).unwrap();
    assert!(Strategy::ALL.iter().all(|strategy| svg.contains(&strategy.to_string())));
    let json = study(&["replay", "--repeats", "3", "--budget", "20", "--json"], &[measured()]).output().unwrap();
    let json: serde_json::Value = serde_json::from_str(done(&json)).unwrap();
    assert_eq!(json["rows"].as_array().unwrap().len(), rows.len());
    assert_eq!(json["rows"][0]["curve"].as_array().unwrap().len(), 20);
}
