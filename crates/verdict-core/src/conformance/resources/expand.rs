//! Expansion of URI templates (RFC 6570) with one text for each variable.

use super::template;

/// The URI that a template stands for; none where it is no template, or a variable has no value.
pub(super) fn expand<'v>(text: &str, value: impl Fn(&str) -> Option<&'v str>) -> Option<String> {
    if template::parse(text).ok()?.reserved.is_some() {
        return None;
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let end = at + rest[at..].find('}')?;
        out.push_str(&rest[..at]);
        out.push_str(&expression(&rest[at + 1..end], &value)?);
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    Some(out)
}

/// How an operator writes its variables.
struct Style {
    first: &'static str,
    between: &'static str,
    named: bool,
    /// What follows the name of an empty value.
    empty: &'static str,
    reserved: bool,
}

fn style(operator: Option<char>) -> Style {
    let style = |first, between, named, empty, reserved| Style {
        first,
        between,
        named,
        empty,
        reserved,
    };
    match operator {
        Some('+') => style("", ",", false, "", true),
        Some('#') => style("#", ",", false, "", true),
        Some('.') => style(".", ".", false, "", false),
        Some('/') => style("/", "/", false, "", false),
        Some(';') => style(";", ";", true, "", false),
        Some('?') => style("?", "&", true, "=", false),
        Some('&') => style("&", "&", true, "=", false),
        _ => style("", ",", false, "", false),
    }
}

fn expression<'v>(inside: &str, value: &impl Fn(&str) -> Option<&'v str>) -> Option<String> {
    let operator = inside
        .chars()
        .next()
        .filter(|letter| "+#./;?&".contains(*letter));
    let style = style(operator);
    let list = &inside[operator.map_or(0, char::len_utf8)..];
    let mut out = style.first.to_owned();
    for (index, spec) in list.split(',').enumerate() {
        let (name, most) = match spec.split_once(':') {
            Some((name, most)) => (name, most.parse().ok()?),
            None => (spec.trim_end_matches('*'), usize::MAX),
        };
        let text: String = value(name)?.chars().take(most).collect();
        if index > 0 {
            out.push_str(style.between);
        }
        if style.named {
            out.push_str(name);
            out.push_str(if text.is_empty() { style.empty } else { "=" });
        }
        encode(&text, style.reserved, &mut out);
    }
    Some(out)
}

fn encode(text: &str, reserved: bool, out: &mut String) {
    use std::fmt::Write as _;
    for byte in text.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if plain || reserved && b":/?#[]@!$&'()*+,;=%".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_writes_its_variables() {
        let value = |name: &str| match name {
            "x" => Some("a b/ü"),
            "y" => Some(""),
            "z" => Some("1024"),
            _ => None,
        };
        for (text, uri) in [
            ("a://{x}", "a://a%20b%2F%C3%BC"),
            ("a://{+x}", "a://a%20b/%C3%BC"),
            ("a:/b{#z}", "a:/b#1024"),
            ("a:/b{/z,x:1}{.z}", "a:/b/1024/a.1024"),
            ("a:/b{;z,y}{?z,y}{&z*}", "a:/b;z=1024;y?z=1024&y=&z=1024"),
            ("a://{z,z}", "a://1024,1024"),
            ("a://b", "a://b"),
        ] {
            assert_eq!(expand(text, value).as_deref(), Some(uri), "{text}");
        }
        for text in ["a://{w}", "a://{", "a://{=x}"] {
            assert_eq!(expand(text, value), None, "{text}");
        }
    }
}
