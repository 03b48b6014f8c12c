//! A signal handler that notes the address of a fault, then lets the child die of it.

use crate::run::watch::Watch;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Where the handler notes. One child, one candidate, one watch.
static WATCH: AtomicPtr<Watch> = AtomicPtr::new(ptr::null_mut());

/// From now on, until this process ends, faults are noted on the watch. Only for a child that ends while `watch` lives.
pub(super) fn install(watch: &Watch) {
    WATCH.store(ptr::from_ref(watch).cast_mut(), Ordering::Release);
    // SAFETY: an all-zero action is valid and is completed before use; the handler has the type SA_SIGINFO asks for.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        // On the alternate stack that Rust gives each thread: the routine may have ruined the one it runs on.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESETHAND;
        for signal in [libc::SIGSEGV, libc::SIGBUS] {
            libc::sigaction(signal, &raw const action, ptr::null_mut());
        }
    }
}

/// Notes and returns. The action is the default again by then, so the same instruction faults once more, and for good.
extern "C" fn handler(_signal: i32, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: `install` stored a watch that lives until this process ends.
    let watch = unsafe { WATCH.load(Ordering::Acquire).as_ref() };
    if let (Some(watch), false) = (watch, info.is_null()) {
        // SAFETY: the kernel passes a complete `siginfo_t` to an SA_SIGINFO handler.
        watch.note_fault(unsafe { (*info).si_addr() } as usize);
    }
}
