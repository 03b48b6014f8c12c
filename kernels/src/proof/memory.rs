//! Memory whose bytes are tokens: every byte says where it came from, and every access is checked.
//!
//! ```text
//! apart        [source: 0 1 2 .. n-1]      far away      [destination: OLD x n]
//! overlapping  one buffer; the source's tokens lie in it, all else is OLD
//! scratch      128 bytes below the stack pointer; whatever is loaded from it is JUNK
//! ```
//! Addresses are plain numbers of 64 or 32 bits. With 64 the regions lie further apart than any displacement can reach, so that an access that
//! strays from one never lands in another.

use super::fault::{Access, Region, Spot, Wrong};
use super::step::Word;
use crate::plan::{Direction, SCRATCH_BYTES};

/// What a byte is: its index in the source, or [`OLD`], [`JUNK`], [`ZERO`], or one for what lies beside the regions.
pub type Token = u32;

/// A byte as it was before the routine ran, outside the source.
pub const OLD: Token = u32::MAX;
/// A byte loaded from scratch.
pub const JUNK: Token = u32::MAX - 1;
/// A byte that a masked load did not load, or that was zeroed.
pub const ZERO: Token = u32::MAX - 2;

/// A byte of an aligned load that is not the source's.
pub const BESIDE: Token = u32::MAX - 3;

/// The longest copy that can be interpreted, in bytes: 64 MiB and the first few lengths above, for which the tokens fill half a
/// gigabyte.
pub const LONGEST: usize = (1 << 26) + 4096;

/// Where the regions lie.
#[derive(Clone, Copy, Debug)]
struct Regions {
    destination: u64,
    source: u64,
    stack: u64,
    code: u64,
}

const IN_64_BITS: Regions = Regions {
    destination: 0x0000_1000_0000_0000,
    source: 0x0000_2000_0000_0000,
    stack: 0x0000_7000_0000_0000,
    code: CODE,
};
/// As far apart as the longest copy leaves room for.
const IN_32_BITS: Regions =
    Regions { destination: 0x1000_0000, source: 0x4000_0000, stack: 0xc000_0000, code: 0x7000_0000 };
/// The address of the first byte of the code, where addresses have 64 bits.
pub const CODE: u64 = 0x0000_5000_0000_0000;
const SCRATCH: usize = SCRATCH_BYTES as usize;
/// An address this close to a region was probably meant for it.
const NEAR: i64 = 1 << 20;

static ALL_JUNK: [Token; SCRATCH] = [JUNK; SCRATCH];
static ONE_OLD: [Token; 1] = [OLD];

/// How source and destination lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    Apart,
    Overlapping,
}

/// The memory one run sees. Reused from run to run.
#[derive(Clone, Debug)]
pub struct Memory {
    tokens: Vec<Token>,
    /// Tokens from the start that still count up, so that the source need not be written again.
    counted: usize,
    layout: Layout,
    regions: Regions,
    n: usize,
    dst: u64,
    src: u64,
    dst_at: usize,
    src_at: usize,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::new()
    }
}

impl Memory {
    /// Memory for copies of no bytes; see [`Memory::apart`] and [`Memory::overlapping`].
    pub fn new() -> Memory {
        Memory::of(Word::Little64)
    }

    /// As [`Memory::new`], with addresses that fit such registers.
    pub fn of(word: Word) -> Memory {
        let regions = if word.bits() == 32 { IN_32_BITS } else { IN_64_BITS };
        Memory {
            tokens: Vec::new(),
            counted: 0,
            layout: Layout::Apart,
            regions,
            n: 0,
            dst: regions.destination,
            src: regions.source,
            dst_at: 0,
            src_at: 0,
        }
    }

