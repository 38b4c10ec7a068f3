//! Large results that a server sends again and again: each is read and held once.

use crate::wire::rpc::Parsed;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::ops::Range;
use std::sync::Arc;

/// A large result, with the text of the message that brought it first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Large {
    pub(super) result: Arc<Value>,
    pub(super) text: Arc<str>,
    /// Where the result stands in the text; none where its message has oddities of its own.
    place: Option<Range<usize>>,
}

#[derive(Deserialize)]
struct Outer<'t> {
    #[serde(borrow)]
    result: &'t RawValue,
}

impl Large {
    /// `plain` says that nothing was odd about how the message is written.
    pub(super) fn new(result: Arc<Value>, text: Arc<str>, plain: bool) -> Self {
        let place = plain.then(|| place(&text)).flatten();
        Self {
            result,
            text,
            place,
        }
    }

    /// Whether it is this result.
    pub(super) fn is(&self, result: &Arc<Value>) -> bool {
        Arc::ptr_eq(&self.result, result) || self.result == *result
    }

    /// A message whose result is written just like this one, read without reading the result again.
    pub(super) fn again(&self, text: &str) -> Option<Parsed> {
        let place = self.place.as_ref()?;
        let (bytes, known) = (text.as_bytes(), self.text.as_bytes());
        let behind = known.len() - place.end;
        let starts = [place.start, bytes.len().checked_sub(behind + place.len())?];
        let start = starts
            .into_iter()
            .find(|start| bytes.get(*start..*start + place.len()) == Some(&known[place.clone()]))?;
        let rest = [&bytes[..start], b"{}", &bytes[start + place.len()..]].concat();
        let rest = std::str::from_utf8(&rest).ok()?;
        if self::place(rest)? != (start..start + 2) {
            return None;
        }
        let mut parsed = Parsed::read(rest);
        let Parsed::Object(envelope) = &mut parsed else {
            return None;
        };
        if !envelope.duplicates.is_empty() || envelope.inexact {
            return None;
        }
        envelope.result = Some(Arc::clone(&self.result));
        Some(parsed)
    }
}

/// The bytes of the member `result`.
fn place(text: &str) -> Option<Range<usize>> {
    let outer: Outer = serde_json::from_str(text).ok()?;
    let result = outer.result.get();
    let start = result.as_ptr() as usize - text.as_ptr() as usize;
    Some(start..start + result.len())
}

#[cfg(test)]
mod tests {
    use super::Large;
    use crate::wire::rpc::Parsed;
    use std::sync::Arc;

    fn large(text: &str) -> Large {
        let parsed = Parsed::read(text);
        let result = parsed
            .envelope()
            .and_then(|envelope| envelope.result.clone());
        Large::new(result.expect("a result"), Arc::from(text), true)
    }

    #[test]
    fn reads_the_rest_of_a_message_whose_result_is_known() {
        let known = large(r#"{"jsonrpc":"2.0","id":"a","result":{"tools":[{"name":"x"}]}}"#);
        for text in [
            r#"{"jsonrpc":"2.0","id":17,"result":{"tools":[{"name":"x"}]}}"#,
            r#"{"jsonrpc":"2.0","id":"b","result":{"tools":[{"name":"x"}]}, "extra": "é"}"#,
            r#"{"id":null,"result":{"tools":[{"name":"x"}]}}"#,
        ] {
            let again = known.again(text);
            let shared = again.as_ref().and_then(Parsed::envelope);
            let shared = shared.and_then(|envelope| envelope.result.as_ref());
            assert!(shared.is_some_and(|result| Arc::ptr_eq(result, &known.result)));
            let read = Parsed::read(text);
            let same = |one: &Parsed| {
                one.envelope()
                    .map(|it| (it.members.clone(), it.result.clone()))
            };
            assert_eq!(again.as_ref().and_then(same), same(&read));
        }
    }

    #[test]
    fn leaves_everything_else_to_be_read_whole() {
        let known = large(r#"{"jsonrpc":"2.0","id":"a","result":{"tools":[{"name":"x"}]}}"#);
        for text in [
            r#"{"jsonrpc":"2.0","id":"a","result":{"tools":[{"name":"y"}]}}"#,
            r#"{"jsonrpc":"2.0","id":"a","params":{"tools":[{"name":"x"}]}}"#,
            r#"{"jsonrpc":"2.0","id":"a","result":{"tools":[{"name":"x"}]},"result":1}"#,
            r#"{"jsonrpc":"2.0","id":"a","result":{"tools":[{"name":"x"}]}"#,
            r#"{"tools":[{"name":"x"}]}"#,
            "",
        ] {
            assert!(known.again(text).is_none(), "{text}");
        }
    }
}
