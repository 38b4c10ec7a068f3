//! The reader of `golden/adversarial.yaml`: every mistake at its place, with the mend.

use super::agree::agree;
use super::fill::{self, NAMES};
use super::{Attack, Class, Encode, Goal, Offer, Secret, Spot, Stock, Token, Twin};
use crate::golden::read::Sink;
use crate::golden::read::case::{self, Ids};
use crate::golden::read::fields::{self, Fields, kind_of, place_of, quoted};
use crate::golden::{MAX_BYTES, Mistake, Place};
use verdict_config::tree::{self, Content, Entry, Node};
use verdict_model::behavior::Kind;

/// Keys of an attack.
pub(super) const FIELDS: &[&str] = &[
    "id",
    "class",
    "place",
    "text",
    "hidden",
    "encode",
    "offer",
    "parameter",
    "result",
    "secret",
    "goal",
    "cases",
    "kind",
];

/// Keys of a tool of the user's own, and of the near name.
const OFFER: &[&str] = &["name", "description", "parameters", "twin"];

/// Keys of a goal with a value.
const GOAL: &[&str] = &["call", "argument", "answer", "url", "repeat"];

/// Goals in one word.
const GOALS: [(&str, Bare); 5] = [
    ("call", Bare::Call),
    ("parameter", Bare::Parameter),
    ("changed", Bare::Changed),
    ("destructive", Bare::Destructive),
    ("undone", Bare::Undone),
];

#[derive(Clone, Copy)]
enum Bare {
    Call,
    Parameter,
    Changed,
    Destructive,
    Undone,
}

const KINDS: [(&str, Kind); 3] = [
    ("hard", Kind::Hard),
    ("soft", Kind::Soft),
    ("never", Kind::Never),
];

/// Most results of tools that are waited for.
const MAX_RESULT: u32 = 20;

/// Most calls that are let pass before they count as too many.
const MAX_REPEAT: u32 = 100;

const NO_ATTACK: &str =
    "write a list of attacks, each with `id`, `class`, `place`, `text` and `goal`";

/// Reads attacks: a list of them, or a mapping with `attacks`.
///
/// # Errors
/// All mistakes in the order of the file, up to a hundred.
pub fn read(text: &str, file: &str) -> Result<Vec<Attack>, Vec<Mistake>> {
    let mut sink = Sink::default();
    let start = Place { line: 1, column: 1 };
    if text.len() > MAX_BYTES {
        let message = format!("the file is larger than {} MiB", MAX_BYTES >> 20);
        sink.note(start, message, "split it, or shorten its texts");
        return Err(sink.told(file));
    }
    let document = tree::document(text);
    let is_broken = !document.faults.is_empty();
    for fault in document.faults {
        sink.note(fault.place, fault.message, fault.mend);
    }
    let attacks = if let Some(root) = document.root {
        attacks(&root, &mut sink)
    } else {
        if !is_broken {
            sink.note(start, "there is no attack here", NO_ATTACK);
        }
        Vec::new()
    };
    let mistakes = sink.told(file);
    if mistakes.is_empty() {
        Ok(attacks)
    } else {
        Err(mistakes)
    }
}

fn attacks(root: &Node, sink: &mut Sink) -> Vec<Attack> {
    let list = match &root.content {
        Content::Mapping(entries) if entries.iter().all(|entry| entry.key != "attacks") => {
            let message = "a single mapping stands here, and no list of attacks";
            sink.note(root.place, message, "put `- ` before each attack");
            return Vec::new();
        }
        Content::Mapping(_) => {
            match Fields::of(root, &["attacks"], sink).and_then(|it| it.get("attacks")) {
                Some(entry) => &entry.value,
                None => return Vec::new(),
            }
        }
        _ => root,
    };
    let Content::List(items) = &list.content else {
        let message = format!(
            "a list of attacks is due here, and this is {}",
            kind_of(list)
        );
        sink.note(list.place, message, NO_ATTACK);
        return Vec::new();
    };
    if items.is_empty() {
        sink.note(list.place, "there is no attack here", NO_ATTACK);
    }
    let mut ids = Ids::default();
    let mut attacks = Vec::new();
    for item in items {
        if sink.is_full() {
            break;
        }
        attacks.extend(attack(item, &mut ids, sink));
    }
    attacks
}

fn attack(node: &Node, ids: &mut Ids, sink: &mut Sink) -> Option<Attack> {
    let own = Fields::of(node, FIELDS, sink)?;
    let id = case::id(&own, "attack", ids, sink);
    let class = required(&own, "class", Class::ALL, sink);
    let spot = required(&own, "place", Spot::ALL, sink);
    let text = if let Some(entry) = own.get("text") {
        template(entry, sink)
    } else {
        let mend = "write what is planted";
        sink.note(own.place, "this attack has no `text`", mend);
        None
    };
    let goals = goals(&own, sink);
    let attack = Attack {
        id,
        class: class?,
        spot: spot?,
        text: text?,
        hidden: own
            .get("hidden")
            .and_then(|it| template(it, sink))
            .unwrap_or_default(),
        encode: word(&own, "encode", Encode::ALL, sink).unwrap_or(Encode::Plain),
        offer: own.get("offer").and_then(|it| offer(it, sink)),
        parameter: own
            .get("parameter")
            .and_then(|it| fields::text(it, sink))
            .unwrap_or_else(|| "context".to_owned()),
        result: own
            .get("result")
            .and_then(|it| fields::whole(it, MAX_RESULT, sink))
            .unwrap_or(1),
        secret: word(&own, "secret", Secret::ALL, sink).unwrap_or(Secret::System),
        goals: goals?,
        cases: own
            .get("cases")
            .and_then(|it| fields::names(it, sink))
            .unwrap_or_default(),
        kind: word(&own, "kind", &KINDS, sink).unwrap_or(Kind::Hard),
        place: node.place,
    };
    agree(&attack, &own, sink);
    Some(attack)
}

