//! The report as JSON: the one format that holds everything.
//!
//! The values are exactly those of the report. Only their spelling is careful: what a terminal, a log
//! or a runner would obey is written as `\uXXXX`, which every reader of JSON undoes.

use crate::safe::is_hidden;
use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};
use std::io;
use verdict_model::Report;

pub(crate) fn render(report: &Report) -> String {
    pretty(report)
}

/// `value` as indented JSON with a line feed at its end.
///
/// # Panics
///
/// If `value` refuses to be serialized, which plain data never does.
pub fn pretty(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, Careful(PrettyFormatter::new()));
    // Neither can happen: our types serialize without conditions, into memory, as UTF-8.
    value
        .serialize(&mut serializer)
        .expect("a report is plain data");
    let mut text = String::from_utf8(bytes).expect("JSON is UTF-8");
    text.push('\n');
    text
}

struct Careful(PrettyFormatter<'static>);

impl Formatter for Careful {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut start = 0;
        for (index, c) in fragment.char_indices() {
            let before = fragment.get(..index).unwrap_or_default();
            // The older syntax of workflow commands works anywhere in a line of a log.
            let order = c == '[' && before.ends_with("##");
            if !is_hidden(c) && !order {
                continue;
            }
            out.write_all(fragment.get(start..index).unwrap_or_default().as_bytes())?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
            start = index + c.len_utf8();
        }
        out.write_all(fragment.get(start..).unwrap_or_default().as_bytes())
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_array(out)
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array(out)
    }

    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array_value(out)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}

#[cfg(test)]
mod tests {
    use super::pretty;

    #[test]
    fn spelling_is_careful_and_values_are_exact() {
        let foreign = "a\0\u{9b}\u{202e}\u{e0041}é日 ###[error]\u{7f}\"\\\n";
        let text = pretty(&[foreign]);
        assert_eq!(
            text,
            "[\n  \"a\\u0000\\u009b\\u202e\\udb40\\udc41é日 ###\\u005berror]\\u007f\\\"\\\\\\n\"\n]\n"
        );
        assert_eq!(
            serde_json::from_str::<Vec<String>>(&text).unwrap(),
            [foreign]
        );
    }
}
