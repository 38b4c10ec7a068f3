//! What `Mcp-Name` is tried on: something listed that may be read without harm, else something absent.
//!
//! A faulty `Mcp-Name` on a listed tool would run it on a server that ignores the field, so tools are used
//! only where the configuration says that they are safe. An absent name is refused anyway: there a refusal
//! for another reason proves nothing.

use super::refused::HEADER_MISMATCH;
use crate::arguments;
use crate::ask::Ask;
use crate::calling;
use crate::context::Context;
use crate::facts::{Declared, Item, List};
use crate::record::{Answer, Record};
use crate::refusal::answered;
use crate::ruling::Ruling;
use serde_json::{Value, json};

/// Requests that carry `Mcp-Name`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `resources/read`.
    Read,
    /// `prompts/get`.
    Get,
    /// `tools/call`.
    Call,
}

/// One request that may carry a faulty `Mcp-Name`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    /// What it does.
    pub(super) kind: Kind,
    /// The value of `Mcp-Name`.
    pub(super) name: String,
    /// Whether the server has no such thing, so that the request is refused anyway.
    pub(super) absent: bool,
    /// The step that sends it without fault.
    pub(super) control: String,
    params: Value,
    tool: Option<Value>,
}

/// Listed things that are tried until one can be read.
const TRIES: usize = 3;
/// Longer names may break limits that HTTP servers have on header fields.
const MAX_NAME: usize = 512;

impl Kind {
    /// All three, in the order in which they are preferred.
    pub(super) const ALL: [Self; 3] = [Self::Read, Self::Get, Self::Call];

    /// The method.
    pub(super) fn method(self) -> &'static str {
        match self {
            Self::Read => "resources/read",
            Self::Get => "prompts/get",
            Self::Call => "tools/call",
        }
    }

    /// Begins the steps of its exchanges.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Get => "get",
            Self::Call => "call",
        }
    }

    /// The capability that announces it.
    pub(super) fn capability(self) -> &'static str {
        match self {
            Self::Read => "resources",
            Self::Get => "prompts",
            Self::Call => "tools",
        }
    }

    /// Whether it is tried at all: with `--no-reads` only absent tools are named.
    pub(super) fn tried(self, cx: &Context) -> bool {
        let declared = cx.facts.declares(self.capability()) == Declared::Yes;
        declared && (self == Self::Call || !cx.settings.config.no_reads)
    }

    /// Listed things of this kind, and at the end one that is absent.
    pub(super) fn candidates(self, cx: &Context) -> Vec<Candidate> {
        let listed = match self {
            Self::Read => resources(cx),
            Self::Get => prompts(cx),
            Self::Call => tools(cx),
        };
        let mut all: Vec<Candidate> = listed
            .into_iter()
            .filter(|(name, ..)| !name.is_empty() && name.len() <= MAX_NAME)
            .enumerate()
            .map(|(at, (name, params, tool))| Candidate {
                kind: self,
                name,
                absent: false,
                control: format!("{}-{}", self.word(), at + 1),
                params,
                tool,
            })
            .collect();
        all.push(self.absent(cx));
        all
    }

    fn absent(self, cx: &Context) -> Candidate {
        let (name, member) = match self {
            Self::Read => (cx.absent_uri(), "uri"),
            Self::Get => (cx.absent("prompt"), "name"),
            Self::Call => (cx.absent("tool"), "name"),
        };
        Candidate {
            kind: self,
            params: json!({ member: name.as_str() }),
            name,
            absent: true,
            control: format!("{}-absent", self.word()),
            tool: None,
        }
    }
}

impl Candidate {
    /// The request, without fault.
    pub(super) fn ask(&self, step: impl Into<String>) -> Ask {
        let arguments = || self.params.get("arguments").and_then(Value::as_object);
        match (&self.tool, arguments()) {
            (Some(tool), Some(arguments)) => calling::call(step, tool, arguments).once(),
            _ => Ask::request(step, self.kind.method(), self.params.clone()),
        }
    }

    /// A name of the same form that the body does not hold.
    pub(super) fn other_name(&self, cx: &Context) -> String {
        match self.kind {
            Kind::Read => format!("mcp-verdict-other://{}", cx.settings.nonce),
            Kind::Get | Kind::Call => cx.absent("other"),
        }
    }

    /// Its exchange without fault.
    pub(super) fn control<'c>(&self, cx: &Context<'c>, probe: &str) -> Option<&'c Record> {
        cx.record(&format!("{probe}/{}", self.control))
    }

    /// Codes that may refuse it for being absent instead of for its header.
    pub(super) fn near(&self, cx: &Context, probe: &str) -> Vec<i64> {
        if !self.absent {
            return vec![];
        }
        let own = match self.control(cx, probe).map(Record::answer) {
            Some(Answer::Error(Some(code))) => Some(code),
            _ => None,
        };
        [-32602, -32002].into_iter().chain(own).collect()
    }
}

