//! A YAML document as a tree whose nodes know their places: for readers that tell every mistake, not only the first.
//!
//! What stands in scalars is text here, with a word on whether it was quoted: what it means is the reader's business.
//! The tree is bounded in depth, and in what aliases would make of it.

#[cfg(test)]
mod tests;

use granit_parser::{ErrorKind, Event, Marker, Parser, ScalarStyle, ScanError, Span, Tag};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A place in a file, both from 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: u64,
    /// The column, in characters.
    pub column: u64,
}

impl Place {
    fn of(at: &Marker) -> Self {
        Self {
            line: at.line() as u64,
            column: at.col() as u64 + 1,
        }
    }
}

/// Lists and mappings that may lie in one another.
pub const MAX_DEPTH: usize = 64;

/// Bytes that aliases may repeat, 16 for each node and its text on top.
const MAX_REPEATED: usize = 4 << 20;

/// Faults after which nothing more is looked at.
const MAX_FAULTS: usize = 100;

const NODE: usize = 16;

/// A scalar, list or mapping.
#[derive(Debug)]
pub struct Node {
    /// Where it begins.
    pub place: Place,
    /// What it is.
    pub content: Content,
    /// Bytes of it, aliases written out.
    weight: usize,
    /// Levels of lists and mappings in it, itself counted.
    height: usize,
}

impl Node {
    /// About how many bytes it takes with aliases written out.
    pub fn weight(&self) -> usize {
        self.weight
    }
}

/// What a node is.
#[derive(Debug)]
pub enum Content {
    /// Text, as written but for escapes and folded lines.
    Scalar {
        /// The text.
        text: String,
        /// Neither quotes nor a block nor `!!str` say that it is text.
        plain: bool,
    },
    /// A list.
    List(Vec<Rc<Node>>),
    /// A mapping in the order of the file. No key is there twice.
    Mapping(Vec<Entry>),
}

/// One member of a mapping.
#[derive(Debug)]
pub struct Entry {
    /// The key, as written.
    pub key: String,
    /// Where the key stands.
    pub place: Place,
    /// The value.
    pub value: Rc<Node>,
}

/// Something that a YAML file must not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub mend: String,
}

/// A document, and all that is wrong with it as YAML.
#[derive(Debug, Default)]
pub struct Document {
    /// The outermost node; absent where nothing could be read, or nothing is there.
    pub root: Option<Rc<Node>>,
    /// In the order of the file. With the first that stops the reading, `root` is absent.
    pub faults: Vec<Fault>,
}

/// Reads a document.
pub fn document(text: &str) -> Document {
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text.trim_start_matches('\u{feff}')) {
        let step = match event {
            Ok((event, span)) => builder.take(event, &span),
            Err(error) => Err(unreadable(&error)),
        };
        if let Err(fault) = step {
            builder.faults.push(fault);
            return Document {
                root: None,
                faults: builder.faults,
            };
        }
    }
    Document {
        root: builder.root,
        faults: builder.faults,
    }
}

/// The tag of an event that is none of the core schema's, which other programs make objects of.
pub(crate) fn foreign_tag(event: &Event) -> Option<String> {
    let tag = tag_of(event)?;
    tag.core_suffix().is_none().then(|| tag.original())
}

fn tag_of<'e>(event: &'e Event) -> Option<&'e Tag> {
    event.tag()
}

fn too_deep(place: Place) -> Fault {
    fault(
        place,
        format!("lists and mappings lie more than {MAX_DEPTH} deep in one another"),
        "write it flatter",
    )
}

fn unreadable(error: &ScanError) -> Fault {
    if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
        return too_deep(Place::of(error.marker()));
    }
    let why = error.info();
    let mend = if why.contains("mapping values are not allowed") {
        "put quotes around text that has `: ` in it, or mend the indentation"
    } else if why.contains("unknown escape") {
        "use single quotes: in them a backslash is a backslash"
    } else if why.contains("tab") {
        "indent with spaces"
    } else {
        "look at the indentation, the quotes and the brackets before this place"
    };
    let message = format!("this is no YAML: {}", short(&why, 160));
    fault(Place::of(error.marker()), message, mend)
}

