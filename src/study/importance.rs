//! Which axes decide: the share of the variance that a forest loses when an axis is shuffled, and what a smaller space would keep.
//!
//! For each part of a five-fold cross-validation a forest is fitted to the other kernels and asked about the part twice: as it is, and with
//! the columns of an axis permuted among its kernels. An axis without which nothing is known costs twice the variance it explains
//! (Fisher, Rudin and Dominici 2019, section 3), so
//!
//! ```text
//! total(a)   = (error with a permuted - error) / (2 variance)         alone and together with others
//! pair(a, b) = total(a) + total(b) - total(a and b permuted alike)    what only both together do
//! ```

use super::{Class, StudyError};
use copysmith_kernels::Recipe;
use copysmith_search::forest::{Encoding, Forest};
use copysmith_search::space::{AXES, axes};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

const FOLDS: usize = 5;
const TREES: usize = 48;
/// Permutations of each axis: their mean counts.
const SHUFFLES: usize = 4;
/// Fewest kernels that a forest says anything about.
const FEWEST: usize = 40;
/// Pairs are looked for among so many of the most important axes.
const PAIRED: usize = 6;

/// Axes that mean nothing without another one, and are shuffled with it.
const WITH: [(&str, &str); 6] = [
    ("align-to", "align"),
    ("head", "align"),
    ("prefetch-side", "prefetch"),
    ("distance", "prefetch"),
    ("prefetch-end", "prefetch"),
    ("streams", "stores"),
];

/// What decides in one class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Importance {
    /// The class.
    pub class: String,
    /// Kernels.
    pub kernels: usize,
    /// Share of the variance that the forest explains of kernels it has not seen: low means the shares below say little.
    pub explained: f64,
    /// Each axis with its share of the variance, interactions included, largest first. Their sum may be above 1.
    pub axes: Vec<(String, f64)>,
    /// Pairs of axes with the share that only both together explain, largest first.
    pub pairs: Vec<(String, String, f64)>,
}

