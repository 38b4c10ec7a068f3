//! What the cache hints say: `ttlMs` is a whole number of milliseconds, `cacheScope` one of two words,
//! and all pages of a list have the same one.

use crate::check::Check;
use crate::conformance::list::reach::unlisted;
use crate::conformance::list::visits::{VISITS, walks};
use crate::context::Context;
use crate::facts::{List, Walk};
use crate::passive::{Seen, Slips, nothing_seen, results};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::shortened;
use serde_json::Value;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("cache.ttl-valid", "ttlMs is an integer of at least 0")
        .headline(3)
        .spec("caching#time-to-live-ttl-field")
        .why("A client cannot tell from a string, a fraction or a negative number when a result is stale.")
        .fix("Send ttlMs as whole milliseconds, 0 for results that must not be kept.")
        .official(&["sep-2549-ttl-non-negative"])
        .judge(ttl),
    Check::must("cache.scope-valid", "cacheScope is \"public\" or \"private\"")
        .headline(3)
        .spec("caching#cache-scope-field")
        .why("A cache that does not know the word cannot tell whether it may show the result to other users.")
        .fix("Send exactly \"public\" or \"private\", in lower case.")
        .official(&["sep-2549-cache-scope-valid"])
        .judge(scope),
    Check::must("cache.scope-same-pages", "All pages of a list have the same cacheScope")
        .headline(3)
        .spec("caching#interaction-with-pagination")
        .why("A list that is half public is shared half, and the other users see a list with holes.")
        .fix("Choose the scope for the list as a whole; \"private\" if any page is.")
        .probes(&[&VISITS])
        .judge(same_pages),
    Check::advisory("cache.ttl-sane", "ttlMs is no longer than a year")
        .spec("caching#time-to-live-ttl-field")
        .why("A lifetime of years is most often seconds or microseconds taken for milliseconds, or a number that overflows in JavaScript.")
        .fix("Give ttlMs in milliseconds, as long as the result can be expected to hold.")
        .judge(sane),
];

/// The operations whose complete results carry hints; elsewhere the members mean nothing.
const CACHEABLE: [&str; 6] = [
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
];

fn cacheable<'c>(cx: &Context<'c>) -> impl Iterator<Item = Seen<'c>> + use<'c> {
    results(cx).filter(|seen| CACHEABLE.contains(&seen.method) && seen.is_complete())
}

/// Judges one member of every cacheable result; `wrong` says what is wrong with a value.
fn member(
    cx: &Context,
    name: &str,
    finding: fn(String) -> Finding,
    wrong: impl Fn(&Value) -> Option<String>,
) -> Ruling {
    let mut slips = Slips::default();
    let mut count = 0;
    for seen in cacheable(cx) {
        let Some(value) = seen.result.get(name) else {
            continue;
        };
        count += 1;
        if let Some(why) = wrong(value) {
            slips.add(seen.method, || {
                finding(format!("{name} of {} is {why}", seen.method))
                    .seen_in(seen.record)
                    .at(format!("/result/{name}"))
            });
        }
    }
    if count == 0 {
        return nothing_seen(cx, name);
    }
    slips.ruling(format!("{count} results have a good {name}"))
}

fn ttl(cx: &Context) -> Ruling {
    member(cx, "ttlMs", Finding::broken, |value| {
        let whole = value
            .as_f64()
            .is_some_and(|ms| ms >= 0.0 && ms.fract() == 0.0);
        (!whole).then(|| {
            format!(
                "{}; expected an integer of at least 0",
                shortened(value, 60)
            )
        })
    })
}

fn scope(cx: &Context) -> Ruling {
    member(cx, "cacheScope", Finding::broken, |value| {
        let good = matches!(value.as_str(), Some("public" | "private"));
        (!good).then(|| {
            let value = shortened(value, 60);
            format!("{value}; expected \"public\" or \"private\"")
        })
    })
}

/// Milliseconds of a year of 366 days.
const YEAR_MS: f64 = 31_622_400_000.0;
/// The largest integer that every JSON reader keeps: 2^53 - 1.
const SAFE: f64 = 9_007_199_254_740_991.0;

