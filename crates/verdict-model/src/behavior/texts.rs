//! The walk over all foreign texts of layer 1.

use crate::behavior::{
    CallMade, CaseResult, Collision, Criterion, Difference, ModelResult, Run, RunFault,
};
use serde_json::Value;

type Change<'c> = &'c mut dyn FnMut(&mut String);

impl ModelResult {
    pub(crate) fn texts(&mut self, change: Change<'_>) {
        let Self {
            id,
            is_baseline: _,
            served_by,
            metrics: _,
            cases,
            calls: _,
            reused: _,
            tokens: _,
            usd: _,
            notes,
        } = self;
        change(id);
        served_by.iter_mut().chain(notes).for_each(&mut *change);
        for case in cases {
            case.texts(change);
        }
    }
}

impl CaseResult {
    fn texts(&mut self, change: Change<'_>) {
        let Self {
            id,
            kind: _,
            hash: _,
            prompt,
            expected,
            tags,
            location: _,
            runs,
            pass_rate: _,
            interval: _,
            standing: _,
            collisions,
            advice,
        } = self;
        [id, prompt, expected, advice]
            .into_iter()
            .for_each(&mut *change);
        tags.iter_mut().for_each(&mut *change);
        for run in runs {
            run.texts(change);
        }
        for Collision {
            expected,
            called,
            runs: _,
            shared,
        } in collisions
        {
            change(expected);
            change(called);
            shared.iter_mut().for_each(&mut *change);
        }
    }
}

impl Run {
    fn texts(&mut self, change: Change<'_>) {
        let Self {
            index: _,
            wave: _,
            outcome: _,
            scores: _,
            calls,
            differences,
            fault,
            answer,
            judged,
            turns: _,
            tokens: _,
            ms: _,
            reused: _,
            transcript: _,
        } = self;
        change(answer);
        for CallMade {
            tool, arguments, ..
        } in calls
        {
            change(tool);
            within(arguments, change);
        }
        for difference in differences {
            let Difference {
                metric: _,
                tool,
                pointer,
                expected,
                actual,
                message,
            } = difference;
            change(message);
            tool.iter_mut().chain(pointer).for_each(&mut *change);
            for value in expected.iter_mut().chain(actual) {
                within(value, change);
            }
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
        for Criterion {
            criterion,
            met: _,
            evidence,
        } in judged
        {
            change(criterion);
            change(evidence);
        }
    }
}

/// Every text of a value; a name of a member that changes takes its value along.
pub(crate) fn within(value: &mut Value, change: Change<'_>) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| within(item, change)),
        Value::Object(map) => {
            let members = std::mem::take(map);
            for (mut name, mut member) in members {
                change(&mut name);
                within(&mut member, change);
                map.insert(name, member);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
