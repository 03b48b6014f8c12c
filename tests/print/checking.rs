use crate::fixture::{ByHand, winners};
use copysmith::print::check::{Checked, Equality, Linked, check, linked};
use copysmith::print::table;

/// What was linked, in memory of its own on a multiple of 64.
#[repr(align(64))]
#[derive(Clone, Copy)]
struct Text([u8; 128]);

fn text(bytes: &[u8], at: usize) -> Text {
    let mut text = Text([0xcc; 128]);
    text.0[at..at + bytes.len()].copy_from_slice(bytes);
    text
}

fn recipes() -> Vec<String> {
    let winners = winners("amd-1ah-02h");
    let kernels = winners.classes.iter().map(|class| class.recipe.to_string());
    std::iter::once(winners.routine.text.to_string()).chain(kernels).collect()
}

fn checked(file: &str, linked: Option<&[Linked<'_>]>) -> Checked {
    check(&winners("amd-1ah-02h"), &ByHand::new(), file, linked, &mut |_, _| Ok(())).unwrap()
}

fn printed() -> String {
    table(&winners("amd-1ah-02h"), &ByHand::new()).unwrap()
}

/// Checks with four linked functions of which the second is this text at this offset, and gives what was said of its bytes.
fn second(text: &Text, at: usize, len: usize, recipe: Option<&str>) -> (Equality, Checked) {
    let (recipes, target) = (recipes(), ByHand::new());
    let right = self::text(&target.bytes, 0);
    let mut linked: Vec<Linked<'_>> =
        recipes.iter().map(|recipe| Linked { recipe, code: &right.0[..target.bytes.len()] }).collect();
    linked[1] = Linked { recipe: recipe.unwrap_or(linked[1].recipe), code: &text.0[at..at + len] };
    let checked = checked(&printed(), Some(&linked));
    (checked.rows[1].bytes.clone(), checked)
}

#[test]
fn a_table_that_is_what_its_winners_say_holds() {
    let bytes = ByHand::new().bytes;
    let (equality, checked) = second(&text(&bytes, 0), 0, bytes.len(), None);
    assert_eq!(equality, Equality::Holds);
    assert!(checked.holds());
    assert_eq!(checked.to_string(), "amd-1ah-02h: 10 equalities hold");
}

#[test]
fn a_changed_line_of_the_file_is_named() {
    let file = printed().replacen("0x89", "0x8b", 1);
    let checked = checked(&file, None);
    assert!(!checked.holds());
    let Equality::Broken(why) = &checked.text else { panic!("{checked}") };
    assert!(why.contains("line ") && why.contains("0x8b") && why.contains("0x89"), "{why}");
}

#[test]
fn a_file_that_was_cut_or_goes_on_is_seen() {
    let whole = printed();
    for file in [String::new(), whole[..whole.len() - 2].to_owned(), format!("{whole}// more\n")] {
        assert!(matches!(checked(&file, None).text, Equality::Broken(_)), "{} bytes", file.len());
    }
}

#[test]
fn linked_code_that_is_not_the_emitted_code_is_named_by_its_first_wrong_byte() {
    let mut bytes = ByHand::new().bytes;
    bytes[5] ^= 1;
    let (equality, checked) = second(&text(&bytes, 0), 0, bytes.len(), None);
    assert_eq!(equality, Equality::Broken("the byte at offset 0x5 is 0xd0 linked and 0xd1 emitted".to_owned()));
    assert!(!checked.holds());
}

#[test]
fn linked_code_of_another_length_place_or_recipe_is_seen() {
    let bytes = ByHand::new().bytes;
    let broken = |(equality, _): (Equality, Checked), said: &str| match equality {
        Equality::Broken(why) => assert!(why.contains(said), "{why}"),
        other => panic!("{other:?}"),
    };
    broken(second(&text(&bytes, 0), 0, bytes.len() - 1, None), "17 bytes were linked, 18 are emitted");
    broken(second(&text(&bytes, 16), 16, bytes.len(), None), "16 bytes beyond a multiple of 64");
    broken(second(&text(&bytes, 0), 0, bytes.len(), Some("copy 0.. string unit=1")), "'copy 0.. string unit=1'");
}

#[test]
fn missing_functions_are_seen() {
    let recipes = recipes();
    let right = text(&ByHand::new().bytes, 0);
    let only = [Linked { recipe: &recipes[0], code: &right.0[..18] }];
    let checked = checked(&printed(), Some(&only));
    assert_eq!(
        checked.linked,
        Equality::Broken(
            "1 functions were linked, the winners have 4; after a tune this program is to be built again".to_owned()
        )
    );
    assert_eq!(checked.rows[3].bytes, Equality::Broken("it was not linked".to_owned()));
}

#[test]
fn what_is_not_linked_is_skipped_with_its_reason_and_not_called_equal() {
    assert_eq!(linked("amd-00h-00h"), None);
    let checked = checked(&printed(), linked("amd-00h-00h").as_deref());
    assert!(checked.holds());
    let said = checked.to_string();
    assert!(said.contains("skipped: no table for amd-1ah-02h was linked into this program"), "{said}");
    assert!(said.ends_with("5 equalities hold"), "the text and four meanings: {said}");
}

#[test]
fn code_that_does_not_prove_is_named_and_the_others_are_proven_all_the_same() {
    let mut asked = Vec::new();
    let checked = check(&winners("amd-1ah-02h"), &ByHand::new(), &printed(), None, &mut |routine, code| {
        assert_eq!(code.bytes, ByHand::new().bytes);
        asked.push(routine.to_string());
        if routine.span().contains(8) { Err("length 8 loses byte 7".to_owned()) } else { Ok(()) }
    })
    .unwrap();
    assert_eq!(asked, recipes());
    let broken: Vec<bool> = checked.rows.iter().map(|row| matches!(row.meaning, Equality::Broken(_))).collect();
    assert_eq!(broken, [true, false, true, false]);
    assert!(!checked.holds());
    assert!(checked.to_string().contains("meaning of 'copy 8..=32 computed width=8 moves=4' is broken: length 8"));
}
