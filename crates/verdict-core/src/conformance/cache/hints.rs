//! Cache hints: `ttlMs` and `cacheScope` on every complete result of the six operations that owe them.
//!
//! A server that adds them to its lists alone, or to the first page alone, fails here.

use crate::check::Check;
use crate::conformance::list::reach::unwalked;
use crate::conformance::resources::reading::{READING, nothing_to_read};
use crate::context::Context;
use crate::facts::{Declared, List};
use crate::passive::{Seen, Slips, nothing_seen, results};
use crate::ruling::{Finding, Ruling};

const WHY: &str = "Clients and gateways decide by the hints how long a result may be kept and who may see it; without them they ask again every time.";
const FIX: &str = "Add \"ttlMs\" (milliseconds, 0 for \"do not keep\") and \"cacheScope\" (\"public\" or \"private\") to every such result, on every page.";

const fn hints(id: &'static str, title: &'static str) -> Check {
    Check::must(id, title)
        .headline(3)
        .spec("caching#cacheable-results")
        .why(WHY)
        .fix(FIX)
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    hints(
        "cache.hints-discover",
        "The server/discover result carries cache hints",
    )
    .judge(discover),
    hints(
        "cache.hints-tools-list",
        "Every page of tools/list carries cache hints",
    )
    .official(&["sep-2549-tools-list-caching-hints"])
    .judge(|cx| list(cx, List::Tools)),
    hints(
        "cache.hints-prompts-list",
        "Every page of prompts/list carries cache hints",
    )
    .official(&["sep-2549-prompts-list-caching-hints"])
    .judge(|cx| list(cx, List::Prompts)),
    hints(
        "cache.hints-resources-list",
        "Every page of resources/list carries cache hints",
    )
    .official(&["sep-2549-resources-list-caching-hints"])
    .judge(|cx| list(cx, List::Resources)),
    hints(
        "cache.hints-templates-list",
        "Every page of resources/templates/list carries cache hints",
    )
    .official(&["sep-2549-resources-templates-list-caching-hints"])
    .judge(|cx| list(cx, List::Templates)),
    hints(
        "cache.hints-read",
        "The resources/read result carries cache hints",
    )
    .reads()
    .official(&["sep-2549-resources-read-caching-hints"])
    .probes(&[&READING])
    .judge(read),
    Check::advisory(
        "cache.no-hints-on-input-required",
        "A result that asks back carries no cache hints",
    )
    .headline(3)
    .opt_in()
    .spec("caching#cacheable-results")
    .why("A question is not an answer: a cache that keeps it would put it to other users.")
    .fix("Add ttlMs and cacheScope to results of type \"complete\" only.")
    .judge(asking),
];

/// The members that a complete result of the six operations owes.
const MEMBERS: [&str; 2] = ["ttlMs", "cacheScope"];

/// What becomes of the complete results of a method; none when there are none.
fn judged(cx: &Context, method: &str) -> Option<Ruling> {
    let mut slips = Slips::default();
    let mut count = 0;
    for seen in results(cx).filter(|seen| seen.method == method && seen.is_complete()) {
        count += 1;
        let missing = |name: &&str| seen.result.get(*name).is_none();
        let missing: Vec<&str> = MEMBERS.into_iter().filter(missing).collect();
        if !missing.is_empty() {
            let missing = missing.join(" and ");
            slips.add(missing.clone(), || absent(&seen, &missing));
        }
    }
    (count > 0).then(|| slips.ruling(format!("{count} results carry both hints")))
}

fn absent(seen: &Seen, missing: &str) -> Finding {
    let cursor = seen
        .record
        .request()
        .and_then(|request| request.params()?.get("cursor"));
    let page = if cursor.is_some() {
        " (a page behind a cursor)"
    } else {
        ""
    };
    let verb = if missing.contains(' ') { "are" } else { "is" };
    Finding::broken(format!(
        "{missing} {verb} missing from a complete result of {}{page}; expected both ttlMs and cacheScope",
        seen.method
    ))
    .seen_in(seen.record)
    .at("/result")
}

