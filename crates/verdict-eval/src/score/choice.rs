//! The right tools, their order, and the arguments of those that were rightly chosen.

use super::compare::{Asker, Found, Mismatch};
use super::matchers::{Wanted, arguments};
use super::pairing::{Assignment, Costs, in_any_order, in_order, total};
use super::retry::{Attempt, attempts};
use super::trace::Trace;
use super::{Pair, Scored};
use crate::chat::{BadArguments, Call, End};
use crate::golden::{Case, Expect, Order};
use crate::tool::Tool;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use verdict_model::behavior::{Difference, Metric};

type Parsed = Result<Map<String, Value>, BadArguments>;
type Settled<'a> = &'a dyn Fn(&Pair) -> Option<bool>;

/// One expected call.
struct Step<'a> {
    names: Vec<&'a str>,
    arguments: Option<&'a Map<String, Value>>,
}

/// How well one call stands for one step.
struct Fit {
    found: Found,
    /// Whether the step looks at arguments, or the call has none that can be looked at.
    is_looked_at: bool,
}

/// What all wrong arguments of one call may cost at most, in the assignment.
const WRONG: u64 = 1 << 20;

/// Notes forbidden calls; whether there was one.
pub(super) fn forbidden(case: &Case, trace: &Trace, scored: &mut Scored) -> bool {
    let is_forbidden = |name: &String| case.forbid_tools.contains(name);
    for call in trace.calls.iter().filter(|it| is_forbidden(&it.call.name)) {
        let message = "the case forbids this tool";
        scored.differ(Metric::Selection, Some(&call.call.name), message);
    }
    trace.calls.iter().any(|it| is_forbidden(&it.call.name))
}

/// A case in which nothing is to be called: every call is one too many, whatever becomes of it.
pub(super) fn nothing(trace: &Trace, scored: &mut Scored) {
    let is_called = !trace.calls.is_empty();
    if !is_called && trace.end == End::CutOff && trace.answer.trim().is_empty() {
        // Cut off while it thought: a call might have come.
        return;
    }
    scored.scores.insert(Metric::Selection, !is_called);
    scored.scores.insert(Metric::OverTrigger, is_called);
    for call in &trace.calls {
        let message = "called, and the case wants no call at all";
        scored.differ(Metric::Selection, Some(&call.call.name), message);
    }
}

/// A case in which tools are to be called; whether nothing but calls that were not made is wrong with the choice.
pub(super) fn steps(
    case: &Case,
    trace: &Trace,
    tools: &BTreeMap<&str, &Tool>,
    settled: Settled<'_>,
    scored: &mut Scored,
) -> bool {
    let (steps, order) = wanted(case);
    let expected = |name: &str| {
        steps
            .iter()
            .filter(|step| step.names.contains(&name))
            .count()
    };
    let attempts = attempts(trace, expected);
    let fits = fits(case, trace, tools, settled, (&steps, &attempts));
    let (assignment, is_in_order) = assign(&fits, attempts.len(), order);
    let is_selected = selection(
        (case, order),
        trace,
        tools,
        (&steps, &attempts),
        &assignment,
        scored,
    );
    let is_complete = assignment.iter().all(Option::is_some);
    if is_complete && matches!(order, Some(Order::Exact | Order::InOrder)) {
        scored.scores.insert(Metric::Order, is_in_order);
        if !is_in_order {
            let message = "the right calls, in another order than the expected one";
            scored.differ(Metric::Order, None, message);
        }
    }
    if is_selected {
        judge_arguments(trace, &fits, &attempts, &assignment, scored);
    }
    let is_choice = |it: &&Difference| it.metric == Metric::Selection;
    !is_complete
        && scored
            .differences
            .iter()
            .filter(is_choice)
            .all(|it| it.tool.is_none())
}

