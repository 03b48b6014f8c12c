//! Every recipe that can be written down lowers to a plan that proves, and to code that reads back and proves: to be a copy, and where it
//! says so a move.

mod recipes;

use copysmith_kernels::plan::Width;
use copysmith_kernels::proof::{Depth, Residues, flatten, prove_operation};
use copysmith_kernels::recipe::{Operation, Shape};
use copysmith_kernels::{Recipe, Routine, Span, Target, X86_64};
use proptest::prelude::*;
use recipes::{both_ways, operation, shape, span};

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 400_000, cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn a_valid_recipe_is_what_it_says_as_plan_and_as_code(operation in operation(), span in span(), shape in shape(&Width::X86)) {
        proves(operation, span, shape)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 400_000, cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn a_loop_that_moves_walks_the_way_that_loses_nothing(span in span(), shape in both_ways(&Width::X86)) {
        proves(Operation::Move, span, shape)?;
    }
}

fn proves(operation: Operation, span: Span, shape: Shape) -> Result<(), TestCaseError> {
    let recipe = Recipe::of(operation, span, shape);
    prop_assume!(recipe.is_ok());
    let recipe = recipe.unwrap();
    let plan = Routine::from(recipe.clone()).plan();
    let program = flatten(&plan).map_err(|error| TestCaseError::fail(format!("{recipe}: {error}\n{plan}")))?;
    let residues = Residues::both(64, 64);
    prove_operation(operation, &program, span, residues, Depth::Gate)
        .map_err(|failure| TestCaseError::fail(format!("plan of {recipe}: {failure}\n{plan}")))?;
    let code = X86_64.emit(&plan).map_err(|error| TestCaseError::fail(format!("{recipe}: {error}\n{plan}")))?;
    let read = X86_64.decode(&code).map_err(|error| TestCaseError::fail(format!("{recipe}: {error}\n{plan}")))?;
    prove_operation(operation, &read, span, residues, Depth::Gate)
        .map_err(|failure| TestCaseError::fail(format!("code of {recipe}: {failure}\n{plan}")))?;
    Ok(())
}
