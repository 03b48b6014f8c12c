//! Three ways to the same bytes: the object, the assembled text, and the emitter.

use crate::exported::{AVX512, EVERYWHERE, Exported, MOVE, PREFETCHW, routine};
use copysmith_kernels::{Target, X86_64};
use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};

/// What counts of a section of code: its name, its bytes, its alignment, and its symbols: name, place, size, whether others see it.
type Code = (String, Vec<u8>, u64, Vec<(String, u64, u64, bool)>);

fn code(file: &[u8]) -> Vec<Code> {
    let file = object::File::parse(file).unwrap();
    let sections = file.sections().filter(|section| section.kind() == SectionKind::Text && section.size() > 0);
    sections
        .map(|section| {
            assert_eq!(section.relocations().count(), 0, "position-independent, and nothing to link");
            let inside = file.symbols().filter(|symbol| symbol.section_index() == Some(section.index()));
            let named = inside.filter(|symbol| symbol.kind() == SymbolKind::Text);
            let mut symbols: Vec<_> = named
                .map(|symbol| (symbol.name().unwrap().to_owned(), symbol.address(), symbol.size(), symbol.is_global()))
                .collect();
            symbols.sort();
            (section.name().unwrap().to_owned(), section.data().unwrap().to_vec(), section.align(), symbols)
        })
        .collect()
}

/// Whether every function is described for unwinders, as (place, size) of each description with the symbol it is relative to.
fn described(file: &[u8]) -> Vec<(u64, u32)> {
    let file = object::File::parse(file).unwrap();
    let section = file.section_by_name(".eh_frame").unwrap();
    let data = section.data().unwrap();
    section
        .relocations()
        .map(|(at, relocation)| {
            let length = data[at as usize + 4..][..4].try_into().unwrap();
            (relocation.addend() as u64, u32::from_le_bytes(length))
        })
        .collect()
}

/// The emitted code of a routine, the functions asked for, and the place of mempcpy if it is one of them.
fn compare(text: &str, functions: &str) {
    let exported = Exported::new(&["--as", functions, text]);
    let object = exported.read("copies.o");
    let emitted = X86_64.emit(&routine(text).plan()).unwrap().bytes;
    let of_object = code(&object);
    let [(name, bytes, align, symbols)] = &of_object[..] else { panic!("{of_object:?}") };
    assert_eq!((&bytes[..emitted.len()], *align), (&emitted[..], 64), "{text}");
    assert_eq!(name, &format!(".text.copysmith_{}", functions.split(',').next().unwrap()));
    for function in functions.split(',') {
        let symbol = symbols.iter().find(|symbol| symbol.0 == format!("copysmith_{function}")).unwrap();
        assert!(symbol.3, "{function} is there for others");
        match function {
            "mempcpy" => assert_eq!((symbol.1 % 16, symbol.1 + symbol.2), (0, bytes.len() as u64)),
            _ => assert_eq!((symbol.1, symbol.2), (0, emitted.len() as u64)),
        }
    }
    assert!(object::File::parse(&object[..]).unwrap().section_by_name(".note.GNU-stack").is_some());
    assert_eq!(described(&object).len(), if functions.contains("mempcpy") { 2 } else { 1 });
    for tool in ["cc", "clang"] {
        if exported.tool(tool, &["-c", "-Wall", "-Wextra", "-Wa,--fatal-warnings", "copies.S", "-o", "from.o"]) {
            let assembled = exported.read("from.o");
            assert_eq!(code(&assembled), of_object, "{tool}: {text}");
            assert_eq!(described(&assembled), described(&object), "{tool}: {text}");
            assert!(object::File::parse(&assembled[..]).unwrap().section_by_name(".note.GNU-stack").is_some());
        }
    }
    // Without the preprocessor too.
    if exported.tool("as", &["--fatal-warnings", "copies.S", "-o", "as.o"]) {
        assert_eq!(code(&exported.read("as.o")), of_object, "{text}");
    }
}

#[test]
fn object_and_assembled_text_are_what_the_emitter_gives() {
    compare(EVERYWHERE, "memcpy,mempcpy");
    compare(AVX512, "memcpy");
    compare(PREFETCHW, "mempcpy,memcpy");
    compare(MOVE, "memcpy,memmove,mempcpy");
}

#[test]
fn mempcpy_alone_brings_the_copy_along_and_hides_it() {
    compare(AVX512, "mempcpy");
    let exported = Exported::new(&["--as", "mempcpy", AVX512]);
    let of_object = code(&exported.read("copies.o"));
    let hidden = of_object[0].3.iter().find(|symbol| symbol.0 == "copysmith_memcpy").unwrap();
    assert!(!hidden.3);
    assert!(!String::from_utf8(exported.read("copies.h")).unwrap().contains("copysmith_memcpy("));
}

#[test]
fn the_same_routine_gives_the_same_files_anywhere_and_their_head_says_how_to_make_them() {
    let first = Exported::new(&["--name", "p", EVERYWHERE]);
    for file in ["copies.S", "copies.h"] {
        let text = String::from_utf8(first.read(file)).unwrap();
        let command = format!("copysmith export -o STEM --name p --as memcpy,mempcpy '{}'", routine(EVERYWHERE));
        assert!(text.contains(&format!(" *     {command}\n")), "{text}");
        assert!(!text.contains(first.dir.path().to_str().unwrap()));
    }
    let words = ["--name", "p", "--as", "memcpy,mempcpy", &routine(EVERYWHERE).to_string()];
    let second = Exported::new(&words);
    for file in ["copies.S", "copies.o", "copies.h"] {
        assert_eq!(first.read(file), second.read(file), "{file}");
    }
}

#[test]
fn a_kernel_of_some_lengths_is_named_after_them() {
    for (text, name) in [
        ("copy 17..=32 pairs width=sse16", "k_copy_17_32"),
        ("move 200.. loop width=sse16 unroll=4 tail=early", "k_move_200_up"),
    ] {
        let exported = Exported::new(&["--name", "k", text]);
        let names: Vec<String> =
            code(&exported.read("copies.o")).remove(0).3.into_iter().map(|symbol| symbol.0).collect();
        assert_eq!(names, [name]);
        assert!(String::from_utf8(exported.read("copies.h")).unwrap().contains(&format!("void *{name}(void *")));
    }
}
