//! What a listed resource is when it is read.

use super::reading::{READING, nothing_to_read, reads};
use crate::check::Check;
use crate::conformance::list::reach::{about, items, unwalked};
use crate::context::Context;
use crate::encoded;
use crate::facts::{Item, List};
use crate::passive::{Seen, Slips, pattern, results};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::cut;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("resources.read-shape", "A resource reads as a list of contents, each with a uri and text or blob")
        .reads()
        .spec("schema#ReadResourceResult")
        .why("Typed clients refuse the whole answer, so the resource cannot be used.")
        .fix("Send `contents` as a list; give each item its uri and either text or blob, as strings.")
        .official(&["resources-read-text", "resources-read-binary"])
        .probes(&[&READING])
        .judge(shape),
    Check::must("resources.blob-base64", "A blob is standard Base64")
        .reads()
        .spec("resources#security-considerations")
        .why("Clients cannot decode the file, or save garbage.")
        .fix("Encode the bytes in the standard alphabet of RFC 4648 with padding, without line breaks.")
        .official(&["resources-read-binary"])
        .probes(&[&READING])
        .judge(blobs),
    Check::advisory("resources.read-uri", "A resource reads under the URI that was asked for")
        .reads()
        .spec("resources#reading-resources")
        .why("A client that matches answers by their URI does not find what it asked for.")
        .fix("Give the contents the URI of the request, or ones below it.")
        .probes(&[&READING])
        .judge(same_uri),
    Check::advisory("resources.read-empty-listed", "A listed resource does not read as nothing")
        .reads()
        .spec("resources#error-handling")
        .why("A model takes empty contents for the truth; often the resource is gone or was not found.")
        .fix("Send one item with an empty text for an empty resource, and an error for one that is gone.")
        .probes(&[&READING])
        .judge(empty),
    Check::advisory("resources.mime-agrees", "A resource has the type and size that the list says")
        .reads()
        .spec("resources#resource")
        .why("Clients choose by type and plan by size before they read.")
        .fix("Take mimeType and size of the list from the same place that resources/read has them from.")
        .probes(&[&READING])
        .judge(as_listed),
    Check::should("resources.https-scheme", "URIs with https: are kept for what a client can fetch by itself")
        .spec("resources#https")
        .why("A client that fetches the address gets another thing, or nothing, without a word from the server.")
        .fix("Use another scheme, unless anyone can load the resource from its address without the server.")
        .judge(https),
];

/// The complete answers to reads of listed resources; a ruling where there are none.
fn all<'c>(cx: &Context<'c>) -> Result<Vec<(&'c str, Seen<'c>)>, Ruling> {
    if let Some(ruling) = unwalked(cx, List::Resources) {
        return Err(ruling);
    }
    let reads: Vec<_> = reads(cx).collect();
    let all: Vec<_> = results(cx)
        .filter(Seen::is_complete)
        .filter_map(|seen| {
            let mut reads = reads.iter();
            let (uri, _) = reads.find(|(_, record)| std::ptr::eq(*record, seen.record))?;
            Some((*uri, seen))
        })
        .collect();
    if all.is_empty() {
        return Err(nothing_to_read(cx));
    }
    Ok(all)
}

/// The contents of an answer, each with its place in it.
fn contents<'c>(seen: &Seen<'c>) -> impl Iterator<Item = (usize, &'c Value)> + use<'c> {
    let contents = seen.result.get("contents").and_then(Value::as_array);
    contents.into_iter().flatten().enumerate()
}

/// Judges the answers one by one.
fn each(cx: &Context, met: &str, judge: impl Fn(&str, &Seen, &mut Slips)) -> Ruling {
    let all = match all(cx) {
        Ok(all) => all,
        Err(ruling) => return ruling,
    };
    let mut slips = Slips::default();
    for (uri, seen) in &all {
        judge(uri, seen, &mut slips);
    }
    slips.ruling(format!("{} resources {met}", all.len()))
}

fn shape(cx: &Context) -> Ruling {
    each(cx, "were read", |uri, seen, slips| {
        slips.add_misshapen(seen, "resources.read-shape");
        for (index, item) in contents(seen) {
            let is_text = |member: &str| item.get(member).is_some_and(Value::is_string);
            if is_text("text") && is_text("blob") {
                slips.add(format!("{uri} both"), || {
                    let finding = Finding::unproven(
                        "the contents have both text and blob; expected one of them",
                    );
                    seen.found(finding, &format!("/contents/{index}"))
                });
            }
        }
    })
}

fn blobs(cx: &Context) -> Ruling {
    let any = match all(cx) {
        Ok(all) => all
            .iter()
            .any(|(_, seen)| contents(seen).any(|(_, item)| item.get("blob").is_some())),
        Err(ruling) => return ruling,
    };
    if !any {
        return Ruling::not_applicable("none of the resources that were read is binary");
    }
    each(
        cx,
        "were read, and their blobs are Base64",
        |uri, seen, slips| {
            for (index, item) in contents(seen) {
                let blob = item.get("blob").and_then(Value::as_str);
                if let Some((weight, why)) = blob.and_then(encoded::fault) {
                    let place = format!("/contents/{index}/blob");
                    slips.add(format!("{uri} {}", pattern(&place)), || {
                        seen.found(Finding::new(weight, format!("the blob {why}")), &place)
                    });
                }
            }
        },
    )
}

/// A URI in a form that two spellings of the same have in common.
fn normal(uri: &str) -> String {
    let mut out = Vec::new();
    let mut bytes = uri.bytes();
    while let Some(byte) = bytes.next() {
        let mut ahead = bytes.clone();
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        match (byte, digit(ahead.next()), digit(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or_default());
                bytes = ahead;
            }
            _ => out.push(byte),
        }
    }
    let text = String::from_utf8_lossy(&out).to_lowercase();
    text.split('#')
        .next()
        .unwrap_or_default()
        .trim_end_matches('/')
        .to_owned()
}

