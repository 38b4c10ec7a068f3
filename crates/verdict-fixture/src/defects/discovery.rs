//! Faults of server/discover, and of what it says against what is served.

use super::bend::remove;
use super::{Defect, Variant};
use crate::message::{Fault, LEGACY_VERSION, META_SERVER, META_VERSION, Request, VERSION};
use crate::server::Features;
use serde_json::{Value, json};

const DISCOVER: &str = "server/discover";
/// A version that nobody asks for.
const NO_MORE: &str = "served-no-more";

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "discover-missing",
        "does not know server/discover",
        &[("discover.answers", "fail"), ("*", "skip")],
    )
    .serve(|_, request| {
        request
            .is(DISCOVER)
            .then(|| Err(Fault::unknown_method(DISCOVER)))
    }),
    Defect::new(
        "discover-crashes",
        "answers server/discover with an internal error",
        &[("discover.answers", "fail"), ("*", "skip")],
    )
    .serve(|_, request| {
        request
            .is(DISCOVER)
            .then(|| Err(Fault::new(-32603, 200, "internal error")))
    }),
    Defect::new(
        "discover-versions-empty",
        "lists no version at all",
        &[
            ("discover.versions-include-ours", "fail"),
            ("version.unsupported-consistent", "skip"),
        ],
    )
    .result(|request, result| {
        if request.is(DISCOVER) {
            result["supportedVersions"] = json!([]);
        }
    }),
    Defect::new(
        "discover-omits-version",
        "lists only versions that it does not serve",
        &[
            ("discover.versions-include-ours", "fail"),
            ("version.unsupported-consistent", "fail"),
        ],
    )
    .result(|request, result| {
        if request.is(DISCOVER) {
            result["supportedVersions"] = json!([LEGACY_VERSION]);
        }
    }),
    Defect::new(
        "discover-version-number",
        "lists one version as a number",
        &[("discover.versions-include-ours", "fail")],
    )
    .result(|request, result| {
        if request.is(DISCOVER) {
            result["supportedVersions"] = json!([VERSION, 20_260_728]);
        }
    }),
    Defect::new(
        "discover-instructions-list",
        "gives its instructions as a list",
        &[("discover.shape", "fail")],
    )
    .result(|request, result| {
        if request.is(DISCOVER) {
            result["instructions"] = json!(["Ask before anything is sent."]);
        }
    }),
    Defect::new(
        "discover-first",
        "refuses tools/list on a connection on which nothing was served yet",
        &[("discover.first-not-required", "fail")],
    )
    .serve(|_, request| {
        let is_first = request.memory.served.is_empty() && request.param("cursor").is_none();
        (request.is("tools/list") && is_first)
            .then(|| Err(Fault::new(-32600, 400, "server/discover comes first")))
    }),
    Defect::new(
        "discover-varies",
        "has other capabilities on every connection",
        &[("discover.repeatable", "info")],
    )
    .result(|request, result| {
        if request.is(DISCOVER) {
            let name = format!("example.com/shard-{}", request.memory.peer);
            result["capabilities"]["experimental"][name] = json!({});
        }
    }),
    Defect::new(
        "discover-anonymous",
        "does not say who it is in server/discover",
        &[
            ("discover.server-info", "warn"),
            ("meta.server-info-every-result", "warn"),
        ],
    )
    .result(|request, result| {
        if request.is(DISCOVER) {
            remove(&mut result["_meta"], META_SERVER);
        }
    }),
    Defect::new(
        "discover-empty-name",
        "gives an empty name for itself",
        &[("discover.server-info", "info")],
    )
    .result(|request, result| {
        if request.is(DISCOVER) {
            result["_meta"][META_SERVER]["name"] = json!("");
        }
    }),
    Defect::new(
        "server-info-website-object",
        "gives its website as an object",
        &[("discover.server-info-shape", "fail")],
    )
    .result(|_, result| {
        result["_meta"][META_SERVER]["websiteUrl"] = json!({ "href": "https://ledger.example/" });
    }),
    Defect::new(
        "server-info-website-relative",
        "gives its website as a relative reference",
        &[("discover.server-info-shape", "warn")],
    )
    .result(|_, result| {
        result["_meta"][META_SERVER]["websiteUrl"] = json!("/about us");
    }),
    Defect::new(
        "tools-undeclared",
        "lists tools without declaring them",
        &[("discover.declares-tools", "fail")],
    )
    .on(Variant::ResourcesOnly)
    .serve(|server, request| {
        (request.is("tools/list") || request.is("tools/call"))
            .then(|| server.dispatch_as(request, Features::ALL))
    }),
    Defect::new(
        "resources-undeclared",
        "lists resources without declaring them",
        &[("discover.declares-resources", "fail")],
    )
    .on(Variant::ToolsOnly)
    .serve(|server, request| {
        (request.is("resources/list") || request.is("resources/read"))
            .then(|| server.dispatch_as(request, Features::ALL))
    }),
    Defect::new(
        "prompts-undeclared",
        "lists prompts without declaring them",
        &[("discover.declares-prompts", "fail")],
    )
    .on(Variant::ToolsOnly)
    .serve(|server, request| {
        (request.is("prompts/list") || request.is("prompts/get"))
            .then(|| server.dispatch_as(request, Features::ALL))
    }),
    Defect::new(
        "completions-undeclared",
        "completes anything without declaring it",
        &[("discover.declares-completions", "fail")],
    )
    .on(Variant::ToolsOnly)
    .serve(|_, request| {
        request
            .is("completion/complete")
            .then(|| Ok(json!({ "completion": { "values": ["acme"] } }).into()))
    }),
    Defect::new(
        "completions-undeclared-refused",
        "knows completion/complete without declaring it",
        &[
            ("discover.declares-completions", "warn"),
            ("completion.unsupported", "warn"),
        ],
    )
    .on(Variant::ToolsOnly)
    .serve(|_, request| {
        request
            .is("completion/complete")
            .then(|| Err(Fault::params("nothing to complete")))
    }),
    Defect::new(
        "undeclared-wrong-code",
        "refuses the list of an undeclared feature as bad parameters",
        &[("discover.undeclared-rejected", "warn")],
    )
    .on(Variant::ToolsOnly)
    .serve(|_, request| {
        request
            .is("prompts/list")
            .then(|| Err(Fault::params("no prompts here")))
    }),
    Defect::new(
        "tools-list-fails",
        "declares tools but cannot list them",
        &[
            ("discover.honours-tools", "fail"),
            ("tools.*", "skip"),
            ("schema.*", "skip"),
            ("list.*", "skip"),
            ("header.*", "skip"),
            ("progress.*", "skip"),
            ("mrtr.*", "skip"),
            ("subscribe.*", "skip"),
            ("cancel.*", "skip"),
            ("deprecated.*", "skip"),
            ("transport.concurrent", "skip"),
            ("discover.first-not-required", "skip"),
            ("version.unsupported-any-method", "skip"),
            ("meta.missing-on-list", "skip"),
            ("cache.hints-tools-list", "skip"),
            ("stdio.second-process", "skip"),
        ],
    )
    .serve(|_, request| {
        request
            .is("tools/list")
            .then(|| Err(Fault::new(-32603, 200, "internal error")))
    }),
    Defect::new(
        "resources-list-fails",
        "declares resources but cannot list them",
        &[
            ("discover.honours-resources", "fail"),
            ("resources.*", "skip"),
            ("list.*", "skip"),
            ("cache.hints-resources-list", "skip"),
        ],
    )
    .serve(|_, request| {
        request
            .is("resources/list")
            .then(|| Err(Fault::new(-32603, 200, "internal error")))
    }),
    Defect::new(
        "prompts-list-fails",
        "declares prompts but cannot list them",
        &[
            ("discover.honours-prompts", "fail"),
            ("prompts.*", "skip"),
            ("list.*", "skip"),
            ("cache.hints-prompts-list", "skip"),
        ],
    )
    .serve(|_, request| {
        request
            .is("prompts/list")
            .then(|| Err(Fault::new(-32603, 200, "internal error")))
    }),
    Defect::new(
        "completions-not-served",
        "declares completions but does not know the method",
        &[
            ("discover.honours-completions", "fail"),
            ("completion.*", "skip"),
        ],
    )
    .serve(|_, request| {
        request
            .is("completion/complete")
            .then(|| Err(Fault::unknown_method("completion/complete")))
    }),
    Defect::new(
        "templates-not-served",
        "does not know resources/templates/list",
        &[
            ("discover.templates-answer", "info"),
            ("cache.hints-templates-list", "n/a"),
            ("resources.templates-shape", "n/a"),
            ("resources.template-valid", "n/a"),
            ("resources.template-read", "n/a"),
        ],
    )
    .serve(|_, request| {
        request
            .is("resources/templates/list")
            .then(|| Err(Fault::unknown_method("resources/templates/list")))
    }),
    Defect::new(
        "capability-boolean",
        "declares a capability as true",
        &[("discover.capability-types", "fail")],
    )
    .result(|request, result| {
        if request.is(DISCOVER) {
            result["capabilities"]["experimental"] = json!(true);
        }
    }),
    Defect::new(
        "extension-without-prefix",
        "advertises an extension without a prefix",
        &[("discover.extension-ids", "fail")],
    )
    .result(|request, result| {
        if request.is(DISCOVER) {
            result["capabilities"]["extensions"] = json!({ "archive": {} });
        }
    }),
    Defect::new(
        "extension-reserved-prefix",
        "advertises an extension of its own under a reserved prefix",
        &[("discover.extension-reserved", "info")],
    )
    .result(|request, result| {
        if request.is(DISCOVER) {
            result["capabilities"]["extensions"] = json!({ "io.modelcontextprotocol/archive": {} });
        }
    }),
    Defect::new(
        "client-capability-declared",
        "declares sampling, which is for clients",
        &[("discover.client-capability-leak", "info")],
    )
    .result(|request, result| {
        if request.is(DISCOVER) {
            result["capabilities"]["sampling"] = json!({});
        }
    }),
    Defect::new(
        "revision-refused",
        "serves a later revision only",
        &[("discover.answers", "fail"), ("*", "skip")],
    )
    .request(|request| {
        if request.meta(META_VERSION) == Some(&json!(VERSION)) {
            spoil_version(request);
        }
    })
    .answer(|_, answer| {
        let Some(message) = answer.response_mut() else {
            return;
        };
        if let Some(data) = message["error"].get_mut("data")
            && data["requested"].is_string()
        {
            data["supported"] = json!(["2027-03-01"]);
            if data["requested"] == NO_MORE {
                data["requested"] = json!(VERSION);
            }
        }
    }),
];

/// Makes the request one of a version that is not served.
fn spoil_version(request: &mut Request) {
    if request.head.text("mcp-protocol-version").as_deref() == Some(VERSION) {
        request.head.set("mcp-protocol-version", NO_MORE);
    }
    if let Some(meta) = request.meta_mut() {
        let version = Value::from(NO_MORE);
        meta.insert(META_VERSION.to_owned(), version);
    }
}
