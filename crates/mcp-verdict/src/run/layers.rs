//! The layers that ask models, one after the other: as the cases are, then with something wrong on purpose.

use super::behavior::{Behaviour, RUNS};
use super::holding::Holding;
use super::judging::Judging;
use super::service::Desk;
use super::through::through;
use super::trials::Trials;
use super::wishes::Trying;
use crate::client::Client;
use crate::config::Plan;
use crate::interrupt::Interrupt;
use anyhow::Result;
use std::time::Instant;
use verdict_eval::gate::decision::Part;
use verdict_eval::golden::{Case, hash};
use verdict_eval::tool::Tool;
use verdict_model::behavior::{Behavior, GoldenSet, ModelResult};
use verdict_model::gate::SessionInfo;
use verdict_model::resilience::{Resilience, TrialOutcome};

/// What the layers came to.
pub(super) struct Layers {
    /// Layer 1.
    pub(super) layer: Option<Behavior>,
    /// Layer 2.
    pub(super) trials: Option<Resilience>,
    /// The models' parts of the gate, by layer 1.
    pub(super) parts: Vec<Part>,
}

impl Behaviour {
    /// Runs the layers that were asked for; the undisturbed cases first, so that their answers count as their own.
    pub(super) async fn layers(
        &self,
        plan: &Plan,
        holding: &Holding<'_>,
        began: Instant,
        interrupt: &mut Interrupt,
    ) -> Result<Layers> {
        let session = holding.session;
        let chosen = self.chosen();
        let (trying, unfit) = self.trying(plan, &chosen, session.tools)?;
        let mut layers = Layers {
            layer: None,
            trials: None,
            parts: vec![],
        };
        if self.cleanly {
            let (models, parts) = self.clean(holding, interrupt).await?;
            layers.parts = parts;
            layers.layer = Some(Behavior {
                golden: self.golden(),
                models,
                judge: session.judging.map(Judging::result),
                duration_ms: millis(began),
                notes: self.notes(session.client, holding.desk, session.judging, interrupt),
            });
        }
        if self.wishes.is_some() {
            let trials = Trials {
                session,
                desk: holding.desk,
                trying: &trying,
                path: &self.file.path,
                quiet: holding.quiet,
            };
            let mut found = self.disturbed(&trials, holding.info, interrupt).await?;
            found.notes = self.notes(session.client, holding.desk, session.judging, interrupt);
            found.notes.extend(unfit);
            if !interrupt.happened() {
                found.server = through(session, &plan.settings.config, &trying).await?;
            }
            layers.trials = Some(found);
        }
        Ok(layers)
    }

    /// The trials that are to be made; none where layer 2 is not wanted.
    pub(super) fn trying<'s>(
        &'s self,
        plan: &Plan,
        chosen: &[&'s Case],
        tools: &[Tool],
    ) -> Result<(Vec<Trying<'s>>, Vec<String>)> {
        let runs = plan.settings.config.runs.unwrap_or(RUNS);
        match &self.wishes {
            None => Ok((vec![], vec![])),
            Some(wishes) => wishes.fitted(&self.file, chosen, tools, runs),
        }
    }

    /// Layer 1 of all models, and their parts of the gate.
    async fn clean(
        &self,
        holding: &Holding<'_>,
        interrupt: &mut Interrupt,
    ) -> Result<(Vec<ModelResult>, Vec<Part>)> {
        let (mut models, mut parts) = (Vec::new(), Vec::new());
        for model in &self.models {
            let (result, part) = holding.model(model, interrupt).await?;
            models.push(result);
            parts.extend(part);
        }
        Ok((models, parts))
    }

    /// Layer 2 of all models.
    async fn disturbed(
        &self,
        trials: &Trials<'_, '_>,
        info: &SessionInfo,
        interrupt: &mut Interrupt,
    ) -> Result<Resilience> {
        let began = Instant::now();
        let (mut models, mut cases) = (Vec::new(), Vec::new());
        for model in &self.models {
            let stored = self.tried_before(&model.id, info)?;
            let made = |id: &str, hash: &str| {
                let mut stored = stored.iter();
                let known = stored.find(|trial| trial.id == id && trial.hash == hash);
                let runs = known.map_or(&[][..], |trial| &trial.runs).iter();
                let valid = runs.filter(|run| run.outcome != TrialOutcome::Invalid);
                valid.cloned().collect()
            };
            let (told, results) = trials.model(model, &made, interrupt).await;
            models.push(told);
            cases.extend(results);
        }
        Ok(Resilience {
            golden: self.golden(),
            models,
            cases,
            server: vec![],
            duration_ms: millis(began),
            notes: vec![],
        })
    }

    fn golden(&self) -> GoldenSet {
        GoldenSet {
            path: self.file.path.clone(),
            hash: hash::set(&self.file.golden),
            cases: self.file.golden.cases.len() as u64,
        }
    }

    fn notes(
        &self,
        client: &Client,
        desk: &Desk,
        judging: Option<&Judging<'_>>,
        interrupt: &Interrupt,
    ) -> Vec<String> {
        let mut notes = client.notes();
        if judging.is_none() && self.rubrics.is_wanted() {
            notes.push("Cases have rubrics, and no judge was named (--judge): completion was not measured.".to_owned());
        }
        match desk
            .net
            .as_ref()
            .map_or(0, |net| net.journal.borrow().damaged())
        {
            0 => {}
            damaged => notes.push(format!(
                "{damaged} kept answers were damaged, and not used."
            )),
        }
        if interrupt.happened() {
            notes
                .push("The run was cut off; the same command goes on where it stopped.".to_owned());
        }
        notes
    }
}

fn millis(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}
