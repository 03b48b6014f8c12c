//! The held-out run: finalists again, later, in a fresh process. Only its numbers are published.

use super::objective::broken_down;
use super::session::{Session, Use};
use super::{ClassReport, Figures, TuneError, offsets};
use crate::proofs::Refusal;
use crate::record::{Block, Breakdown, Confirmed, Entry, Outcome, Phase, Race, Rejected, Stage, Timing, Worst};
use crate::time::{Situation, confirm};
use copysmith_kernels::{Routine, Span};
use copysmith_search::confirm::FINALISTS;
use copysmith_search::race::{Lane, Outcome as Left};
use copysmith_search::stats::{Estimate, margin, noise_floor};
use copysmith_search::strategy::WORTH;
use copysmith_search::ties::ties;
use std::time::Duration;

/// How long a confirming process may take: far more than it needs.
const LIMIT: Duration = Duration::from_secs(1800);

/// The confirmed winner of each class.
pub(super) fn classes(
    session: &mut Session<'_>,
    races: &[Race],
    spans: &[Span],
) -> Result<Vec<ClassReport>, TuneError> {
    let mut classes = Vec::new();
    for (number, (race, &span)) in races.iter().zip(spans).enumerate() {
        session.stage(&format!("confirm {span}"))?;
        let seconds = session.allowance.confirmation_seconds(number);
        let blocks = session.options.effort.class_confirmation_blocks(span, &session.host.caches, seconds);
        let situations = session.situations(span);
        let (routine, figures) = confirmed(session, race, situations, Some(race.log_ratio), blocks)?;
        let winner = routine.leaves()[0].clone();
        let (tied, candidates, refused) = (race.tied.len() + 1, race.candidates as usize, race.refused as usize);
        classes.push(ClassReport { span, winner, figures, tied, candidates, refused });
    }
    Ok(classes)
}

/// The routine that a race's winner or one of its ties turns out to be, with its confirmed figures.
///
/// The winner stays unless another finalist is told apart from it in the confirmation. `selected` is its log ratio at selection,
/// `blocks` how many each of them is in.
pub(super) fn confirmed(
    session: &mut Session<'_>,
    race: &Race,
    situations: Vec<Situation>,
    selected: Option<f64>,
    blocks: usize,
) -> Result<(Routine, Figures), TuneError> {
    let recorded = session.past.class(&race.class).and_then(|past| past.confirmed.last().cloned());
    let confirmed = match recorded {
        Some(confirmed) => vetted(session, race, confirmed)?,
        None => run(session, race, situations, selected, blocks)?,
    };
    let figures = Figures {
        ratio: confirmed.log_ratio.exp(),
        low: confirmed.low.exp(),
        high: confirmed.high.exp(),
        blocks: confirmed.blocks as usize,
        optimism: confirmed.optimism,
        noise_floor: confirmed.noise_floor,
        gigabytes_per_second: confirmed.gigabytes_per_second,
        worst: confirmed.worst,
    };
    Ok((routine(&confirmed.routine)?, figures))
}

/// A confirmation from the record, once its routine is for these lengths and has proved itself again: the file may have been edited.
fn vetted(session: &Session<'_>, race: &Race, confirmed: Confirmed) -> Result<Confirmed, TuneError> {
    let wrong = |why: String| {
        TuneError::Text(format!("the record's confirmation of {} is wrong: {why}; begin anew with --fresh", race.class))
    };
    let (raced, found) = (routine(&race.winner)?, routine(&confirmed.routine)?);
    if raced.span() != found.span() {
        return Err(wrong(format!("'{found}' is for {}, not {}", found.span(), raced.span())));
    }
    match session.admission.admit(&found) {
        Ok(()) => Ok(confirmed),
        Err(Refusal::Try(error)) => Err(TuneError::Try(error)),
        Err(refusal) => Err(wrong(refusal.to_string())),
    }
}

/// A routine by its text in the record.
pub(super) fn routine(text: &str) -> Result<Routine, TuneError> {
    text.parse().map_err(|error| TuneError::Text(format!("the record names '{text}': {error}")))
}

