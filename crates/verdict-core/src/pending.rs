//! The catalogue as a whole: the rules that this build checks, and those that it does not check yet.
//!
//! A rule leaves the second list with the change that brings its check; a test holds that no rule of the
//! catalogue is in both or in neither.

use crate::check::Check;
use crate::conformance::checks;
use serde::{Serialize, Serializer};
use verdict_model::{Rule, State};

/// One entry of the catalogue, built or not.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The rule.
    pub rule: Rule,
    /// How this build treats it.
    pub state: State,
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.rule.serialize_as(self.state, serializer)
    }
}

/// How many rules the catalogue has.
pub const RULES: usize = 357;

/// Every rule of the catalogue, and those of our own beside it ([`Rule::is_extra`]).
pub fn catalogue() -> impl Iterator<Item = Entry> {
    let built = checks().map(|check| Entry {
        rule: check.rule,
        state: check.rule.state(),
    });
    let waiting = PENDING.iter().map(|check| Entry {
        rule: Rule {
            why: "This build does not check the rule yet; no report says anything about it.",
            fix: "Follow the page of the specification that states it.",
            ..check.rule
        },
        state: State::NotYet,
    });
    built.chain(waiting)
}

/// Rules that no check judges yet.
const PENDING: &[Check] = &[
    Check::should(
        "transport.bind-loopback",
        "A local server listens on the loopback interface alone",
    )
    .http()
    .spec("http#security-endpoint"),
    Check::must(
        "resources.traversal",
        "Parent escapes of a listed directory are refused",
    )
    .intrusive()
    .spec("resources#security-considerations"),
    Check::should(
        "cancel.teardown",
        "Open subscriptions are closed in good order on shutdown",
    )
    .intrusive()
    .spec("subs#graceful-closure"),
    Check::advisory(
        "subscribe.keepalive",
        "A quiet subscription is kept alive with comments",
    )
    .http()
    .spec("http#receiving-messages"),
    Check::must(
        "auth.challenge-401",
        "A protected server answers 401 without a token",
    )
    .http()
    .spec("auth#error-handling"),
    Check::must(
        "auth.invalid-token-401",
        "An invalid token is answered with 401",
    )
    .http()
    .spec("auth#token-handling"),
    Check::must("auth.every-request", "Every request needs its own token")
        .http()
        .spec("auth-sec#access-token-privilege-restriction"),
    Check::must("auth.query-token", "A token in the address is not accepted")
        .http()
        .opt_in()
        .spec("auth#token-requirements"),
    Check::must(
        "auth.prm-found",
        "The protected resource metadata can be found",
    )
    .http()
    .spec("auth-disc#protected-resource-metadata-discovery-requirements"),
    Check::must(
        "auth.prm-servers",
        "The metadata names an authorization server",
    )
    .http()
    .spec("auth-disc#authorization-server-location"),
    Check::must(
        "auth.prm-resource",
        "The metadata names this server as its resource",
    )
    .http()
    .spec("RFC 9728 3.3"),
    Check::should("auth.www-authenticate", "The 401 says how to get a token")
        .http()
        .spec("auth#scope-selection-strategy"),
    Check::should(
        "auth.no-offline-access",
        "The server does not ask for offline_access",
    )
    .http()
    .spec("auth#refresh-tokens"),
    Check::must(
        "auth.as-metadata",
        "The authorization server publishes its metadata",
    )
    .http()
    .spec("auth#overview"),
    Check::must(
        "auth.as-issuer",
        "The metadata's issuer is the identifier that was used",
    )
    .http()
    .spec("auth-disc#authorization-server-metadata-discovery"),
    Check::must("auth.as-pkce", "The authorization server supports S256")
        .http()
        .spec("auth-sec#authorization-code-protection"),
    Check::must(
        "auth.as-https",
        "The authorization server's endpoints use https",
    )
    .http()
    .spec("auth-sec#communication-security"),
    Check::should(
        "auth.as-iss",
        "The authorization server announces the iss parameter",
    )
    .http()
    .spec("auth#authorization-response-validation"),
    Check::should(
        "auth.as-cimd",
        "The authorization server supports client id metadata documents",
    )
    .http()
    .spec("auth-reg#client-id-metadata-documents"),
    Check::should(
        "auth.insufficient-scope",
        "A token without the scope is answered with 403 and what is missing",
    )
    .http()
    .opt_in()
    .spec("auth#runtime-insufficient-scope-errors"),
    Check::must(
        "auth.wrong-audience",
        "A token for another server is refused",
    )
    .http()
    .opt_in()
    .spec("auth#token-handling"),
    Check::should(
        "deprecated.http-sse",
        "The HTTP+SSE transport is on its way out",
    )
    .http()
    .spec("http#httpsse-transport-2024-11-05"),
    Check::should(
        "deprecated.dcr",
        "Dynamic client registration is on its way out",
    )
    .http()
    .spec("auth-reg#dynamic-client-registration"),
    Check::must(
        "ext.tasks-listen-gated",
        "Task subscriptions need the tasks extension to be declared",
    )
    .spec("SEP-2663 Task Status Notifications")
    .official(&["tasks-status-notifications"]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_rule_is_missing_or_there_twice() {
        let ids: Vec<&str> = catalogue().map(|entry| entry.rule.id).collect();
        let distinct: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), distinct.len());
        let rows = catalogue().filter(|entry| !entry.rule.is_extra()).count();
        assert_eq!(rows, RULES);
    }
}
