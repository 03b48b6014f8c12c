//! Text as GNU objdump prints it, with the short names it prefers: `li`, `mr`, `slwi`, `beq`, ...

use super::{Field, Instruction, Mnemonic, Operand};
use Operand::{Bit, Cr, F, Imm, R, To, V, X, Zero};

impl Instruction {
    /// The instruction as text, at so many bytes from the entry: branch targets count from there.
    pub fn text(&self, at: usize) -> String {
        self.text_with(|to| format!("{:#x}", (at as i64).wrapping_add(to.into())))
    }

    /// The instruction as text, with branch targets (in bytes from the branch) written by the caller.
    pub fn text_with(&self, target: impl Fn(i32) -> String) -> String {
        let (name, operands) = self.shortened();
        if operands.is_empty() {
            return name;
        }
        let fields = self.mnemonic.entry().fields;
        let mut text = name;
        for (number, operand) in operands.iter().enumerate() {
            let base_of_displacement = number > 0
                && operands.len() == fields.len()
                && matches!(fields[number - 1], Field::D | Field::Ds | Field::Dq);
            text.push_str(if number == 0 {
                " "
            } else if base_of_displacement {
                "("
            } else {
                ","
            });
            text.push_str(&match *operand {
                R(number) => format!("r{number}"),
                Zero => "0".to_owned(),
                F(number) => format!("f{number}"),
                V(number) => format!("v{number}"),
                X(number) => format!("vs{number}"),
                Cr(number) => format!("cr{number}"),
                Bit(number) => bit(number),
                Imm(imm) => imm.to_string(),
                To(to) => target(to),
            });
            if base_of_displacement {
                text.push(')');
            }
        }
        text
    }

    /// The mnemonic and the operands that are written, after short names have taken some of them in.
    fn shortened(&self) -> (String, Vec<Operand>) {
        use Mnemonic as M;
        let all = self.operands();
        let named = |name: &str, operands: &[Operand]| (name.to_owned(), operands.to_vec());
        let dot = if self.mnemonic.entry().mnemonic.ends_with('.') { "." } else { "" };
        match (self.mnemonic, all) {
            (M::Addi, &[to, Zero, imm]) => named("li", &[to, imm]),
            (M::Addis, &[to, Zero, imm]) => named("lis", &[to, imm]),
            (M::Or, &[to, from, again]) if from == again => named("mr", &[to, from]),
            (M::Ori, &[R(0), R(0), Imm(0)]) => named("nop", &[]),
            (M::Mtcrf, &[Imm(255), from]) => named("mtcr", &[from]),
            (M::Cmplwi | M::Cmpldi | M::Cmplw | M::Cmpld, &[Cr(0), left, right]) => {
                named(self.mnemonic.entry().mnemonic, &[left, right])
            }
            (M::Isel, &[to, yes, no, Bit(bit @ 0..=2)]) => {
                named(["isellt", "iselgt", "iseleq"][usize::from(bit)], &[to, yes, no])
            }
            (M::Xxpermdi, &[to, left, right, Imm(halves)]) => match (halves, left == right) {
                (0, true) => named("xxspltd", &[to, left, Imm(0)]),
                (3, true) => named("xxspltd", &[to, left, Imm(1)]),
                (2, true) => named("xxswapd", &[to, left]),
                (0, false) => named("xxmrghd", &[to, left, right]),
                (3, false) => named("xxmrgld", &[to, left, right]),
                _ => named("xxpermdi", all),
            },
            (M::Dcbt | M::Dcbtst, &[base, index, Imm(0)]) => named(self.mnemonic.entry().mnemonic, &[base, index]),
            (M::Rlwinm | M::RlwinmRc, &[to, from, Imm(sh), Imm(mb), Imm(me)]) => {
                let (name, by) = match (sh, mb, me) {
                    (_, 0, 31) => ("rotlwi", sh),
                    (0, _, 31) => ("clrlwi", mb),
                    (0, 0, _) => ("clrrwi", 31 - me),
                    (_, 0, _) if me == 31 - sh => ("slwi", sh),
                    (_, _, 31) if sh == 32 - mb => ("srwi", mb),
                    _ => return named(self.mnemonic.entry().mnemonic, all),
                };
                named(&format!("{name}{dot}"), &[to, from, Imm(by)])
            }
            (M::Rldicl | M::RldiclRc, &[to, from, Imm(sh), Imm(mb)]) => {
                let (name, by) = match (sh, mb) {
                    (_, 0) => ("rotldi", sh),
                    (0, _) => ("clrldi", mb),
                    _ if sh == 64 - mb => ("srdi", mb),
                    _ => return named(self.mnemonic.entry().mnemonic, all),
                };
                named(&format!("{name}{dot}"), &[to, from, Imm(by)])
            }
            (M::Rldicr | M::RldicrRc, &[to, from, Imm(sh), Imm(me)]) => {
                let (name, by) = match (sh, me) {
                    (0, _) => ("clrrdi", 63 - me),
                    _ if me == 63 - sh => ("sldi", sh),
                    _ => return named(self.mnemonic.entry().mnemonic, all),
                };
                named(&format!("{name}{dot}"), &[to, from, Imm(by)])
            }
            (M::Bcl, &[to]) => named("bcl", &[Imm(20), Bit(31), to]),
            (M::Bc | M::Bclr | M::Bcctr, &[Imm(when), Bit(bit), ref to @ ..]) => {
                let names = if when == 12 { ["blt", "bgt", "beq", "bso"] } else { ["bge", "ble", "bne", "bns"] };
                let suffix = match self.mnemonic {
                    M::Bclr => "lr",
                    M::Bcctr => "ctr",
                    _ => "",
                };
                let field = (bit >= 4).then_some(Cr(bit / 4));
                let operands = field.into_iter().chain(to.iter().copied()).collect();
                (format!("{}{suffix}", names[usize::from(bit % 4)]), operands)
            }
            _ => named(self.mnemonic.entry().mnemonic, all),
        }
    }
}

/// A bit of the condition register by field and meaning.
fn bit(number: u8) -> String {
    let meaning = ["lt", "gt", "eq", "so"][usize::from(number % 4)];
    match number / 4 {
        0 => meaning.to_owned(),
        field => format!("4*cr{field}+{meaning}"),
    }
}
