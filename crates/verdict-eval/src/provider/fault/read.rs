//! Reads a fault out of an answer: status, header fields, and whatever the body says.

use super::{Fault, FaultKind, safe};
use crate::provider::clock;
use crate::provider::http::HttpResponse;
use crate::provider::lazy::Lazy;

/// Parameters that a request can do without. What a provider refuses beyond these is a refused request.
const SPARE: &[&str] = &[
    "temperature",
    "seed",
    "include",
    "store",
    "max_completion_tokens",
    "max_tokens",
];

/// What an error says, from wherever it says it.
#[derive(Default)]
struct Words {
    message: String,
    /// Type, code, status and reason, in lower case.
    marks: Vec<String>,
    parameter: Option<String>,
    /// Milliseconds, from Gemini's `RetryInfo`.
    retry_ms: Option<u64>,
    is_daily: bool,
    has_overflow: bool,
    is_json: bool,
}

impl Words {
    fn marked(&self, marks: &[&str]) -> bool {
        self.marks.iter().any(|mark| marks.contains(&mark.as_str()))
    }

    fn says(&self, words: &[&str]) -> bool {
        let message = self.message.to_lowercase();
        words.iter().any(|word| message.contains(word))
    }
}

/// The fault that an answer with an error's status tells of.
pub(crate) fn of_response(response: &HttpResponse) -> Fault {
    let text = response.text();
    let words = match Lazy::parse(&text) {
        Some(body) => read(body),
        None => Words {
            message: safe(&plain(&text), 200),
            ..Words::default()
        },
    };
    let wait = wait(response, &words);
    build(response.status, &words, wait, Some(response))
}

/// The fault that the `error` inside an answer with another status tells of.
pub(crate) fn of_body(error: Lazy<'_>, response: &HttpResponse) -> Fault {
    let mut words = Words::default();
    read_error(error, &mut words);
    let code = error.code_at("code").and_then(|code| code.parse().ok());
    let code = code.filter(|code| (400..600).contains(code));
    // Without a status the mark tells whether the request or the provider is at fault.
    let is_ours = words.marked(&["invalid_request_error", "invalid_prompt"]);
    let status = code.unwrap_or(if is_ours { 400 } else { 500 });
    let wait = wait(response, &words);
    build(status, &words, wait, Some(response))
}

fn build(status: u16, words: &Words, wait: Option<u64>, response: Option<&HttpResponse>) -> Fault {
    let kind = kind(status, words, wait);
    let told = if words.message.is_empty() {
        "it gave no reason".to_owned()
    } else {
        safe(&words.message, 300)
    };
    let what = match &kind {
        FaultKind::Busy { .. } => "the provider is busy",
        FaultKind::Quota => "the provider's account has no money or quota left",
        FaultKind::Auth => "the provider refused the key",
        FaultKind::UnknownModel => "the provider has no such model",
        FaultKind::NoRoute => "nothing is served at this address: look at the base URL",
        FaultKind::ParameterRefused { .. } => "the model refused a parameter",
        FaultKind::RequestRefused if words.says(&["/v1/responses"]) => {
            "the model calls tools on Responses alone, so write `openai:NAME`"
        }
        FaultKind::RequestRefused => "the provider refused the request",
        FaultKind::TooLong => "the conversation does not fit the model's context",
        FaultKind::Outage { .. } => "the provider failed",
        FaultKind::Garbled | FaultKind::Cut | FaultKind::Network(_) => "the answer cannot be read",
    };
    let mut fault = Fault::new(kind, format!("{what} ({status}): {told}"));
    fault.status = Some(status);
    if let Some(response) = response {
        fault.request_id = request_id(response);
        fault.should_retry = match response.header("x-should-retry") {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => None,
        };
    }
    fault
}

/// The provider's id of a request.
pub(crate) fn request_id(response: &HttpResponse) -> Option<String> {
    let names = ["x-request-id", "request-id"];
    let id = names.iter().find_map(|name| response.header(name))?;
    Some(safe(id, 100)).filter(|id| !id.is_empty())
}

fn kind(status: u16, words: &Words, wait: Option<u64>) -> FaultKind {
    if is_quota(status, words) {
        return FaultKind::Quota;
    }
    if is_too_long(status, words) {
        return FaultKind::TooLong;
    }
    if words.marked(&[
        "overloaded_error",
        "rate_limit_error",
        "rate_limit_exceeded",
    ]) {
        return FaultKind::Busy {
            retry_after_ms: wait,
        };
    }
    match status {
        401 | 403 => FaultKind::Auth,
        400 | 422 if words.marked(&["api_key_invalid", "authentication_error"]) => FaultKind::Auth,
        404 | 400 | 422 if is_unknown_model(status, words) => FaultKind::UnknownModel,
        300..400 | 404 | 405 | 410 => FaultKind::NoRoute,
        429 | 529 => FaultKind::Busy {
            retry_after_ms: wait,
        },
        503 if words.says(&["overload"]) => FaultKind::Busy {
            retry_after_ms: wait,
        },
        408 | 409 | 425 | 500.. => FaultKind::Outage {
            retry_after_ms: wait,
        },
        400 | 422 => match refused_parameter(words) {
            Some(parameter) => FaultKind::ParameterRefused { parameter },
            None => FaultKind::RequestRefused,
        },
        _ => FaultKind::RequestRefused,
    }
}

fn is_quota(status: u16, words: &Words) -> bool {
    let marks = [
        "insufficient_quota",
        "credit_balance_exhausted",
        "billing_hard_limit_reached",
        "billing_not_active",
        "billing_error",
        "enforced_spend_limit_reached",
    ];
    status == 402
        || words.is_daily
        || words.marked(&marks)
        || (status == 400 && words.says(&["credit balance is too low"]))
}

