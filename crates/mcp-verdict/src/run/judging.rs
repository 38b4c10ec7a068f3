//! The judge: on trial first, asked about rubrics and meanings then, never asked the same twice.

use super::journal::key;
use super::service::Service;
use crate::exit::Usage;
use crate::input;
use anyhow::Result;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use verdict_eval::agent::Episode;
use verdict_eval::chat::{Request, Turn};
use verdict_eval::golden::Case;
use verdict_eval::judge::{
    BadNonce, JudgeFailure, Nonce, Rubric, ask, ask_pairs, probes, prompt_hash, read, read_pairs,
    transcript,
};
use verdict_eval::score::{Means, Pair};
use verdict_model::behavior::{Criterion, JudgeResult, RunFault, Who};

/// Largest rubric that is read, in bytes.
const MOST: u64 = 1 << 20;

/// The rubrics of the chosen cases, by their path as the cases write it.
#[derive(Debug, Default)]
pub(crate) struct Rubrics(BTreeMap<String, Rubric>);

impl Rubrics {
    /// Reads the rubrics of the cases.
    ///
    /// # Errors
    /// A [`Usage`]: a file that is not there, or is no rubric.
    pub(crate) fn read(cases: &[&Case]) -> Result<Self> {
        let mut all = BTreeMap::new();
        for path in cases.iter().filter_map(|case| case.rubric.as_ref()) {
            if all.contains_key(path) {
                continue;
            }
            let text = input::read(Path::new(path), MOST, "a rubric")?;
            let rubric =
                Rubric::read(text.as_bytes()).map_err(|error| Usage(format!("{path}: {error}")))?;
            all.insert(path.clone(), rubric);
        }
        Ok(Self(all))
    }

    /// Whether any case has one.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.0.is_empty()
    }
}

/// A judge that passed its trial, or why it did not.
pub(crate) struct Judging<'j> {
    service: &'j Service<'j>,
    rubrics: &'j Rubrics,
    secret: String,
    /// It may be asked about transcripts, beside pairs of values.
    reads: bool,
    unfit: Option<RunFault>,
    known: RefCell<BTreeMap<String, bool>>,
    failures: RefCell<Vec<String>>,
}

impl<'j> Judging<'j> {
    /// Puts the judge on trial: transcripts and pairs whose judgement is known, one of them with a planted instruction. It
    /// `reads` where it may be asked about transcripts that no case has a rubric for.
    pub(crate) async fn begin(
        service: &'j Service<'j>,
        rubrics: &'j Rubrics,
        reads: bool,
        secret: &str,
    ) -> Self {
        let mut judging = Self {
            service,
            rubrics,
            secret: secret.to_owned(),
            reads: reads || rubrics.is_wanted(),
            unfit: None,
            known: RefCell::default(),
            failures: RefCell::default(),
        };
        judging.unfit = judging.trial().await.err();
        judging
    }

    async fn trial(&self) -> Result<(), RunFault> {
        let unfit = |what: &str, failure: &JudgeFailure| RunFault {
            who: Who::Judge,
            what: "judge-unfit".to_owned(),
            message: format!(
                "the judge {} failed a question whose answer is known ({what}): {failure}",
                self.service.id()
            ),
        };
        if self.reads {
            for probe in probes::probes() {
                let answer = self.put(probe.name, |nonce| probe.ask(nonce)).await?;
                probe
                    .check(&answer)
                    .map_err(|failure| unfit(probe.name, &failure))?;
            }
        }
        let answer = self.put("pairs", probes::ask_known_pairs).await?;
        probes::check_known_pairs(&answer).map_err(|failure| unfit("pairs", &failure))
    }

    /// Puts a question. Its mark is drawn from the session's secret and what is judged: nobody who wrote that can know it,
    /// and the same question is the same bytes, so that a kept answer serves again.
    async fn put(
        &self,
        about: &str,
        question: impl Fn(&Nonce) -> Result<Request, BadNonce>,
    ) -> Result<verdict_eval::chat::Answer, RunFault> {
        let request = self.marked(about, question)?;
        let asked = self.service.ask(&request, 0).await;
        asked.map(|asked| asked.answer).map_err(|fault| RunFault {
            who: Who::Judge,
            ..fault
        })
    }

