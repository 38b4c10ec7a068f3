//! A server behind OAuth: who may ask, and the documents that tell a client how to be let in.
//!
//! Tokens are fixed words; nobody issues them. The server is its own authorization server.

use crate::message::{Answer, Channel, Form, Request};
use serde_json::{Value, json};

/// Lets in for everything.
pub(crate) const TOKEN: &str = "ledger-token";
/// The same, for somebody else.
pub(crate) const OTHER_TOKEN: &str = "ledger-token-other";
/// Lets in for everything but calls.
pub(crate) const LOW_SCOPE_TOKEN: &str = "ledger-token-low";
/// Meant for another server.
pub(crate) const FOREIGN_TOKEN: &str = "ledger-token-foreign";

const RESOURCE_METADATA: &str = "/.well-known/oauth-protected-resource/mcp";
const ISSUER_METADATA: &str = "/.well-known/oauth-authorization-server";

/// Whom a request comes from; nobody in particular where there are no tokens.
pub(crate) fn principal(request: &Request) -> String {
    bearer(request).unwrap_or_default()
}

fn bearer(request: &Request) -> Option<String> {
    let value = request.head.text("authorization")?;
    let (scheme, token) = value.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim().to_owned())
}

/// The public documents.
pub(crate) fn document(request: &Request) -> Option<Answer> {
    if request.channel != Channel::Http || request.head.verb != "GET" {
        return None;
    }
    let document = match request.head.path.as_str() {
        RESOURCE_METADATA => json!({
            "resource": address(request, "/mcp"),
            "authorization_servers": [address(request, "")],
            "scopes_supported": ["ledger:read", "ledger:call"],
            "bearer_methods_supported": ["header"]
        }),
        ISSUER_METADATA => json!({
            "issuer": address(request, ""),
            "authorization_endpoint": address(request, "/authorize"),
            "token_endpoint": address(request, "/token"),
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
            "client_id_metadata_document_supported": true
        }),
        _ => return None,
    };
    Some(page(200, &document))
}

/// The refusal of a request that lacks a token, or the right to do what it asks.
pub(crate) fn refuse(request: &Request) -> Option<Answer> {
    let challenge = |rest: &str| {
        let metadata = address(request, RESOURCE_METADATA);
        format!("Bearer {rest}resource_metadata=\"{metadata}\"")
    };
    let (status, error, challenge) = match bearer(request).as_deref() {
        Some(TOKEN | OTHER_TOKEN) => return None,
        Some(LOW_SCOPE_TOKEN) if !request.is("tools/call") => return None,
        Some(LOW_SCOPE_TOKEN) => (
            403,
            "insufficient_scope",
            challenge("error=\"insufficient_scope\", scope=\"ledger:call\", "),
        ),
        Some(_) => (
            401,
            "invalid_token",
            challenge("error=\"invalid_token\", scope=\"ledger:read\", "),
        ),
        None => (401, "unauthorized", challenge("scope=\"ledger:read\", ")),
    };
    let mut answer = page(status, &json!({ "error": error }));
    answer.headers.push(("WWW-Authenticate", challenge));
    Some(answer)
}

fn address(request: &Request, path: &str) -> String {
    let host = request.head.text("host").unwrap_or_default();
    format!("http://{host}{path}")
}

fn page(status: u16, content: &Value) -> Answer {
    Answer {
        form: Form::Page("application/json", content.to_string().into_bytes()),
        ..Answer::empty(status)
    }
}
