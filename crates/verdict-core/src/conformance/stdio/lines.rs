//! Standard output carries one message a line and nothing else; standard error is free.
//!
//! Passive. Servers fail here whose libraries print banners, logs and dumps, or that print JSON in a form
//! for people.

use super::process::{exchanges, launcher, processes};
use super::strays::{is_batch, is_glued, sort};
use crate::check::Check;
use crate::context::Context;
use crate::facts::EraFinding;
use crate::record::Record;
use crate::ruling::{Finding, Ruling};
use crate::wire::json::{JsonFault, cut};
use crate::wire::rpc::Parsed;
use serde_json::Value;
use verdict_model::transcript::{Carrier, Channel, Stray};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("stdio.only-messages", "Standard output carries nothing but MCP messages")
        .stdio()
        .spec("stdio")
        .why("Clients parse every line of standard output; a banner or a log line breaks strict ones and costs the others a message.")
        .fix("Send logs to standard error. Find the library that prints, or point its output there before anything else is imported.")
        .any_era()
        .judge(only_messages),
    Check::must("stdio.framing", "Each line holds exactly one message")
        .stdio()
        .spec("stdio")
        .why("A line end is what separates messages; clients read half a message, or two, as garbage.")
        .fix("Write each message as compact JSON, with one line feed behind it, in one write.")
        .any_era()
        .judge(framing),
    Check::must("stdio.utf8", "Lines of standard output are valid UTF-8")
        .stdio()
        .spec("transports#messages")
        .why("Where the locale picks another encoding, every letter outside ASCII is lost or makes the message unreadable.")
        .fix("Set the encoding of standard output to UTF-8 without a byte order mark, whatever the locale is.")
        .judge(utf8),
    Check::advisory("stdio.stderr-utf8", "Standard error is UTF-8")
        .stdio()
        .spec("stdio")
        .why("Clients show this text to people; other encodings come out garbled.")
        .fix("Set the encoding of standard error to UTF-8.")
        .judge(stderr),
];

/// How many lines a finding shows.
const SHOWN: usize = 3;
/// Lines for a message, each quoted and cut.
fn quoted<'c>(lines: impl IntoIterator<Item = &'c Stray>) -> String {
    let shown: Vec<String> = lines
        .into_iter()
        .take(SHOWN)
        .map(|stray| Value::from(cut(stray.text.trim_end(), 120)).to_string())
        .collect();
    shown.join(", ")
}

/// What keeps the lines from being judged, when the server does not speak this revision.
fn unjudged(cx: &Context) -> Option<Ruling> {
    match &cx.facts.era {
        EraFinding::Modern | EraFinding::Dual => None,
        EraFinding::Legacy(_) | EraFinding::HttpSse | EraFinding::Refused(_) => Some(Ruling::skip(
            "the server does not speak this revision (discover.answers)",
        )),
        _ => Some(Ruling::skip(
            "no answer of the server was understood (discover.answers)",
        )),
    }
}

/// Lines that hold messages and yet are none, where no answer of the server was understood.
fn why_not_understood(cx: &Context) -> Option<Finding> {
    if matches!(cx.facts.era, EraFinding::Legacy(_)) {
        return None;
    }
    let all = || cx.recording.channels.iter().flat_map(|log| &log.stray);
    let glued: Vec<&Stray> = all().filter(|stray| is_glued(stray)).collect();
    let arrays: Vec<&Stray> = all().filter(|stray| is_batch(stray)).collect();
    let (what, lines) = if glued.is_empty() {
        (
            "messages come in an array; there are no batches in this revision",
            arrays,
        )
    } else {
        (
            "other text and a message share a line of standard output, so the message is lost",
            glued,
        )
    };
    (!lines.is_empty()).then(|| Finding::broken(format!("{what}: {}", quoted(lines))))
}

