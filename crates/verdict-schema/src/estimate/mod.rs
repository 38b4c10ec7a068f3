//! What a validation may cost, found before it is made.
//!
//! The validator has no budget of its own, and composition makes the work of a validation
//! exponential in the size of a schema. The number of evaluations of a subschema on a part of the
//! value can be counted, though, without making them: those under one pair are always the same, so
//! each pair is looked at once. The count assumes that no result is shared and no branch cut short,
//! which makes it an upper bound; `tests` hold it against the evaluations that the validator makes.

mod build;

pub(crate) use build::buildable;

use crate::bounds::Bounds;
use crate::steps::{Instance, Patterns, Step, Stepper};
use crate::walk::Plan;
use serde_json::Value;
use std::collections::BTreeMap;

/// The cost of one evaluation with everything under it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// Evaluations, to learn whether the value is valid.
    pub(crate) evaluations: u64,
    /// The same, to learn why it is not: each branch that fails is evaluated again.
    pub(crate) explaining: u64,
    /// The cost of all evaluations of the same value under this one.
    in_place: u64,
    /// How deep evaluations nest.
    pub(crate) depth: usize,
}

/// What is known before a validation.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Estimate {
    pub(crate) cost: Cost,
    /// Which subschemas it may evaluate; the others have no part in it.
    pub(crate) visited: Vec<bool>,
}

/// `unevaluated*` evaluates what it stands beside once more, to see what that covered.
const AGAIN: u64 = 1;

struct Frame<'i> {
    key: (usize, (usize, bool)),
    steps: Vec<Step<'i>>,
    next: usize,
    again: u64,
    cost: Cost,
}

struct Opener<'p, 'a> {
    plan: &'p Plan<'a>,
    stepper: Stepper<'p, 'a>,
    bounds: &'p Bounds,
    /// What has been spent on counting.
    work: u64,
}

impl Opener<'_, '_> {
    fn open<'i>(&mut self, at: usize, instance: Instance<'i>) -> Result<Frame<'i>, String> {
        let mut steps = Vec::new();
        let own = self.stepper.steps(at, instance, &mut steps)?;
        // Each pair takes memory too, so it counts for more than one.
        let work = own.saturating_add(steps.len() as u64).saturating_add(3);
        self.work = self.work.saturating_add(work);
        if self.work > self.bounds.evaluations {
            return Err(too_many(self.bounds));
        }
        let value = self.plan.positions[at].value;
        let again = if build::covers(value) { AGAIN } else { 0 };
        let own = own.saturating_mul(1 + again);
        let cost = Cost {
            evaluations: own,
            explaining: own,
            in_place: 0,
            depth: 0,
        };
        Ok(Frame {
            key: (at, instance.key()),
            steps,
            next: 0,
            again,
            cost,
        })
    }
}

/// Counts the evaluations of `instance` against the root of the plan.
pub(crate) fn estimate(
    plan: &Plan<'_>,
    patterns: &Patterns<'_>,
    instance: &Value,
    bounds: &Bounds,
) -> Result<Estimate, String> {
    let mut visited = vec![false; plan.positions.len()];
    let mut opener = Opener {
        plan,
        stepper: Stepper::new(plan, patterns, bounds.evaluations),
        bounds,
        work: 0,
    };
    let mut known: BTreeMap<(usize, (usize, bool)), Option<Cost>> = BTreeMap::new();
    let root = opener.open(0, Instance::Value(instance))?;
    known.insert(root.key, None);
    visited[0] = true;
    let mut stack = vec![root];
    let mut result = Cost::default();
    while let Some(frame) = stack.last_mut() {
        let Some(&step) = frame.steps.get(frame.next) else {
            // The frame below asks again, and finds the answer.
            result = close(frame, bounds)?;
            known.insert(frame.key, Some(result));
            stack.pop();
            continue;
        };
        match known.get(&(step.at, step.instance.key())) {
            Some(Some(cost)) => {
                frame.next += 1;
                include(frame, step.in_place, *cost);
            }
            Some(None) => return Err("references form a loop without end".to_owned()),
            None => {
                let frame = opener.open(step.at, step.instance)?;
                known.insert(frame.key, None);
                visited[step.at] = true;
                stack.push(frame);
            }
        }
    }
    Ok(Estimate {
        cost: result,
        visited,
    })
}

fn include(frame: &mut Frame<'_>, in_place: bool, cost: Cost) {
    let sum = &mut frame.cost;
    sum.evaluations = sum.evaluations.saturating_add(cost.evaluations);
    sum.explaining = sum.explaining.saturating_add(cost.explaining);
    if in_place {
        let all = cost.evaluations.saturating_add(cost.in_place);
        sum.in_place = sum.in_place.saturating_add(all);
    }
    sum.depth = sum.depth.max(cost.depth);
}

fn close(frame: &Frame<'_>, bounds: &Bounds) -> Result<Cost, String> {
    let mut cost = frame.cost;
    cost.evaluations = cost
        .evaluations
        .saturating_add(cost.in_place.saturating_mul(frame.again));
    cost.explaining = cost.explaining.saturating_add(cost.evaluations);
    cost.depth += 1;
    if cost.evaluations > bounds.evaluations {
        return Err(too_many(bounds));
    }
    if cost.depth > bounds.evaluation_depth {
        return Err(format!(
            "evaluation nests more than {} deep",
            bounds.evaluation_depth
        ));
    }
    Ok(cost)
}

fn too_many(bounds: &Bounds) -> String {
    format!(
        "validation may need more than {} evaluations",
        bounds.evaluations
    )
}

#[cfg(test)]
mod tests;
