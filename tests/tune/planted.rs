//! Faulty code under the names of right recipes: the proofs refuse it by what shows it, and it never wins.

use copysmith::host::Host;
use copysmith::print::{standalone, table};
use copysmith::record::{Entry, JOURNAL, Lock, Past, Phase, Stage};
use copysmith::run::faulty::{Faulty, family};
use copysmith::tune::{Admission, Effort, Observer, Options, TuneError, WINNERS, features, tune};
use copysmith_kernels::{Recipe, Routine, Span, X86_64};
use copysmith_search::space::space;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Counts whom the tune says it refused.
#[derive(Default)]
struct Refused(Vec<(String, String)>);

impl Observer for Refused {
    fn refused(&mut self, routine: &str, reason: &str) {
        self.0.push((routine.to_owned(), reason.to_owned()));
    }
}

fn options(spans: &[&str], seconds: u64) -> Options {
    Options {
        effort: Effort::Quick,
        seed: 3,
        spans: Some(spans.iter().map(|span| span.parse().unwrap()).collect()),
        budget: Some(Duration::from_secs(seconds)),
        ..Options::default()
    }
}

/// The recipes that a tune with these options starts from.
fn recipes(host: &Host, options: &Options) -> Vec<Vec<Recipe>> {
    let features = features(&host.cpu.features, options.isa);
    let spans = options.classes(host).unwrap();
    spans.into_iter().map(|span| space(span, features, options.effort.breadth())).collect()
}

/// Whether a reason names what shows the fault: a call, or what in the code cannot be.
fn tells(reason: &str) -> bool {
    let proof = ["the code is wrong: ", "run: "].iter().any(|start| reason.starts_with(start));
    proof && reason.len() > 25
}

fn lock(dir: &tempfile::TempDir) -> Lock {
    Lock::acquire(dir.path()).unwrap()
}

#[test]
fn the_whole_faulty_family_is_refused_by_name_and_never_wins() {
    let host = Host::read();
    // Long enough that of the short classes everybody is asked.
    let options = options(&["0..=24", "25..=48", "49..=128", "129..=1024", "1025.."], 4);
    let mut admission = Admission::new(host.cpu.features);
    let family = family();
    let mut planted: BTreeMap<String, &Faulty> = BTreeMap::new();
    // All recipes of the short classes but one in four, each with the next fault.
    let mut spaces = recipes(&host, &options);
    spaces.pop();
    let victims = spaces.iter().flat_map(|space| space.iter().enumerate().filter(|(at, _)| at % 4 != 0));
    for ((_, recipe), faulty) in victims.zip(family.iter().cycle()) {
        let routine = Routine::from(recipe.clone());
        admission.plant(&routine, faulty.code.clone());
        planted.insert(routine.to_string(), faulty);
    }

    let dir = tempfile::tempdir().unwrap();
    let mut refused = Refused::default();
    let (winners, report) = tune(&host, &options, admission, &lock(&dir), None, &mut refused).unwrap();

    let entries = super::bench::entries(&dir.path().join(JOURNAL));
    let past = Past::new(&entries);
    let mut met: Vec<&str> = Vec::new();
    // One that is right may still be turned away by its timing, at some offset of this machine; that is not about faults.
    for rejected in past.all_rejected().filter(|rejected| rejected.stage != Stage::Offset) {
        let faulty = planted.get(&rejected.routine).unwrap_or_else(|| panic!("{rejected:?} is not planted"));
        assert!(tells(&rejected.reason), "{}: {}", faulty.name, rejected.reason);
        assert!(refused.0.contains(&(rejected.routine.clone(), rejected.reason.clone())), "{rejected:?} was not told");
        met.push(faulty.name);
    }
    for faulty in &family {
        assert!(met.contains(&faulty.name), "'{}' was never asked to prove itself", faulty.name);
    }
    // Nobody planted was ever timed: neither in a block nor in the results.
    for entry in &entries {
        if let Entry::Block(block) = entry {
            let timed = block.samples.iter().find(|timing| planted.contains_key(&timing.routine));
            assert!(timed.is_none(), "{timed:?}");
        }
    }
    let leaves = winners.routine.text.leaves().iter();
    for recipe in winners.classes.iter().map(|class| &class.recipe).chain(leaves) {
        assert!(!planted.contains_key(&Routine::from(recipe.clone()).to_string()), "{recipe} won");
    }
    assert_eq!(report.classes.len(), winners.classes.len());
    assert!(report.classes[..4].iter().all(|class| class.refused > 0));

    winners.validate().unwrap();
    assert_eq!(winners.routine.text.span(), Span::ALL);
    assert!(table(&winners, &X86_64).unwrap().starts_with("// @generated"));
    assert!(standalone(&winners, &X86_64).unwrap().contains("pub "));
}

