//! A recipe: the validated description of one leaf of a routine. Its canonical text is its name everywhere.
//!
//! ```text
//! copy 17..=32  pairs width=sse16
//! copy 8..=32   computed width=8 moves=4 last=head
//! copy 257..    loop width=avx32 unroll=4 align=dst:32:overlap prefetch=t0:src:512:clamp tail=block
//! move 257..    loop width=avx32 unroll=4 align=dst:32:early tail=early
//! ```
//!
//! The first word is the operation. A `copy` may lose bytes where source and destination overlap. A `move` never does: a shape without a loop
//! loads all before it stores anything, and a loop finds out at run time which way it must walk (see [`Operation`] and
//! [`Recipe::of`]).
//!
//! A [`Recipe`] can only be had from [`Recipe::new`] or from a text, and both check that the shape can copy every
//! length of the span: an invalid recipe cannot exist.

mod axes;
mod error;
mod isa;
mod lines;
mod merge;
mod operation;
mod overlap;
mod text;
mod valid;

pub use axes::{Align, Beyond, Bottom, Fetch, Form, Head, Last, Order, Prefetch, Side, Source, Stores, Tail};
pub use error::RecipeError;
pub use isa::Isa;
pub use operation::Operation;
pub(crate) use overlap::{needs_disjoint, reversed, twin};
pub(crate) use valid::{PAGE, values};

use crate::Span;
use crate::plan::{Direction, Width};

/// The validated description of one leaf: which lengths it copies and how.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Recipe {
    operation: Operation,
    span: Span,
    shape: Shape,
}

impl Recipe {
    /// A copy of the lengths of `span`.
    ///
    /// # Errors
    /// [`RecipeError::Combination`] says which values cannot stand together, or which length the shape cannot copy.
    pub fn new(span: Span, shape: Shape) -> Result<Recipe, RecipeError> {
        Recipe::of(Operation::Copy, span, shape)
    }

    /// A copy or a move of the lengths of `span`.
    ///
    /// Loops of a move go forward or backward, as the operands lie, so a direction cannot be given. Those with non-temporal
    /// stores or several streams, and string moves, do as they say only where the operands do not overlap; where they do, a plain
    /// loop of the same width stands in for them.
    ///
    /// ```
    /// use copysmith_kernels::Recipe;
    /// assert!("move 64.. loop width=avx32 unroll=2 tail=early".parse::<Recipe>().is_ok());
    /// let late = "move 64.. loop width=avx32 unroll=2 tail=block".parse::<Recipe>().unwrap_err();
    /// assert!(late.to_string().starts_with("tail=block is not allowed for a move"));
    /// ```
    ///
    /// # Errors
    /// As [`Recipe::new`], and which value would lose bytes under an overlap.
    pub fn of(operation: Operation, span: Span, shape: Shape) -> Result<Recipe, RecipeError> {
        valid::check(span, &shape)?;
        if operation == Operation::Move {
            overlap::check(span, &shape)?;
        }
        Ok(Recipe { operation, span, shape })
    }

    /// What it promises about operands that overlap.
    pub const fn operation(&self) -> Operation {
        self.operation
    }

    /// The lengths it copies.
    pub const fn span(&self) -> Span {
        self.span
    }

    /// How it copies them.
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The same operation and shape for other lengths.
    ///
    /// # Errors
    /// As [`Recipe::of`].
    pub fn with_span(&self, span: Span) -> Result<Recipe, RecipeError> {
        Recipe::of(self.operation, span, self.shape)
    }

    /// The least x86-64 instruction set it needs; the greatest where it has a width that no x86-64 processor has.
    pub fn isa(&self) -> Isa {
        isa::needed(&self.shape)
    }
}

/// How the lengths of a span are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    /// `moves` moves from the start and `moves` ending at the end, which overlap in the middle. No branch.
    /// Copies `moves * width ..= 2 * moves * width` bytes.
    Pairs {
        /// Bytes a move.
        width: Width,
        /// Moves from each end, 1 to 8.
        moves: u8,
        /// Which end is stored last.
        last: Last,
    },
    /// Compares from the widest pair down to single bytes. Copies `0 ..= 2 * width` bytes.
    Chain {
        /// Bytes a move of the widest pair.
        width: Width,
        /// What stands at the bottom.
        bottom: Bottom,
    },
    /// Every pair up to the widest is done always; those that do not fit are redirected to scratch memory. No branch.
    /// Copies `0 ..= 2 * width` bytes (with width 1: `0 ..= 3`).
    BranchFree {
        /// Bytes a move of the widest pair.
        width: Width,
    },
    /// One load and one store of the first bytes of a vector (AVX-512, POWER9). No branch. Copies `0 ..= width` bytes.
    ///
    /// A store under a mask answers no load soon after: on Zen 5 a copy and a reload of it take half as long again as with plain
    /// stores. Where the vector reaches into a page that may not be accessed, or was not yet, the processor finds out slowly that it
    /// need not care: some 400 ticks there instead of 3.
    Masked {
        /// Bytes of the vector.
        width: Width,
    },
    /// `moves` moves at offsets computed from the length. No branch. Copies `width ..= moves * width` bytes.
    Computed {
        /// Bytes a move.
        width: Width,
        /// 4 or 8.
        moves: u8,
        /// Which end is stored last.
        last: Last,
    },
    /// A jump by length into straight code for that length. At most 65 lengths, none above 128.
    JumpTable {
        /// Bytes of the widest move.
        width: Width,
    },
    /// A string move.
    String(StringMove),
    /// A loop over blocks, with a head and a tail.
    Loop(Loop),
}

