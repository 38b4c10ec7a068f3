//! Who the server is: `_meta["io.modelcontextprotocol/serverInfo"]`.

use crate::check::Check;
use crate::context::Context;
use crate::passive::{Slips, nothing_seen, pattern, results};
use crate::refusal::served;
use crate::ruling::{Finding, Ruling};
use crate::shape;
use crate::wire::json::shortened;
use fluent_uri::Uri;
use serde_json::Value;

/// `_meta` key of the server's name and version.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// JSON Pointer to it in a response.
const POINTER: &str = "/result/_meta/io.modelcontextprotocol~1serverInfo";

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::should("discover.server-info", "server/discover says the server's name and version")
        .spec("discover#discoverresult")
        .why("Users cannot tell servers apart, and nobody finds the release that a fault came with.")
        .fix("Put {\"name\", \"version\"} into _meta[\"io.modelcontextprotocol/serverInfo\"] of results.")
        .official(&["sep-2575-server-identifies-in-result-meta"])
        .judge(info),
    Check::must("discover.server-info-shape", "serverInfo has a name, a version and members of the right types wherever it is sent")
        .spec("schema#Implementation")
        .why("Typed clients refuse the whole result for one member of serverInfo.")
        .fix("Send name and version as strings; websiteUrl and the src of icons as absolute URIs.")
        .official(&["wire-schema-valid"])
        .judge(info_shape),
];

/// The serverInfo of a result.
pub fn server_info(result: &Value) -> Option<&Value> {
    result.get("_meta")?.get(SERVER_INFO)
}

fn info(cx: &Context) -> Ruling {
    let record = match served(cx, "era/discover") {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let Some(info) = record.result().and_then(server_info) else {
        return Finding::broken(
            "the server/discover result has no _meta[\"io.modelcontextprotocol/serverInfo\"]; expected name and version",
        )
        .seen_in(record)
        .at("/result")
        .into();
    };
    let mut findings = Vec::new();
    for name in ["name", "version"] {
        match info.get(name).and_then(Value::as_str) {
            Some("") => findings.push(
                Finding::noted(format!("serverInfo.{name} is an empty string"))
                    .seen_in(record)
                    .at(format!("{POINTER}/{name}")),
            ),
            Some(_) => {}
            None => {
                return Ruling::skip(format!(
                    "serverInfo.{name} is no string (discover.server-info-shape)"
                ));
            }
        }
    }
    Ruling::of(findings, "name and version are given")
}

fn info_shape(cx: &Context) -> Ruling {
    let mut slips = Slips::default();
    let mut seen_before: Vec<&Value> = Vec::new();
    for seen in results(cx) {
        let Some(info) = server_info(seen.result).filter(|info| !seen_before.contains(info)) else {
            continue;
        };
        seen_before.push(info);
        // The rest of a large result is not this rule's; the shapes are asked about this part alone.
        let part = serde_json::json!({"resultType": "complete", "_meta": {SERVER_INFO: info}});
        let violations = shape::result("", &part);
        for violation in shape::owned_by(&violations, Some("discover.server-info-shape")) {
            slips.add(pattern(&violation.pointer), || {
                let place = violation.pointer.strip_prefix(POINTER).unwrap_or_default();
                Finding::broken(format!(
                    "serverInfo{} is {}; expected {}",
                    place.replace('/', "."),
                    violation.actual,
                    violation.expected
                ))
                .seen_in(seen.record)
                .at(&violation.pointer)
            });
        }
        for (place, uri) in uris(info) {
            if is_absolute(uri) {
                continue;
            }
            slips.add(format!("{place} uri"), || {
                let uri = shortened(&Value::from(uri), 100);
                Finding::unproven(format!(
                    "serverInfo{} is {uri}; expected an absolute URI",
                    place.replace('/', ".")
                ))
                .seen_in(seen.record)
                .at(format!("{POINTER}{place}"))
            });
        }
    }
    if seen_before.is_empty() {
        return match results(cx).next() {
            Some(_) => Ruling::met("no result carries serverInfo"),
            None => nothing_seen(cx, "result"),
        };
    }
    slips.ruling("every serverInfo is as it should be")
}

/// The members of a serverInfo that hold URIs.
fn uris(info: &Value) -> impl Iterator<Item = (String, &str)> {
    let website = info.get("websiteUrl").and_then(Value::as_str);
    let website = website.map(|uri| ("/websiteUrl".to_owned(), uri));
    let icons = info.get("icons").and_then(Value::as_array);
    let icons = icons.into_iter().flatten().take(100).enumerate();
    let icons = icons.filter_map(|(index, icon)| {
        Some((format!("/icons/{index}/src"), icon.get("src")?.as_str()?))
    });
    website.into_iter().chain(icons)
}

/// Whether a text is a URI with a scheme (RFC 3986).
pub fn is_absolute(uri: &str) -> bool {
    Uri::parse(uri).is_ok()
}

#[cfg(test)]
mod tests {
    use crate::testing::{replied, ruling_on, word};
    use serde_json::{Value, json};

    fn with(info: &Value) -> [&'static str; 2] {
        let result = json!({"resultType": "complete", "_meta": {super::SERVER_INFO: info}});
        let reply = json!({"jsonrpc": "2.0", "id": "given/1", "result": result});
        let recording = replied(&[("tools/list", 200, reply)]);
        ["discover.server-info-shape", "tools.icons"].map(|id| word(&ruling_on(id, &recording)))
    }

    #[test]
    fn members_of_the_right_types_and_absolute_addresses() {
        let info = |member: &str, value: Value| {
            let mut info = json!({"name": "a", "version": "1"});
            info[member] = value;
            info
        };
        let shape = |member, value| with(&info(member, value))[0];
        assert_eq!(shape("title", json!("A")), "met");
        assert_eq!(shape("version", json!(2)), "broken");
        assert_eq!(shape("icons", json!([{"mimeType": "image/png"}])), "broken");
        assert_eq!(shape("websiteUrl", json!("https://a.example")), "met");
        assert_eq!(shape("websiteUrl", json!("a.example")), "unproven");
        assert_eq!(shape("icons", json!([{"src": "/icon.png"}])), "unproven");
    }
}
