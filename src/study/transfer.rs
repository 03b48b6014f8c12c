//! What carries from one machine to another: each machine's winners on every other.

use super::{Class, Data, StudyError};
use copysmith_kernels::Recipe;
use serde::Serialize;
use std::collections::BTreeMap;

/// The regrets of one class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Transfer {
    /// The class.
    pub class: String,
    /// The machines, in the order of the rows and columns.
    pub machines: Vec<String>,
    /// The winner of each machine.
    pub winners: Vec<String>,
    /// `regrets[i][j]`: how much slower than machine j's best machine i's winner is there (0.01 is one per cent); `None` where it was not
    /// measured there.
    pub regrets: Vec<Vec<Option<f64>>>,
    /// The kernel that every machine measured and whose largest regret is the least, with that regret; `None` where they share none.
    pub minimax: Option<(String, f64)>,
}

/// The matrix of each class that all machines measured.
///
/// # Errors
/// [`StudyError::Class`] where there is no such class, or two data sets are of the same machine.
pub fn transfer(machines: &[Data]) -> Result<Vec<Transfer>, StudyError> {
    let wrong = |class: &str, why: String| StudyError::Class { class: class.to_owned(), why };
    let names: Vec<String> = machines.iter().map(|data| data.header.machine.clone()).collect();
    if let Some(twice) = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)) {
        return Err(wrong("any", format!("machine {} is there twice; merge its data first", twice.1)));
    }
    let Some((first, others)) = machines.split_first() else {
        return Err(wrong("any", "there are no data".to_owned()));
    };
    let mut all = Vec::new();
    for class in &first.classes {
        let found: Option<Vec<&Class>> =
            others.iter().map(|data| data.classes.iter().find(|other| other.span == class.span)).collect();
        if let Some(found) = found {
            let classes: Vec<&Class> = std::iter::once(class).chain(found).collect();
            all.push(of(&names, &classes));
        }
    }
    if all.is_empty() { Err(wrong("any", "no class was measured on every machine".to_owned())) } else { Ok(all) }
}

fn of(names: &[String], classes: &[&Class]) -> Transfer {
    let truths: Vec<BTreeMap<&Recipe, f64>> = classes
        .iter()
        .map(|class| class.kernels.iter().map(|kernel| (&kernel.recipe, class.regret(kernel.truth))).collect())
        .collect();
    let winners: Vec<&Recipe> = classes.iter().map(|class| &class.best().recipe).collect();
    let everywhere = truths[0].keys().filter_map(|recipe| {
        let regrets: Option<Vec<f64>> = truths.iter().map(|regrets| regrets.get(recipe).copied()).collect();
        regrets.map(|regrets| (*recipe, regrets.into_iter().fold(0.0, f64::max)))
    });
    let minimax = everywhere.min_by(|a, b| a.1.total_cmp(&b.1));
    Transfer {
        class: classes[0].span.to_string(),
        machines: names.to_vec(),
        winners: winners.iter().map(|recipe| recipe.to_string()).collect(),
        regrets: winners
            .iter()
            .map(|winner| truths.iter().map(|regrets| regrets.get(winner).copied()).collect())
            .collect(),
        minimax: minimax.map(|(recipe, regret)| (recipe.to_string(), regret)),
    }
}
