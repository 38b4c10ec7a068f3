//! A protected server refuses who has no token, or not the right one, and says so with 401.

use super::door::{DOOR, at_the_door, challenges, found, has_token, parameter, step};
use crate::check::Check;
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::refusal::answered;
use crate::ruling::{Finding, Ruling, Weight};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("auth.challenge-401", "A protected server answers 401 without a token")
        .spec("auth#error-handling")
        .why("Clients begin to authorize on 401; any other answer looks like a broken server.")
        .fix("Answer requests without a valid token with HTTP 401 and a WWW-Authenticate field.")
        .at_the_door()
        .probes(&[&DOOR])
        .judge(challenge),
    Check::must("auth.invalid-token-401", "An invalid token is answered with 401")
        .spec("auth#token-handling")
        .why("A token that is not checked protects nothing; with another status clients do not ask for a new one.")
        .fix("Check signature, issuer, audience and expiry of each token, and answer HTTP 401 when one is wrong.")
        .at_the_door()
        .probes(&[&DOOR])
        .judge(|cx| refused(cx, "invalid", "a request with a token that nobody issued")),
    Check::must("auth.every-request", "Every request needs its own token")
        .spec("auth-sec#access-token-privilege-restriction")
        .why("Proxies share connections between users: who comes second gets the first one's rights.")
        .fix("Check the Authorization field of each request; remember nothing for the connection.")
        .at_the_door()
        .probes(&[&DOOR])
        .judge(every_request),
    Check::must("auth.query-token", "A token in the address is not accepted")
        .opt_in()
        .spec("auth#token-requirements")
        .why("Addresses end up in logs, histories and referrers, and the token with them.")
        .fix("Read tokens from the Authorization field alone.")
        .at_the_door()
        .probes(&[&DOOR])
        .judge(query),
    Check::should("auth.insufficient-scope", "A token without the scope is answered with 403 and what is missing")
        .opt_in()
        .spec("auth#runtime-insufficient-scope-errors")
        .why("Clients ask their user for more rights when they learn which; otherwise the call just fails.")
        .fix("Answer HTTP 403 with WWW-Authenticate: Bearer error=\"insufficient_scope\", scope and resource_metadata.")
        .at_the_door()
        .probes(&[&DOOR])
        .judge(low_scope),
    Check::must("auth.wrong-audience", "A token for another server is refused")
        .opt_in()
        .spec("auth#token-handling")
        .why("Whoever runs another server could use the tokens of its users here.")
        .fix("Compare the audience of each token with your own resource identifier.")
        .at_the_door()
        .probes(&[&DOOR])
        .judge(foreign),
];

fn challenge(cx: &Context) -> Ruling {
    let record = match at_the_door(cx) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let status = record.status().unwrap_or_default();
    if status == 401 {
        return Ruling::met("refused with 401");
    }
    let proven = status < 300 && found(cx, "resource").is_some();
    let weight = if proven {
        Weight::Broken
    } else {
        Weight::Unproven
    };
    let message = format!("a request without a token is refused under HTTP {status}; expected 401");
    Finding::new(weight, message).seen_in(record).into()
}

/// Judges a request that should have been refused with 401.
fn refused(cx: &Context, name: &str, what: &str) -> Ruling {
    if let Err(ruling) = at_the_door(cx) {
        return ruling;
    }
    match served(cx, &format!("auth/{name}")) {
        Err(ruling) => ruling,
        Ok(Some(record)) => Finding::broken(format!("{what} is served; expected HTTP 401"))
            .seen_in(record)
            .into(),
        Ok(None) => match step(cx, name) {
            Some(record) if record.status() != Some(401) => Finding::unproven(format!(
                "{what} is refused with HTTP {}; expected 401",
                record.status().unwrap_or_default()
            ))
            .seen_in(record)
            .into(),
            _ => Ruling::met("refused with 401"),
        },
    }
}

/// The exchange, where it was served; nothing where it was refused.
fn served<'c>(cx: &Context<'c>, name: &str) -> Result<Option<&'c Record>, Ruling> {
    if cx
        .record(name)
        .is_some_and(|record| matches!(record.answer(), Answer::Locked(_)))
    {
        return Ok(None);
    }
    let record = answered(cx, name)?;
    Ok(matches!(record.answer(), Answer::Result(_)).then_some(record))
}

fn every_request(cx: &Context) -> Ruling {
    if let Err(ruling) = at_the_door(cx) {
        return ruling;
    }
    if !has_token(cx) {
        return Ruling::skip("give a token (auth.token) to try this");
    }
    match (served(cx, "auth/with"), served(cx, "auth/without")) {
        (Err(ruling), _) | (_, Err(ruling)) => ruling,
        (Ok(None), _) => Ruling::skip("the token that is configured is refused"),
        (_, Ok(None)) => Ruling::met("refused without a token on the same connection"),
        (_, Ok(Some(record))) => Finding::broken(
            "on a connection that carried a token before, a request without one is served; expected HTTP 401",
        )
        .seen_in(record)
        .into(),
    }
}

