//! What is expected of the model.

use super::case::Given;
use super::fields::{self, Fields, kind_of, listed, place_of};
use super::{Sink, scalar};
use crate::golden::{Expect, Order, Step};
use serde_json::{Map, Value};
use verdict_config::tree::{Content, Entry, Node};

const ORDERS: [(&str, Order); 3] = [
    ("exact", Order::Exact),
    ("in_order", Order::InOrder),
    ("any", Order::Any),
];

/// Most steps of a sequence.
const MAX_STEPS: usize = 100;

const STEP: &[&str] = &["tool", "args"];

/// Reads `expect_tool` with `expect_args`, or `expect_sequence` with `order`.
pub(super) fn read(given: &Given, never: bool, forbids: bool, sink: &mut Sink) -> Expect {
    let (tool, sequence) = (
        given.own.get("expect_tool"),
        given.own.get("expect_sequence"),
    );
    if never && !forbids {
        let place = given.own.get("kind").map_or(given.own.place, place_of);
        let message = "a case of kind never says with `forbid_tools` what must not happen";
        sink.note(
            place,
            message,
            "add `forbid_tools`, or choose `hard` or `soft`",
        );
    }
    let expect = match (tool, sequence) {
        (Some(_), Some(second)) => {
            let message = "`expect_tool` and `expect_sequence` are both there";
            sink.note(second.place, message, "keep one: one call, or several");
            Expect::Anything
        }
        (Some(entry), None) => one_tool(entry, given.own.get("expect_args"), sink),
        (None, Some(entry)) => several(entry, given, sink),
        (None, None) => {
            if !never {
                let message = "this case expects nothing that can be checked";
                let mend = "add `expect_tool` (null for no call) or `expect_sequence`";
                sink.note(given.own.place, message, mend);
            }
            Expect::Anything
        }
    };
    misplaced(given, &expect, sink);
    expect
}

/// Members that mean nothing beside what is expected.
fn misplaced(given: &Given, expect: &Expect, sink: &mut Sink) {
    let both = given.own.get("expect_tool").is_some() && given.own.get("expect_sequence").is_some();
    if let (Some(entry), false) = (given.own.get("expect_args"), both) {
        let mend = match expect {
            Expect::Tool { .. } => None,
            Expect::Sequence { .. } => {
                Some("give each step its own: `{ tool: name, args: { … } }`")
            }
            Expect::Nothing => Some("leave it out: no call has no arguments"),
            Expect::Anything => Some("add `expect_tool`"),
        };
        if let Some(mend) = mend {
            sink.note(
                entry.place,
                "`expect_args` goes with one expected tool",
                mend,
            );
        }
    }
    if let (Some(entry), false) = (given.own.get("order"), both)
        && !matches!(expect, Expect::Sequence { .. })
    {
        let message = "`order` goes with `expect_sequence`";
        sink.note(entry.place, message, "leave it out, or list the calls");
    }
}

fn one_tool(entry: &Entry, arguments: Option<&Entry>, sink: &mut Sink) -> Expect {
    if let Content::Scalar { text, plain: true } = &entry.value.content {
        match scalar::plain(text) {
            scalar::Plain::Null => return Expect::Nothing,
            scalar::Plain::Trap("null") => {
                let message = "`expect_tool` says neither a name nor null";
                sink.note(
                    place_of(entry),
                    message,
                    "write null for no call, or name the tool",
                );
                return Expect::Nothing;
            }
            _ => {}
        }
    }
    Expect::Tool {
        names: fields::names(entry, sink).unwrap_or_default(),
        arguments: arguments.and_then(|entry| args(entry, sink)),
    }
}

fn args(entry: &Entry, sink: &mut Sink) -> Option<Map<String, Value>> {
    if matches!(entry.value.content, Content::Mapping(_)) {
        return Some(scalar::object(&entry.value, sink));
    }
    let message = format!(
        "`{}` is a mapping, and this is {}",
        entry.key,
        kind_of(&entry.value)
    );
    let mend = "write `{ argument: value }`, or leave it out where arguments do not matter";
    sink.note(place_of(entry), message, mend);
    None
}

fn several(entry: &Entry, given: &Given, sink: &mut Sink) -> Expect {
    let empty = Vec::new();
    let items = match &entry.value.content {
        Content::List(items) => items,
        _ => &empty,
    };
    if items.is_empty() {
        let message = format!(
            "`expect_sequence` is a list of calls, and this is {}",
            kind_of(&entry.value)
        );
        sink.note(
            place_of(entry),
            message,
            "write `[first_tool, { tool: second_tool, args: { … } }]`",
        );
    }
    if items.len() > MAX_STEPS {
        let message = format!("the sequence has more than {MAX_STEPS} steps");
        sink.note(
            place_of(entry),
            message,
            "split the task into several cases",
        );
        return Expect::Anything;
    }
    let steps: Vec<Step> = items.iter().filter_map(|item| step(item, sink)).collect();
    let order = given
        .get("order")
        .and_then(|it| fields::word(it, &ORDERS, sink));
    let contrary = given
        .own
        .get("order")
        .filter(|_| order == Some(Order::Exact));
    if let (Some(order), Some(extra)) = (contrary, given.own.get("allow_extra_calls"))
        && matches!(&extra.value.content, Content::Scalar { text, plain: true } if text == "true")
    {
        let message = "an exact order has no room for extra calls";
        sink.note(
            order.place,
            message,
            "write `order: in_order`, or leave `allow_extra_calls` out",
        );
    }
    Expect::Sequence {
        order: order.unwrap_or_else(|| usual_order(&steps)),
        steps,
    }
}

/// Calls of one tool do not wait for one another, and models make them in parallel; calls of several usually do.
fn usual_order(steps: &[Step]) -> Order {
    match steps {
        [first, rest @ ..] if !rest.is_empty() && rest.iter().all(|it| it.tool == first.tool) => {
            Order::Any
        }
        _ => Order::default(),
    }
}

fn step(item: &Node, sink: &mut Sink) -> Option<Step> {
    if let Content::Mapping(_) = item.content {
        let fields = Fields::of(item, STEP, sink)?;
        let Some(tool) = fields.get("tool") else {
            let mend = format!("a step has {}", listed(STEP));
            sink.note(item.place, "this step names no `tool`", mend);
            return None;
        };
        return Some(Step {
            tool: fields::text(tool, sink)?,
            arguments: fields.get("args").and_then(|entry| args(entry, sink)),
        });
    }
    let Some(tool) = fields::text_of(item).filter(|name| !name.trim().is_empty()) else {
        let message = format!(
            "a step is a tool's name or a mapping, and this is {}",
            kind_of(item)
        );
        sink.note(
            item.place,
            message,
            "write `name`, or `{ tool: name, args: { … } }`",
        );
        return None;
    };
    Some(Step {
        tool,
        arguments: None,
    })
}
