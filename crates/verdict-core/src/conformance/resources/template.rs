//! URI templates (RFC 6570): whether a text is one, and which variables it has. Expands nothing.

use std::fmt;

/// A URI template, read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Template<'t> {
    /// The names of its variables, each once, in order.
    pub(crate) variables: Vec<&'t str>,
    /// An operator that RFC 6570 reserves for the future: it parses, but nobody can expand it.
    pub(crate) reserved: Option<char>,
}

/// Why a text is no URI template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TemplateFault {
    /// The byte at which reading stopped.
    pub(crate) at: usize,
    /// Why, in words that fit after "it".
    pub(crate) why: &'static str,
}

impl fmt::Display for TemplateFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "at byte {} it {}", self.at, self.why)
    }
}

/// Reads a URI template.
///
/// # Errors
/// A [`TemplateFault`] with the place where it stops being one.
pub(crate) fn parse(text: &str) -> Result<Template<'_>, TemplateFault> {
    let mut template = Template::default();
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        match letter {
            '{' => {
                let fault = |why| TemplateFault { at, why };
                let end = text[at..]
                    .find('}')
                    .ok_or_else(|| fault("opens an expression that is never closed"))?;
                expression(&text[at + 1..at + end], at + 1, &mut template)?;
                at += end + 1;
            }
            letter => {
                literal(letter, &text[at..]).map_err(|why| TemplateFault { at, why })?;
                at += letter.len_utf8();
            }
        }
    }
    Ok(template)
}

/// Whether a character may stand outside of expressions; `rest` begins with it.
fn literal(letter: char, rest: &str) -> Result<(), &'static str> {
    match letter {
        '}' => Err("closes an expression that was never opened"),
        '%' if !is_escape(rest.as_bytes()) => Err("has a `%` that begins no escape"),
        ' ' => Err("has a space"),
        '"' | '<' | '>' | '\\' | '^' | '`' | '|' => Err("has a character that no URI may have"),
        letter if letter.is_control() => Err("has a control character"),
        _ => Ok(()),
    }
}

/// Whether a text begins with a percent-encoded byte.
fn is_escape(text: &[u8]) -> bool {
    matches!(text, [b'%', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
}

/// Reads what stands between braces; `at` is its place in the whole.
fn expression<'t>(
    inside: &'t str,
    at: usize,
    template: &mut Template<'t>,
) -> Result<(), TemplateFault> {
    let operator = inside
        .chars()
        .next()
        .filter(|letter| "+#./;?&=,!@|".contains(*letter));
    if let Some(letter) = operator.filter(|letter| "=,!@|".contains(*letter)) {
        template.reserved.get_or_insert(letter);
    }
    let mut place = at + operator.map_or(0, char::len_utf8);
    let list = &inside[place - at..];
    for spec in list.split(',') {
        let name = variable(spec).map_err(|why| TemplateFault { at: place, why })?;
        if !template.variables.contains(&name) {
            template.variables.push(name);
        }
        place += spec.len() + 1;
    }
    Ok(())
}

/// The name in one item of a variable list.
fn variable(spec: &str) -> Result<&str, &'static str> {
    let name = match (spec.strip_suffix('*'), spec.split_once(':')) {
        (Some(name), _) => name,
        (None, Some((name, length))) => {
            let digits = (1..=4).contains(&length.len())
                && length.bytes().all(|byte| byte.is_ascii_digit())
                && !length.starts_with('0');
            if !digits {
                return Err("has a prefix length that is no number from 1 to 9999");
            }
            name
        }
        (None, None) => spec,
    };
    if name.is_empty() {
        return Err("has a variable without a name");
    }
    let bytes = name.as_bytes();
    let mut at = 0;
    let mut dot = true;
    while at < bytes.len() {
        match bytes[at] {
            b'.' if dot => return Err("has a variable name with a misplaced dot"),
            b'.' => dot = true,
            b'%' if is_escape(&bytes[at..]) => {
                dot = false;
                at += 2;
            }
            byte if byte.is_ascii_alphanumeric() || byte == b'_' => dot = false,
            _ => {
                return Err(
                    "has a variable name with other characters than letters, digits, `_` and `.`",
                );
            }
        }
        at += 1;
    }
    if dot {
        return Err("has a variable name with a misplaced dot");
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_of_every_level() {
        let variables = |text| parse(text).expect("a template").variables;
        assert_eq!(variables("file:///{path}"), ["path"]);
        assert_eq!(variables("a://{x}/{y}/{x}"), ["x", "y"]);
        assert_eq!(
            variables("a://b{/c*}{?d,e.f:3}{&g}{#h}{;i}{.j}{+k_1}"),
            ["c", "d", "e.f", "g", "h", "i", "j", "k_1"]
        );
        assert_eq!(variables("a://ü/%41{v%41r}'"), ["v%41r"]);
        assert_eq!(variables(""), [""; 0]);
        assert_eq!(parse("a://{=x}").expect("parses").reserved, Some('='));
    }

    #[test]
    fn what_is_no_template_says_where() {
        for (text, at) in [
            ("a://{id", 4),
            ("a://id}", 6),
            ("a://{}", 5),
            ("a://{a,}", 7),
            ("a://{a-b}", 5),
            ("a://{a b}", 5),
            ("a://{{a}}", 5),
            ("a://{a:0}", 5),
            ("a://{a:10000}", 5),
            ("a://{.}", 6),
            ("a://{a..b}", 5),
            ("a://{+}", 6),
            ("a b", 1),
            ("a%2", 1),
            ("<a>", 0),
            ("a\u{7f}", 1),
        ] {
            assert_eq!(parse(text).expect_err(text).at, at, "{text}");
        }
    }
}
