//! A list that did not change comes in the same order.
//!
//! Servers that keep their tools in a hash map, or ask several backends at once, fail here.

use super::reach::unwalked;
use super::visits::{VISITS, agree, differ, names, read, set, walks};
use crate::check::Check;
use crate::context::Context;
use crate::facts::{List, Walk};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::cut;
use serde_json::Value;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::should("list.tools-order-stable", "tools/list keeps its order while the set of tools is the same")
        .headline(2)
        .spec("tools#capabilities")
        .why("Tools stand at the head of every prompt: each change of their order makes models pay for the whole prompt again, and shifts which tool they pick.")
        .fix("Sort the tools, by name or in the order in which they were registered, before they are cut into pages.")
        .probes(&[&VISITS])
        .official(&["tools-list-deterministic-order"])
        .judge(tools),
    Check::advisory("list.others-order-stable", "Prompts, resources and templates keep their order")
        .spec("pagination#implementation-guidelines")
        .why("Menus that show the list jump about.")
        .fix("Sort the items before they are cut into pages.")
        .probes(&[&VISITS])
        .judge(others),
    Check::advisory("list.same-set-repeat", "tools/list asked twice in a row shows the same tools")
        .headline(2)
        .spec("tools#capabilities")
        .why("A client that caches the list calls tools that are gone, and is never told.")
        .fix("Declare tools.listChanged and send notifications/tools/list_changed when the list changes.")
        .probes(&[&VISITS])
        .judge(repeat),
];

/// What comparing the walks over a list came to.
enum Order {
    /// So many walks showed the same set in the same order.
    Same(usize),
    /// Two walks with the same set show another order; the first place where they part.
    Moved {
        page: String,
        place: usize,
        one: String,
        other: String,
    },
    /// No two complete walks showed the same set.
    Incomparable,
}

fn order(cx: &Context, list: List) -> Order {
    let again = walks(cx, list);
    let complete: Vec<&Walk> = std::iter::once(cx.facts.walk(list))
        .chain(&again)
        .filter(|walk| walk.complete)
        .collect();
    let mut sets: Vec<(Vec<&str>, Vec<&str>)> = Vec::new();
    let mut same = 1;
    for walk in complete {
        let (set, sequence) = (set(list, walk), names(list, walk));
        let Some((_, first)) = sets.iter().find(|(known, _)| *known == set) else {
            sets.push((set, sequence));
            continue;
        };
        if *first == sequence {
            same += 1;
            continue;
        }
        let parts = |(one, other): &(&&str, &&str)| one != other;
        let place = first.iter().zip(&sequence).position(|pair| parts(&pair));
        let place = place.unwrap_or(first.len().min(sequence.len()));
        let at = |sequence: &[&str]| cut(sequence.get(place).unwrap_or(&""), 80);
        return Order::Moved {
            page: walk.pages.first().cloned().unwrap_or_default(),
            place: place + 1,
            one: at(first),
            other: at(&sequence),
        };
    }
    if same > 1 {
        Order::Same(same)
    } else {
        Order::Incomparable
    }
}

fn moved(
    cx: &Context,
    list: List,
    order: &Order,
    finding: fn(String) -> Finding,
) -> Option<Finding> {
    let Order::Moved {
        page,
        place,
        one,
        other,
    } = order
    else {
        return None;
    };
    let finding = finding(format!(
        "{} showed the same items in another order when asked again: place {place} held `{one}`, then `{other}`",
        list.method()
    ));
    Some(match cx.record(page) {
        Some(record) => finding
            .seen_in(record)
            .at(format!("/result/{}", list.member())),
        None => finding.about(list.method()),
    })
}

fn tools(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Tools) {
        return ruling;
    }
    let order = order(cx, List::Tools);
    match &order {
        Order::Same(count) => Ruling::met(format!("{count} walks show the same order")),
        Order::Incomparable => Ruling::skip(
            "no two complete walks showed the same set of tools, so their order cannot be compared",
        ),
        Order::Moved { .. } => moved(cx, List::Tools, &order, Finding::broken)
            .map_or_else(|| Ruling::skip("nothing to compare"), Ruling::from),
    }
}

fn others(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    let mut compared = Vec::new();
    for list in [List::Prompts, List::Resources, List::Templates] {
        let order = order(cx, list);
        findings.extend(moved(cx, list, &order, Finding::noted));
        if !matches!(order, Order::Incomparable) {
            compared.push(list.method());
        }
    }
    if compared.is_empty() {
        let unwalked = unwalked(cx, List::Prompts).or_else(|| unwalked(cx, List::Resources));
        return unwalked.unwrap_or_else(|| {
            Ruling::skip(
                "no two complete walks showed the same set, so their order cannot be compared",
            )
        });
    }
    Ruling::of(
        findings,
        format!("{} keep their order", compared.join(", ")),
    )
}

