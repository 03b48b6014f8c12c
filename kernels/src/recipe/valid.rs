//! Which combinations of axis values are recipes. Every rule says what breaks without it.

use super::{
    Align, Beyond, Bottom, Fetch, Form, Head, Loop, Order, Prefetch, RecipeError, Shape, Side, StringMove, Tail, lines,
    merge,
};
use crate::Span;
use crate::plan::{Direction, Width};

/// Most values of one register file that a leaf may hold at once: five general registers are free beside the cursors of a short
/// shape, of which one stays for a computed offset; there are eight MMX registers, fourteen floating-point registers that a callee may
/// overwrite, and sixteen vector registers.
pub(crate) const fn values(width: Width) -> usize {
    match width {
        Width::B1 | Width::B2 | Width::B4 | Width::B8 => 4,
        Width::Mmx8 => 8,
        Width::Fp8 => 14,
        _ => 16,
    }
}

/// Longest length a jump table may have, and its most arms.
const TABLE_LAST: usize = 128;
const TABLE_ARMS: usize = 65;

pub(super) fn wrong<T>(why: impl Into<String>) -> Result<T, RecipeError> {
    Err(RecipeError::Combination(why.into()))
}

/// Whether the shape copies every length of the span.
pub(super) fn check(span: Span, shape: &Shape) -> Result<(), RecipeError> {
    merge::check_width(shape)?;
    match *shape {
        Shape::Pairs { width, moves, .. } => {
            if !(1..=8).contains(&moves) || 2 * moves as usize > values(width) {
                return wrong(format!(
                    "moves={moves} is not allowed with width={width}; from 1 to {} keep every load before the first store",
                    (values(width) / 2).min(8)
                ));
            }
            let once = moves as usize * width.bytes();
            within(span, once, 2 * once, shape)
        }
        Shape::Chain { width, bottom } => {
            if bottom == Bottom::Three && width.bytes() < 4 {
                return wrong(format!("bottom=three is not allowed with width={width}; it needs width 4 or more"));
            }
            within(span, 0, 2 * width.bytes(), shape)
        }
        Shape::BranchFree { width } => {
            if matches!(width, Width::B2) || width.bytes() > 32 {
                return wrong(format!(
                    "width={width} is not allowed for branch-free; 1, 4, 8, mmx8, fp8 or a vector of up to 32 bytes"
                ));
            }
            within(span, 0, if width == Width::B1 { 3 } else { 2 * width.bytes() }, shape)
        }
        Shape::Masked { width } => {
            if !width.has_partial() {
                return wrong(format!(
                    "width={width} is not allowed for masked; masked moves need vsx16 or an EVEX width"
                ));
            }
            within(span, 0, width.bytes(), shape)
        }
        Shape::Computed { width, moves, .. } => {
            if ![4, 8].contains(&moves) || moves as usize > values(width) {
                return wrong(format!(
                    "moves={moves} is not allowed with width={width}; 4, or 8 outside general registers"
                ));
            }
            within(span, width.bytes(), moves as usize * width.bytes(), shape)
        }
        Shape::JumpTable { .. } => {
            within(span, 0, TABLE_LAST, shape)?;
            if span.last() - span.first() >= TABLE_ARMS {
                return wrong(format!("span {span} is too long for a jump table; at most {TABLE_ARMS} lengths"));
            }
            Ok(())
        }
        Shape::String(ref string) => check_string(span, string),
        Shape::Loop(ref axes) => check_loop(span, axes),
    }
}

fn within(span: Span, first: usize, last: usize, shape: &Shape) -> Result<(), RecipeError> {
    if span.first() >= first && span.last() <= last {
        return Ok(());
    }
    wrong(format!("'{shape}' cannot copy all of {span}; it copies {first}..={last}"))
}

fn at_least(span: Span, least: usize, why: &str) -> Result<(), RecipeError> {
    if span.first() >= least {
        return Ok(());
    }
    wrong(format!("span {span} starts too low; {why} needs at least {least} bytes"))
}

