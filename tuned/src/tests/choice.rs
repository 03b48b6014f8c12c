use crate::cpu::Cpu;
use crate::dispatch::fits;
use crate::{Evidence, Feature, Row, Table, machine, rows, tables};
extern crate std;
use std::string::ToString;

unsafe extern "sysv64" fn none(dst: *mut u8, _src: *const u8, _n: usize) -> *mut u8 {
    dst
}

const MEASURED: Evidence = Evidence::Measured { ratio: 0.9, low: 0.8, high: 1.0, blocks: 8 };

fn table(machine: &'static str, needs: &'static [Feature], evidence: Evidence) -> Table {
    let routine = Row { first: 0, last: usize::MAX, recipe: "", entry: none, bytes: 1, evidence };
    Table { machine, needs, routine, rows: &[] }
}

#[test]
fn only_a_measured_table_of_exactly_this_machine_fits() {
    let cpu = Cpu::here();
    let here: &'static str = std::boxed::Box::leak(cpu.to_string().into_boxed_str());
    assert!(fits(&table(here, &[], MEASURED), &cpu));
    assert!(!fits(&table(here, &[], Evidence::Modelled), &cpu), "modelled");
    assert!(!fits(&table("amd-00h-00h", &[], MEASURED), &cpu), "another machine");
}

#[test]
fn a_table_that_needs_what_the_system_withholds_does_not_fit() {
    struct Bare;
    impl crate::cpu::Ask for Bare {
        fn cpuid(&self, leaf: u32, _subleaf: u32) -> [u32; 4] {
            match leaf {
                0 => [1, 0x6874_7541, 0x444d_4163, 0x6974_6e65],
                // AVX without OSXSAVE.
                1 => [0x0083_0f10, 0, 1 << 28, 0],
                _ => [0; 4],
            }
        }
        fn xcr0(&self) -> u64 {
            panic!("xgetbv without OSXSAVE")
        }
    }
    let cpu = Cpu::of(&Bare);
    assert!(fits(&table("amd-17h-31h", &[], MEASURED), &cpu));
    for needs in [&[Feature::Avx], &[Feature::Avx512], &[Feature::PrefetchW]] {
        assert!(!fits(&table("amd-17h-31h", needs, MEASURED), &cpu), "{needs:?}");
    }
}

#[test]
fn the_rows_in_use_are_those_of_the_machine_in_use() {
    match machine() {
        None => assert!(rows().is_empty()),
        Some(machine) => {
            let table = tables().iter().find(|table| table.machine() == machine).expect("it is one of the tables");
            assert_eq!(table.rows().len(), rows().len());
            assert_eq!(Cpu::here().to_string(), machine);
        }
    }
}
