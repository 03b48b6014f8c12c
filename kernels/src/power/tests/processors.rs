//! What is known of processors agrees with itself.

use super::*;
use crate::power::Misaligned;
use crate::power::instruction::Facility;

#[test]
fn a_processor_is_read_back_from_its_name() {
    for &processor in Processor::ALL {
        assert_eq!(processor.to_string().parse(), Ok(processor));
    }
    let error = "power6".parse::<Processor>().unwrap_err().to_string();
    assert!(error.starts_with("'power6' is no processor; one of e300c3 603e 750 "), "{error}");
}

#[test]
fn facts_agree_with_each_other() {
    for &processor in Processor::ALL {
        assert!(processor.line().is_power_of_two() && processor.zeroed().is_power_of_two(), "{processor}");
        assert!(processor.zeroed() <= processor.line(), "{processor}");
        assert!(!processor.source().is_empty() && !processor.modes().is_empty(), "{processor}");
        let has = |facility| processor.has(facility);
        assert_eq!(processor.modes().contains(&Mode::Ppc32), !has(Facility::Wide), "{processor}");
        assert_eq!(processor.misaligned_floats() == Misaligned::Absent, !has(Facility::Float), "{processor}");
        let vectors = has(Facility::AltiVec) || has(Facility::Vsx);
        assert_eq!(processor.misaligned_vectors() == Misaligned::Absent, !vectors, "{processor}");
        // Each version of VSX includes the one before.
        assert!(!has(Facility::Paired) || has(Facility::Vsx3), "{processor}");
        assert!(!has(Facility::Vsx3) || has(Facility::Vsx), "{processor}");
    }
    assert_eq!(Power::all().count(), 16);
}

#[test]
fn no_code_has_an_instruction_that_its_processor_lacks() {
    let select =
        Expr::Select { cond: Cond::imm(Reg::N, crate::plan::Relation::Above, 3), yes: Reg::SRC, no: Reg::COUNT };
    let nta = Op::Prefetch { locality: crate::plan::Locality::Nta, at: Addr::at(Reg::SRC, 0) };
    for target in Power::all() {
        let selects = vec![constant(Reg::COUNT, 1), Op::Set { to: Reg::SPARE[0], value: select }, Op::Return];
        let code = emitted(target, selects);
        assert_eq!(count(target, &code, "iselgt") == 1, target.processor().has(Facility::Select), "{target:?}");
        for bytes in code.bytes.chunks(4) {
            let word = target.mode().word_of(bytes.try_into().unwrap());
            let facility = Instruction::decode(word).unwrap().mnemonic().facility();
            assert!(target.processor().has(facility), "{target:?}: {facility:?}");
        }
        let prefetch = emit(target, vec![nta.clone(), Op::Return]);
        assert_eq!(prefetch.is_ok(), target.processor().has(Facility::Transient), "{target:?}");
    }
}
