//! The core works without extensions: what fails without them must not be served with them.
//!
//! A verdict needs a contrast that holds: refused without, served with, refused without again.

use crate::ask::{Ask, META_CAPABILITIES, Probe, Stage};
use crate::check::Check;
use crate::conformance::ext::tasks::all_extensions;
use crate::context::Context;
use crate::facts::{Declared, Item, List};
use crate::record::{Answer, Record};
use crate::ruling::{Finding, Ruling};
use serde_json::{Value, json};

/// Repeats the core requests that fail with the advertised extensions declared, and then without again.
pub const FALLBACK: Probe = Probe {
    name: "ext.fallback",
    stage: Stage::Main,
    next: fallback,
};

/// Prompts and resources that are looked at.
const SOME: usize = 3;

fn fallback(cx: &Context, round: usize) -> Vec<Ask> {
    let Some(extensions) = all_extensions(cx) else {
        return vec![];
    };
    let of = |prefix: &str, wanted: &dyn Fn(&str) -> bool| -> Vec<Ask> {
        subjects(cx)
            .into_iter()
            .filter(|subject| wanted(&subject.step))
            .map(|subject| {
                Ask::request(
                    format!("{prefix}{}", subject.step),
                    subject.method,
                    subject.params,
                )
            })
            .collect()
    };
    let first = |step: &str| cx.record(&format!("ext.fallback/first-{step}"));
    let with = |step: &str| cx.record(&format!("ext.fallback/with-{step}"));
    match round {
        0 => of("first-", &|_| true),
        1 => of("with-", &|step| first(step).is_some_and(refused))
            .into_iter()
            .map(|ask| ask.meta(META_CAPABILITIES, extensions.clone()))
            .collect(),
        2 => of("again-", &|step| with(step).is_some_and(is_served)),
        _ => vec![],
    }
}

/// A core request that needs no extension.
struct Subject {
    step: String,
    method: &'static str,
    params: Value,
}

fn subjects(cx: &Context) -> Vec<Subject> {
    let lists = List::ALL
        .into_iter()
        .filter(|list| cx.facts.declares(list.capability()) == Declared::Yes)
        // The walk has shown that the others are served.
        .filter(|list| {
            cx.record(&format!("survey.{}/1", list.member()))
                .is_some_and(refused)
        })
        .map(|list| Subject {
            step: list.member().to_owned(),
            method: list.method(),
            params: json!({}),
        });
    let mut all: Vec<Subject> = lists.collect();
    if cx.settings.config.no_reads {
        return all;
    }
    let prompts = cx
        .facts
        .items(List::Prompts)
        .filter_map(|prompt| prompt_params(cx, prompt));
    all.extend(
        prompts
            .take(SOME)
            .enumerate()
            .map(|(number, params)| Subject {
                step: format!("prompt-{number}"),
                method: "prompts/get",
                params,
            }),
    );
    let uris = cx
        .facts
        .items(List::Resources)
        .map(|item| item.name())
        .filter(|uri| !uri.is_empty());
    all.extend(uris.take(SOME).enumerate().map(|(number, uri)| Subject {
        step: format!("resource-{number}"),
        method: "resources/read",
        params: json!({"uri": uri}),
    }));
    all
}

/// The parameters of a prompt that needs no arguments, or whose arguments are configured.
fn prompt_params(cx: &Context, prompt: Item) -> Option<Value> {
    let name = Some(prompt.name()).filter(|name| !name.is_empty())?;
    if let Some(arguments) = cx.settings.config.prompts.arguments.get(name) {
        return Some(json!({"name": name, "arguments": arguments}));
    }
    let arguments = prompt.value.get("arguments").and_then(Value::as_array);
    let required = |argument: &Value| argument.get("required") == Some(&Value::Bool(true));
    let needs = arguments.is_some_and(|arguments| arguments.iter().any(required));
    (!needs).then(|| json!({"name": name}))
}

fn refused(record: &Record) -> bool {
    matches!(record.answer(), Answer::Error(code) if code != Some(-32021))
}

fn is_served(record: &Record) -> bool {
    matches!(record.answer(), Answer::Result(_))
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::must("ext.fallback", "Core requests are served to clients without extensions")
    .spec("versioning#extension-negotiation")
    .why("Most clients declare no extension; they see a failure where the core protocol would do.")
    .fix("Fall back to the core protocol when the client does not declare your extension, or refuse with -32021 and name it.")
    .probes(&[&FALLBACK])
    .judge(core)];

fn core(cx: &Context) -> Ruling {
    if all_extensions(cx).is_none() {
        return Ruling::not_applicable("the server does not advertise extensions");
    }
    let record = |prefix: &str, step: &str| cx.record(&format!("ext.fallback/{prefix}-{step}"));
    let mut findings = Vec::new();
    let mut without_contrast = 0;
    let subjects = subjects(cx);
    for subject in &subjects {
        let step = subject.step.as_str();
        let Some(first) = record("first", step).filter(|first| refused(first)) else {
            continue;
        };
        let again = record("again", step).is_some_and(refused);
        if !(again && record("with", step).is_some_and(is_served)) {
            without_contrast += 1;
            continue;
        }
        let code = match first.answer() {
            Answer::Error(Some(code)) => code.to_string(),
            _ => "an error without code".to_owned(),
        };
        let named = ["name", "uri"]
            .iter()
            .find_map(|member| subject.params.get(member)?.as_str());
        let finding = Finding::broken(format!(
            "{} is refused with {code} to a client without extensions and served to one that declares them; the core must work without, or the refusal be -32021",
            subject.method
        ));
        findings.push(match named {
            Some(name) => finding.about(name).seen_in(first),
            None => finding.seen_in(first),
        });
    }
    if findings.is_empty() && without_contrast > 0 {
        return Ruling::skip(
            "a core request fails with and without the extensions, which proves nothing about them",
        );
    }
    Ruling::of(findings, "core requests are served without extensions")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{config, ruling};
    use verdict_fixture::{Server, Variant};

    #[test]
    fn the_core_stands_alone() {
        for stdio in [false, true] {
            let with = ruling("ext.fallback", &Server::of(Variant::Tasks), config(), stdio);
            assert!(with.is_met(), "{with:?}");
            let server = Server::with("core-needs-extension").expect("a defect");
            assert!(ruling("ext.fallback", &server, config(), stdio).is_broken());
            let without = ruling("ext.fallback", &Server::correct(), config(), stdio);
            assert!(matches!(without, Ruling::NotApplicable(_)));
        }
    }
}