fn sane(cx: &Context) -> Ruling {
    member(cx, "ttlMs", Finding::noted, |value| {
        let ms = value.as_f64()?;
        if ms > SAFE {
            return Some(format!("{value}, beyond what JavaScript can hold exactly"));
        }
        (ms > YEAR_MS).then(|| format!("{value}, {:.0} years; is it milliseconds?", ms / YEAR_MS))
    })
}

fn same_pages(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    let mut paged = 0;
    for list in List::ALL {
        let first = cx.facts.walk(list);
        if first.pages.len() < 2 {
            continue;
        }
        paged += 1;
        let Some((page, one, other)) = change(first) else {
            continue;
        };
        let again = walks(cx, list);
        let again: Vec<&Walk> = again.iter().filter(|walk| walk.pages.len() > 1).collect();
        let message = format!(
            "a later page of {} has cacheScope \"{other}\", the first one \"{one}\"; expected the same on all pages",
            list.method()
        );
        // A scope that was changed between two pages does not change again just there.
        let finding = match again.iter().any(|walk| change(walk).is_some()) {
            true => Finding::broken(message),
            false if again.is_empty() => Finding::unproven(message),
            false => continue,
        };
        findings.push(match cx.record(page) {
            Some(record) => finding.seen_in(record).at("/result/cacheScope"),
            None => finding.about(list.method()),
        });
    }
    if paged == 0 {
        return unlisted(cx, || Ruling::not_applicable("every list has one page"));
    }
    Ruling::of(findings, "all pages of a list have the same scope")
}

/// The first page whose scope is not that of the first page, with both scopes.
fn change(walk: &Walk) -> Option<(&str, &str, &str)> {
    let mut pages = walk
        .results()
        .filter_map(|(page, result)| Some((page, result.get("cacheScope")?.as_str()?)));
    let (_, one) = pages.next()?;
    let (page, other) = pages.find(|(_, scope)| *scope != one)?;
    Some((page, one, other))
}

#[cfg(test)]
mod tests {
    use crate::testing::told::{page, says, told};
    use serde_json::{Value, json};

    fn with(member: &str, value: Value) -> crate::record::Recording {
        let mut page = page("survey.tools/1", None, &["a"], None);
        page.3["result"][member] = value;
        told(&json!({"tools": {}}), &[page])
    }

    #[test]
    fn lifetimes_are_whole_and_not_negative() {
        for (value, due) in [
            (json!(0), "met"),
            (json!(300_000.0), "met"),
            (json!(18_446_744_073_709_551_615_u64), "met"),
            (json!(0.5), "broken"),
            (json!(-1), "broken"),
            (json!("1"), "broken"),
            (json!(null), "broken"),
        ] {
            assert_eq!(
                says("cache.ttl-valid", &with("ttlMs", value.clone())),
                due,
                "{value}"
            );
        }
        for (value, due) in [
            (json!(31_536_000_000_u64), "met"),
            (json!(63_072_000_000_u64), "noted"),
            (json!(1e300), "noted"),
            (json!("for ever"), "met"),
        ] {
            assert_eq!(
                says("cache.ttl-sane", &with("ttlMs", value.clone())),
                due,
                "{value}"
            );
        }
    }

    #[test]
    fn scopes_are_two_words() {
        for (value, due) in [
            ("public", "met"),
            ("private", "met"),
            ("Public", "broken"),
            ("", "broken"),
        ] {
            assert_eq!(
                says("cache.scope-valid", &with("cacheScope", json!(value))),
                due,
                "{value}"
            );
        }
    }

    #[test]
    fn members_of_other_results_mean_nothing() {
        let result = json!({"result": {"resultType": "complete", "content": [], "ttlMs": -1, "cacheScope": 5}});
        let call = ("given/1", "tools/call", json!({"name": "a"}), result);
        let recording = told(&json!({"tools": {}}), &[call]);
        assert_eq!(says("cache.ttl-valid", &recording), "met");
        assert_eq!(says("cache.scope-valid", &recording), "met");
    }
}
