//! Recorded samples by class and kernel: what every question of a study is asked of.

use super::StudyError;
use crate::host::{CacheLevel, CacheReading, CacheSource, Caches};
use crate::record::{Contents, Header, Past, Phase, Race, Stage};
use crate::tune;
use copysmith_kernels::{Recipe, Routine, Span};
use copysmith_search::space::simpler;
use copysmith_search::stats::{median, noise_floor, trimmed_mean};
use std::collections::BTreeMap;

/// A data set.
#[derive(Clone, Debug, PartialEq)]
pub struct Data {
    /// Where and with what it was measured.
    pub header: Header,
    /// Its size classes, in the order of their lengths.
    pub classes: Vec<Class>,
}

/// Everything measured of one size class.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// The lengths.
    pub span: Span,
    /// Every kernel that never failed and has a sample, simplest first.
    pub kernels: Vec<Kernel>,
    /// Who was refused or failed, and why, in order of the text.
    pub rejected: Vec<(String, String)>,
    /// What a call of the reference took, in nanoseconds, the median of its blocks; `None` where nobody noted it.
    pub reference_ns: Option<f64>,
    /// The noise floor, as a log ratio; infinite where there was no gate.
    pub noise_floor: f64,
    /// How the race ended, where the data are a tune's.
    pub race: Option<Race>,
    /// About how long one sample takes, in seconds: [`seconds_a_sample`](tune::seconds_a_sample) of the recorded caches.
    pub sample_seconds: f64,
}

/// One kernel and everything it did.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Which.
    pub recipe: Recipe,
    /// Log ratios to the reference, in the order in which they were measured.
    pub samples: Vec<f64>,
    /// The 20 % trimmed mean of them: what counts as true.
    pub truth: f64,
}

impl Data {
    /// The data of the lines of a file, or of several joined.
    ///
    /// # Errors
    /// [`StudyError::Import`] for a routine that today's version cannot read, [`StudyError::Class`] where there is nothing in it.
    pub fn new(contents: &Contents) -> Result<Data, StudyError> {
        let past = Past::new(&contents.entries);
        let header = contents.header.clone().ok_or_else(|| StudyError::Import("the data have no header".to_owned()))?;
        let caches = caches(&header);
        let mut spans: Vec<Span> = past.classes().filter_map(|(name, _)| name.parse().ok()).collect();
        spans.sort_by_key(|span| (span.first(), span.last()));
        let mut classes = Vec::new();
        for span in spans {
            let class = class(&past, span, &caches)?;
            if !class.kernels.is_empty() {
                classes.push(class);
            }
        }
        match classes.is_empty() {
            true => Err(StudyError::Class { class: "any".to_owned(), why: "nothing has been timed yet".to_owned() }),
            false => Ok(Data { header, classes }),
        }
    }

    /// The caches of the machine, as recorded.
    pub fn caches(&self) -> Caches {
        caches(&self.header)
    }

    /// One class.
    ///
    /// # Errors
    /// [`StudyError::Class`] names those that there are.
    pub fn class(&self, span: Span) -> Result<&Class, StudyError> {
        self.classes.iter().find(|class| class.span == span).ok_or_else(|| {
            let all: Vec<String> = self.classes.iter().map(|class| class.span.to_string()).collect();
            StudyError::Class { class: span.to_string(), why: format!("not in the data, which have {}", all.join(" ")) }
        })
    }
}

impl Class {
    /// The kernel that is truly fastest; of equal ones the simplest.
    pub fn best(&self) -> &Kernel {
        let mut kernels = self.kernels.iter();
        let first = kernels.next().expect("a class has kernels");
        kernels.fold(first, |best, kernel| if kernel.truth < best.truth { kernel } else { best })
    }

    /// How much longer than the best a log ratio takes: 0.01 is one per cent.
    pub fn regret(&self, truth: f64) -> f64 {
        (truth - self.best().truth).exp_m1()
    }

    /// The truth of a kernel by its text.
    pub fn truths(&self) -> BTreeMap<String, f64> {
        self.kernels.iter().map(|kernel| (kernel.recipe.to_string(), kernel.truth)).collect()
    }

    /// The kernels' recipes, simplest first.
    pub fn recipes(&self) -> Vec<Recipe> {
        self.kernels.iter().map(|kernel| kernel.recipe.clone()).collect()
    }
}

fn class(past: &Past, span: Span, caches: &Caches) -> Result<Class, StudyError> {
    let name = span.to_string();
    let known = past.class(&name);
    let mut kernels = Vec::new();
    let mut rejected = BTreeMap::new();
    for (text, samples) in known.map(|known| known.samples(Phase::Race)).unwrap_or_default() {
        let unreadable = |why: String| StudyError::Import(format!("class {name}: '{text}' is no kernel: {why}"));
        let routine: Routine =
            text.parse().map_err(|error: copysmith_kernels::RoutineError| unreadable(error.to_string()))?;
        let [recipe] = routine.leaves() else { return Err(unreadable("it has several leaves".to_owned())) };
        // What a confirmation found slow at some offset had raced like everybody.
        match past.rejected(text).filter(|why| why.stage != Stage::Offset) {
            None => kernels.push(Kernel { recipe: recipe.clone(), truth: trimmed_mean(&samples), samples }),
            Some(why) => drop(rejected.insert(text.to_owned(), why.reason.clone())),
        }
    }
    kernels.sort_by(|a, b| simpler(&a.recipe, &b.recipe));
    for refused in past.all_rejected().filter(|refused| refused.stage != Stage::Offset) {
        if refused.routine.parse().is_ok_and(|routine: Routine| routine.span() == span) {
            rejected.insert(refused.routine.clone(), refused.reason.clone());
        }
    }
    let blocks = known.map(|known| known.blocks.as_slice()).unwrap_or_default();
    let times: Vec<f64> = blocks.iter().filter_map(|block| block.reference_ns).collect();
    let gate = known.and_then(|known| known.samples(Phase::Gate).remove(tune::CLONE)).unwrap_or_default();
    Ok(Class {
        span,
        kernels,
        rejected: rejected.into_iter().collect(),
        reference_ns: Some(median(&times)).filter(|_| !times.is_empty()),
        noise_floor: noise_floor(&gate),
        race: known.and_then(|known| known.races.last().cloned()),
        sample_seconds: tune::seconds_a_sample(tune::timed(span), caches),
    })
}

fn caches(header: &Header) -> Caches {
    let sizes =
        [(CacheLevel::L1d, header.caches.l1d), (CacheLevel::L2, header.caches.l2), (CacheLevel::L3, header.caches.l3)];
    let reading = |(level, bytes): (CacheLevel, Option<u64>)| {
        Some(CacheReading { level, source: CacheSource::Sysfs, bytes: i64::try_from(bytes?).ok()? })
    };
    Caches::reconcile(sizes.into_iter().filter_map(reading).collect())
}
