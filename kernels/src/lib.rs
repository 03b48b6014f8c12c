//! What a copy routine is: recipe, plan, code, and the proofs that hold them together.
//!
//! ```text
//! text <-> Recipe, Routine --lower--> Plan --emit--> Code
//!                                      |              | decode
//!                                      +--> Program <-+      one interpreter proves both
//! ```
//!
//! Nothing in this crate can run what it emits, and none of it is unsafe.
#![forbid(unsafe_code)]

pub mod code;
mod lower;
pub mod plan;
pub mod power;
pub mod proof;
pub mod recipe;
pub mod routine;
mod span;
mod uses;
pub mod x86_64;

pub use code::{Code, Line, Slots, Target, Unreadable, Unsupported};
pub use recipe::{Isa, Recipe, RecipeError};
pub use routine::{Routine, RoutineError};
pub use span::{Span, SpanError};
pub use x86_64::X86_64;
