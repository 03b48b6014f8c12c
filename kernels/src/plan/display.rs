//! A plan as indented text, for people: `copysmith show` prints it.

use super::{Addr, Cond, Direction, Expr, Hint, Locality, Mask, Op, Operand, Plan, Reg, Relation, Val};
use std::fmt::{self, Display, Formatter};

impl Display for Reg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Reg::RETURN => f.write_str("result"),
            Reg::DST => f.write_str("dst"),
            Reg::SRC => f.write_str("src"),
            Reg::N => f.write_str("n"),
            Reg::COUNT => f.write_str("count"),
            Reg(other) => write!(f, "r{other}"),
        }
    }
}

impl Display for Val {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl Display for Mask {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "mask{}", self.0)
    }
}

impl Display for Addr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.base)?;
        if let Some(index) = self.index {
            write!(f, " + {index}")?;
        }
        match self.displacement {
            0 => Ok(()),
            d if d < 0 => write!(f, " - {}", d.unsigned_abs()),
            d => write!(f, " + {d}"),
        }
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Reg(reg) => reg.fmt(f),
            Operand::Imm(imm) => imm.fmt(f),
        }
    }
}

impl Display for Relation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Relation::Below => "<",
            Relation::BelowOrEqual => "<=",
            Relation::Above => ">",
            Relation::AboveOrEqual => ">=",
            Relation::Equal => "==",
            Relation::NotEqual => "!=",
        })
    }
}

impl Display for Cond {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Cond::Compare { left, relation, right } => write!(f, "{left} {relation} {right}"),
            Cond::AnyBit { reg, mask } => write!(f, "{reg} & {mask} != 0"),
            Cond::NoBit { reg, mask } => write!(f, "{reg} & {mask} == 0"),
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Const(value) => write!(f, "{value}"),
            Expr::Sum(addr) => addr.fmt(f),
            Expr::Difference(left, right) => write!(f, "{left} - {right}"),
            Expr::And(reg, mask) => write!(f, "{reg} & {mask}"),
            Expr::ShiftRight(reg, bits) => write!(f, "{reg} >> {bits}"),
            Expr::ShiftLeft(reg, bits) => write!(f, "{reg} << {bits}"),
            Expr::Negated(reg) => write!(f, "-{reg}"),
            Expr::Select { cond, yes, no } => write!(f, "select({cond}, {yes}, {no})"),
            Expr::Scratch(byte) => write!(f, "scratch + {byte}"),
        }
    }
}

impl Display for Locality {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Locality::T0 => "t0",
            Locality::T1 => "t1",
            Locality::T2 => "t2",
            Locality::Nta => "nta",
            Locality::Write => "w",
        })
    }
}

impl Display for Direction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Direction::Forward => "forward",
            Direction::Backward => "backward",
        })
    }
}

impl Display for Plan {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        body(f, &self.body, 0)
    }
}

fn body(f: &mut Formatter<'_>, ops: &[Op], depth: usize) -> fmt::Result {
    ops.iter().try_for_each(|op| line(f, op, depth))
}

fn line(f: &mut Formatter<'_>, op: &Op, depth: usize) -> fmt::Result {
    write!(f, "{:1$}", "", 4 * depth)?;
    match op {
        Op::Set { to, value } => writeln!(f, "{to} = {value}"),
        Op::Load { val, width, from } => writeln!(f, "{val} = load {width} [{from}]"),
        Op::Store { val, width, to, hint } => {
            let hint = if *hint == Hint::NonTemporal { " non-temporal" } else { "" };
            writeln!(f, "store {width} [{to}] = {val}{hint}")
        }
        Op::SetMask { mask, count, width } => writeln!(f, "{mask} = first {count} of {width}"),
        Op::LoadPartial { val, width, from, mask } => writeln!(f, "{val} = load {width} [{from}] where {mask}"),
        Op::StorePartial { val, width, to, mask } => writeln!(f, "store {width} [{to}] = {val} where {mask}"),
        Op::LoadAround { val, width, from } => writeln!(f, "{val} = load {width} around [{from}]"),
        Op::SetShift { width, by, walk } => writeln!(f, "shift of {width} = {by} {walk}"),
        Op::Merge { to, first, second, width } => writeln!(f, "{to} = merge {width} {first} {second}"),
        Op::Prefetch { locality, at } => writeln!(f, "prefetch {locality} [{at}]"),
        Op::ZeroLine { at, bytes } => writeln!(f, "zero the {bytes} bytes around [{at}]"),
        Op::Touch { at, val } => writeln!(f, "touch [{at}] through {val}"),
        Op::KeepBits { reg, mask } => writeln!(f, "keep {reg} & {mask}"),
        Op::If { cond, then, otherwise, align } => {
            writeln!(f, "if {cond} {{")?;
            body(f, then, depth + 1)?;
            if !otherwise.is_empty() {
                let aligned = if *align > 1 { format!(" (aligned to {align})") } else { String::new() };
                writeln!(f, "{:1$}}} else{aligned} {{", "", 4 * depth)?;
                body(f, otherwise, depth + 1)?;
            }
            writeln!(f, "{:1$}}}", "", 4 * depth)
        }
        Op::Turn { body: ops, again, align } => {
            writeln!(f, "loop (head aligned to {align}) {{")?;
            body(f, ops, depth + 1)?;
            writeln!(f, "{:1$}}} while {again}", "", 4 * depth)
        }
        Op::Switch { on, arms } => {
            writeln!(f, "switch {on} {{")?;
            for (number, arm) in arms.iter().enumerate() {
                writeln!(f, "{:1$}{number}:", "", 4 * depth)?;
                body(f, arm, depth + 1)?;
            }
            writeln!(f, "{:1$}}}", "", 4 * depth)
        }
        Op::Repeat { unit, direction } => writeln!(f, "string move of count x {unit} {direction}"),
        Op::Fence => writeln!(f, "fence"),
        Op::ClearUpper => writeln!(f, "clear upper halves"),
        Op::EndMmx => writeln!(f, "end mmx"),
        Op::Return => writeln!(f, "return"),
    }
}
