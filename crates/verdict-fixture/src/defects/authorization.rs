//! Faults of a server behind OAuth.

use super::bend::remove;
use super::{Defect, Transport, Variant};
use crate::message::{Answer, Form, Request};
use crate::server::{FOREIGN_TOKEN, LOW_SCOPE_TOKEN, OTHER_TOKEN, TOKEN};
use serde_json::{Value, json};

const ISSUER: &str = "/.well-known/oauth-authorization-server";
const RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";
const CHALLENGE: &str = "WWW-Authenticate";

fn sends(request: &Request, token: &str) -> bool {
    let sent = request.head.text("authorization");
    sent.is_some_and(|sent| sent.strip_prefix("Bearer ") == Some(token))
}

/// Lets a request pass.
fn admit(request: &mut Request) {
    request
        .head
        .set("authorization", &format!("Bearer {TOKEN}"));
}

/// Bends one of the public documents.
fn document(request: &Request, answer: &mut Answer, path: &str, bend: fn(&mut Value)) {
    if request.head.path == path
        && let Form::Page(_, page) = &mut answer.form
        && let Ok(mut content) = serde_json::from_slice(page)
    {
        bend(&mut content);
        *page = content.to_string().into_bytes();
    }
}

fn hide(request: &Request, answer: &mut Answer, path: &str) {
    if request.head.path == path {
        *answer = Answer::page(404, "text/plain", "nothing here\n");
        answer.describe();
    }
}

/// Changes the challenge of a refusal.
fn challenge(answer: &mut Answer, bend: fn(&str) -> String) {
    for (name, value) in &mut answer.headers {
        if *name == CHALLENGE {
            *value = bend(value);
        }
    }
}

const fn guard(
    name: &'static str,
    about: &'static str,
    expect: &'static [(&'static str, &'static str)],
) -> Defect {
    Defect::new(name, about, expect)
        .on(Variant::Protected)
        .over(Transport::Http)
}

