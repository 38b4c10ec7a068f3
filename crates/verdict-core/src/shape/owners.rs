//! Which check answers for which place.
//!
//! A path is a JSON Pointer in which `*` stands for any one step and a closing `**` for the place
//! before it and all below. The first row that matches decides, so the narrower one stands first;
//! the rows of the message come before those of every result or error. A row follows what its check
//! promises to judge; a place that no check names is left to `result.schema-valid`.

use serde_json::Value;

use super::walk::{Fault, Step};

/// A place and the check that owns it.
pub(super) struct Claim {
    path: &'static str,
    when: When,
    pub(super) check: &'static str,
}

/// Which faults at the place a claim covers.
#[derive(Clone, Copy)]
enum When {
    Always,
    Absent,
    Present,
    TooLong,
    /// The value is `true`, `false` or `null`, which stand for a schema elsewhere but not here.
    NoObjectSchema,
}

/// The check that owns a fault at a path, if any does.
pub(super) fn owner(
    claims: &[&'static [Claim]],
    path: &[Step],
    fault: Fault,
) -> Option<&'static str> {
    let mut all = claims.iter().copied().flatten();
    all.find(|claim| claim.when.covers(fault) && reaches(claim.path, path))
        .map(|claim| claim.check)
}

impl When {
    fn covers(self, fault: Fault) -> bool {
        match self {
            Self::Always => true,
            Self::Absent => matches!(fault, Fault::Absent),
            Self::Present => !matches!(fault, Fault::Absent),
            Self::TooLong => matches!(fault, Fault::TooLong(_)),
            Self::NoObjectSchema => matches!(fault, Fault::Wrong(Value::Null | Value::Bool(_))),
        }
    }
}

/// Whether a path of the table stands for a path in a message.
fn reaches(pattern: &str, path: &[Step]) -> bool {
    let mut steps = path.iter();
    for part in pattern.split('/').skip(1) {
        if part == "**" {
            return true;
        }
        match steps.next() {
            Some(_) if part == "*" => {}
            Some(Step::Member(name)) if is_named(part, name) => {}
            _ => return false,
        }
    }
    steps.next().is_none()
}

/// Whether a step of the table names a member, whose slash is written `~1` there.
fn is_named(part: &str, name: &str) -> bool {
    part == name || (part.contains("~1") && part.replace("~1", "/") == name)
}

const fn claim(path: &'static str, check: &'static str) -> Claim {
    Claim {
        path,
        when: When::Always,
        check,
    }
}

const fn absent(path: &'static str, check: &'static str) -> Claim {
    Claim {
        path,
        when: When::Absent,
        check,
    }
}

const fn present(path: &'static str, check: &'static str) -> Claim {
    Claim {
        path,
        when: When::Present,
        check,
    }
}

const fn claim_when(when: When, path: &'static str, check: &'static str) -> Claim {
    Claim { path, when, check }
}

const TTL: &str = "/result/ttlMs";
const SCOPE: &str = "/result/cacheScope";
const RESULT_TAG: &str = "/result/_meta/io.modelcontextprotocol~1subscriptionId";
const NOTICE_TAG: &str = "/params/_meta/io.modelcontextprotocol~1subscriptionId";

/// All tables, for whoever wants to see every row.
pub(super) const ALL: &[&[Claim]] = &[
    EVERY_RESULT,
    DISCOVER,
    TOOLS_LIST,
    TOOLS_CALL,
    RESOURCES_LIST,
    TEMPLATES_LIST,
    RESOURCES_READ,
    PROMPTS_LIST,
    PROMPTS_GET,
    COMPLETE,
    LISTEN_RESULT,
    INPUT_REQUIRED,
    PROGRESS,
    MESSAGE,
    CANCELLED,
    ACKNOWLEDGED,
    CHANGES,
    EVERY_ERROR,
    MISSING_CAPABILITY,
    UNSUPPORTED_VERSION,
];