    /// Fresh contents for a copy of `n` bytes between regions that are far apart; `dst` and `src` are the addresses' residues
    /// modulo 4096. `n` is cut to [`LONGEST`].
    pub fn apart(&mut self, n: usize, dst: u16, src: u16) {
        let n = n.min(LONGEST);
        if self.counted < n {
            self.tokens.clear();
            self.tokens.extend(0..n as Token);
            self.counted = n;
        }
        self.dst_at = self.counted;
        if self.tokens.len() < self.dst_at + n {
            self.tokens.resize(self.dst_at + n, OLD);
        }
        self.tokens[self.dst_at..self.dst_at + n].fill(OLD);
        (self.layout, self.n, self.src_at) = (Layout::Apart, n, 0);
        (self.dst, self.src) =
            (self.regions.destination + u64::from(dst % 4096), self.regions.source + u64::from(src % 4096));
    }

    /// Fresh contents for a copy of `n` bytes inside one buffer, the destination `distance` bytes above the source (below, where
    /// negative); `src` is the source address's residue modulo 4096. `n` and `distance` are cut to [`LONGEST`].
    pub fn overlapping(&mut self, n: usize, distance: isize, src: u16) {
        let (n, apart) = (n.min(LONGEST), distance.unsigned_abs().min(LONGEST));
        (self.src_at, self.dst_at) = if distance < 0 { (apart, 0) } else { (0, apart) };
        self.tokens.clear();
        self.tokens.resize(n + apart, OLD);
        for (token, index) in self.tokens[self.src_at..].iter_mut().zip(0..n as Token) {
            *token = index;
        }
        self.counted = 0;
        (self.layout, self.n) = (Layout::Overlapping, n);
        self.src = self.regions.source + u64::from(src % 4096);
        self.dst = if distance < 0 { self.src - apart as u64 } else { self.src + apart as u64 };
    }

    /// The destination's address.
    pub fn dst(&self) -> u64 {
        self.dst
    }

    /// The source's address.
    pub fn src(&self) -> u64 {
        self.src
    }

    /// How many bytes are to be copied.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The stack pointer on entry.
    pub fn stack(&self) -> u64 {
        self.regions.stack
    }

    /// The address of the first byte of the code.
    pub fn code(&self) -> u64 {
        self.regions.code
    }

    /// The address of the first byte of scratch.
    fn scratch(&self) -> u64 {
        self.stack() - SCRATCH as u64
    }

    /// The first destination byte that does not hold its source byte, and what it holds.
    pub fn first_wrong(&self) -> Option<(usize, Token)> {
        let found = &self.tokens[self.dst_at..self.dst_at + self.n];
        // Apart, the source still is what it was: one comparison of slices is far faster than counting.
        if self.layout == Layout::Apart && found == &self.tokens[self.src_at..self.src_at + self.n] {
            return None;
        }
        (0..).zip(found).find(|&(index, &token)| token != index).map(|(index, &token)| (index as usize, token))
    }

    /// The tokens of `bytes` bytes.
    ///
    /// # Errors
    /// Where they are not wholly inside the source or scratch; overlapping also the destination, and apart one byte of it.
    pub fn load(&self, at: u64, bytes: usize) -> Result<&[Token], Wrong> {
        if let Some(from) = inside(at, bytes, self.src, self.n) {
            Ok(&self.tokens[self.src_at + from..][..bytes])
        } else if inside(at, bytes, self.scratch(), SCRATCH).is_some() {
            Ok(&ALL_JUNK[..bytes])
        } else if let Some(from) = inside(at, bytes, self.dst, self.n) {
            match self.layout {
                Layout::Overlapping => Ok(&self.tokens[self.dst_at + from..][..bytes]),
                Layout::Apart if bytes == 1 => Ok(&ONE_OLD),
                Layout::Apart => Err(Wrong::ReadsDestination { bytes, at: self.spot(at, Access::Store) }),
            }
        } else {
            Err(Wrong::Outside { access: Access::Load, bytes, at: self.spot(at, Access::Load) })
        }
    }

    /// The tokens of `bytes` bytes, at most 16, of which one at least is the source's.
    ///
    /// # Errors
    /// Where none is.
    pub fn load_around(&self, at: u64, bytes: usize) -> Result<[Token; 16], Wrong> {
        let mut tokens = [BESIDE; 16];
        let mut found = false;
        for (token, at) in tokens.iter_mut().take(bytes).zip(at..) {
            if let Some(from) = inside(at, 1, self.src, self.n) {
                (*token, found) = (self.tokens[self.src_at + from], true);
            }
        }
        if found {
            return Ok(tokens);
        }
        Err(Wrong::Outside { access: Access::Load, bytes, at: self.spot(at, Access::Load) })
    }

