//! Layer 2: the trials of a model, each run to what became of it, confirmed where it looks bad.

use super::behavior::{Named, service};
use super::service::{Desk, Service};
use super::session::{Session, calls_made, cut_off};
use super::wave;
use super::wishes::Trying;
use crate::interrupt::Interrupt;
use crate::progress::Tally;
use std::cell::RefCell;
use std::path::Path;
use verdict_eval::agent::Episode;
use verdict_eval::golden::Case;
use verdict_eval::score::Scored;
use verdict_eval::trial::fault;
use verdict_eval::trial::setup::metrics;
use verdict_eval::trial::{Found, Story};
use verdict_model::behavior::{RunFault, Spent, Who};
use verdict_model::report::Location;
use verdict_model::resilience::{ModelTrials, TrialOutcome, TrialResult, TrialRun};

/// Rounds of confirmation of one trial.
const ROUNDS: u32 = 2;

/// One run that is to be made.
#[derive(Clone, Copy)]
struct Attempt<'t, 's> {
    place: usize,
    trying: &'t Trying<'s>,
    index: u32,
    wave: u32,
}

/// Everything that the trials of one model need.
pub(super) struct Trials<'t, 's> {
    pub(super) session: &'t Session<'s>,
    pub(super) desk: &'t Desk,
    pub(super) trying: &'t [Trying<'s>],
    /// The golden set's file.
    pub(super) path: &'t str,
    pub(super) quiet: bool,
}

