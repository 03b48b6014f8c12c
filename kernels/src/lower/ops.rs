//! Short names for the operations that lowering writes over and over, and the one place that knows which way a leaf walks.

use crate::plan::{Addr, Cond, Direction, Expr, Hint, Op, Operand, Reg, Val, Width};
use crate::recipe::Order;

pub(super) fn set(to: Reg, value: Expr) -> Op {
    Op::Set { to, value }
}

/// `to = from + by`
pub(super) fn sum(to: Reg, from: Reg, by: i32) -> Op {
    set(to, Expr::Sum(Addr::at(from, by)))
}

/// `to = a + b + by`
pub(super) fn sum3(to: Reg, a: Reg, b: Reg, by: i32) -> Op {
    set(to, Expr::Sum(Addr::indexed(a, b, by)))
}

/// `to = to - by`
pub(super) fn less(to: Reg, by: Reg) -> Op {
    set(to, Expr::Difference(to, Operand::Reg(by)))
}

/// `to = by - to`
pub(super) fn from_constant(to: Reg, by: i32) -> [Op; 2] {
    [set(to, Expr::Negated(to)), sum(to, to, by)]
}

pub(super) fn load(val: u8, width: Width, from: Addr) -> Op {
    Op::Load { val: Val(val), width, from }
}

pub(super) fn store(val: u8, width: Width, to: Addr) -> Op {
    Op::Store { val: Val(val), width, to, hint: Hint::Plain }
}

pub(super) fn when(cond: Cond, then: Vec<Op>) -> Op {
    Op::If { cond, then, otherwise: Vec::new(), align: 1 }
}

/// The operations that give the vector state back after values of this width have been used.
pub(super) fn state_back(width: Width) -> Option<Op> {
    match width {
        Width::Avx32 => Some(Op::ClearUpper),
        Width::Mmx8 => Some(Op::EndMmx),
        _ => None,
    }
}

/// The end of a path that used values of this width.
pub(super) fn leave(ops: &mut Vec<Op>, width: Width) {
    ops.extend(state_back(width));
    ops.push(Op::Return);
}

/// One move: where from and where to.
#[derive(Clone, Copy)]
pub(super) struct Move {
    pub from: Addr,
    pub to: Addr,
}

/// Moves of one width in the order asked for.
pub(super) fn moves(ops: &mut Vec<Op>, list: &[Move], width: Width, order: Order, hint: Hint) {
    let store = |val: usize, to: Addr| Op::Store { val: Val(val as u8), width, to, hint };
    match order {
        Order::Group(group) => {
            for chunk in list.chunks(group as usize) {
                ops.extend(chunk.iter().enumerate().map(|(val, one)| load(val as u8, width, one.from)));
                ops.extend(chunk.iter().enumerate().map(|(val, one)| store(val, one.to)));
            }
        }
        Order::Ahead => {
            ops.push(load(0, width, list[0].from));
            for (at, next) in list.iter().enumerate().skip(1) {
                ops.push(load((at % 2) as u8, width, next.from));
                ops.push(store((at - 1) % 2, list[at - 1].to));
            }
            ops.push(store((list.len() - 1) % 2, list[list.len() - 1].to));
        }
    }
}

/// Which way a leaf walks. Forward, a cursor names the next byte to copy; backward, the byte after it.
#[derive(Clone, Copy)]
pub(super) struct Walk(pub Direction);

impl Walk {
    /// The address of `bytes` bytes that lie `ahead` bytes further on from the cursor.
    pub fn at(self, cursor: Reg, ahead: i32, bytes: usize) -> Addr {
        match self.0 {
            Direction::Forward => Addr::at(cursor, ahead),
            Direction::Backward => Addr::at(cursor, -(ahead + bytes as i32)),
        }
    }

    /// Moves both cursors on by a constant.
    pub fn advance(self, ops: &mut Vec<Op>, by: usize) {
        let by = self.signed(by as i32);
        ops.extend([sum(Reg::SRC, Reg::SRC, by), sum(Reg::DST, Reg::DST, by)]);
    }

    /// Moves both cursors on by a register.
    pub fn advance_by(self, ops: &mut Vec<Op>, by: Reg) {
        for cursor in [Reg::SRC, Reg::DST] {
            ops.push(match self.0 {
                Direction::Forward => sum3(cursor, cursor, by, 0),
                Direction::Backward => less(cursor, by),
            });
        }
    }

    /// A distance in walking direction as a signed number of bytes.
    pub fn signed(self, distance: i32) -> i32 {
        match self.0 {
            Direction::Forward => distance,
            Direction::Backward => -distance,
        }
    }

    /// One move of a width, `ahead` bytes further on from both cursors.
    pub fn one(self, ahead: i32, width: Width) -> Move {
        Move { from: self.at(Reg::SRC, ahead, width.bytes()), to: self.at(Reg::DST, ahead, width.bytes()) }
    }

    /// A string move of [`Reg::COUNT`] bytes at the cursors.
    pub fn string_of_bytes(self, ops: &mut Vec<Op>) {
        self.string(ops, Width::B1);
    }

    /// A string move of [`Reg::COUNT`] units at the cursors. Backward, string moves want the address of the unit itself.
    pub fn string(self, ops: &mut Vec<Op>, unit: Width) {
        let bytes = unit.bytes();
        if self.0 == Direction::Backward {
            self.advance(ops, bytes);
        }
        ops.push(Op::Repeat { unit, direction: self.0 });
        if self.0 == Direction::Backward {
            Walk(Direction::Forward).advance(ops, bytes);
        }
    }

    /// A loop of single bytes, `count` of them, which is then zero.
    pub fn bytes(self, ops: &mut Vec<Op>, count: Reg) {
        let mut body = Vec::with_capacity(5);
        moves(&mut body, &[self.one(0, Width::B1)], Width::B1, Order::Group(1), Hint::Plain);
        self.advance(&mut body, 1);
        body.push(sum(count, count, -1));
        let nonzero = Cond::imm(count, crate::plan::Relation::NotEqual, 0);
        ops.push(when(nonzero, vec![Op::Turn { body, again: nonzero, align: 1 }]));
    }
}
