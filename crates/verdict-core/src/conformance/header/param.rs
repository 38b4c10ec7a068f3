//! `Mcp-Param` fields: what they are tried on, and the conversation of the checks in `param_rules`.
//!
//! Every step calls a tool, so only tools are used that the configuration lets be called (B.2). A call
//! without fault comes first: where that fails, a refusal would prove nothing.

use super::name::bad_alphabet;
use crate::ask::{Ask, Probe, Stage, sentinel};
use crate::context::Context;
use crate::facts::{Declared, List};
use crate::record::{Answer, Record};
use crate::refusal::answered;
use crate::ruling::Ruling;
use crate::{arguments, calling};
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD};
use calling::{Mirrored, Primitive};
use serde_json::{Map, Value, json};

/// Calls tools that mirror a parameter, with the field missing, wrong, encoded or oddly written.
pub(crate) const PARAM: Probe = Probe {
    name: "header.param",
    stage: Stage::Main,
    next: param,
};

/// The kind of parameter that a check needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Whatever there is, texts first.
    Any,
    /// A text.
    Text,
    /// An integer.
    Integer,
    /// One that may be left out.
    Optional,
}

/// A call that mirrors a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Case<'c> {
    /// The tool.
    pub(super) tool: &'c Value,
    /// Valid arguments, the parameter among them.
    pub(super) arguments: Map<String, Value>,
    /// The parameter.
    pub(super) param: Mirrored<'c>,
    /// Its value as a field carries it, before it is encoded.
    pub(super) value: String,
}

impl Need {
    const ALL: [Self; 4] = [Self::Any, Self::Text, Self::Integer, Self::Optional];

    /// The step of the call without fault.
    pub(super) fn control(self) -> &'static str {
        match self {
            Self::Any => "control",
            Self::Text => "control-text",
            Self::Integer => "control-integer",
            Self::Optional => "control-optional",
        }
    }

    fn suits(self, param: &Mirrored) -> bool {
        match self {
            Self::Any => true,
            Self::Text => param.primitive == Primitive::Text,
            Self::Integer => param.primitive == Primitive::Integer,
            Self::Optional => param.optional,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Any => "a parameter",
            Self::Text => "a text",
            Self::Integer => "an integer",
            Self::Optional => "a parameter that may be left out",
        }
    }
}

impl Case<'_> {
    /// The name of the tool.
    pub(super) fn name(&self) -> &str {
        self.tool.get("name").and_then(Value::as_str).unwrap_or("?")
    }

    /// The call, without fault.
    pub(super) fn ask(&self, step: &str) -> Ask {
        calling::call(step, self.tool, &self.arguments).once()
    }

    /// The call with another value for the parameter, mirrored as it should be.
    pub(super) fn with(&self, step: &str, value: Option<Value>) -> Option<Ask> {
        let arguments = self.param.replaced(&self.arguments, value)?;
        Some(calling::call(step, self.tool, &arguments).once().faulty())
    }

    /// Whether a text may take the place of the parameter's value, as far as the schema tells.
    pub(super) fn takes(&self, text: &str) -> bool {
        let schema = &self.param.schema;
        let limited = [
            "enum", "const", "pattern", "format", "allOf", "anyOf", "oneOf", "not", "$ref",
        ];
        let length = text.len() as u64;
        let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
        !limited.iter().any(|keyword| schema.get(keyword).is_some())
            && bound("minLength").is_none_or(|least| length >= least)
            && bound("maxLength").is_none_or(|most| length <= most)
    }
}

/// Looks like Base64, but has no markers.
pub(super) const LITERAL: &str = "SGVsbG8=";
/// Has the first marker, but not the second.
pub(super) const PREFIX_ONLY: &str = "=?base64?SGVsbG8=";

/// What a need is tried on.
///
/// # Errors
/// The [`Ruling`] of the checks that need it.
pub(super) fn case<'c>(cx: &Context<'c>, need: Need) -> Result<Case<'c>, Ruling> {
    if cx.facts.declares("tools") == Declared::No {
        return Err(Ruling::not_applicable("the server does not declare tools"));
    }
    let suited = |tool: &'c Value| -> Vec<Mirrored<'c>> {
        let mut params = calling::mirrored(tool);
        params.retain(|param| need.suits(param));
        params.sort_by_key(|param| param.primitive != Primitive::Text);
        params
    };
    let (mut forbidden, mut why) = (None, None);
    for item in cx.facts.items(List::Tools) {
        let params = suited(item.value);
        if params.is_empty() {
            continue;
        }
        if !calling::may_call(cx, item.value) {
            forbidden = forbidden.or(Some(item.name().to_owned()));
            continue;
        }
        for param in params {
            match with_value(cx, item.value, param) {
                Ok(case) => return Ok(case),
                Err(reason) => why = why.or(Some((item.name().to_owned(), reason))),
            }
        }
    }
    Err(match (why, forbidden) {
        (Some((tool, reason)), _) => Ruling::skip(format!(
            "no arguments for {tool}: {reason}; give some (tools.arguments)"
        )),
        (None, Some(tool)) => Ruling::skip(format!(
            "{}; {tool} mirrors {}",
            calling::NAME_A_TOOL,
            need.words()
        )),
        (None, None) => Ruling::not_applicable(format!(
            "no tool mirrors {} in a header field",
            need.words()
        )),
    })
}

