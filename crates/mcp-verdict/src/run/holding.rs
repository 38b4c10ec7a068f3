//! One model from its first run to its part of the report and of the gate.

use super::behavior::{Behaviour, Collects, MAX_DROP, Named, RUNS, service};
use super::gating::{Course, Gating, Hashed, Track};
use super::history::History;
use super::service::{Desk, Service};
use super::session::{CaseRuns, Session};
use crate::cli::render;
use crate::cli::run::RunArgs;
use crate::config::Plan;
use crate::exit::Usage;
use crate::interrupt::Interrupt;
use crate::origin;
use crate::progress::Tally;
use anyhow::{Result, bail};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use verdict_core::mask::Masks;
use verdict_eval::advice::advice;
use verdict_eval::agent::Rules;
use verdict_eval::gate::HardMode;
use verdict_eval::gate::attribution::Finding;
use verdict_eval::gate::baseline::Key;
use verdict_eval::gate::decision::{Judged, Part, gate};
use verdict_eval::gate::finished::{Terms, beside, explain, plain, plain_standing, pools};
use verdict_eval::gate::trials;
use verdict_eval::golden::hash;
use verdict_eval::score::{collisions, expected, metrics, pass_rate};
use verdict_eval::tool::Tool;
use verdict_model::behavior::{CaseResult, JudgeResult, ModelResult, Standing};
use verdict_model::config::{GateMode, HardGate};
use verdict_model::gate::{Gate, Mode, SessionInfo};
use verdict_model::report::Location;
use verdict_model::resilience::{Resilience, TrialResult};
use verdict_model::{Config, Report};

/// What all models of a run share.
pub(super) struct Holding<'r> {
    pub(super) behaviour: &'r Behaviour,
    pub(super) session: &'r Session<'r>,
    pub(super) desk: &'r Desk,
    pub(super) gating: Gating,
    pub(super) history: History,
    pub(super) info: &'r SessionInfo,
    pub(super) quiet: bool,
}

impl Holding<'_> {
    /// Runs one model; its part of the gate where one is held.
    pub(super) async fn model(
        &self,
        model: &Named,
        interrupt: &mut Interrupt,
    ) -> Result<(ModelResult, Option<Part>)> {
        let gating = &self.gating;
        let concurrency = u32::try_from(self.session.concurrency).unwrap_or(1);
        let service = service(model, self.session.tools, concurrency, self.desk);
        let tally = RefCell::new(Tally::new(self.quiet));
        let key = Key {
            suite: self.behaviour.file.path.clone(),
            model: model.id.clone(),
            harness: self.info.harness.clone(),
        };
        let judge = self.info.judge.as_deref();
        let suite = gating.baseline.as_ref();
        let suite = suite.and_then(|baseline| pools(baseline, &key, judge));
        let (rule, said) = self.history.rule(&gating.terms.rule, &key);
        let track = Track {
            session: self.session,
            service: &service,
            model,
            desk: self.desk,
            cases: &self.behaviour.hashed(&model.id, self.info)?,
            suite: suite.as_ref(),
            rule: &rule,
            tally: &tally,
        };
        let course = track.run(gating, interrupt).await;
        tally.borrow_mut().clear();
        let (finding, ruling) = (course.finding, course.ruling.clone());
        let result = self.result(&service, course);
        if gating.first_only {
            return Ok((result, None));
        }
        let mut part = match &ruling {
            None => plain(&result, suite.as_ref(), &gating.terms),
            Some(ruling) => Judged {
                rule: &rule,
                max_drop: gating.terms.max_drop,
                model: &result,
                suite: suite.as_ref(),
                ruling,
                finding: finding.as_ref().map(|finding| (finding, None)),
            }
            .part(),
        };
        let differences = gating.differences.as_deref();
        explain(&mut part, &result, differences, ruling.is_none());
        part.notes.extend(said);
        let baseline = gating.baseline.as_ref();
        let notes = baseline.map(|baseline| beside(baseline, &key, judge));
        part.notes.extend(notes.into_iter().flatten());
        let found = finding.as_ref();
        part.notes
            .extend(found.and_then(|found| experiment(&model.id, found)));
        Ok((result, Some(part)))
    }

    /// The gate of all models and layers; none where first passes were all that was wanted. `cleanly` says whether layer 1
    /// was run.
    pub(super) fn gate(
        self,
        parts: Vec<Part>,
        cleanly: bool,
        trials: Option<&Resilience>,
    ) -> Option<Gate> {
        let gating = self.gating;
        if gating.first_only {
            return None;
        }
        let own = cleanly.then(|| Gate {
            mode: gating.terms.mode,
            trend: self.history.trend(),
            ..gate(gating.reference(), parts, gating.notes.clone())
        });
        let Some(trials) = trials else {
            return own;
        };
        let baseline = gating.baseline.as_ref();
        let mut gate = trials::whole(own, trials, self.info, baseline, &gating.terms);
        if !cleanly {
            gate.notes = gating.notes;
        }
        Some(gate)
    }

    fn result(&self, service: &Service<'_>, course: Course<'_>) -> ModelResult {
        let ruled = |place: usize| Some(course.ruling.as_ref()?.cases.get(place)?.held?.standing);
        let cases: Vec<_> = course
            .runs
            .into_iter()
            .enumerate()
            .map(|(place, runs)| {
                let mut case = self
                    .behaviour
                    .case(runs, self.session.tools, service.is_baseline());
                case.standing = match self.gating.terms.mode {
                    Mode::Literal => plain_standing(&case),
                    Mode::Evidence => ruled(place).unwrap_or(case.standing),
                };
                case.advice = advice(&case);
                case
            })
            .collect();
        let figures = service.figures().plus(course.aside);
        let priced = service.is_baseline() || (!figures.is_price_unknown && figures.calls > 0);
        ModelResult {
            id: service.id().to_owned(),
            is_baseline: service.is_baseline(),
            served_by: figures.served_by.iter().cloned().collect(),
            metrics: metrics(&cases),
            cases,
            calls: figures.calls,
            reused: figures.reused,
            tokens: figures.tokens,
            usd: priced.then_some(figures.usd),
            notes: service.notes(),
        }
    }
}

