//! Lists in pages: every cursor leads on, and the list comes to an end.
//!
//! The walks of the survey are judged; a refused cursor is tried a second time from page one.

use super::reach::unlisted;
use super::visits::{VISITS, walks};
use crate::check::Check;
use crate::context::Context;
use crate::facts::{List, Walk};
use crate::passive::{Slips, nothing_seen, results};
use crate::record::{Answer, Record};
use crate::ruling::{Finding, Ruling};
use crate::survey::MAX_PAGES;
use crate::wire::json::{cut, shortened};
use serde_json::Value;
use std::collections::BTreeMap;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("list.cursor-accepted", "A cursor that the server just gave out is accepted")
        .spec("pagination#pagination-flow")
        .why("Clients never see what stands behind the first page.")
        .fix("Accept every nextCursor of yours as it was sent, the empty string included, on any connection.")
        .probes(&[&VISITS])
        .judge(accepted),
    Check::advisory("list.terminates", "A list comes to an end")
        .spec("pagination#pagination-model")
        .why("A client that follows the cursors, as it must, asks for ever.")
        .fix("Leave nextCursor out of the last page; an empty string is a cursor like any other.")
        .judge(terminates),
    Check::must("list.next-cursor-type", "nextCursor is a string, or absent")
        .spec("schema#PaginatedResult")
        .why("Typed clients refuse the page, or send a cursor that the server never gave out.")
        .fix("Leave nextCursor out where there is no further page; do not send null, and write numbers as strings.")
        .official(&["wire-schema-valid"])
        .judge(cursor_type),
    Check::advisory("list.no-duplicates", "No item is listed on two pages")
        .spec("caching#interaction-with-pagination")
        .why("Clients show the item twice.")
        .fix("Sort the items by something that does not change, and let the cursor name the last one sent.")
        .judge(duplicates),
    Check::may("list.paginates", "How many pages each list has")
        .spec("pagination#response-format")
        .why("Pages are the server's choice; this line tells you what was found.")
        .fix("Nothing to mend.")
        .judge(paginates),
];

/// The page of a walk that was refused.
fn refused<'c>(cx: &Context<'c>, walk: &Walk) -> Option<&'c Record> {
    let last = walk.pages.last()?;
    let (prefix, number) = last.rsplit_once('/')?;
    let next = number.parse::<usize>().ok()? + 1;
    let record = cx.record(&format!("{prefix}/{next}"))?;
    matches!(record.answer(), Answer::Error(_)).then_some(record)
}

/// The cursor on the last page of a walk.
fn last_cursor(walk: &Walk) -> Option<&str> {
    let (_, result) = walk.results().last()?;
    result.get("nextCursor")?.as_str()
}

fn accepted(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    let mut followed = Vec::new();
    for list in List::ALL {
        let first = cx.facts.walk(list);
        let second = cx.record(&format!("survey.{}/2", list.member()));
        if second.is_none() {
            continue;
        }
        followed.push(list.method());
        let Some(record) = refused(cx, first) else {
            continue;
        };
        let again = walks(cx, list);
        let finding = |weight: fn(String) -> Finding, record: &Record| {
            let code = match record.answer() {
                Answer::Error(Some(code)) => format!(" with {code}"),
                _ => String::new(),
            };
            weight(format!(
                "the cursor of page {} of {} is refused{code}; expected the next page",
                first.pages.len(),
                list.method()
            ))
            .seen_in(record)
        };
        match again.first().map(|walk| (walk.complete, refused(cx, walk))) {
            Some((false, Some(record))) => findings.push(finding(Finding::broken, record)),
            Some(_) => {}
            None => findings.push(finding(Finding::unproven, record)),
        }
    }
    if followed.is_empty() {
        return unlisted(cx, || Ruling::not_applicable("every list has one page"));
    }
    Ruling::of(
        findings,
        format!("cursors followed: {}", followed.join(", ")),
    )
}

fn terminates(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    let mut walked = 0;
    for list in List::ALL {
        let walk = cx.facts.walk(list);
        let next = format!("survey.{}/{}", list.member(), walk.pages.len() + 1);
        if walk.pages.is_empty() || cx.record(&next).is_some() {
            continue;
        }
        walked += 1;
        let Some(cursor) = last_cursor(walk) else {
            continue;
        };
        let shown = shortened(&Value::from(cursor), 60);
        let message = match earlier(walk, cursor) {
            Some(page) => format!(
                "page {} of {} leads back: its nextCursor {shown} is that of page {page}; expected an end",
                walk.pages.len(),
                list.method()
            ),
            None if walk.pages.len() >= MAX_PAGES => format!(
                "{} has no end after {MAX_PAGES} pages; later pages were not looked at",
                list.method()
            ),
            None if cx.recording.cut_off.is_none() => format!(
                "{} has no end after {} pages, which are too much for the memory of a run; later pages were not looked at",
                list.method(),
                walk.pages.len()
            ),
            None => continue,
        };
        let finding = Finding::broken(message).at("/result/nextCursor");
        let record = walk.pages.last().and_then(|page| cx.record(page));
        findings.push(match record {
            Some(record) => finding.seen_in(record),
            None => finding.about(list.method()),
        });
    }
    if walked == 0 {
        return unlisted(cx, || Ruling::skip("no list could be walked to its end"));
    }
    Ruling::of(findings, format!("{walked} lists come to an end"))
}

/// The number of the first page with this cursor, unless that is the last page itself.
fn earlier(walk: &Walk, cursor: &str) -> Option<usize> {
    let same = |(_, result): (&str, &Value)| {
        result.get("nextCursor").and_then(Value::as_str) == Some(cursor)
    };
    let first = walk.results().position(same)? + 1;
    (first < walk.pages.len()).then_some(first)
}

