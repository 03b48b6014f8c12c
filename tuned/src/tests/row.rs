use crate::{Entry, Evidence, Row};

fn row(first: usize, last: usize) -> Row {
    // SAFETY of calls: none is made.
    #[cfg(target_arch = "x86_64")]
    unsafe extern "sysv64" fn none(dst: *mut u8, _src: *const u8, _n: usize) -> *mut u8 {
        dst
    }
    #[cfg(not(target_arch = "x86_64"))]
    unsafe extern "C" fn none(dst: *mut u8, _src: *const u8, _n: usize) -> *mut u8 {
        dst
    }
    Row { first, last, recipe: "", entry: none as Entry, bytes: 1, evidence: Evidence::Modelled }
}

#[test]
fn rows_cover_when_each_starts_where_the_last_one_ended() {
    assert!(Row::cover(&[row(0, usize::MAX)]));
    assert!(Row::cover(&[row(0, 16), row(17, 17), row(18, usize::MAX)]));
}

#[test]
fn a_gap_an_overlap_an_open_end_and_disorder_are_seen() {
    let max = usize::MAX;
    assert!(!Row::cover(&[]), "no row");
    assert!(!Row::cover(&[row(1, max)]), "no length 0");
    assert!(!Row::cover(&[row(0, max - 1)]), "no upper end");
    assert!(!Row::cover(&[row(0, 16), row(18, max)]), "gap");
    assert!(!Row::cover(&[row(0, 16), row(16, max)]), "overlap");
    assert!(!Row::cover(&[row(17, max), row(0, 16)]), "disorder");
    assert!(!Row::cover(&[row(0, 16), row(17, 3), row(4, max)]), "backward");
    assert!(!Row::cover(&[row(0, max), row(0, max)]), "twice");
}

#[test]
fn a_row_moves_where_its_recipes_begin_with_that_word() {
    let moves = |recipe| Row { recipe, ..row(0, usize::MAX) }.moves();
    assert!(moves("move 17..=32 pairs width=sse16"));
    assert!(moves("cuts=32 | move 0..=32 chain width=sse16 | move 33.. string unit=1"));
    assert!(!moves("copy 33..=64 pairs width=sse16 moves=2"));
    assert!(!moves("cuts=32 | copy 0..=32 chain width=sse16 | copy 33.. string unit=1"));
    assert!(!moves("") && !moves("move"));
}