/// The expected calls, and how their order is held; nothing for a single one.
fn wanted(case: &Case) -> (Vec<Step<'_>>, Option<Order>) {
    match &case.expect {
        Expect::Tool { names, arguments } => {
            let names = names.iter().map(String::as_str).collect();
            let arguments = arguments.as_ref();
            (vec![Step { names, arguments }], None)
        }
        Expect::Sequence { steps, order } => {
            let steps = steps.iter().map(|step| Step {
                names: vec![step.tool.as_str()],
                arguments: step.arguments.as_ref(),
            });
            (steps.collect(), Some(*order))
        }
        Expect::Nothing | Expect::Anything => (Vec::new(), None),
    }
}

/// How well each call stands for each step; nothing where it is another tool.
fn fits(
    case: &Case,
    trace: &Trace,
    tools: &BTreeMap<&str, &Tool>,
    settled: Settled<'_>,
    (steps, attempts): (&[Step<'_>], &[Attempt]),
) -> Vec<Vec<Option<Fit>>> {
    let names: Vec<&str> = steps.iter().flat_map(|step| step.names.clone()).collect();
    let calls: Vec<_> = attempts
        .iter()
        .map(|it| &trace.calls[it.last].call)
        .map(|call| (call, call.object()))
        .collect();
    let row = |(index, step): (usize, &Step<'_>)| {
        let wanted = Wanted {
            arguments: step.arguments,
            matchers: &case.matchers,
            tools: &names,
            is_alone: steps.len() == 1,
            nth: nth(steps, index),
        };
        let fit = |(call, parsed): &(&Call, Parsed)| {
            let asker = Asker {
                tool: &call.name,
                prompt: &case.prompt,
                settled,
            };
            let tool = tools.get(call.name.as_str());
            let schema = tool.and_then(|tool| tool.input_schema());
            let is_meant = step.names.contains(&call.name.as_str());
            is_meant.then(|| fit(asker, schema, wanted, (&call.arguments, parsed)))
        };
        calls.iter().map(fit).collect()
    };
    steps.iter().enumerate().map(row).collect()
}

fn fit(
    asker: Asker<'_>,
    schema: Option<&Value>,
    wanted: Wanted<'_>,
    (text, parsed): (&str, &Parsed),
) -> Fit {
    let mut found = Found::default();
    let is_looked_at = wanted.looks(asker.tool) || parsed.is_err();
    match parsed {
        Ok(actual) if is_looked_at => found = arguments(asker, schema, wanted, actual),
        Ok(_) => {}
        Err(error) => found.add("", None, Some(&text.into()), error.to_string()),
    }
    Fit {
        found,
        is_looked_at,
    }
}

/// The how-manieth step of its tool the step at `index` is, from 1.
fn nth(steps: &[Step<'_>], index: usize) -> usize {
    let is_same = |step: &&Step<'_>| step.names == steps[index].names;
    steps[..=index].iter().filter(is_same).count()
}

/// Which call stands for which step, and whether that is in order.
///
/// First as many steps as possible have a call, then as many as possible have right arguments, then as little as possible
/// differs. Calls are in order when nothing is lost by taking them in order, so the arguments tell two calls of one tool
/// apart.
fn assign(fits: &[Vec<Option<Fit>>], calls: usize, order: Option<Order>) -> (Assignment, bool) {
    let table = |fine: bool| -> Costs {
        let cost = |fit: &Fit| match (fit.found.is_right(), fine) {
            (true, _) => 0,
            (false, false) => WRONG,
            (false, true) => WRONG + cost(&fit.found),
        };
        let row = |row: &Vec<Option<Fit>>| row.iter().map(|fit| fit.as_ref().map(cost)).collect();
        fits.iter().map(row).collect()
    };
    let (coarse, fine) = (table(false), table(true));
    let ordered = in_order(&fine, calls);
    let anyhow = in_any_order(&fine, calls);
    let is_in_order = total(&coarse, &ordered) == total(&coarse, &anyhow);
    let is_held = matches!(order, Some(Order::Exact | Order::InOrder));
    if is_held && is_in_order {
        return (ordered, true);
    }
    (anyhow, is_in_order)
}

/// What wrong arguments cost: a difference that nobody can mend more than one that a reader may.
fn cost(found: &Found) -> u64 {
    let count = found.wrong.len() * 2 + found.open.len();
    u64::try_from(count).unwrap_or(WRONG).min(WRONG / 2)
}

/// Whether each step has its call, and no other call was made.
fn selection(
    (case, order): (&Case, Option<Order>),
    trace: &Trace,
    tools: &BTreeMap<&str, &Tool>,
    (steps, attempts): (&[Step<'_>], &[Attempt]),
    assignment: &Assignment,
    scored: &mut Scored,
) -> bool {
    let mut is_right = true;
    for (step, call) in steps.iter().zip(assignment) {
        if call.is_none() {
            is_right = false;
            let message = "expected, and not called";
            let difference = scored.differ(Metric::Selection, None, message);
            difference.expected = Some(step.names.join(" or ").into());
        }
    }
    let may_be_more = case.allow_extra_calls && order != Some(Order::Exact);
    for (index, attempt) in attempts.iter().enumerate() {
        let name = trace.calls[attempt.last].call.name.as_str();
        let is_on_offer = tools.contains_key(name);
        if assignment.contains(&Some(index)) || (may_be_more && is_on_offer) {
            continue;
        }
        is_right = false;
        let message = if !is_on_offer {
            "called, and no tool of this name is on offer"
        } else if steps.iter().any(|step| step.names.contains(&name)) {
            "called more often than expected"
        } else {
            "called, and not expected"
        };
        scored.differ(Metric::Selection, Some(name), message);
    }
    scored.scores.insert(Metric::Selection, is_right);
    is_right
}

/// The arguments of the calls that stand for steps.
fn judge_arguments(
    trace: &Trace,
    fits: &[Vec<Option<Fit>>],
    attempts: &[Attempt],
    assignment: &Assignment,
    scored: &mut Scored,
) {
    let chosen = fits.iter().zip(assignment).filter_map(|(row, call)| {
        let call = (*call)?;
        let name = &trace.calls[attempts[call].last].call.name;
        row[call].as_ref().map(|fit| (name, fit))
    });
    let looked_at: Vec<_> = chosen.filter(|(_, fit)| fit.is_looked_at).collect();
    if looked_at.is_empty() {
        return;
    }
    let is_right = looked_at.iter().all(|(_, fit)| fit.found.is_right());
    scored.scores.insert(Metric::Arguments, is_right);
    for (name, fit) in looked_at {
        let open = fit.found.open.iter().map(|(mismatch, _)| mismatch);
        for mismatch in fit.found.wrong.iter().chain(open) {
            scored.differences.push(difference(name, mismatch));
        }
    }
    // A reader is asked only where the answer can make a call right.
    let all = fits.iter().flatten().flatten();
    for fit in all.filter(|fit| fit.found.wrong.is_empty()) {
        for (_, pair) in &fit.found.open {
            if !scored.unsettled.contains(pair) {
                scored.unsettled.push(pair.clone());
            }
        }
    }
}

fn difference(tool: &str, mismatch: &Mismatch) -> Difference {
    Difference {
        metric: Metric::Arguments,
        tool: Some(tool.to_owned()),
        pointer: Some(mismatch.pointer.clone()),
        expected: mismatch.expected.clone(),
        actual: mismatch.actual.clone(),
        message: mismatch.message.clone(),
    }
}

impl Scored {
    /// Notes a difference that is about a tool, or about the run; the same one is noted once, however often a model
    /// repeats itself.
    pub(super) fn differ(
        &mut self,
        metric: Metric,
        tool: Option<&str>,
        message: &str,
    ) -> &mut Difference {
        let is_known = |it: &Difference| {
            it.metric == metric
                && it.tool.as_deref() == tool
                && it.message == message
                && it.expected.is_none()
        };
        let at = self
            .differences
            .iter()
            .position(is_known)
            .unwrap_or_else(|| {
                self.differences.push(Difference {
                    metric,
                    tool: tool.map(ToOwned::to_owned),
                    pointer: None,
                    expected: None,
                    actual: None,
                    message: message.to_owned(),
                });
                self.differences.len() - 1
            });
        &mut self.differences[at]
    }
}
