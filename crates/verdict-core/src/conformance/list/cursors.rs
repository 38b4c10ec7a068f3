//! Cursors used a second time, and cursors that no server gave out.

use super::reach::unlisted;
use super::visits::{VISITS, reuse};
use crate::ask::{Ask, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::facts::List;
use crate::record::{Answer, Record};
use crate::refusal::{answered, name_of};
use crate::ruling::{Finding, Ruling};
use serde_json::{Value, json};

/// Sends two cursors to each list that nobody gave out.
pub const CURSORS: Probe = Probe {
    name: "list.cursors",
    stage: Stage::Main,
    next: cursors,
};

fn cursors(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 {
        return vec![];
    }
    let page = |list: List, what: &str, cursor: Value| {
        let step = format!("{}.{what}", list.member());
        Ask::request(step, list.method(), json!({"cursor": cursor})).faulty()
    };
    let unknown = json!(cx.absent("cursor"));
    let lists = listed(cx).into_iter();
    lists
        .flat_map(|list| {
            [
                page(list, "unknown", unknown.clone()),
                page(list, "number", json!(5)),
            ]
        })
        .collect()
}

/// The lists that were answered without a cursor.
fn listed(cx: &Context) -> Vec<List> {
    let answered = |list: &List| !cx.facts.walk(*list).pages.is_empty();
    List::ALL.into_iter().filter(answered).collect()
}

/// The cursor on the first page of a list.
pub fn first_cursor<'c>(cx: &Context<'c>, list: List) -> Option<&'c str> {
    let (_, result) = cx.facts.walk(list).results().next()?;
    result.get("nextCursor")?.as_str()
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::should("list.cursor-stable", "A cursor that is used twice leads to the same page twice")
        .spec("pagination#implementation-guidelines")
        .why("Clients fetch a page again when its lifetime is over, or after a lost answer; with a cursor for one use they must begin anew.")
        .fix("Let the cursor say where the page begins instead of keeping a place for each client.")
        .probes(&[&VISITS])
        .judge(stable),
    Check::should("list.cursor-invalid", "An unknown cursor is refused with -32602")
        .spec("pagination#error-handling")
        .why("A client whose cursor has gone stale gets the first page again and takes it for the next one.")
        .fix("Answer -32602 (invalid params) to every cursor that you did not give out, on lists with a single page, too.")
        .probes(&[&CURSORS])
        .judge(|cx| refused(cx, "unknown", "an unknown cursor")),
    Check::should("list.cursor-wrong-type", "A cursor that is no string is refused with -32602")
        .spec("schema#PaginatedRequestParams")
        .why("A client's slip goes unnoticed, or comes back as an internal error.")
        .fix("Check that `cursor` is a string, and answer -32602 (invalid params) otherwise.")
        .probes(&[&CURSORS])
        .judge(|cx| refused(cx, "number", "a cursor that is a number")),
];

fn exchange(list: List, what: &str) -> String {
    format!("{}/{}.{what}", CURSORS.name, list.member())
}

fn stable(cx: &Context) -> Ruling {
    let paged: Vec<List> = listed(cx)
        .into_iter()
        .filter(|list| first_cursor(cx, *list).is_some())
        .collect();
    if paged.is_empty() {
        return unlisted(cx, || Ruling::not_applicable("every list has one page"));
    }
    let mut findings = Vec::new();
    let mut compared = Vec::new();
    let mut missing = None;
    for list in paged {
        let survey = format!("survey.{}/2", list.member());
        let uses = [survey, reuse(list, 1), reuse(list, 2)];
        let [first, second, third] = uses.each_ref().map(|name| answered(cx, name));
        match (first, second, third) {
            (Ok(first), Ok(second), Ok(third)) => {
                compared.push(list.method());
                findings.extend(unstable(list, [first, second, third]));
            }
            (Err(ruling), ..) | (_, Err(ruling), _) | (.., Err(ruling)) => missing = Some(ruling),
        }
    }
    match missing {
        Some(ruling) if compared.is_empty() => ruling,
        _ => Ruling::of(
            findings,
            format!("the same page each time: {}", compared.join(", ")),
        ),
    }
}

