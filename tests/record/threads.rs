//! Threads: all at once, one after the other, and more than have a place of their own.

use crate::program::Program;

const THREADS: &str = "
    use core::sync::atomic::{AtomicUsize, Ordering::*};
    static READY: AtomicUsize = AtomicUsize::new(0);
    fn start(threads: &mut [usize]) { unsafe {
        for (number, thread) in threads.iter_mut().enumerate() {
            pthread_create(thread, core::ptr::null(), body, number as *mut c_void);
        }
    } }
    fn join(threads: &[usize]) { unsafe { for &thread in threads { pthread_join(thread, core::ptr::null_mut()); } } }
";

#[test]
fn sixty_four_threads_that_begin_at_once_each_have_their_calls_in_order() {
    let run = Program::new(&format!(
        "{THREADS}
         extern \"C\" fn body(number: *mut c_void) -> *mut c_void {{
             READY.fetch_add(1, SeqCst);
             while READY.load(SeqCst) < 64 {{ core::hint::spin_loop(); }}
             for n in 0..3000 {{ copy(1001 + number as usize * 40 + n % 40); }}
             core::ptr::null_mut()
         }}
         #[unsafe(no_mangle)] extern \"C\" fn main() -> c_int {{
             let mut threads = [0; 64];
             start(&mut threads);
             join(&threads);
             0
         }}"
    ))
    .record(&[]);
    let stretches: Vec<Vec<u64>> = run
        .profile
        .stretches()
        .iter()
        .map(|stretch| stretch.calls().iter().map(|call| call.length).filter(|length| *length > 1000).collect())
        .filter(|lengths: &Vec<u64>| !lengths.is_empty())
        .collect();
    assert_eq!(stretches.len(), 64);
    for lengths in stretches {
        let first = lengths[0];
        assert_eq!(lengths, (0..3000).map(|n| first + n % 40).collect::<Vec<u64>>());
    }
    for thread in 0..64 {
        assert_eq!(run.count(1001 + thread * 40), 75);
    }
}

#[test]
fn more_threads_than_have_a_block_are_counted_exactly_all_the_same() {
    let run = Program::new(&format!(
        "{THREADS}
         extern \"C\" fn body(_: *mut c_void) -> *mut c_void {{
             for n in 0..10 {{ copy(1001 + n); }}
             unsafe {{ memmove(to(), from(), 5000); }}
             core::ptr::null_mut()
         }}
         #[unsafe(no_mangle)] extern \"C\" fn main() -> c_int {{
             for _ in 0..250 {{
                 let mut threads = [0; 4];
                 start(&mut threads);
                 join(&threads);
             }}
             0
         }}"
    ))
    .record(&[]);
    assert!(run.profile.header().threads >= 1000);
    for length in 1001..1011 {
        assert_eq!(run.count(length), 1000);
    }
    let long = run.profile.header().lengths.iter().find(|count| count.first == 4608).unwrap();
    assert_eq!((long.calls, long.bytes), (1000, 5_000_000));
    assert!(run.profile.header().functions["memmove"] >= 1000);
}

#[test]
fn forks_while_other_threads_copy_leave_every_count_right() {
    let run = Program::new(&format!(
        "{THREADS}
         extern \"C\" fn body(_: *mut c_void) -> *mut c_void {{
             for _ in 0..20000 {{ copy(1001); }}
             core::ptr::null_mut()
         }}
         #[unsafe(no_mangle)] extern \"C\" fn main() -> c_int {{ unsafe {{
             let mut threads = [0; 4];
             start(&mut threads);
             for _ in 0..20 {{
                 let process = fork();
                 if process == 0 {{ for _ in 0..10 {{ copy(2001); }} _exit(0); }}
                 waitpid(process, core::ptr::null_mut(), 0);
             }}
             join(&threads);
             0
         }} }}"
    ))
    .record(&[]);
    assert_eq!((run.count(1001), run.count(2001)), (80_000, 200));
    assert_eq!(run.profile.header().processes, 21);
}
