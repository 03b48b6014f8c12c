use crate::fixture::winners;
use copysmith::print::Winners;
use copysmith::print::winners::{Evidence, Provenance, WinnersError};

#[test]
fn winners_survive_their_file() {
    let winners = winners("amd-1ah-02h");
    let text = winners.to_json();
    assert!(text.ends_with("}\n"));
    let again = Winners::from_json(&text).unwrap();
    assert_eq!(again, winners);
    assert_eq!(again.to_json(), text);
}

#[test]
fn the_file_shows_texts_and_keeps_the_order_of_its_fields() {
    let text = winners("amd-1ah-02h").to_json();
    let keys = ["schema", "machine", "isa", "seed", "classes", "span", "recipe", "evidence", "routine", "provenance"];
    let found: Vec<usize> = keys.iter().map(|key| text.find(&format!("\"{key}\":")).expect(key)).collect();
    assert!(found.is_sorted(), "{text}");
    assert!(text.contains("\"recipe\": \"copy 8..=32 computed width=8"), "{text}");
    assert!(text.contains("\"evidence\": \"modelled\""), "{text}");
}

#[test]
fn another_schema_is_refused_by_its_number_whatever_else_is_in_it() {
    let error = Winners::from_json(r#"{"schema": 2, "whatever": []}"#).unwrap_err();
    assert_eq!(error, WinnersError::Schema(2));
    assert_eq!(error.to_string(), "winners of schema 2 are not understood; this program knows schema 1");
}

#[test]
fn what_is_not_of_the_form_is_refused_with_its_place() {
    let text = winners("amd-1ah-02h").to_json();
    for (from, to, said) in [
        ("width=8", "width=9", "width=9"),
        ("\"8..=32\"", "\"32..=8\"", "32..=8"),
        ("\"seed\": 7", "\"seed\": 7, \"color\": 1", "color"),
        ("\"sse2\"", "\"sse9\"", "sse9"),
        ("\"low\": 0.85,", "", "low"),
    ] {
        assert!(text.contains(from), "{from}");
        let error = Winners::from_json(&text.replacen(from, to, 1)).unwrap_err();
        assert!(matches!(error, WinnersError::Json(_)), "{error:?}");
        let message = error.to_string();
        assert!(message.contains(said) && message.contains(" line "), "{message}");
    }
}

#[test]
fn winners_that_contradict_themselves_are_refused_and_named() {
    let broken = |change: &dyn Fn(&mut Winners)| {
        let mut winners = winners("amd-1ah-02h");
        change(&mut winners);
        Winners::from_json(&winners.to_json()).unwrap_err().to_string()
    };
    let refused = |change: &dyn Fn(&mut Winners), said: &str| {
        let message = broken(change);
        assert!(message.contains(said), "{message}");
    };
    refused(&|w| _ = w.classes.remove(1), "expected length 8, found 33..");
    refused(&|w| w.classes.swap(0, 1), "expected length 0, found 8..=32");
    refused(&|w| _ = w.classes.pop(), "expected length 33, found the end of the list");
    refused(&|w| w.classes.clear(), "expected length 0, found the end of the list");
    refused(&|w| w.classes.push(w.classes[0].clone()), "nothing is left for 0..=7");
    refused(&|w| w.classes[0].span = "0..=6".parse().unwrap(), "class 0..=6 has a recipe for other lengths");
    refused(&|w| w.routine.text = "copy 1.. string unit=1".parse().unwrap(), "this one copies 1..");
    refused(
        &|w| w.classes[2].recipe = "copy 33.. loop width=avx32 unroll=1".parse().unwrap(),
        "needs avx; these winners were chosen from sse2",
    );
    for machine in ["", "AMD-17h", "../x", "amd--17h", "amd-", "17h", "amd_17h"] {
        refused(&|w| w.machine = machine.to_owned(), "is not a machine");
    }
}

#[test]
fn evidence_that_cannot_be_is_refused() {
    let sound = |ratio, low, high, blocks| Evidence::Measured { ratio, low, high, blocks }.is_sound();
    assert!(sound(1.0, 1.0, 1.0, 1));
    assert!(!sound(f64::NAN, 0.5, 1.0, 1));
    assert!(!sound(0.5, f64::NAN, 1.0, 1));
    assert!(!sound(0.5, 0.4, f64::INFINITY, 1));
    assert!(!sound(0.5, 0.6, 0.7, 1));
    assert!(!sound(0.5, 0.3, 0.4, 1));
    assert!(!sound(0.5, 0.0, 1.0, 1));
    assert!(!sound(0.5, 0.4, 0.6, 0));
    let mut winners = winners("amd-1ah-02h");
    winners.classes[0].evidence = Evidence::Measured { ratio: 2.0, low: 0.1, high: 0.2, blocks: 3 };
    let message = winners.validate().unwrap_err().to_string();
    assert!(message.contains("copy 0..=7") && message.contains("2.0"), "{message}");
}

#[test]
fn every_part_of_a_provenance_that_changed_is_named() {
    let then = Provenance { copysmith: "0.1.0".into(), emitter: "e1".into(), space: "s1".into() };
    assert!(then.differences(&then).is_empty());
    let named = |now: Provenance| then.differences(&now).iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        named(Provenance { copysmith: "0.2.0".into(), ..then.clone() }),
        ["copysmith version was 0.1.0 and is 0.2.0"]
    );
    assert_eq!(named(Provenance { emitter: "e2".into(), ..then.clone() }), ["emitter was e1 and is e2"]);
    assert_eq!(named(Provenance { space: "s2".into(), ..then.clone() }), ["search space was s1 and is s2"]);
}
