//! The instructions, one a line: name, mnemonic, fixed bits, operands in the order in which an assembler reads them, what a processor
//! must have for it, and where the manual defines it.
//!
//! Manual: Power ISA 3.0B, by book and section. `dcbzl` and the cache-target form of `dcbt` are in the processors' own manuals too.

use super::field::Field;

/// What not every PowerPC processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Facility {
    /// Every one has it.
    Base,
    /// Floating-point registers.
    Float,
    /// 64-bit registers.
    Wide,
    /// Select by a condition bit.
    Select,
    /// Moves of one condition field.
    OneField,
    /// AltiVec.
    AltiVec,
    /// VSX as of POWER7.
    Vsx,
    /// VSX as of POWER9: displacements, natural byte order, lengths.
    Vsx3,
    /// Pairs of vector registers as of POWER10.
    Paired,
    /// Zeroing a whole line where `dcbz` zeroes less.
    LineZero,
    /// `dcbt` for a line that is needed once only: hint 16. Others would take it for an ordinary one or a stream.
    Transient,
}

/// One line of the table.
pub struct Entry {
    /// As assemblers write it.
    pub mnemonic: &'static str,
    /// The word with every operand field zero.
    pub bits: u32,
    /// In the order in which assemblers read them.
    pub fields: &'static [Field],
    /// What a processor must have for it.
    pub facility: Facility,
    /// Book and section.
    pub manual: &'static str,
}

const fn d(primary: u32) -> u32 {
    primary << 26
}

const fn ds(primary: u32, extended: u32) -> u32 {
    primary << 26 | extended
}

/// X, XO, XL and XFX forms of primary opcode 31 (or `xl`: 19); all have the extended opcode above the last bit.
const fn x(extended: u32) -> u32 {
    31 << 26 | extended << 1
}

const fn xl(extended: u32) -> u32 {
    19 << 26 | extended << 1
}

const fn rt(number: u32) -> u32 {
    number << 21
}

/// A special register in the two swapped halves of its field.
const fn spr(number: u32) -> u32 {
    (number & 31) << 16 | (number >> 5) << 11
}

/// Record form: compares the result with zero, signed, in condition field 0.
const RC: u32 = 1;
/// 64-bit operands of a comparison.
const L: u32 = 1 << 21;
/// The move names one condition field.
const ONE: u32 = 1 << 20;

macro_rules! table {
    ($($name:ident $mnemonic:literal $bits:expr, [$($field:ident)*], $facility:ident, $manual:literal;)*) => {
        /// Which instruction, by its mnemonic; `Rc` in a name is the dot of the mnemonic.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Mnemonic { $(#[doc = concat!("`", $mnemonic, "`")] $name),* }

        impl Mnemonic {
            /// Every instruction, in the order of the table.
            pub const ALL: &'static [Mnemonic] = &[$(Mnemonic::$name),*];

            /// Its line.
            pub(super) fn entry(self) -> &'static Entry {
                &TABLE[self as usize]
            }
        }

        static TABLE: [Entry; Mnemonic::ALL.len()] = [
            $(Entry {
                mnemonic: $mnemonic,
                bits: $bits,
                fields: &[$(Field::$field),*],
                facility: Facility::$facility,
                manual: $manual,
            }),*
        ];
    };
}

