//! Fills arguments with what can be copied from a prompt, and with nothing else.

use super::copy::{Looks, Piece, number, pieces};
use super::words::{fold, stems};
use serde_json::{Map, Value, json};
use verdict_schema::{Examiner, Validity};

/// The arguments for a tool with this schema. What the prompt does not hold is left out, required or not.
pub(super) fn arguments(prompt: &str, schema: Option<&Value>) -> Map<String, Value> {
    let mut out = Map::new();
    let Some(root) = schema else { return out };
    let Some(properties) = root.get("properties").and_then(Value::as_object) else {
        return out;
    };
    let required: Vec<&str> = root
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let mut filler = Filler {
        prompt: format!(" {} ", stems(prompt).join(" ")),
        folded: format!(
            " {} ",
            fold(prompt).replace(|c: char| !c.is_alphanumeric(), " ")
        ),
        whole: prompt,
        pieces: pieces(prompt),
    };
    // What is surest takes its piece first: required before optional, told by form before told by a name.
    for surely in [true, false] {
        for (name, property) in properties {
            let is_required = required.contains(&name.as_str());
            if out.contains_key(name) || (!surely && !is_required) {
                continue;
            }
            let property = target(root, property);
            if let Some(value) = filler.value(name, property, surely) {
                out.insert(name.clone(), value);
            }
        }
    }
    let mut ordered = Map::new();
    for name in properties.keys() {
        if let Some(value) = out.remove(name) {
            ordered.insert(name.clone(), value);
        }
    }
    ordered
}

/// The subschema that a local reference leads to.
fn target<'a>(root: &'a Value, property: &'a Value) -> &'a Value {
    let reference = property.get("$ref").and_then(Value::as_str);
    let pointer = reference.and_then(|text| text.strip_prefix('#'));
    pointer
        .and_then(|pointer| root.pointer(pointer))
        .unwrap_or(property)
}

struct Filler<'a> {
    /// The prompt's stems, with spaces around each.
    prompt: String,
    /// The folded prompt, with spaces for everything that is no letter or digit.
    folded: String,
    whole: &'a str,
    pieces: Vec<Piece>,
}

