//! Reads JSON into types, and takes a struct from an object alone.
//!
//! serde's own reader takes an array for a struct too. Nobody writes that, and the code for it is a third of what
//! reading costs in the module of WebAssembly.

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error as _, Expected, IntoDeserializer};
use serde::de::{Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Value};

/// Reads a text.
///
/// # Errors
/// What is wrong with the JSON, or what does not fit the type.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    T::deserialize(Strict(serde_json::from_str(text)?))
}

struct Strict(Value);

type Members = std::iter::Map<serde_json::map::IntoIter, fn((String, Value)) -> (String, Strict)>;

fn members(object: serde_json::Map<String, Value>) -> MapDeserializer<'static, Members, Error> {
    MapDeserializer::new(
        object
            .into_iter()
            .map(|(name, value)| (name, Strict(value))),
    )
}

impl Strict {
    fn unfit(&self, expected: &dyn Expected) -> Error {
        let what = match &self.0 {
            Value::Null => Unexpected::Unit,
            Value::Bool(value) => Unexpected::Bool(*value),
            Value::Number(_) => Unexpected::Other("a number"),
            Value::String(text) => Unexpected::Str(text),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        };
        Error::invalid_type(what, expected)
    }
}

impl<'de> Deserializer<'de> for Strict {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(items) => {
                visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(Strict)))
            }
            Value::Object(object) => visitor.visit_map(members(object)),
            other => other.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(object) => visitor.visit_map(members(object)),
            _ => Err(self.unfit(&visitor)),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(items) => {
                visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(Strict)))
            }
            _ => Err(self.unfit(&visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::String(text) => visitor.visit_string(text),
            _ => Err(self.unfit(&visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::String(text) => visitor.visit_enum(text.into_deserializer()),
            Value::Object(object) => {
                visitor.visit_enum(MapAccessDeserializer::new(members(object)))
            }
            _ => Err(self.unfit(&visitor)),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str bytes byte_buf unit unit_struct
        tuple tuple_struct identifier ignored_any
    }
}

impl IntoDeserializer<'_, Error> for Strict {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::from_str;
    use crate::{Config, Transcript};

    #[test]
    fn reads_what_serde_json_reads_and_no_struct_from_an_array() {
        let config = r#"{"server":{"command":["node","x"],"timeout":2.5},"checks":{"a.b":"off"},
            "tools":{"safe":["x"],"arguments":{"x":{"n":1}}},"runs":5}"#;
        let read: Config = from_str(config).expect("a configuration");
        assert_eq!(read, serde_json::from_str(config).expect("the same"));
        let transcript = r#"{"schema":"mcp-verdict/transcript/v1","transport":"http","channels":[],"durationMs":1,
            "exchanges":[{"name":"a/b","standing":"faulty","messages":[{"from":"server","atMs":1,
            "carrier":"body","text":"{}"}],"end":{"how":"unreachable","detail":"refused"},"sentMs":0,"endedMs":1}]}"#;
        let read: Transcript = from_str(transcript).expect("a transcript");
        assert_eq!(read, serde_json::from_str(transcript).expect("the same"));
        for wrong in [
            r#"{"tools":[["x"]]}"#,
            r#"{"runs":"x"}"#,
            r#"{"no-such":1}"#,
            "[]",
            "{",
        ] {
            assert!(from_str::<Config>(wrong).is_err(), "{wrong}");
        }
    }
}