fn query(cx: &Context) -> Ruling {
    if cx.settings.token.is_none() || !cx.settings.config.intrusive {
        return Ruling::skip(
            "give a token (auth.token) and --intrusive to try this: the token may show in the server's logs",
        );
    }
    if let Err(ruling) = at_the_door(cx) {
        return ruling;
    }
    match served(cx, "auth/query") {
        Err(ruling) => ruling,
        Ok(None) => Ruling::met("refused"),
        Ok(Some(record)) => {
            Finding::unproven("a token in the query alone is served; expected HTTP 401")
                .seen_in(record)
                .into()
        }
    }
}

fn foreign(cx: &Context) -> Ruling {
    if cx.settings.foreign_token.is_none() {
        return Ruling::skip(
            "give a token that was issued for another server (auth.foreign-token) to try this",
        );
    }
    refused(cx, "foreign", "a token that was issued for another server")
}

fn low_scope(cx: &Context) -> Ruling {
    if cx.settings.low_scope_token.is_none() {
        return Ruling::skip("give a token that lacks a scope (auth.low-scope-token) to try this");
    }
    if let Err(ruling) = at_the_door(cx) {
        return ruling;
    }
    let tried = ["low-call", "low-list"];
    let Some(record) = tried.iter().find_map(|name| step(cx, name)) else {
        return Ruling::skip("not reached");
    };
    let Answer::Locked(status) = record.answer() else {
        return match answered(cx, &record.exchange.name) {
            Err(ruling) => ruling,
            Ok(_) => Ruling::skip(
                "the token is good for all that was tried; name a tool that it is not good for (tools.safe)",
            ),
        };
    };
    let is_bearer = challenges(record).next().is_some();
    let error = parameter(record, "error");
    let parts = [
        ("HTTP 403", status == 403),
        ("WWW-Authenticate", is_bearer),
        (
            "error=\"insufficient_scope\"",
            error == Some("insufficient_scope"),
        ),
        ("scope", parameter(record, "scope").is_some()),
        (
            "resource_metadata",
            parameter(record, "resource_metadata").is_some(),
        ),
    ];
    let missing: Vec<&str> = parts
        .iter()
        .filter(|(_, there)| !there)
        .map(|(part, _)| *part)
        .collect();
    if missing.is_empty() {
        return Ruling::met("refused with 403 and what is missing");
    }
    let message = format!(
        "a token without the scope is refused with HTTP {status}, but without {}",
        missing.join(", ")
    );
    Finding::broken(message).seen_in(record).into()
}

#[cfg(test)]
mod tests {
    use crate::testing::{config, outcomes, report, ruling, shows, word};
    use serde_json::json;
    use verdict_fixture::{Server, Variant};
    use verdict_model::Outcome;

    #[test]
    fn slips_of_a_protected_server() {
        shows(&[
            ("no-token-403", "auth.challenge-401", "warn"),
            ("no-token-200", "auth.challenge-401", "fail"),
            ("any-token", "auth.invalid-token-401", "fail"),
            ("token-once", "auth.every-request", "fail"),
            ("token-in-query", "auth.query-token", "warn"),
            ("scope-refusal-bare", "auth.insufficient-scope", "warn"),
            ("foreign-token", "auth.wrong-audience", "fail"),
        ]);
    }

    #[test]
    fn an_open_server_is_asked_nothing() {
        for id in [
            "auth.challenge-401",
            "auth.invalid-token-401",
            "auth.as-pkce",
        ] {
            assert_eq!(
                word(&ruling(id, &Server::correct(), config(), false)),
                "n/a",
                "{id}"
            );
        }
        let recording = crate::testing::record(
            &Server::correct(),
            &crate::testing::settings(config(), false),
        );
        assert_eq!(recording.series("auth/").count(), 0);
    }

    #[test]
    fn without_a_token_the_door_is_judged_all_the_same() {
        let report = report(&Server::of(Variant::Protected), config(), false);
        let outcomes = outcomes(&report);
        for (id, due) in [
            ("auth.challenge-401", Outcome::Pass),
            ("auth.invalid-token-401", Outcome::Pass),
            ("auth.prm-found", Outcome::Pass),
            ("auth.as-pkce", Outcome::Pass),
            ("auth.every-request", Outcome::Skip),
            ("tools.list-shape", Outcome::Skip),
        ] {
            assert_eq!(outcomes[id], due, "{id}");
        }
        assert_eq!(json!(report.verdict), "none");
    }
}