#[test]
fn where_everything_is_faulty_there_is_no_winner_and_no_file_of_winners() {
    let host = Host::read();
    let options = options(&["0..=32", "33.."], 1);
    let mut admission = Admission::new(host.cpu.features);
    for (recipe, faulty) in recipes(&host, &options).concat().iter().zip(family().iter().cycle()) {
        admission.plant(&Routine::from(recipe.clone()), faulty.code.clone());
    }
    let dir = tempfile::tempdir().unwrap();
    let error = tune(&host, &options, admission, &lock(&dir), None, &mut ()).unwrap_err();
    let TuneError::NobodyLeft { class, reason } = &error else { panic!("{error}") };
    assert_eq!(class, "0..=32");
    assert!(tells(reason), "{reason}");
    assert!(error.to_string().contains("there is no table") && !error.to_string().contains('\n'), "{error}");
    assert!(!dir.path().join(WINNERS).exists());
    let entries = super::bench::entries(&dir.path().join(JOURNAL));
    assert!(Past::new(&entries).best(class).is_none());
    let asked = Past::new(&entries).all_rejected().count();
    assert!(asked >= 8, "{asked} candidates were asked");
}

#[test]
fn a_refusal_is_for_good_and_a_stopped_search_has_written_it_down() {
    /// Stops after so many refusals.
    struct Stops(usize);
    impl Observer for Stops {
        fn refused(&mut self, _: &str, _: &str) {
            self.0 = self.0.saturating_sub(1);
        }
        fn stop(&mut self) -> bool {
            self.0 == 0
        }
    }
    /// Stops before the second class.
    struct OneClass(bool);
    impl Observer for OneClass {
        fn stage(&mut self, stage: usize, _: usize, _: &str) {
            self.0 = stage == 1;
        }
        fn stop(&mut self) -> bool {
            self.0
        }
    }
    let host = Host::read();
    let options = options(&["0..=32", "33.."], 1);
    let space = recipes(&host, &options).remove(0);
    let faulty = family().remove(0);
    let planted = |victims: &[Recipe]| {
        let mut admission = Admission::new(host.cpu.features);
        victims.iter().for_each(|recipe| admission.plant(&Routine::from(recipe.clone()), faulty.code.clone()));
        admission
    };
    let rejected = |dir: &Path| {
        let entries = super::bench::entries(&dir.join(JOURNAL));
        let each = entries.into_iter().filter_map(|entry| match entry {
            Entry::Rejected(rejected) => Some(rejected.routine),
            _ => None,
        });
        each.collect::<Vec<String>>()
    };
    let dir = tempfile::tempdir().unwrap();
    let stopped = tune(&host, &options, planted(&space), &lock(&dir), None, &mut Stops(3));
    assert!(matches!(stopped, Err(TuneError::Interrupted)));
    let first = rejected(dir.path());
    assert_eq!(first.len(), 3);

    // Now nothing is planted, so that only the record can know of them. The second class is not of interest.
    let second = tune(&host, &options, planted(&[]), &lock(&dir), None, &mut OneClass(false));
    assert!(matches!(second, Err(TuneError::Interrupted)));
    assert_eq!(rejected(dir.path()), first);
    let past = Past::new(&super::bench::entries(&dir.path().join(JOURNAL)));
    let class = past.class("0..=32").unwrap();
    assert_eq!(class.races[0].refused, 3);
    let timed = class.samples(Phase::Race);
    assert!(timed.len() > 3 && first.iter().all(|refused| !timed.contains_key(refused.as_str())), "{timed:?}");
}