/// A text for a message: on one line, cut to so many characters, with a mark in place of what nobody sees or what turns the
/// direction of a line.
pub fn short(text: &str, most: usize) -> String {
    let shown = |letter: char| match letter {
        '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}' => '\u{fffd}',
        control if control.is_control() => '\u{fffd}',
        other => other,
    };
    let mut letters = text.chars();
    let mut out: String = letters.by_ref().take(most).map(shown).collect();
    if letters.next().is_some() {
        out.push('…');
    }
    out
}

fn fault(place: Place, message: impl Into<String>, mend: impl Into<String>) -> Fault {
    Fault {
        place,
        message: message.into(),
        mend: mend.into(),
    }
}

/// A list or mapping that is not at its end.
struct Open {
    place: Place,
    anchor: usize,
    inner: Inner,
}

enum Inner {
    List(Vec<Rc<Node>>),
    Mapping {
        entries: Vec<Entry>,
        seen: BTreeMap<String, Place>,
        key: Key,
    },
}

/// The key of the value that comes next.
enum Key {
    /// A key comes next.
    Due,
    /// The value of this one.
    Of(String, Place),
    /// A value that nobody will see, its key being faulty.
    Bad,
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    anchors: BTreeMap<usize, Rc<Node>>,
    repeated: usize,
    documents: usize,
    root: Option<Rc<Node>>,
    faults: Vec<Fault>,
}

impl Builder {
    /// Takes the next event; a fault that is given back ends the reading.
    fn take(&mut self, event: Event, span: &Span) -> Result<(), Fault> {
        let place = Place::of(&span.start);
        self.tags(&event, span);
        match event {
            Event::DocumentStart(..) => self.next_document(place),
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain && tag.is_none();
                let weight = NODE + text.len();
                // The parser writes `~` where nothing stands.
                let nothing = plain && span.start.index() == span.end.index();
                let text = if nothing {
                    String::new()
                } else {
                    text.into_owned()
                };
                let content = Content::Scalar { text, plain };
                self.settle(content, place, anchor, weight, 0)
            }
            Event::SequenceStart(_, anchor, _) => {
                self.begin(place, anchor, Inner::List(Vec::new()))
            }
            Event::MappingStart(_, anchor, _) => {
                let (entries, seen, key) = (Vec::new(), BTreeMap::new(), Key::Due);
                self.begin(place, anchor, Inner::Mapping { entries, seen, key })
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::Alias(target) => self.repeat(target, place),
            _ => Ok(()),
        }
    }

    fn next_document(&mut self, place: Place) -> Result<(), Fault> {
        self.documents += 1;
        if self.documents > 1 {
            return Err(fault(
                place,
                "a second document begins",
                "the file is one document, so take the `---` out",
            ));
        }
        Ok(())
    }

    fn tags(&mut self, event: &Event, span: &Span) {
        let Some(tag) = tag_of(event) else { return };
        let scalar = matches!(event, Event::Scalar(..));
        let fits = match tag.core_suffix() {
            Some("str") => scalar,
            Some("seq") => matches!(event, Event::SequenceStart(..)),
            Some("map") => matches!(event, Event::MappingStart(..)),
            _ => false,
        };
        if !fits {
            let at = span.tag_start.unwrap_or(span.start);
            let message = format!("the tag `{}` is not read here", short(&tag.original(), 60));
            self.note(fault(Place::of(&at), message, "leave it out"));
        }
    }

