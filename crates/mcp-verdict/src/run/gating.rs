//! The gate while models run: which runs are bought, and the experiment that tells descriptions from the model.

use super::behavior::{Named, service};
use super::service::{Desk, Figures, Service};
use super::session::{CaseRuns, Session};
use crate::interrupt::Interrupt;
use crate::progress::Tally;
use std::cell::RefCell;
use verdict_eval::gate::Counts;
use verdict_eval::gate::attribution::{Arm, Experiment, Finding, Next, without_experiment};
use verdict_eval::gate::baseline::{Baseline, Suite};
use verdict_eval::gate::changes::{Change, changes};
use verdict_eval::gate::finished::{Terms, wanted};
use verdict_eval::gate::rule::Rule;
use verdict_eval::gate::session::{self, Purchase, Ruling, Step};
use verdict_eval::golden::Case;
use verdict_eval::tool::Tool;
use verdict_model::behavior::{Run, RunOutcome};
use verdict_model::gate::{BaselineRef, Decision, Mode, SessionInfo};

/// Indices of the runs of an experiment: far above those of a session, so that no kept answer serves both.
const EXPERIMENT: u32 = 100_000;

/// How this run is held against what was.
pub(crate) struct Gating {
    pub(crate) terms: Terms,
    /// What it is held against; absent where there is none, or none that may be used.
    pub(crate) baseline: Option<Baseline>,
    /// How today's tools differ from those of the baseline.
    pub(crate) differences: Option<Vec<Change>>,
    /// First passes only: a shard, or a first pass for a baseline.
    pub(crate) first_only: bool,
    /// What a reader has to know, in sentences.
    pub(crate) notes: Vec<String>,
}

/// What one model did, and how the gate ended.
pub(crate) struct Course<'s> {
    pub(crate) runs: Vec<CaseRuns<'s>>,
    /// Absent where no session of the gate was held.
    pub(crate) ruling: Option<Ruling>,
    pub(crate) finding: Option<Finding>,
    /// What the runs with the old tools came to.
    pub(crate) aside: Figures,
}

/// A case as the gate knows it.
#[derive(Clone)]
pub(crate) struct Hashed<'s> {
    pub(crate) case: &'s Case,
    pub(crate) hash: String,
    /// Runs that were made before.
    pub(crate) made: Vec<Run>,
}

/// Everything that the runs of one model need.
pub(crate) struct Track<'t, 's> {
    pub(crate) session: &'t Session<'s>,
    pub(crate) service: &'t Service<'t>,
    pub(crate) model: &'t Named,
    pub(crate) desk: &'t Desk,
    pub(crate) cases: &'t [Hashed<'s>],
    pub(crate) suite: Option<&'t Suite>,
    pub(crate) rule: &'t Rule,
    pub(crate) tally: &'t RefCell<Tally>,
}

impl Gating {
    /// Takes a baseline into use if it is one of this session.
    pub(crate) fn new(
        terms: Terms,
        baseline: Option<Baseline>,
        mut notes: Vec<String>,
        info: &SessionInfo,
    ) -> Self {
        let mut used = None;
        if let Some(baseline) = baseline {
            match baseline.fits(&wanted(info)) {
                Ok(()) => {
                    notes.extend(age(&baseline, info));
                    used = Some(baseline);
                }
                Err(foreign) => notes.push(format!("{foreign}.")),
            }
        }
        let tools: Vec<Tool> = info.tools.iter().cloned().map(Tool).collect();
        Self {
            differences: used.as_ref().map(|used| changes(&used.tools, &tools)),
            baseline: used,
            terms,
            first_only: false,
            notes,
        }
    }

    pub(crate) fn reference(&self) -> Option<BaselineRef> {
        self.baseline.as_ref().map(Baseline::reference)
    }
}

/// How old a baseline is, where both times are known.
fn age(baseline: &Baseline, info: &SessionInfo) -> Option<String> {
    let (from, to) = (baseline.origin.at.as_deref()?, info.at.as_deref()?);
    let days = crate::config::days(to)? - crate::config::days(from)?;
    Some(match days {
        0 => "The baseline is of today.".to_owned(),
        1 => "The baseline is 1 day old.".to_owned(),
        days => format!("The baseline is {days} days old."),
    })
}

