//! What people and GitHub see of a report, and foreign text made safe.

use crate::fault;
use serde::{Deserialize, Serialize};
use verdict_model::Report;
use verdict_report::{Aside, Format, Style, Verbosity, check_run, markdown, safe};
use wasm_bindgen::prelude::*;

fn report(text: &str) -> Result<Report, JsError> {
    verdict_model::strict::from_str(text).map_err(fault)
}

fn json(value: &impl Serialize) -> Result<String, JsError> {
    serde_json::to_string(value).map_err(fault)
}

/// A report in one of the formats of `--format`, without colour, 100 columns wide.
#[wasm_bindgen]
pub fn render(text: &str, format: &str) -> Result<String, JsError> {
    let format: Format = format.parse().map_err(fault)?;
    let style = Style {
        colour: false,
        width: 100,
        verbosity: Verbosity::Normal,
    };
    Ok(verdict_report::render(&report(text)?, format, &style))
}

/// How the formats for people look; what is left out is as in [`render`].
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Look {
    colour: bool,
    width: usize,
    verbosity: String,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            colour: false,
            width: 100,
            verbosity: "normal".to_owned(),
        }
    }
}

/// A style from JSON: `{ colour, width, verbosity }`, verbosity being `quiet`, `normal` or `verbose`.
pub(crate) fn style(text: &str) -> Result<Style, JsError> {
    let look: Look = verdict_model::strict::from_str(text).map_err(fault)?;
    let verbosity = match look.verbosity.as_str() {
        "quiet" => Verbosity::Quiet,
        "normal" => Verbosity::Normal,
        "verbose" => Verbosity::Verbose,
        other => return Err(JsError::new(&format!("there is no verbosity `{other}`"))),
    };
    Ok(Style {
        colour: look.colour,
        width: look.width,
        verbosity,
    })
}

/// [`render`] for a terminal: `{ colour, width, verbosity }` as JSON.
#[wasm_bindgen(js_name = renderAs)]
pub fn render_as(text: &str, format: &str, look: &str) -> Result<String, JsError> {
    let format: Format = format.parse().map_err(fault)?;
    Ok(verdict_report::render(
        &report(text)?,
        format,
        &style(look)?,
    ))
}

/// The job summary: the report as Markdown, with what stands beside it (`{ notes, link, log }`).
#[wasm_bindgen(js_name = summaryPage)]
pub fn summary_page(text: &str, aside: &str) -> Result<String, JsError> {
    let aside: Aside = verdict_model::strict::from_str(aside).map_err(fault)?;
    Ok(verdict_report::page(
        &report(text)?,
        &aside,
        markdown::SUMMARY_BYTES,
    ))
}

/// The bodies of the requests that begin a check run: `{ create, reopen }`.
#[wasm_bindgen(js_name = beginCheckRun)]
pub fn begin_check_run(publication: &str) -> Result<String, JsError> {
    json(&check_run::begin(
        &verdict_model::strict::from_str(publication).map_err(fault)?,
    ))
}

/// The bodies of the requests that complete a check run: `{ updates, short }`.
#[wasm_bindgen(js_name = completeCheckRun)]
pub fn complete_check_run(text: &str, publication: &str) -> Result<String, JsError> {
    let publication = verdict_model::strict::from_str(publication).map_err(fault)?;
    json(&check_run::complete(&report(text)?, &publication))
}

/// The findings as annotations for a log: workflow commands, worst first.
#[wasm_bindgen]
pub fn annotations(text: &str) -> Result<String, JsError> {
    Ok(verdict_report::annotations(&report(text)?))
}

/// The verdict in one line without any word of the server's.
#[wasm_bindgen]
pub fn sentence(text: &str) -> Result<String, JsError> {
    Ok(check_run::sentence(&report(text)?))
}

/// Foreign text for a log: nothing in it that a terminal or a runner obeys, and each line behind a mark.
#[wasm_bindgen]
pub fn relay(text: &str) -> String {
    safe::terminal_lines(text)
        .map(|line| safe::marked_line(&safe::inert_lines(&line)))
        .collect()
}

/// Text as the data of a workflow command.
#[wasm_bindgen(js_name = workflowData)]
pub fn workflow_data(text: &str) -> String {
    safe::workflow_data(text)
}

/// Text as the value of a property of a workflow command.
#[wasm_bindgen(js_name = workflowProperty)]
pub fn workflow_property(text: &str) -> String {
    safe::workflow_property(text)
}
