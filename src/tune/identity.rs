//! What a record must have been made with and on to be used again.

use super::{Destination, Options};
use crate::host::{Features, Host};
use crate::record::{Caches, Fingerprint, Header};
use crate::time::Recording;
use copysmith_kernels::{Isa, Recipe, Routine, Span, Target, X86_64};
use copysmith_search::space::{self, Breadth, lasting_hash, space, space_hash};

/// Goes up when the same candidate would be asked other questions, or its answers be scored otherwise.
const PROTOCOL: u32 = 9;

/// The identity of a record made now.
pub fn header(host: &Host, options: &Options, spans: &[Span]) -> Header {
    let features = features(&host.cpu.features, options.isa);
    let recipes: Vec<Recipe> = spans.iter().flat_map(|&span| space(span, features, options.effort.breadth())).collect();
    Header {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        emitter: emitter(),
        space: Fingerprint(space_hash(&recipes)),
        seed: options.seed,
        effort: effort(options),
        protocol: PROTOCOL,
        cpu: options.cpu,
        machine: host.machine(),
        microcode: host.cpu.microcode.clone(),
        hypervisor: host.cpu.hypervisor.clone(),
        features: host.cpu.features.names().into_iter().map(str::to_owned).collect(),
        caches: Caches { l1d: host.caches.l1d, l2: host.caches.l2, l3: host.caches.l3 },
        reference: host
            .system
            .glibc
            .as_ref()
            .map_or_else(|| "unknown".to_owned(), |version| format!("glibc {version}")),
        kernel: host.system.kernel.clone(),
    }
}

/// The effort and what else decides how much is asked: with another budget the recorded blocks answer other questions.
fn effort(options: &Options) -> String {
    let budget = options.budget.map(|budget| format!(" in {} s", budget.as_secs_f64()));
    let one = |program: &Recording| format!("{} {:016x}", program.name(), program.fingerprint());
    let programs: Vec<String> = options.programs.iter().map(one).collect();
    let programs = if programs.is_empty() { String::new() } else { format!(" for {}", programs.join(", ")) };
    let unread = if options.destination == Destination::Unread { ", destination unread" } else { "" };
    format!("{}{}{programs}{unread}", options.effort, budget.unwrap_or_default())
}

/// What recipes may use: what the processor has, cut to `isa` where one was asked for.
pub fn features(features: &Features, isa: Option<Isa>) -> space::Features {
    let most = match features {
        Features { avx512: true, .. } => Isa::Avx512,
        Features { avx: true, .. } => Isa::Avx,
        _ => Isa::Sse2,
    };
    space::Features { isa: isa.map_or(most, |isa| isa.min(most)), prefetchw: features.prefetchw }
}

/// A hash over the code of a fixed set of recipes: it changes when the same recipe begins to mean other code.
pub fn emitter() -> Fingerprint {
    let spans = ["0..=16", "17..=32", "129..=256", "1025..=4096", "1048577.."];
    let features = space::Features { isa: Isa::Avx512, prefetchw: true };
    let spans = spans.into_iter().filter_map(|span| span.parse::<Span>().ok());
    let recipes = spans.flat_map(|span| space(span, features, Breadth::Quick));
    let code = |recipe: Recipe| X86_64.emit(&Routine::from(recipe).plan()).map(|code| code.bytes).unwrap_or_default();
    Fingerprint(lasting_hash(recipes.flat_map(code)))
}