fn check_string(span: Span, string: &StringMove) -> Result<(), RecipeError> {
    let StringMove { unit, align, tail, direction, guard } = *string;
    if !unit.is_general() {
        return wrong(format!("unit={unit} is not allowed; string moves have units of 1, 2, 4 or 8 bytes"));
    }
    if unit == Width::B1 && tail != Tail::String {
        return wrong(format!("tail={tail} is not allowed with unit=1; nothing is left over"));
    }
    if matches!(tail, Tail::Block | Tail::Mask | Tail::Early | Tail::Bits) {
        return wrong(format!("tail={tail} is not allowed for a string move; overlap, ladder, bytes or string"));
    }
    if tail == Tail::Overlap {
        at_least(span, unit.bytes(), "tail=overlap")?;
    }
    if let Some(guard) = guard.filter(|guard| ![16, 32, 64].contains(guard)) {
        return wrong(format!("guard={guard} is not allowed; guard is 16, 32 or 64 bytes"));
    }
    match align {
        Some(Align { head: head @ (Head::Mask | Head::Early), .. }) => {
            wrong(format!("head {head} is not allowed for a string move"))
        }
        Some(align) => check_align(span, align, Width::B8, direction),
        None => Ok(()),
    }
}

pub(super) fn check_loop(span: Span, axes: &Loop) -> Result<(), RecipeError> {
    let Loop { width, unroll, order, tail, direction, .. } = *axes;
    if !(1..=16).contains(&unroll) {
        return wrong(format!("unroll={unroll} is not allowed; unroll is a number from 1 to 16"));
    }
    match order {
        Order::Group(moves) if moves == 0 || unroll % moves != 0 => {
            return wrong(format!(
                "order={order} is not allowed with unroll={unroll}; the group must divide the unroll factor"
            ));
        }
        Order::Group(moves) if moves as usize > values(width) => {
            return wrong(format!(
                "order={order} is not allowed with width={width}; there are registers for groups of {}",
                values(width)
            ));
        }
        Order::Ahead if unroll < 2 => return wrong("order=ahead is not allowed with unroll=1; it needs two moves"),
        _ => {}
    }
    if ![1, 16, 32, 64].contains(&axes.loop_align) {
        return wrong(format!("loop-align={} is not allowed; loop-align is 1, 16, 32 or 64", axes.loop_align));
    }
    if let Some(align) = axes.align {
        if align.head == Head::Mask && (!width.has_partial() || align.to as usize > width.bytes()) {
            return wrong(format!(
                "align={align} is not allowed with width={width}; a masked head needs vsx16 or an EVEX width that covers it"
            ));
        }
        check_align(span, align, axes.edge(), direction)?;
    }
    lines::check(axes)?;
    merge::check(axes)?;
    check_form(axes)?;
    check_stores(axes)?;
    check_prefetch(axes)?;
    match tail {
        Tail::Block | Tail::Early => at_least(span, axes.block(), &format!("tail={tail}"))?,
        Tail::Overlap => at_least(span, width.bytes(), "tail=overlap")?,
        Tail::Mask if !width.has_partial() => {
            return wrong(format!(
                "tail=mask is not allowed with width={width}; masked moves need vsx16 or an EVEX width"
            ));
        }
        Tail::Mask if direction == Direction::Backward => {
            return wrong("tail=mask is not allowed with direction=backward");
        }
        _ => {}
    }
    check_early(axes)
}

/// What is loaded early is held until the end, beside what the loop has under way.
fn check_early(axes: &Loop) -> Result<(), RecipeError> {
    let Loop { width, tail, prefetch, direction, .. } = *axes;
    let [head, last] = axes.early();
    // Backward, an early head is stored at the end of the destination, which takes a general register to remember.
    let end = usize::from(head > 0 && direction == Direction::Backward && width.is_general());
    let held = axes.under_way() + usize::from(head) + usize::from(last) + end;
    if head + last > 0 && held > values(width) {
        return wrong(format!(
            "'{axes}' holds {held} values of width {width} at once: what is early, a group of its loop, and backward the end of an early \
             head; there are registers for {}",
            values(width)
        ));
    }
    let touches = prefetch.is_some_and(|prefetch| matches!(prefetch.fetch, Fetch::Touch | Fetch::Block));
    if let (Some(prefetch), true) = (prefetch, head + last > 0 && touches && width.is_general()) {
        return wrong(format!(
            "prefetch={prefetch} is not allowed with width={width} and an early head or tail; no register is left"
        ));
    }
    if head > 0 && matches!(tail, Tail::Ladder | Tail::Bits) && width == Width::Avx32 {
        return wrong(format!(
            "tail={tail} is not allowed with width=avx32 and an early head; it clears the upper halves"
        ));
    }
    Ok(())
}

