//! A random forest over the axes of recipes: predicts what has not been timed, and says which axes matter.
//!
//! The trees are `smartcore`'s, the one random forest in Rust that is kept up, has no native dependencies and takes a seed.

use crate::space::{AXES, axes};
use copysmith_kernels::Recipe;
use smartcore::ensemble::random_forest_regressor::{RandomForestRegressor, RandomForestRegressorParameters};
use smartcore::linalg::basic::matrix::DenseMatrix;
use std::collections::BTreeSet;

/// How recipes become rows of numbers: one column for an axis whose values are all numbers, else one for each value.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoding {
    columns: Vec<Column>,
}

#[derive(Clone, Debug, PartialEq)]
struct Column {
    /// Index in [`AXES`].
    axis: usize,
    /// 1 where the axis has this value; `None` for a column that holds the number itself.
    value: Option<String>,
}

impl Encoding {
    /// The encoding of these recipes; axes that do not vary among those that have them get no column.
    pub fn of(recipes: &[Recipe]) -> Encoding {
        let points: Vec<_> = recipes.iter().map(axes).collect();
        let mut columns = Vec::new();
        for axis in 0..AXES.len() {
            let values: BTreeSet<&String> = points.iter().map(|point| &point[axis]).collect();
            // Whether there is the axis at all, the shape's columns say already.
            if values.iter().filter(|value| !value.is_empty()).count() < 2 {
                continue;
            }
            if values.iter().all(|value| value.is_empty() || value.parse::<f64>().is_ok()) {
                columns.push(Column { axis, value: None });
            } else {
                columns.extend(values.into_iter().map(|value| Column { axis, value: Some(value.clone()) }));
            }
        }
        Encoding { columns }
    }

    /// One recipe as a row. A number is taken by its logarithm: what matters is the ratio.
    pub fn row(&self, recipe: &Recipe) -> Vec<f64> {
        let point = axes(recipe);
        let cell = |column: &Column| match &column.value {
            Some(value) => f64::from(u8::from(point[column.axis] == *value)),
            None => point[column.axis].parse::<f64>().map_or(-1.0, |number| (number + 1.0).log2()),
        };
        self.columns.iter().map(cell).collect()
    }

    /// The axes that vary, by index in [`AXES`], each with the numbers of its columns.
    pub fn axes(&self) -> Vec<(usize, Vec<usize>)> {
        let mut all: Vec<(usize, Vec<usize>)> = Vec::new();
        for (number, column) in self.columns.iter().enumerate() {
            match all.last_mut() {
                Some((axis, columns)) if *axis == column.axis => columns.push(number),
                _ => all.push((column.axis, vec![number])),
            }
        }
        all
    }
}

/// Trees that were fitted to samples.
#[derive(Debug)]
pub struct Forest(RandomForestRegressor<f64, f64, DenseMatrix<f64>, Vec<f64>>);

impl Forest {
    /// A forest of so many trees for rows and their values; `None` where there are too few to fit anything, or rows without columns.
    /// The same seed gives the same trees.
    pub fn fit(rows: &[Vec<f64>], values: &[f64], trees: usize, seed: u64) -> Option<Forest> {
        let columns = rows.first()?.len();
        if rows.len() < 4 || columns == 0 {
            return None;
        }
        let parameters = RandomForestRegressorParameters {
            max_depth: None,
            min_samples_leaf: 1,
            min_samples_split: 2,
            n_trees: trees,
            // A third of the columns: Breiman's choice for regression.
            m: Some(columns.div_ceil(3)),
            keep_samples: false,
            seed,
        };
        let matrix = DenseMatrix::from_2d_vec(&rows.to_vec()).ok()?;
        RandomForestRegressor::fit(&matrix, &values.to_vec(), parameters).ok().map(Forest)
    }

    /// What it says of other rows; empty where the rows are not of the form of those it was fitted to.
    pub fn predict(&self, rows: &[Vec<f64>]) -> Vec<f64> {
        let matrix = DenseMatrix::from_2d_vec(&rows.to_vec());
        matrix.ok().and_then(|matrix| self.0.predict(&matrix).ok()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{Breadth, space};
    use copysmith_kernels::Isa;

    #[test]
    fn a_forest_finds_what_decides_and_the_same_seed_gives_the_same_trees() {
        let recipes = space("1024..=4095".parse().expect("a span"), Isa::Avx, Breadth::Normal);
        let encoding = Encoding::of(&recipes);
        // Every other one, since a space is in order of simplicity: its halves are different kinds.
        let every_other = |first: usize| recipes.iter().skip(first).step_by(2);
        let rows = |first| every_other(first).map(|recipe| encoding.row(recipe)).collect::<Vec<_>>();
        let truth = |recipe: &Recipe| if recipe.to_string().contains("width=avx32") { -0.3 } else { 0.1 };
        let values = |first| every_other(first).map(truth).collect::<Vec<f64>>();
        let (known, asked) = (rows(0), rows(1));
        let forest = Forest::fit(&known, &values(0), 20, 1).expect("enough rows");
        let predicted = forest.predict(&asked);
        let wrong = predicted.iter().zip(values(1)).filter(|(said, is)| (*said - is).abs() > 0.15).count();
        assert!(wrong * 10 < asked.len(), "{wrong} of {}", asked.len());
        let again = Forest::fit(&known, &values(0), 20, 1).expect("enough rows");
        assert_eq!(again.predict(&asked), predicted);
        assert!(Forest::fit(&known[..3], &values(0)[..3], 20, 1).is_none());
    }
}
