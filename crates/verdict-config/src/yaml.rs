//! The reader of the file: YAML with the core schema's tags only, and every mistake told at its place.

use crate::tree;
use granit_parser::Parser;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Error, Location, NonFiniteFloatPolicy, Spanned, UserMessageFormatter};
use std::fmt;
use verdict_model::Config;

/// Reads a configuration.
///
/// # Errors
/// What is wrong and how to mend it, behind `file:line:column`.
pub fn parse(text: &str, file: &str) -> Result<Config, String> {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Ok(Config::default());
    }
    foreign_tag(text, file)?;
    let options = serde_saphyr::options! { with_snippet: false };
    let config: Config = serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let error = error.without_snippet();
        match error.location() {
            Some(at) if at.line() > 0 => format!("{}: {}", at_place(file, at), words(error)),
            _ => format!("{file}: {}", words(error)),
        }
    })?;
    config.validate().map_err(|invalid| {
        let place = place(text, file, invalid.key).unwrap_or_else(|| file.to_owned());
        format!("{place}: `{}` {}", invalid.key, invalid.message)
    })?;
    Ok(config)
}

/// Where the value of a key stands, as `file:line:column`; the key's parts are joined by dots.
pub fn place(text: &str, file: &str, key: &str) -> Option<String> {
    // What was read already is looked at again, so no value may stop it.
    let options = serde_saphyr::options! {
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
    };
    let found = serde_saphyr::with_deserializer_from_str_with_options(text, options, |reader| {
        Seek(key).deserialize(reader)
    });
    found.ok().flatten().map(|at| at_place(file, at))
}

fn at_place(file: &str, at: Location) -> String {
    format!("{file}:{}:{}", at.line(), at.column())
}

/// Refuses tags beyond the core schema, which other programs make objects of.
fn foreign_tag(text: &str, file: &str) -> Result<(), String> {
    // What cannot be read is told by the reader itself.
    for (event, span) in Parser::new_from_str(text).map_while(Result::ok) {
        if let Some(tag) = tree::foreign_tag(&event) {
            return Err(format!(
                "{file}:{}:{}: the tag `{tag}` is not read here; leave it out",
                span.start.line(),
                span.start.col() + 1,
            ));
        }
    }
    Ok(())
}

/// The reader's faults in our words, where its own speak of its settings or of nothing a user knows.
fn words(error: &Error) -> String {
    match error {
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            format!("the key `{key}` is there twice; keep one")
        }
        Error::DuplicateMappingKey { key: None, .. } => "a key is there twice; keep one".to_owned(),
        Error::MultipleDocuments { .. } => {
            "a second document begins; a configuration is one, so take the `---` out".to_owned()
        }
        Error::Unexpected { expected, .. } => match *expected {
            "mapping start" => "a mapping (`key: value`) is due here".to_owned(),
            "sequence start" => "a list (`[a, b]`) is due here".to_owned(),
            other => format!("a {other} is due here"),
        },
        Error::InvalidScalar { ty, .. } => match *ty {
            "boolean" => "true or false is due here".to_owned(),
            "floating point" => "a number is due here".to_owned(),
            _ => "a whole number that is not too large is due here".to_owned(),
        },
        Error::SerdeUnknownField {
            field, expected, ..
        } => format!(
            "there is no key `{field}` here; there are {}",
            expected.join(", ")
        ),
        Error::SerdeUnknownVariant {
            variant, expected, ..
        } => format!("`{variant}` is none of {}", expected.join(", ")),
        Error::AliasError { error, .. } => words(error),
        other => {
            let mut said = other.render_with_formatter(&UserMessageFormatter);
            if let Some(at) = said.rfind(" at line ") {
                said.truncate(at);
            }
            said
        }
    }
}

/// Looks for the place of a value by its key.
struct Seek<'k>(&'k str);

impl Seek<'_> {
    /// What is left of the key below a member, where it leads there: names may hold dots themselves.
    fn below(&self, name: &str) -> Option<&str> {
        let rest = self.0.strip_prefix(name)?;
        if rest.is_empty() {
            return Some(rest);
        }
        rest.strip_prefix('.')
    }
}