impl Behaviour {
    /// What the layer is run with, secrets masked.
    pub(super) fn info(
        &self,
        plan: &Plan,
        args: &RunArgs,
        rules: &Rules,
        judge: Option<&JudgeResult>,
        tools: &[Tool],
    ) -> SessionInfo {
        let judge = judge.map(|judge| {
            let words = format!("{} {} {:?}", judge.id, judge.prompt_hash, judge.rubrics);
            format!("{:016x}", verdict_core::fnv(words.as_bytes()))
        });
        let named = args.config_name.as_ref().or(args.target.config.as_ref());
        let mut info = SessionInfo {
            harness: rules.hash(),
            judge,
            runs: plan.settings.config.runs.unwrap_or(RUNS),
            shard: self.shard.clone(),
            tools: tools.iter().map(|tool| tool.0.clone()).collect(),
            ..origin::of_this_run(named.map(PathBuf::as_path))
        };
        let masks = self.masks(&plan.settings.secrets);
        info.texts(&mut |text| *text = masks.hide(text));
        info
    }

    pub(super) fn gating(&self, config: &Config, info: &SessionInfo) -> Gating {
        let mode = match config.gate.mode {
            GateMode::Evidence => Mode::Evidence,
            GateMode::Literal => Mode::Literal,
        };
        let max_drop = config.gate.max_drop.unwrap_or(MAX_DROP);
        let notes = self.held.note.iter().cloned().collect();
        let hard = match config.gate.hard {
            HardGate::Confirmed => HardMode::Confirmed,
            HardGate::Strict => HardMode::Strict,
        };
        let terms = Terms::new(mode, info.runs, max_drop).with_hard(hard);
        Gating {
            first_only: self.shard.is_some() || self.collects == Collects::Anything,
            ..Gating::new(terms, self.held.pools.clone(), notes, info)
        }
    }

