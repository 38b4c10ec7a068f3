//! JSON in which no object has a key twice: what such an object means depends on who reads it.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// A value without doubled keys.
pub(super) struct Unique(pub(super) Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Unique;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_string<E>(self, value: String) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Unique, E> {
        Ok(Unique(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Unique, A::Error> {
        let mut list = Vec::new();
        while let Some(Unique(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Unique(Value::Array(list)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Unique, A::Error> {
        let mut map = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!("the key {key:?} is there twice")));
            }
            let Unique(value) = members.next_value()?;
            map.insert(key, value);
        }
        Ok(Unique(Value::Object(map)))
    }
}

#[cfg(test)]
mod tests {
    use crate::chat::{BadArguments, Call};

    fn object(text: &str) -> Result<String, BadArguments> {
        let call = Call {
            id: String::new(),
            name: String::new(),
            arguments: text.to_owned(),
        };
        call.object()
            .map(|map| serde_json::Value::Object(map).to_string())
    }

    #[test]
    fn arguments_are_an_object_or_nothing() {
        let whole = r#"{"a":[1,-2,2.5,true,null,"x"],"b":{"a":18446744073709551615}}"#;
        for (text, expected) in [
            ("", "{}"),
            (" \n", "{}"),
            ("null", "{}"),
            ("{}", "{}"),
            (whole, whole),
        ] {
            assert_eq!(object(text).as_deref(), Ok(expected));
        }
        assert_eq!(object("[1]"), Err(BadArguments::NoObject));
        assert_eq!(object("\"{}\""), Err(BadArguments::NoObject));
        for text in ["{", "{\"a\":01}", "{\"a\":1} x", "{\"a\":1e999}", "NaN"] {
            assert!(
                matches!(object(text), Err(BadArguments::NoJson(_))),
                "{text}"
            );
        }
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(50_000), "]".repeat(50_000));
        assert!(matches!(object(&deep), Err(BadArguments::NoJson(_))));
    }

    #[test]
    fn a_key_that_is_there_twice_is_the_models_fault() {
        for text in [
            r#"{"a":1,"a":1}"#,
            r#"{"x":[{"a":1,"b":2,"a":3}]}"#,
            r#"{"a":1,"\u0061":2}"#,
        ] {
            let error = object(text).expect_err(text).to_string();
            assert!(error.contains("the key \"a\" is there twice"), "{error}");
        }
    }
}
