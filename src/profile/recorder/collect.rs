//! What all processes wrote, as one.

use super::maps::Maps;
use super::process::Process;
use crate::profile::header::SCHEMA;
use crate::profile::layout::DISTANCES_BELOW;
use crate::profile::sample::choose;
use crate::profile::{Counts, Extent, Header, MOST_CALLS, Stretch};
use crate::regular;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How the recorder comes by calls, as profiles say it.
const SOURCE: &str = concat!("copysmith ", env!("CARGO_PKG_VERSION"), " record: a preloaded library");

/// A header that knows what was copied but not by what, and the calls.
pub struct Collected {
    pub header: Header,
    pub stretches: Vec<Stretch>,
}

/// Everything in the directory, with at most `budget` calls in order, chosen over all processes.
///
/// # Errors
/// The system's.
pub fn collect(dir: &Path, budget: u64) -> io::Result<Collected> {
    let processes = processes(dir)?;
    let mut counts = Counts::default();
    let (mut threads, mut extents, mut places) = (0u32, Vec::new(), Vec::new());
    for (number, process) in processes.iter().enumerate() {
        counts.add(&process.counts.functions(), &process.counts.lengths());
        for (index, place) in process.stretches.iter().enumerate() {
            extents.push(Extent { thread: place.extent.thread.saturating_add(threads), ..place.extent });
            places.push((number, index));
        }
        threads = threads.saturating_add(process.threads);
    }
    let mut header = Header {
        schema: SCHEMA,
        source: SOURCE.to_owned(),
        processes: processes.len() as u64,
        threads: threads.into(),
        distances_below: DISTANCES_BELOW,
        ..Header::default()
    };
    header.set(&counts);
    let (mut stretches, mut numbers) = (Vec::new(), HashMap::new());
    for (index, part) in choose(&extents, budget.min(MOST_CALLS)) {
        let (number, place) = places[index];
        let (process, extent) = (&processes[number], &extents[index]);
        let name = |address| {
            let next = numbers.len() as u32;
            *numbers.entry(process.maps.name(address)).or_insert(next)
        };
        let from = extent.from.saturating_add(part.start);
        let calls = process.calls(&process.stretches[place], part, name)?;
        if !calls.is_empty() {
            stretches.push(Stretch { thread: extent.thread, from, calls });
        }
    }
    let mut callers: Vec<(String, u32)> = numbers.into_iter().collect();
    callers.sort_by_key(|(_, number)| *number);
    header.callers = callers.into_iter().map(|(caller, _)| caller).collect();
    Ok(Collected { header, stretches })
}

/// The processes that copied something, in the order in which they began.
fn processes(dir: &Path) -> io::Result<Vec<Process>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    let mut processes = Vec::new();
    for path in paths.iter().filter(|path| is_of_process(path)) {
        let maps = regular::read(&path.with_added_extension("maps")).unwrap_or_default();
        // One that cannot be opened is not the recorder's: the directory is open to other users.
        let Ok(process) = Process::read(path, Maps::parse(&String::from_utf8_lossy(&maps))) else { continue };
        processes.extend(process);
    }
    processes.sort_by_key(|process| process.started);
    Ok(processes)
}

/// `PROCESS.PROGRAM`, both numbers, and a file: a device or a link is not followed.
fn is_of_process(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let numbers = name.split_once('.').is_some_and(|(process, program)| {
        [process, program].iter().all(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    });
    numbers && fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}