fn only_messages(cx: &Context) -> Ruling {
    if let Some(skip) = unjudged(cx) {
        let flooded = |log: &Channel| log.stray_dropped > 0;
        let found = why_not_understood(cx);
        if found.is_some() || !cx.recording.channels.iter().any(flooded) {
            return found.map_or(skip, Ruling::from);
        }
    }
    let (mut blank, mut noise, mut early) = (0, Vec::new(), Vec::new());
    let mut dropped = 0;
    let launcher = launcher(cx);
    let mut findings: Vec<Finding> = unreadable(cx).into_iter().collect();
    for (_, log) in processes(cx) {
        let sorted = sort(log);
        blank += sorted.blank;
        dropped += log.stray_dropped;
        for stray in sorted.noise {
            if launcher.is_some() && stray.before_first_message {
                early.push(stray);
            } else {
                noise.push(stray);
            }
        }
    }
    if let Some(first) = noise.first() {
        let more = if dropped > 0 { "at least " } else { "" };
        let lines = if noise.len() == 1 { "line" } else { "lines" };
        findings.push(Finding::broken(format!(
            "{more}{} {lines} of standard output are no MCP messages: {}{}",
            noise.len(),
            quoted(noise.iter().copied()),
            json_note(first),
        )));
    }
    if let (Some(launcher), false) = (launcher, early.is_empty()) {
        findings.push(Finding::unproven(format!(
            "before the first message {} lines of standard output are no MCP messages; {launcher} may have printed them, so run the server's own program to tell: {}",
            early.len(),
            quoted(early),
        )));
    }
    if blank > 0 {
        findings.push(Finding::unproven(format!(
            "{blank} lines of standard output are empty; expected one message on each"
        )));
    }
    Ruling::of(findings, "every line is a message")
}

/// Lines with the id of a request whose answer they would be, were they readable.
fn unreadable(cx: &Context) -> Option<Finding> {
    let records = processes(cx).flat_map(|(number, _)| exchanges(cx, number));
    let lines: Vec<(&Record, &JsonFault)> = records
        .filter_map(|record| {
            let mut replies = record.replies();
            replies.find_map(|(message, parsed)| match parsed {
                Parsed::Broken(fault) if message.carrier == Carrier::Line => Some((record, fault)),
                _ => None,
            })
        })
        .collect();
    // What is only beyond our limits is not proven to be wrong.
    let is_wrong = |fault: &JsonFault| matches!(fault, JsonFault::Syntax(_));
    let wrong = lines.iter().find(|(_, fault)| is_wrong(fault));
    let (record, fault) = wrong.or(lines.first())?;
    let message = format!(
        "{} of standard output cannot be read although a request waits for it: {fault}",
        counted(lines.len(), "line", "lines")
    );
    let finding = match wrong {
        Some(_) => Finding::broken(message),
        None => Finding::unproven(message),
    };
    Some(finding.seen_in(record))
}

/// JSON that is no message looks right at first sight.
fn json_note(stray: &Stray) -> String {
    match Parsed::read(&stray.text) {
        Parsed::Object(_) => {
            " (a JSON object, but neither request, notification nor response)".to_owned()
        }
        Parsed::Other("an array") => {
            " (an array; there are no batches in this revision)".to_owned()
        }
        Parsed::Broken(fault)
            if stray.text.starts_with('{') && !stray.text.ends_with('\u{2026}') =>
        {
            format!(" ({fault})")
        }
        _ => String::new(),
    }
}

