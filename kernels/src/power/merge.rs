//! Misaligned data put together from aligned loads.
//!
//! In memory order the bytes wanted start some bytes into the first of two values. In a register the first byte in memory is the highest on a
//! big-endian machine and the lowest on a little-endian one:
//!
//! ```text
//! big endian      first << shift | second >> width - shift       vperm first,second
//! little endian   first >> shift | second << width - shift       vperm second,first
//! ```
//!
//! Shifts of a word by 32 to 63 bits, and of a doubleword by 64 to 127, give zero (Power ISA 3.0B, I 3.3.14.2), so nothing is special where
//! all bytes come from one of the two. `lvsl` and `lvsr` are looked at modulo 16 (I 6.7.4): forward the one that counts from the end of the second
//! value has the whole second at zero, backward the one that counts from the start of the first has the whole first.

use super::Mode;
use super::emit::Emitter;
use super::instruction::{Mnemonic as M, Operand};
use super::registers::{SHIFT, SPARE, data};
use crate::code::Unsupported;
use crate::plan::{Addr, Direction, Expr, Reg, Val, Width};
use Operand::Zero;

/// Bits by which the first and the second of two values of general width are shifted.
const OF_FIRST: Reg = Reg::COUNT;
const OF_SECOND: Reg = Reg::SPARE[0];

impl Emitter<'_> {
    /// Remembers how values are merged.
    pub fn set_shift(&mut self, width: Width, by: Reg, walk: Direction) -> Result<(), Unsupported> {
        let little = self.power.mode() == Mode::Ppc64le;
        if width == Width::Altivec16 {
            let from_the_left = little == (walk == Direction::Forward);
            let by = self.integer(by)?;
            return self.put(if from_the_left { M::Lvsl } else { M::Lvsr }, &[SHIFT, Zero, by]);
        }
        shifts(width).ok_or_else(|| self.no_merge(width))?;
        let bits = 8 * width.bytes() as i32;
        let (near, far) = match walk {
            Direction::Forward => (OF_SECOND, OF_FIRST),
            Direction::Backward => (OF_FIRST, OF_SECOND),
        };
        self.set_to(near, Expr::ShiftLeft(by, 3))?;
        self.set_to(far, Expr::Negated(near))?;
        self.set_to(far, Expr::Sum(Addr::at(far, bits)))
    }

    /// The merged bytes of two values.
    pub fn merge(&mut self, to: Val, values: [Val; 2], width: Width) -> Result<(), Unsupported> {
        let little = self.power.mode() == Mode::Ppc64le;
        let name = self.name();
        let (to, [first, second]) = (data(to, width, name)?, values.map(|value| data(value, width, name)));
        let (first, second) = (first?, second?);
        if width == Width::Altivec16 {
            let (left, right) = if little { (second, first) } else { (first, second) };
            return self.put(M::Vperm, &[to, left, right, SHIFT]);
        }
        let [left, right] = shifts(width).ok_or_else(|| self.no_merge(width))?;
        let of_first = (if little { right } else { left }, first, self.integer(OF_FIRST)?);
        let of_second = (if little { left } else { right }, second, self.integer(OF_SECOND)?);
        // Both have been read when `to`, which may be either, is set.
        self.put(of_second.0, &[SPARE, of_second.1, of_second.2])?;
        self.put(of_first.0, &[to, of_first.1, of_first.2])?;
        self.put(M::Or, &[to, to, SPARE])
    }

    fn no_merge(&self, width: Width) -> Unsupported {
        Unsupported(format!("{} has no merge of width {width}; 4, 8 and altivec16 have", self.name()))
    }
}

/// Shifts to the left and to the right.
const fn shifts(width: Width) -> Option<[M; 2]> {
    match width {
        Width::B4 => Some([M::Slw, M::Srw]),
        Width::B8 => Some([M::Sld, M::Srd]),
        _ => None,
    }
}
