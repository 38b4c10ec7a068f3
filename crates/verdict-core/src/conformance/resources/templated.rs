//! Resources that a template stands for can be read.

use super::expand::expand;
use super::template;
use crate::ask::{Ask, Probe, Stage};
use crate::check::Check;
use crate::conformance::list::reach::unwalked;
use crate::context::Context;
use crate::facts::{Declared, Item, List};
use crate::passive::{Slips, results};
use crate::record::{Answer, Record};
use crate::refusal::{answered, name_of};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::cut;
use serde_json::json;

/// Asks for values of the variables of up to three templates, then reads what they stand for.
pub(crate) const TEMPLATED: Probe = Probe {
    name: "resources.templated",
    stage: Stage::Main,
    next: templated,
};

/// Templates that one run tries.
const MOST: usize = 3;
/// Variables of one template that the server is asked about.
const MOST_VARIABLES: usize = 5;
/// Longer URIs may break limits that HTTP servers have on header fields.
const MAX_URI: usize = 512;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("resources.template-read", "What a template stands for can be read")
        .reads()
        .spec("resources#resource-templates")
        .why("Clients fill in the template, and get an error for every value.")
        .fix("Serve resources/read for the URIs that the template makes, and answer -32602 for those that do not exist.")
        .official(&["resources-templates-read"])
        .probes(&[&TEMPLATED])
        .judge(read),
];

fn templated(cx: &Context, round: usize) -> Vec<Ask> {
    let reads = !cx.settings.config.no_reads && cx.facts.declares("resources") == Declared::Yes;
    match round {
        0 if reads => {
            let mut asks = proposals(cx);
            asks.extend(read_those(cx, false));
            asks
        }
        1 => read_those(cx, true),
        _ => vec![],
    }
}

/// The templates that are tried: those with configured values first.
fn chosen<'c>(cx: &Context<'c>) -> Vec<Item<'c>> {
    let mut all: Vec<Item> = cx
        .facts
        .items(List::Templates)
        .filter(|item| variables(*item).is_some())
        .collect();
    all.sort_by_key(|item| guessed(cx, *item));
    all.truncate(MOST);
    all
}

fn variables(item: Item<'_>) -> Option<Vec<&str>> {
    let parsed = template::parse(item.name()).ok()?;
    (parsed.reserved.is_none() && !parsed.variables.is_empty()).then_some(parsed.variables)
}

/// The value that the configuration has for a variable, under the template's name.
fn configured<'c>(cx: &Context<'c>, item: Item, variable: &str) -> Option<&'c str> {
    let name = item.value.get("name")?.as_str()?;
    let values = cx.settings.config.templates.values.get(name)?;
    values.get(variable).map(String::as_str)
}

/// Whether the configuration lacks a value.
fn guessed(cx: &Context, item: Item) -> bool {
    let variables = variables(item).unwrap_or_default();
    variables
        .iter()
        .any(|variable| configured(cx, item, variable).is_none())
}

fn proposals(cx: &Context) -> Vec<Ask> {
    if cx.facts.declares("completions") != Declared::Yes {
        return vec![];
    }
    let templates = chosen(cx).into_iter().zip(1..);
    templates
        .flat_map(|(item, number): (Item, usize)| {
            let variables = variables(item).unwrap_or_default().into_iter();
            let open = variables.filter(move |name| configured(cx, item, name).is_none());
            open.take(MOST_VARIABLES).map(move |variable| {
                let params = json!({
                    "ref": {"type": "ref/resource", "uri": item.name()},
                    "argument": {"name": variable, "value": ""},
                });
                let step = format!("propose/{number}/{variable}");
                Ask::request(step, "completion/complete", params)
            })
        })
        .collect()
}

/// Reads what templates stand for: of configured values, or of those that the server proposed.
fn read_those(cx: &Context, proposed: bool) -> Vec<Ask> {
    let templates = chosen(cx).into_iter().zip(1..);
    templates
        .filter(|(item, _)| guessed(cx, *item) == proposed)
        .filter_map(|(item, number): (Item, usize)| {
            let uri = uri(cx, item, number).filter(|uri| uri.len() <= MAX_URI)?;
            Some(Ask::request(
                format!("read/{number}"),
                "resources/read",
                json!({"uri": uri}),
            ))
        })
        .collect()
}

fn uri(cx: &Context, item: Item, number: usize) -> Option<String> {
    expand(item.name(), |variable| {
        let name = format!("{}/propose/{number}/{variable}", TEMPLATED.name);
        let proposed = || {
            let values = cx.record(&name)?.result()?.pointer("/completion/values")?;
            values
                .as_array()?
                .iter()
                .find_map(|value| value.as_str().filter(|text| !text.is_empty()))
        };
        configured(cx, item, variable).or_else(proposed)
    })
}

fn read(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Templates) {
        return ruling;
    }
    let templates = chosen(cx);
    if templates.is_empty() {
        return Ruling::not_applicable("no template with a variable is listed");
    }
    let mut findings = Vec::new();
    let mut untried = None;
    let mut count = 0;
    for (item, number) in templates.into_iter().zip(1..) {
        let name = format!("{}/read/{number}", TEMPLATED.name);
        if cx.record(&name).is_none() && cx.recording.cut_off.is_none() {
            untried = Some(Ruling::skip(
                "no value for a template is known; name some to try this (templates.values)",
            ));
            continue;
        }
        let record = match answered(cx, &name) {
            Ok(record) => record,
            Err(ruling) => {
                untried = Some(ruling);
                continue;
            }
        };
        match judged(cx, item, record) {
            Ok(found) => {
                count += 1;
                findings.extend(
                    found
                        .into_iter()
                        .map(|one| one.about(cut(item.name(), 200))),
                );
            }
            Err(ruling) => untried = Some(ruling),
        }
    }
    match untried {
        Some(ruling) if findings.is_empty() && count == 0 => ruling,
        _ => Ruling::of(findings, format!("{count} templates were read")),
    }
}

/// What is wrong with the answer to a read; a ruling where it proves nothing.
fn judged(cx: &Context, item: Item, record: &Record) -> Result<Vec<Finding>, Ruling> {
    let uri = record
        .request()
        .and_then(|request| request.params()?.get("uri")?.as_str());
    let uri = cut(uri.unwrap_or_default(), 200);
    match record.answer() {
        Answer::Result(_) => {
            let mut slips = Slips::default();
            for seen in results(cx).filter(|seen| std::ptr::eq(seen.record, record)) {
                if seen.is_complete() {
                    slips.add_misshapen(&seen, "resources.read-shape");
                }
            }
            Ok(slips.findings())
        }
        Answer::Error(Some(-32601)) => Ok(vec![
            Finding::broken(format!(
                "{uri} is refused with -32601 (method not found): what the template stands for must be readable"
            ))
            .seen_in(record)
            .at("/error/code"),
        ]),
        Answer::Error(code) => {
            let code = code.map_or("an error".to_owned(), |code| {
                format!("{code}{}", name_of(code))
            });
            if guessed(cx, item) {
                return Err(Ruling::skip(format!(
                    "{uri} is refused with {code}; name values that exist to try this (templates.values)"
                )));
            }
            let message = format!(
                "{uri} is refused with {code}, although templates.values says that it is there"
            );
            Ok(vec![Finding::unproven(message).seen_in(record).at("/error")])
        }
        _ => Err(Ruling::skip("the answer holds no JSON-RPC response")),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::shows;

    #[test]
    fn a_template_that_is_not_served_is_found() {
        shows(&[("template-not-read", "resources.template-read", "fail")]);
    }
}
