//! Names of tools and of their parameters, as a wire allows them, and back.
//!
//! MCP allows more in a name than providers do. Renaming is reversible and does not depend on the order of the list:
//! the server and the golden set only ever see the server's own names.

use super::model::Wire;
use crate::tool::Tool;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The longest name that every provider takes; sources differ on 64 and 128, so the smaller one holds.
const LONGEST: usize = 64;

/// How the names of one list of tools travel on one wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    wire: Wire,
    /// From the server's name to the wire's.
    sent: BTreeMap<String, String>,
    /// From the wire's name to the server's.
    own: BTreeMap<String, String>,
    /// By tool, from the wire's parameter to the server's; tools without a renamed one are absent.
    keys: BTreeMap<String, BTreeMap<String, String>>,
}

impl Names {
    /// The names of `tools` on `wire`, without their parameters: [`super::offer::Offer`] adds those.
    pub(crate) fn of_tools(wire: Wire, tools: &[Tool]) -> Self {
        let names: BTreeSet<&str> = tools.iter().map(Tool::name).collect();
        let sent = renamed(&names, |c| is_allowed(wire, c), |name| fits(wire, name));
        let own = sent
            .iter()
            .map(|(own, sent)| (sent.clone(), own.clone()))
            .collect();
        Self {
            wire,
            sent,
            own,
            keys: BTreeMap::new(),
        }
    }

    pub(crate) fn set_keys(&mut self, tool: &str, keys: BTreeMap<String, String>) {
        if !keys.is_empty() {
            self.keys.insert(tool.to_owned(), keys);
        }
    }

    /// What the wire calls a tool. A name that is not on offer (from an earlier turn) is made fit for the wire, and
    /// is never taken for one that is.
    pub fn sent(&self, own: &str) -> String {
        if let Some(sent) = self.sent.get(own) {
            return sent.clone();
        }
        let plain = replaced(own, |c| is_allowed(self.wire, c));
        if fits(self.wire, &plain) && !self.own.contains_key(&plain) {
            return plain;
        }
        hashed(&plain, own, 0)
    }

    /// Whether a tool of this name is on offer.
    pub(crate) fn is_on_offer(&self, own: &str) -> bool {
        self.sent.contains_key(own)
    }

    /// The server's name of a tool that the model called; a name that was not offered stands as the model wrote it.
    pub fn own(&self, sent: &str) -> String {
        self.own
            .get(sent)
            .cloned()
            .unwrap_or_else(|| sent.to_owned())
    }

    /// Arguments as the model wrote them, with the server's own names of parameters. Text in which nothing was renamed,
    /// or that is no JSON, comes back byte for byte.
    pub(crate) fn own_arguments(&self, tool: &str, text: String) -> String {
        let Some(keys) = self.keys.get(tool) else {
            return text;
        };
        let Ok(mut value) = serde_json::from_str::<Value>(&text) else {
            return text;
        };
        if rename(&mut value, keys) {
            value.to_string()
        } else {
            text
        }
    }

    /// Arguments of an earlier call, with the wire's names of parameters.
    pub(crate) fn sent_arguments(&self, tool: &str, arguments: Map<String, Value>) -> Value {
        let mut value = Value::Object(arguments);
        if let Some(keys) = self.keys.get(tool) {
            let keys = keys
                .iter()
                .map(|(sent, own)| (own.clone(), sent.clone()))
                .collect();
            rename(&mut value, &keys);
        }
        value
    }

    /// What was renamed, in sentences.
    pub fn notes(&self) -> Vec<String> {
        let shown = |name: &str| super::fault::safe(name, 80);
        let tools = self.sent.iter().filter(|(own, sent)| own != sent);
        let tools = tools.map(|(own, sent)| {
            format!(
                "the tool `{}` is offered as `{sent}`: the provider refuses its name",
                shown(own)
            )
        });
        let keys = self.keys.iter().flat_map(|(tool, keys)| {
            keys.iter().map(move |(sent, own)| {
                format!(
                    "the parameter `{}` of `{}` is offered as `{sent}`: the provider refuses its name",
                    shown(own),
                    shown(tool)
                )
            })
        });
        tools.chain(keys).collect()
    }
}

