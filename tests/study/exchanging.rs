//! What other tools are given is what we have, and comes back as it was.

use super::bench::{complaint, done, measured, study};
use super::simulated::{contents, data, hill};
use copysmith::record::{Entry, Rejected, Stage};
use copysmith::study::compare::{Drive, drive};
use copysmith::study::exchange::{from_kernel_tuner, from_t4, to_csv, to_kernel_tuner, to_t4};
use copysmith::study::{Class, Data, load, store};
use copysmith_search::space::{AXES, Breadth};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Data with a kernel that crashed.
fn with_failure() -> Data {
    let mut contents = contents(Breadth::Quick, 0.005, hill);
    let data = Data::new(&contents).unwrap();
    let routine = data.classes[0].kernels[3].recipe.to_string();
    contents.entries.push(Entry::Rejected(Rejected { routine, stage: Stage::Run, reason: "SIGSEGV".to_owned() }));
    Data::new(&contents).unwrap()
}

/// Kernels with their samples, as far as rounding to a millionth keeps them.
fn rounded(class: &Class) -> Vec<(String, Vec<i64>)> {
    let whole = |ratio: &f64| (ratio * 1e5).round() as i64;
    class.kernels.iter().map(|kernel| (kernel.recipe.to_string(), kernel.samples.iter().map(whole).collect())).collect()
}

/// The same kernels in the same order, each sample within the millionth to which a record rounds it: rounding both sides again
/// would set apart those that lie at a half.
#[track_caller]
fn assert_same(back: &Class, class: &Class) {
    assert_eq!(back.kernels.len(), class.kernels.len());
    for (back, kernel) in back.kernels.iter().zip(&class.kernels) {
        assert_eq!((&back.recipe, back.samples.len()), (&kernel.recipe, kernel.samples.len()));
        for (one, other) in back.samples.iter().zip(&kernel.samples) {
            assert!((one - other).abs() <= 1e-6, "{}: {one} and {other}", kernel.recipe);
        }
    }
}

#[test]
fn a_cache_and_a_t4_file_are_the_data_again_with_their_machine_and_their_failures() {
    let data = with_failure();
    let class = &data.classes[0];
    assert_eq!(class.rejected.len(), 1);
    let cache = to_kernel_tuner(&data.header, class).unwrap();
    let t4 = to_t4(&data.header, class).unwrap();
    for back in [from_kernel_tuner(&cache), from_t4(&t4)] {
        let back = Data::new(&back.unwrap()).unwrap();
        assert_eq!(back.header, data.header);
        assert_same(&back.classes[0], class);
        assert_eq!(back.classes[0].rejected, class.rejected);
        assert_eq!(back.classes[0].reference_ns, class.reference_ns);
    }
}

#[test]
fn a_cache_is_as_kernel_tuner_wants_it() {
    let data = with_failure();
    let text = to_kernel_tuner(&data.header, &data.classes[0]).unwrap();
    assert!(text.ends_with("}}}"), "{}", &text[text.len() - 40..]);
    // The order of keys is what counts, so the text is looked at and not a map.
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part}"));
    assert!(at("\"tune_params_keys\"") < at("\"tune_params\":") && at("\"copysmith\"") < at("\"cache\""));
    let cache: Value = serde_json::from_str(&text).unwrap();
    let names: Vec<&str> =
        cache["tune_params_keys"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let params = &text[at("\"tune_params\":")..at("\"objective\"")];
    let places: Vec<usize> = names.iter().map(|name| params.find(&format!("\"{name}\":")).unwrap()).collect();
    assert!(places.is_sorted());
    let mut failed = 0;
    for (key, entry) in cache["cache"].as_object().unwrap() {
        let word = |name: &&str| entry[*name].as_str().map_or_else(|| entry[*name].to_string(), str::to_owned);
        assert_eq!(*key, names.iter().map(word).collect::<Vec<_>>().join(","));
        for name in &names {
            assert!(cache["tune_params"][name].as_array().unwrap().contains(&entry[*name]), "{name}");
        }
        match entry["time"].as_f64() {
            Some(time) => {
                assert!(entry["time"].is_f64() && time > 0.0);
                let sum: f64 = entry["times"].as_array().unwrap().iter().filter_map(Value::as_f64).sum();
                assert!((entry["benchmark_time"].as_f64().unwrap() - sum).abs() < 1e-12);
            }
            None => {
                failed += 1;
                assert_eq!(entry["time"], "RuntimeFailedConfig");
            }
        }
    }
    assert_eq!(failed, 1);
}

#[test]
fn csv_has_a_line_for_each_kernel_and_a_column_for_each_axis() {
    let data = data(Breadth::Quick, 0.01);
    let bytes = to_csv(&data.header, &data.classes.iter().collect::<Vec<_>>()).unwrap();
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let head = reader.headers().unwrap().clone();
    assert!(AXES.iter().all(|axis| head.iter().any(|name| name == *axis)), "{head:?}");
    let column = |name: &str| head.iter().position(|other| other == name).unwrap();
    let lines: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(lines.len(), data.classes[0].kernels.len());
    for (line, kernel) in lines.iter().zip(&data.classes[0].kernels) {
        assert_eq!(line[column("recipe")], kernel.recipe.to_string());
        assert_eq!(line[column("log_ratio")].parse::<f64>().unwrap(), kernel.truth);
        let ns = 100.0 * kernel.truth.exp();
        assert!((line[column("nanoseconds")].parse::<f64>().unwrap() - ns).abs() < 1e-9);
    }
}

