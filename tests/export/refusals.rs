//! What cannot be exported: one line, an exit code, and nothing left behind.

use crate::exported::{EVERYWHERE, Exported, text};
use copysmith::print::winners::{Evidence, Provenance, SCHEMA, Whole, Winner, Winners};
use copysmith_kernels::{Isa, Span};

fn names(exported: &Exported) -> Vec<String> {
    let entries = std::fs::read_dir(exported.dir.path()).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[track_caller]
fn refused(words: &[&str], code: i32, says: &str) {
    let exported = Exported { dir: tempfile::tempdir().unwrap() };
    let output = exported.command(&[&["export"], words].concat());
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(code), ""), "{words:?}: {said}");
    assert!(said.starts_with("copysmith: ") && said.lines().count() == 1 && said.contains(says), "{words:?}: {said}");
    assert_eq!(names(&exported), Vec::<String>::new(), "{words:?}");
}

#[test]
fn a_wrong_command_line_is_one_line_and_exit_code_2() {
    let small = "copy 17..=32 pairs width=sse16";
    for (words, says) in [
        (&[small][..], "required arguments were not provided"),
        (&["-o", "x", "--asm", "y", small], "cannot be used with"),
        (&["-o", "x.o", small], "for one file: --object x.o"),
        (&["-o", "x.S", small], "for one file: --asm x.S"),
        (&["-o", "there/", small], "has no name: there/"),
        (&["-o", "..", small], "has no name: .."),
        (&["-o", "x", "--name", "9p", small], "\"9p\" is no C identifier"),
        (&["-o", "x", "--name", "", small], "\"\" is no C identifier"),
        (&["-o", "x", "--name", "a-b", small], "\"a-b\" is no C identifier"),
        (&["-o", "x", "--name", "naïve", small], "is no C identifier"),
        (&["-o", "x", "--as", "memset", EVERYWHERE], "'memset' is no function that can be exported"),
        (&["-o", "x", "--as", "memcpy,memcpy", EVERYWHERE], "memcpy is named twice"),
        (&["-o", "x", "--as", "", EVERYWHERE], "'' is no function that can be exported"),
        (&["-o", "x", "--as", "memcpy", small], "memcpy must copy every length, and this routine copies 17..=32 only"),
        (&["-o", "x", "--as", "memmove", "copy 0.. string unit=1"], "memmove must move regions that overlap"),
        (&["-o", "x", "copy 17..=32 pairs width=sse17"], "sse17"),
        (&["-o", "x", "--machine", "amd-00h-00h", small], "cannot be used with"),
        (&["--asm", "x", "--header", "./x", small], "x and ./x are one file"),
    ] {
        refused(words, 2, says);
    }
}

#[test]
fn a_machine_without_winners_is_told_what_there_is() {
    refused(
        &["-o", "x", "--record", ".", "--machine", "amd-00h-00h"],
        1,
        "has no winners for amd-00h-00h, it has: none",
    );
}

#[test]
fn a_file_that_cannot_be_written_takes_the_others_with_it() {
    let small = "copy 17..=32 pairs width=sse16";
    refused(&["--asm", "x.S", "--header", "none/x.h", small], 1, "none/x.h was not written and is as it was");
    refused(
        &["--asm", "x.S", "--object", "x.o", "--header", "/dev/full", small],
        1,
        "/dev/full was not written in full",
    );
}

#[test]
fn files_that_were_there_are_replaced_and_single_files_are_the_same_as_all_three() {
    let small = "copy 17..=32 pairs width=sse16";
    let exported = Exported::new(&[small]);
    for (option, name) in [("--asm", "copies.S"), ("--object", "copies.o"), ("--header", "copies.h")] {
        let output = exported.command(&["export", option, "alone", small]);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), "alone\n"));
        assert_eq!(exported.read("alone"), exported.read(name));
    }
    assert_eq!(names(&exported).len(), 4);
}

/// The routine of a machine's winners, from records in a directory.
#[test]
fn without_a_text_the_winners_of_the_machine_are_exported() {
    let exported = Exported { dir: tempfile::tempdir().unwrap() };
    std::fs::create_dir_all(exported.path("records/amd-00h-00h")).unwrap();
    let winners = Winners {
        schema: SCHEMA,
        machine: "amd-00h-00h".to_owned(),
        isa: Isa::Sse2,
        seed: 1,
        classes: vec![Winner {
            span: Span::ALL,
            recipe: "copy 0.. string unit=1".parse().unwrap(),
            evidence: Evidence::Modelled,
        }],
        routine: Whole { text: EVERYWHERE.parse().unwrap(), evidence: Evidence::Modelled },
        provenance: Provenance { copysmith: "0.1.0".into(), emitter: "e".into(), space: "s".into() },
    };
    exported.write("records/amd-00h-00h/winners", &winners.to_json());
    let words = ["export", "--record", "records", "--machine", "amd-00h-00h", "-o", "winners"];
    let output = exported.command(&words);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let named = Exported::everywhere();
    assert_eq!(exported.read("winners.o"), named.read("copies.o"));
}
