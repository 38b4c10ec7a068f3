//! The runs of one model: many at a time, each to its end, scored as they come.

use super::judging::Judging;
use super::service::{Asked, Service};
use super::transcripts::Transcripts;
use super::wave;
use crate::client::Client;
use crate::interrupt::Interrupt;
use crate::progress::Tally;
use futures_util::future::join_all;
use std::cell::RefCell;
use verdict_eval::agent::{Episode, LiveCall, LiveResult, Next, Rules};
use verdict_eval::client::CallOutcome;
use verdict_eval::gate::HardMode;
use verdict_eval::gate::absolute::{Held, Target};
use verdict_eval::gate::session::Purchase;
use verdict_eval::golden::Case;
use verdict_eval::score::{Scored, Scorer};
use verdict_eval::tool::Tool;
use verdict_model::behavior::{CallMade, ResultFrom, Run, RunFault, RunOutcome, Spent, Who};

/// What all runs of a session share.
pub(crate) struct Session<'s> {
    pub(crate) tools: &'s [Tool],
    pub(crate) rules: &'s Rules,
    pub(crate) scorer: Scorer<'s>,
    pub(crate) client: &'s Client,
    pub(crate) judging: Option<&'s Judging<'s>>,
    pub(crate) transcripts: Option<&'s Transcripts>,
    pub(crate) runs: u32,
    pub(crate) concurrency: usize,
}

/// One run that is to be made.
#[derive(Debug, Clone, Copy)]
struct Attempt<'s> {
    place: usize,
    case: &'s Case,
    index: u32,
    wave: u32,
}

/// What playing an episode took.
pub(crate) struct Played {
    pub(crate) ms: Spent,
    /// All answers of the model came from the journal.
    pub(crate) reused: bool,
    pub(crate) fault: Option<RunFault>,
    /// Of each live call until it was answered; nothing where it was not.
    pub(crate) live_ms: Vec<Option<u64>>,
}

/// The runs of one case, in the order of their indices.
pub(crate) struct CaseRuns<'s> {
    pub(crate) case: &'s Case,
    pub(crate) planned: u32,
    pub(crate) runs: Vec<Run>,
}

impl CaseRuns<'_> {
    /// How the case stands against its own target.
    pub(crate) fn held(&self) -> Held {
        let passed = |first: bool| -> Vec<bool> {
            let runs = self
                .runs
                .iter()
                .filter(|run| (run.wave == 0) == first && run.outcome != RunOutcome::Invalid);
            runs.map(|run| run.outcome == RunOutcome::Passed).collect()
        };
        Target {
            kind: self.case.kind,
            mode: HardMode::default(),
            planned: self.planned,
            first: &passed(true),
            confirmation: &passed(false),
            pool_mean: None,
        }
        .held()
    }
}

