//! What the Actions runner reads as commands in a log, after its source.

/// Commands that the runner knows.
const COMMANDS: [&str; 14] = [
    "set-env",
    "set-output",
    "save-state",
    "add-mask",
    "add-path",
    "add-matcher",
    "remove-matcher",
    "debug",
    "warning",
    "error",
    "notice",
    "group",
    "endgroup",
    "stop-commands",
];

/// A command as the runner would run it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) name: String,
    pub(crate) properties: Vec<(String, String)>,
    pub(crate) data: String,
}

/// All commands in a log.
///
/// Harsher than the runner: lines end at everything that some system ends lines at, white space is
/// everything Unicode calls so, and invisible characters do not exist, because the runner compares by
/// the rules of a culture.
pub(crate) fn commands(log: &str) -> Vec<Command> {
    log.split([
        '\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}',
    ])
    .filter_map(|line| {
        let seen: String = line.chars().filter(|c| !invisible(*c)).collect();
        current(&seen).or_else(|| older(&seen))
    })
    .collect()
}

fn invisible(c: char) -> bool {
    (c.is_control() && !matches!(c, '\t'..='\r' | '\u{85}'))
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

fn current(line: &str) -> Option<Command> {
    let (info, data) = line.trim_start().strip_prefix("::")?.split_once("::")?;
    let (name, rest) = info.split_once(' ').unwrap_or((info, ""));
    let properties = rest
        .trim()
        .split(',')
        .filter_map(|pair| pair.split_once('='))
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| {
            let value = decode(
                value,
                &[("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ",")],
            );
            (key.to_owned(), value)
        });
    known(name).then(|| Command {
        name: name.to_ascii_lowercase(),
        properties: properties.collect(),
        data: decode(data, &[("%0D", "\r"), ("%0A", "\n")]),
    })
}

fn older(line: &str) -> Option<Command> {
    let (_, tail) = line.split_once("##[")?;
    let (info, data) = tail.split_once(']')?;
    let (name, _) = info.split_once(' ').unwrap_or((info, ""));
    known(name).then(|| Command {
        name: name.to_ascii_lowercase(),
        properties: Vec::new(),
        data: data.to_owned(),
    })
}

fn known(name: &str) -> bool {
    COMMANDS
        .iter()
        .any(|known| known.eq_ignore_ascii_case(name))
}

fn decode(text: &str, codes: &[(&str, &str)]) -> String {
    let mut text = text.to_owned();
    for (code, plain) in codes {
        text = text.replace(code, plain);
    }
    text.replace("%25", "%")
}

#[test]
fn it_sees_what_the_runner_sees() {
    assert_eq!(commands("\u{a0} ::error::x")[0].name, "error");
    assert_eq!(commands("a ::error::x"), []);
    assert_eq!(
        commands("a ##[set-output name=v]pass")[0].name,
        "set-output"
    );
    assert_eq!(commands("#\u{2060}#[error]x")[0].name, "error");
    assert_eq!(commands("##[nope]x ::"), []);
    let command = &commands("::error title=a%3Ab,line=3::50%25%0A%250A")[0];
    assert_eq!(
        command.properties[0],
        ("title".to_owned(), "a:b".to_owned())
    );
    assert_eq!(command.data, "50%\n%0A");
}