/// For messages about which no narrower check exists.
pub(super) const NONE: &[Claim] = &[];

pub(super) const EVERY_RESULT: &[Claim] = &[
    claim("/result", "result.object"),
    absent("/result/resultType", "result.type-present"),
    claim("/result/resultType", "result.type-string"),
    claim(
        "/result/_meta/io.modelcontextprotocol~1serverInfo/**",
        "discover.server-info-shape",
    ),
    present(TTL, "cache.ttl-valid"),
    present(SCOPE, "cache.scope-valid"),
    claim("/result/nextCursor", "list.next-cursor-type"),
];

pub(super) const DISCOVER: &[Claim] = &[
    absent(TTL, "cache.hints-discover"),
    absent(SCOPE, "cache.hints-discover"),
    claim(
        "/result/supportedVersions/**",
        "discover.versions-include-ours",
    ),
    claim("/result/instructions", "discover.shape"),
    claim("/result/capabilities", "discover.shape"),
    claim(
        "/result/capabilities/extensions/*",
        "discover.extension-ids",
    ),
    claim("/result/capabilities/**", "discover.capability-types"),
];

pub(super) const TOOLS_LIST: &[Claim] = &[
    absent(TTL, "cache.hints-tools-list"),
    absent(SCOPE, "cache.hints-tools-list"),
    claim("/result/tools/*/annotations/**", "tools.annotations-types"),
    claim_when(
        When::NoObjectSchema,
        "/result/tools/*/inputSchema",
        "schema.input-root-object",
    ),
    claim(
        "/result/tools/*/inputSchema/type",
        "schema.input-root-object",
    ),
    claim("/result/tools/*/outputSchema", "schema.output-is-object"),
    claim("/result/tools/**", "tools.list-shape"),
];

pub(super) const TOOLS_CALL: &[Claim] = &[
    claim("/result/isError", "tools.call-shape"),
    claim("/result/content", "tools.call-shape"),
    claim(
        "/result/content/*/annotations/**",
        "tools.content-annotations",
    ),
    claim("/result/content/*", "tools.content-kinds"),
    claim("/result/content/*/type", "tools.content-kinds"),
    claim("/result/content/*/text", "tools.content-kinds"),
    claim("/result/content/*/data", "tools.content-kinds"),
    claim("/result/content/*/mimeType", "tools.content-kinds"),
    claim("/result/content/*/uri", "tools.content-kinds"),
    claim("/result/content/*/name", "tools.content-kinds"),
    claim("/result/content/*/resource/**", "tools.content-kinds"),
    claim("/result/content/**", "tools.call-shape"),
];

pub(super) const RESOURCES_LIST: &[Claim] = &[
    absent(TTL, "cache.hints-resources-list"),
    absent(SCOPE, "cache.hints-resources-list"),
    claim(
        "/result/resources/*/annotations/**",
        "tools.content-annotations",
    ),
    claim("/result/resources/**", "resources.list-shape"),
];

pub(super) const TEMPLATES_LIST: &[Claim] = &[
    absent(TTL, "cache.hints-templates-list"),
    absent(SCOPE, "cache.hints-templates-list"),
    claim(
        "/result/resourceTemplates/*/annotations/**",
        "tools.content-annotations",
    ),
    claim("/result/resourceTemplates", "resources.templates-shape"),
    claim("/result/resourceTemplates/*", "resources.templates-shape"),
    claim(
        "/result/resourceTemplates/*/uriTemplate",
        "resources.templates-shape",
    ),
    claim(
        "/result/resourceTemplates/*/name",
        "resources.templates-shape",
    ),
];

pub(super) const RESOURCES_READ: &[Claim] = &[
    absent(TTL, "cache.hints-read"),
    absent(SCOPE, "cache.hints-read"),
    claim("/result/contents", "resources.read-shape"),
    claim("/result/contents/*", "resources.read-shape"),
    claim("/result/contents/*/uri", "resources.read-shape"),
    claim("/result/contents/*/text", "resources.read-shape"),
    claim("/result/contents/*/blob", "resources.read-shape"),
];