impl<'s> Session<'s> {
    /// The same with other tools, and without transcripts.
    pub(crate) fn with_tools<'t>(&self, tools: &'t [Tool]) -> Session<'t>
    where
        's: 't,
    {
        Session {
            tools,
            rules: self.rules,
            scorer: Scorer::new(tools),
            client: self.client,
            judging: self.judging,
            transcripts: None,
            runs: self.runs,
            concurrency: self.concurrency,
        }
    }

    /// Runs of a case.
    pub(crate) fn planned(&self, case: &Case) -> u32 {
        case.runs.unwrap_or(self.runs)
    }

    /// The cases before anything was run.
    pub(crate) fn cases(&self, cases: &[&'s Case]) -> Vec<CaseRuns<'s>> {
        cases
            .iter()
            .map(|case| CaseRuns {
                case,
                planned: self.planned(case),
                runs: vec![],
            })
            .collect()
    }

    /// Makes the runs that were bought, all before it returns; gives the place of each with the run.
    ///
    /// The first run of every case, then the second: what is cut off has seen as much of each case.
    pub(crate) async fn buy(
        &self,
        service: &Service<'_>,
        cases: &[&'s Case],
        purchases: &[Purchase],
        tally: &RefCell<Tally>,
        interrupt: &mut Interrupt,
    ) -> Vec<(usize, Run)> {
        let mut attempts: Vec<Attempt<'s>> = purchases
            .iter()
            .flat_map(|bought| {
                let indices = bought.from..bought.from.saturating_add(bought.runs);
                indices.map(|index| Attempt {
                    place: bought.case,
                    case: cases[bought.case],
                    index,
                    wave: bought.wave,
                })
            })
            .collect();
        attempts.sort_by_key(|attempt| (attempt.index, attempt.place));
        tally.borrow_mut().expect(attempts.len());
        self.wave(service, &attempts, tally, interrupt).await
    }

    async fn wave(
        &self,
        service: &Service<'_>,
        attempts: &[Attempt<'s>],
        tally: &RefCell<Tally>,
        interrupt: &mut Interrupt,
    ) -> Vec<(usize, Run)> {
        let one = |attempt| self.one(service, attempt);
        let tell = || tally.borrow_mut().done(&service.spent());
        let done = wave::all(attempts, self.concurrency, interrupt, one, tell).await;
        let made = attempts.iter().zip(done);
        made.map(|(attempt, run)| (attempt.place, run.unwrap_or_else(|| not_made(*attempt))))
            .collect()
    }

    /// Plays an episode to its end: the model is asked, the live server called.
    pub(crate) async fn play(
        &self,
        service: &Service<'_>,
        case: &Case,
        index: u32,
        episode: &mut Episode<'_>,
    ) -> Played {
        let mut played = Played {
            ms: Spent::default(),
            reused: true,
            fault: None,
            live_ms: Vec::new(),
        };
        loop {
            match episode.next() {
                Next::Done => break,
                Next::Ask(request) => match service.ask(&request, index).await {
                    Ok(Asked {
                        answer,
                        ms: took,
                        is_reused,
                    }) => {
                        played.ms.model += took;
                        played.reused &= is_reused;
                        episode.answered(answer);
                    }
                    Err(why) => {
                        played.fault = Some(why);
                        break;
                    }
                },
                Next::Call(calls) => {
                    let began = std::time::Instant::now();
                    let timed = join_all(calls.iter().map(|call| self.call(case, call))).await;
                    let (results, took): (Vec<_>, Vec<_>) = timed.into_iter().unzip();
                    played.live_ms.extend(took);
                    let ms = u64::try_from(began.elapsed().as_millis());
                    played.ms.server += ms.unwrap_or(u64::MAX);
                    episode.called(results);
                }
            }
        }
        played.reused &= episode.asked() > 0;
        played.fault = played.fault.or_else(|| episode.fault());
        played
    }

    /// One run, from the prompt to its score.
    async fn one(&self, service: &Service<'_>, attempt: Attempt<'s>) -> Run {
        let mut episode = Episode::new(attempt.case, self.tools, self.rules, attempt.index);
        let played = self
            .play(service, attempt.case, attempt.index, &mut episode)
            .await;
        let transcript = self.transcripts.and_then(|kept| {
            kept.write(
                service.id(),
                &attempt.case.id,
                attempt.index,
                &episode.system(),
                episode.turns(),
            )
        });
        let mut run = Run {
            index: attempt.index,
            wave: attempt.wave,
            outcome: RunOutcome::Invalid,
            scores: std::collections::BTreeMap::new(),
            calls: calls_made(&episode, played.live_ms),
            differences: vec![],
            fault: None,
            answer: episode.trace().answer.clone(),
            judged: vec![],
            turns: episode.asked(),
            tokens: episode.tokens(),
            ms: played.ms,
            reused: played.reused,
            transcript,
        };
        self.settle(&mut run, attempt.case, &episode, played.fault)
            .await;
        run
    }

    /// Scores a run. A fault that is not the model's makes it no run, unless it passed in spite of it.
    async fn settle(
        &self,
        run: &mut Run,
        case: &Case,
        episode: &Episode<'_>,
        fault: Option<RunFault>,
    ) {
        let is_foreign = fault.as_ref().is_some_and(|fault| fault.who != Who::Model);
        if is_foreign && fault.as_ref().is_some_and(|fault| fault.who != Who::Server) {
            run.fault = fault;
            return;
        }
        let (mut scored, judge_fault) = self.scored(case, episode, run).await;
        if let Some(fault) = fault {
            if !(is_foreign && scored.passed) {
                scored.passed = false;
            }
            scored.fault = Some(fault);
        }
        run.outcome = match (&scored.fault, scored.passed) {
            (_, true) => RunOutcome::Passed,
            (Some(fault), false) if fault.who != Who::Model => RunOutcome::Invalid,
            (_, false) => RunOutcome::Failed,
        };
        run.fault = scored.fault.or(judge_fault);
        run.scores = scored.scores;
        run.differences = scored.differences;
    }

    async fn scored(
        &self,
        case: &Case,
        episode: &Episode<'_>,
        run: &mut Run,
    ) -> (Scored, Option<RunFault>) {
        let nobody = |_: &_| None;
        let mut scored = self.scorer.score(case, episode.trace(), &nobody);
        let Some(judging) = self.judging else {
            return (scored, None);
        };
        let mut fault = None;
        if !scored.unsettled.is_empty() {
            match judging.pairs(&scored.unsettled).await {
                Ok(()) => {
                    scored = self
                        .scorer
                        .score(case, episode.trace(), &|pair| judging.known(pair));
                }
                Err(why) => {
                    // Where all hangs on what the judge did not say, nobody knows whether the run passed.
                    let kind = |pair: &_| judging.known(pair).or(Some(true));
                    if self.scorer.score(case, episode.trace(), &kind).passed {
                        scored.fault = Some(why.clone());
                    }
                    fault = Some(why);
                }
            }
        }
        if case.rubric.is_some() {
            match judging.rubric(case, episode).await {
                Ok(criteria) => {
                    scored.judged(&criteria);
                    run.judged = criteria;
                }
                // Counted apart: a judge that fails says nothing of the model.
                Err(why) => fault = Some(why),
            }
        }
        (scored, fault)
    }

    /// Calls the live server; gives the milliseconds until it answered, or nothing where it did not.
    async fn call(&self, case: &Case, call: &LiveCall) -> (LiveResult, Option<u64>) {
        let tool = &self.tools[call.tool];
        let began = std::time::Instant::now();
        let outcome = self
            .client
            .call(tool, &call.arguments, &case.answers)
            .await
            .outcome;
        let ms = u64::try_from(began.elapsed().as_millis()).ok();
        match outcome {
            CallOutcome::Complete { result, .. } => (LiveResult::Result(result), ms),
            CallOutcome::Protocol { code, message } => {
                (LiveResult::Refused(format!("error {code}: {message}")), ms)
            }
            CallOutcome::Failed { why } => (LiveResult::Failed(why), None),
        }
    }
}

/// The calls of a run; `live_ms` belongs to those that went to the server, in their order.
pub(crate) fn calls_made(episode: &Episode<'_>, live_ms: Vec<Option<u64>>) -> Vec<CallMade> {
    let traced = episode.trace().calls.iter();
    let mut live_ms = live_ms.into_iter();
    traced
        .map(|traced| CallMade {
            ms: match traced.result_from {
                Some(ResultFrom::Live) => live_ms.next().flatten(),
                _ => None,
            },
            tool: traced.call.name.clone(),
            arguments: match traced.call.object() {
                Ok(map) => map.into(),
                Err(_) => traced.call.arguments.clone().into(),
            },
            result_from: traced.result_from,
            is_error: traced.is_error,
            turn: traced.turn,
        })
        .collect()
}

/// Why a run was not made.
pub(crate) fn cut_off() -> RunFault {
    RunFault {
        who: Who::Harness,
        what: "interrupted".to_owned(),
        message: "the run was cut off; the same command goes on where it stopped".to_owned(),
    }
}

fn not_made(attempt: Attempt<'_>) -> Run {
    Run {
        index: attempt.index,
        wave: attempt.wave,
        outcome: RunOutcome::Invalid,
        scores: std::collections::BTreeMap::new(),
        calls: vec![],
        differences: vec![],
        fault: Some(cut_off()),
        answer: String::new(),
        judged: vec![],
        turns: 0,
        tokens: None,
        ms: Spent::default(),
        reused: false,
        transcript: None,
    }
}