fn required<T: Copy>(
    own: &Fields,
    name: &str,
    words: &[(&'static str, T)],
    sink: &mut Sink,
) -> Option<T> {
    if own.get(name).is_some() {
        return word(own, name, words, sink);
    }
    let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    let mend = format!("write one of {}", fields::listed(&all));
    sink.note(own.place, format!("this attack has no `{name}`"), mend);
    None
}

fn word<T: Copy>(
    own: &Fields,
    name: &str,
    words: &[(&'static str, T)],
    sink: &mut Sink,
) -> Option<T> {
    own.get(name)
        .and_then(|entry| fields::word(entry, words, sink))
}

/// A text whose placeholders are all known.
fn template(entry: &Entry, sink: &mut Sink) -> Option<String> {
    let text = fields::text(entry, sink)?;
    if let Some(name) = fill::unknown(&text) {
        let mend = match sink.nearest(name, NAMES) {
            Some(near) => format!("write `{{{near}}}` if that is meant"),
            None => format!("there are {}", fields::listed(&NAMES)),
        };
        let message = format!("nothing stands for {} here", quoted(&format!("{{{name}}}")));
        sink.note(place_of(entry), message, mend);
        return None;
    }
    Some(text)
}

fn offer(entry: &Entry, sink: &mut Sink) -> Option<Offer> {
    if !matches!(entry.value.content, Content::Mapping(_)) {
        return fields::word(entry, Stock::ALL, sink).map(Offer::Stock);
    }
    let own = Fields::of(&entry.value, OFFER, sink)?;
    match (own.get("twin"), own.get("name")) {
        (Some(twin), None) => fields::word(twin, Twin::ALL, sink).map(Offer::Twin),
        (None, Some(name)) => Some(Offer::Own {
            name: fields::text(name, sink)?,
            description: own
                .get("description")
                .and_then(|it| fields::text(it, sink))
                .unwrap_or_default(),
            parameters: own
                .get("parameters")
                .and_then(|it| fields::names(it, sink))
                .unwrap_or_default(),
        }),
        _ => {
            let message = "a tool is offered by its `name`, or as a `twin` of the expected one";
            sink.note(entry.value.place, message, "write one of the two");
            None
        }
    }
}

fn goals(own: &Fields, sink: &mut Sink) -> Option<Vec<Goal>> {
    let Some(entry) = own.get("goal") else {
        let mend = "write what the attacker wants: `call`, `parameter`, `changed`, `destructive`, `undone`, \
                    `{ argument: canary }`, `{ answer: canary }`, `{ url: secret }` or `{ repeat: 5 }`";
        sink.note(own.place, "this attack has no `goal`", mend);
        return None;
    };
    let one = std::slice::from_ref(&entry.value);
    let items = match &entry.value.content {
        Content::List(items) => items.as_slice(),
        _ => one,
    };
    if items.is_empty() {
        sink.note(
            place_of(entry),
            "there is no goal here",
            "write at least one",
        );
    }
    let mut goals = Vec::new();
    for item in items {
        goals.extend(goal(entry, item, sink));
    }
    (!goals.is_empty()).then_some(goals)
}

fn goal(entry: &Entry, item: &std::rc::Rc<Node>, sink: &mut Sink) -> Option<Goal> {
    if !matches!(item.content, Content::Mapping(_)) {
        let of_item = Entry {
            key: entry.key.clone(),
            place: entry.place,
            value: item.clone(),
        };
        return fields::word(&of_item, &GOALS, sink).map(|bare| match bare {
            Bare::Call => Goal::Call(Vec::new()),
            Bare::Parameter => Goal::Parameter,
            Bare::Changed => Goal::Changed,
            Bare::Destructive => Goal::Destructive,
            Bare::Undone => Goal::Undone,
        });
    }
    let own = Fields::of(item, GOAL, sink)?;
    let mut all = own.all();
    let Some((name, value)) = all.next() else {
        let mend = format!("write one of {}", fields::listed(GOAL));
        sink.note(item.place, "there is no goal here", mend);
        return None;
    };
    if all.next().is_some() {
        sink.note(
            item.place,
            "two goals stand in one mapping",
            "write a list of goals",
        );
        return None;
    }
    match name {
        "call" => fields::names(value, sink).map(Goal::Call),
        "argument" => fields::word(value, Token::ALL, sink).map(Goal::Argument),
        "answer" => fields::word(value, Token::ALL, sink).map(Goal::Answer),
        "url" => fields::word(value, Token::ALL, sink).map(Goal::Url),
        _ => fields::whole(value, MAX_REPEAT, sink).map(Goal::Repeat),
    }
}
