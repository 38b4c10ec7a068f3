//! The walk over all foreign texts of layer 2.

use super::{Evidence, ModelTrials, Resilience, ServerTrial, Trial, TrialResult, TrialRun};
use crate::behavior::{CallMade, RunFault, within};

type Change<'c> = &'c mut dyn FnMut(&mut String);

impl Resilience {
    /// Shows `change` every text that a server, a model, a user or an environment may have put in.
    ///
    /// Fields are named one by one, so that a new one is not forgotten here.
    pub fn texts(&mut self, change: Change<'_>) {
        let Self {
            golden,
            models,
            cases,
            server,
            duration_ms: _,
            notes,
        } = self;
        change(&mut golden.path);
        notes.iter_mut().for_each(&mut *change);
        for ModelTrials {
            id,
            is_baseline: _,
            metrics: _,
            calls: _,
            reused: _,
            tokens: _,
            usd: _,
            notes,
        } in models
        {
            change(id);
            notes.iter_mut().for_each(&mut *change);
        }
        for case in cases {
            case.texts(change);
        }
        for ServerTrial {
            id,
            title,
            outcome: _,
            message,
            fix,
            ms: _,
        } in server
        {
            [id, title, message, fix].into_iter().for_each(&mut *change);
        }
    }
}

impl TrialResult {
    fn texts(&mut self, change: Change<'_>) {
        let Self {
            id,
            model,
            case,
            trial,
            kind: _,
            hash: _,
            prompt,
            disturbance,
            location: _,
            runs,
            pass_rate: _,
            interval: _,
            standing: _,
            advice,
        } = self;
        [id, model, case, prompt, disturbance, advice]
            .into_iter()
            .for_each(&mut *change);
        match trial {
            Trial::Fault {
                fault: _,
                when: _,
                tool,
            } => tool.iter_mut().for_each(&mut *change),
            Trial::Attack {
                attack,
                class,
                place,
            } => [attack, class, place].into_iter().for_each(&mut *change),
        }
        for run in runs {
            run.texts(change);
        }
    }
}

impl TrialRun {
    fn texts(&mut self, change: Change<'_>) {
        let Self {
            index: _,
            wave: _,
            outcome: _,
            exposed: _,
            utility: _,
            evidence,
            calls,
            answer,
            fault,
            turns: _,
            tokens: _,
            ms: _,
            reused: _,
            transcript: _,
        } = self;
        change(answer);
        for Evidence {
            message,
            call: _,
            quote,
        } in evidence
        {
            change(message);
            change(quote);
        }
        for CallMade {
            tool, arguments, ..
        } in calls
        {
            change(tool);
            within(arguments, change);
        }
        if let Some(RunFault {
            who: _,
            what,
            message,
        }) = fault
        {
            change(what);
            change(message);
        }
    }
}