impl<'de> DeserializeSeed<'de> for Seek<'_> {
    type Value = Option<Location>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        if self.0.is_empty() {
            let here: Spanned<IgnoredAny> = serde::Deserialize::deserialize(deserializer)?;
            return Ok(Some(here.referenced));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seek<'_> {
    type Value = Option<Location>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a mapping or a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(name) = access.next_key::<String>()? {
            match self.below(&name) {
                Some(rest) if found.is_none() => found = access.next_value_seed(Seek(rest))?,
                _ => drop(access.next_value::<IgnoredAny>()?),
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let (mut found, mut at) = (None, 0_usize);
        loop {
            let rest = self.below(&at.to_string()).filter(|_| found.is_none());
            let more = match rest {
                Some(rest) => access
                    .next_element_seed(Seek(rest))?
                    .map(|place| found = place),
                None => access.next_element::<IgnoredAny>()?.map(drop),
            };
            if more.is_none() {
                return Ok(found);
            }
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_place() {
        let error =
            parse("server:\n  url: http://x/\nservr: 1\n", "f.yaml").expect_err("unknown key");
        assert!(error.starts_with("f.yaml:3:1: "), "{error}");
        assert!(error.contains("servr"), "{error}");
        let error = parse("no-reads: true\nno-reads: false\n", "f.yaml").expect_err("twice");
        assert!(error.starts_with("f.yaml:2:1: "), "{error}");
    }

    #[test]
    fn a_full_configuration_is_read() {
        let text = verdict_fixture::example_config();
        let config = parse(text, "example").expect("valid");
        assert!(!config.tools.safe.is_empty());
        assert!(parse("\u{feff}server: { url: http://x/ }\r\n", "bom").is_ok());
        assert_eq!(parse("", "empty"), Ok(Config::default()));
    }

    #[test]
    fn hostile_files_end_in_words() {
        let bomb = (1..9).fold("a0: &a0 [x]\n".to_owned(), |text, level| {
            let below = format!("*a{}, ", level - 1).repeat(10);
            format!("{text}a{level}: &a{level} [{below}]\n")
        });
        for text in [
            bomb,
            "[".repeat(100_000),
            "a: &a [*a]\n".to_owned(),
            "server: !!python/object/new:os.system [x]\n".to_owned(),
            "no-reads: true\n---\nno-reads: false\n".to_owned(),
            "server: { timeout: .nan }\n\tx: 1\n".to_owned(),
        ] {
            assert!(parse(&text, "f.yaml").is_err(), "{text:.60}");
        }
    }

    fn refusal(text: &str) -> String {
        parse(text, "f.yaml").expect_err(text)
    }

    #[test]
    fn ranges_and_words_are_told_at_their_place() {
        for (text, place, words) in [
            (
                "server:\n  timeout: -5\n",
                "f.yaml:2:12: ",
                "`server.timeout` -5",
            ),
            ("deadline: .nan\n", "f.yaml:1:11: ", "`deadline`"),
            (
                "no-reads: true\nno-reads: false\n",
                "f.yaml:2:1: ",
                "there twice; keep one",
            ),
            (
                "runs: 1\n---\nruns: 2\n",
                "f.yaml:3:1: ",
                "a second document",
            ),
            (
                "checks: { list.x: fatal }\n",
                "f.yaml:1:19: ",
                "`fatal` is none of fail",
            ),
        ] {
            let said = refusal(text);
            assert!(said.starts_with(place) && said.contains(words), "{said}");
            for jargon in [" at line ", "Policy", "from_str", "Options"] {
                assert!(!said.contains(jargon), "{said}");
            }
        }
    }

    #[test]
    fn tags_of_other_programs_are_refused() {
        for tag in [
            "!!python/object",
            "!foo",
            "!!binary",
            "!<tag:x.example,2026:y>",
        ] {
            let said = refusal(&format!("server:\n  url: {tag} x\n"));
            assert!(
                said.starts_with("f.yaml:2:") && said.contains(tag),
                "{said}"
            );
        }
        assert!(parse("server: { url: !!str http://x/ }", "f.yaml").is_ok());
    }

    #[test]
    fn keys_have_places() {
        let text = "server:\n  headers:\n    X.Y: a\nwaivers:\n  - check: b\n    reason: c\n";
        let at = |key| place(text, "f", key);
        assert_eq!(at("server.headers.X.Y").as_deref(), Some("f:3:10"));
        assert_eq!(at("waivers.0.check").as_deref(), Some("f:5:12"));
        assert_eq!((at("waivers.1.check"), at("nope")), (None, None));
    }
}