/// Milliseconds within which the list should not change unannounced.
const MOMENT_MS: u64 = 1_000;

fn repeat(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Tools) {
        return ruling;
    }
    let [one, other, later] = ["a1", "a1b", "a2"].map(|tag| read(cx, List::Tools, tag));
    // Where the first walk failed, two later ones that agree say as much.
    if agree(List::Tools, &one, &other) || agree(List::Tools, &other, &later) {
        return Ruling::met("two walks show the same tools");
    }
    if !differ(List::Tools, &one, &other) {
        return Ruling::skip(
            "the list was not walked twice in a row from end to end (one of more than 50 pages is not)",
        );
    }
    let announced = cx
        .facts
        .capabilities()
        .and_then(|capabilities| capabilities.get("tools")?.get("listChanged"));
    if announced == Some(&Value::Bool(true)) {
        return Ruling::met("the set changed, and the server declares tools.listChanged");
    }
    let (Some(first), Some(last)) = (time(cx, &one, true), time(cx, &other, false)) else {
        return Ruling::skip("nothing tells when the list was walked");
    };
    if last.saturating_sub(first) > MOMENT_MS {
        return Ruling::skip("the set changed, but the two walks took longer than a second");
    }
    let finding = Finding::noted(format!(
        "tools/list showed another set of tools {} ms later, and tools.listChanged is not declared: {}",
        last - first,
        difference(List::Tools, &one, &other)
    ));
    let page = other.pages.first().and_then(|page| cx.record(page));
    match page {
        Some(record) => finding.seen_in(record).at("/result/tools").into(),
        None => finding.about("tools/list").into(),
    }
}

/// When a walk began, or was answered.
fn time(cx: &Context, walk: &Walk, begin: bool) -> Option<u64> {
    let page = if begin {
        walk.pages.first()
    } else {
        walk.pages.last()
    };
    let exchange = &cx.record(page?)?.exchange;
    if begin {
        Some(exchange.sent_ms)
    } else {
        exchange.answered_ms
    }
}

/// What one walk shows and the other does not, in words.
pub fn difference(list: List, one: &Walk, other: &Walk) -> String {
    let (first, then) = (set(list, one), set(list, other));
    let only = |these: &[&str], those: &[&str]| {
        let mut only = these
            .iter()
            .filter(|name| those.binary_search(name).is_err());
        let shown: Vec<String> = only
            .by_ref()
            .take(3)
            .map(|name| format!("`{}`", cut(name, 80)))
            .collect();
        let more = only.count();
        let and = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        (!shown.is_empty()).then(|| format!("{}{and}", shown.join(", ")))
    };
    match (only(&first, &then), only(&then, &first)) {
        (Some(gone), Some(new)) => format!("{gone} gone, {new} new"),
        (Some(gone), None) => format!("{gone} gone"),
        (None, Some(new)) => format!("{new} new"),
        (None, None) => "the same names".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::told::{page, says, told};
    use serde_json::json;

    #[test]
    fn order_is_compared_between_equal_sets_only() {
        let walks = |sequences: &[&[&str]]| {
            let names = [
                "survey.tools/1",
                "list.visits/tools.a1/1",
                "list.visits/tools.a1b/1",
            ];
            let pages = names.into_iter().zip(sequences);
            let pages: Vec<_> = pages
                .map(|(name, tools)| page(name, None, tools, None))
                .collect();
            told(&json!({"tools": {}}), &pages)
        };
        let order = |sequences: &[&[&str]]| says("list.tools-order-stable", &walks(sequences));
        assert_eq!(order(&[&["a", "b"], &["a", "b"]]), "met");
        assert_eq!(order(&[&["a", "b"], &["b", "a"]]), "broken");
        assert_eq!(order(&[&["a", "b"], &["a"], &["a"]]), "met");
        assert_eq!(order(&[&["a", "b"], &["a"]]), "skip");
        let set = |sequences: &[&[&str]]| says("list.same-set-repeat", &walks(sequences));
        assert_eq!(set(&[&["a"], &["a", "b"], &["b", "a"]]), "met");
        // No times were recorded, so nothing tells how fast it changed.
        assert_eq!(set(&[&["a"], &["a", "b"], &["a"]]), "skip");
    }
}
