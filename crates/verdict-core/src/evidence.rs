//! Evidence: the exact request and response behind a finding, shortened, with secrets masked.

use crate::context::Context;
use crate::record::Record;
use crate::ruling::Finding;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use serde_json::Value;
use std::fmt::Write as _;
use verdict_model::report;
use verdict_model::transcript::Sender;

/// Bytes of a request or response that the report keeps.
const SHOWN: usize = 1_500;
/// Bytes of one message within it.
const SHOWN_MESSAGE: usize = 1_000;

/// Writes evidence with secrets masked.
pub struct Evidence<'c> {
    cx: &'c Context<'c>,
    masked: Vec<String>,
}

impl<'c> Evidence<'c> {
    /// A writer for this run.
    pub fn new(cx: &'c Context<'c>) -> Self {
        Self {
            cx,
            masked: masks(&cx.settings.secrets),
        }
    }

    /// The evidence of a finding.
    pub fn of(&self, finding: &Finding) -> report::Evidence {
        let record = finding
            .exchange
            .as_deref()
            .and_then(|name| self.cx.record(name));
        report::Evidence {
            subject: finding.subject.as_deref().map(|text| self.mask(text)),
            message: self.mask(&finding.message),
            pointer: finding.pointer.clone(),
            exchange: finding.exchange.clone(),
            request: record.map(|record| self.mask(&request(record))),
            response: record.map(|record| self.mask(&response(record, finding.pointer.as_deref()))),
            location: None,
        }
    }

    /// Text with every secret masked, in its plain, Base64 and percent-encoded forms.
    pub fn mask(&self, text: &str) -> String {
        mask(text, &self.masked)
    }
}

/// All forms of the secrets that must not show, longest first.
pub fn masks(secrets: &[String]) -> Vec<String> {
    let mut forms: Vec<String> = secrets
        .iter()
        .flat_map(|secret| {
            let encoded = BASE64_STANDARD.encode(secret);
            let unpadded = encoded.trim_end_matches('=').to_owned();
            let quoted = Value::from(secret.as_str()).to_string();
            let quoted = quoted.trim_matches('"').to_owned();
            let url_safe = BASE64_URL_SAFE_NO_PAD.encode(secret);
            [
                secret.clone(),
                encoded,
                unpadded,
                url_safe,
                percent(secret, false),
                percent(secret, true),
                quoted,
            ]
        })
        .filter(|form| form.len() > 3)
        .collect();
    forms.sort_by(|one, other| other.len().cmp(&one.len()).then(one.cmp(other)));
    forms.dedup();
    forms
}

/// `text` with every form masked.
pub fn mask(text: &str, forms: &[String]) -> String {
    let mut out = text.to_owned();
    for form in forms {
        if out.contains(form.as_str()) {
            out = out.replace(form.as_str(), "***");
        }
    }
    out.replace('\0', "\u{FFFD}")
}

/// Percent-encoded, all but what RFC 3986 calls unreserved.
pub(crate) fn percent(text: &str, lower: bool) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else if lower {
            let _ = write!(out, "%{byte:02x}");
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// What was sent: for HTTP the request line, the MCP fields and the body.
fn request(record: &Record) -> String {
    let mut out = String::new();
    if let Some(http) = &record.exchange.http {
        let _ = writeln!(out, "{} {}", http.verb, http.path);
        for (name, value) in &http.request_headers {
            let credential = ["authorization", "cookie", "proxy-authorization"]
                .iter()
                .any(|field| name.eq_ignore_ascii_case(field));
            let shown = if credential { "***" } else { value.as_str() };
            let _ = writeln!(out, "{name}: {shown}");
        }
    }
    for message in record
        .exchange
        .messages
        .iter()
        .filter(|one| one.from == Sender::Client)
    {
        out.push_str(&crate::wire::json::cut(
            &message.text.as_str(),
            SHOWN_MESSAGE,
        ));
    }
    crate::wire::json::cut(out.trim_end(), SHOWN)
}

/// What came back: for HTTP the status, the telling fields, and the messages.
fn response(record: &Record, pointer: Option<&str>) -> String {
    let mut out = String::new();
    if let Some(http) = &record.exchange.http {
        if let Some(status) = http.status {
            let _ = writeln!(out, "HTTP {status}");
        }
        for (name, value) in &http.headers {
            let lower = name.to_ascii_lowercase();
            let telling = [
                "content-type",
                "location",
                "www-authenticate",
                "allow",
                "retry-after",
                "x-accel-buffering",
            ];
            if telling.contains(&lower.as_str()) || lower.starts_with("mcp-") {
                let _ = writeln!(out, "{name}: {}", crate::wire::json::cut(value, 200));
            }
        }
    }
    let mut replies = 0;
    for (message, parsed) in record.replies() {
        replies += 1;
        if out.len() > SHOWN {
            break;
        }
        // A large answer is shown at the place that the finding points to.
        let place = pointer
            .filter(|_| message.text.len() > SHOWN_MESSAGE)
            .and_then(|pointer| {
                let result = parsed.envelope()?.result.as_ref()?;
                let value = result.pointer(pointer.strip_prefix("/result")?)?;
                Some(format!(
                    "… {pointer}: {}",
                    crate::wire::json::shortened(value, SHOWN_MESSAGE)
                ))
            });
        match place {
            Some(place) => out.push_str(&place),
            None => out.push_str(&crate::wire::json::cut(
                &message.text.as_str(),
                SHOWN_MESSAGE,
            )),
        }
        out.push('\n');
    }
    if replies == 0 {
        let _ = write!(
            out,
            "({})",
            crate::facts::describe_end(&record.exchange.end)
        );
    }
    crate::wire::json::cut(out.trim_end(), SHOWN)
}

/// Writes a value as compact JSON with sorted member names.
pub fn canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            let mut names: Vec<&String> = members.keys().collect();
            names.sort();
            out.push('{');
            for name in names {
                let _ = write!(out, "{}:", Value::from(name.as_str()));
                canonical(&members[name], out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        other => {
            let _ = write!(out, "{other}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_in_every_form() {
        let forms = masks(&["p@ss/word+1".to_owned()]);
        for text in [
            "p@ss/word+1",
            "cEBzcy93b3JkKzE=",
            "p%40ss%2Fword%2B1",
            "p%40ss%2fword%2b1",
        ] {
            assert_eq!(mask(&format!("a {text} b"), &forms), "a *** b");
        }
    }
}