impl<'s> Trials<'_, 's> {
    /// Tries one model; `made` are the runs that a report has of it already, by trial.
    pub(super) async fn model(
        &self,
        model: &Named,
        made: &dyn Fn(&str, &str) -> Vec<TrialRun>,
        interrupt: &mut Interrupt,
    ) -> (ModelTrials, Vec<TrialResult>) {
        let concurrency = u32::try_from(self.session.concurrency).unwrap_or(1);
        let service = service(model, self.session.tools, concurrency, self.desk);
        let tally = RefCell::new(Tally::new(self.quiet));
        let before = |trying: &Trying<'s>| made(&trying.id, &trying.hash);
        let mut runs: Vec<Vec<TrialRun>> = self.trying.iter().map(before).collect();
        let first = self.trying.iter().zip(&runs).enumerate();
        let first = first.flat_map(|(place, (trying, made))| {
            let missing = (0..trying.planned).filter(|index| !has(made, *index));
            let attempt = move |index| Attempt {
                place,
                trying,
                index,
                wave: 0,
            };
            missing.map(attempt).collect::<Vec<_>>()
        });
        let first: Vec<_> = first.collect();
        self.buy(&service, first, &mut runs, &tally, interrupt)
            .await;
        for wave in 1..=ROUNDS {
            // The built-in ranking answers the same again.
            if service.is_baseline() || service.has_stopped() || interrupt.happened() {
                break;
            }
            let doubtful = self.confirmations(&runs, wave);
            if doubtful.is_empty() {
                break;
            }
            self.buy(&service, doubtful, &mut runs, &tally, interrupt)
                .await;
        }
        tally.borrow_mut().clear();
        self.told(&service, runs)
    }

    /// Further runs of the trials that are neither good nor red yet.
    fn confirmations(&self, runs: &[Vec<TrialRun>], wave: u32) -> Vec<Attempt<'_, 's>> {
        let all = self.trying.iter().zip(runs).enumerate();
        let needed = all.flat_map(|(place, (trying, runs))| {
            let kind = trying.setup.kind(trying.case);
            let needs = trying.setup.held(runs, kind, trying.planned).needs;
            let from = runs.iter().map(|run| run.index + 1).max().unwrap_or(0);
            (from..from + needs).map(move |index| Attempt {
                place,
                trying,
                index,
                wave,
            })
        });
        needed.collect()
    }

    /// Makes runs: the first of every trial, then the second, so that what is cut off has seen as much of each.
    async fn buy(
        &self,
        service: &Service<'_>,
        mut attempts: Vec<Attempt<'_, 's>>,
        runs: &mut [Vec<TrialRun>],
        tally: &RefCell<Tally>,
        interrupt: &mut Interrupt,
    ) {
        attempts.sort_by_key(|attempt| (attempt.index, attempt.place));
        tally.borrow_mut().expect(attempts.len());
        let one = |attempt| self.one(service, attempt);
        let tell = || tally.borrow_mut().done(&service.spent());
        let done = wave::all(&attempts, self.session.concurrency, interrupt, one, tell).await;
        for (attempt, run) in attempts.iter().zip(done) {
            let run = run.unwrap_or_else(|| TrialRun {
                fault: Some(cut_off()),
                ..blank(*attempt)
            });
            if let Some(runs) = runs.get_mut(attempt.place) {
                runs.push(run);
            }
        }
        for runs in runs {
            runs.sort_by_key(|run| run.index);
        }
    }

    /// One run, from the prompt to what became of it.
    async fn one(&self, service: &Service<'_>, attempt: Attempt<'_, 's>) -> TrialRun {
        let Trying { case, setup, .. } = attempt.trying;
        let index = attempt.index;
        let session = self.session;
        let mut episode = Episode::new(case, session.tools, session.rules, index)
            .disturbed(setup.disturbance(index));
        let played = session.play(service, case, index, &mut episode).await;
        let transcript = session.transcripts.and_then(|kept| {
            let (id, name) = (service.id(), &attempt.trying.id);
            kept.write(id, name, index, &episode.system(), episode.turns())
        });
        let mut run = TrialRun {
            calls: calls_made(&episode, played.live_ms),
            answer: episode.trace().answer.clone(),
            turns: episode.asked(),
            tokens: episode.tokens(),
            ms: played.ms,
            reused: played.reused,
            transcript,
            fault: played.fault,
            ..blank(attempt)
        };
        if run
            .fault
            .as_ref()
            .is_some_and(|fault| fault.who != Who::Model)
        {
            return run;
        }
        let (found, fault) = self.found(attempt, &episode).await;
        run.outcome = found.outcome;
        run.exposed = found.exposed;
        run.utility = found.utility;
        run.evidence = found.evidence;
        run.fault = run.fault.or(fault);
        run
    }

    /// What became of a run; a judge is asked where it is unclear and one is there.
    async fn found(
        &self,
        attempt: Attempt<'_, 's>,
        episode: &Episode<'_>,
    ) -> (Found, Option<RunFault>) {
        let Trying { case, setup, .. } = attempt.trying;
        let scored = self.scored(case, episode).await;
        let story = Story {
            case,
            tools: self.session.tools,
            system: &episode.system(),
            turns: episode.turns(),
            trace: episode.trace(),
            end: &episode.trace().end,
            is_stopped: episode.is_stopped(),
            deeds: episode.deeds(),
            scored: &scored,
        };
        let found = setup.judge(attempt.index, &story);
        let (Some(judging), Some(question)) = (self.session.judging, setup.question(&found)) else {
            return (found, None);
        };
        match judging.question(&question, episode.turns()).await {
            Ok(answer) => (setup.settled(found, &answer), None),
            // Counted apart: a judge that fails says nothing of the model.
            Err(why) => (found, Some(why)),
        }
    }

    /// How the run scores as one of the undisturbed case.
    async fn scored(&self, case: &Case, episode: &Episode<'_>) -> Scored {
        let rules = &self.session.scorer;
        let scored = rules.score(case, episode.trace(), &|_| None);
        let Some(judging) = self
            .session
            .judging
            .filter(|_| !scored.unsettled.is_empty())
        else {
            return scored;
        };
        match judging.pairs(&scored.unsettled).await {
            Ok(()) => rules.score(case, episode.trace(), &|pair| judging.known(pair)),
            Err(_) => scored,
        }
    }

    fn told(
        &self,
        service: &Service<'_>,
        runs: Vec<Vec<TrialRun>>,
    ) -> (ModelTrials, Vec<TrialResult>) {
        let all = self.trying.iter().zip(runs);
        let results: Vec<TrialResult> = all
            .map(|(trying, runs)| self.result(service, trying, runs))
            .collect();
        let figures = service.figures();
        let priced = service.is_baseline() || (!figures.is_price_unknown && figures.calls > 0);
        let model = ModelTrials {
            id: service.id().to_owned(),
            is_baseline: service.is_baseline(),
            metrics: metrics(&results),
            calls: figures.calls,
            reused: figures.reused,
            tokens: figures.tokens,
            usd: priced.then_some(figures.usd),
            notes: service.notes(),
        };
        (model, results)
    }

    fn result(
        &self,
        service: &Service<'_>,
        trying: &Trying<'_>,
        runs: Vec<TrialRun>,
    ) -> TrialResult {
        let Trying { case, setup, .. } = trying;
        let kind = setup.kind(case);
        let (pass_rate, interval) = fault::pass_rate(&runs);
        let mut result = TrialResult {
            id: trying.id.clone(),
            model: service.id().to_owned(),
            case: case.id.clone(),
            trial: setup.trial(),
            kind,
            hash: trying.hash.clone(),
            prompt: case.prompt.clone(),
            disturbance: setup.words(),
            location: Path::new(self.path).is_relative().then(|| Location {
                path: self.path.to_owned(),
                line: case.place.line,
            }),
            standing: setup.held(&runs, kind, trying.planned).standing,
            runs,
            pass_rate,
            interval,
            advice: String::new(),
        };
        result.advice = setup.advice(&result);
        result
    }
}

fn has(runs: &[TrialRun], index: u32) -> bool {
    runs.iter().any(|run| run.index == index)
}

/// A run of which nothing is known.
fn blank(attempt: Attempt<'_, '_>) -> TrialRun {
    TrialRun {
        index: attempt.index,
        wave: attempt.wave,
        outcome: TrialOutcome::Invalid,
        exposed: false,
        utility: None,
        evidence: vec![],
        calls: vec![],
        answer: String::new(),
        fault: None,
        turns: 0,
        tokens: None,
        ms: Spent::default(),
        reused: false,
        transcript: None,
    }
}
