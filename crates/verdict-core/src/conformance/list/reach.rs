//! What a run reached of a list: its items, or why there is nothing to judge.

use crate::context::Context;
use crate::facts::{Declared, Item, List};
use crate::record::Answer;
use crate::refusal::answered;
use crate::ruling::{Finding, Ruling};
use serde_json::Value;
use std::collections::BTreeMap;

/// Why a list was not walked; none when it was.
pub(crate) fn unwalked(cx: &Context, list: List) -> Option<Ruling> {
    let capability = list.capability();
    if cx.facts.declares(capability) == Declared::No {
        let why = format!("the server does not declare {capability}");
        return Some(Ruling::not_applicable(why));
    }
    if !cx.facts.walk(list).pages.is_empty() {
        return None;
    }
    let first = format!("survey.{}/1", list.member());
    Some(match answered(cx, &first) {
        Err(ruling) => ruling,
        Ok(record) => match record.answer() {
            Answer::Error(Some(-32601)) if list == List::Templates => {
                Ruling::not_applicable("the server has no resource templates")
            }
            _ => Ruling::skip(format!(
                "{} was not answered with a result (discover.honours-{capability})",
                list.method()
            )),
        },
    })
}

/// Why nothing can be said about any list; `otherwise` where the first one was walked.
pub(crate) fn unlisted(cx: &Context, otherwise: impl FnOnce() -> Ruling) -> Ruling {
    match cx.facts.first_list() {
        Some(list) => unwalked(cx, list).unwrap_or_else(otherwise),
        None if cx.facts.capabilities().is_none() => {
            Ruling::skip("the server's capabilities are not known (discover.shape)")
        }
        None => Ruling::not_applicable("the server declares no list"),
    }
}

/// The pages of the first walk over a list, each with its exchange's name.
///
/// Where the list leads in a circle (`list.terminates`), pages that repeat an earlier one are left out.
pub(crate) fn pages<'c>(cx: &Context<'c>, list: List) -> Vec<(&'c str, &'c Value)> {
    let walk = cx.facts.walk(list);
    let mut pages: Vec<(&str, &Value)> = Vec::new();
    for (name, result) in walk.results() {
        let items = result.get(list.member());
        let repeats = |(_, earlier): &(&str, &Value)| earlier.get(list.member()) == items;
        if walk.complete || items.is_none() || !pages.iter().any(repeats) {
            pages.push((name, result));
        }
    }
    pages
}

/// The items on those pages.
pub(crate) fn items<'c>(cx: &Context<'c>, list: List) -> Vec<Item<'c>> {
    let pages = pages(cx, list).into_iter();
    pages
        .flat_map(|(page, result)| {
            let items = result.get(list.member()).and_then(Value::as_array);
            let items = items.into_iter().flatten().enumerate();
            items.map(move |(index, value)| Item {
                value,
                page,
                index,
                list,
            })
        })
        .collect()
}

/// What names an item; its place where it has no name.
pub(crate) fn subject(item: &Item) -> String {
    let name = item.value.get(item.list.key()).and_then(Value::as_str);
    match name {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => format!("{}[{}]", item.list.member(), item.index),
    }
}

/// Lets a finding name an item and the exchange that listed it.
pub(crate) fn about(cx: &Context, item: &Item, place: &str, finding: Finding) -> Finding {
    let finding = finding
        .about(subject(item))
        .at(format!("{}{place}", item.pointer()));
    match cx.record(item.page) {
        Some(record) => finding.seen_in(record),
        None => finding,
    }
}

/// Items whose name another item of the list has, too; each name once, with how often it is there.
///
/// On two pages it counts only where a second walk shows the same: data may move between pages.
pub(crate) fn twice<'c>(cx: &Context<'c>, list: List) -> Vec<(Item<'c>, usize)> {
    let again = super::visits::before(cx, list);
    let settled = cx.facts.walk(list).complete && again.complete;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    if settled {
        for name in super::visits::names(list, &again) {
            *counts.entry(name).or_default() += 1;
        }
    }
    let mut first: BTreeMap<&str, (Item, usize)> = BTreeMap::new();
    for item in items(cx, list) {
        let Some(name) = item.value.get(list.key()).and_then(Value::as_str) else {
            continue;
        };
        let (one, count) = first.entry(name).or_insert((item, 0));
        let confirmed = || counts.get(name).is_some_and(|count| *count > 1);
        if *count == 0 || one.page == item.page || confirmed() {
            *count += 1;
        }
    }
    let mut twice: Vec<(Item, usize)> = first
        .into_values()
        .filter(|(_, count)| *count > 1)
        .collect();
    let page = |item: &Item| {
        item.page
            .rsplit_once('/')
            .and_then(|(_, page)| page.parse::<usize>().ok())
    };
    twice.sort_by_key(|(item, _)| (page(item), item.index));
    twice
}

#[cfg(test)]
mod tests {
    use crate::testing::told::{page, says, told};
    use serde_json::json;

    #[test]
    fn a_name_on_two_pages_counts_when_a_second_walk_shows_it_too() {
        let first = [
            page("survey.tools/1", None, &["a", "b"], Some("x")),
            page("survey.tools/2", Some("x"), &["b", "c"], None),
        ];
        let walk = |second: &[&str]| {
            let again = [
                page("list.visits/tools.a1/1", None, &["a", "b"], Some("x")),
                page("list.visits/tools.a1/2", Some("x"), second, None),
            ];
            let exchanges = [first.clone(), again].concat();
            says(
                "tools.name-unique",
                &told(&json!({"tools": {}}), &exchanges),
            )
        };
        assert_eq!(walk(&["b", "c"]), "broken");
        assert_eq!(walk(&["c"]), "met");
    }

    #[test]
    fn a_name_twice_on_one_page_counts_at_once() {
        let twice = page("survey.tools/1", None, &["a", "a"], None);
        let recording = told(&json!({"tools": {}}), &[twice]);
        assert_eq!(says("tools.name-unique", &recording), "broken");
        let cases = page("survey.tools/1", None, &["a", "A"], None);
        let recording = told(&json!({"tools": {}}), &[cases]);
        assert_eq!(says("tools.name-unique", &recording), "noted");
    }
}
