//! Effects that a blind retry may have had twice.

use super::FaultTrial;
use super::calls::Made;
use super::judge::said;
use super::nature::{Nature, without_keys};
use super::table::{Carried, effect};
use crate::trial::Story;
use verdict_model::resilience::Evidence;

/// The first call that does again what had been done, or may have been: nothing where there is none.
///
/// Only a tool that acts each time it is called counts, and only a later turn with equal arguments: calls of one turn
/// are no answer to a fault. An idempotency key that is sent again makes it harmless; a look at what was done, between
/// the two, makes it no blind one.
pub(super) fn repeated(
    trial: &FaultTrial,
    story: &Story<'_>,
    calls: &[Made<'_>],
) -> Option<Vec<Evidence>> {
    let row = effect(trial.planned.fault);
    if row.carried == Carried::Not {
        return None;
    }
    let first = |again: &&Made<'_>| {
        calls.iter().find(|it| {
            it.is_hit && it.nature == Nature::Acts && it.turn < again.turn && is_twice(it, again)
        })
    };
    let looked = |from: &Made<'_>, to: &Made<'_>| {
        calls[from.index..to.index].iter().any(|it| {
            it.turn > from.turn && it.turn < to.turn && it.is_good && it.nature == Nature::Reads
        })
    };
    let again = calls
        .iter()
        .find(|again| first(again).is_some_and(|before| !looked(before, again)))?;
    let before = first(&again)?;
    let how = match row.carried {
        Carried::Out => "the server had done it, and only the answer was lost",
        Carried::Maybe | Carried::Not => "the server may have done it",
    };
    let arguments = story.trace.calls.get(again.index);
    let quote = arguments.map_or("", |it| it.call.arguments.as_str());
    Some(vec![said(
        &format!(
            "{} was called again with the same arguments after call {}: {how}",
            again.tool, before.index
        ),
        Some(again.index),
        quote,
    )])
}

fn is_twice(before: &Made<'_>, again: &Made<'_>) -> bool {
    let (Some(one), Some(two)) = (&before.arguments, &again.arguments) else {
        return false;
    };
    let (bare_one, bare_two) = (without_keys(one), without_keys(two));
    let is_marked = bare_one.len() < one.len() && one == two;
    before.tool == again.tool && bare_one == bare_two && !is_marked
}
