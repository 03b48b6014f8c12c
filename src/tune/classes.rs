//! The size classes of a tune: fixed up to 4 KiB, then at the measured caches.

use super::situations::timed;
use crate::host::Caches;
use crate::time::LONGEST;
use copysmith_kernels::Span;

/// Class edges up to 4 KiB: where the number of moves of a vector doubles.
const SMALL: [usize; 8] = [16, 32, 64, 128, 256, 512, 1024, 4096];

/// Spans that cover every length once: edges up to 4 KiB are fixed; above, they follow half the L1 data cache, the L1 data cache,
/// the L2 cache and the L3 share, as far as each is known and at least half as large again as the edge before.
///
/// ```
/// use copysmith::host::{CacheLevel, CacheReading, CacheSource, Caches};
/// let says = |level, bytes| CacheReading { level, source: CacheSource::Sysfs, bytes };
/// let caches = Caches::reconcile(vec![says(CacheLevel::L1d, 32 << 10), says(CacheLevel::L2, 512 << 10)]);
/// let edges: Vec<String> = copysmith::tune::classes(&caches).iter().map(|span| span.to_string()).collect();
/// assert_eq!(edges[7..], ["1025..=4096", "4097..=16384", "16385..=32768", "32769..=524288", "524289.."]);
/// ```
pub fn classes(caches: &Caches) -> Vec<Span> {
    let size = |bytes: Option<u64>| bytes.and_then(|bytes| usize::try_from(bytes).ok());
    let l1 = size(caches.l1d);
    let large = [l1.map(|l1| l1 / 2), l1, size(caches.l2), size(caches.l3)];
    let mut edges = SMALL.to_vec();
    for edge in large.into_iter().flatten() {
        // A cut is an immediate of a compare: 31 bits.
        if edges.last().is_some_and(|&last| edge >= last + last / 2) && edge <= i32::MAX as usize {
            edges.push(edge);
        }
    }
    spans(&edges)
}

/// The spans between ascending edges, from 0 and to the end.
pub(super) fn spans(edges: &[usize]) -> Vec<Span> {
    let firsts = std::iter::once(0).chain(edges.iter().map(|edge| edge + 1));
    let lasts = edges.iter().copied().chain([usize::MAX]);
    firsts.zip(lasts).filter_map(|(first, last)| Span::new(first, last).ok()).collect()
}

/// Checks that spans given by hand cover every length once, in order.
///
/// # Errors
/// One line naming the span that does not start where the one before it ends, or what is missing at either end.
pub fn check_spans(spans: &[Span]) -> Result<(), String> {
    let mut expected = Some(0);
    for span in spans {
        match expected {
            Some(start) if span.first() == start => expected = span.last().checked_add(1),
            Some(start) => {
                return Err(format!("span {span} must start at {start}: spans cover every length once, in order"));
            }
            None => return Err(format!("span {span} comes after the open one; nothing is left for it")),
        }
        if timed(*span).last() > LONGEST {
            let (last, most) = (timed(*span).last(), LONGEST);
            return Err(format!(
                "span {span} would be timed up to {last} bytes; the longest copy that can be timed is {most}"
            ));
        }
        if !span.is_open() && span.last() > i32::MAX as usize {
            return Err(format!("span {span} ends too high; an edge is at most {}", i32::MAX));
        }
    }
    match expected {
        None => Ok(()),
        Some(start) => Err(format!("lengths from {start} on are in no span; end with {start}..")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(texts: &[&str]) -> Vec<Span> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn no_cache_known_still_covers_every_length() {
        let classes = classes(&Caches::reconcile(Vec::new()));
        assert_eq!(check_spans(&classes), Ok(()));
        assert_eq!(classes.last().unwrap().to_string(), "4097..");
    }

    #[test]
    fn gaps_overlaps_and_missing_ends_are_named() {
        for (texts, part) in [
            (&["0..=16", "18.."][..], "18.. must start at 17"),
            (&["0..=16", "16.."], "16.. must start at 17"),
            (&["1.."], "must start at 0"),
            (&["0..=16"], "end with 17.."),
            (&["0..", "5.."], "comes after the open one"),
            (&[], "end with 0.."),
            (&["0..=600000000", "600000001.."], "the longest copy that can be timed is 1073741824"),
        ] {
            let message = check_spans(&parsed(texts)).unwrap_err();
            assert!(message.contains(part), "{message}");
        }
    }
}
