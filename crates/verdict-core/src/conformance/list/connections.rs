//! What a list holds depends neither on the connection nor on what else was asked over it.
//!
//! Servers with tools that switch other tools on "for this session", or whose instances differ, fail here.
//! A list that changes for everybody is legal, so a difference counts only when it stays with a connection.

use super::order::difference;
use super::reach::unlisted;
use super::visits::{VISITS, agree, before, by_connection, callable, differ, latest, read};
use crate::check::Check;
use crate::context::Context;
use crate::facts::{Declared, List, Walk};
use crate::record::Answer;
use crate::refusal::answered;
use crate::ruling::{Finding, Ruling};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("list.same-across-connections", "A list is the same on every connection")
        .spec("tools#capabilities")
        .why("Clients open connections as they like, and balancers spread them: a tool that was listed on one connection is missing on the next.")
        .fix("Let the list depend on the credentials of the request alone; keep instances in step.")
        .probes(&[&VISITS])
        .judge(across),
    Check::must("list.no-side-effect", "Other requests on a connection do not change what its lists show")
        .spec("tools#capabilities")
        .why("A client that uses several connections sees the list change on one of them only, and calls tools that the others refuse.")
        .fix("Keep no state by connection; hand out an explicit identifier where later requests need one.")
        .probes(&[&VISITS])
        .judge(side_effect),
    Check::must("list.no-side-effect-call", "Calling a tool does not change the lists of its connection alone")
        .opt_in()
        .spec("tools#capabilities")
        .why("Tools that switch other tools on for one connection are lost when the client reconnects, and hidden from its other connections.")
        .fix("Show the tools to every client that may use them, or make the change for all connections and announce it.")
        .probes(&[&VISITS])
        .judge(side_effect_call),
];

/// How a broken rule counts for a list: resources may be volatile, and the text does not name templates.
fn finding(list: List, message: String) -> Finding {
    match list {
        List::Tools | List::Prompts => Finding::broken(message),
        List::Resources => Finding::unproven(message),
        List::Templates => Finding::noted(message),
    }
}

fn shown(cx: &Context, list: List, walk: &Walk, message: String) -> Finding {
    let finding = finding(list, message);
    match walk.pages.first().and_then(|page| cx.record(page)) {
        Some(record) => finding
            .seen_in(record)
            .at(format!("/result/{}", list.member())),
        None => finding.about(list.method()),
    }
}

/// The lists of which two walks are complete, so that they can be compared.
fn comparable(cx: &Context, tags: [&str; 2]) -> Vec<List> {
    let complete = |list: List, tag: &str| match tag {
        "before" => before(cx, list).complete,
        "latest" => latest(cx, list).complete,
        tag => read(cx, list, tag).complete,
    };
    List::ALL
        .into_iter()
        .filter(|list| tags.iter().all(|tag| complete(*list, tag)))
        .collect()
}

/// Why no list can be compared.
fn nothing(cx: &Context) -> Ruling {
    unlisted(cx, || {
        Ruling::skip(match &cx.recording.cut_off {
            Some(why) => format!("not reached: {why}"),
            None => "no list could be walked often enough (those of more than 50 pages are walked twice at most)".to_owned(),
        })
    })
}

fn methods(lists: &[List]) -> String {
    let methods: Vec<&str> = lists.iter().map(|list| list.method()).collect();
    methods.join(", ")
}

fn across(cx: &Context) -> Ruling {
    if !cx.is_http() {
        return Ruling::not_applicable(
            "a process is its own connection; stdio.second-process compares two",
        );
    }
    let lists = comparable(cx, ["a1", "b1"]);
    if lists.is_empty() {
        return nothing(cx);
    }
    let mut findings = Vec::new();
    for list in lists
        .iter()
        .copied()
        .filter(|list| by_connection(cx, *list))
    {
        let [a, b] = ["a4", "b4"].map(|tag| read(cx, list, tag));
        // Confirmed once: both connections still show what they showed before.
        let again =
            agree(list, &a, &read(cx, list, "a2")) && agree(list, &b, &read(cx, list, "b2"));
        if again {
            let message = format!(
                "two connections with the same credentials show different lists in {}, each the same one every time: {}",
                list.method(),
                difference(list, &a, &b)
            );
            findings.push(shown(cx, list, &b, message));
        }
    }
    Ruling::of(
        findings,
        format!("no connection has lists of its own: {}", methods(&lists)),
    )
}

