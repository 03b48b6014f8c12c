//! Every recipe that can be written down lowers to a plan that proves, and to code that reads back and proves.

mod recipes;

use copysmith_kernels::proof::{Depth, Residues, flatten, prove};
use copysmith_kernels::{Recipe, Routine, Target, X86_64};
use proptest::prelude::*;
use recipes::{shape, span};

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 400_000, cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn a_valid_recipe_is_a_copy_as_plan_and_as_code(span in span(), shape in shape()) {
        let recipe = Recipe::new(span, shape);
        prop_assume!(recipe.is_ok());
        let recipe = recipe.unwrap();
        let plan = Routine::from(recipe.clone()).plan();
        let program = flatten(&plan).map_err(|error| TestCaseError::fail(format!("{recipe}: {error}\n{plan}")))?;
        let residues = Residues::both(64, 64);
        prove(&program, span, residues, Depth::Gate)
            .map_err(|failure| TestCaseError::fail(format!("plan of {recipe}: {failure}\n{plan}")))?;
        let code = X86_64.emit(&plan).map_err(|error| TestCaseError::fail(format!("{recipe}: {error}\n{plan}")))?;
        let read = X86_64.decode(&code).map_err(|error| TestCaseError::fail(format!("{recipe}: {error}\n{plan}")))?;
        prove(&read, span, residues, Depth::Gate)
            .map_err(|failure| TestCaseError::fail(format!("code of {recipe}: {failure}\n{plan}")))?;
    }
}