impl<'s> Track<'_, 's> {
    /// Runs the cases to the end of the gate's session.
    pub(crate) async fn run(&self, gating: &Gating, interrupt: &mut Interrupt) -> Course<'s> {
        let cases: Vec<&'s Case> = self.cases.iter().map(|hashed| hashed.case).collect();
        let mut runs = self.session.cases(&cases);
        for (runs, hashed) in runs.iter_mut().zip(self.cases) {
            runs.runs.clone_from(&hashed.made);
        }
        let mut course = Course {
            runs,
            ruling: None,
            finding: None,
            aside: Figures::default(),
        };
        let plain = gating.first_only || gating.terms.mode == Mode::Literal;
        let mut session = session::Session::new(self.rule.clone(), self.entries(plain));
        for (place, runs) in course.runs.iter().enumerate() {
            runs.runs
                .iter()
                .for_each(|run| note(&mut session, place, run));
        }
        let ruling = loop {
            let bought = match session.step() {
                Step::Done(ruling) => break *ruling,
                Step::Run(bought) => bought,
            };
            let confirms = bought.iter().any(|bought| bought.wave > 0);
            let made = self
                .session
                .buy(self.service, &cases, &bought, self.tally, interrupt)
                .await;
            for (place, run) in made {
                note(&mut session, place, &run);
                course.runs[place].runs.push(run);
            }
            for runs in &mut course.runs {
                runs.runs.sort_by_key(|run| run.index);
            }
            // What was bought and could not be made stands among the runs, so that the report is no verdict.
            if confirms && (self.service.has_stopped() || interrupt.happened()) {
                break session.ruling();
            }
        };
        if !plain {
            if suspicious(&ruling) {
                self.attribute(gating, &ruling, &cases, &mut course, interrupt)
                    .await;
            }
            course.ruling = Some(ruling);
        }
        course
    }

    /// The cases as the gate's session takes them; without targets and pools it ends after the first pass.
    fn entries(&self, plain: bool) -> Vec<session::Case> {
        let entries = self.cases.iter().map(|hashed| {
            let case = hashed.case;
            let pooled = self
                .suite
                .and_then(|suite| suite.case(&case.id, &hashed.hash));
            session::Case {
                // The built-in baseline has no target of its own: what it cannot do says nothing.
                kind: (!plain && !self.service.is_baseline()).then_some(case.kind),
                pool: pooled.filter(|_| !plain).map(|pooled| pooled.runs.pool),
                planned: case.runs,
            }
        });
        entries.collect()
    }

    /// Descriptions or model: at no cost where the tools are those of the baseline, else by runs with both lists.
    async fn attribute(
        &self,
        gating: &Gating,
        ruling: &Ruling,
        cases: &[&'s Case],
        course: &mut Course<'s>,
        interrupt: &mut Interrupt,
    ) {
        let (Some(baseline), Some(differences)) = (&gating.baseline, &gating.differences) else {
            return;
        };
        if differences.is_empty() {
            course.finding = Some(without_experiment(false));
            return;
        }
        let Some(mut experiment) = Experiment::of(ruling, false) else {
            return;
        };
        let concurrency = u32::try_from(self.session.concurrency).unwrap_or(1);
        let old = service(self.model, &baseline.tools, concurrency, self.desk);
        let before = self.session.with_tools(&baseline.tools);
        let mut from = EXPERIMENT;
        loop {
            let (places, each) = match experiment.step() {
                Next::Done(finding) => {
                    course.finding = Some(finding);
                    break;
                }
                Next::Run { cases, each } => (cases, each),
            };
            if self.service.has_stopped() || old.has_stopped() || interrupt.happened() {
                break;
            }
            for _ in 0..each {
                let bought: Vec<Purchase> = places
                    .iter()
                    .map(|case| Purchase {
                        case: *case,
                        from,
                        runs: 1,
                        wave: 0,
                    })
                    .collect();
                let was = before
                    .buy(&old, cases, &bought, self.tally, interrupt)
                    .await;
                let is = self
                    .session
                    .buy(self.service, cases, &bought, self.tally, interrupt)
                    .await;
                for (arm, made) in [(Arm::Baseline, was), (Arm::Current, is)] {
                    for (place, run) in made {
                        experiment.record(place, arm, counted(&run));
                    }
                }
                from += 1;
            }
        }
        course.aside = old.figures();
    }
}

/// Whether it is worth asking for a cause.
fn suspicious(ruling: &Ruling) -> bool {
    let weighty = ruling
        .cases
        .iter()
        .any(|case| case.ratios.is_some_and(|ratios| ratios.own() >= 3.0));
    match ruling.decision {
        Decision::Fail => ruling.evidence.is_some(),
        Decision::Warn => weighty,
        Decision::Pass | Decision::Learning | Decision::Incomplete => false,
    }
}

fn note(session: &mut session::Session, place: usize, run: &Run) {
    let passed = (run.outcome != RunOutcome::Invalid).then_some(run.outcome == RunOutcome::Passed);
    session.record(place, run.index, run.wave, passed);
}

fn counted(run: &Run) -> Counts {
    match run.outcome {
        RunOutcome::Invalid => Counts::default(),
        outcome => Counts::of([outcome == RunOutcome::Passed]),
    }
}
