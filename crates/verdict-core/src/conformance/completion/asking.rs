//! Asks for completions of listed prompt arguments and template variables; several checks judge the answers.

use crate::ask::{Ask, Probe, Stage};
use crate::conformance::discover::declares::completion;
use crate::conformance::resources::template;
use crate::context::Context;
use crate::facts::{Declared, List};
use crate::record::{Record, Several, several};
use serde_json::{Value, json};

/// Asks for completions of up to five arguments, each begun with nothing and with one letter.
///
/// Where nothing is listed that has arguments, of a prompt that no server has.
pub(crate) const ASKING: Probe = Probe {
    name: "completion.asking",
    stage: Stage::Main,
    next: asking,
};

/// Arguments that are asked for.
const MOST: usize = 5;
/// The exchange in which a listed argument could not be asked for.
pub(crate) const ABSENT: &str = "completion.asking/absent";

fn asking(cx: &Context, round: usize) -> Vec<Ask> {
    let declared = cx.facts.declares("completions") == Declared::Yes;
    if round > 0 || !declared {
        return vec![];
    }
    let known = if cx.settings.config.no_reads {
        vec![]
    } else {
        known(cx)
    };
    let mut asks: Vec<Ask> = (1..)
        .zip(known)
        .flat_map(|(number, (reference, argument)): (usize, _)| {
            [("empty", ""), ("letter", "a")].map(|(what, value)| {
                let params = json!({
                    "ref": reference,
                    "argument": {"name": argument, "value": value},
                });
                Ask::request(format!("{number}.{what}"), "completion/complete", params)
            })
        })
        .collect();
    if asks.is_empty() {
        asks.push(completion(cx, "absent"));
    }
    asks
}

/// Listed arguments: prompts and templates by turns.
pub(crate) fn known<'c>(cx: &Context<'c>) -> Vec<(Value, &'c str)> {
    let mut prompts = cx.facts.items(List::Prompts).flat_map(|prompt| {
        let name = prompt.value.get("name").and_then(Value::as_str);
        let arguments = prompt.value.get("arguments").and_then(Value::as_array);
        let arguments = arguments.into_iter().flatten();
        arguments.filter_map(move |argument| {
            let reference = json!({"type": "ref/prompt", "name": name?});
            Some((reference, argument.get("name")?.as_str()?))
        })
    });
    let mut templates = cx.facts.items(List::Templates).flat_map(|listed| {
        let uri = listed.value.get("uriTemplate").and_then(Value::as_str);
        let parsed = uri.and_then(|uri| template::parse(uri).ok());
        let variables = parsed.map(|parsed| parsed.variables).unwrap_or_default();
        variables
            .into_iter()
            .map(move |variable| (json!({"type": "ref/resource", "uri": uri}), variable))
    });
    let mut known = Vec::new();
    while known.len() < MOST {
        let before = known.len();
        known.extend(prompts.next());
        known.extend(templates.next());
        if known.len() == before {
            break;
        }
    }
    known.truncate(MOST);
    known
}

/// The exchanges about listed arguments.
pub(crate) fn asked<'c>(cx: &Context<'c>) -> Several<&'c Record> {
    let steps = (1..=MOST).flat_map(|number| {
        ["empty", "letter"].map(|what| format!("{}/{number}.{what}", ASKING.name))
    });
    several(steps.filter_map(|name| cx.record(&name)))
}
