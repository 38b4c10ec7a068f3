//! What a case brings along: earlier turns, canned results, answers to what the server asks back.

use super::Sink;
use super::fields::{self, kind_of, place_of, quoted};
use super::scalar;
use crate::chat::{Said, Turn};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use verdict_config::tree::{Content, Entry, Node};

/// Members of which a result of `tools/call` has at least one.
const RESULT: [&str; 4] = ["content", "structuredContent", "isError", "resultType"];

/// Reads `history`: turns of `{ user: … }` and `{ assistant: … }`, one after the other, since most providers refuse
/// anything else.
pub(super) fn history(entry: &Entry, sink: &mut Sink) -> Vec<Turn> {
    let Content::List(items) = &entry.value.content else {
        let message = format!(
            "`history` is a list of turns, and this is {}",
            kind_of(&entry.value)
        );
        sink.note(
            place_of(entry),
            message,
            "write `- user: …` and `- assistant: …` in turns",
        );
        return Vec::new();
    };
    let mut turns = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let due = if at % 2 == 0 { "user" } else { "assistant" };
        match turn(item, due, sink) {
            Some(turn) => turns.push(turn),
            // Whose turn is next is not known any more.
            None => break,
        }
    }
    if turns.len() == items.len() && items.len() % 2 == 1 {
        let message = "the last turn of `history` is the user's, and the prompt follows it";
        sink.note(
            place_of(entry),
            message,
            "add the assistant's answer, or put both into the prompt",
        );
    }
    turns
}

fn turn(item: &Node, due: &str, sink: &mut Sink) -> Option<Turn> {
    let entry = match &item.content {
        Content::Mapping(entries) => match entries.as_slice() {
            [entry] => entry,
            _ => return no_turn(item, due, sink),
        },
        _ => return no_turn(item, due, sink),
    };
    if entry.key != due {
        let message = format!(
            "a turn of `{due}` is due here, and this is one of {}",
            quoted(&entry.key)
        );
        let mend = "turns are the user's and the assistant's by turns, the user's first";
        sink.note(entry.place, message, mend);
        return None;
    }
    let text = fields::text(entry, sink)?;
    Some(if due == "user" {
        Turn::User { text }
    } else {
        Turn::Assistant(Said {
            text,
            ..Said::default()
        })
    })
}

fn no_turn<T>(item: &Node, due: &str, sink: &mut Sink) -> Option<T> {
    let message = format!(
        "a turn is one line of who says what, and this is {}",
        kind_of(item)
    );
    sink.note(item.place, message, format!("write `- {due}: …`"));
    None
}

/// Reads `tool_results`: by tool one result or a list of them. Text alone is a result of that text.
pub(super) fn canned(entry: &Entry, sink: &mut Sink) -> BTreeMap<String, Vec<Map<String, Value>>> {
    let Content::Mapping(tools) = &entry.value.content else {
        let message = format!(
            "`tool_results` is a mapping of tools, and this is {}",
            kind_of(&entry.value)
        );
        sink.note(place_of(entry), message, "write `{ tool_name: result }`");
        return BTreeMap::new();
    };
    let mut canned = BTreeMap::new();
    for tool in tools {
        let one = std::slice::from_ref(&tool.value);
        let items = match &tool.value.content {
            Content::List(items) => items.as_slice(),
            _ => one,
        };
        let results: Vec<_> = items.iter().filter_map(|item| result(item, sink)).collect();
        if items.is_empty() {
            let message = format!("there is no result for {}", quoted(&tool.key));
            sink.note(
                place_of(tool),
                message,
                "write at least one, or leave the tool out",
            );
        }
        canned.insert(tool.key.clone(), results);
    }
    canned
}

fn result(item: &Node, sink: &mut Sink) -> Option<Map<String, Value>> {
    let Content::Mapping(entries) = &item.content else {
        return if let Some(text) = fields::text_of(item) {
            Some(said(&text))
        } else {
            let message = format!(
                "a result is text or a mapping, and this is {}",
                kind_of(item)
            );
            sink.note(
                item.place,
                message,
                "write text, or `{ content: [{ type: text, text: … }] }`",
            );
            None
        };
    };
    let mut object = scalar::object(item, sink);
    if !RESULT.iter().any(|member| object.contains_key(*member)) {
        let message =
            "this is no result of a tool: it has neither `content` nor `structuredContent`";
        sink.note(
            item.place,
            message,
            "put data into `structuredContent: { … }`, and words into `content`",
        );
        return None;
    }
    let content = entries.iter().find(|entry| entry.key == "content");
    match content {
        Some(content) if !matches!(object.get("content"), Some(Value::Array(items)) if items.iter().all(Value::is_object)) =>
        {
            let message = "`content` is a list of blocks";
            sink.note(
                place_of(content),
                message,
                "write `[{ type: text, text: … }]`",
            );
        }
        Some(_) => {}
        None => {
            // Structured content also comes as text, for clients that read nothing else.
            let text = object
                .get("structuredContent")
                .map_or_else(String::new, Value::to_string);
            object.extend(said(&text));
        }
    }
    Some(object)
}

fn said(text: &str) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert(
        "content".to_owned(),
        json!([{ "type": "text", "text": text }]),
    );
    object
}

/// Reads `answers`: values by the name of the field that the server asks for.
pub(super) fn answers(entry: &Entry, sink: &mut Sink) -> Map<String, Value> {
    if matches!(entry.value.content, Content::Mapping(_)) {
        return scalar::object(&entry.value, sink);
    }
    let message = format!(
        "`answers` is a mapping of fields, and this is {}",
        kind_of(&entry.value)
    );
    sink.note(place_of(entry), message, "write `{ field: value }`");
    Map::new()
}