pub(super) const DEFECTS: &[Defect] = &[
    guard(
        "no-token-403",
        "refuses a client without a token with status 403",
        &[("auth.challenge-401", "warn"), ("auth.*", "skip")],
    )
    .answer(|request, answer| {
        if answer.status == 401 && !request.head.has("authorization") {
            answer.status = 403;
        }
    }),
    guard(
        "no-token-200",
        "refuses a client without a token with status 200",
        &[("auth.challenge-401", "fail"), ("auth.*", "skip")],
    )
    .answer(|request, answer| {
        if answer.status == 401 && !request.head.has("authorization") {
            answer.status = 200;
        }
    }),
    guard(
        "any-token",
        "lets in whoever has some token",
        &[
            ("auth.invalid-token-401", "fail"),
            ("auth.wrong-audience", "fail"),
        ],
    )
    .request(|request| {
        let is_known = [TOKEN, OTHER_TOKEN, LOW_SCOPE_TOKEN];
        if request.head.has("authorization") && !is_known.iter().any(|one| sends(request, one)) {
            admit(request);
        }
    }),
    guard(
        "token-once",
        "asks for the token once on each connection",
        &[("auth.every-request", "fail")],
    )
    .request(|request| {
        if !request.memory.served.is_empty() && !request.head.has("authorization") {
            admit(request);
        }
    }),
    guard(
        "token-in-query",
        "takes the token from the address",
        &[("auth.query-token", "warn")],
    )
    .request(|request| {
        let query = format!("access_token={TOKEN}");
        if request.head.path.contains(&query) && !request.head.has("authorization") {
            admit(request);
        }
    }),
    guard(
        "resource-metadata-missing",
        "names metadata that are not there",
        &[("auth.prm-found", "fail"), ("auth.*", "skip")],
    )
    .answer(|request, answer| hide(request, answer, RESOURCE)),
    guard(
        "resource-metadata-no-issuer",
        "names no authorization server",
        &[("auth.prm-servers", "fail"), ("auth.*", "skip")],
    )
    .answer(|request, answer| {
        document(request, answer, RESOURCE, |content| {
            content["authorization_servers"] = json!([]);
        });
    }),
    guard(
        "resource-metadata-other",
        "gives metadata of another resource",
        &[("auth.prm-resource", "fail")],
    )
    .answer(|request, answer| {
        document(request, answer, RESOURCE, |content| {
            let resource = content["resource"].as_str().unwrap_or_default();
            content["resource"] = json!(resource.replace("/mcp", "/other"));
        });
    }),
    guard(
        "challenge-without-scope",
        "does not say which scope is needed",
        &[("auth.www-authenticate", "warn")],
    )
    .answer(|_, answer| {
        if answer.status == 401 {
            challenge(answer, |value| value.replace("scope=\"ledger:read\", ", ""));
        }
    }),
    guard(
        "scope-offline-access",
        "lists offline_access among its scopes",
        &[("auth.no-offline-access", "warn")],
    )
    .answer(|request, answer| {
        document(request, answer, RESOURCE, |content| {
            content["scopes_supported"] = json!(["ledger:read", "offline_access"]);
        });
    }),
    guard(
        "issuer-metadata-missing",
        "names an authorization server without metadata",
        &[("auth.as-metadata", "fail"), ("auth.*", "skip")],
    )
    .answer(|request, answer| hide(request, answer, ISSUER)),
    guard(
        "issuer-differs",
        "names another issuer in the metadata",
        &[("auth.as-issuer", "fail")],
    )
    .answer(|request, answer| {
        document(request, answer, ISSUER, |content| {
            let issuer = content["issuer"].as_str().unwrap_or_default();
            content["issuer"] = json!(format!("{issuer}/"));
        });
    }),
    guard(
        "issuer-without-pkce",
        "does not support PKCE",
        &[("auth.as-pkce", "fail")],
    )
    .answer(|request, answer| {
        document(request, answer, ISSUER, |content| {
            content["code_challenge_methods_supported"] = json!(["plain"]);
        });
    }),
    guard(
        "issuer-plain-http",
        "takes tokens over plain HTTP",
        &[("auth.as-https", "fail")],
    )
    .answer(|request, answer| {
        document(request, answer, ISSUER, |content| {
            content["token_endpoint"] = json!("http://login.ledger.example/token");
        });
    }),
    guard(
        "issuer-without-iss",
        "does not name the issuer in its answers",
        &[("auth.as-iss", "warn")],
    )
    .answer(|request, answer| {
        document(request, answer, ISSUER, |content| {
            remove(content, "authorization_response_iss_parameter_supported");
        });
    }),
    guard(
        "issuer-registers-only",
        "knows dynamic registration only",
        &[("auth.as-cimd", "warn"), ("deprecated.dcr", "info")],
    )
    .answer(|request, answer| {
        document(request, answer, ISSUER, |content| {
            remove(content, "client_id_metadata_document_supported");
            let issuer = content["issuer"].as_str().unwrap_or_default();
            content["registration_endpoint"] = json!(format!("{issuer}/register"));
        });
    }),
    guard(
        "scope-refusal-bare",
        "does not say which scope a call needs",
        &[("auth.insufficient-scope", "warn")],
    )
    .answer(|_, answer| {
        if answer.status == 403 {
            challenge(answer, |value| value.replace("scope=\"ledger:call\", ", ""));
        }
    }),
    guard(
        "foreign-token",
        "lets in who has a token for another server",
        &[("auth.wrong-audience", "fail")],
    )
    .request(|request| {
        if sends(request, FOREIGN_TOKEN) {
            admit(request);
        }
    }),
    guard(
        "public-list-by-token",
        "lets everybody keep a list that differs by token",
        &[("cache.public-leak", "warn")],
    )
    .items(|request, items| {
        if request.is("tools/list") && sends(request, OTHER_TOKEN) {
            items.push(json!({
                "name": "audit", "description": "For the other one only.",
                "inputSchema": { "type": "object" }
            }));
        }
    }),
    guard(
        "state-of-anybody",
        "takes the state of one client from another",
        &[("mrtr.state-cross-principal", "warn")],
    )
    .request(|request| {
        if sends(request, OTHER_TOKEN) {
            admit(request);
        }
    }),
];
