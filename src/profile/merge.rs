//! Several profiles as one.

use super::call::{Call, Stretch};
use super::counts::Counts;
use super::header::{Header, SCHEMA};
use super::{MOST_CALLS, Profile};
use std::collections::HashMap;

/// One profile of all of these: counts are added, stretches follow each other, threads and callers are numbered anew.
///
/// # Errors
/// There is nothing to merge, or more than [`MOST_CALLS`] calls in order.
pub fn merge(profiles: &[Profile], name: &str) -> Result<Profile, String> {
    let headers = || profiles.iter().map(Profile::header);
    let first = headers().next().ok_or("there is nothing to merge; at least one profile is")?;
    let kept: u64 = profiles.iter().map(|profile| profile.calls().count() as u64).sum();
    if kept > MOST_CALLS {
        return Err(format!(
            "{kept} calls in order are too many; a profile has at most {MOST_CALLS}: sample them first"
        ));
    }
    let mut counts = Counts::default();
    headers().for_each(|header| counts.add(&header.functions, &header.lengths));
    let same = |of: fn(&Header) -> &Option<String>| headers().all(|header| of(header) == of(first));
    let names: Vec<&str> = headers().map(|header| header.name.as_str()).collect();
    let mut header = Header {
        schema: SCHEMA,
        name: name.to_owned(),
        source: format!("merged from {}", names.join(", ")),
        machine: first.machine.clone().filter(|_| same(|header| &header.machine)),
        libc: first.libc.clone().filter(|_| same(|header| &header.libc)),
        seconds: headers().map(|header| header.seconds).sum(),
        cpu_seconds: headers().map(|header| header.cpu_seconds).sum(),
        processes: headers().fold(0, |sum, header| sum.saturating_add(header.processes)),
        threads: headers().fold(0, |sum, header| sum.saturating_add(header.threads)),
        distances_below: headers().map(|header| header.distances_below).min().unwrap_or_default(),
        ..Header::default()
    };
    header.set(&counts);
    let (mut callers, mut stretches) = (HashMap::new(), Vec::new());
    let mut threads = 0;
    for profile in profiles.iter().cloned().map(|profile| profile.near(header.distances_below)) {
        let numbers: Vec<u32> = profile.header.callers.iter().map(|caller| intern(caller, &mut callers)).collect();
        let number = |call: Call| Call { caller: call.caller.map(|caller| numbers[caller as usize]), ..call };
        let next = profile.stretches.iter().map(|stretch| stretch.thread.saturating_add(1)).max().unwrap_or(0);
        for stretch in profile.stretches {
            let calls = stretch.calls.into_iter().map(number).collect();
            stretches.push(Stretch { thread: stretch.thread.saturating_add(threads), calls, ..stretch });
        }
        threads = threads.saturating_add(next);
    }
    let mut named: Vec<(String, u32)> = callers.into_iter().collect();
    named.sort_by_key(|(_, number)| *number);
    header.callers = named.into_iter().map(|(caller, _)| caller).collect();
    Profile::new(header, stretches)
}

fn intern(caller: &str, callers: &mut HashMap<String, u32>) -> u32 {
    let next = callers.len() as u32;
    *callers.entry(caller.to_owned()).or_insert(next)
}
