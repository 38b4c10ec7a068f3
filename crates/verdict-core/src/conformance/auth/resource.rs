//! The protected resource metadata: where a client learns who gives out tokens for the server.

use super::door::{
    DOOR, at_the_door, bare_path, challenges, documents, found, issuer, parameter, resource_places,
};
use crate::check::Check;
use crate::context::Context;
use crate::facts::describe_end;
use crate::record::{Answer, Record};
use crate::ruling::{Finding, Ruling};
use crate::wire::endpoint::Endpoint;
use crate::wire::json::cut;
use serde_json::{Map, Value};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("auth.prm-found", "The protected resource metadata can be found")
        .spec("auth-disc#protected-resource-metadata-discovery-requirements")
        .why("Without it clients do not know where to get a token.")
        .fix("Serve the metadata (RFC 9728) at /.well-known/oauth-protected-resource followed by the endpoint's path, without credentials, and name its URL as resource_metadata in the challenge.")
        .at_the_door()
        .probes(&[&DOOR])
        .judge(is_found),
    Check::must("auth.prm-servers", "The metadata names an authorization server")
        .spec("auth-disc#authorization-server-location")
        .why("Clients stop where nobody is named who gives out tokens.")
        .fix("Put the issuer's URL into authorization_servers.")
        .at_the_door()
        .probes(&[&DOOR])
        .judge(servers),
    Check::must("auth.prm-resource", "The metadata names this server as its resource")
        .spec("RFC 9728 3.3")
        .why("Clients must not use metadata of another resource: a server could send them to somebody else's login.")
        .fix("Make resource the URL that clients connect to, as they see it from outside.")
        .at_the_door()
        .probes(&[&DOOR])
        .judge(resource),
    Check::should("auth.www-authenticate", "The 401 says how to get a token")
        .spec("auth#scope-selection-strategy")
        .why("A client that does not learn the scope asks for all there are, or for too few.")
        .fix("Send WWW-Authenticate: Bearer with resource_metadata and the scope that the request needs.")
        .at_the_door()
        .probes(&[&DOOR])
        .judge(challenge),
    Check::should("auth.no-offline-access", "The server does not ask for offline_access")
        .spec("auth#refresh-tokens")
        .why("Refresh tokens are between client and authorization server; a server that asks for the scope gets its users asked for more than it needs.")
        .fix("Leave offline_access out of the challenge and of scopes_supported.")
        .at_the_door()
        .probes(&[&DOOR])
        .judge(offline),
];

/// Why a document was not there, in words; nothing where it is not the server's fault.
pub(super) fn unread(record: &Record) -> Result<String, Ruling> {
    let url = record.exchange.http.as_ref().map_or("", |http| &http.path);
    match record.answer() {
        Answer::Nothing(end) => Err(Ruling::skip(format!(
            "{url} could not be read from here: the host {}",
            describe_end(end)
        ))),
        Answer::Busy(_) | Answer::Fault(_) => Err(Ruling::skip(format!(
            "{url} answers HTTP {}",
            record.status().unwrap_or_default()
        ))),
        _ if record.status() == Some(200) => Ok(format!("{url} holds no JSON object")),
        _ => Ok(format!(
            "{url} answers HTTP {}",
            record.status().unwrap_or_default()
        )),
    }
}

fn is_found(cx: &Context) -> Ruling {
    let refused = match at_the_door(cx) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let (named, _) = resource_places(cx, refused);
    if let Some((record, _)) = found(cx, "resource") {
        let url = record.exchange.http.as_ref().map_or("", |http| &http.path);
        return Ruling::met(format!("found at {url}"));
    }
    let Some(last) = documents(cx, "resource").last() else {
        return match named {
            Some(url) => Finding::broken(format!(
                "the challenge names `{}` as resource_metadata, which is no URL",
                cut(url, 200)
            ))
            .seen_in(refused)
            .into(),
            None => Ruling::skip("not reached"),
        };
    };
    let why = match unread(last) {
        Ok(why) => why,
        Err(ruling) => return ruling,
    };
    let moved = matches!(last.status(), Some(300..=399));
    let finding = match named {
        Some(_) if moved => Finding::unproven(format!(
            "the resource_metadata of the challenge is redirected, which was not followed: {why}"
        )),
        Some(_) => Finding::broken(format!(
            "the resource_metadata that the challenge names cannot be read: {why}"
        )),
        None => Finding::unproven(format!(
            "neither does the challenge name resource_metadata, nor is there a well-known document ({why}); with a scheme of its own a server owes none"
        )),
    };
    finding.seen_in(last).into()
}

/// The metadata; a ruling where there is none.
pub(super) fn metadata<'c>(
    cx: &Context<'c>,
) -> Result<(&'c Record, &'c Map<String, Value>), Ruling> {
    let refused = at_the_door(cx)?;
    found(cx, "resource").ok_or_else(|| match resource_places(cx, refused).0 {
        None if documents(cx, "resource").next().is_some() => Ruling::not_applicable(
            "the server names no resource metadata; it may have a scheme of its own",
        ),
        _ => Ruling::skip("the resource metadata could not be read (auth.prm-found)"),
    })
}