fn discover(cx: &Context) -> Ruling {
    judged(cx, "server/discover").unwrap_or_else(|| nothing_seen(cx, "complete result"))
}

fn list(cx: &Context, list: List) -> Ruling {
    let judged = judged(cx, list.method());
    match (unwalked(cx, list), judged) {
        (Some(Ruling::NotApplicable(why)), _) => Ruling::NotApplicable(why),
        (_, Some(ruling)) | (Some(ruling), None) => ruling,
        (None, None) => nothing_seen(cx, "complete result"),
    }
}

fn read(cx: &Context) -> Ruling {
    if cx.facts.declares("resources") == Declared::No {
        return Ruling::not_applicable("the server does not declare resources");
    }
    judged(cx, "resources/read").unwrap_or_else(|| nothing_to_read(cx))
}

fn asking(cx: &Context) -> Ruling {
    let mut slips = Slips::default();
    let mut count = 0;
    for seen in results(cx).filter(|seen| seen.kind() == Some("input_required")) {
        count += 1;
        let present = |name: &&str| seen.result.get(*name).is_some();
        let present: Vec<&str> = MEMBERS.into_iter().filter(present).collect();
        if !present.is_empty() {
            slips.add(seen.method, || {
                let hints = present.join(" and ");
                Finding::broken(format!(
                    "an input_required result of {} carries {hints}; such a result is not to be cached",
                    seen.method
                ))
                .seen_in(seen.record)
                .at(format!("/result/{}", present[0]))
            });
        }
    }
    if count == 0 {
        return Ruling::skip(
            "no result asked back; name a tool, prompt or resource that does (mrtr.trigger) to try this",
        );
    }
    slips.ruling(format!("{count} results that ask back carry no hints"))
}

#[cfg(test)]
mod tests {
    use crate::testing::told::{page, says, told};
    use serde_json::json;

    #[test]
    fn each_page_owes_both_hints() {
        let recording = |remove: &str| {
            let first = page("survey.tools/1", None, &["a"], Some("x"));
            let mut second = page("survey.tools/2", Some("x"), &["b"], None);
            if let Some(result) = second.3["result"].as_object_mut() {
                result.shift_remove(remove);
            }
            told(&json!({"tools": {}}), &[first, second])
        };
        assert_eq!(says("cache.hints-tools-list", &recording("")), "met");
        assert_eq!(
            says("cache.hints-tools-list", &recording("ttlMs")),
            "broken"
        );
        assert_eq!(
            says("cache.hints-tools-list", &recording("cacheScope")),
            "broken"
        );
        assert_eq!(says("cache.hints-prompts-list", &recording("")), "n/a");
        assert_eq!(says("cache.hints-read", &recording("")), "n/a");
    }

    #[test]
    fn questions_carry_none() {
        let asks = |extra: &str| {
            let mut result = json!({"resultType": "input_required", "requestState": "s"});
            result[extra] = json!(0);
            let call = (
                "given/1",
                "tools/call",
                json!({"name": "a"}),
                json!({"result": result}),
            );
            says(
                "cache.no-hints-on-input-required",
                &told(&json!({"tools": {}}), &[call]),
            )
        };
        assert_eq!(asks("note"), "met");
        assert_eq!(asks("ttlMs"), "broken");
        let none = told(&json!({}), &[]);
        assert_eq!(says("cache.no-hints-on-input-required", &none), "skip");
        // A read that asks back owes no hints.
        let question = json!({"result": {"resultType": "input_required", "requestState": "s"}});
        let read = (
            "resources.reading/1",
            "resources/read",
            json!({"uri": "a:b"}),
            question,
        );
        let recording = told(&json!({"resources": {}}), &[read]);
        assert_eq!(says("cache.hints-read", &recording), "skip");
    }
}