table! {
    Lbz     "lbz"     d(34),            [Rt D Base],          Base,     "I 3.3.2";
    Lbzu    "lbzu"    d(35),            [Rt D Moved],         Base,     "I 3.3.2";
    Lbzx    "lbzx"    x(87),            [Rt Base Rb],         Base,     "I 3.3.2";
    Lbzux   "lbzux"   x(119),           [Rt Moved Rb],        Base,     "I 3.3.2";
    Lhz     "lhz"     d(40),            [Rt D Base],          Base,     "I 3.3.2";
    Lhzu    "lhzu"    d(41),            [Rt D Moved],         Base,     "I 3.3.2";
    Lhzx    "lhzx"    x(279),           [Rt Base Rb],         Base,     "I 3.3.2";
    Lhzux   "lhzux"   x(311),           [Rt Moved Rb],        Base,     "I 3.3.2";
    Lwz     "lwz"     d(32),            [Rt D Base],          Base,     "I 3.3.2";
    Lwzu    "lwzu"    d(33),            [Rt D Moved],         Base,     "I 3.3.2";
    Lwzx    "lwzx"    x(23),            [Rt Base Rb],         Base,     "I 3.3.2";
    Lwzux   "lwzux"   x(55),            [Rt Moved Rb],        Base,     "I 3.3.2";
    Ld      "ld"      ds(58, 0),        [Rt Ds Base],         Wide,     "I 3.3.2.1";
    Ldu     "ldu"     ds(58, 1),        [Rt Ds Moved],        Wide,     "I 3.3.2.1";
    Ldx     "ldx"     x(21),            [Rt Base Rb],         Wide,     "I 3.3.2.1";
    Ldux    "ldux"    x(53),            [Rt Moved Rb],        Wide,     "I 3.3.2.1";

    Stb     "stb"     d(38),            [Rt D Base],          Base,     "I 3.3.3";
    Stbu    "stbu"    d(39),            [Rt D Stepped],       Base,     "I 3.3.3";
    Stbx    "stbx"    x(215),           [Rt Base Rb],         Base,     "I 3.3.3";
    Stbux   "stbux"   x(247),           [Rt Stepped Rb],      Base,     "I 3.3.3";
    Sth     "sth"     d(44),            [Rt D Base],          Base,     "I 3.3.3";
    Sthu    "sthu"    d(45),            [Rt D Stepped],       Base,     "I 3.3.3";
    Sthx    "sthx"    x(407),           [Rt Base Rb],         Base,     "I 3.3.3";
    Sthux   "sthux"   x(439),           [Rt Stepped Rb],      Base,     "I 3.3.3";
    Stw     "stw"     d(36),            [Rt D Base],          Base,     "I 3.3.3";
    Stwu    "stwu"    d(37),            [Rt D Stepped],       Base,     "I 3.3.3";
    Stwx    "stwx"    x(151),           [Rt Base Rb],         Base,     "I 3.3.3";
    Stwux   "stwux"   x(183),           [Rt Stepped Rb],      Base,     "I 3.3.3";
    Std     "std"     ds(62, 0),        [Rt Ds Base],         Wide,     "I 3.3.3.1";
    Stdu    "stdu"    ds(62, 1),        [Rt Ds Stepped],      Wide,     "I 3.3.3.1";
    Stdx    "stdx"    x(149),           [Rt Base Rb],         Wide,     "I 3.3.3.1";
    Stdux   "stdux"   x(181),           [Rt Stepped Rb],      Wide,     "I 3.3.3.1";

    Lfd     "lfd"     d(50),            [Ft D Base],          Float,    "I 4.6.2";
    Lfdu    "lfdu"    d(51),            [Ft D Stepped],       Float,    "I 4.6.2";
    Lfdx    "lfdx"    x(599),           [Ft Base Rb],         Float,    "I 4.6.2";
    Lfdux   "lfdux"   x(631),           [Ft Stepped Rb],      Float,    "I 4.6.2";
    Stfd    "stfd"    d(54),            [Ft D Base],          Float,    "I 4.6.3";
    Stfdu   "stfdu"   d(55),            [Ft D Stepped],       Float,    "I 4.6.3";
    Stfdx   "stfdx"   x(727),           [Ft Base Rb],         Float,    "I 4.6.3";
    Stfdux  "stfdux"  x(759),           [Ft Stepped Rb],      Float,    "I 4.6.3";

    Lvx     "lvx"     x(103),           [Vt Base Rb],         AltiVec,  "I 6.7.2";
    Stvx    "stvx"    x(231),           [Vt Base Rb],         AltiVec,  "I 6.7.3";
    Lvsl    "lvsl"    x(6),             [Vt Base Rb],         AltiVec,  "I 6.7.4";
    Lvsr    "lvsr"    x(38),            [Vt Base Rb],         AltiVec,  "I 6.7.4";
    Vperm   "vperm"   4 << 26 | 43,     [Vt Va Vb Vc],        AltiVec,  "I 6.8.5";

    Lxvd2x  "lxvd2x"  x(844),           [Xt Base Rb],         Vsx,      "I 7.6.3";
    Stxvd2x "stxvd2x" x(972),           [Xt Base Rb],         Vsx,      "I 7.6.3";
    Lxvw4x  "lxvw4x"  x(780),           [Xt Base Rb],         Vsx,      "I 7.6.3";
    Stxvw4x "stxvw4x" x(908),           [Xt Base Rb],         Vsx,      "I 7.6.3";
    Xxpermdi "xxpermdi" 60 << 26 | 10 << 3, [Xt Xa Xb Dm],    Vsx,      "I 7.6.3";
    Lxv     "lxv"     ds(61, 1),        [XtDq Dq Base],       Vsx3,     "I 7.6.3";
    Stxv    "stxv"    ds(61, 5),        [XtDq Dq Base],       Vsx3,     "I 7.6.3";
    Lxvx    "lxvx"    x(268),           [Xt Base Rb],         Vsx3,     "I 7.6.3";
    Stxvx   "stxvx"   x(396),           [Xt Base Rb],         Vsx3,     "I 7.6.3";
    Lxvl    "lxvl"    x(269),           [Xt Base Rb],         Vsx3,     "I 7.6.3";
    Stxvl   "stxvl"   x(397),           [Xt Base Rb],         Vsx3,     "I 7.6.3";
    Lxvp    "lxvp"    ds(6, 0),         [Xtp Dq Base],        Paired,   "3.1 I 7.6.3";
    Stxvp   "stxvp"   ds(6, 1),         [Xtp Dq Base],        Paired,   "3.1 I 7.6.3";
    Lxvpx   "lxvpx"   x(333),           [Xtp Base Rb],        Paired,   "3.1 I 7.6.3";
    Stxvpx  "stxvpx"  x(461),           [Xtp Base Rb],        Paired,   "3.1 I 7.6.3";

    Addi    "addi"    d(14),            [Rt Base Si],         Base,     "I 3.3.9";
    Addis   "addis"   d(15),            [Rt Base Si],         Base,     "I 3.3.9";
    Add     "add"     x(266),           [Rt Ra Rb],           Base,     "I 3.3.9";
    Subf    "subf"    x(40),            [Rt Ra Rb],           Base,     "I 3.3.9";
    Neg     "neg"     x(104),           [Rt Ra],              Base,     "I 3.3.9";
    Addic   "addic"   d(12),            [Rt Ra Si],           Base,     "I 3.3.9";
    AddicRc "addic."  d(13),            [Rt Ra Si],           Base,     "I 3.3.9";
    Subfic  "subfic"  d(8),             [Rt Ra Si],           Base,     "I 3.3.9";
    Addc    "addc"    x(10),            [Rt Ra Rb],           Base,     "I 3.3.9";
    Subfc   "subfc"   x(8),             [Rt Ra Rb],           Base,     "I 3.3.9";
    Adde    "adde"    x(138),           [Rt Ra Rb],           Base,     "I 3.3.9";
    Subfe   "subfe"   x(136),           [Rt Ra Rb],           Base,     "I 3.3.9";
    Addze   "addze"   x(202),           [Rt Ra],              Base,     "I 3.3.9";

    Cmplwi  "cmplwi"  d(10),            [Bf Ra Ui],           Base,     "I 3.3.10";
    Cmpldi  "cmpldi"  d(10) | L,        [Bf Ra Ui],           Wide,     "I 3.3.10";
    Cmplw   "cmplw"   x(32),            [Bf Ra Rb],           Base,     "I 3.3.10";
    Cmpld   "cmpld"   x(32) | L,        [Bf Ra Rb],           Wide,     "I 3.3.10";
    Isel    "isel"    x(15),            [Rt Base Rb Bc],      Select,   "I 3.3.12";

    And     "and"     x(28),            [Ra Rs Rb],           Base,     "I 3.3.13";
    AndRc   "and."    x(28) | RC,       [Ra Rs Rb],           Base,     "I 3.3.13";
    Andc    "andc"    x(60),            [Ra Rs Rb],           Base,     "I 3.3.13";
    Or      "or"      x(444),           [Ra Rs Rb],           Base,     "I 3.3.13";
    Xor     "xor"     x(316),           [Ra Rs Rb],           Base,     "I 3.3.13";
    AndiRc  "andi."   d(28),            [Ra Rs Ui],           Base,     "I 3.3.13";
    AndisRc "andis."  d(29),            [Ra Rs Ui],           Base,     "I 3.3.13";
    Ori     "ori"     d(24),            [Ra Rs Ui],           Base,     "I 3.3.13";
    Oris    "oris"    d(25),            [Ra Rs Ui],           Base,     "I 3.3.13";

    Rlwinm  "rlwinm"  d(21),            [Ra Rs Sh Mb Me],     Base,     "I 3.3.14.1";
    RlwinmRc "rlwinm." d(21) | RC,      [Ra Rs Sh Mb Me],     Base,     "I 3.3.14.1";
    Rldicl  "rldicl"  d(30),            [Ra Rs Sh6 Mb6],      Wide,     "I 3.3.14.1";
    RldiclRc "rldicl." d(30) | RC,      [Ra Rs Sh6 Mb6],      Wide,     "I 3.3.14.1";
    Rldicr  "rldicr"  d(30) | 1 << 2,   [Ra Rs Sh6 Mb6],      Wide,     "I 3.3.14.1";
    RldicrRc "rldicr." d(30) | 1 << 2 | RC, [Ra Rs Sh6 Mb6],  Wide,     "I 3.3.14.1";
    Slw     "slw"     x(24),            [Ra Rs Rb],           Base,     "I 3.3.14.2";
    Srw     "srw"     x(536),           [Ra Rs Rb],           Base,     "I 3.3.14.2";
    Sld     "sld"     x(27),            [Ra Rs Rb],           Wide,     "I 3.3.14.2";
    Srd     "srd"     x(539),           [Ra Rs Rb],           Wide,     "I 3.3.14.2";
    Srawi   "srawi"   x(824),           [Ra Rs Sh],           Base,     "I 3.3.14.2";

    B       "b"       d(18),            [Li],                 Base,     "I 2.4";
    Bc      "bc"      d(16),            [Bo Bi Bd],           Base,     "I 2.4";
    Bdnz    "bdnz"    d(16) | rt(16),   [Bd],                 Base,     "I 2.4";
    Bdz     "bdz"     d(16) | rt(18),   [Bd],                 Base,     "I 2.4";
    Bcl     "bcl"     d(16) | rt(20) | 31 << 16 | 1, [Bd],    Base,     "I 2.4";
    Blr     "blr"     xl(16) | rt(20),  [],                   Base,     "I 2.4";
    Bclr    "bclr"    xl(16),           [Bo Bi],              Base,     "I 2.4";
    Bctr    "bctr"    xl(528) | rt(20), [],                   Base,     "I 2.4";
    Bcctr   "bcctr"   xl(528),          [Bo Bi],              Base,     "I 2.4";

    Mtctr   "mtctr"   x(467) | spr(9),  [Rt],                 Base,     "I 3.3.17";
    Mfctr   "mfctr"   x(339) | spr(9),  [Rt],                 Base,     "I 3.3.17";
    Mtlr    "mtlr"    x(467) | spr(8),  [Rt],                 Base,     "I 3.3.17";
    Mflr    "mflr"    x(339) | spr(8),  [Rt],                 Base,     "I 3.3.17";
    Mtcrf   "mtcrf"   x(144),           [Fxm Rt],             Base,     "I 3.3.17";
    Mtocrf  "mtocrf"  x(144) | ONE,     [OneFxm Rt],          OneField, "I 3.3.17";
    Mfcr    "mfcr"    x(19),            [Rt],                 Base,     "I 3.3.17";
    Mfocrf  "mfocrf"  x(19) | ONE,      [Rt OneFxm],          OneField, "I 3.3.17";

    Dcbt    "dcbt"    x(278),           [Base Rb Th],         Base,     "II 4.3.2";
    Dcbtst  "dcbtst"  x(246),           [Base Rb Th],         Base,     "II 4.3.2";
    Dcbz    "dcbz"    x(1014),          [Base Rb],            Base,     "II 4.3.2";
    Dcbzl   "dcbzl"   x(1014) | rt(1),  [Base Rb],            LineZero, "PowerPC 970 and e500mc manuals";
    Dcbst   "dcbst"   x(54),            [Base Rb],            Base,     "II 4.3.2";
    Dcbf    "dcbf"    x(86),            [Base Rb],            Base,     "II 4.3.2";
    Icbi    "icbi"    x(982),           [Base Rb],            Base,     "II 4.3.1";
    Isync   "isync"   xl(150),          [],                   Base,     "II 4.6.1";
    Sync    "hwsync"  x(598),           [],                   Base,     "II 4.6.3";
    Lwsync  "lwsync"  x(598) | rt(1),   [],                   Base,     "II 4.6.3";
    Eieio   "eieio"   x(854),           [],                   Base,     "II 4.6.3";
}