pub(super) const PROMPTS_LIST: &[Claim] = &[
    absent(TTL, "cache.hints-prompts-list"),
    absent(SCOPE, "cache.hints-prompts-list"),
    claim("/result/prompts", "prompts.list-shape"),
    claim("/result/prompts/*", "prompts.list-shape"),
    claim("/result/prompts/*/name", "prompts.list-shape"),
    claim("/result/prompts/*/arguments/*", "prompts.list-shape"),
    claim("/result/prompts/*/arguments/*/name", "prompts.list-shape"),
];

pub(super) const PROMPTS_GET: &[Claim] = &[
    claim(
        "/result/messages/*/content/annotations/**",
        "tools.content-annotations",
    ),
    claim("/result/messages/*/content/data", "prompts.content"),
    claim("/result/messages/*/content/mimeType", "prompts.content"),
    claim("/result/messages/*/content/resource/**", "prompts.content"),
    claim("/result/messages/**", "prompts.get-shape"),
];

pub(super) const COMPLETE: &[Claim] = &[
    claim_when(
        When::TooLong,
        "/result/completion/values",
        "completion.max-100",
    ),
    claim("/result/completion/**", "completion.shape"),
];

pub(super) const LISTEN_RESULT: &[Claim] = &[
    claim("/result/_meta", "subscribe.result-shape"),
    claim(RESULT_TAG, "subscribe.result-shape"),
];

pub(super) const INPUT_REQUIRED: &[Claim] = &[
    claim("/result/requestState", "mrtr.state-string"),
    claim("/result/inputRequests/*/method", "mrtr.request-kinds"),
    absent(
        "/result/inputRequests/*/params/requestedSchema",
        "mrtr.request-shape",
    ),
    claim(
        "/result/inputRequests/*/params/requestedSchema/**",
        "mrtr.form-schema-flat",
    ),
    claim(
        "/result/inputRequests/*/params/message",
        "mrtr.form-message",
    ),
    claim("/result/inputRequests/*/params/url", "mrtr.url-valid"),
    claim("/result/inputRequests/**", "mrtr.request-shape"),
];

pub(super) const PROGRESS: &[Claim] = &[
    claim("/params", "progress.shape"),
    claim("/params/progressToken", "progress.shape"),
    claim("/params/progress", "progress.shape"),
    claim("/params/total", "progress.shape"),
    claim("/params/message", "progress.shape"),
    claim(NOTICE_TAG, "subscribe.id-only-on-listen"),
];

pub(super) const MESSAGE: &[Claim] = &[
    claim("/params", "deprecated.log-shape"),
    claim("/params/level", "deprecated.log-shape"),
    claim("/params/data", "deprecated.log-shape"),
    claim(NOTICE_TAG, "subscribe.id-only-on-listen"),
];

pub(super) const CANCELLED: &[Claim] = &[
    claim("/params", "cancel.server-cancelled-only-listen"),
    claim("/params/requestId", "cancel.server-cancelled-only-listen"),
];

pub(super) const ACKNOWLEDGED: &[Claim] = &[
    claim("/params", "subscribe.ack-subset"),
    claim("/params/notifications", "subscribe.ack-subset"),
    claim(NOTICE_TAG, "subscribe.ack-id"),
];

/// The change notices of the three lists and of one resource.
pub(super) const CHANGES: &[Claim] = &[claim(NOTICE_TAG, "subscribe.all-tagged")];

pub(super) const EVERY_ERROR: &[Claim] = &[
    claim("/error", "errors.code-integer"),
    claim("/error/code", "errors.code-integer"),
    claim("/error/message", "errors.message-string"),
];

pub(super) const MISSING_CAPABILITY: &[Claim] = &[claim("/error/data/**", "tools.capability-data")];

pub(super) const UNSUPPORTED_VERSION: &[Claim] =
    &[claim("/error/data/**", "version.unsupported-data")];
