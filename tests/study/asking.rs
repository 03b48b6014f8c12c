//! What matters and what carries over, on machines on which that is known.

use super::bench::{complaint, copysmith, done, measured, study};
use super::simulated::{contents, data, hill};
use copysmith::study::{Data, importance, load, minimal, store, transfer};
use copysmith_kernels::Recipe;
use copysmith_kernels::recipe::{Loop, Shape};
use copysmith_search::space::Breadth;
use std::fs;
use std::path::Path;

/// Only the width and the tail matter, and the tail for wide moves alone: an interaction and nothing else.
fn planted(recipe: &Recipe) -> f64 {
    let Shape::Loop(Loop { width, unroll, align, .. }) = *recipe.shape() else { return 0.0 };
    let aligned = align.is_some_and(|align| align.to == 32);
    let wide = width.bytes() >= 32;
    0.02 * f64::from(u8::from(unroll == 8)) + if wide == aligned { 0.0 } else { 0.5 }
}

#[test]
fn the_axes_that_decide_come_first_and_the_pair_that_only_acts_together_is_named() {
    let data = Data::new(&contents(Breadth::Normal, 0.002, planted)).unwrap();
    let found = importance(&data.classes[0], 1).unwrap();
    assert!(found.explained > 0.7, "{found:?}");
    let names: Vec<&str> = found.axes.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names[..2].contains(&"align") && names[..2].contains(&"width"), "{found:?}");
    let (one, other, share) = &found.pairs[0];
    assert!(["align", "width"].contains(&one.as_str()) && ["align", "width"].contains(&other.as_str()), "{found:?}");
    assert!(*share > 0.1, "{found:?}");
    let of = |name: &str| found.axes.iter().find(|(axis, _)| axis == name).map_or(0.0, |(_, share)| *share);
    assert!(of("prefetch") < 0.05 && of("form") < 0.05, "{found:?}");
    assert_eq!(importance(&data.classes[0], 1).unwrap(), found);
}

#[test]
fn a_minimal_space_keeps_a_kernel_near_the_best_and_drops_what_never_helps() {
    let data = data(Breadth::Normal, 0.001);
    let small = minimal(&data.classes, 0.01);
    let (_, before, left, regret) = &small.classes[0];
    assert!(left * 5 < *before && *left > 0 && (0.0..=0.01).contains(regret), "{small:?}");
    assert_eq!(small.axes["prefetch"], ["none"]);
    let widest = data.classes[0].best().recipe.to_string();
    assert!(small.axes["width"].iter().any(|width| widest.contains(&format!("width={width}"))), "{small:?}");
}

#[test]
fn each_winner_is_scored_on_every_machine_and_the_compromise_is_the_least_bad_one() {
    // Twice what `hill` gives the wider moves, so that the other machine likes the narrow ones by as much.
    let other = |recipe: &Recipe| hill(recipe) + if recipe.to_string().contains("width=avx32") { 0.6 } else { 0.0 };
    let mut second = contents(Breadth::Quick, 0.001, other);
    second.header.as_mut().unwrap().machine = "other-machine".to_owned();
    let machines = [data(Breadth::Quick, 0.001), Data::new(&second).unwrap()];
    let found = transfer(&machines).unwrap().remove(0);
    assert!(found.winners[0].contains("width=avx32") && !found.winners[1].contains("width=avx32"), "{found:?}");
    for at in 0..2 {
        assert_eq!(found.regrets[at][at], Some(0.0));
    }
    let away = found.regrets[0][1].unwrap().max(found.regrets[1][0].unwrap());
    let (_, worst) = found.minimax.clone().unwrap();
    assert!(away > 0.05 && worst <= away, "{found:?}");
    let twice = transfer(&[machines[0].clone(), machines[0].clone()]).unwrap_err();
    assert!(twice.to_string().contains("is there twice"), "{twice}");
}

#[test]
fn the_commands_print_tables_drawings_and_json_and_one_machine_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let [file, svg] = ["data.jsonl.zst", "axes.svg"].map(|name| dir.path().join(name));
    store(&file, &contents(Breadth::Normal, 0.01, hill)).unwrap();
    let output = study(&["importance"], &[&file, Path::new("--svg"), &svg]).output().unwrap();
    let table = done(&output).to_owned();
    assert!(table.contains("4096..=8191  width") && table.contains("a space as good within 1 %"), "{table}");
    assert!(fs::read_to_string(&svg).unwrap().contains("width"));
    let alone = study(&["transfer"], &[&file]).output().unwrap();
    assert!(done(&alone).starts_with("one machine only: 1 x 1"));
    assert!(done(&alone).contains("0.00 %"));
    let few = tempfile::tempdir().unwrap();
    let small = [
        "study",
        "measure",
        "--space",
        "quick",
        "--classes",
        "129..=256",
        "--sample",
        "10",
        "--blocks",
        "3",
        "-q",
        "-o",
    ];
    done(&copysmith(&small).arg(few.path()).output().unwrap());
    let said = complaint(&study(&["importance"], &[few.path()]).output().unwrap());
    assert!(said.contains("10 kernels are too few; at least 40 are needed"), "{said}");
    assert!(load(measured()).is_ok());
}

#[test]
fn a_calibration_prints_a_row_for_each_effort_and_class() {
    let words = ["study", "calibrate", "--classes", "33..=64", "--trials", "4", "--reruns", "2", "--json"];
    let rows: serde_json::Value = serde_json::from_str(done(&copysmith(&words).output().unwrap())).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 1);
    let row = &rows[0];
    assert_eq!((row["effort"].as_str(), row["class"].as_str()), (Some("quick"), Some("33..=64")));
    for share in ["false_positives", "planted_found", "coverage"] {
        assert!((0.0..=1.0).contains(&row[share].as_f64().unwrap()), "{row}");
    }
    assert!(row["windows"].as_u64().unwrap() >= 4 && row["stability"]["tied"].as_f64().unwrap() > 0.0, "{row}");
}