/// How far the search for something to try a kind on has come.
pub(super) enum Choice {
    /// The first candidate that is served, else the absent one.
    Made(Candidate),
    /// The candidate that is to be asked for next.
    Open(Candidate),
}

impl Choice {
    fn made(self) -> Option<Candidate> {
        match self {
            Self::Made(candidate) => Some(candidate),
            Self::Open(_) => None,
        }
    }
}

/// What a kind is tried on.
pub(super) fn choose(cx: &Context, probe: &str, kind: Kind) -> Choice {
    for candidate in kind.candidates(cx) {
        let Some(record) = candidate.control(cx, probe) else {
            return Choice::Open(candidate);
        };
        if candidate.absent || record.result().is_some() {
            return Choice::Made(candidate);
        }
    }
    Choice::Open(kind.absent(cx))
}

/// What encoded names are tried on: something listed of any kind, else something absent, tools first.
pub(super) fn for_encoding(cx: &Context, probe: &str) -> Option<Candidate> {
    let chosen: Vec<Candidate> = Kind::ALL
        .into_iter()
        .filter(|kind| kind.tried(cx))
        .filter_map(|kind| choose(cx, probe, kind).made())
        .collect();
    let listed = chosen.iter().find(|candidate| !candidate.absent);
    listed.or(chosen.last()).cloned()
}

/// The candidate of a kind for a judge, with its control answered as it should be.
///
/// # Errors
/// The [`Ruling`] that the rule gets instead.
pub(super) fn judged(cx: &Context, probe: &str, kind: Kind) -> Result<Candidate, Ruling> {
    match cx.facts.declares(kind.capability()) {
        Declared::Yes => {}
        Declared::No => {
            return Err(Ruling::not_applicable(format!(
                "the server does not declare {}",
                kind.capability()
            )));
        }
        Declared::Unknown => return Err(Ruling::skip("the capabilities could not be read")),
    }
    let candidate = match choose(cx, probe, kind) {
        Choice::Made(candidate) | Choice::Open(candidate) => candidate,
    };
    sound(cx, probe, &candidate)?;
    Ok(candidate)
}

/// Checks that the request without fault came to what it should.
///
/// # Errors
/// The [`Ruling`] that the rule gets instead.
pub(super) fn sound(cx: &Context, probe: &str, candidate: &Candidate) -> Result<(), Ruling> {
    let record = answered(cx, &format!("{probe}/{}", candidate.control))?;
    let method = candidate.kind.method();
    match record.answer() {
        Answer::Result(_) => Ok(()),
        Answer::Error(Some(code)) if candidate.absent && code != HEADER_MISMATCH => Ok(()),
        _ => Err(Ruling::skip(format!(
            "{method} with faultless header fields is not answered as it should be, so a refusal proves nothing"
        ))),
    }
}

/// Name, params, and for tools the tool.
type Listed = (String, Value, Option<Value>);

/// Configured resources, then the first listed ones, small ones first.
fn resources(cx: &Context) -> Vec<Listed> {
    let known = cx.settings.config.resources.known.iter().cloned();
    let mut listed: Vec<Item> = cx.facts.items(List::Resources).take(TRIES).collect();
    listed.sort_by_key(|item| {
        let size = item.value.get("size").and_then(Value::as_u64);
        size.unwrap_or(u64::MAX)
    });
    known
        .chain(listed.iter().map(|item| item.name().to_owned()))
        .take(TRIES)
        .map(|uri| (uri.clone(), json!({ "uri": uri }), None))
        .collect()
}

/// Prompts that need no argument, or whose arguments are configured.
fn prompts(cx: &Context) -> Vec<Listed> {
    let configured = &cx.settings.config.prompts.arguments;
    let required = |item: &Item| {
        let arguments = item.value.get("arguments").and_then(Value::as_array);
        arguments
            .into_iter()
            .flatten()
            .any(|argument| argument.get("required") == Some(&json!(true)))
    };
    cx.facts
        .items(List::Prompts)
        .filter(|item| configured.contains_key(item.name()) || !required(item))
        .take(TRIES)
        .map(|item| {
            let name = item.name().to_owned();
            let params = match configured.get(item.name()) {
                Some(arguments) => json!({ "name": name, "arguments": arguments }),
                None => json!({ "name": name }),
            };
            (name, params, None)
        })
        .collect()
}

/// The first tool that may be called and for which there are arguments.
fn tools(cx: &Context) -> Vec<Listed> {
    let callable = cx
        .facts
        .items(List::Tools)
        .filter(|item| calling::may_call(cx, item.value));
    let mut with_arguments = callable.filter_map(|item| {
        let arguments = arguments::for_tool(cx, item.value).ok()?;
        let params = json!({ "name": item.name(), "arguments": arguments });
        Some((item.name().to_owned(), params, Some(item.value.clone())))
    });
    with_arguments.next().into_iter().collect()
}