impl Shape {
    /// The width of its widest moves; of a string move the unit.
    pub const fn width(&self) -> Width {
        match *self {
            Shape::Pairs { width, .. }
            | Shape::Chain { width, .. }
            | Shape::BranchFree { width }
            | Shape::Masked { width }
            | Shape::Computed { width, .. }
            | Shape::JumpTable { width }
            | Shape::String(StringMove { unit: width, .. })
            | Shape::Loop(Loop { width, .. }) => width,
        }
    }

    /// How it aligns an operand, if it does.
    pub const fn align(&self) -> Option<Align> {
        match *self {
            Shape::String(StringMove { align, .. }) | Shape::Loop(Loop { align, .. }) => align,
            _ => None,
        }
    }

    /// Whether it, its head or its tail moves the first bytes of a vector only.
    pub fn has_partial(&self) -> bool {
        let tail = matches!(self, Shape::Masked { .. } | Shape::Loop(Loop { tail: Tail::Mask, .. }));
        tail || self.align().is_some_and(|align| align.head == Head::Mask)
    }

    /// Whether it stores around the caches.
    pub const fn is_non_temporal(&self) -> bool {
        matches!(self, Shape::Loop(Loop { stores: Stores { non_temporal: true, .. }, .. }))
    }
}

/// The axes of a string move (`rep movs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StringMove {
    /// Bytes a unit: 1, 2, 4 or 8.
    pub unit: Width,
    /// Alignment before it.
    pub align: Option<Align>,
    /// How the bytes that do not fill a unit are copied: [`Tail::Overlap`], [`Tail::Ladder`], [`Tail::Bytes`] or [`Tail::String`].
    /// Always [`Tail::String`] with a unit of one byte, where nothing is left.
    pub tail: Tail,
    /// Which way it walks.
    pub direction: Direction,
    /// Where the destination lies 1 to so many bytes, less one, above the source modulo 4096, a plain loop copies instead: 16, 32 or 64. Some
    /// processors take ten times as long for a string move there.
    pub guard: Option<u8>,
}

/// The axes of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loop {
    /// Bytes a move.
    pub width: Width,
    /// Moves a turn, 1 to 16.
    pub unroll: u8,
    /// Order of loads and stores in a turn.
    pub order: Order,
    /// Software prefetch.
    pub prefetch: Option<Prefetch>,
    /// Bytes from one prefetched line to the next: 32, 64 or 128.
    pub line: u8,
    /// Alignment before the loop.
    pub align: Option<Align>,
    /// Bytes of the blocks that are set to zero before they are written, so that nothing reads what they held: 32, 64 or 128, and exactly
    /// what the processor's instruction does (PowerPC `dcbz`). For cacheable memory only.
    pub zero: Option<u8>,
    /// How the loop loads from a misaligned source.
    pub source: Source,
    /// How the destination is written.
    pub stores: Stores,
    /// How the loop keeps its place.
    pub form: Form,
    /// Alignment of the loop head in bytes: 1, 16, 32 or 64.
    pub loop_align: u8,
    /// Which way the loop walks.
    pub direction: Direction,
    /// How the rest is copied.
    pub tail: Tail,
}

impl StringMove {
    /// One with every other axis at its default: no alignment, the rest by another string move, forward, no guard.
    pub const fn plain(unit: Width) -> StringMove {
        StringMove { unit, align: None, tail: Tail::String, direction: Direction::Forward, guard: None }
    }
}

impl Loop {
    /// A loop with every other axis at its default: pairs, no prefetch, no alignment, plain stores, bumped pointers,
    /// a loop head on a multiple of 16, forward, and the last block again as the tail.
    pub const fn plain(width: Width, unroll: u8) -> Loop {
        Loop {
            width,
            unroll,
            order: Order::Group(1),
            prefetch: None,
            line: 64,
            align: None,
            zero: None,
            source: Source::Hardware,
            stores: Stores::PLAIN,
            form: Form::Bump,
            loop_align: 16,
            direction: Direction::Forward,
            tail: Tail::Block,
        }
    }

    /// Bytes a turn.
    pub const fn block(&self) -> usize {
        self.width.bytes() * self.unroll as usize
    }

    /// The width of the moves before and after the blocks: that of the loop, unless such moves are aligned only.
    pub(crate) fn edge(&self) -> Width {
        match self.width {
            Width::Altivec16 => Width::B4,
            width => width,
        }
    }

    /// How many values the loop itself has loaded and not stored at once.
    pub(crate) fn under_way(&self) -> usize {
        match self.order {
            Order::Group(moves) => moves.into(),
            Order::Ahead => 2,
        }
    }

    /// How many values are loaded before the loop and stored after it: of the head, and of the tail.
    pub(crate) fn early(&self) -> [u8; 2] {
        let head = self.align.filter(|align| align.head == Head::Early);
        let head = head.map_or(0, |align| usize::from(align.to).div_ceil(self.width.bytes()) as u8);
        [head, if self.tail == Tail::Early { self.unroll } else { 0 }]
    }
}