/// What is wrong with three uses of one cursor, if anything.
fn unstable(list: List, uses: [&Record; 3]) -> Option<Finding> {
    let refused = uses[1..]
        .iter()
        .find(|record| matches!(record.answer(), Answer::Error(_)));
    if let Some(record) = refused {
        let message = format!(
            "the first cursor of {} is refused when it is used again; expected the same page",
            list.method()
        );
        return Some(Finding::broken(message).seen_in(record));
    }
    let page = |record: &Record| {
        let items = record.result()?.get(list.member())?.as_array()?;
        let mut names: Vec<String> = items
            .iter()
            .filter_map(|item| item.get(list.key())?.as_str().map(str::to_owned))
            .collect();
        names.sort_unstable();
        Some(names)
    };
    let [first, second, third] = uses.map(page);
    // The list may have changed once; that it changed twice just there is less likely than a slip.
    (first != second && second != third).then(|| {
        Finding::broken(format!(
            "the first cursor of {} leads to other items each time it is used",
            list.method()
        ))
        .seen_in(uses[2])
        .at(format!("/result/{}", list.member()))
    })
}

/// Judges a cursor that must be refused, over all lists at once.
fn refused(cx: &Context, what: &str, fault: &str) -> Ruling {
    let lists = listed(cx);
    if lists.is_empty() {
        return unlisted(cx, || Ruling::skip("no list was answered"));
    }
    let mut slips: Vec<(String, Vec<&str>, &Record)> = Vec::new();
    let mut good = Vec::new();
    let mut missing = None;
    for list in lists {
        let record = match answered(cx, &exchange(list, what)) {
            Ok(record) => record,
            Err(ruling) => {
                missing = Some(ruling);
                continue;
            }
        };
        let got = match record.answer() {
            Answer::Error(Some(-32602)) => {
                good.push(list.method());
                continue;
            }
            Answer::Error(Some(code)) => format!("refused with {code}{}", name_of(code)),
            Answer::Result(_) => "ignored: a page is served".to_owned(),
            // What is no response at all is for transport.* and errors.* to tell.
            _ => {
                missing = Some(Ruling::skip("the answer holds no JSON-RPC response"));
                continue;
            }
        };
        match slips.iter_mut().find(|(known, ..)| *known == got) {
            Some((_, methods, _)) => methods.push(list.method()),
            None => slips.push((got, vec![list.method()], record)),
        }
    }
    let findings: Vec<Finding> = slips
        .into_iter()
        .map(|(got, methods, record)| {
            let message = format!("{fault} is {got}; expected -32602 (invalid params)");
            Finding::broken(message)
                .about(methods.join(", "))
                .seen_in(record)
        })
        .collect();
    match missing {
        Some(ruling) if findings.is_empty() && good.is_empty() => ruling,
        _ => Ruling::of(
            findings,
            format!("refused with -32602: {}", good.join(", ")),
        ),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, rules};
    use serde_json::{Value, json};
    use verdict_fixture::Server;

    fn tools(names: &[&str]) -> Value {
        let tools: Vec<Value> = names
            .iter()
            .map(|name| json!({"name": name, "inputSchema": {"type": "object"}}))
            .collect();
        json!({"result": {"resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "public"}})
    }

    #[test]
    fn unknown_cursors_are_refused() {
        let server = Server::correct();
        for (id, step) in [
            ("list.cursor-invalid", "unknown"),
            ("list.cursor-wrong-type", "number"),
        ] {
            let exchange = format!("list.cursors/prompts.{step}");
            rules(
                &server,
                id,
                &[
                    (&exchange, 200, error(-32603), "broken"),
                    (&exchange, 400, error(-32602), "met"),
                    (&exchange, 200, tools(&["a"]), "broken"),
                    (&exchange, 404, Value::Null, "met"),
                ],
            );
        }
    }

    #[test]
    fn a_cursor_may_be_used_again() {
        rules(
            &Server::correct(),
            "list.cursor-stable",
            &[
                ("list.visits/tools.cursor2", 200, error(-32602), "broken"),
                ("list.visits/tools.cursor2", 200, tools(&["a"]), "met"),
                ("list.visits/tools.cursor1", 200, tools(&["a"]), "broken"),
            ],
        );
    }
}