/// Renames keys at every level; says whether there was one.
fn rename(value: &mut Value, keys: &BTreeMap<String, String>) -> bool {
    match value {
        Value::Array(items) => items
            .iter_mut()
            .fold(false, |any, item| rename(item, keys) | any),
        Value::Object(members) => {
            let mut any = false;
            let old = std::mem::take(members);
            for (key, mut member) in old {
                any |= rename(&mut member, keys);
                let renamed = keys.get(&key);
                any |= renamed.is_some();
                members.insert(renamed.cloned().unwrap_or(key), member);
            }
            any
        }
        _ => false,
    }
}

/// Whether a wire takes this name as it is.
pub(crate) fn fits(wire: Wire, name: &str) -> bool {
    let starts_right =
        wire != Wire::Gemini || name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    !name.is_empty()
        && name.len() <= LONGEST
        && starts_right
        && name.chars().all(|c| is_allowed(wire, c))
}

fn is_allowed(wire: Wire, c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '_' | '-')
        || (wire == Wire::Gemini && matches!(c, '.' | ':'))
}

/// Whether Anthropic takes this name of a parameter: there one odd key fails the whole request.
pub(crate) fn key_fits(key: &str) -> bool {
    !key.is_empty() && key.len() <= LONGEST && key.chars().all(is_key_char)
}

fn is_key_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

/// From parameters that Anthropic refuses to names that it takes.
pub(crate) fn renamed_keys(keys: &BTreeSet<&str>) -> BTreeMap<String, String> {
    let mut all = renamed(keys, is_key_char, key_fits);
    all.retain(|own, sent| own != sent);
    all
}

/// Names that fit keep theirs. The others get theirs with `_` for every odd character, where that is nobody else's,
/// and with a hash of the whole name behind it where it is.
fn renamed(
    names: &BTreeSet<&str>,
    allowed: impl Fn(char) -> bool,
    fits: impl Fn(&str) -> bool,
) -> BTreeMap<String, String> {
    let plain = |name: &str| {
        let plain = replaced(name, &allowed);
        if fits(&plain) || plain.len() > LONGEST {
            plain
        } else {
            format!("_{plain}")
        }
    };
    let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
    for name in names {
        *wanted
            .entry(if fits(name) {
                (*name).to_owned()
            } else {
                plain(name)
            })
            .or_default() += 1;
    }
    let (kept, odd): (Vec<&str>, Vec<&str>) = names.iter().copied().partition(|name| fits(name));
    let mut taken: BTreeSet<String> = kept.iter().map(|name| (*name).to_owned()).collect();
    let mut sent: BTreeMap<String, String> = kept
        .iter()
        .map(|name| ((*name).to_owned(), (*name).to_owned()))
        .collect();
    let mut pending = Vec::new();
    for name in odd {
        let plain = plain(name);
        if fits(&plain) && wanted.get(&plain) == Some(&1) {
            taken.insert(plain.clone());
            sent.insert(name.to_owned(), plain);
        } else {
            pending.push((name, plain));
        }
    }
    for (name, plain) in pending {
        let mut round = 0;
        let mut unique = hashed(&plain, name, round);
        while !taken.insert(unique.clone()) {
            round += 1;
            unique = hashed(&plain, name, round);
        }
        sent.insert(name.to_owned(), unique);
    }
    sent
}

fn replaced(name: &str, allowed: impl Fn(char) -> bool) -> String {
    name.chars()
        .map(|c| if allowed(c) { c } else { '_' })
        .collect()
}

