//! The text of a message; texts that are nearly alike share their bytes.
//!
//! A server with thousands of tools sends the same list again and again, with another id each time.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A text, as one string to everybody who reads or writes it.
#[derive(Clone)]
pub struct Text(Form);

#[derive(Clone)]
enum Form {
    Own(String),
    Kept(Arc<str>),
    /// The first and the last bytes of another text, with `middle` between them.
    Like {
        other: Arc<str>,
        first: usize,
        middle: Box<str>,
        last: usize,
    },
}

impl Text {
    fn parts(&self) -> [&str; 3] {
        match &self.0 {
            Form::Own(text) => [text, "", ""],
            Form::Kept(text) => [text, "", ""],
            Form::Like {
                other,
                first,
                middle,
                last,
            } => [&other[..*first], middle, &other[other.len() - last..]],
        }
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.parts().iter().map(|part| part.len()).sum()
    }

    /// How many of its bytes no other text has.
    pub fn own_len(&self) -> usize {
        match &self.0 {
            Form::Like { middle, .. } => middle.len(),
            Form::Own(_) | Form::Kept(_) => self.len(),
        }
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The whole of it.
    pub fn as_str(&self) -> Cow<'_, str> {
        match self.parts() {
            [whole, "", ""] => Cow::Borrowed(whole),
            parts => Cow::Owned(parts.concat()),
        }
    }

    /// Keeps the bytes where other texts can share them.
    pub fn keep(&mut self) -> Arc<str> {
        let kept: Arc<str> = Arc::from(self.as_str().as_ref());
        self.0 = Form::Kept(Arc::clone(&kept));
        kept
    }

    /// Gives up bytes that another text has too, where that is most of them.
    pub fn share(&mut self, other: &Arc<str>) {
        let own = self.as_str();
        let alike = |(one, other): &(u8, u8)| one == other;
        let mut first = own.bytes().zip(other.bytes()).take_while(alike).count();
        while !own.is_char_boundary(first) {
            first -= 1;
        }
        let (rest, others) = (&own[first..], &other[first..]);
        let backwards = rest.bytes().rev().zip(others.bytes().rev());
        let mut last = backwards.take_while(alike).count();
        while !rest.is_char_boundary(rest.len() - last) {
            last -= 1;
        }
        let middle = &rest[..rest.len() - last];
        if middle.len() > own.len() / 8 {
            return;
        }
        self.0 = Form::Like {
            other: Arc::clone(other),
            first,
            middle: middle.into(),
            last,
        };
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(Form::Own(text))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl fmt::Display for Text {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts().iter().try_for_each(|part| out.write_str(part))
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_str(), out)
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Form::Own(text) => serializer.serialize_str(text),
            _ => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::Text;

    #[test]
    fn shares_what_is_alike_and_reads_the_same() {
        let body = "é".repeat(50);
        let mut one = Text::from(format!("{{\"id\":1,\"é\":\"{body}\"}}"));
        for id in ["2", "\"é\"", ""] {
            let whole = format!("{{\"id\":{id},\"é\":\"{body}\"}}");
            let mut other = Text::from(whole.clone());
            other.share(&one.keep());
            assert_eq!(other.as_str(), whole);
            assert_eq!(other.to_string(), whole);
            assert_eq!(other.len(), whole.len());
            assert_eq!(serde_json::to_value(&other).ok(), Some(whole.into()));
            assert!(other.parts()[1].len() < 10, "most of it is shared");
        }
    }

    #[test]
    fn leaves_other_texts_alone_whatever_they_end_on() {
        for (one, two) in [
            ("", ""),
            ("é", "è"),
            ("aé", "bé"),
            ("aaaa", "aa"),
            ("x", ""),
        ] {
            let mut text = Text::from(two);
            text.share(&Text::from(one).keep());
            assert_eq!(text.as_str(), two);
        }
    }
}
