//! The tools as `tools/list` shows them: shape, names, descriptions, hints.

use crate::check::Check;
use crate::conformance::list::reach::{about, items, twice, unwalked};
use crate::conformance::list::shaped::shaped;
use crate::conformance::list::visits::VISITS;
use crate::context::Context;
use crate::facts::{Item, List};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::cut;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("tools.list-shape", "Every listed tool has a name, an inputSchema and members of the right types")
        .spec("schema#ListToolsResult")
        .why("Typed clients refuse the whole list for one tool with a member of a wrong type.")
        .fix("Send `name` as a string and `inputSchema` as an object; leave optional members out instead of sending null.")
        .official(&["tools-list"])
        .judge(|cx| shaped(cx, List::Tools, "tools.list-shape")),
    Check::should("tools.name-length", "Tool names have 1 to 128 characters")
        .spec("tools#tool-names")
        .why("Model providers refuse longer names, and clients put their own prefix before them.")
        .fix("Shorten the name; the title is for people and may be long.")
        .official(&["tools-name-format"])
        .judge(length),
    Check::should("tools.name-charset", "Tool names are made of A-Z, a-z, 0-9, `_`, `-` and `.`")
        .spec("tools#tool-names")
        .why("Model providers refuse other characters, so clients rename the tool or drop it.")
        .fix("Replace spaces, slashes and other characters by `_`; put the readable form into the title.")
        .official(&["tools-name-format"])
        .judge(charset),
    Check::should("tools.name-unique", "Every tool has a name of its own")
        .spec("tools#tool-names")
        .why("A call goes by the name: which of two tools is run is a matter of luck.")
        .fix("Rename one of them.")
        .probes(&[&VISITS])
        .judge(unique),
    Check::advisory("tools.description", "Every tool has a description")
        .spec("tools#tool")
        .why("Models choose tools by their descriptions.")
        .fix("Say in a sentence or two what the tool does and when to use it.")
        .official(&["tools-list"])
        .judge(description),
    Check::must("tools.annotations-types", "Hints of tools are booleans, and the title among them a string")
        .spec("schema#ToolAnnotations")
        .why("Typed clients refuse the whole list for one hint of a wrong type.")
        .fix("Send readOnlyHint, destructiveHint, idempotentHint and openWorldHint as true or false.")
        .official(&["wire-schema-valid"])
        .judge(|cx| shaped(cx, List::Tools, "tools.annotations-types")),
    Check::advisory("tools.annotations-consistent", "Hints of tools do not contradict each other")
        .spec("schema#ToolAnnotations")
        .why("Clients run tools without asking their user when the hints say that nothing can happen.")
        .fix("Set readOnlyHint for tools that change nothing at all, and destructiveHint for the others only.")
        .judge(consistent),
    Check::advisory("tools.legacy-execution", "Tools carry no `execution` of the earlier revision")
        .spec("changelog#major-changes")
        .why("execution.taskSupport of 2025-11-25 means nothing any more; a client cannot tell from it which tools become tasks.")
        .fix("Leave `execution` out; tasks are an extension now, agreed on by request.")
        .judge(execution),
];

/// Judges the tools one by one.
fn each(
    cx: &Context,
    met: &str,
    judge: impl Fn(&Item) -> Option<(&'static str, Finding)>,
) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Tools) {
        return ruling;
    }
    let tools = items(cx, List::Tools);
    let found = tools
        .iter()
        .filter_map(|tool| judge(tool).map(|(place, finding)| about(cx, tool, place, finding)));
    Ruling::of(found.collect(), format!("{} tools {met}", tools.len()))
}

/// The name, where it is a string; `tools.list-shape` speaks of others.
fn name<'i>(tool: &Item<'i>) -> Option<&'i str> {
    tool.value.get("name")?.as_str()
}

fn length(cx: &Context) -> Ruling {
    each(cx, "have names of 1 to 128 characters", |tool| {
        let count = name(tool)?.chars().count();
        let wrong = !(1..=128).contains(&count);
        wrong.then(|| {
            let message = format!("the name has {count} characters; expected 1 to 128");
            ("/name", Finding::broken(message))
        })
    })
}

fn charset(cx: &Context) -> Ruling {
    each(cx, "have names of the allowed characters", |tool| {
        let odd = name(tool)?
            .chars()
            .find(|letter| !letter.is_ascii_alphanumeric() && !"_-.".contains(*letter))?;
        let message =
            format!("the name holds {odd:?}; expected only A-Z, a-z, 0-9, `_`, `-` and `.`");
        Some(("/name", Finding::broken(message)))
    })
}

