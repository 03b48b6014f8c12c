//! Printed text is compiled and run, because only the compiler knows what it takes and the linker where it goes.
#![cfg(all(target_arch = "x86_64", target_os = "linux", target_pointer_width = "64"))]

use crate::fixture::{ByHand, LINES, this_machine, winners};
use crate::rustc::rustc;
use copysmith::print::{module, standalone, table, tables};
use std::path::Path;
use std::process::Command;

/// A program that tells on standard output which machine's table it copies with, after it has seen that every length is
/// copied, that each function stands on a cache line, and that its bytes are the ones given as arguments.
const PROGRAM: &str = r#"
fn main() {
    let expected: Vec<u8> = std::env::args().skip(1).map(|byte| byte.parse().unwrap()).collect();
    let src: Vec<u8> = (0..5000).map(|at| (at % 251) as u8).collect();
    for n in (0..=600).chain([4095, 4096, 4097]) {
        let mut dst = vec![0xa5; n + 64];
        tuned::copy(&mut dst[32..32 + n], &src[1..1 + n]);
        assert!(dst[32..32 + n] == src[1..1 + n], "{n} bytes");
        assert!(dst[..32].iter().chain(&dst[32 + n..]).all(|&byte| byte == 0xa5), "around {n} bytes");
    }
    for table in tuned::tables() {
        assert!(table.rows().len() == 3);
        for row in table.rows().iter().chain([table.routine()]) {
            assert!(row.entry() as usize % 64 == 0, "{} is at {:#x}", row.recipe(), row.entry() as usize);
            assert!(row.code() == expected, "{}: {:x?}", row.recipe(), row.code());
        }
    }
    let row = tuned::tables()[0].routine();
    let mut dst = [0; 100];
    let end = unsafe { row.entry()(dst.as_mut_ptr(), src.as_ptr(), 100) };
    assert!(end == dst.as_mut_ptr() && dst[..] == src[..100]);
    println!("{} of {}", tuned::machine().unwrap_or("none"), tuned::tables().len());
}
"#;

fn run(program: &Path) -> String {
    let bytes = LINES.iter().flat_map(|(bytes, _)| bytes.iter().map(u8::to_string));
    let output = Command::new(program).args(bytes).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

#[test]
fn a_standalone_module_compiles_in_both_editions_with_and_without_std() {
    let folder = tempfile::tempdir().unwrap();
    let text = standalone(&winners("amd-1ah-02h"), &ByHand::new()).unwrap();
    for (name, head) in [("module", ""), ("no_std", "#![no_std]\n")] {
        let file = folder.path().join(name).with_extension("rs");
        std::fs::write(&file, format!("{head}{text}")).unwrap();
        for edition in ["2021", "2024"] {
            if !rustc(&file, &folder.path().join("out.rlib"), &["--crate-type", "lib", "--edition", edition]) {
                return;
            }
        }
    }
}

#[test]
fn a_standalone_module_that_is_used_only_in_part_gives_no_warning() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tuned.rs"), standalone(&winners("amd-1ah-02h"), &ByHand::new()).unwrap())
        .unwrap();
    let main = folder.path().join("main.rs");
    std::fs::write(&main, "mod tuned;\nfn main() {\n    tuned::copy(&mut [0], &[1]);\n}\n").unwrap();
    rustc(&main, &folder.path().join("main"), &["--edition", "2021", "--emit", "metadata"]);
}

#[test]
fn a_standalone_table_copies_aligned_and_byte_for_byte_at_every_optimisation_and_lto_setting() {
    let folder = tempfile::tempdir().unwrap();
    let machine = this_machine();
    std::fs::write(folder.path().join("tuned.rs"), standalone(&winners(&machine), &ByHand::new()).unwrap()).unwrap();
    let main = folder.path().join("main.rs");
    std::fs::write(&main, format!("mod tuned;\n{PROGRAM}")).unwrap();
    let program = folder.path().join("main");
    for settings in [
        &["-C", "opt-level=0"][..],
        &["-C", "opt-level=3", "-C", "codegen-units=1"],
        &["-C", "opt-level=s", "-C", "panic=abort"],
        &["-C", "opt-level=2", "-C", "lto=thin"],
        &["-C", "opt-level=2", "-C", "lto=fat", "-C", "panic=abort"],
    ] {
        if !rustc(&main, &program, &[&["--edition", "2024"], settings].concat()) {
            return;
        }
        assert_eq!(run(&program), format!("{machine} of 1"), "{settings:?}");
    }
}

#[test]
fn a_standalone_table_of_another_machine_is_not_used_and_copies_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tuned.rs"), standalone(&winners("amd-00h-00h"), &ByHand::new()).unwrap())
        .unwrap();
    let main = folder.path().join("main.rs");
    std::fs::write(&main, format!("mod tuned;\n{PROGRAM}")).unwrap();
    let program = folder.path().join("main");
    if rustc(&main, &program, &["--edition", "2024"]) {
        assert_eq!(run(&program), "none of 1");
    }
}

#[test]
fn tables_printed_into_the_crate_compile_and_the_one_for_this_machine_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let src = folder.path().join("src");
    let crate_src = Path::new(env!("CARGO_MANIFEST_DIR")).join("tuned/src");
    std::fs::create_dir_all(src.join("table")).unwrap();
    for file in std::fs::read_dir(crate_src).unwrap().map(Result::unwrap).filter(|file| file.path().is_file()) {
        std::fs::copy(file.path(), src.join(file.file_name())).unwrap();
    }
    let machine = this_machine();
    let machines = [machine.as_str(), "amd-00h-00h"];
    for machine in machines {
        let file = src.join("table").join(module(machine).unwrap()).with_extension("rs");
        std::fs::write(file, table(&winners(machine), &ByHand::new()).unwrap()).unwrap();
    }
    std::fs::write(src.join("table/mod.rs"), tables(&machines).unwrap()).unwrap();
    let library = folder.path().join("libtuned.rlib");
    let crate_as = ["--crate-type", "lib", "--crate-name", "tuned", "--edition", "2024", "-C", "opt-level=2"];
    let features = [
        "--cfg",
        "feature=\"tables\"",
        "--check-cfg",
        "cfg(test)",
        "--check-cfg",
        "cfg(feature, values(\"tables\", \"source\"))",
    ];
    if !rustc(&src.join("lib.rs"), &library, &[&crate_as[..], &features].concat()) {
        return;
    }
    let main = folder.path().join("main.rs");
    std::fs::write(&main, PROGRAM).unwrap();
    let program = folder.path().join("main");
    let external = format!("tuned={}", library.display());
    rustc(&main, &program, &["--edition", "2024", "--extern", &external]);
    assert_eq!(run(&program), format!("{machine} of 2"));
}

#[test]
fn rows_that_leave_a_gap_do_not_compile() {
    let folder = tempfile::tempdir().unwrap();
    let text = standalone(&winners("amd-1ah-02h"), &ByHand::new()).unwrap();
    let broken = text.replacen("first: 8,", "first: 9,", 1);
    assert_ne!(broken, text);
    let file = folder.path().join("gap.rs");
    std::fs::write(&file, broken).unwrap();
    let compiled = std::panic::catch_unwind(|| {
        rustc(&file, &folder.path().join("gap.rlib"), &["--crate-type", "lib", "--edition", "2024"])
    });
    match compiled {
        Ok(true) => panic!("a table with a gap compiled"),
        Ok(false) => {}
        Err(said) => {
            let said = said.downcast_ref::<String>().expect("what the compiler said");
            assert!(said.contains("rows are in order and copy every length exactly once"), "{said}");
        }
    }
}