fn is_too_long(status: u16, words: &Words) -> bool {
    let marks = [
        "context_length_exceeded",
        "exceed_context_size_error",
        "request_too_large",
    ];
    let phrases = [
        "prompt is too long",
        "prompt has",
        "maximum context length",
        "context window",
        "context size",
        "input token count",
        "tokens in the messages exceed",
    ];
    status == 413
        || words.has_overflow
        || words.marked(&marks)
        || (matches!(status, 400 | 422) && words.says(&phrases))
}

fn is_unknown_model(status: u16, words: &Words) -> bool {
    words.marked(&["model_not_found", "unknown_model", "model_not_available"])
        || words.says(&["invalid model name"])
        || (status == 404
            && words.is_json
            && words.says(&["model"])
            && words.says(&["not found", "not exist", "unknown", "no such", "model:"]))
}

/// The parameter that is refused, where the request can do without it.
fn refused_parameter(words: &Words) -> Option<String> {
    let named = words
        .parameter
        .as_deref()
        .map(|name| name.split(['.', '[']).next().unwrap_or(name));
    if let Some(name) = named.filter(|name| SPARE.contains(name)) {
        return Some(name.to_owned());
    }
    // Said without the parameter's name, and by proxies without `param`.
    if words.says(&["encrypted content is not supported"]) {
        return Some("include".to_owned());
    }
    let refusals = [
        "not support",
        "unsupported",
        "deprecated",
        "not permitted",
        "not allowed",
        "only the default",
        "unknown name",
        "unrecognized",
        "unexpected",
        "extra inputs",
        "not enabled",
    ];
    if !words.says(&refusals) {
        return None;
    }
    let message = words.message.to_lowercase();
    let is_named = |name: &&&str| {
        message.match_indices(**name).any(|(at, _)| {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            let before = message[..at].chars().next_back();
            let after = message[at + name.len()..].chars().next();
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
    };
    SPARE.iter().find(is_named).map(|name| (*name).to_owned())
}

fn wait(response: &HttpResponse, words: &Words) -> Option<u64> {
    let ms = response.header("retry-after-ms");
    let ms = ms.and_then(|value| clock::duration(&format!("{value}ms")));
    let plain = response.header("retry-after");
    ms.or_else(|| clock::retry_after(plain?, response.at))
        .or(words.retry_ms)
}

fn read(body: Lazy<'_>) -> Words {
    let mut words = Words {
        is_json: true,
        ..Words::default()
    };
    let first = body.items().into_iter().next();
    let body = first.unwrap_or(body);
    match body.at("error") {
        Some(error) if error.is_object() => read_error(error, &mut words),
        Some(error) => words.message = error.text().unwrap_or_default(),
        // FastAPI and others say `detail` or `message`.
        None => {
            let detail = body.at("detail").map(Lazy::arguments);
            words.message = body.text_at("message").or(detail).unwrap_or_default();
        }
    }
    words
}

fn read_error(error: Lazy<'_>, words: &mut Words) {
    words.is_json = true;
    words.message = error.text_at("message").unwrap_or_default();
    words.parameter = error.text_at("param");
    words.has_overflow = error.at("n_prompt_tokens").is_some() && error.at("n_ctx").is_some();
    for key in ["type", "code", "status"] {
        words
            .marks
            .extend(error.code_at(key).map(|mark| mark.to_lowercase()));
    }
    if let Some(inner) = error.at("innererror") {
        words
            .marks
            .extend(inner.code_at("code").map(|mark| mark.to_lowercase()));
    }
    for detail in error.at("details").map(Lazy::items).unwrap_or_default() {
        words
            .marks
            .extend(detail.text_at("reason").map(|mark| mark.to_lowercase()));
        if let Some(delay) = detail.text_at("retryDelay") {
            words.retry_ms = clock::duration(&delay);
        }
        for violation in detail.at("violations").map(Lazy::items).unwrap_or_default() {
            let id = violation.text_at("quotaId").unwrap_or_default();
            words.is_daily |= id.contains("PerDay");
        }
    }
}

/// What a page or a plain text says, without its markup.
fn plain(text: &str) -> String {
    if !text.trim_start().starts_with('<') {
        return text.chars().take(2000).collect();
    }
    let start = text.find("<title>").map(|at| at + "<title>".len());
    let title = start.and_then(|start| {
        let rest = &text[start..];
        rest.find("</title>").map(|end| &rest[..end])
    });
    match title {
        Some(title) => format!("a page of HTML, \"{}\"", safe(title, 100)),
        None => "a page of HTML".to_owned(),
    }
}

/// Whether an error is the provider's filter taking the prompt away: an answer of its own kind, and no fault.
pub(crate) fn is_filter(response: &HttpResponse) -> bool {
    let text = response.text();
    Lazy::parse(&text).is_some_and(|body| {
        let words = read(body);
        matches!(response.status, 400 | 403)
            && words.marked(&[
                "content_filter",
                "responsibleaipolicyviolation",
                "content_policy_violation",
            ])
    })
}

/// Whether an error says that the model wrote a call which the server could not read: a failed answer, and no outage.
pub(crate) fn is_unreadable_call(response: &HttpResponse) -> bool {
    let text = response.text();
    response.status == 500
        && Lazy::parse(&text).is_some_and(|body| {
            read(body).says(&[
                "output that does not match the expected",
                "failed to parse input at pos",
            ])
        })
}