impl Filler<'_> {
    fn value(&mut self, name: &str, property: &Value, surely: bool) -> Option<Value> {
        if let Some(values) = property.get("enum").and_then(Value::as_array) {
            return self.listed(values);
        }
        match kind(property) {
            "boolean" => self.truth(name),
            "integer" | "number" => self.counted(name, property, surely),
            "string" => self
                .text(name, property, surely)
                .or_else(|| self.whole(name, property, surely)),
            "array" => self.list(name, property, surely),
            _ => None,
        }
    }

    /// The longest value of a list whose words stand in the prompt.
    fn listed(&self, values: &[Value]) -> Option<Value> {
        let stands = |value: &&Value| {
            let Some(text) = value.as_str() else {
                return false;
            };
            let words = stems(text);
            let plain = fold(text).replace(|c: char| !c.is_alphanumeric(), " ");
            !text.is_empty()
                && (self.folded.contains(&format!(" {} ", plain.trim()))
                    || (!words.is_empty()
                        && self.prompt.contains(&format!(" {} ", words.join(" ")))))
        };
        let longest = values
            .iter()
            .filter(stands)
            .rev()
            .max_by_key(|value| value.as_str().map(str::len));
        longest.cloned()
    }

    /// True where the prompt has the words of the name, false where it denies them.
    fn truth(&self, name: &str) -> Option<Value> {
        let words = stems(name);
        let found = words
            .iter()
            .all(|word| self.prompt.contains(&format!(" {word} ")));
        if words.is_empty() || !found {
            return None;
        }
        let first = fold(name).replace(|c: char| !c.is_alphanumeric(), " ");
        let first = first.split(' ').next().unwrap_or_default().to_owned();
        let denials = ["no", "not", "without", "dont", "don t", "never"];
        let denied = denials
            .iter()
            .any(|denial| self.folded.contains(&format!(" {denial} {first}")));
        Some(json!(!denied))
    }

    fn counted(&mut self, name: &str, property: &Value, surely: bool) -> Option<Value> {
        let words = stems(name);
        let is_near = |piece: &Piece| {
            let near = [&piece.before, &piece.behind].map(|word| stems(word));
            near.iter().flatten().any(|word| words.contains(word))
        };
        self.take(|piece| {
            if piece.looks != Looks::Number || (surely && !is_near(piece)) {
                return None;
            }
            fitting(json!(number(&piece.text)?), property)
        })
    }

    fn text(&mut self, name: &str, property: &Value, surely: bool) -> Option<Value> {
        let words = stems(name);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let format = property
            .get("format")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let wanted: &[Looks] = match () {
            () if format == "email" || has(&["email", "mail", "recipient", "cc", "bcc"]) => {
                &[Looks::Email]
            }
            () if format == "uri" || has(&["url", "uri", "link"]) => &[Looks::Url],
            () if format == "date" || has(&["date", "day", "since", "until"]) => &[Looks::Date],
            () if property.get("pattern").is_some()
                || has(&["id", "code", "number", "key", "ref", "reference"]) =>
            {
                &[Looks::Code, Looks::Number]
            }
            () if surely => &[Looks::Quoted],
            () => &[Looks::Quoted, Looks::Proper, Looks::Email, Looks::Code],
        };
        let shapes: Vec<String> = examples(property).map(shape).collect();
        if !shapes.is_empty()
            && let Some(found) = self.take(|piece| {
                let alike = shapes.contains(&shape(&piece.text)) && piece.looks != Looks::Proper;
                alike.then(|| fitting(json!(piece.text), property))?
            })
        {
            return Some(found);
        }
        for looks in wanted {
            let found = self.take(|piece| {
                (piece.looks == *looks).then(|| fitting(json!(piece.text), property))?
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The whole prompt, for parameters that take any words.
    fn whole(&self, name: &str, property: &Value, surely: bool) -> Option<Value> {
        let free = [
            "query", "question", "text", "message", "prompt", "q", "search", "input",
        ];
        let is_free = stems(name).iter().any(|word| free.contains(&word.as_str()));
        (!surely && is_free).then(|| fitting(json!(self.whole), property))?
    }

    /// Every piece that the items take.
    fn list(&mut self, name: &str, property: &Value, surely: bool) -> Option<Value> {
        let items = property.get("items")?;
        if let Some(values) = items.get("enum").and_then(Value::as_array) {
            let found: Vec<Value> = values
                .iter()
                .filter(|value| self.listed(&[(*value).clone()]).is_some())
                .cloned()
                .collect();
            return (!found.is_empty()).then_some(Value::Array(found));
        }
        let mut found = Vec::new();
        while kind(items) == "string"
            && let Some(value) = self.text(name, items, surely)
        {
            found.push(value);
        }
        let list = (!found.is_empty()).then_some(Value::Array(found))?;
        fitting(list, property)
    }

    /// The first unused piece that yields a value.
    fn take(&mut self, mut yields: impl FnMut(&Piece) -> Option<Value>) -> Option<Value> {
        let mut unused = self.pieces.iter_mut().filter(|piece| !piece.is_used);
        unused.find_map(|piece| {
            let value = yields(piece)?;
            piece.is_used = true;
            Some(value)
        })
    }
}

/// The first type that is not `null`; a string where none is given, as most are.
fn kind(property: &Value) -> &str {
    match property.get("type") {
        Some(Value::String(name)) => name,
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .find(|name| *name != "null")
            .unwrap_or_default(),
        _ => "",
    }
}

/// A value that the property's own schema takes.
fn fitting(value: Value, property: &Value) -> Option<Value> {
    // References lead out of a part, so only a part without them is judged.
    let judged = Examiner::default().validate(property, &value);
    (!matches!(judged, Validity::Invalid(_))).then_some(value)
}

fn examples(property: &Value) -> impl Iterator<Item = &str> {
    let listed = property.get("examples").and_then(Value::as_array);
    let single = property.get("example");
    listed
        .into_iter()
        .flatten()
        .chain(single)
        .filter_map(Value::as_str)
}

/// The form of a code: letters, digits, and the marks between them.
fn shape(text: &str) -> String {
    let mut shape: Vec<char> = text
        .chars()
        .map(|c| match c {
            c if c.is_ascii_digit() => '9',
            c if c.is_alphabetic() => 'A',
            c => c,
        })
        .collect();
    shape.dedup();
    shape.into_iter().collect()
}
