//! Programs in C with the exported functions, which look for themselves.

use crate::exported::{Exported, MOVE};
use std::process::Command;

/// Every length up to 1100 between regions with sentinels around, at several offsets.
const CHECK: &str = r#"
#include "copies.h"
#include <stdio.h>

static unsigned char from[1400], to[1400];

static int wrong(int end, size_t n, size_t src, size_t dst)
{
    size_t at;
    void *result;
    for (at = 0; at < sizeof to; at++) {
        from[at] = (unsigned char)((at * 7 + n) % 251);
        to[at] = 0xa5;
    }
    result = end ? copysmith_mempcpy(to + dst, from + src, n) : copysmith_memcpy(to + dst, from + src, n);
    if (result != to + dst + (end ? n : 0))
        return 1;
    for (at = 0; at < sizeof to; at++) {
        unsigned char expected = at >= dst && at < dst + n ? from[src + at - dst] : 0xa5;
        if (to[at] != expected || from[at] != (unsigned char)((at * 7 + n) % 251))
            return 1;
    }
    return 0;
}

int main(void)
{
    static const size_t places[] = {64, 65, 71, 80, 95, 127};
    size_t n, i, j;
    int end;
    for (end = 0; end < 2; end++)
        for (n = 0; n <= 1100; n++)
            for (i = 0; i < 6; i++)
                for (j = 0; j < 6; j++)
                    if (wrong(end, n, places[i], places[j])) {
                        printf("wrong: end %d, n %zu, src %zu, dst %zu\n", end, n, places[i], places[j]);
                        return 1;
                    }
    printf("right\n");
    return 0;
}
"#;

/// Moves of every length up to 700 by up to 300 bytes either way, and that the three functions are there.
const OVERLAP: &str = r#"
#include "copies.h"
#include <stdio.h>

static unsigned char buffer[1400], before[1400];

int main(void)
{
    size_t n, at;
    int distance;
    for (n = 0; n <= 700; n++)
        for (distance = -300; distance <= 300; distance += n % 3 + 1) {
            unsigned char *src = buffer + 320, *dst = src + distance;
            for (at = 0; at < sizeof buffer; at++)
                before[at] = buffer[at] = (unsigned char)(at * 7 % 251 + n);
            if (copysmith_memmove(dst, src, n) != dst)
                return 1;
            for (at = 0; at < sizeof buffer; at++) {
                int moved = buffer + at >= dst && buffer + at < dst + n;
                if (buffer[at] != (moved ? before[at - distance] : before[at])) {
                    printf("wrong: n %zu, dst = src%+d\n", n, distance);
                    return 1;
                }
            }
        }
    printf("%d\n", copysmith_memcpy(buffer, before, 700) == (char *)copysmith_mempcpy(buffer, before, 700) - 700);
    return 0;
}
"#;

/// A copy that faults, and a handler that walks the stack from there to `main`.
const UNWIND: &str = r#"
#include "copies.h"
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unwind.h>

int main(void);
static uintptr_t callers[64];
static int depth;

static _Unwind_Reason_Code note(struct _Unwind_Context *context, void *unused)
{
    (void)unused;
    if (depth < 64)
        callers[depth++] = (uintptr_t)_Unwind_FindEnclosingFunction((void *)_Unwind_GetIP(context));
    return _URC_NO_REASON;
}

static int has(void *function)
{
    int at;
    for (at = 0; at < depth; at++)
        if (callers[at] == (uintptr_t)function)
            return 1;
    return 0;
}

static void faulted(int number)
{
    (void)number;
    _Unwind_Backtrace(note, NULL);
    printf("%s\n", has((void *)copysmith_memcpy) && has((void *)main) ? "main" : "lost");
    fflush(stdout);
    _Exit(0);
}

int main(void)
{
    char to[256];
    signal(SIGSEGV, faulted);
    copysmith_mempcpy(to, (void *)16, sizeof to);
    return 1;
}
"#;

fn says(exported: &Exported, program: &str, expected: &str) {
    exported.write("program.c", program);
    for (form, linked) in [("copies.o", "-static"), ("copies.S", "-pie"), ("copies.o", "-no-pie")] {
        let arguments = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-Wl,--fatal-warnings", linked];
        if exported.tool("cc", &[&arguments[..], &["program.c", form, "-o", "program"]].concat()) {
            let output = Command::new(exported.path("program")).output().unwrap();
            let said = String::from_utf8(output.stdout).unwrap();
            assert_eq!((output.status.code(), &*said), (Some(0), expected), "{form} {linked}");
        }
    }
}

#[test]
fn a_program_copies_every_length_and_touches_nothing_beside() {
    says(&Exported::everywhere(), CHECK, "right\n");
}

#[test]
fn an_unwinder_finds_its_way_out_of_a_copy_that_faults() {
    says(&Exported::everywhere(), UNWIND, "main\n");
}

#[test]
fn a_routine_that_moves_is_all_three_functions_and_moves_under_every_overlap() {
    says(&Exported::new(&[MOVE]), OVERLAP, "1\n");
}
