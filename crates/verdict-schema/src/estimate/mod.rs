//! What a validation may cost, found before it is made.
//!
//! The validator has no budget of its own, and composition makes the work of a validation
//! exponential in the size of a schema. The number of evaluations of a subschema on a part of the
//! value can be counted, though, without making them: those under one pair are always the same, so
//! each pair is looked at once. The count assumes that no result is shared and no branch cut short,
//! which makes it an upper bound; `tests` hold it against the evaluations that the validator makes.

use crate::bounds::Bounds;
use crate::cycle::InPlace;
use crate::keyword::subschemas;
use crate::reference::Target;
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
        let covers = ["unevaluatedProperties", "unevaluatedItems"];
        let again = if covers.iter().any(|it| value.get(it).is_some()) {
            AGAIN
        } else {
            0
        };
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
) -> Result<Cost, String> {
    let mut opener = Opener {
        plan,
        stepper: Stepper::new(plan, patterns),
        bounds,
        work: 0,
    };
    let mut known: BTreeMap<(usize, (usize, bool)), Option<Cost>> = BTreeMap::new();
    let root = opener.open(0, Instance::Value(instance))?;
    known.insert(root.key, None);
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
                stack.push(frame);
            }
        }
    }
    Ok(result)
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

/// Whether building a validator stays within bounds, or why not.
pub(crate) fn buildable(
    plan: &Plan<'_>,
    patterns: &Patterns<'_>,
    bounds: &Bounds,
) -> Result<(), String> {
    if patterns.total() > bounds.all_pattern_states {
        return Err(format!(
            "patterns need more than {} states",
            bounds.all_pattern_states
        ));
    }
    if build_depth(plan) > bounds.build_depth {
        return Err(format!(
            "subschemas nest more than {} deep",
            bounds.build_depth
        ));
    }
    unevaluated(plan, bounds)
}

/// How deep the library nests while it builds: through the schema, and through eight references
/// before it puts the rest off.
fn build_depth(plan: &Plan<'_>) -> usize {
    const REFERENCES: usize = 8;
    let (mut starts, mut children) = (Vec::with_capacity(plan.positions.len() + 1), Vec::new());
    for position in &plan.positions {
        starts.push(children.len());
        subschemas(position.dialect, position.value, &mut |_, _, value| {
            children.extend(plan.at(value));
        });
    }
    starts.push(children.len());
    let mut heights = Depths::new(|at: usize| &children[starts[at]..starts[at + 1]], plan);
    let mut targets: Vec<usize> = plan
        .references
        .iter()
        .filter_map(|reference| match reference.target {
            Target::Position(at) => Some(heights.below(at).depth),
            _ => None,
        })
        .collect();
    targets.sort_unstable_by(|left, right| right.cmp(left));
    heights.below(0).depth + targets.iter().take(REFERENCES).sum::<usize>()
}

/// For `unevaluated*` the library unfolds everything that judges the same value, references
/// included, once for each way there.
fn unevaluated(plan: &Plan<'_>, bounds: &Bounds) -> Result<(), String> {
    let graph = InPlace::new(plan);
    let mut ways = Depths::new(|at: usize| graph.of(at), plan);
    let mut sum = 0_u64;
    for (at, position) in plan.positions.iter().enumerate().filter(|(_, it)| it.live) {
        let covers = ["unevaluatedProperties", "unevaluatedItems"];
        if !covers
            .iter()
            .any(|keyword| position.value.get(keyword).is_some())
        {
            continue;
        }
        let below = ways.below(at);
        sum = sum.saturating_add(below.ways);
        if sum > bounds.unevaluated || below.depth > bounds.build_depth / 2 {
            return Err(format!(
                "`unevaluatedProperties` and `unevaluatedItems` cover more than {} subschemas",
                bounds.unevaluated
            ));
        }
    }
    Ok(())
}

/// What lies below a subschema in some graph without loops.
#[derive(Debug, Clone, Copy)]
struct Below {
    /// The longest way down, in subschemas.
    depth: usize,
    /// All ways down.
    ways: u64,
}

/// Finds [`Below`] for one subschema after another, each edge once.
struct Depths<F> {
    children: F,
    known: Vec<Option<Below>>,
}

impl<'g, F: Fn(usize) -> &'g [usize]> Depths<F> {
    fn new(children: F, plan: &Plan<'_>) -> Self {
        Self {
            children,
            known: vec![None; plan.positions.len()],
        }
    }

    fn below(&mut self, at: usize) -> Below {
        let leaf = Below { depth: 1, ways: 1 };
        let mut stack = vec![(at, 0, leaf)];
        loop {
            let Some((at, next, sum)) = stack.last_mut() else {
                return leaf;
            };
            if let Some(&child) = (self.children)(*at).get(*next) {
                if let Some(found) = self.known[child] {
                    *next += 1;
                    sum.depth = sum.depth.max(found.depth + 1);
                    sum.ways = sum.ways.saturating_add(found.ways);
                } else {
                    stack.push((child, 0, leaf));
                }
            } else {
                let (at, sum) = (*at, *sum);
                self.known[at] = Some(sum);
                stack.pop();
                if stack.is_empty() {
                    return sum;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