fn side_effect(cx: &Context) -> Ruling {
    let lists = comparable(cx, ["before", "a2"]);
    if lists.is_empty() {
        return nothing(cx);
    }
    let mut findings = Vec::new();
    for list in &lists {
        let (first, then) = (before(cx, *list), read(cx, *list, "a2"));
        let confirmed = kept(
            *list,
            &first,
            &then,
            [&read(cx, *list, "c1"), &read(cx, *list, "a3")],
        );
        if confirmed {
            let message = format!(
                "{} shows another set after other requests on its connection (lists, server/discover, reads), while a fresh connection shows the first set: {}",
                list.method(),
                difference(*list, &first, &then)
            );
            findings.push(shown(cx, *list, &then, message));
        }
    }
    Ruling::of(
        findings,
        format!("asked again after other requests: {}", methods(&lists)),
    )
}

/// Whether a change stays with its connection: a fresh one shows the first set, this one the second again.
fn kept(list: List, first: &Walk, then: &Walk, [fresh, again]: [&Walk; 2]) -> bool {
    differ(list, first, then) && agree(list, first, fresh) && agree(list, then, again)
}

fn side_effect_call(cx: &Context) -> Ruling {
    let Some((tool, _)) = callable(cx) else {
        return if cx.facts.declares("tools") == Declared::No {
            Ruling::not_applicable("the server does not declare tools")
        } else {
            Ruling::skip(
                "name a tool that is safe to call (tools.safe), and its arguments if it requires any (tools.arguments), to try this",
            )
        };
    };
    match answered(cx, "list.visits/call") {
        Err(ruling) => return ruling,
        Ok(record) if !matches!(record.answer(), Answer::Result(_)) => {
            return Ruling::skip(format!("the call of `{tool}` was refused"));
        }
        Ok(_) => {}
    }
    let lists = comparable(cx, ["latest", "a5"]);
    if lists.is_empty() {
        return nothing(cx);
    }
    let mut findings = Vec::new();
    for list in &lists {
        let (first, then) = (latest(cx, *list), read(cx, *list, "a5"));
        if kept(
            *list,
            &first,
            &then,
            [&read(cx, *list, "c5"), &read(cx, *list, "a6")],
        ) {
            let message = format!(
                "{} shows another set after a call of `{tool}` on its connection, while a fresh connection shows the first set: {}",
                list.method(),
                difference(*list, &first, &then)
            );
            findings.push(shown(cx, *list, &then, message));
        }
    }
    Ruling::of(
        findings,
        format!("asked again after a call of `{tool}`: {}", methods(&lists)),
    )
}

#[cfg(test)]
mod tests {
    use crate::testing::told::{page, says, told};
    use serde_json::json;

    fn across(shown: &[(&'static str, &[&str])]) -> &'static str {
        let mut pages = vec![page("survey.tools/1", None, &["x"], None)];
        pages.extend(
            shown
                .iter()
                .map(|(name, tools)| page(name, None, tools, None)),
        );
        says(
            "list.same-across-connections",
            &told(&json!({"tools": {}}), &pages),
        )
    }

    #[test]
    fn only_a_difference_that_stays_with_the_connection_counts() {
        let (a, b): (&[&str], &[&str]) = (&["x", "a"], &["x", "b"]);
        let [a1, b1, a2, b2, a4, b4] = [
            "list.visits/tools.a1/1",
            "list.visits/tools.b1/1",
            "list.visits/tools.a2/1",
            "list.visits/tools.b2/1",
            "list.visits/tools.a4/1",
            "list.visits/tools.b4/1",
        ];
        assert_eq!(
            across(&[(a1, a), (b1, b), (a2, a), (b2, b), (a4, a), (b4, b)]),
            "broken"
        );
        // Not seen again, or a change that came to both.
        assert_eq!(
            across(&[(a1, a), (b1, b), (a2, a), (b2, b), (a4, b), (b4, b)]),
            "met"
        );
        assert_eq!(across(&[(a1, a), (b1, a), (a2, b), (b2, b)]), "met");
        assert_eq!(across(&[(a1, a), (b1, a), (a2, a), (b2, a)]), "met");
        assert_eq!(across(&[(a1, a)]), "skip");
    }
}