fn same_uri(cx: &Context) -> Ruling {
    each(cx, "read under their URIs", |uri, seen, slips| {
        let mut others = contents(seen)
            .filter_map(|(_, item)| item.get("uri")?.as_str())
            .peekable();
        let Some(first) = others.peek().copied() else {
            return;
        };
        let asked = normal(uri);
        if !others.any(|other| normal(other).starts_with(&asked)) {
            slips.add(uri, || {
                let message = format!(
                    "the contents have the URI {}; expected the one that was asked for, or one below it",
                    cut(first, 200)
                );
                seen.found(Finding::noted(message), "/contents")
            });
        }
    })
}

fn empty(cx: &Context) -> Ruling {
    let listed: Vec<&str> = cx
        .facts
        .items(List::Resources)
        .map(|item| item.name())
        .collect();
    each(cx, "hold something", |uri, seen, slips| {
        let nothing = seen.result.get("contents").and_then(Value::as_array);
        if listed.contains(&uri) && nothing.is_some_and(Vec::is_empty) {
            slips.add(uri, || {
                let finding = Finding::broken(
                    "the listed resource reads as contents: []; expected at least one item",
                );
                seen.found(finding, "/contents")
            });
        }
    })
}

fn as_listed(cx: &Context) -> Ruling {
    each(cx, "are as the list says", |uri, seen, slips| {
        let item = cx
            .facts
            .items(List::Resources)
            .find(|item| item.name() == uri);
        let mut own = contents(seen).filter(|(_, content)| {
            content
                .get("uri")
                .and_then(Value::as_str)
                .is_some_and(|one| normal(one) == normal(uri))
        });
        // Several items under one URI share the type and the size in ways unknown.
        if let (Some(item), Some((index, content)), None) = (item, own.next(), own.next()) {
            for (member, message) in differences(item, content) {
                slips.add(format!("{uri} {member}"), || {
                    seen.found(
                        Finding::noted(message),
                        &format!("/contents/{index}/{member}"),
                    )
                });
            }
        }
    })
}

fn differences(item: Item, content: &Value) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let essence = |value: &Value| {
        let text = value.get("mimeType")?.as_str()?;
        let essence = text.split(';').next().unwrap_or_default();
        Some(essence.trim().to_ascii_lowercase())
    };
    if let (Some(listed), Some(read)) = (essence(item.value), essence(content))
        && listed != read
    {
        let (listed, read) = (cut(&listed, 80), cut(&read, 80));
        found.push((
            "mimeType",
            format!("it is listed as {listed} and reads as {read}"),
        ));
    }
    let text = content.get("text").and_then(Value::as_str);
    let blob = content.get("blob").and_then(Value::as_str);
    let (member, length) = match (text, blob) {
        (Some(text), None) => ("text", Some(text.len())),
        (None, Some(blob)) => (
            "blob",
            BASE64_STANDARD.decode(blob).ok().map(|bytes| bytes.len()),
        ),
        _ => return found,
    };
    let listed = item.value.get("size").and_then(Value::as_u64);
    if let (Some(listed), Some(read)) = (listed, length)
        && usize::try_from(listed) != Ok(read)
    {
        found.push((
            member,
            format!("it is listed with {listed} bytes and has {read}"),
        ));
    }
    found
}

fn https(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Resources) {
        return ruling;
    }
    let is_https = |uri: &str| {
        uri.get(..6)
            .is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:"))
    };
    let found: Vec<Item> = items(cx, List::Resources)
        .into_iter()
        .filter(|item| is_https(item.name()))
        .collect();
    let Some(first) = found.first() else {
        return Ruling::met("no listed resource has an https: URI");
    };
    let message = format!(
        "{} listed resources have https: URIs, which clients may fetch without the server; whether they can was not tried",
        found.len()
    );
    about(cx, first, "/uri", Finding::noted(message)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_uri() {
        assert_eq!(normal("file:///A%20b/"), normal("file:///a b"));
        assert_eq!(normal("a://b%2"), "a://b%2");
        assert_ne!(normal("a://b"), normal("a://c"));
    }

    #[test]
    fn odd_reads_are_found() {
        crate::testing::shows(&[
            ("read-without-text", "resources.read-shape", "fail"),
            ("read-text-and-blob", "resources.read-shape", "warn"),
            ("blob-not-base64", "resources.blob-base64", "fail"),
            ("read-other-uri", "resources.read-uri", "info"),
            ("read-nothing", "resources.read-empty-listed", "warn"),
            ("read-other-type", "resources.mime-agrees", "info"),
            ("resource-https", "resources.https-scheme", "info"),
        ]);
    }
}