fn with_value<'c>(cx: &Context, tool: &'c Value, param: Mirrored<'c>) -> Result<Case<'c>, String> {
    let mut arguments = arguments::for_tool(cx, tool)?;
    if param.value(&arguments).is_none_or(Value::is_null) {
        let root = tool.get("inputSchema").unwrap_or(&Value::Null);
        let value = arguments::value(root, param.schema)?;
        arguments = param
            .replaced(&arguments, Some(value))
            .ok_or("the mirrored parameter is inside of another one that is left out")?;
    }
    let value = param.value(&arguments).and_then(calling::text);
    match value.filter(|value| !value.is_empty()) {
        Some(value) => Ok(Case {
            tool,
            arguments,
            param,
            value,
        }),
        None => Err("the mirrored parameter has no value that a header can hold".to_owned()),
    }
}

/// A case whose call without fault went well.
///
/// # Errors
/// The [`Ruling`] of the checks that need it.
pub(super) fn judged<'c>(cx: &Context<'c>, need: Need) -> Result<Case<'c>, Ruling> {
    let case = case(cx, need)?;
    let record = answered(cx, &format!("{}/{}", PARAM.name, need.control()))?;
    if went_well(record) {
        return Ok(case);
    }
    Err(Ruling::skip(format!(
        "{} refuses its arguments also without a fault; give valid ones (tools.arguments)",
        case.name()
    )))
}

/// Whether a tool ran and did not report a failure.
pub(super) fn went_well(record: &Record) -> bool {
    record
        .result()
        .is_some_and(|result| result.get("isError") != Some(&json!(true)))
}

fn param(cx: &Context, round: usize) -> Vec<Ask> {
    if !cx.is_http() {
        return vec![];
    }
    match round {
        0 => Need::ALL
            .into_iter()
            .filter_map(|need| Some(case(cx, need).ok()?.ask(need.control())))
            .collect(),
        1 => Need::ALL
            .into_iter()
            .filter_map(|need| judged(cx, need).ok().map(|case| faults(need, &case)))
            .flatten()
            .collect(),
        _ => vec![],
    }
}

fn faults(need: Need, case: &Case) -> Vec<Ask> {
    let field = case.param.field();
    let ask = |step: &str, value: &str| case.ask(step).header(&field, value).faulty();
    match need {
        Need::Any => {
            let encoded = BASE64_STANDARD.encode(&case.value);
            let odd = format!("mcp-param-{}", case.param.header.to_ascii_uppercase());
            let mut asks = vec![
                case.ask("missing").without_header(&field).faulty(),
                ask("other", &other_value(case)),
                ask("encoded", &sentinel(&case.value)),
                ask("bad-alphabet", &bad_alphabet(&case.value)),
                case.ask("odd-case")
                    .header(&odd, &crate::ask::header_value(&case.value))
                    .faulty(),
            ];
            if encoded.ends_with('=') {
                let unpadded = BASE64_STANDARD_NO_PAD.encode(&case.value);
                asks.push(ask("unpadded", &format!("=?base64?{unpadded}?=")));
            }
            asks
        }
        Need::Text => [("literal", LITERAL), ("prefix-only", PREFIX_ONLY)]
            .into_iter()
            .filter(|(_, text)| case.takes(text))
            .filter_map(|(step, text)| case.with(step, Some(json!(text))))
            .collect(),
        Need::Integer => vec![ask("decimal", &format!("{}.0", case.value))],
        Need::Optional => [("null", Some(Value::Null)), ("absent", None)]
            .into_iter()
            .filter_map(|(step, value)| case.with(step, value))
            .collect(),
    }
}

/// A value of the same type that the body does not hold.
fn other_value(case: &Case) -> String {
    match case.param.primitive {
        Primitive::Text => format!("{}-other", case.value),
        Primitive::Integer => match case.value.as_str() {
            "7" => "8".to_owned(),
            _ => "7".to_owned(),
        },
        Primitive::Boolean => (case.value != "true").to_string(),
    }
}

/// What came of a step, for checks of calls that must run.
///
/// # Errors
/// The [`Ruling`] for a step that was not answered.
pub(super) fn step<'c>(cx: &Context<'c>, step: &str) -> Result<(&'c Record, Answer<'c>), Ruling> {
    let record = answered(cx, &format!("{}/{step}", PARAM.name))?;
    Ok((record, record.answer()))
}