fn framing(cx: &Context) -> Ruling {
    let unjudged = unjudged(cx);
    let legacy = matches!(cx.facts.era, EraFinding::Legacy(_));
    let logs: Vec<&Channel> = if unjudged.is_some() {
        cx.recording.channels.iter().collect()
    } else {
        processes(cx).map(|(_, log)| log).collect()
    };
    let (mut split, mut joined) = (Vec::new(), Vec::new());
    for log in logs {
        let sorted = sort(log);
        split.extend(sorted.split);
        joined.extend(sorted.joined);
    }
    let mut findings = Vec::new();
    if let Some((first, lines)) = split.first() {
        findings.push(Finding::broken(format!(
            "{} spread over several lines, the first over {lines}, beginning with {}",
            counted(split.len(), "message is", "messages are"),
            quoted([*first]),
        )));
    }
    if !joined.is_empty() {
        findings.push(Finding::broken(format!(
            "{} more than one message: {}",
            counted(joined.len(), "line holds", "lines hold"),
            quoted(joined),
        )));
    }
    match unjudged {
        Some(skip) if findings.is_empty() || legacy => skip,
        _ => Ruling::of(findings, "every message has its own line"),
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn utf8(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    let (mut broken, mut marked, mut seen) = (0, 0, 0);
    let mut first = None;
    for record in cx.recording.modern() {
        for (message, _) in record.replies() {
            if message.carrier != Carrier::Line {
                continue;
            }
            seen += 1;
            broken += usize::from(message.invalid_utf8);
            marked += usize::from(message.text.as_str().starts_with('\u{FEFF}'));
            if message.invalid_utf8 {
                first = first.or(Some(record));
            }
        }
    }
    for (_, log) in processes(cx) {
        for stray in &log.stray {
            // Noise is judged as a whole by stdio.only-messages.
            let text = stray.text.trim_start_matches('\u{FEFF}');
            marked += usize::from(stray.text.starts_with('\u{FEFF}'));
            broken += usize::from(stray.invalid_utf8 && text.trim_start().starts_with('{'));
        }
    }
    if broken > 0 {
        let message = format!(
            "{} bytes that are not UTF-8",
            counted(broken, "message holds", "messages hold")
        );
        let finding = Finding::broken(message);
        findings.push(match first {
            Some(record) => finding.seen_in(record),
            None => finding,
        });
    }
    if marked > 0 {
        findings.push(Finding::unproven(format!(
            "{} with a byte order mark, which many readers of JSON refuse",
            counted(marked, "line begins", "lines begin")
        )));
    }
    if seen == 0 && findings.is_empty() {
        return Ruling::skip("no message was received");
    }
    Ruling::of(findings, format!("{seen} messages are UTF-8"))
}

fn stderr(cx: &Context) -> Ruling {
    let odd = cx
        .recording
        .channels
        .iter()
        .find(|log| log.stderr_invalid_utf8);
    match odd {
        None => Ruling::met("standard error is UTF-8, or empty"),
        Some(log) => Finding::noted(format!(
            "standard error holds bytes that are not UTF-8; it ends with {}",
            Value::from(cut(log.stderr_tail.trim_end(), 120))
        ))
        .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::process::sample::{at_command, process, ruling, ruling_in, stray};
    use super::*;
    use crate::ruling::Weight;

    fn on(id: &str, lines: &[&str]) -> Ruling {
        let strays = lines.iter().map(|text| stray(0, text)).collect();
        ruling(id, vec![], vec![process(strays)])
    }

    fn weights(ruling: &Ruling) -> Vec<Weight> {
        match ruling {
            Ruling::Found(findings) => findings.iter().map(|finding| finding.weight).collect(),
            _ => vec![],
        }
    }

    const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#;

    #[test]
    fn noise_is_told_once_with_its_first_lines() {
        let id = "stdio.only-messages";
        assert!(on(id, &[]).is_met());
        assert!(on(id, &[NOTE]).is_met());
        let noisy = on(
            id,
            &["\u{1F680} ready", "[trace] {", "  step: 'load',", "}", "42"],
        );
        let Ruling::Found(findings) = &noisy else {
            panic!("{noisy:?}");
        };
        assert_eq!(findings.len(), 1);
        assert!(findings[0].message.starts_with("5 lines of"), "{noisy:?}");
        assert!(findings[0].message.contains(r#""[trace] {""#), "{noisy:?}");
        assert!(on(id, &[r#"{"level":"info"}"#]).is_broken());
        assert!(on(id, &["[]"]).is_broken());
        assert_eq!(weights(&on(id, &["", " \r"])), [Weight::Unproven]);
    }

    #[test]
    fn a_launcher_may_print_before_the_server_does() {
        let mut banner = stray(0, "Need to install the following packages");
        banner.before_first_message = true;
        let with = |words: &[&str], line: &Stray| {
            let settings = at_command(words);
            let logs = vec![process(vec![line.clone()])];
            ruling_in(
                "stdio.only-messages",
                vec![],
                logs,
                EraFinding::Modern,
                &settings,
            )
        };
        assert_eq!(weights(&with(&["npx", "x"], &banner)), [Weight::Unproven]);
        assert!(with(&["node", "x"], &banner).is_broken());
        assert!(with(&["npx", "x"], &stray(0, "later")).is_broken());
    }

    #[test]
    fn pieces_of_messages_are_told_from_noise() {
        let pretty = ["{", "  \"jsonrpc\": \"2.0\",", "  \"method\": \"x\"", "}"];
        let twice = format!("{NOTE}{NOTE}");
        let spaced = format!("{NOTE} {NOTE}");
        let raw = ["{\"jsonrpc\":\"2.0\",\"method\":\"a", "b\"}"];
        for lines in [&pretty[..], &[&twice], &[&spaced], &raw] {
            assert!(on("stdio.framing", lines).is_broken(), "{lines:?}");
            assert!(on("stdio.only-messages", lines).is_met(), "{lines:?}");
        }
        let escaped = r#"{"jsonrpc":"2.0","method":"a\nb"}"#;
        for lines in [
            &["{", "  step: 'load',", "}"][..],
            &[NOTE, NOTE],
            &[escaped],
            &["{", "}"],
        ] {
            assert!(on("stdio.framing", lines).is_met(), "{lines:?}");
        }
    }

    #[test]
    fn a_long_pretty_message_is_told_by_its_beginning() {
        let mut log = process(vec![stray(0, "{"), stray(0, "  \"jsonrpc\": \"2.0\",")]);
        log.stray_dropped = 900;
        assert!(ruling("stdio.framing", vec![], vec![log]).is_broken());
    }

    #[test]
    fn a_server_that_cannot_be_understood_is_told_why() {
        let settings = at_command(&["server"]);
        let with = |id: &str, lines: &[&str]| {
            let strays = lines.iter().map(|text| stray(0, text)).collect();
            let era = EraFinding::Unreachable("no".to_owned());
            ruling_in(id, vec![], vec![process(strays)], era, &settings)
        };
        let pretty = [
            "{",
            "\"jsonrpc\": \"2.0\",",
            "\"id\": 1,",
            "\"result\": {}",
            "}",
        ];
        assert!(with("stdio.framing", &pretty).is_broken());
        let glued = format!("Loading... {NOTE}");
        assert!(with("stdio.only-messages", &[&glued]).is_broken());
        let batch = format!("[{NOTE}]");
        assert!(with("stdio.only-messages", &[&batch]).is_broken());
        let joined = format!("{NOTE}{NOTE}");
        assert!(with("stdio.framing", &[&joined]).is_broken());
        assert!(!with("stdio.only-messages", &[&joined]).is_broken());
        assert!(matches!(
            with("stdio.only-messages", &["hello"]),
            Ruling::Skip(_)
        ));
        assert!(matches!(with("stdio.framing", &["hello"]), Ruling::Skip(_)));
    }

    #[test]
    fn encodings() {
        let mut latin = stray(0, "{\"a\":\"\u{FFFD}\"}");
        latin.invalid_utf8 = true;
        assert!(ruling("stdio.utf8", vec![], vec![process(vec![latin])]).is_broken());
        let marked = on("stdio.utf8", &[&format!("\u{FEFF}{NOTE}")]);
        assert_eq!(weights(&marked), [Weight::Unproven]);
        let mut log = process(vec![]);
        assert!(ruling("stdio.stderr-utf8", vec![], vec![log.clone()]).is_met());
        log.stderr_invalid_utf8 = true;
        let odd = ruling("stdio.stderr-utf8", vec![], vec![log]);
        assert_eq!(weights(&odd), [Weight::Noted]);
    }
}
