//! Children write files of their own, however they come to be, and whatever becomes of them.

use crate::program::Program;

#[test]
fn a_child_that_is_forked_counts_for_itself_and_the_parent_goes_on() {
    let run = Program::new(
        "#[unsafe(no_mangle)] extern \"C\" fn main() -> c_int { unsafe {
             for n in 1001..1101 { copy(n); }
             for child in 0..3 {
                 let process = fork();
                 if process == 0 {
                     for n in 2001..2101 + child { copy(n as usize); }
                     if child == 1 { let grandchild = fork(); if grandchild == 0 { copy(4001); _exit(0); }
                                     waitpid(grandchild, core::ptr::null_mut(), 0); }
                     _exit(child);
                 }
                 waitpid(process, core::ptr::null_mut(), 0);
                 copy(3001 + child as usize);
             }
             0
         } }",
    )
    .record(&[]);
    let header = run.profile.header();
    assert_eq!((header.processes, header.threads), (5, 5));
    assert_eq!((run.count(1001), run.count(2001), run.count(2101), run.count(2102)), (1, 3, 2, 1));
    let of_children = run.profile.stretches().iter().map(|stretch| {
        stretch.calls().iter().map(|call| call.length).filter(|length| *length > 1000).collect::<Vec<u64>>()
    });
    let expected: Vec<Vec<u64>> = vec![
        (1001..1101).chain(3001..3004).collect(),
        (2001..2101).collect(),
        (2001..2102).collect(),
        vec![4001],
        (2001..2103).collect(),
    ];
    assert_eq!(of_children.collect::<Vec<_>>(), expected);
}

#[test]
fn a_program_that_is_executed_after_vfork_counts_for_itself() {
    let run = Program::new(
        "#[unsafe(no_mangle)] extern \"C\" fn main(words: c_int, word: *const *const c_char) -> c_int { unsafe {
             if words > 1 { for n in 2001..2011 { copy(n); } return 5; }
             copy(1001);
             let process = vfork();
             if process == 0 {
                 let words = [*word, c\"child\".as_ptr(), core::ptr::null()];
                 execv(*word, words.as_ptr());
                 _exit(99);
             }
             let mut status = 0;
             waitpid(process, &mut status, 0);
             copy(1002);
             status >> 8
         } }",
    )
    .record(&[]);
    assert_eq!(run.output.status.code(), Some(5));
    assert_eq!(run.profile.header().processes, 2);
    assert_eq!(run.lengths(), [1001, 1002].into_iter().chain(2001..2011).collect::<Vec<u64>>());
}

#[test]
fn a_program_that_another_replaces_in_the_same_process_is_kept() {
    let run = Program::new(
        "#[unsafe(no_mangle)] extern \"C\" fn main(words: c_int, word: *const *const c_char) -> c_int { unsafe {
             copy(1000 + words as usize);
             if words < 4 {
                 let mut next = [core::ptr::null(); 5];
                 for index in 0..words as usize + 1 { next[index] = *word; }
                 execv(*word, next.as_ptr());
             }
             0
         } }",
    )
    .record(&[]);
    assert_eq!(run.lengths(), [1001, 1002, 1003, 1004]);
}
