//! Trace context that the server sends in `_meta`: the forms of W3C Trace Context and W3C Baggage.

use super::places;
use crate::check::Check;
use crate::context::Context;
use crate::ruling::{Finding, Ruling};
use crate::settings::is_token_byte;
use crate::wire::json::{cut, shortened};
use serde_json::Value;
use std::collections::BTreeSet;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("meta.trace-format", "Trace context in _meta has the form that W3C gives it")
        .spec("basic#meta")
        .why("Tracing tools drop what they cannot read, so the trace of a request ends at the server.")
        .fix("Send traceparent, tracestate and baggage as the strings that your tracing library writes into HTTP headers.")
        .judge(format),
];

fn format(cx: &Context) -> Ruling {
    let mut seen = 0;
    let mut reported = BTreeSet::new();
    let mut findings = Vec::new();
    for place in places::all(cx) {
        for key in ["traceparent", "tracestate", "baggage"] {
            let Some(value) = place.members.get(key) else {
                continue;
            };
            seen += 1;
            let Some(finding) = fault(key, value) else {
                continue;
            };
            // One finding for each key: every message has another value of the same form.
            if reported.insert((key, finding.weight)) {
                let pointer = format!("{}/{key}", place.pointer);
                findings.push(finding.seen_in(place.record).at(pointer));
            }
        }
    }
    if seen == 0 {
        return Ruling::not_applicable("the server sent no trace context");
    }
    Ruling::of(findings, format!("{seen} values, all well formed"))
}

fn fault(key: &str, value: &Value) -> Option<Finding> {
    let Some(text) = value.as_str() else {
        return Some(Finding::broken(format!(
            "{key} is {}; expected a string",
            shortened(value, 80)
        )));
    };
    let shown = cut(text, 120);
    match key {
        "traceparent" if !is_traceparent(text) => Some(Finding::broken(format!(
            "traceparent is `{shown}`; expected version, trace id, parent id and flags in lower-case hexadecimal, with hyphens between"
        ))),
        "tracestate" if !members(text).all(is_state) => Some(Finding::unproven(format!(
            "tracestate is `{shown}`, which does not read as a list of key=value"
        ))),
        "baggage" if !members(text).all(is_baggage) => Some(Finding::unproven(format!(
            "baggage is `{shown}`, which does not read as a list of key=value with properties"
        ))),
        _ => None,
    }
}

/// Later versions may go on after the flags, with another hyphen.
fn is_traceparent(text: &str) -> bool {
    let hex = |part: &str, length: usize| {
        part.len() == length
            && part
                .bytes()
                .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };
    let id = |part: &str, length: usize| hex(part, length) && part.bytes().any(|byte| byte != b'0');
    let parts: Vec<&str> = text.splitn(5, '-').collect();
    let [version, trace, parent, flags, rest @ ..] = parts.as_slice() else {
        return false;
    };
    hex(version, 2)
        && *version != "ff"
        && id(trace, 32)
        && id(parent, 16)
        && hex(flags, 2)
        && (rest.is_empty() || *version != "00")
}

/// The members of a list; empty ones are legal.
fn members(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(|member| member.trim_matches([' ', '\t']))
        .filter(|member| !member.is_empty())
}

fn is_state(member: &str) -> bool {
    let Some((key, value)) = member.split_once('=') else {
        return false;
    };
    let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let begins = key.bytes().next().is_some_and(letter);
    begins
        && key
            .bytes()
            .all(|byte| letter(byte) || b"_-*/@".contains(&byte))
        && !value.is_empty()
        && value
            .bytes()
            .all(|byte| (b' '..=b'~').contains(&byte) && byte != b'=')
}

fn is_baggage(member: &str) -> bool {
    let pair = |part: &str, needed: bool| {
        let (key, value) = match part.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (part, None),
        };
        let key = key.trim_matches([' ', '\t']);
        let value = value.map(|value| value.trim_matches([' ', '\t']));
        let octet =
            |byte: u8| (b'!'..=b'~').contains(&byte) && !matches!(byte, b'"' | b',' | b';' | b'\\');
        !key.is_empty()
            && key.bytes().all(is_token_byte)
            && value.map_or(!needed, |value| value.bytes().all(octet))
    };
    let mut parts = member.split(';');
    parts.next().is_some_and(|first| pair(first, true))
        && parts.all(|property| pair(property, false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruling::Weight;
    use serde_json::json;

    fn weight(key: &str, value: &Value) -> Option<Weight> {
        fault(key, value).map(|finding| finding.weight)
    }

    #[test]
    fn trace_parents() {
        let good = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
        assert_eq!(weight("traceparent", &json!(good)), None);
        assert_eq!(
            weight(
                "traceparent",
                &json!(good.replacen("00", "01", 1) + "-more")
            ),
            None
        );
        for bad in [
            json!(good.to_uppercase()),
            json!(good.replacen("00", "ff", 1)),
            json!(format!("{good}-more")),
            json!(format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32))),
            json!("x"),
            json!(1),
        ] {
            assert_eq!(weight("traceparent", &bad), Some(Weight::Broken), "{bad}");
        }
    }

    #[test]
    fn states_and_baggage() {
        for good in ["", "a=1", "a=1,,b@v=x y", " a=1 , b/c=2 "] {
            assert_eq!(weight("tracestate", &json!(good)), None, "{good}");
        }
        for good in ["", "a=1", "a = 1 ; p ; q=2 , b=%20", "k="] {
            assert_eq!(weight("baggage", &json!(good)), None, "{good}");
        }
        for (key, bad) in [
            ("tracestate", "A=1"),
            ("tracestate", "a"),
            ("tracestate", "a=b=c"),
            ("baggage", "a"),
            ("baggage", "a=\"x\""),
            ("baggage", "a b=1"),
        ] {
            assert_eq!(weight(key, &json!(bad)), Some(Weight::Unproven), "{bad}");
        }
        assert_eq!(weight("baggage", &json!({})), Some(Weight::Broken));
    }

    #[test]
    fn trace_context_in_answers() {
        use crate::testing::{altered, word};
        let server = verdict_fixture::Server::correct();
        let id = "meta.trace-format";
        assert_eq!(word(&altered(id, &server, true, &[])), "n/a");
        for (value, due) in [("", "met"), ("x", "unproven")] {
            let message = json!({"result": {"_meta": {"baggage": value}}});
            let ruling = altered(id, &server, true, &[("era/discover", 200, message)]);
            assert_eq!(word(&ruling), due, "{ruling:?}");
        }
    }
}
