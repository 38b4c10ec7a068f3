//! The processes of a run, and the lines that belong to no exchange.

use crate::context::Context;
use crate::facts::List;
use crate::record::Record;
use crate::settings::Target;
use crate::wire::rpc::{Envelope, Parsed};
use serde_json::{Map, Value};
use verdict_model::transcript::{Channel, Standing, Stray};

/// The second process: it is listened to, compared with the first, and asked many things at once.
pub(crate) const SECOND: &str = "second";
/// The process that notifications are sent to.
pub(crate) const NOTICES: &str = "notices";
/// The process that gets bad lines.
pub(crate) const GARBAGE: &str = "garbage";

/// Processes that speak this revision and get well-formed lines alone.
///
/// One in which we sent `initialize` speaks an earlier revision, with other rules.
pub(crate) fn processes<'c>(
    cx: &Context<'c>,
) -> impl Iterator<Item = (u32, &'c Channel)> + use<'c> {
    let recording = cx.recording;
    let numbered = (0_u32..).zip(&recording.channels);
    numbered.filter(move |(number, log)| {
        log.lane != GARBAGE
            && !recording.records.iter().any(|record| {
                record.exchange.channel == Some(*number)
                    && record.exchange.standing == Standing::Legacy
            })
    })
}

/// The exchanges of a process.
pub(crate) fn exchanges<'c>(
    cx: &Context<'c>,
    number: u32,
) -> impl Iterator<Item = &'c Record> + use<'c> {
    let records = cx.recording.records.iter();
    records.filter(move |record| record.exchange.channel == Some(number))
}

/// A stray line as a message, when it is a JSON object.
pub(crate) fn object(stray: &Stray) -> Option<Box<Envelope>> {
    match Parsed::read(&stray.text) {
        Parsed::Object(envelope) => Some(envelope),
        Parsed::Other(_) | Parsed::Broken(_) => None,
    }
}

/// Notifications that this revision defines for servers.
pub(crate) fn is_core(method: &str) -> bool {
    matches!(
        method,
        "notifications/progress"
            | "notifications/message"
            | "notifications/cancelled"
            | "notifications/subscriptions/acknowledged"
            | "notifications/tools/list_changed"
            | "notifications/prompts/list_changed"
            | "notifications/resources/list_changed"
            | "notifications/resources/updated"
    )
}

/// A listen filter of all list changes that the server declares; empty when there are none.
pub(crate) fn declared_changes(cx: &Context) -> Map<String, Value> {
    let mut filter = Map::new();
    for (list, member) in [
        (List::Tools, "toolsListChanged"),
        (List::Prompts, "promptsListChanged"),
        (List::Resources, "resourcesListChanged"),
    ] {
        let declared = cx
            .facts
            .capabilities()
            .and_then(|all| all.get(list.capability())?.get("listChanged")?.as_bool());
        if declared == Some(true) {
            filter.insert(member.to_owned(), Value::Bool(true));
        }
    }
    filter
}

/// The program that starts the server for us and may print before it does, if the command names one.
pub(crate) fn launcher<'c>(cx: &Context<'c>) -> Option<&'c str> {
    const ALWAYS: &[&str] = &[
        "npx", "npm", "pnpm", "pnpx", "yarn", "bunx", "uv", "uvx", "pipx", "docker", "podman",
        "nerdctl", "mvn", "mvnw", "gradle", "gradlew",
    ];
    const WITH: &[&str] = &["dotnet", "cargo", "go", "bun", "deno", "nix"];
    const VERBS: &[&str] = &["run", "x", "exec", "task", "tool"];
    let Target::Stdio(words) = &cx.settings.target else {
        return None;
    };
    let program = words.first()?.as_str();
    let file = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let name = file.split('.').next().unwrap_or(file);
    let verb = words.get(1).map(String::as_str);
    let known = ALWAYS.contains(&name)
        || (WITH.contains(&name) && verb.is_some_and(|verb| VERBS.contains(&verb)));
    known.then_some(name)
}