    fn note(&mut self, fault: Fault) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(fault);
        }
    }

    fn begin(&mut self, place: Place, anchor: usize, inner: Inner) -> Result<(), Fault> {
        self.open.push(Open {
            place,
            anchor,
            inner,
        });
        self.not_too_deep(place, 0)
    }

    fn not_too_deep(&self, place: Place, height: usize) -> Result<(), Fault> {
        if self.open.len() + height <= MAX_DEPTH {
            return Ok(());
        }
        Err(too_deep(place))
    }

    fn end(&mut self) -> Result<(), Fault> {
        let Some(closed) = self.open.pop() else {
            return Ok(());
        };
        let (mut weight, mut height) = (NODE, 0);
        let mut add = |node: &Node, key: usize| {
            weight = weight.saturating_add(node.weight).saturating_add(key);
            height = node.height.max(height);
        };
        let content = match closed.inner {
            Inner::List(items) => {
                for item in &items {
                    add(item, 0);
                }
                Content::List(items)
            }
            Inner::Mapping { entries, .. } => {
                for entry in &entries {
                    add(&entry.value, NODE + entry.key.len());
                }
                Content::Mapping(entries)
            }
        };
        self.settle(content, closed.place, closed.anchor, weight, height + 1)
    }

    fn repeat(&mut self, target: usize, place: Place) -> Result<(), Fault> {
        let Some(node) = self.anchors.get(&target).cloned() else {
            return Err(fault(
                place,
                "this alias stands inside of what it repeats",
                "write out what is meant",
            ));
        };
        self.not_too_deep(place, node.height)?;
        self.repeated = self.repeated.saturating_add(node.weight);
        if self.repeated > MAX_REPEATED {
            return Err(fault(
                place,
                "aliases make the file too large",
                "repeat less, or write out what is meant",
            ));
        }
        self.put(node, place);
        Ok(())
    }

    /// A node is complete.
    fn settle(
        &mut self,
        content: Content,
        place: Place,
        anchor: usize,
        weight: usize,
        height: usize,
    ) -> Result<(), Fault> {
        let node = Rc::new(Node {
            place,
            content,
            weight,
            height,
        });
        if anchor != 0 {
            self.anchors.insert(anchor, Rc::clone(&node));
        }
        self.put(node, place);
        if self.faults.len() < MAX_FAULTS {
            return Ok(());
        }
        Err(fault(
            place,
            "there are too many mistakes to go on",
            "mend those above first",
        ))
    }

    /// Puts a node into what is open. `place` is where it stands, be it as an alias.
    fn put(&mut self, node: Rc<Node>, place: Place) {
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return;
        };
        let mut bad = None;
        match &mut open.inner {
            Inner::List(items) => items.push(node),
            Inner::Mapping { entries, seen, key } => match std::mem::replace(key, Key::Due) {
                Key::Due => match key_of(&node, place, seen) {
                    Ok(text) => *key = Key::Of(text, place),
                    Err(fault) => {
                        bad = Some(fault);
                        *key = Key::Bad;
                    }
                },
                Key::Of(key, place) => {
                    let value = node;
                    entries.push(Entry { key, place, value });
                }
                Key::Bad => {}
            },
        }
        if let Some(fault) = bad {
            self.note(fault);
        }
    }
}

/// The text of a key that is not there yet.
fn key_of(node: &Node, place: Place, seen: &mut BTreeMap<String, Place>) -> Result<String, Fault> {
    let Content::Scalar { text, plain } = &node.content else {
        return Err(fault(
            place,
            "a list or mapping stands where a key is due",
            "write the key as text",
        ));
    };
    if *plain && text == "<<" {
        return Err(fault(
            place,
            "the merge key `<<` is not read here",
            "write the keys out",
        ));
    }
    if *plain && matches!(text.as_str(), "" | "~") {
        return Err(fault(
            place,
            "a key is due here",
            "write its name, or quote it",
        ));
    }
    if let Some(first) = seen.get(text) {
        return Err(fault(
            place,
            format!(
                "the key `{}` is there twice, first in line {}",
                short(text, 60),
                first.line
            ),
            "keep one",
        ));
    }
    seen.insert(text.clone(), place);
    Ok(text.clone())
}
