//! The items of a list have the shape that the revision defines: what the four list-shape checks share.

use super::reach::{about, pages, unwalked};
use crate::context::Context;
use crate::facts::{Item, List};
use crate::ruling::{Finding, Ruling, Weight};
use crate::shape::{self, Violation};
use serde_json::Value;

/// Judges the places of a list that one check owns.
pub(crate) fn shaped(cx: &Context, list: List, check: &'static str) -> Ruling {
    if let Some(ruling) = unwalked(cx, list) {
        return ruling;
    }
    let mut findings = Vec::new();
    let mut count = 0;
    for (page, result) in pages(cx, list) {
        match result.get(list.member()) {
            Some(items) => count += items.as_array().map_or(0, Vec::len),
            None => {
                return Ruling::skip(format!(
                    "the result of {} has no `{}` (discover.honours-{})",
                    list.method(),
                    list.member(),
                    list.capability()
                ));
            }
        }
        let violations = shape::result(list.method(), result);
        for violation in shape::owned_by(&violations, Some(check)) {
            findings.push(finding(cx, list, (page, result), violation));
        }
    }
    Ruling::of(findings, format!("{count} items are as they should be"))
}

fn finding(
    cx: &Context,
    list: List,
    (page, result): (&str, &Value),
    violation: &Violation,
) -> Finding {
    let weight = if violation.soft {
        Weight::Unproven
    } else {
        Weight::Broken
    };
    let place = violation
        .pointer
        .strip_prefix("/result/")
        .unwrap_or_default();
    let mut steps = place.splitn(3, '/');
    let (_, index, rest) = (steps.next(), steps.next(), steps.next());
    let index = index.and_then(|index| index.parse::<usize>().ok());
    let item = index.and_then(|index| Some((index, result.get(list.member())?.get(index)?)));
    let note = if violation.actual == "array of 0 items" && violation.expected == "object" {
        ", an empty object written as a list"
    } else {
        ""
    };
    let (actual, expected) = (&violation.actual, &violation.expected);
    let Some((index, value)) = item else {
        let message = format!("{place} is {actual}{note}; expected {expected}");
        let finding = Finding::new(weight, message).at(&violation.pointer);
        return match cx.record(page) {
            Some(record) => finding.seen_in(record),
            None => finding.about(list.method()),
        };
    };
    let name = rest.map_or_else(|| "the item".to_owned(), |rest| rest.replace('/', "."));
    let message = format!("{name} is {actual}{note}; expected {expected}");
    let below = rest.map_or_else(String::new, |rest| format!("/{rest}"));
    let item = Item {
        value,
        page,
        index,
        list,
    };
    about(cx, &item, &below, Finding::new(weight, message))
}
