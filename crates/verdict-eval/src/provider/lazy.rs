//! Reads a provider's JSON one level at a time, as leniently as can be.
//!
//! A field of an unexpected type reads as absent, so that one odd field does not lose an answer that was paid for;
//! and what a model wrote as arguments keeps its very bytes, duplicate keys and deep nesting included, because
//! nothing below the level that is asked for is looked at.

use serde_json::value::RawValue;
use serde_json::{Number, Value};
use std::collections::BTreeMap;

/// A JSON value that has been found and not read.
#[derive(Clone, Copy)]
pub(crate) struct Lazy<'a>(&'a RawValue);

impl<'a> Lazy<'a> {
    /// The one value in a text; none where the text is not JSON.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok().map(Self)
    }

    /// A member of an object; `null` is absent.
    pub(crate) fn at(self, key: &str) -> Option<Self> {
        let members: BTreeMap<std::borrow::Cow<'a, str>, &'a RawValue> =
            serde_json::from_str(self.0.get()).ok()?;
        members
            .get(key)
            .copied()
            .map(Self)
            .filter(|value| value.raw() != "null")
    }

    /// A member, found along several keys.
    pub(crate) fn path(self, keys: &[&str]) -> Option<Self> {
        keys.iter().try_fold(self, |value, key| value.at(key))
    }

    /// The items of an array; none for anything else.
    pub(crate) fn items(self) -> Vec<Self> {
        let items: Option<Vec<&'a RawValue>> = serde_json::from_str(self.0.get()).ok();
        items.unwrap_or_default().into_iter().map(Self).collect()
    }

    /// A string.
    pub(crate) fn text(self) -> Option<String> {
        serde_json::from_str(self.0.get()).ok()
    }

    /// A string member.
    pub(crate) fn text_at(self, key: &str) -> Option<String> {
        self.at(key)?.text()
    }

    /// A string member that says something.
    pub(crate) fn word_at(self, key: &str) -> Option<String> {
        self.text_at(key).filter(|text| !text.is_empty())
    }

    /// A string, or a number in its own digits: codes come as either.
    pub(crate) fn code_at(self, key: &str) -> Option<String> {
        let value = self.at(key)?;
        value.text().or_else(|| {
            let number: Option<Number> = serde_json::from_str(value.raw()).ok();
            number.map(|number| number.to_string())
        })
    }

    /// A count; none where it is negative, no whole number, or beyond what any call can have taken.
    pub(crate) fn count_at(self, key: &str) -> Option<u64> {
        let count: u64 = serde_json::from_str(self.at(key)?.raw()).ok()?;
        (count <= MOST_TOKENS).then_some(count)
    }

    /// A truth.
    pub(crate) fn flag_at(self, key: &str) -> bool {
        self.at(key).is_some_and(|value| value.raw() == "true")
    }

    /// What it is written like.
    pub(crate) fn raw(self) -> &'a str {
        self.0.get()
    }

    /// Whether it is an object.
    pub(crate) fn is_object(self) -> bool {
        self.raw().starts_with('{')
    }

    /// The whole of it; none where it is nested too deeply to be held.
    pub(crate) fn value(self) -> Option<Value> {
        serde_json::from_str(self.0.get()).ok()
    }

    /// The text of arguments: a string's content, else the value as it is written.
    pub(crate) fn arguments(self) -> String {
        self.text().unwrap_or_else(|| self.raw().to_owned())
    }
}

/// More tokens than this were never counted in one call: a provider that says so is wrong.
const MOST_TOKENS: u64 = 1_000_000_000;

#[cfg(test)]
mod tests {
    use super::Lazy;

    #[test]
    fn odd_types_read_as_absent_and_arguments_keep_their_bytes() {
        let deep = "[".repeat(50_000) + &"]".repeat(50_000);
        let text = format!(r#"{{"a":7,"b":"x","n":-7,"big":1e18,"args":{{"k":1,"k":{deep}}}}}"#);
        let lazy = Lazy::parse(&text).expect("JSON");
        assert_eq!(lazy.text_at("a"), None);
        assert_eq!(lazy.code_at("a").as_deref(), Some("7"));
        assert_eq!(lazy.count_at("a"), Some(7));
        assert_eq!(lazy.count_at("n"), None);
        assert_eq!(lazy.count_at("big"), None);
        assert_eq!(lazy.items().len(), 0);
        let arguments = lazy.at("args").expect("there").arguments();
        assert!(arguments.starts_with(r#"{"k":1,"k":[["#));
        assert_eq!(arguments.len(), deep.len() + 12);
    }
}
