//! The authorization server's own metadata, as far as the clients of MCP depend on them.

use super::door::{DOOR, documents, found, issuer};
use super::resource::{metadata, unread};
use crate::check::Check;
use crate::context::Context;
use crate::record::Record;
use crate::ruling::{Finding, Ruling};
use crate::wire::endpoint::Endpoint;
use crate::wire::json::cut;
use serde_json::{Map, Value, json};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("auth.as-metadata", "The authorization server publishes its metadata")
        .spec("auth-disc#authorization-server-metadata-discovery")
        .why("Clients cannot find the login.")
        .fix("Serve RFC 8414 metadata, or an OpenID configuration, at the well-known path of the issuer that authorization_servers names.")
        .at_the_door()
        .probes(&[&DOOR])
        .judge(is_found),
    Check::must("auth.as-issuer", "The metadata's issuer is the identifier that was used")
        .spec("auth-disc#authorization-server-metadata-discovery")
        .why("Clients must drop metadata of another issuer; to the letter, a closing slash included.")
        .fix("Write the same string into issuer and into authorization_servers.")
        .at_the_door()
        .probes(&[&DOOR])
        .judge(same_issuer),
    Check::must("auth.as-pkce", "The authorization server supports S256")
        .spec("auth-sec#authorization-code-protection")
        .why("Clients must stop when code_challenge_methods_supported does not list S256.")
        .fix("Turn PKCE with S256 on, and list it in code_challenge_methods_supported.")
        .at_the_door()
        .probes(&[&DOOR])
        .judge(pkce),
    Check::must("auth.as-https", "The authorization server's endpoints use https")
        .spec("auth-sec#communication-security")
        .why("Codes and tokens can be read on the way.")
        .fix("Publish https addresses.")
        .at_the_door()
        .probes(&[&DOOR])
        .judge(https),
    Check::should("auth.as-iss", "The authorization server announces the iss parameter")
        .spec("auth#authorization-response-validation")
        .why("With several authorization servers a client cannot tell whose answer it got.")
        .fix("Send iss in authorization responses (RFC 9207) and announce authorization_response_iss_parameter_supported.")
        .at_the_door()
        .probes(&[&DOOR])
        .judge(iss),
    Check::should("auth.as-cimd", "The authorization server supports client id metadata documents")
        .spec("auth-reg#client-id-metadata-documents")
        .why("Clients that nobody registered by hand have no other way that will stay.")
        .fix("Turn client id metadata documents on, and announce client_id_metadata_document_supported.")
        .at_the_door()
        .probes(&[&DOOR])
        .judge(cimd),
];

type Document<'c> = (&'c Record, &'c Map<String, Value>);

/// The metadata of the authorization server; a ruling where there are none.
pub(crate) fn published<'c>(cx: &Context<'c>) -> Result<Document<'c>, Ruling> {
    metadata(cx)?;
    found(cx, "issuer").ok_or_else(|| {
        Ruling::skip("no metadata of an authorization server were found (auth.as-metadata)")
    })
}

/// Whether a member of the metadata is true.
pub(crate) fn is_set(metadata: &Map<String, Value>, member: &str) -> bool {
    metadata.get(member) == Some(&json!(true))
}

/// Whether client id metadata documents are supported.
pub(crate) const CIMD: &str = "client_id_metadata_document_supported";

fn judged(
    cx: &Context,
    met: &str,
    judge: impl Fn(&Map<String, Value>) -> Option<Finding>,
) -> Ruling {
    match published(cx) {
        Err(ruling) => ruling,
        Ok((record, metadata)) => match judge(metadata) {
            None => Ruling::met(met),
            Some(finding) => finding
                .about(cut(issuer(cx).unwrap_or_default(), 200))
                .seen_in(record)
                .into(),
        },
    }
}

fn is_found(cx: &Context) -> Ruling {
    if let Err(ruling) = metadata(cx) {
        return ruling;
    }
    let Some(issuer) = issuer(cx) else {
        return Ruling::skip("no authorization server is named (auth.prm-servers)");
    };
    if found(cx, "issuer").is_some() {
        return Ruling::met("found");
    }
    let mut tried = Vec::new();
    for record in documents(cx, "issuer") {
        match unread(record) {
            Ok(why) => tried.push(why),
            Err(ruling) => return ruling,
        }
    }
    let Some(last) = documents(cx, "issuer").last() else {
        return Ruling::skip("the authorization server is named by no URL (auth.prm-servers)");
    };
    let moved = documents(cx, "issuer").any(|record| matches!(record.status(), Some(300..=399)));
    let message = format!("no metadata are served: {}", tried.join("; "));
    let finding = if moved {
        Finding::unproven(format!("{message}; redirects were not followed"))
    } else {
        Finding::broken(message)
    };
    finding.about(cut(issuer, 200)).seen_in(last).into()
}