fn servers(cx: &Context) -> Ruling {
    let (record, _) = match metadata(cx) {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    match issuer(cx).map(Endpoint::parse) {
        Some(Ok(_)) => Ruling::met("an authorization server is named"),
        _ => Finding::broken("authorization_servers names no URL; expected at least one")
            .seen_in(record)
            .at("/authorization_servers")
            .into(),
    }
}

/// Hosts that lead to a server elsewhere.
const TUNNELS: [&str; 6] = [
    ".ngrok.io",
    ".ngrok.app",
    ".ngrok-free.app",
    ".trycloudflare.com",
    ".loca.lt",
    ".devtunnels.ms",
];

fn resource(cx: &Context) -> Ruling {
    let (record, metadata) = match metadata(cx) {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let Some(own) = cx.endpoint() else {
        return Ruling::skip("no endpoint");
    };
    match compare(own, metadata.get("resource").and_then(Value::as_str)) {
        None => Ruling::met("resource is the endpoint"),
        Some(finding) => finding.seen_in(record).at("/resource").into(),
    }
}

/// Whether the resource that is named is the endpoint, as leniently as people write it.
fn compare(own: &Endpoint, given: Option<&str>) -> Option<Finding> {
    let named = given.and_then(|given| Endpoint::parse(given).ok());
    let message = format!(
        "resource is `{}`; expected `{}`",
        cut(given.unwrap_or("missing"), 200),
        own.url()
    );
    Some(match named {
        Some(named) if named.same_origin(own) => {
            let (theirs, ours) = (bare_path(&named), bare_path(own));
            if theirs == ours {
                return None;
            }
            match ours.strip_prefix(theirs) {
                Some(rest) if rest.starts_with('/') => {
                    Finding::unproven(format!("{message}: it is a parent of the endpoint"))
                }
                _ => Finding::broken(message),
            }
        }
        Some(_) if own.is_private() || TUNNELS.iter().any(|end| own.host.ends_with(end)) => {
            Finding::unproven(format!("{message}; seen from outside it may be right"))
        }
        None | Some(_) => Finding::broken(message),
    })
}

fn challenge(cx: &Context) -> Ruling {
    let (_, metadata) = match metadata(cx) {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let refused = match at_the_door(cx) {
        Ok(record) if record.status() == Some(401) => record,
        Ok(_) => return Ruling::skip("the server does not answer 401 (auth.challenge-401)"),
        Err(ruling) => return ruling,
    };
    let bearer = |value: &str| {
        let mut parts = value.split([',', ' ']);
        parts.any(|part| part.eq_ignore_ascii_case("bearer"))
    };
    let scopes = metadata.get("scopes_supported").and_then(Value::as_array);
    let finding = if !challenges(refused).any(bearer) {
        Finding::broken("the 401 has no Bearer challenge in WWW-Authenticate")
    } else if parameter(refused, "scope").is_some() {
        return Ruling::met("a Bearer challenge with a scope");
    } else if scopes.is_some_and(|scopes| !scopes.is_empty()) {
        Finding::broken("the challenge names no scope, although the metadata list scopes")
    } else {
        Finding::noted("the challenge names no scope")
    };
    finding.seen_in(refused).into()
}

fn offline(cx: &Context) -> Ruling {
    const SCOPE: &str = "offline_access";
    let (record, metadata) = match metadata(cx) {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let listed = metadata.get("scopes_supported").and_then(Value::as_array);
    if listed.is_some_and(|scopes| scopes.iter().any(|scope| scope == SCOPE)) {
        return Finding::broken("scopes_supported lists offline_access")
            .seen_in(record)
            .at("/scopes_supported")
            .into();
    }
    match at_the_door(cx) {
        Ok(refused)
            if parameter(refused, "scope")
                .is_some_and(|scope| scope.split(' ').any(|one| one == SCOPE)) =>
        {
            Finding::broken("the challenge asks for offline_access")
                .seen_in(refused)
                .into()
        }
        _ => Ruling::met("it is not asked for"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruling::Weight;
    use crate::testing::shows;

    #[test]
    fn slips_of_the_metadata() {
        shows(&[
            ("resource-metadata-missing", "auth.prm-found", "fail"),
            ("resource-metadata-no-issuer", "auth.prm-servers", "fail"),
            ("resource-metadata-other", "auth.prm-resource", "fail"),
            ("challenge-without-scope", "auth.www-authenticate", "warn"),
            ("scope-offline-access", "auth.no-offline-access", "warn"),
        ]);
    }

    #[test]
    fn the_resource_is_compared_as_people_write_it() {
        let weight = |own: &str, given| {
            let own = Endpoint::parse(own).expect("a URL");
            compare(&own, given).map(|finding| finding.weight)
        };
        let own = "https://mcp.ledger.example/mcp";
        for (resource, due) in [
            ("https://mcp.ledger.example/mcp/", None),
            ("https://MCP.ledger.example:443/mcp", None),
            ("https://mcp.ledger.example/", Some(Weight::Unproven)),
            ("https://mcp.ledger.example/m", Some(Weight::Broken)),
            ("https://other.example/mcp", Some(Weight::Broken)),
            ("mcp", Some(Weight::Broken)),
        ] {
            assert_eq!(weight(own, Some(resource)), due, "{resource}");
        }
        assert_eq!(weight(own, None), Some(Weight::Broken));
        let local = weight("http://127.0.0.1:1/mcp", Some(own));
        assert_eq!(local, Some(Weight::Unproven));
    }
}