/// Runs made up for tests.
#[cfg(test)]
pub(crate) mod sample {
    use crate::context::Context;
    use crate::facts::{EraFinding, Facts};
    use crate::record::Recording;
    use crate::ruling::Ruling;
    use crate::settings::Settings;
    use crate::testing::{config, settings};
    use verdict_model::transcript::{
        Carrier, Channel, End, Exchange, Message, Sender, Stray, Transcript, Transport,
    };

    /// A line at this time, with nothing in flight and a first message before it.
    pub(crate) fn stray(at_ms: u64, text: &str) -> Stray {
        Stray {
            at_ms,
            text: text.into(),
            invalid_utf8: false,
            before_first_message: false,
            in_flight: false,
            since_answer_ms: None,
            unterminated: false,
        }
    }

    /// A process with these lines.
    pub(crate) fn process(stray: Vec<Stray>) -> Channel {
        Channel {
            lane: "shared".to_owned(),
            stray,
            ..Channel::default()
        }
    }

    /// An exchange on process 0 from `sent` to `ended`: what was written, and what came back.
    pub(crate) fn exchange(
        name: &str,
        (sent, ended): (u64, u64),
        wrote: &str,
        got: &[&str],
    ) -> Exchange {
        let line = |from, at_ms, text: &str| Message {
            from,
            at_ms,
            carrier: Carrier::Line,
            text: text.into(),
            invalid_utf8: false,
        };
        let mut messages = Vec::new();
        if !wrote.is_empty() {
            messages.push(line(Sender::Client, sent, wrote));
        }
        messages.extend(got.iter().map(|text| line(Sender::Server, ended, text)));
        Exchange {
            name: name.to_owned(),
            channel: Some(0),
            messages,
            end: End::Complete,
            sent_ms: sent,
            answered_ms: Some(ended),
            ended_ms: ended,
            ..Exchange::default()
        }
    }

    /// A request line.
    pub(crate) fn request(id: &str, method: &str) -> String {
        serde_json::json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {}}).to_string()
    }

    pub(crate) fn at_command(words: &[&str]) -> Settings {
        let mut settings = settings(config(), true);
        settings.target =
            crate::settings::Target::Stdio(words.iter().map(|word| (*word).to_owned()).collect());
        settings
    }

    /// What the check of this id rules.
    pub(crate) fn ruling_in(
        id: &str,
        exchanges: Vec<Exchange>,
        channels: Vec<Channel>,
        era: EraFinding,
        settings: &Settings,
    ) -> Ruling {
        let recording = Recording::from_transcript(Transcript {
            transport: Transport::Stdio,
            exchanges,
            channels,
            ..Transcript::default()
        });
        let mut facts = Facts::read(&recording);
        facts.era = era;
        let context = Context {
            settings,
            recording: &recording,
            facts: &facts,
        };
        let check = crate::conformance::checks()
            .find(|check| check.rule.id == id)
            .expect("a check of this id");
        (check.judge)(&context)
    }

    /// The same for a modern server.
    pub(crate) fn ruling(id: &str, exchanges: Vec<Exchange>, channels: Vec<Channel>) -> Ruling {
        let settings = at_command(&["server"]);
        ruling_in(id, exchanges, channels, EraFinding::Modern, &settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Facts;
    use crate::record::Recording;
    use verdict_model::transcript::Transport;

    #[test]
    fn launchers_are_told_from_programs() {
        let (recording, facts) = (Recording::new(Transport::Stdio), Facts::default());
        let named = |words: &[&str]| {
            let settings = sample::at_command(words);
            let context = Context {
                settings: &settings,
                recording: &recording,
                facts: &facts,
            };
            launcher(&context).map(str::to_owned)
        };
        assert_eq!(named(&["npx", "-y", "x"]).as_deref(), Some("npx"));
        assert_eq!(named(&["C:\\node\\npx.cmd", "x"]).as_deref(), Some("npx"));
        assert_eq!(
            named(&["/usr/bin/docker", "run"]).as_deref(),
            Some("docker")
        );
        assert_eq!(named(&["dotnet", "run"]).as_deref(), Some("dotnet"));
        assert_eq!(named(&["dotnet", "server.dll"]), None);
        assert_eq!(named(&["node", "npx"]), None);
    }
}