    /// Writes tokens.
    ///
    /// # Errors
    /// Where they do not go wholly into the destination or scratch.
    pub fn store(&mut self, at: u64, tokens: &[Token]) -> Result<(), Wrong> {
        let to = self.writable(at, tokens.len())?;
        if let Some(to) = to {
            self.tokens[to..to + tokens.len()].copy_from_slice(tokens);
        }
        Ok(())
    }

    /// Moves `count` units of `bytes` bytes (at most 8) one after the other, from `src` to `dst` and on in the direction given.
    ///
    /// # Errors
    /// As [`Memory::load`] and [`Memory::store`].
    pub fn string_move(&mut self, dst: u64, src: u64, count: u64, bytes: u8, walk: Direction) -> Result<(), Wrong> {
        if bytes > 8 {
            return Err(Wrong::TooWide { bytes });
        }
        let bytes = usize::from(bytes);
        let length = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(bytes);
        if length == 0 {
            return Ok(());
        }
        let below = if walk == Direction::Backward { (length - bytes) as u64 } else { 0 };
        let (low_dst, low_src) = (dst.wrapping_sub(below), src.wrapping_sub(below));
        self.load(low_src, length)?;
        let to = self.writable(low_dst, length)?;
        match (to, inside(low_src, length, self.src, self.n)) {
            (Some(to), Some(from)) if self.layout == Layout::Apart => {
                self.tokens.copy_within(self.src_at + from..self.src_at + from + length, to);
            }
            // What overlaps must go unit by unit, and what scratch is part of is too rare to be quick about.
            _ => {
                for unit in 0..count {
                    let walked = unit * bytes as u64;
                    let step = if walk == Direction::Backward { walked.wrapping_neg() } else { walked };
                    let mut held = [JUNK; 8];
                    held[..bytes].copy_from_slice(self.load(src.wrapping_add(step), bytes)?);
                    self.store(dst.wrapping_add(step), &held[..bytes])?;
                }
            }
        }
        Ok(())
    }

    /// Names an address by the region it is in or near; between several, what `access` is for comes first.
    pub fn spot(&self, at: u64, access: Access) -> Spot {
        let source = (Region::Source, self.src, self.n);
        let destination = (Region::Destination, self.dst, self.n);
        let scratch = (Region::Scratch, self.scratch(), SCRATCH);
        let regions = match access {
            Access::Load => [source, destination, scratch],
            Access::Store => [destination, source, scratch],
        };
        regions
            .into_iter()
            .map(|(region, base, size)| (region, at.wrapping_sub(base).cast_signed(), size))
            .find(|&(_, offset, size)| -NEAR < offset && offset < NEAR + size as i64)
            .map_or(Spot::Address(at), |(region, offset, size)| Spot::Near { region, offset, size })
    }

    /// Where in `tokens` a store goes; `None` is scratch, which keeps nothing.
    fn writable(&self, at: u64, bytes: usize) -> Result<Option<usize>, Wrong> {
        if let Some(to) = inside(at, bytes, self.dst, self.n) {
            Ok(Some(self.dst_at + to))
        } else if inside(at, bytes, self.scratch(), SCRATCH).is_some() {
            Ok(None)
        } else if self.layout == Layout::Apart && inside(at, bytes, self.src, self.n).is_some() {
            Err(Wrong::WritesSource { bytes, at: self.spot(at, Access::Load) })
        } else {
            Err(Wrong::Outside { access: Access::Store, bytes, at: self.spot(at, Access::Store) })
        }
    }
}

/// The offset of `bytes` bytes at `at` in a region, where they are wholly inside.
fn inside(at: u64, bytes: usize, base: u64, size: usize) -> Option<usize> {
    let offset = at.wrapping_sub(base);
    (offset <= size as u64 && bytes as u64 <= size as u64 - offset).then_some(offset as usize)
}