#[test]
fn the_command_exports_and_imports_and_names_what_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let [cache, t4, back, bad] =
        ["cache.json", "t4.json", "back.jsonl.zst", "bad.json"].map(|name| dir.path().join(name));
    let export = ["export", "--class", "257..=512"];
    let paths = [measured(), Path::new("--kernel-tuner"), &cache, Path::new("--t4"), &t4];
    done(&study(&export, &paths).output().unwrap());
    let expected = rounded(load(measured()).unwrap().class("257..=512".parse().unwrap()).unwrap());
    for (form, file) in [("--kernel-tuner", &cache), ("--t4", &t4)] {
        done(&study(&["import"], &[Path::new(form), file, Path::new("-o"), &back]).output().unwrap());
        assert_eq!(rounded(&load(&back).unwrap().classes[0]), expected, "{form}");
        fs::write(&bad, fs::read_to_string(file).unwrap().replace("257..=512", "seven")).unwrap();
        let said = complaint(&study(&["import"], &[Path::new(form), &bad, Path::new("-o"), &back]).output().unwrap());
        assert!(said.contains("bad.json") && said.contains("'seven' is no class"), "{said}");
        fs::write(
            &bad,
            "{\"schema_version\":\"2.0.0\",\"results\":[],\"metadata\":{},\"cache\":{},\"tune_params_keys\":[]}",
        )
        .unwrap();
        let said = complaint(&study(&["import"], &[Path::new(form), &bad, Path::new("-o"), &back]).output().unwrap());
        assert!(said.contains("version 2.0.0, and only 1.0.0") || said.contains("no key 'copysmith'"), "{said}");
    }
    let said =
        complaint(&study(&["export", "--class", "1..=2", "--csv", "/dev/null"], &[measured()]).output().unwrap());
    assert!(said.contains("class 1..=2: not in the data, which have 129..=256 257..=512"), "{said}");
}

/// A Python that has Kernel Tuner: the one that `.ci/run` prepares, or the system's.
fn python() -> Option<PathBuf> {
    let prepared = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("kernel-tuner").join("bin/python");
    let has = |python: &PathBuf| {
        let asked = Command::new(python).args(["-c", "import kernel_tuner"]).output();
        asked.is_ok_and(|output| output.status.success())
    };
    let found = [prepared, PathBuf::from("python3")].into_iter().find(has);
    if found.is_none() {
        println!("skipped: kernel-tuner is not installed");
    }
    found
}

#[test]
fn two_strategies_of_kernel_tuner_replay_a_cache_and_report_our_best() {
    let Some(python) = python() else { return };
    let data = with_failure();
    let class = &data.classes[0];
    // Strategies that go on until they have seen a space as small as this one; a genetic algorithm may stop before.
    let names = ["random_sample", "mls", "no_such_strategy"];
    let drive_them = |evaluations| {
        let strategies = names.map(str::to_owned).to_vec();
        let ask = Drive { python: python.clone(), strategies, evaluations, repeats: 2, seed: 1, seconds: 120 };
        drive(&data, class, &ask).unwrap()
    };
    let driven = drive_them(class.kernels.len());
    let best = class.best().recipe.to_string();
    assert_eq!(driven.best.get("random_sample"), Some(&best));
    assert_eq!(driven.best.get("mls"), Some(&best));
    assert_eq!(driven.versions["kernel_tuner"], "1.5.0");
    assert_eq!(driven.rows.len(), 2);
    for row in &driven.rows {
        assert!(row.regret.abs() < 1e-9 && row.success == 1.0 && row.runs == 2, "{}: {}", row.strategy, row.regret);
    }
    assert_eq!(driven.failures.len(), 1, "{:?}", driven.failures);
    assert!(driven.failures[0].strategy == "no_such_strategy" && driven.failures[0].why.contains("strategy"));
    let row = drive_them(5).rows.remove(0);
    assert!(row.curve.len() == 5 && row.curve.windows(2).all(|pair| pair[1] <= pair[0]), "{:?}", row.curve);
}

#[test]
fn a_t4_file_is_of_the_published_schema() {
    let Some(python) = python() else { return };
    let dir = tempfile::tempdir().unwrap();
    let data = with_failure();
    let file = dir.path().join("t4.json");
    fs::write(&file, to_t4(&data.header, &data.classes[0]).unwrap()).unwrap();
    let check = "import json, sys, pathlib, jsonschema, kernel_tuner
schema = pathlib.Path(kernel_tuner.__file__).parent / 'schema/T4/1.0.0/results-schema.json'
jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(schema)))";
    let output = Command::new(python).args(["-c", check]).arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn without_kernel_tuner_a_comparison_says_what_to_install() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("data.jsonl");
    store(&file, &contents(Breadth::Quick, 0.01, hill)).unwrap();
    let said = complaint(&study(&["compare", "--python", "/bin/false"], &[&file]).output().unwrap());
    assert!(
        said.contains("/bin/false does not run Kernel Tuner") && said.contains("pip install kernel-tuner==1.5.0"),
        "{said}"
    );
}