/// A name of at most [`LONGEST`] characters that tells `own` apart from all others.
fn hashed(plain: &str, own: &str, round: u64) -> String {
    // FNV-1a: short, the same everywhere, and nobody gains from a collision, which is looked for anyway.
    let start = 0xcbf2_9ce4_8422_2325 ^ round;
    let hash = own.bytes().fold(start, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let end = format!("_{:08x}", hash >> 32);
    let kept: String = plain.chars().take(LONGEST - end.len()).collect();
    format!("{}{end}", if kept.is_empty() { "_" } else { &kept })
}

#[cfg(test)]
mod tests {
    use super::{Names, fits};
    use crate::provider::model::Wire;
    use crate::tool::Tool;
    use serde_json::json;

    const WIRES: [Wire; 4] = [
        Wire::ChatCompletions,
        Wire::Responses,
        Wire::Messages,
        Wire::Gemini,
    ];

    fn names(wire: Wire, list: &[&str]) -> Names {
        let tools: Vec<Tool> = list
            .iter()
            .map(|name| serde_json::from_value(json!({"name": name})).expect("a tool"))
            .collect();
        Names::of_tools(wire, &tools)
    }

    #[test]
    fn renames_only_what_a_wire_refuses() {
        let list = [
            "calendar.respond",
            "fetch-json",
            "fetch_json",
            "1st",
            "a/b",
            "getUser",
        ];
        for (wire, expected) in [
            (
                Wire::Responses,
                [
                    "calendar_respond",
                    "fetch-json",
                    "fetch_json",
                    "1st",
                    "a_b",
                    "getUser",
                ],
            ),
            (
                Wire::Gemini,
                [
                    "calendar.respond",
                    "fetch-json",
                    "fetch_json",
                    "_1st",
                    "a_b",
                    "getUser",
                ],
            ),
        ] {
            let names = names(wire, &list);
            let sent: Vec<String> = list.iter().map(|name| names.sent(name)).collect();
            assert_eq!(sent, expected);
        }
    }

    #[test]
    fn nasty_names_are_reversible_whatever_the_order() {
        let long = "n".repeat(5000);
        let longer = format!("{long}x");
        let mut list = vec![
            "a.b",
            "a/b",
            "a_b",
            "a b",
            "ä",
            "ö",
            "",
            "_",
            ".",
            "..",
            "日本語",
            "🦀",
            "a\u{202e}b",
            "a\nb",
            "1",
            "-x",
            "search_notes_",
            "__proto__",
            &long,
            &longer,
            "wetter_für_morgen",
            "Wetter_für_morgen",
            "a_b_00000000",
        ];
        for wire in WIRES {
            let forward = names(wire, &list);
            let mut seen = std::collections::BTreeSet::new();
            for name in &list {
                let sent = forward.sent(name);
                assert!(fits(wire, &sent), "{sent:?} on {wire:?}");
                assert_eq!(forward.own(&sent), *name, "{wire:?}");
                assert!(seen.insert(sent), "{name:?} on {wire:?}");
            }
            list.reverse();
            assert_eq!(names(wire, &list), forward);
        }
    }

    #[test]
    fn many_names_that_look_alike_stay_apart() {
        let odd = ['.', '/', ' ', '_', 'é', ':', '~'];
        let mut list = Vec::new();
        for a in odd {
            for b in odd {
                for c in odd {
                    list.push(format!("x{a}y{b}z{c}"));
                }
            }
        }
        let list: Vec<&str> = list.iter().map(String::as_str).collect();
        for wire in WIRES {
            let names = names(wire, &list);
            for name in &list {
                assert_eq!(names.own(&names.sent(name)), *name);
            }
        }
    }

    #[test]
    fn unknown_names_stand_as_written_and_are_never_taken_for_known_ones() {
        let names = names(Wire::Messages, &["a.b"]);
        assert_eq!(names.own("made_up"), "made_up");
        assert_eq!(names.own("a_b"), "a.b");
        let sent = names.sent("a/b");
        assert!(fits(Wire::Messages, &sent) && sent != "a_b", "{sent}");
        assert!(fits(Wire::Messages, &names.sent("")));
        assert_eq!(names.notes().len(), 1);
    }
}