fn same_issuer(cx: &Context) -> Ruling {
    let used = issuer(cx).unwrap_or_default();
    judged(cx, "the same string", |metadata| {
        let given = metadata.get("issuer").and_then(Value::as_str);
        (given != Some(used)).then(|| {
            Finding::broken(format!(
                "issuer is `{}`; expected `{}` to the letter",
                cut(given.unwrap_or("missing"), 200),
                cut(used, 200)
            ))
            .at("/issuer")
        })
    })
}

fn pkce(cx: &Context) -> Ruling {
    const MEMBER: &str = "code_challenge_methods_supported";
    if published(cx).is_ok_and(|(_, metadata)| !metadata.contains_key("authorization_endpoint")) {
        return Ruling::not_applicable("the authorization server has no authorization endpoint");
    }
    judged(cx, "S256 is supported", |metadata| {
        let methods = metadata.get(MEMBER).and_then(Value::as_array);
        let has = methods.is_some_and(|methods| methods.iter().any(|method| method == "S256"));
        (!has).then(|| {
            Finding::broken(format!("{MEMBER} does not list S256")).at(format!("/{MEMBER}"))
        })
    })
}

fn https(cx: &Context) -> Ruling {
    judged(cx, "all endpoints use https", |metadata| {
        let mut soft = None;
        for (member, url) in metadata
            .iter()
            .filter(|(name, _)| name.ends_with("_endpoint"))
        {
            let Some(to) = url.as_str().and_then(|url| Endpoint::parse(url).ok()) else {
                continue;
            };
            if to.https || to.is_loopback() {
                continue;
            }
            let message = format!("{member} is {}; expected https", cut(&to.url(), 200));
            let at = format!("/{member}");
            // Names without a dot are those of containers and of machines nearby.
            if to.is_private() || !to.host.contains(['.', ':']) {
                soft = Some(Finding::unproven(message).at(at));
            } else {
                return Some(Finding::broken(message).at(at));
            }
        }
        soft
    })
}

fn iss(cx: &Context) -> Ruling {
    const MEMBER: &str = "authorization_response_iss_parameter_supported";
    judged(cx, "it is announced", |metadata| {
        (!is_set(metadata, MEMBER)).then(|| Finding::broken(format!("{MEMBER} is not true")))
    })
}

fn cimd(cx: &Context) -> Ruling {
    judged(cx, "it is announced", |metadata| {
        let message = format!("{CIMD} is not true");
        (!is_set(metadata, CIMD)).then(|| {
            if metadata.contains_key("registration_endpoint") {
                Finding::broken(message)
            } else {
                Finding::noted(format!("{message}; clients must be registered beforehand"))
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::matrix::full_config;
    use crate::testing::{altered_under, shows, word};
    use serde_json::{Value, json};
    use verdict_fixture::{Server, Variant};

    #[test]
    fn slips_of_the_authorization_server() {
        shows(&[
            ("issuer-metadata-missing", "auth.as-metadata", "fail"),
            ("issuer-differs", "auth.as-issuer", "fail"),
            ("issuer-without-pkce", "auth.as-pkce", "fail"),
            ("issuer-plain-http", "auth.as-https", "fail"),
            ("issuer-without-iss", "auth.as-iss", "warn"),
            ("issuer-registers-only", "auth.as-cimd", "warn"),
            ("issuer-registers-only", "deprecated.dcr", "info"),
        ]);
    }

    #[test]
    fn metadata_are_weighed() {
        let server = Server::of(Variant::Protected);
        let with = |id: &str, metadata: Value| {
            let answers = [("auth/issuer-1", 200, metadata)];
            word(&altered_under(
                full_config(Variant::Protected),
                id,
                &server,
                false,
                &answers,
            ))
        };
        assert_eq!(with("auth.as-pkce", json!({"token_endpoint": "x"})), "n/a");
        assert_eq!(with("auth.as-cimd", json!({"issuer": "x"})), "noted");
        for (url, due) in [
            ("https://a.example/t", "met"),
            ("http://127.0.0.1:1/t", "met"),
            ("http://keycloak:8080/t", "unproven"),
            ("http://10.0.0.1/t", "unproven"),
            ("http://a.example/t", "broken"),
        ] {
            assert_eq!(
                with("auth.as-https", json!({"token_endpoint": url})),
                due,
                "{url}"
            );
        }
    }
}