fn unique(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Tools) {
        return ruling;
    }
    let mut findings: Vec<Finding> = twice(cx, List::Tools)
        .into_iter()
        .map(|(tool, count)| {
            let message = format!("{count} tools have this name; expected one");
            about(cx, &tool, "/name", Finding::broken(message))
        })
        .collect();
    let mut folded: BTreeMap<String, &str> = BTreeMap::new();
    let tools = items(cx, List::Tools);
    for tool in &tools {
        let Some(name) = name(tool) else { continue };
        let other = *folded.entry(name.to_ascii_lowercase()).or_insert(name);
        if other != name {
            let message = format!("the name differs from `{}` only in case", cut(other, 120));
            findings.push(about(cx, tool, "/name", Finding::noted(message)));
        }
    }
    Ruling::of(
        findings,
        format!("{} tools have names of their own", tools.len()),
    )
}

/// One remark about all tools it holds for.
fn remark(cx: &Context, met: &str, message: &str, holds: impl Fn(&Item) -> bool) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Tools) {
        return ruling;
    }
    let tools = items(cx, List::Tools);
    let odd: Vec<&Item> = tools.iter().filter(|tool| holds(tool)).collect();
    let Some(first) = odd.first() else {
        return Ruling::met(format!("{} tools {met}", tools.len()));
    };
    let named = odd.iter().take(5);
    let named: Vec<String> = named
        .map(|tool| {
            format!(
                "`{}`",
                cut(&crate::conformance::list::reach::subject(tool), 80)
            )
        })
        .collect();
    let more = match odd.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let finding = Finding::noted(format!("{message}: {}{more}", named.join(", ")));
    about(cx, first, "", finding).about("tools/list").into()
}

fn description(cx: &Context) -> Ruling {
    remark(
        cx,
        "have descriptions",
        "tools without a description",
        |tool| match tool.value.get("description") {
            None => true,
            Some(description) => description
                .as_str()
                .is_some_and(|text| text.trim().is_empty()),
        },
    )
}

fn execution(cx: &Context) -> Ruling {
    let message = "tools with execution.taskSupport, which is of 2025-11-25";
    remark(cx, "have none", message, |tool| {
        tool.value
            .get("execution")
            .is_some_and(|execution| execution.get("taskSupport").is_some())
    })
}

/// Verbs that no tool begins with that changes nothing.
const CHANGING: [&str; 12] = [
    "delete",
    "remove",
    "drop",
    "destroy",
    "erase",
    "send",
    "pay",
    "transfer",
    "purchase",
    "buy",
    "revoke",
    "uninstall",
];

fn consistent(cx: &Context) -> Ruling {
    each(cx, "have hints that agree", |tool| {
        let hints = tool.value.get("annotations")?;
        let claims = |name: &str| hints.get(name) == Some(&json!(true));
        if !claims("readOnlyHint") {
            return None;
        }
        if claims("destructiveHint") {
            let message = "readOnlyHint and destructiveHint are both true";
            return Some(("/annotations", Finding::noted(message)));
        }
        let verb = first_word(name(tool)?);
        CHANGING.contains(&verb.as_str()).then(|| {
            let message = format!("readOnlyHint is true, yet the name begins with \"{verb}\"");
            ("/annotations/readOnlyHint", Finding::noted(message))
        })
    })
}

/// The first word of a name in snake, kebab or camel case, in lower case.
fn first_word(name: &str) -> String {
    let mut word = String::new();
    for letter in name.chars() {
        let ends =
            !letter.is_ascii_alphabetic() || (letter.is_ascii_uppercase() && !word.is_empty());
        if ends {
            break;
        }
        word.push(letter.to_ascii_lowercase());
    }
    word
}

/// Whether a tool may be called on its own word: it claims to change nothing and to stay at home.
pub fn claims_harmless(tool: &Value) -> bool {
    let hint = |name| tool.get("annotations").and_then(|hints| hints.get(name));
    hint("readOnlyHint") == Some(&json!(true)) && hint("openWorldHint") == Some(&json!(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_with_a_word() {
        for name in ["send_mail", "send-mail", "sendMail", "Send", "send"] {
            assert_eq!(first_word(name), "send", "{name}");
        }
        assert_eq!(first_word("_send"), "");
        assert_eq!(first_word("sender"), "sender");
    }
}
