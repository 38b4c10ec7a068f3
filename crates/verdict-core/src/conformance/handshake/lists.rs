//! The lists of revision 2025-11-25: declared and answered, page by page, and the tools in them.

use super::session::{ASKS, had};
use crate::check::Check;
use crate::context::Context;
use crate::facts::{Declared, List, SURVEY};
use crate::record::Answer;
use crate::ruling::{Finding, Ruling};
use crate::wire::json::cut;
use serde_json::Value;
use std::collections::BTreeSet;
use verdict_schema::Kind;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("handshake.lists", "What the handshake declares can be listed")
        .spec("lifecycle#capability-negotiation")
        .why("Clients list what is declared right after the handshake, and fail with it.")
        .fix("Answer the list method of each declared capability, or do not declare it.")
        .judge(lists),
    Check::must("handshake.undeclared", "What can be listed is declared in the handshake")
        .spec("lifecycle#capability-negotiation")
        .why("Clients do not ask for what is not declared, so nobody finds it.")
        .fix("Declare tools, resources and prompts in capabilities where you have them.")
        .probes(&[&ASKS])
        .judge(undeclared),
    Check::should("handshake.pages", "The pages of every list come to an end")
        .spec("pagination#implementation-guidelines")
        .why("Clients follow nextCursor until there is none; otherwise they never get through.")
        .fix("Leave nextCursor out on the last page, and accept every cursor that you gave out.")
        .judge(pages),
    Check::should("handshake.tool-names", "Tool names are unique, and made of letters, digits, _, - and .")
        .spec("tools#tool-names")
        .why("Clients and model providers refuse other names, or confuse two tools.")
        .fix("Rename the tool: 1 to 128 characters of A-Z, a-z, 0-9, _, - and .")
        .judge(names),
    Check::must("handshake.tool-schemas", "Every schema of a tool is valid in its dialect")
        .spec("basic#json-schema-usage")
        .why("Clients compile the schema before they offer the tool; one that does not compile takes it away.")
        .fix("Mend the keyword at the given place, or name the dialect with $schema.")
        .judge(schemas),
];

fn lists(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    let mut listed = 0;
    for list in [List::Tools, List::Prompts, List::Resources] {
        if cx.facts.declares(list.capability()) != Declared::Yes {
            continue;
        }
        let record = match had(cx, &format!("{SURVEY}{}/1", list.member())) {
            Ok(record) => record,
            Err(ruling) => return ruling,
        };
        listed += 1;
        if let Answer::Error(code) = record.answer() {
            let code = code.map_or("an error".to_owned(), |code| code.to_string());
            let message = format!(
                "{} is declared, and {} is refused with {code}",
                list.capability(),
                list.method()
            );
            findings.push(Finding::broken(message).seen_in(record));
        }
    }
    if listed == 0 {
        return Ruling::not_applicable("the server declares nothing that can be listed");
    }
    Ruling::of(findings, "every declared feature is listed")
}

fn undeclared(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    for list in [List::Tools, List::Prompts, List::Resources] {
        let name = format!("handshake.asks/undeclared-{}", list.member());
        let Ok(record) = had(cx, &name) else {
            continue;
        };
        let items = record
            .result()
            .and_then(|result| result.get(list.member())?.as_array());
        if items.is_some_and(|items| !items.is_empty()) {
            let message = format!(
                "{} gives items, and {} is not declared",
                list.method(),
                list.capability()
            );
            findings.push(Finding::broken(message).seen_in(record));
        }
    }
    Ruling::of(findings, "nothing is listed that is not declared")
}

fn pages(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    let mut walked = 0;
    for list in List::ALL {
        let walk = cx.facts.walk(list);
        walked += walk.pages.len();
        let cursor = walk
            .results()
            .last()
            .and_then(|(_, result)| result.get("nextCursor"));
        let Some(last) = walk.pages.last().filter(|_| !walk.complete) else {
            continue;
        };
        let next = format!("{SURVEY}{}/{}", list.member(), walk.pages.len() + 1);
        let (record, how) = match (cx.record(&next), cursor) {
            // What is no string is handshake.shapes'.
            (None, cursor) if !cursor.is_some_and(Value::is_string) => continue,
            (None, _) => (cx.record(last), "leads round or never ends"),
            (Some(_), _) => match had(cx, &next) {
                Ok(record) => (Some(record), "leads to a page that is refused"),
                Err(_) => continue,
            },
        };
        let message = format!("the nextCursor of {} {how}", list.method());
        let finding = Finding::broken(message);
        findings.push(match record {
            Some(record) => finding.seen_in(record),
            None => finding,
        });
    }
    if walked == 0 {
        return Ruling::not_applicable("nothing is listed");
    }
    Ruling::of(findings, "every list ends")
}

fn names(cx: &Context) -> Ruling {
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for tool in cx.facts.items(List::Tools) {
        let Some(name) = tool.value.get("name").and_then(Value::as_str) else {
            continue;
        };
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        let wrong = if !seen.insert(name) {
            "is listed twice"
        } else if name.is_empty() || name.len() > 128 || !name.bytes().all(allowed) {
            "is not 1 to 128 characters of A-Z, a-z, 0-9, _, - and ."
        } else {
            continue;
        };
        let shown = Value::from(cut(name, 120));
        let mut finding = Finding::broken(format!("the tool name {shown} {wrong}"))
            .about(cut(name, 120))
            .at(format!("{}/name", tool.pointer()));
        finding.exchange = Some(tool.page.to_owned());
        findings.push(finding);
    }
    if seen.is_empty() {
        return Ruling::not_applicable("no tool is listed");
    }
    Ruling::of(findings, "all names are as they should be")
}

fn schemas(cx: &Context) -> Ruling {
    let schemas = cx.facts.schemas();
    if schemas.inputs + schemas.outputs == 0 {
        return Ruling::not_applicable("no tool with a schema is listed");
    }
    let kinds = [Kind::InputValid, Kind::OutputValid, Kind::RefLocal];
    let found = kinds.into_iter().filter_map(|kind| schemas.of(kind));
    let findings = found.flat_map(|found| found.findings.iter().cloned());
    Ruling::of(findings.collect(), "all schemas are valid")
}