fn run(
    session: &mut Session<'_>,
    race: &Race,
    situations: Vec<Situation>,
    selected: Option<f64>,
    blocks: usize,
) -> Result<Confirmed, TuneError> {
    let texts = std::iter::once(&race.winner).chain(&race.tied).take(FINALISTS);
    let mut finalists = texts.map(|text| routine(text)).collect::<Result<Vec<Routine>, TuneError>>()?;
    let span = finalists[0].span();
    let plain = offsets::plain(span, session.features.isa).map(Routine::from);
    finalists.extend(plain.filter(|plain| finalists[0].leaves().len() == 1 && !finalists.contains(plain)));
    for finalist in &finalists {
        // After a resume nobody has been admitted yet.
        session.admission.admit(finalist).map_err(|refusal| match refusal {
            Refusal::Try(error) => TuneError::Try(error),
            refusal => TuneError::NobodyLeft { class: race.class.clone(), reason: refusal.to_string() },
        })?;
    }
    let settings = session.settings(situations, &race.class, Use::Confirmation);
    let done = confirm(&settings, &finalists, blocks, LIMIT, &mut || session.observer.stop())?;
    let mut lanes = Vec::new();
    let mut speeds = Vec::new();
    let mut broken = Vec::new();
    for (finalist, series) in finalists.iter().zip(done.finalists) {
        let (samples, outcome, speed, alone) = match series {
            Ok(series) => (series.log_ratios, Left::Survived, series.gigabytes_per_second, series.situations),
            Err(reason) => (Vec::new(), Left::Failed(reason), None, Vec::new()),
        };
        lanes.push(Lane { routine: finalist.clone(), samples, outcome });
        speeds.push(speed);
        broken.push(broken_down(&settings.situations, &alone));
    }
    let mut entries = entries_of(&race.class, &lanes);
    // A finalist that is terrible somewhere leaves; the plain loop never does, so somebody stays.
    let worst = if finalists[0].leaves().len() == 1 {
        offsets::worst(session, &settings, span, &finalists)?
    } else {
        vec![None; finalists.len()]
    };
    for ((lane, worst), holds) in lanes.iter_mut().zip(&worst).zip(offsets::hold(&worst)) {
        if let (Some(worst), false) = (worst, holds) {
            let Worst { offset, gigabytes_per_second } = worst;
            let reason = format!("only {gigabytes_per_second:.2} GB/s where dst - src is {offset} modulo 4096");
            session.observer.refused(&lane.routine.to_string(), &reason);
            let rejected = Rejected { routine: lane.routine.to_string(), stage: Stage::Offset, reason: reason.clone() };
            entries.push(Entry::Rejected(rejected));
            lane.outcome = Left::Failed(reason);
        }
    }
    let floor = noise_floor(&done.clone);
    let Some(sorted) = ties(&lanes, margin(floor).max(WORTH)) else {
        let reason = lanes.iter().find_map(|lane| match &lane.outcome {
            Left::Failed(reason) => Some(reason.clone()),
            _ => None,
        });
        return Err(TuneError::NobodyLeft { class: race.class.clone(), reason: reason.unwrap_or_default() });
    };
    let chosen =
        if sorted.tied.contains(&0) { 0 } else { session.chosen(&lanes, &sorted.tied, None).unwrap_or(sorted.best) };
    let estimate = Estimate::of(&lanes[chosen].samples);
    let confirmed = Confirmed {
        class: race.class.clone(),
        routine: lanes[chosen].routine.to_string(),
        blocks: lanes[chosen].samples.len() as u32,
        log_ratio: estimate.mean,
        low: estimate.low,
        high: estimate.high,
        noise_floor: floor,
        optimism: selected.map(|selected| estimate.mean - selected),
        gigabytes_per_second: speeds[chosen],
        worst: worst[chosen],
    };
    entries.push(Entry::Breakdown(Breakdown {
        class: race.class.clone(),
        phase: Phase::Confirmation,
        routine: confirmed.routine.clone(),
        situations: broken.swap_remove(chosen),
    }));
    entries.push(Entry::Confirmed(confirmed.clone()));
    session.note_all(&entries)?;
    Ok(confirmed)
}

fn entries_of(class: &str, lanes: &[Lane]) -> Vec<Entry> {
    let block = |block: usize| {
        let timing = |lane: &Lane| {
            let ratio = *lane.samples.get(block)?;
            Some(Timing { routine: lane.routine.to_string(), outcome: Outcome::LogRatio(ratio) })
        };
        let samples = lanes.iter().filter_map(timing).collect();
        Entry::Block(Block { class: class.to_owned(), phase: Phase::Confirmation, reference_ns: None, samples })
    };
    (0..lanes.iter().map(|lane| lane.samples.len()).max().unwrap_or(0)).map(block).collect()
}
