//! -32020, -32021 and -32022 say what the specification means by them, and nothing else.

use crate::ask::META_CAPABILITIES;
use crate::check::Check;
use crate::context::Context;
use crate::facts::{List, OURS};
use crate::record::Record;
use crate::ruling::{Finding, Ruling};
use crate::traffic::{Refused, distinct, errors, headers_agree, meta_of, sent_header, version_of};
use serde_json::Value;
use verdict_model::transcript::Standing;

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::must("errors.defined-meaning", "The codes of MCP are used for what they mean")
    .headline(6)
    .spec("basic#error-codes")
    .why("Clients act on these codes: they mend header fields, ask for a capability or pick another version, all in vain.")
    .fix("Use -32020 for header fields only, -32021 for capabilities that the request lacks, and -32022 for versions that you do not serve.")
    .judge(defined_meaning)];

/// The requests that this revision defines.
const METHODS: [&str; 10] = [
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "subscriptions/listen",
];

fn defined_meaning(cx: &Context) -> Ruling {
    let mut seen = 0;
    let findings = errors(cx).filter_map(|refused| {
        seen += 1;
        misused(cx, &refused)
    });
    let findings = distinct(findings);
    if seen == 0 {
        return Ruling::skip("the server never answered with an error");
    }
    Ruling::of(
        findings,
        "-32020, -32021 and -32022 are used for what they mean",
    )
}

/// What is wrong with the use of a code, if anything.
fn misused(cx: &Context, refused: &Refused) -> Option<Finding> {
    let record = refused.record;
    let finding = match refused.code? {
        -32020 if !cx.is_http() => Finding::broken(
            "an error over stdio has code -32020 (HeaderMismatch), but stdio has no header fields",
        ),
        -32020 => misused_header_code(cx, record)?,
        -32021 => misused_capability_code(refused)?,
        -32022 => misused_version_code(cx, record)?,
        _ => return None,
    };
    Some(finding.seen_in(record).at("/error/code"))
}

/// -32020 for a request whose header fields are what they should be.
fn misused_header_code(cx: &Context, record: &Record) -> Option<Finding> {
    let method = record.method()?;
    if !headers_agree(record) || unusual_headers(cx, record) {
        return None;
    }
    let task = method.starts_with("tasks/");
    if !METHODS.contains(&method) {
        // Some servers ask for Mcp-Name wherever they once expected a name.
        return (!task).then(|| Finding::unproven(
            "a method that this revision does not have is refused with -32020 (HeaderMismatch); expected -32601",
        ));
    }
    if record.exchange.standing != Standing::Conforming {
        return None;
    }
    let message = format!(
        "{method} is refused with -32020 (HeaderMismatch), although its header fields say what its body says"
    );
    Some(if cx.settings.config.behind_gateway {
        Finding::unproven(format!("{message} (a gateway may have dropped one)"))
    } else {
        Finding::broken(message)
    })
}

/// Whether a request has header fields that another rule is about, or lacks some that a tool wants.
fn unusual_headers(cx: &Context, record: &Record) -> bool {
    const USUAL: [&str; 3] = ["mcp-protocol-version", "mcp-method", "mcp-name"];
    let http = record.exchange.http.as_ref();
    let extra = http
        .into_iter()
        .flat_map(|http| &http.request_headers)
        .any(|(name, _)| {
            let name = name.to_ascii_lowercase();
            name.starts_with("mcp-") && !USUAL.contains(&name.as_str())
        });
    let encoded = sent_header(record, "mcp-name").is_some_and(|name| name.starts_with("=?base64?"));
    let called = (record.method() == Some("tools/call"))
        .then(|| record.request()?.params()?.get("name")?.as_str())
        .flatten();
    extra
        || encoded
        || called.is_some_and(|name| cx.facts.items(List::Tools).any(|tool| tool.name() == name))
}

/// -32021 for capabilities that the request declares.
fn misused_capability_code(refused: &Refused) -> Option<Finding> {
    let required = refused.error.pointer("/data/requiredCapabilities")?;
    let declared = meta_of(refused.record, META_CAPABILITIES)?;
    let named = required
        .as_object()
        .is_some_and(|members| !members.is_empty());
    (named && covers(declared, required)).then(|| {
        Finding::broken(format!(
            "a request that declares {} is refused with -32021 (MissingRequiredClientCapability), which asks for just that",
            crate::wire::json::shortened(required, 120)
        ))
    })
}

/// Whether all members of `required` are declared, at any depth.
fn covers(declared: &Value, required: &Value) -> bool {
    let (Some(declared), Some(required)) = (declared.as_object(), required.as_object()) else {
        return !declared.is_null();
    };
    required
        .iter()
        .all(|(name, inner)| match declared.get(name) {
            // An empty elicitation capability stands for forms.
            Some(Value::Object(members)) if name == "elicitation" && members.is_empty() => inner
                .as_object()
                .is_some_and(|modes| modes.keys().all(|mode| mode == "form")),
            Some(member) => covers(member, inner),
            None => false,
        })
}

/// -32022 for a version that `server/discover` lists.
fn misused_version_code(cx: &Context, record: &Record) -> Option<Finding> {
    // The versions are what a client that begins with initialize needs to hear.
    let version = version_of(record).filter(|_| record.method() != Some("initialize"))?;
    let listed = cx.facts.supported_versions().any(|known| known == version);
    let sound = record.exchange.standing == Standing::Conforming || headers_agree(record);
    (version >= OURS && listed && sound).then(|| {
        Finding::broken(format!(
            "a request for version {version} is refused with -32022 (UnsupportedProtocolVersion), although server/discover lists that version"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{config, replied, ruling, ruling_on};
    use serde_json::json;
    use verdict_fixture::{Server, Variant};

    #[test]
    fn correct_servers_mean_what_they_say() {
        for variant in [Variant::Full, Variant::Tasks, Variant::DualEra] {
            for stdio in [false, true] {
                let ruling = ruling(
                    "errors.defined-meaning",
                    &Server::of(variant),
                    config(),
                    stdio,
                );
                assert!(ruling.is_met(), "{variant:?}: {ruling:?}");
            }
        }
    }

    #[test]
    fn declared_capabilities_are_recognised() {
        let declared = json!({"elicitation": {}, "extensions": {"a/b": {}}});
        assert!(covers(&declared, &json!({"elicitation": {"form": {}}})));
        assert!(!covers(&declared, &json!({"elicitation": {"url": {}}})));
        assert!(covers(&declared, &json!({"extensions": {"a/b": {}}})));
        assert!(!covers(&declared, &json!({"extensions": {"c/d": {}}})));
        assert!(!covers(&declared, &json!({"sampling": {}})));
    }

    #[test]
    fn codes_without_their_fault_are_found() {
        let error = |code: i64| json!({"jsonrpc": "2.0", "id": "given/1", "error": {"code": code, "message": "no"}});
        for code in [-32020, -32022] {
            let recording = replied(&[("tools/list", 400, error(code))]);
            assert!(
                ruling_on("errors.defined-meaning", &recording).is_broken(),
                "{code}"
            );
        }
        // A slip of servers that expect a name there; the method is not served.
        let recording = replied(&[("resources/subscribe", 400, error(-32020))]);
        let found = ruling_on("errors.defined-meaning", &recording);
        assert!(matches!(found, Ruling::Found(_)) && !found.is_broken());
        // Helpful to a client that begins with it.
        let recording = replied(&[("initialize", 400, error(-32022))]);
        assert!(ruling_on("errors.defined-meaning", &recording).is_met());
    }
}
