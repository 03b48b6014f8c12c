//! Encoded and printed as GNU binutils do it; what does not fit is refused.

mod binutils;
mod encoding;