    /// The cases with their hashes, and with the runs that a report has of them already.
    fn hashed(&self, model: &str, info: &SessionInfo) -> Result<Vec<Hashed<'_>>> {
        let stored = match &self.resumed {
            Some(report) => made_before(report, model, info)?,
            None => &[][..],
        };
        let hashed = self.chosen().into_iter().map(|case| {
            let hash = hash::case(case, &self.file.golden.aliases);
            let made = stored
                .iter()
                .find(|stored| stored.id == case.id && stored.hash == hash);
            Hashed {
                case,
                hash,
                made: made.map_or_else(Vec::new, |stored| stored.runs.clone()),
            }
        });
        Ok(hashed.collect())
    }

    /// The trials that the report to go on from has of a model.
    pub(super) fn tried_before(
        &self,
        model: &str,
        info: &SessionInfo,
    ) -> Result<Vec<&TrialResult>> {
        let Some(report) = &self.resumed else {
            return Ok(vec![]);
        };
        comparable(report, info)?;
        let layer = report.layers.resilience.as_ref();
        let trials = layer.map_or(&[][..], |layer| &layer.cases).iter();
        Ok(trials.filter(|trial| trial.model == model).collect())
    }

    fn case(&self, runs: CaseRuns<'_>, tools: &[Tool], is_baseline: bool) -> CaseResult {
        let case = runs.case;
        let (pass_rate, interval) = pass_rate(&runs.runs);
        let standing = match runs.held() {
            // It answers the same again, so confirmations would only repeat the first pass.
            held if is_baseline
                && held.needs > 0
                && held.standing == Standing::Unstable
                && pass_rate < Some(0.8) =>
            {
                Standing::Red
            }
            held => held.standing,
        };
        let place = Path::new(&self.file.path);
        CaseResult {
            id: case.id.clone(),
            kind: case.kind,
            hash: hash::case(case, &self.file.golden.aliases),
            prompt: case.prompt.clone(),
            expected: expected(case),
            tags: case.tags.clone(),
            location: place.is_relative().then(|| Location {
                path: self.file.path.clone(),
                line: case.place.line,
            }),
            pass_rate,
            interval,
            standing,
            collisions: collisions(case, &runs.runs, tools),
            advice: String::new(),
            runs: runs.runs,
        }
    }
}

/// A report whose runs are not made again.
pub(super) fn resumed(path: &Path) -> Result<Report> {
    let report = render::read(path, &Masks::new(&[]))?;
    let layers = &report.layers;
    if layers.behavior.is_none() && layers.resilience.is_none() || report.session.is_none() {
        bail!(Usage(format!(
            "{}: there is no layer 1 or 2 in this report to go on from; write one with `mcp-verdict run --format json --out FILE`",
            path.display()
        )));
    }
    Ok(report)
}

/// The cases that a report has of a model, if it was run with the same tools and in the same way.
fn made_before<'r>(
    report: &'r Report,
    model: &str,
    info: &SessionInfo,
) -> Result<&'r [CaseResult]> {
    comparable(report, info)?;
    let Some(layer) = &report.layers.behavior else {
        return Ok(&[]);
    };
    let found = layer.models.iter().find(|stored| stored.id == model);
    Ok(found.map_or(&[], |stored| &stored.cases))
}

/// That a report's runs are like those of now.
fn comparable(report: &Report, info: &SessionInfo) -> Result<()> {
    let Some(before) = &report.session else {
        return Ok(());
    };
    let differs = [
        ("tools", before.tools != info.tools),
        ("harness", before.harness != info.harness),
        ("judge", before.judge != info.judge),
    ];
    if let Some((what, _)) = differs.iter().find(|(_, differs)| *differs) {
        bail!(Usage(format!(
            "the report to go on from was made with another {what}: its runs are not comparable; run without --resume"
        )));
    }
    Ok(())
}

/// What the control experiment came to, in a sentence.
fn experiment(model: &str, finding: &Finding) -> Option<String> {
    let chances = finding.chances?;
    Some(format!(
        "{model}: {} runs with the baseline's tools and today's say: description {:.2}, model {:.2}, both {:.2}, noise {:.2}.",
        finding.runs, chances.description, chances.model, chances.both, chances.noise
    ))
}
