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

/// Every rule of the catalogue.
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
    Check::should(
        "tools.arguments-not-object",
        "Arguments that are no object are refused",
    )
    .spec("schema#CallToolRequestParams"),
    Check::must(
        "tools.invalid-args-rejected",
        "Invalid arguments are refused",
    )
    .opt_in()
    .spec("tools#security-considerations"),
    Check::should(
        "tools.invalid-args-as-result",
        "Invalid arguments are reported as a tool error",
    )
    .opt_in()
    .spec("tools#error-handling"),
    Check::must("tools.call-shape", "A tool's result has the right shape")
        .opt_in()
        .spec("schema#CallToolResult")
        .official(&["tools-call-simple-text", "tools-call-error"]),
    Check::must(
        "tools.content-kinds",
        "Content blocks are of a known kind and complete",
    )
    .opt_in()
    .spec("schema#ContentBlock")
    .official(&[
        "tools-call-image",
        "tools-call-audio",
        "tools-call-embedded-resource",
        "tools-call-mixed-content",
    ]),
    Check::must(
        "tools.content-base64",
        "Images, sounds and blobs are standard Base64",
    )
    .opt_in()
    .spec("schema#ImageContent")
    .official(&["tools-call-image"]),
    Check::must("tools.content-annotations", "Content annotations are valid")
        .spec("schema#Annotations")
        .official(&["wire-schema-valid"]),
    Check::must(
        "tools.structured-present",
        "A tool with an output schema returns structured content",
    )
    .opt_in()
    .spec("tools#output-schema"),
    Check::must(
        "tools.structured-valid",
        "Structured content conforms to the output schema",
    )
    .headline(5)
    .opt_in()
    .spec("tools#output-schema"),
    Check::should(
        "tools.structured-text-copy",
        "Structured content is repeated as text",
    )
    .opt_in()
    .spec("tools#structured-content"),
    Check::should(
        "tools.embedded-needs-resources",
        "A server that embeds resources declares resources",
    )
    .opt_in()
    .spec("tools#embedded-resources"),
    Check::must(
        "resources.read-shape",
        "Read resources have the right shape",
    )
    .reads()
    .spec("schema#ReadResourceResult")
    .official(&["resources-read-text", "resources-read-binary"]),
    Check::must("resources.blob-base64", "Blobs are standard Base64")
        .reads()
        .spec("resources#security-considerations")
        .official(&["resources-read-binary"]),
    Check::advisory(
        "resources.read-uri",
        "Read resources carry the URI that was asked for",
    )
    .reads()
    .spec("resources#reading-resources"),
    Check::advisory(
        "resources.read-empty-listed",
        "Listed resources have contents",
    )
    .reads()
    .spec("resources#error-handling"),
    Check::advisory(
        "resources.mime-agrees",
        "Listed and read MIME types and sizes agree",
    )
    .reads()
    .spec("resources#resource"),
    Check::must(
        "resources.traversal",
        "Parent escapes of a listed directory are refused",
    )
    .intrusive()
    .spec("resources#security-considerations"),
    Check::should(
        "resources.https-scheme",
        "https resources can be fetched directly",
    )
    .spec("resources#https"),
    Check::must(
        "resources.template-read",
        "An expanded template can be read",
    )
    .reads()
    .spec("resources#resource-templates")
    .official(&["resources-templates-read"]),
    Check::must(
        "prompts.get-shape",
        "Prompts have messages of the right shape",
    )
    .reads()
    .spec("schema#GetPromptResult")
    .official(&["prompts-get-simple", "prompts-get-with-args"]),
    Check::must(
        "prompts.content",
        "Prompt content is complete and encoded as it should be",
    )
    .reads()
    .spec("prompts#embedded-resources")
    .official(&["prompts-get-embedded-resource", "prompts-get-with-image"]),
    Check::should(
        "prompts.missing-argument",
        "A missing required argument is refused with -32602",
    )
    .reads()
    .spec("prompts#error-handling"),
    Check::should(
        "prompts.argument-type",
        "An argument of the wrong type is refused",
    )
    .reads()
    .spec("schema#GetPromptRequestParams"),
    Check::must(
        "mrtr.has-content",
        "An input_required result has inputRequests, requestState or both",
    )
    .opt_in()
    .spec("mrtr#server-requirements-basic-workflow")
    .official(&["sep-2322-request-state-incomplete"]),
    Check::must(
        "mrtr.request-kinds",
        "Input requests are elicitation/create, sampling/createMessage or roots/list",
    )
    .opt_in()
    .spec("mrtr#server-requirements-basic-workflow")
    .official(&[
        "sep-2322-elicitation-incomplete",
        "sep-2322-sampling-incomplete",
        "sep-2322-list-roots-incomplete",
    ]),
    Check::must(
        "mrtr.request-shape",
        "Input requests have the shape of their method",
    )
    .opt_in()
    .spec("schema#InputRequest")
    .official(&["wire-schema-valid"]),
    Check::must(
        "mrtr.capability-respected",
        "Input requests need only capabilities that the request declared",
    )
    .opt_in()
    .spec("mrtr#server-requirements-basic-workflow")
    .official(&["sep-2322-respect-client-capabilities"]),
    Check::must(
        "mrtr.elicitation-mode",
        "Elicitation uses only a mode that the request declared",
    )
    .opt_in()
    .spec("elicitation#capabilities"),
    Check::must(
        "mrtr.sampling-tools",
        "Sampling requests carry tools only where sampling.tools was declared",
    )
    .opt_in()
    .spec("sampling#tools-in-sampling"),
    Check::must("mrtr.state-string", "requestState is a string")
        .opt_in()
        .spec("schema#InputRequiredResult")
        .official(&["sep-2322-request-state-incomplete"]),
    Check::must(
        "mrtr.form-schema-flat",
        "A form's requestedSchema is a flat object of permitted fields",
    )
    .opt_in()
    .spec("elicitation#requested-schema")
    .official(&["wire-schema-valid"]),
    Check::must("mrtr.form-message", "Elicitation requests have a message")
        .opt_in()
        .spec("elicitation#elicitation-requests")
        .official(&["wire-schema-valid"]),
    Check::must("mrtr.url-valid", "URL-mode elicitation has a valid URL")
        .opt_in()
        .spec("elicitation#url-mode-elicitation-requests"),
    Check::must("mrtr.form-secrets", "Forms do not ask for secrets")
        .opt_in()
        .spec("elicitation#form-mode-security"),
    Check::should("mrtr.form-urls", "Forms hold no URLs")
        .opt_in()
        .spec("elicitation#safe-url-handling"),
    Check::must(
        "mrtr.retry-completes",
        "A retry with valid answers and the exact state goes on",
    )
    .opt_in()
    .spec("mrtr#basic-workflow")
    .official(&[
        "sep-2322-elicitation-complete",
        "sep-2322-sampling-complete",
        "sep-2322-list-roots-complete",
        "sep-2322-request-state-complete",
        "sep-2322-multiple-inputs-complete",
        "sep-2322-multi-round-r1..r3",
        "sep-2322-non-tool-incomplete",
        "sep-2322-non-tool-complete",
    ]),
    Check::must(
        "mrtr.retry-fresh-connection",
        "A retry works over a new connection too",
    )
    .opt_in()
    .spec("mrtr#basic-workflow"),
    Check::should(
        "mrtr.missing-response",
        "Missing answers are asked for again",
    )
    .opt_in()
    .spec("mrtr#error-handling")
    .official(&["sep-2322-missing-response-rerequests"]),
    Check::should("mrtr.extra-response", "Unknown answers are ignored")
        .opt_in()
        .spec("mrtr#error-handling")
        .official(&["sep-2322-ignore-unexpected-params"]),
    Check::should(
        "mrtr.invalid-response",
        "Malformed answers are refused or asked for again",
    )
    .opt_in()
    .spec("mrtr#error-handling")
    .official(&[
        "sep-2322-validate-input-responses",
        "sep-2322-error-on-protocol-error",
    ]),
    Check::must(
        "mrtr.tampered-state",
        "A forged requestState is refused or ignored",
    )
    .opt_in()
    .spec("mrtr#server-requirements-basic-workflow")
    .official(&["sep-2322-reject-tampered-state"]),
    Check::should(
        "mrtr.state-cross-request",
        "A requestState of one request is not accepted for another",
    )
    .opt_in()
    .spec("mrtr#server-requirements-basic-workflow"),
    Check::should(
        "mrtr.state-cross-principal",
        "A requestState of one principal is not accepted from another",
    )
    .http()
    .opt_in()
    .spec("mrtr#server-requirements-basic-workflow"),
    Check::must(
        "mrtr.decline-cancel",
        "Declining and cancelling are handled",
    )
    .opt_in()
    .spec("elicitation#error-handling"),
    Check::must(
        "mrtr.tool-result-only",
        "Sampling messages keep tool results apart and balanced",
    )
    .opt_in()
    .spec("sampling#tool-result-messages"),
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
        "deprecated.roots-sampling",
        "Roots and sampling are on their way out",
    )
    .opt_in()
    .spec("deprecated"),
    Check::should(
        "deprecated.include-context",
        "includeContext is on its way out",
    )
    .opt_in()
    .spec("sampling#capabilities"),
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
    Check::advisory("deprecated.enum-names", "enumNames is on its way out")
        .opt_in()
        .spec("schema#LegacyTitledEnumSchema"),
    Check::must(
        "ext.tasks-listen-gated",
        "Task subscriptions need the tasks extension to be declared",
    )
    .spec("SEP-2663 Task Status Notifications")
    .official(&["tasks-status-notifications"]),
    Check::must(
        "ext.task-shape",
        "A created task has the right shape and can be read at once",
    )
    .opt_in()
    .spec("SEP-2663 Task Creation")
    .official(&[
        "sep-2663-result-type-task-on-create",
        "tasks-wire-field-renames",
        "sep-2663-durable-create-strong-consistency",
    ]),
    Check::advisory(
        "ext.ui-resource",
        "A tool's user interface is a readable MCP app document",
    )
    .reads()
    .spec("extensions/apps"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_rule_is_missing_or_there_twice() {
        let ids: Vec<&str> = catalogue().map(|entry| entry.rule.id).collect();
        let distinct: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!((ids.len(), distinct.len()), (RULES, RULES));
    }
}