    fn marked(
        &self,
        about: &str,
        question: impl Fn(&Nonce) -> Result<Request, BadNonce>,
    ) -> Result<Request, RunFault> {
        let mut last = None;
        for attempt in 0..8_u8 {
            let word = key(&[self.secret.as_bytes(), about.as_bytes(), &[attempt]]);
            let nonce = word.get(..32).map(Nonce::new);
            match nonce.map(|nonce| nonce.and_then(|nonce| question(&nonce))) {
                Some(Ok(request)) => return Ok(request),
                Some(Err(bad)) => last = Some(bad.to_string()),
                None => {}
            }
        }
        Err(RunFault {
            who: Who::Harness,
            what: "mark".to_owned(),
            message: format!(
                "no mark could be drawn for a question to the judge: {}",
                last.unwrap_or_default()
            ),
        })
    }

    /// Judges a run by the case's rubric.
    ///
    /// # Errors
    /// The judge's failure, which says nothing of the model.
    pub(crate) async fn rubric(
        &self,
        case: &Case,
        episode: &Episode<'_>,
    ) -> Result<Vec<Criterion>, RunFault> {
        let rubric = case
            .rubric
            .as_ref()
            .and_then(|path| self.rubrics.0.get(path));
        let Some(rubric) = rubric else {
            return Ok(vec![]);
        };
        self.question(rubric, episode.turns()).await
    }

    /// Judges a conversation by a rubric that no file holds.
    ///
    /// # Errors
    /// The judge's failure, which says nothing of the model.
    pub(crate) async fn question(
        &self,
        rubric: &Rubric,
        turns: &[Turn],
    ) -> Result<Vec<Criterion>, RunFault> {
        self.fit()?;
        let text = transcript(turns);
        let about = format!("{}\n{text}", rubric.hash);
        let answer = self.put(&about, |nonce| ask(rubric, &text, nonce)).await;
        let judged = answer
            .and_then(|answer| read(rubric, &text, &answer).map_err(|failure| failure.fault()));
        judged.map_err(|fault| self.failed(fault))
    }

    /// Decides pairs, so that [`Judging::known`] knows them.
    ///
    /// # Errors
    /// The judge's failure; the pairs stay undecided.
    pub(crate) async fn pairs(&self, pairs: &[Pair]) -> Result<(), RunFault> {
        self.fit()?;
        // Embeddings are asked for by a case alone, and no provider of them is built in.
        for pair in pairs.iter().filter(|pair| pair.means == Means::Judge) {
            let name = name(pair);
            if self.known.borrow().contains_key(&name) {
                continue;
            }
            let one = std::slice::from_ref(pair);
            let answer = self.put(&name, |nonce| ask_pairs(one, nonce)).await;
            let same = answer
                .and_then(|answer| read_pairs(one, &answer).map_err(|failure| failure.fault()));
            let same = same.map_err(|fault| self.failed(fault))?;
            self.known
                .borrow_mut()
                .insert(name, same.first() == Some(&true));
        }
        Ok(())
    }

    /// Whether a pair means the same, where that was decided.
    pub(crate) fn known(&self, pair: &Pair) -> Option<bool> {
        self.known.borrow().get(&name(pair)).copied()
    }

    fn fit(&self) -> Result<(), RunFault> {
        self.unfit.clone().map_or(Ok(()), Err)
    }

    fn failed(&self, fault: RunFault) -> RunFault {
        self.failures.borrow_mut().push(fault.message.clone());
        fault
    }

    /// The judge's part of the report.
    pub(crate) fn result(&self) -> JudgeResult {
        let figures = self.service.figures();
        JudgeResult {
            id: self.service.id().to_owned(),
            prompt_hash: prompt_hash(),
            rubrics: self
                .rubrics
                .0
                .iter()
                .map(|(path, rubric)| (path.clone(), rubric.hash.clone()))
                .collect(),
            unfit: self.unfit.as_ref().map(|fault| fault.message.clone()),
            failures: self.failures.borrow().len() as u64,
            calls: figures.calls,
            reused: figures.reused,
            tokens: figures.tokens,
            usd: (!figures.is_price_unknown).then_some(figures.usd),
        }
    }
}

fn name(pair: &Pair) -> String {
    key(&[
        pair.tool.as_bytes(),
        pair.argument.as_bytes(),
        pair.expected.as_bytes(),
        pair.actual.as_bytes(),
        pair.context.as_bytes(),
    ])
}
