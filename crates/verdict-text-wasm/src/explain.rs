//! What checks mean, for people: the entries of the registry in the words of `mcp-verdict explain`.

use crate::fault;
use crate::publication::style;
use serde::Deserialize;
use verdict_model::{Level, Rule, Safety, Scope, State};
use wasm_bindgen::prelude::*;

/// An entry of the registry, as `explain --format json` prints it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    id: String,
    level: Level,
    assertion: Option<u8>,
    title: String,
    why: String,
    fix: String,
    spec_url: String,
    safety: String,
    transport: String,
    state: String,
    official: Vec<String>,
}

/// Entries of the registry, an array as JSON, with a line each; the only one of an array in full.
///
/// `style` is that of `renderAs`.
#[wasm_bindgen]
pub fn explain(entries: &str, style_text: &str) -> Result<String, JsError> {
    let entries: Vec<Entry> = verdict_model::strict::from_str(entries).map_err(fault)?;
    let look = style(style_text)?;
    let rules = entries
        .into_iter()
        .map(rule)
        .collect::<Result<Vec<_>, _>>()?;
    Ok(match &rules[..] {
        [(rule, state)] => verdict_report::explain_as(rule, *state, &look),
        _ => {
            let rules: Vec<_> = rules.iter().map(|(rule, state)| (rule, *state)).collect();
            verdict_report::explain_all(&rules, &look)
        }
    })
}

/// The registry is compiled into the program, so a rule holds text that lives as long as the module. Here it
/// is told, once or twice in the life of one.
fn rule(entry: Entry) -> Result<(Rule, State), JsError> {
    let told = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let safety = match entry.safety.as_str() {
        "safe" => Safety::Safe,
        "read" => Safety::Read,
        "opt-in" => Safety::OptIn,
        "intrusive" => Safety::Intrusive,
        other => return Err(unknown("safety", other)),
    };
    let scope = match entry.transport.as_str() {
        "http" => Scope::Http,
        "stdio" => Scope::Stdio,
        "both" => Scope::Both,
        other => return Err(unknown("transport", other)),
    };
    let state = match entry.state.as_str() {
        "default" => State::Default,
        "opt-in" => State::OptIn,
        "intrusive" => State::Intrusive,
        "uncheckable" => State::Uncheckable,
        "not-yet" => State::NotYet,
        other => return Err(unknown("state", other)),
    };
    let official: Vec<&'static str> = entry.official.into_iter().map(told).collect();
    let rule = Rule {
        id: told(entry.id),
        level: entry.level,
        assertion: entry.assertion,
        title: told(entry.title),
        why: told(entry.why),
        fix: told(entry.fix),
        spec: told(entry.spec_url),
        safety,
        scope,
        official: Vec::leak(official),
    };
    Ok((rule, state))
}

fn unknown(key: &str, value: &str) -> JsError {
    JsError::new(&format!(
        "the registry has the {key} `{value}`, which this version does not know"
    ))
}
