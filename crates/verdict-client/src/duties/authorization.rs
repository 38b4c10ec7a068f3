//! Authorization: where a client looks for the authorization server, what it sends there, and where its token goes.

use crate::context::{Context, once_each, seen_in};
use crate::duty::Duty;
use verdict_core::ruling::{Finding, Ruling};

const NEEDS_SERVER: &str = "the proxy has no authorization server of its own yet";

/// The duties of this family.
pub const DUTIES: &[Duty] = &[
    Duty::must("client.auth-prm", "The metadata of the resource is found where the server says, or in the order of the revision")
        .http()
        .spec("auth-disc#protected-resource-metadata-discovery-requirements")
        .why("A client that looks elsewhere cannot log in.")
        .fix("Take resource_metadata of WWW-Authenticate first, then the well-known address with the path, then the one without.")
        .official(&["prm-pathbased-requested", "prm-priority-order"])
        .not_yet(NEEDS_SERVER),
    Duty::must("client.auth-as-order", "The metadata of the authorization server is looked for in the order of the revision")
        .http()
        .spec("auth-disc#authorization-server-metadata-discovery")
        .why("Servers publish one of three documents.")
        .fix("Try the addresses of RFC 8414 and of OpenID discovery in the order of the page.")
        .official(&["authorization-server-metadata"])
        .not_yet(NEEDS_SERVER),
    Duty::must("client.auth-issuer", "Metadata of another issuer is refused")
        .http()
        .spec("auth-disc#authorization-server-metadata-discovery")
        .why("It sends the user's code to somebody else.")
        .fix("Compare issuer with the address that you made the metadata's address from.")
        .official(&["sep-2468-client-validate-metadata-issuer"])
        .not_yet(NEEDS_SERVER),
    Duty::must("client.auth-iss", "A code that another issuer sent is not redeemed")
        .http()
        .spec("auth#authorization-response-validation")
        .why("Codes of one server would be given to another.")
        .fix("Compare iss with the issuer, as strings.")
        .official(&["sep-2468-client-compare-iss-supported", "sep-2468-client-reject-missing-iss", "sep-2468-client-no-normalization"])
        .not_yet(NEEDS_SERVER),
    Duty::must("client.auth-resource", "The authorization and token requests name the server in resource")
        .http()
        .spec("auth#resource-parameter-implementation")
        .why("The token would be good for other servers too.")
        .fix("Send the server's canonical address as resource in both requests.")
        .official(&["resource-parameter-in-authorization", "resource-parameter-in-token"])
        .not_yet(NEEDS_SERVER),
    Duty::must("client.auth-pkce", "Nothing is authorized without PKCE by S256")
        .http()
        .spec("auth-sec#authorization-code-protection")
        .why("A code that is caught could be redeemed by whoever caught it.")
        .fix("Use S256, and stop where the metadata does not name it.")
        .official(&["pkce-s256-method-used"])
        .not_yet(NEEDS_SERVER),
    Duty::must("client.auth-every-request", "Once there is a token, every request carries it in its Authorization header and nowhere else")
        .http()
        .spec("auth#token-requirements")
        .why("There is no session that would remember it; in an address it is logged.")
        .fix("Set Authorization: Bearer on every request to the endpoint.")
        .official(&["valid-bearer-token"])
        .judge(every_request),
    Duty::should("client.auth-step-up", "After 403 insufficient_scope the missing scopes are asked for, and not for ever")
        .http()
        .spec("auth#step-up-authorization-flow")
        .why("The user is stuck, or asked again and again.")
        .fix("Ask for the union of old and new scopes, a few times at most.")
        .official(&["sep-2350-scope-union-on-reauth", "scope-retry-limit"])
        .not_yet(NEEDS_SERVER),
    Duty::must("client.auth-binding", "Credentials of one authorization server do not go to another")
        .http()
        .spec("auth-reg#authorization-server-binding")
        .why("A server that names another authorization server would collect them.")
        .fix("Keep client credentials by issuer.")
        .official(&["sep-2352-no-reuse-on-as-change"])
        .not_yet(NEEDS_SERVER),
    Duty::must("client.auth-application-type", "A dynamic registration names its application_type")
        .http()
        .spec("auth-reg#application-type-and-redirect-uri-constraints")
        .why("Authorization servers refuse loopback redirects of what they take for a web application.")
        .fix("Register native applications as native.")
        .official(&["sep-837-application-type-present"])
        .not_yet(NEEDS_SERVER),
    Duty::must("client.auth-foreign-token", "A token goes to the server that it was made for alone")
        .http()
        .spec("auth#token-handling")
        .why("Any server could collect the tokens of others.")
        .fix("Keep tokens by resource.")
        .not_yet("it needs a second server"),
];

fn every_request(cx: &Context) -> Ruling {
    if let Err(ruling) = cx.any_request() {
        return ruling;
    }
    let mut findings = Vec::new();
    let mut with = 0;
    for scene in cx.scenes.iter().filter(|scene| scene.is_http()) {
        let mut holds = false;
        for asked in scene.requests() {
            let query = asked
                .exchange
                .http
                .as_ref()
                .and_then(|http| http.path.split_once('?'));
            if query.is_some_and(|(_, query)| {
                query
                    .split('&')
                    .any(|part| part.starts_with("access_token="))
            }) {
                let message = format!("a token stands in the address: {}", asked.when());
                findings.push(seen_in(Finding::broken(message), asked));
            }
            if asked.field("authorization").is_some() {
                holds = true;
                with += 1;
            } else if holds {
                let message = format!("a request goes without the token: {}", asked.when());
                findings.push(seen_in(Finding::broken(message), asked));
            }
        }
    }
    if with == 0 && findings.is_empty() {
        return Ruling::not_applicable("the client holds no token");
    }
    Ruling::of(
        once_each(findings),
        format!("{with} requests, each with its token"),
    )
}
