//! The export as a C header: prototypes, and a function that asks the processor whether it can run them.

use super::head::{Needs, head};
use super::{Export, Function, Section};
use copysmith_kernels::recipe::Operation;
use copysmith_kernels::{Isa, Span};

/// The text of the file.
pub(super) fn header(export: &Export) -> String {
    let (prefix, needs) = (&export.prefix, Needs::of(export));
    let upper = prefix.as_str().to_ascii_uppercase();
    let functions = export.sections.iter().flat_map(|Section { functions, .. }| functions);
    let prototypes: String = functions.map(|function| prototype(*function, &function.symbol(prefix), &upper)).collect();
    format!(
        "{head}\
         #ifndef {upper}_H\n\
         #define {upper}_H\n\
         \n\
         #include <stddef.h>\n\
         {cpuid}\
         \n\
         #ifdef __cplusplus\n\
         #define {upper}_RESTRICT __restrict\n\
         extern \"C\" {{\n\
         #else\n\
         #define {upper}_RESTRICT restrict\n\
         #endif\n\
         \n\
         {prototypes}\
         {supported}\
         #ifdef __cplusplus\n\
         }}\n\
         #endif\n\
         #undef {upper}_RESTRICT\n\
         \n\
         #endif\n",
        head = head(export, "Memory copies for x86-64 under the System V calling convention"),
        cpuid = if needs.prefetchw { "#if defined(__x86_64__)\n#include <cpuid.h>\n#endif\n" } else { "" },
        supported = supported(prefix.as_str(), needs),
    )
}

fn prototype(function: Function, symbol: &str, upper: &str) -> String {
    let (operation, span) = function.promise();
    let (overlap, restrict) = match operation {
        Operation::Copy => ("are apart", format!("{upper}_RESTRICT ")),
        Operation::Move => ("may overlap", String::new()),
    };
    let result = if function == Function::Mempcpy { "dst + n" } else { "dst" };
    let bounds = match (span.first(), span.last()) {
        _ if span == Span::ALL => String::new(),
        (first, _) if span.is_open() => format!(" Only for n of {first} and more."),
        (first, last) => format!(" Only for n from {first} to {last}."),
    };
    let promise = format!("Copies n bytes from src to dst, which {overlap}; returns {result}.{bounds}");
    format!("/* {promise} */\nvoid *{symbol}(void *{restrict}dst, const void *{restrict}src, size_t n);\n\n")
}

/// The function that asks. The compiler's own questions look at what the system saves as well; `prefetchw` is no feature that
/// every compiler has a name for.
fn supported(prefix: &str, needs: Needs) -> String {
    let names: &[&str] = match needs.isa {
        Isa::Sse2 => &[],
        Isa::Avx => &["avx"],
        Isa::Avx512 => &["avx512f", "avx512bw", "avx512vl", "bmi2"],
    };
    let mut body = String::new();
    if needs.prefetchw {
        body.push_str(
            "    unsigned int a, b, c, d;\n    \
             if (!__get_cpuid(0x80000001u, &a, &b, &c, &d) || !(c >> 8 & 1))\n        return 0;\n",
        );
    }
    if names.is_empty() {
        body.push_str("    return 1;\n");
    } else {
        let asked: Vec<String> = names.iter().map(|name| format!("__builtin_cpu_supports(\"{name}\") != 0")).collect();
        let indented = "\n        && ";
        body.push_str(&format!("    __builtin_cpu_init();\n    return {};\n", asked.join(indented)));
    }
    format!(
        "/* Whether the functions above may be called: 1 where this processor and this system have all they need, otherwise 0.\n \
         * For GCC, clang and whatever else has their __builtin_cpu_supports. */\n\
         static inline int {prefix}_is_supported(void)\n\
         {{\n\
         #if defined(__x86_64__) && !defined(__ILP32__)\n\
         {body}\
         #else\n    return 0;\n#endif\n\
         }}\n\n"
    )
}