fn cursor_type(cx: &Context) -> Ruling {
    let mut slips = Slips::default();
    let mut count = 0;
    let listing = |method: &str| List::ALL.iter().any(|list| list.method() == method);
    for seen in results(cx).filter(|seen| listing(seen.method)) {
        count += 1;
        let Some(cursor) = seen
            .result
            .get("nextCursor")
            .filter(|cursor| !cursor.is_string())
        else {
            continue;
        };
        slips.add(seen.method, || {
            Finding::broken(format!(
                "nextCursor of {} is {}; expected a string, or no such member on the last page",
                seen.method,
                shortened(cursor, 60)
            ))
            .seen_in(seen.record)
            .at("/result/nextCursor")
        });
    }
    if count == 0 {
        return unlisted(cx, || nothing_seen(cx, "list"));
    }
    slips.ruling(format!("{count} pages have a good nextCursor or none"))
}

fn duplicates(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    let mut walked = 0;
    for list in List::ALL {
        let walk = cx.facts.walk(list);
        // A list that leads in a circle repeats its items; list.terminates tells.
        if !walk.complete {
            continue;
        }
        walked += 1;
        let mut pages: BTreeMap<&str, &str> = BTreeMap::new();
        let mut twice = Vec::new();
        for item in walk.items(list) {
            let name = item.value.get(list.key()).and_then(Value::as_str);
            let Some(name) = name else { continue };
            let page = *pages.entry(name).or_insert(item.page);
            if page != item.page {
                twice.push((name, item));
            }
        }
        let Some((name, item)) = twice.first() else {
            continue;
        };
        let more = match twice.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let finding = Finding::noted(format!(
            "{} lists `{}` on two pages{more}",
            list.method(),
            cut(name, 120)
        ))
        .at(item.pointer());
        findings.push(match cx.record(item.page) {
            Some(record) => finding.seen_in(record),
            None => finding,
        });
    }
    if walked == 0 {
        return unlisted(cx, || Ruling::skip("no list could be walked to its end"));
    }
    Ruling::of(findings, "no item stands on two pages")
}

fn paginates(cx: &Context) -> Ruling {
    let described: Vec<String> = List::ALL
        .into_iter()
        .filter_map(|list| {
            let walk = cx.facts.walk(list);
            let sizes: Vec<String> = walk
                .results()
                .map(|(_, result)| {
                    let items = result.get(list.member()).and_then(Value::as_array);
                    items.map_or(0, Vec::len).to_string()
                })
                .collect();
            let pages = match sizes.len() {
                0 => return None,
                1 => "1 page".to_owned(),
                count => format!("{count} pages"),
            };
            let shown = sizes.len().min(10);
            let cut = if shown < sizes.len() { ", …" } else { "" };
            let items = sizes[..shown].join(", ");
            Some(format!(
                "{}: {pages} with {items}{cut} items",
                list.method()
            ))
        })
        .collect();
    if described.is_empty() {
        return unlisted(cx, || nothing_seen(cx, "list"));
    }
    Finding::noted(described.join("; ")).into()
}

#[cfg(test)]
mod tests {
    use crate::testing::told::{page, says, told};
    use serde_json::json;

    #[test]
    fn an_empty_cursor_is_followed_and_a_circle_is_one_finding() {
        let recording = told(
            &json!({"tools": {}}),
            &[
                page("survey.tools/1", None, &["a", "b"], Some("")),
                page("survey.tools/2", Some(""), &["a", "b"], Some("")),
            ],
        );
        assert_eq!(says("list.terminates", &recording), "broken");
        assert_eq!(says("list.no-duplicates", &recording), "skip");
        assert_eq!(says("tools.name-unique", &recording), "met");
        assert_eq!(says("list.cursor-accepted", &recording), "met");
    }

    #[test]
    fn a_refused_cursor_counts_when_it_is_refused_again() {
        let refused = |name| {
            let error = json!({"error": {"code": -32602, "message": "no"}});
            (name, "tools/list", json!({"cursor": "x"}), error)
        };
        let first = page("survey.tools/1", None, &["a"], Some("x"));
        let again = page("list.visits/tools.a1/1", None, &["a"], Some("x"));
        let once = [first.clone(), refused("survey.tools/2")];
        let ruling = |more: &[_]| {
            let exchanges = [&once, more].concat();
            says(
                "list.cursor-accepted",
                &told(&json!({"tools": {}}), &exchanges),
            )
        };
        assert_eq!(ruling(&[]), "unproven");
        assert_eq!(
            ruling(&[again.clone(), refused("list.visits/tools.a1/2")]),
            "broken"
        );
        let served = page("list.visits/tools.a1/2", Some("x"), &["b"], None);
        assert_eq!(ruling(&[again, served]), "met");
    }

    #[test]
    fn a_cursor_is_a_string() {
        for (cursor, due) in [
            (json!(null), "broken"),
            (json!(5), "broken"),
            (json!(""), "met"),
        ] {
            let mut page = page("survey.tools/1", None, &["a"], None);
            page.3["result"]["nextCursor"] = cursor;
            let recording = told(&json!({"tools": {}}), &[page]);
            assert_eq!(says("list.next-cursor-type", &recording), due);
        }
    }

    #[test]
    fn pages_are_counted() {
        let recording = told(
            &json!({"tools": {}}),
            &[
                page("survey.tools/1", None, &["a", "b"], Some("x")),
                page("survey.tools/2", Some("x"), &["b"], None),
            ],
        );
        assert_eq!(says("list.paginates", &recording), "noted");
        assert_eq!(says("list.no-duplicates", &recording), "noted");
        let none = told(&json!({}), &[]);
        for check in super::CHECKS {
            assert_eq!(says(check.rule.id, &none), "n/a", "{}", check.rule.id);
        }
    }
}
