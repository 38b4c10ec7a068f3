//! What a line of standard output is that belongs to no exchange: noise, a piece of a message, several
//! messages at once.

use super::process::object;
use crate::wire::json::{JsonFault, parse};
use crate::wire::rpc::{Kind, Parsed};
use serde_json::Value;
use verdict_model::transcript::{Channel, Stray};

/// Bytes of a message over several lines that are put together again.
const JOINED: usize = 256 << 10;

/// The stray lines of a process, by what they are.
#[derive(Debug, Default)]
pub(crate) struct Sorted<'c> {
    pub(crate) blank: usize,
    pub(crate) noise: Vec<&'c Stray>,
    /// The first line of each message that is spread over several, and how many lines those are.
    pub(crate) split: Vec<(&'c Stray, usize)>,
    /// Lines with more than one message.
    pub(crate) joined: Vec<&'c Stray>,
}

/// Sorts the stray lines of a process.
pub(crate) fn sort(log: &Channel) -> Sorted<'_> {
    let mut sorted = Sorted::default();
    let mut at = 0;
    while let Some(stray) = log.stray.get(at) {
        at += 1;
        let text = stray.text.trim_start_matches('\u{FEFF}').trim();
        if text.is_empty() {
            sorted.blank += 1;
        } else if object(stray).is_some_and(|envelope| envelope.kind() != Kind::Neither) {
            // A message that belongs to no exchange: other rules judge it.
        } else if leading_messages(text) > 1 {
            sorted.joined.push(stray);
        } else if let Some(lines) = spread(&log.stray[at - 1..], log.stray_dropped > 0) {
            sorted.split.push((stray, lines));
            at += lines - 1;
        } else {
            sorted.noise.push(stray);
        }
    }
    sorted
}

/// How many JSON-RPC messages stand one after the other at the beginning of a line; two are enough to know.
fn leading_messages(text: &str) -> usize {
    let values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let messages = values.map_while(Result::ok).take(2);
    messages.take_while(is_message).count()
}

fn is_message(value: &Value) -> bool {
    value.get("jsonrpc").is_some()
        && ["method", "result", "error"]
            .iter()
            .any(|member| value.get(member).is_some())
}

/// How many lines from the first on make one message together, if they do.
fn spread(lines: &[Stray], more: bool) -> Option<usize> {
    let mut whole = lines.first()?.text.clone();
    if !whole.trim_start().starts_with('{') {
        return None;
    }
    for (at, line) in lines.iter().enumerate().skip(1) {
        // A raw line end inside a string is an embedded newline as well.
        match unfinished(&whole)? {
            Unfinished::InString => whole.push_str("\\n"),
            Unfinished::Between => whole.push('\n'),
        }
        whole.push_str(&line.text);
        if whole.len() > JOINED {
            break;
        }
        if let Parsed::Object(envelope) = Parsed::read(&whole) {
            return (envelope.kind() != Kind::Neither).then_some(at + 1);
        }
    }
    // The rest was not kept, but what there is can be told.
    let cut_short = more || whole.len() > JOINED;
    (cut_short && unfinished(&whole).is_some() && whole.contains("\"jsonrpc\""))
        .then_some(lines.len())
}

enum Unfinished {
    InString,
    Between,
}

/// Whether a text is the beginning of a JSON value.
fn unfinished(text: &str) -> Option<Unfinished> {
    match parse(text) {
        Err(JsonFault::Syntax(why)) if why.starts_with("EOF while parsing a string") => {
            Some(Unfinished::InString)
        }
        Err(JsonFault::Syntax(why)) if why.starts_with("EOF while") => Some(Unfinished::Between),
        _ => None,
    }
}

/// Noise and a message on one line: the message is lost, which may be why nothing was understood.
pub(crate) fn is_glued(stray: &Stray) -> bool {
    let text = stray.text.trim_start();
    if text.starts_with('[') || leading_messages(text) > 0 {
        return false;
    }
    let starts = stray.text.match_indices('{').map(|(at, _)| at);
    starts
        .filter(|at| *at > 0)
        .take(16)
        .any(|at| leading_messages(&stray.text[at..]) > 0)
}

/// An array of messages, which earlier revisions called a batch.
pub(crate) fn is_batch(stray: &Stray) -> bool {
    let read = parse(&stray.text).map(|json| json.value);
    read.is_ok_and(|value| {
        let mut items = value.as_array().into_iter().flatten();
        items.any(is_message)
    })
}
