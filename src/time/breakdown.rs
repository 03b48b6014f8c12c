//! What everybody did in each situation alone: a score says who is better, and nothing about where.

use std::collections::HashMap;

/// The log ratios of each contestant, by its name, situation by situation.
#[derive(Clone, Debug, Default)]
pub(super) struct Breakdown(HashMap<String, Vec<Vec<f64>>>);

impl Breakdown {
    /// One more block of a contestant: its log ratio in each situation, in their order.
    pub fn note(&mut self, name: &str, ratios: impl Iterator<Item = f64>) {
        let situations = self.0.entry(name.to_owned()).or_default();
        for (number, ratio) in ratios.enumerate() {
            if number == situations.len() {
                situations.push(Vec::new());
            }
            situations[number].push(ratio);
        }
    }

    /// The log ratios of a contestant, for each situation one a block; nothing of one that has not raced.
    pub fn of(&self, name: &str) -> &[Vec<f64>] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_kept_by_name_and_situation_in_the_order_of_blocks() {
        let mut breakdown = Breakdown::default();
        breakdown.note("a", [0.1, 0.2].into_iter());
        breakdown.note("b", [1.0, 2.0].into_iter());
        breakdown.note("a", [0.3, 0.4].into_iter());
        assert_eq!(breakdown.of("a"), [vec![0.1, 0.3], vec![0.2, 0.4]]);
        assert_eq!(breakdown.of("b"), [vec![1.0], vec![2.0]]);
        assert!(breakdown.of("c").is_empty());
    }
}
