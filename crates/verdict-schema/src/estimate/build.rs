//! What building a validator may cost. Only what a validation visits is built, and the library
//! shares what it builds for references, so most schemas are linear work; what is not is bounded
//! here.

use crate::bounds::Bounds;
use crate::cycle::InPlace;
use crate::keyword::subschemas;
use crate::reference::Target;
use crate::steps::Patterns;
use crate::walk::{Plan, Position};
use serde_json::Value;
use std::collections::BTreeSet;

/// How many references deep the library builds before it puts the rest off.
const REFERENCES: usize = 8;

/// A pattern under `unevaluated*` may be compared with every other one.
const PATTERN: usize = 8;

/// Whether building a validator of the visited subschemas stays within bounds, or why not.
pub(crate) fn buildable(
    plan: &Plan<'_>,
    patterns: &Patterns<'_>,
    visited: &[bool],
    bounds: &Bounds,
) -> Result<(), String> {
    if patterns.total(plan, visited) > bounds.all_pattern_states {
        return Err(format!(
            "patterns need more than {} states",
            bounds.all_pattern_states
        ));
    }
    let targets: BTreeSet<usize> = plan
        .references
        .iter()
        .filter_map(|reference| match reference.target {
            Target::Position(at) if visited[reference.from] => Some(at),
            _ => None,
        })
        .collect();
    if targets.len() > bounds.targets {
        return Err(format!(
            "references lead to more than {} subschemas",
            bounds.targets
        ));
    }
    if depth(plan, visited, &targets) > bounds.build_depth {
        return Err(format!(
            "subschemas nest more than {} deep",
            bounds.build_depth
        ));
    }
    unevaluated(plan, visited, bounds)
}

/// Whether a subschema has a keyword that asks what others beside it cover.
pub(super) fn covers(schema: &Value) -> bool {
    ["unevaluatedProperties", "unevaluatedItems"]
        .iter()
        .any(|it| schema.get(it).is_some())
}

/// How deep the library nests while it builds: through the schema, and through targets of
/// references.
fn depth(plan: &Plan<'_>, visited: &[bool], targets: &BTreeSet<usize>) -> usize {
    let (mut starts, mut children) = (Vec::with_capacity(plan.positions.len() + 1), Vec::new());
    for position in &plan.positions {
        starts.push(children.len());
        subschemas(position.dialect, position.value, &mut |_, _, value| {
            children.extend(plan.at(value).filter(|&at| visited[at]));
        });
    }
    starts.push(children.len());
    let children = |at: usize| &children[starts[at]..starts[at + 1]];
    let mut heights = Survey::new(children, vec![1; plan.positions.len()]);
    let mut targets: Vec<usize> = targets.iter().map(|&at| heights.below(at).depth).collect();
    targets.sort_unstable_by(|left, right| right.cmp(left));
    heights.below(0).depth + targets.iter().take(REFERENCES).sum::<usize>()
}

/// For `unevaluated*` the library unfolds everything that judges the same value, references
/// included, once for each way there, with all names and patterns.
fn unevaluated(plan: &Plan<'_>, visited: &[bool], bounds: &Bounds) -> Result<(), String> {
    let covering: Vec<usize> = (0..plan.positions.len())
        .filter(|&at| visited[at] && covers(plan.positions[at].value))
        .collect();
    if covering.is_empty() {
        return Ok(());
    }
    let graph = InPlace::new(plan);
    let names = plan.positions.iter().map(names).collect();
    let mut survey = Survey::new(|at: usize| graph.of(at), names);
    let mut sum = 0_u64;
    for at in covering {
        let below = survey.below(at);
        sum = sum.saturating_add(below.ways);
        if sum > bounds.unevaluated || below.depth > bounds.build_depth / 2 {
            return Err(format!(
                "`unevaluatedProperties` and `unevaluatedItems` cover more than {} subschemas and \
                 names",
                bounds.unevaluated
            ));
        }
    }
    Ok(())
}

/// A subschema and the names and patterns of properties in it.
fn names(position: &Position<'_>) -> u64 {
    let count = |keyword: &str| {
        position
            .value
            .get(keyword)
            .and_then(Value::as_object)
            .map_or(0, serde_json::Map::len)
    };
    (1 + count("properties") + PATTERN * count("patternProperties")) as u64
}

/// What lies below a subschema in some graph without loops.
#[derive(Debug, Clone, Copy)]
struct Below {
    /// The longest way down, in subschemas.
    depth: usize,
    /// The weights of all subschemas below, each once for every way there.
    ways: u64,
}

/// Finds [`Below`] for one subschema after another; each edge is followed once in all.
struct Survey<F> {
    children: F,
    weights: Vec<u64>,
    known: Vec<Option<Below>>,
}

impl<'g, F: Fn(usize) -> &'g [usize]> Survey<F> {
    fn new(children: F, weights: Vec<u64>) -> Self {
        let known = vec![None; weights.len()];
        Self {
            children,
            weights,
            known,
        }
    }

    fn below(&mut self, start: usize) -> Below {
        let alone = |weights: &[u64], at: usize| Below {
            depth: 1,
            ways: weights[at],
        };
        if let Some(known) = self.known[start] {
            return known;
        }
        let mut stack = vec![(start, 0, alone(&self.weights, start))];
        let mut result = alone(&self.weights, start);
        while let Some((at, next, sum)) = stack.last_mut() {
            let Some(&child) = (self.children)(*at).get(*next) else {
                result = *sum;
                self.known[*at] = Some(result);
                stack.pop();
                continue;
            };
            if let Some(found) = self.known[child] {
                *next += 1;
                sum.depth = sum.depth.max(found.depth + 1);
                sum.ways = sum.ways.saturating_add(found.ways);
            } else {
                stack.push((child, 0, alone(&self.weights, child)));
            }
        }
        result
    }
}
