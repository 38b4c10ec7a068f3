//! Providers of models: requests into their bytes, and their bytes into answers.
//!
//! Pure: the program looks variables of the environment up, moves bytes, waits, and writes each answer down before
//! it is used. A call of a model is
//!
//! ```text
//! ModelId::parse ─► endpoint ─► Offer::new ─► encode ─► (the program) ─► decode ─► Answer
//!                                               ▲                           │
//!                                               └── Quirks ◄── Patience ◄── Fault
//! ```
//!
//! with [`pace::Pace`] saying how many calls may run at once, and [`price`] what they cost.

mod chat_completions;
mod clock;
mod draft;
pub mod fault;
mod gemini;
pub mod http;
mod lazy;
mod messages;
pub mod model;
pub mod names;
pub mod offer;
pub mod pace;
pub mod patience;
pub mod price;
pub mod quirks;
mod responses;
mod schema;
mod spoken;
mod stream;

pub use draft::{CONTEXT_FULL, MALFORMED_CALL};
pub use fault::{Fault, FaultKind, Network};
pub use http::{HttpRequest, HttpResponse, Key};
pub use model::{BadModel, Endpoint, ModelId, Provider, Wire};
pub use names::Names;
pub use offer::Offer;
pub use pace::{Limits, Pace};
pub use patience::{Next, Patience, RetryBudget};
pub use price::Price;
pub use quirks::Quirks;
pub use spoken::call_as_text;

use crate::chat::{Answer, End, Request, Said};
use lazy::Lazy;

/// The request to send. The tools on offer are those of `offer`, which was made of the request's own.
pub fn encode(
    endpoint: &Endpoint,
    request: &Request,
    offer: &Offer,
    quirks: &Quirks,
) -> HttpRequest {
    match endpoint.wire {
        Wire::ChatCompletions => chat_completions::encode(endpoint, request, offer, quirks),
        Wire::Responses => responses::encode(endpoint, request, offer, quirks),
        Wire::Messages => messages::encode(endpoint, request, offer, quirks),
        Wire::Gemini => gemini::encode(endpoint, request, offer, quirks),
    }
}

/// The answer in a response.
///
/// What a model did badly is an answer too: one that was cut off, filtered, refused, empty, or that held a call nobody
/// can read ([`MALFORMED_CALL`]).
///
/// # Errors
/// The fault, with the key taken out of its words.
pub fn decode(
    endpoint: &Endpoint,
    response: &HttpResponse,
    names: &Names,
) -> Result<Answer, Fault> {
    let key = endpoint.key.as_ref();
    read(endpoint.wire, response, names).map_err(|fault| fault.without(key))
}

fn read(wire: Wire, response: &HttpResponse, names: &Names) -> Result<Answer, Fault> {
    if !(200..300).contains(&response.status) {
        return match () {
            () if fault::is_unreadable_call(response) => Ok(told_by_error(
                response,
                End::Other(MALFORMED_CALL.to_owned()),
            )),
            () if fault::is_filter(response) => Ok(told_by_error(response, End::Filtered)),
            () => Err(fault::of_response(response)),
        };
    }
    if response.is_cut {
        return Err(cut());
    }
    match wire {
        Wire::ChatCompletions => chat_completions::decode(response, names),
        Wire::Responses => responses::decode(response, names),
        Wire::Messages => messages::decode(response, names),
        Wire::Gemini => gemini::decode(response, names),
    }
}

fn told_by_error(response: &HttpResponse, end: End) -> Answer {
    Answer {
        said: Said::default(),
        end,
        usage: None,
        model: None,
        fingerprint: None,
        request_id: fault::request_id(response),
    }
}

fn cut() -> Fault {
    Fault::new(FaultKind::Cut, "the answer ended in its midst".to_owned())
}

/// The JSON of a success, unless it tells of an error after all.
fn success<'a>(text: &'a str, response: &HttpResponse) -> Result<Lazy<'a>, Fault> {
    let Some(body) = Lazy::parse(text) else {
        let trimmed = text.trim();
        if trimmed.starts_with('{') && !trimmed.ends_with('}') {
            return Err(cut());
        }
        let shown = fault::safe(trimmed, 80);
        let what = if trimmed.is_empty() {
            "it is empty".to_owned()
        } else {
            format!("it begins with `{shown}`")
        };
        return Err(Fault::new(
            FaultKind::Garbled,
            format!("the answer is not JSON: {what}"),
        ));
    };
    let body = body.items().into_iter().next().unwrap_or(body);
    match body.at("error") {
        Some(error) if error.is_object() => Err(fault::of_inner_error(error, response)),
        _ => Ok(body),
    }
}

fn bearer(endpoint: &Endpoint, http: &mut HttpRequest) {
    if let Some(key) = &endpoint.key {
        http.add("authorization", format!("Bearer {}", key.expose()), true);
    }
}

#[cfg(test)]
mod tests;
