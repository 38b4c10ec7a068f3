//! What a call returns: its shape, and the content in it.

use super::calls::{CALLS, results, successes, untried};
use crate::check::Check;
use crate::context::Context;
use crate::encoded;
use crate::facts::Declared;
use crate::passive::{Seen, Slips, pattern};
use crate::ruling::{Finding, Ruling};
use serde_json::Value;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("tools.call-shape", "The result of a call has a list of content, and isError as a boolean if at all")
        .opt_in()
        .spec("schema#CallToolResult")
        .why("Typed clients refuse the whole result, and the model never sees what the tool did.")
        .fix("Always send `content`, an empty list if there is nothing to say, and `isError` as true or false.")
        .official(&["tools-call-simple-text", "tools-call-error"])
        .probes(&[&CALLS])
        .judge(shape),
    Check::must("tools.content-kinds", "Content is of a defined kind, with what its kind requires")
        .opt_in()
        .spec("schema#ContentBlock")
        .why("Clients drop content that they cannot read, or the whole result with it.")
        .fix("Use text, image, audio, resource_link and resource, with all their required members; put anything else into structuredContent.")
        .official(&["tools-call-image", "tools-call-audio", "tools-call-embedded-resource", "tools-call-mixed-content"])
        .probes(&[&CALLS])
        .judge(kinds),
    Check::must("tools.content-base64", "Images, sounds and blobs in the result of a call are standard Base64")
        .opt_in()
        .spec("schema#ImageContent")
        .why("Clients and model providers refuse the image, or show garbage.")
        .fix("Encode the bytes in the standard alphabet of RFC 4648 with padding, without line breaks and without a data: prefix.")
        .official(&["tools-call-image"])
        .probes(&[&CALLS])
        .judge(base64),
    Check::should("tools.embedded-needs-resources", "A server that embeds resources declares resources")
        .opt_in()
        .spec("tools#embedded-resources")
        .why("A client that sees no such capability has no code at hand to show or refresh the resource.")
        .fix("Declare the resources capability, or send the content as text.")
        .probes(&[&CALLS])
        .judge(embedded),
];

/// Judges every result of a call by the places that a check owns.
fn owned(cx: &Context, check: &'static str, met: &str) -> Ruling {
    let results = results(cx);
    if results.is_empty() {
        return untried(cx);
    }
    let mut slips = Slips::default();
    for (_, seen) in &results {
        slips.add_misshapen(seen, check);
    }
    slips.ruling(format!("{} results {met}", results.len()))
}

fn shape(cx: &Context) -> Ruling {
    owned(cx, "tools.call-shape", "are as they should be")
}

fn kinds(cx: &Context) -> Ruling {
    owned(cx, "tools.content-kinds", "hold content of defined kinds")
}

/// The content of a result, each block with its place in it.
fn blocks<'c>(seen: &Seen<'c>) -> impl Iterator<Item = (usize, &'c Value)> + use<'c> {
    let content = seen.result.get("content").and_then(Value::as_array);
    content.into_iter().flatten().enumerate()
}

/// The Base64 of a block of content, with its place below the block.
pub(crate) fn binary(block: &Value) -> Option<(&'static str, &str)> {
    let (place, value) = match block.get("type")?.as_str()? {
        "image" | "audio" => ("/data", block.get("data")?),
        "resource" => ("/resource/blob", block.get("resource")?.get("blob")?),
        _ => return None,
    };
    Some((place, value.as_str()?))
}

fn base64(cx: &Context) -> Ruling {
    let results = results(cx);
    let mut slips = Slips::default();
    let mut count = 0;
    for (tool, seen) in &results {
        for (index, block) in blocks(seen) {
            let Some((place, text)) = binary(block) else {
                continue;
            };
            count += 1;
            let place = format!("/content/{index}{place}");
            if let Some((weight, why)) = encoded::fault(text) {
                slips.add(format!("{} {}", tool.name(), pattern(&place)), || {
                    let message = format!("the Base64 of {} {why}", kind(block));
                    seen.found(Finding::new(weight, message), &place)
                });
            }
        }
    }
    match (results.is_empty(), count) {
        (true, _) => untried(cx),
        (_, 0) => Ruling::not_applicable("no tool that was called answers with binary content"),
        _ => slips.ruling(format!("{count} texts are Base64")),
    }
}

/// A block of content, in words.
pub(crate) fn kind(block: &Value) -> &'static str {
    match block.get("type").and_then(Value::as_str) {
        Some("image") => "an image",
        Some("audio") => "a sound",
        _ => "an embedded resource",
    }
}

fn embedded(cx: &Context) -> Ruling {
    let results = successes(cx);
    if results.is_empty() {
        return untried(cx);
    }
    let mut slips = Slips::default();
    let mut count = 0;
    for (tool, seen) in &results {
        for (index, block) in blocks(seen) {
            if block.get("type").is_none_or(|kind| kind != "resource") {
                continue;
            }
            count += 1;
            if cx.facts.declares("resources") == Declared::No {
                slips.add(tool.name(), || {
                    let finding = Finding::broken(
                        "the result embeds a resource; expected the capability `resources`, which is not declared",
                    );
                    seen.found(finding, &format!("/content/{index}"))
                });
            }
        }
    }
    if count == 0 {
        return Ruling::not_applicable("no tool that was called embeds a resource");
    }
    slips.ruling(format!(
        "{count} embedded resources, and resources are declared"
    ))
}

#[cfg(test)]
mod tests {
    use crate::testing::shows;

    #[test]
    fn slips_in_results_are_found() {
        shows(&[
            ("is-error-text", "tools.call-shape", "fail"),
            ("content-video", "tools.content-kinds", "fail"),
            ("content-base64-bad", "tools.content-base64", "fail"),
            (
                "embeds-undeclared-resource",
                "tools.embedded-needs-resources",
                "warn",
            ),
        ]);
    }
}