/// The head may not copy more bytes than there are.
fn check_align(span: Span, align: Align, width: Width, direction: Direction) -> Result<(), RecipeError> {
    let to = align.to as usize;
    if !align.is_allowed() {
        return Err(RecipeError::value("align", &align.to_string(), Align::ALLOWED));
    }
    match align.head {
        Head::Overlap | Head::Early if to > 8 * width.bytes() => {
            wrong(format!("align={align} is not allowed with width={width}; an overlapping head has at most 8 moves"))
        }
        Head::Overlap | Head::Early => at_least(span, to.max(width.bytes()), &format!("align={align}")),
        Head::Mask if direction == Direction::Backward => wrong("head mask is not allowed with direction=backward"),
        Head::Bytes | Head::String | Head::Mask => at_least(span, to - 1, &format!("align={align}")),
    }
}

fn check_stores(axes: &Loop) -> Result<(), RecipeError> {
    let Loop { width, stores, align, prefetch, direction, .. } = *axes;
    if stores.non_temporal {
        match width {
            Width::B1
            | Width::B2
            | Width::Sse4
            | Width::Sse8
            | Width::Fp8
            | Width::Altivec16
            | Width::Vsx16
            | Width::Vsx32 => {
                return wrong(format!(
                    "stores=nt is not allowed with width={width}; non-temporal stores have 4 or 8 bytes of a general register, or a whole x86 vector"
                ));
            }
            Width::B4 | Width::B8 | Width::Mmx8 => {}
            // movntdq and vmovntdq fault on a misaligned address.
            _ => {
                if !align.is_some_and(|align| align.side == Side::Dst && align.to as usize >= width.bytes()) {
                    return wrong(format!(
                        "stores=nt with width={width} needs align=dst:{}:HEAD or more; the store faults on other addresses",
                        width.bytes()
                    ));
                }
            }
        }
    }
    if ![1, 2, 4].contains(&stores.streams) {
        return wrong(format!("{} streams are not allowed; 1, 2 or 4", stores.streams));
    }
    if stores.streams > 1 {
        if !PAGE.is_multiple_of(axes.block()) {
            return wrong(format!(
                "stores={stores} needs a block that divides {PAGE}; width times unroll is {}",
                axes.block()
            ));
        }
        if direction == Direction::Backward || prefetch.is_some_and(|prefetch| prefetch.fetch == Fetch::Block) {
            return wrong(format!("stores={stores} is not allowed with direction=backward or a block prefetch"));
        }
        if prefetch.is_some_and(|prefetch| prefetch.beyond == Beyond::Clamp) {
            return wrong(format!("stores={stores} is not allowed with a clamped prefetch; overrun or none"));
        }
        if axes.form != Form::Bump {
            return wrong(format!("stores={stores} is not allowed with form={}", axes.form));
        }
    }
    Ok(())
}

/// Turns are counted by a shift of the length.
fn check_form(axes: &Loop) -> Result<(), RecipeError> {
    let Loop { form, order, .. } = *axes;
    if matches!(form, Form::Count | Form::Update) && !axes.block().is_power_of_two() {
        return wrong(format!(
            "form={form} needs a block that is a power of two; width times unroll is {}",
            axes.block()
        ));
    }
    if form == Form::Update && order == Order::Ahead {
        return wrong("form=update is not allowed with order=ahead; pairs or group:K");
    }
    Ok(())
}

/// Bytes between interleaved streams.
pub(crate) const PAGE: usize = 4096;

fn check_prefetch(axes: &Loop) -> Result<(), RecipeError> {
    let Some(prefetch) = axes.prefetch else { return Ok(()) };
    if !prefetch.is_allowed() {
        return Err(RecipeError::value("prefetch", &prefetch.to_string(), Prefetch::ALLOWED));
    }
    if prefetch.fetch == Fetch::Block {
        if axes.direction == Direction::Backward || axes.form != Form::Bump {
            return wrong("a block prefetch is allowed with direction=forward and form=bump only");
        }
        if !(prefetch.distance as usize).is_multiple_of(axes.block()) {
            return wrong(format!(
                "prefetch={prefetch} needs a block of moves that divides {}; width times unroll is {}",
                prefetch.distance,
                axes.block()
            ));
        }
    }
    // A touch needs a value register of its own.
    let general =
        axes.width.is_general() && matches!(axes.order, Order::Group(moves) if moves as usize == values(axes.width));
    if matches!(prefetch.fetch, Fetch::Touch | Fetch::Block) && general {
        return wrong(format!("prefetch={prefetch} is not allowed with order={}; no register is left", axes.order));
    }
    if matches!(prefetch.fetch, Fetch::Touch | Fetch::Block) && prefetch.side != Side::Src {
        return wrong(format!("prefetch={prefetch} is not allowed; plain loads touch the source only"));
    }
    Ok(())
}
