//! Reads up to three listed resources, the smallest first; several checks judge what comes back.
//!
//! Nothing large is read: what a resource holds is no concern of a conformance run.

use crate::ask::{Ask, Probe, Stage};
use crate::context::Context;
use crate::facts::List;
use crate::record::{Record, Several, several};
use crate::refusal::answered;
use crate::ruling::Ruling;
use serde_json::{Value, json};

/// Reads the [`chosen`] resources.
pub(crate) const READING: Probe = Probe {
    name: "resources.reading",
    stage: Stage::Main,
    next: reading,
};

/// Resources that one run reads.
const MOST: usize = 3;
/// Bytes of a resource that is read; larger ones are left alone.
const LARGEST: u64 = 4 << 20;

fn reading(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || cx.settings.config.no_reads {
        return vec![];
    }
    let steps = (1..).map(|number: usize| number.to_string());
    steps
        .zip(chosen(cx))
        .map(|(step, uri)| Ask::request(step, "resources/read", json!({"uri": uri})))
        .collect()
}

/// The URIs that are read: listed ones, the smallest first; where none is listed, `resources.known`.
pub(crate) fn chosen<'c>(cx: &Context<'c>) -> Vec<&'c str> {
    let mut listed: Vec<(u64, &str)> = cx
        .facts
        .items(List::Resources)
        .filter_map(|item| {
            let uri = item.value.get("uri")?.as_str()?;
            let size = item.value.get("size").and_then(Value::as_u64);
            Some((size.unwrap_or(LARGEST), uri))
        })
        .filter(|(size, _)| *size <= LARGEST)
        .collect();
    listed.sort_by_key(|(size, _)| *size);
    let known = cx.settings.config.resources.known.iter();
    let known = known.map(String::as_str).filter(|_| listed.is_empty());
    let mut uris: Vec<&str> = Vec::new();
    for uri in listed.iter().map(|(_, uri)| *uri).chain(known) {
        if uris.len() < MOST && !uris.contains(&uri) {
            uris.push(uri);
        }
    }
    uris
}

/// What was read: each URI with its exchange.
pub(crate) fn reads<'c>(cx: &Context<'c>) -> Several<(&'c str, &'c Record)> {
    let records = (1..=MOST).map_while(|number| cx.record(&format!("resources.reading/{number}")));
    several(records.filter_map(|record| {
        let params = record.request()?.params()?;
        Some((params.get("uri")?.as_str()?, record))
    }))
}

/// Why nothing was read.
pub(crate) fn nothing_to_read(cx: &Context) -> Ruling {
    if let Some((_, record)) = reads(cx).next() {
        return match answered(cx, &record.exchange.name) {
            Err(ruling) => ruling,
            Ok(_) => Ruling::skip("no listed resource could be read"),
        };
    }
    if chosen(cx).is_empty() {
        return Ruling::skip(
            "no resource is listed; name one that can be read (resources.known) to try this",
        );
    }
    match answered(cx, "resources.reading/1") {
        Err(ruling) => ruling,
        Ok(_) => Ruling::skip("nothing was read"),
    }
}
