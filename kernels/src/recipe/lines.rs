//! What a loop must keep to that prefetches lines of another length, or sets whole blocks of the destination to zero before it writes them.

use super::valid::wrong;
use super::{Fetch, Loop, RecipeError, Side, Stores};

const BYTES: [u8; 3] = [32, 64, 128];

/// Whether lines and blocks are whole, and blocks are written wholly.
pub(super) fn check(axes: &Loop) -> Result<(), RecipeError> {
    let Loop { prefetch, line, align, zero, stores, .. } = *axes;
    if !BYTES.contains(&line) {
        return wrong(format!("line={line} is not allowed; line is 32, 64 or 128"));
    }
    match prefetch {
        None if line != 64 => return wrong(format!("line={line} is not allowed without a prefetch")),
        Some(prefetch) if matches!(prefetch.fetch, Fetch::Touch | Fetch::Block) && line != 64 => {
            return wrong(format!(
                "line={line} is not allowed with prefetch={prefetch}; plain loads touch lines of 64"
            ));
        }
        Some(prefetch) if !prefetch.distance.is_multiple_of(line.into()) => {
            return wrong(format!("prefetch={prefetch} is not allowed with line={line}; BYTES is a multiple of that"));
        }
        _ => {}
    }
    let Some(bytes) = zero else { return Ok(()) };
    if !BYTES.contains(&bytes) {
        return wrong(format!("zero={bytes} is not allowed; zero is 32, 64 or 128"));
    }
    if !align.is_some_and(|align| align.side == Side::Dst && align.to >= bytes) {
        return wrong(format!("zero={bytes} needs align=dst:{bytes}:HEAD or more; it zeroes whole blocks"));
    }
    if !axes.block().is_multiple_of(bytes.into()) {
        return wrong(format!(
            "zero={bytes} needs turns of a multiple of {bytes} bytes; width times unroll is {}",
            axes.block()
        ));
    }
    if stores != Stores::PLAIN {
        return wrong(format!("zero={bytes} is not allowed with stores={stores}; plain"));
    }
    Ok(())
}
