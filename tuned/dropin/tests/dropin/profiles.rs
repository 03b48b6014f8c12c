//! The library under every profile: what its functions reach, and where they start.

use crate::build::{all, build, compile, telling};
use crate::library::{Library, Pointer};
use crate::programs;
use crate::reach::{reach, slot};

/// What the library exports.
const FUNCTIONS: [&str; 6] = ["memcpy", "memmove", "mempcpy", "__memcpy_chk", "__memmove_chk", "__mempcpy_chk"];

/// Whatever has a name here is not to be reached. The way to the end of the program may leave the library, but not copy on its way.
fn forbidden(name: &str) -> bool {
    let copies = ["memcpy", "memmove", "mempcpy", "memset", "memcmp", "bcmp", "bcopy", "bzero"];
    let plain = name.trim_start_matches("__").trim_end_matches("_chk");
    copies.contains(&plain) || ["alloc", "malloc", "free", "lock", "panic"].iter().any(|part| name.contains(part))
}

/// Looks at one build.
fn look(library: &Library, profile: &str) {
    let exported: Vec<&str> = library.exported.keys().map(String::as_str).collect();
    let mut expected = FUNCTIONS;
    expected.sort_unstable();
    assert_eq!(exported, expected, "{profile}");
    for function in FUNCTIONS {
        let reached = reach(library, function, &forbidden).unwrap_or_else(|path| panic!("{profile}: {path}"));
        let tables = library.named("copysmith_tuned5table").filter(|(at, _)| reached.contains_key(at)).count();
        assert!(tables >= 2, "{profile}: {function} reaches the routines: {reached:?}");
        let others = reached.keys().filter(|at| library.functions.get(at).is_none_or(|it| !it.name.contains("5table")));
        let ends = if function.ends_with("_chk") { 2 } else { 1 };
        assert!(others.count() <= ends + 1, "{profile}: {function}: {reached:?}");
    }
    // Before any constructor, copies are the baseline's.
    let (baseline, _) = library.named("5table6x86_647routine").next().expect("it has a symbol");
    for function in FUNCTIONS {
        assert_eq!(library.pointers[&slot(library, function)], Pointer::Inside(baseline), "{profile}: {function}");
    }
}

#[test]
fn no_function_reaches_a_copy_of_its_own_or_of_libc_and_programs_run_in_every_profile() {
    let profiles = if std::env::var_os("COPYSMITH_EVERY_PROFILE").is_some() { all() } else { telling() };
    for profile in profiles {
        let built = build(profile);
        look(&Library::read(&built.path), &profile.to_string());
        programs::run(&built.path, &profile.to_string());
    }
}

#[test]
fn a_copy_that_was_compiled_into_a_call_of_itself_is_found() {
    let faulty = compile(
        "#[unsafe(no_mangle)]
         pub unsafe extern \"C\" fn memmove(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
             unsafe { core::ptr::copy(src, dst, n) };
             dst
         }
         #[unsafe(no_mangle)]
         pub unsafe extern \"C\" fn memcpy(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
             for at in 0..n { unsafe { *dst.add(at) = *src.add(at) } }
             unsafe { other(dst, src, n) }
         }
         #[inline(never)]
         unsafe fn other(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
             unsafe { core::ptr::copy(src, dst, n) };
             core::hint::black_box(dst)
         }",
    );
    let library = Library::read(&faulty.path);
    for function in ["memmove", "memcpy"] {
        let path = reach(&library, function, &forbidden).unwrap_err();
        assert!(path.starts_with(function) && path.ends_with("-> memmove"), "{path}");
    }
}