/// What decides in a class; the same seed gives the same figures.
///
/// # Errors
/// [`StudyError::Class`] where there are too few kernels.
pub fn importance(class: &Class, seed: u64) -> Result<Importance, StudyError> {
    let few = |why: String| StudyError::Class { class: class.span.to_string(), why };
    if class.kernels.len() < FEWEST {
        return Err(few(format!("{} kernels are too few; at least {FEWEST} are needed", class.kernels.len())));
    }
    let recipes = class.recipes();
    let encoding = Encoding::of(&recipes);
    let rows: Vec<Vec<f64>> = recipes.iter().map(|recipe| encoding.row(recipe)).collect();
    let values: Vec<f64> = class.kernels.iter().map(|kernel| kernel.truth).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64;
    if variance <= 0.0 {
        return Err(few("all kernels take the same time".to_owned()));
    }
    let mut families: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (axis, columns) in encoding.axes() {
        let name = WITH.iter().find(|(part, _)| *part == AXES[axis]).map_or(AXES[axis], |(_, whole)| *whole);
        families.entry(name).or_default().extend(columns);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.shuffle(&mut rng);
    let fold =
        |number: usize| order.iter().enumerate().filter(move |(at, _)| at % FOLDS == number).map(|(_, &row)| row);
    let mut folds = Vec::new();
    for number in 0..FOLDS {
        let asked: Vec<usize> = fold(number).collect();
        let known: Vec<usize> = order.iter().copied().filter(|row| !asked.contains(row)).collect();
        let of = |at: &[usize]| at.iter().map(|&row| rows[row].clone()).collect::<Vec<_>>();
        let fitted: Vec<f64> = known.iter().map(|&row| values[row]).collect();
        let forest = Forest::fit(&of(&known), &fitted, TREES, seed.wrapping_add(number as u64));
        let forest = forest.ok_or_else(|| few("its kernels differ in nothing that could matter".to_owned()))?;
        let truths = asked.iter().map(|&row| values[row]).collect();
        folds.push(Fold { forest, rows: of(&asked), truths });
    }
    let error = folds.iter().map(|fold| fold.error(&fold.rows)).sum::<f64>() / rows.len() as f64;
    let mut total = |columns: &[usize]| {
        let mut sum = 0.0;
        for fold in &folds {
            for _ in 0..SHUFFLES {
                sum += fold.error(&fold.permuted(columns, &mut rng));
            }
        }
        ((sum / (SHUFFLES * rows.len()) as f64 - error) / (2.0 * variance)).max(0.0)
    };
    let mut all: Vec<(&str, f64)> = families.iter().map(|(name, columns)| (*name, total(columns))).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut pairs = Vec::new();
    for (at, &(one, alone)) in all.iter().take(PAIRED).enumerate() {
        for &(other, also) in all.iter().take(PAIRED).skip(at + 1) {
            let both = total(&[families[one].clone(), families[other].clone()].concat());
            pairs.push((one.to_owned(), other.to_owned(), (alone + also - both).max(0.0)));
        }
    }
    pairs.sort_by(|a, b| b.2.total_cmp(&a.2));
    Ok(Importance {
        class: class.span.to_string(),
        kernels: rows.len(),
        explained: 1.0 - error / variance,
        axes: all.into_iter().map(|(name, share)| (name.to_owned(), share)).collect(),
        pairs,
    })
}

/// A forest and the kernels it has not seen.
struct Fold {
    forest: Forest,
    rows: Vec<Vec<f64>>,
    truths: Vec<f64>,
}

impl Fold {
    /// The sum of squared errors.
    fn error(&self, rows: &[Vec<f64>]) -> f64 {
        let said = self.forest.predict(rows);
        said.iter().zip(&self.truths).map(|(said, truth)| (said - truth).powi(2)).sum()
    }

    /// The rows with these columns dealt out anew, together.
    fn permuted(&self, columns: &[usize], rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        let mut from: Vec<usize> = (0..self.rows.len()).collect();
        from.shuffle(rng);
        let mut rows = self.rows.clone();
        for (row, from) in rows.iter_mut().zip(from) {
            columns.iter().for_each(|&column| row[column] = self.rows[from][column]);
        }
        rows
    }
}

/// A smaller space that is as good.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Minimal {
    /// The values that are left of each axis, for axes with more than one value before.
    pub axes: BTreeMap<String, Vec<String>>,
    /// For each class: its name, kernels before, kernels left, and how much slower the best of those left is.
    pub classes: Vec<(String, usize, usize, f64)>,
}

/// Drops every value of every axis without which each class still has a kernel within `most` of its best (0.01 is one per cent), one
/// after the other. Which values are left depends on that order, the order of the axes and of the values' texts.
pub fn minimal(classes: &[Class], most: f64) -> Minimal {
    type Point = [String; AXES.len()];
    let mut left: Vec<Vec<(Point, f64)>> = classes
        .iter()
        .map(|class| {
            let point = |recipe: &Recipe| axes(recipe);
            class.kernels.iter().map(|kernel| (point(&kernel.recipe), class.regret(kernel.truth))).collect()
        })
        .collect();
    let values = |left: &[Vec<(Point, f64)>], axis: usize| {
        left.iter().flatten().map(|(point, _)| point[axis].clone()).collect::<BTreeSet<String>>()
    };
    let before: Vec<BTreeSet<String>> = (0..AXES.len()).map(|axis| values(&left, axis)).collect();
    for (axis, values) in before.iter().enumerate() {
        for value in values {
            let good = |class: &Vec<(Point, f64)>| {
                class.iter().any(|(point, regret)| point[axis] != *value && *regret <= most)
            };
            if left.iter().all(good) {
                left.iter_mut().for_each(|class| class.retain(|(point, _)| point[axis] != *value));
            }
        }
    }
    let kept = (0..AXES.len()).filter(|&axis| before[axis].len() > 1);
    let word = |value: String| if value.is_empty() { "-".to_owned() } else { value };
    let best = |class: &[(Point, f64)]| class.iter().map(|(_, regret)| *regret).fold(f64::INFINITY, f64::min);
    Minimal {
        axes: kept.map(|axis| (AXES[axis].to_owned(), values(&left, axis).into_iter().map(word).collect())).collect(),
        classes: classes
            .iter()
            .zip(&left)
            .map(|(class, left)| (class.span.to_string(), class.kernels.len(), left.len(), best(left)))
            .collect(),
    }
}
