//! The header under every standard it is for, and its question to the processor.

use crate::exported::{AVX512, EVERYWHERE, Exported, PREFETCHW};
use copysmith::host::Features;
use std::process::Command;

/// The prototypes must be the functions' own: each is assigned to a pointer of the type that C's functions have.
const USE: &str = "
#include \"copies.h\"
#include \"copies.h\"
#include <stdio.h>
#ifndef __cplusplus
#define same restrict
#else
#define same __restrict
#endif
static void *(*first)(void *same, const void *same, size_t) = copysmith_memcpy;
static void *(*second)(void *same, const void *same, size_t) = copysmith_mempcpy;
int main(void)
{
    printf(\"%d %d\\n\", copysmith_is_supported(), first != second);
    return 0;
}
";

#[test]
fn every_standard_takes_the_header_without_a_warning_and_it_knows_this_processor() {
    let here = Features::read();
    for (text, supported) in [(EVERYWHERE, true), (AVX512, here.avx512), (PREFETCHW, here.avx && here.prefetchw)] {
        let exported = Exported::new(&[text]);
        for (tool, language, standards) in [
            ("cc", "c", &["c99", "c11", "c17"][..]),
            ("c++", "c++", &["c++11", "c++17", "c++20"]),
            ("clang", "c", &["c99"]),
        ] {
            exported.write("use.c", USE);
            for standard in standards {
                let standard = format!("-std={standard}");
                let arguments = [
                    "-x",
                    language,
                    &standard,
                    "-O2",
                    "-Wall",
                    "-Wextra",
                    "-Werror",
                    "-pedantic",
                    "-Wl,--fatal-warnings",
                    "use.c",
                    "-x",
                    "none",
                    "copies.o",
                    "-o",
                    "use",
                ];
                if exported.tool(tool, &arguments) {
                    let output = Command::new(exported.path("use")).output().unwrap();
                    let expected = format!("{} 1\n", u8::from(supported));
                    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{tool} {standard}: {text}");
                }
            }
        }
    }
}

#[test]
fn where_the_code_cannot_run_the_header_says_so() {
    let exported = Exported::everywhere();
    // Any other machine, as far as a header can see.
    let arguments = ["-std=c99", "-U__x86_64__", "-O2", "-S", "-o", "-", "-Wall", "-Werror"];
    exported.write("asks.c", "#include \"copies.h\"\nint asks(void) { return copysmith_is_supported(); }\n");
    let output = Command::new("cc").args(arguments).arg("asks.c").current_dir(exported.dir.path()).output();
    let Ok(output) = output else {
        println!("skipped: there is no cc");
        return;
    };
    let assembly = String::from_utf8(output.stdout).unwrap();
    assert!(assembly.contains("xorl\t%eax, %eax") && !assembly.contains("$1"), "{assembly}");
}
