//! What the buffers hold: contents that differ from call to call at every byte.
//!
//! The source holds a permutation of 0..251 over and over, so no power-of-two mistake in an address finds an equal byte,
//! and each call starts it elsewhere. The destination holds a value from 251 to 255, which the source never has: a byte that
//! was not copied shows, whatever was there before.

/// The period, a prime.
const PERIOD: usize = 251;

/// A source of fresh contents.
pub(super) struct Contents {
    pattern: Vec<u8>,
    fills: [Vec<u8>; 5],
    call: usize,
}

impl Contents {
    /// Contents for runs of up to `longest` bytes with their margins.
    pub(super) fn new(longest: usize) -> Contents {
        let window = longest + 2 * super::input::MARGIN;
        let pattern = (0..window + PERIOD).map(|k| ((k * 97 + 13) % PERIOD) as u8).collect();
        Contents { pattern, fills: [251, 252, 253, 254, 255].map(|fill| vec![fill; super::input::MARGIN]), call: 0 }
    }

    /// From now on, the contents of the next call.
    pub(super) fn next(&mut self) {
        self.call += 1;
    }

    /// The first bytes of this call's source window.
    pub(super) fn pattern(&self, bytes: usize) -> &[u8] {
        let shift = self.call * 37 % PERIOD;
        &self.pattern[shift..shift + bytes]
    }

    /// This call's margin of the destination, as many bytes as a margin has.
    pub(super) fn margin(&self) -> &[u8] {
        &self.fills[self.call % 5]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_byte_is_the_same_in_successive_calls_or_ever_equal_to_a_fill() {
        let mut contents = Contents::new(1000);
        for _ in 0..600 {
            let before = (contents.pattern(1000).to_vec(), contents.margin()[0]);
            contents.next();
            let after = (contents.pattern(1000), contents.margin()[0]);
            assert!(before.0.iter().zip(after.0).all(|(before, after)| before != after));
            assert_ne!(before.1, after.1);
            assert!(after.0.iter().all(|&byte| byte < 251) && after.1 >= 251);
        }
    }

    #[test]
    fn bytes_a_power_of_two_apart_differ() {
        let contents = Contents::new(70_000);
        let pattern = contents.pattern(70_000);
        for power in 0..16 {
            assert!((0..300).all(|k| pattern[k] != pattern[k + (1 << power)]), "distance {}", 1 << power);
        }
    }
}
