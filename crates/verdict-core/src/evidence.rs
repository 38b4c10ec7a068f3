//! Evidence: the exact request and response behind a finding, shortened; secrets are masked in the whole report.

use crate::context::Context;
use crate::record::Record;
use crate::ruling::Finding;
use serde_json::Value;
use std::fmt::Write as _;
use verdict_model::report;
use verdict_model::transcript::Sender;

/// Bytes of a request or response that the report keeps.
const SHOWN: usize = 1_500;
/// Bytes of one message within it.
const SHOWN_MESSAGE: usize = 1_000;

/// The evidence of a finding.
pub(crate) fn of(cx: &Context, finding: &Finding) -> report::Evidence {
    let record = finding.exchange.as_deref().and_then(|name| cx.record(name));
    report::Evidence {
        subject: finding.subject.clone(),
        message: finding.message.clone(),
        pointer: finding.pointer.clone(),
        exchange: finding.exchange.clone(),
        request: record.map(request),
        response: record.map(|record| response(record, finding.pointer.as_deref())),
        location: None,
    }
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
pub(crate) fn canonical(value: &Value, out: &mut String) {
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
