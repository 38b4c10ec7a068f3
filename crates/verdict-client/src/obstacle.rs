//! Why nothing can be judged: the client could not be run or never came, or no server answered behind the proxy.
//!
//! A client that was never answered keeps most duties by doing nothing; that is no pass.

use crate::scene::{Asked, Scene};
use crate::visit::{Ending, Visit};
use verdict_core::wire::json::cut;
use verdict_model::transcript::{End, Sender, Transport};

/// Bytes of somebody's last words that are told.
const LAST_WORDS: usize = 300;
/// What a gateway answers where it has no answer of the server, and what a server does that has no such endpoint.
const NO_ANSWER: [u16; 4] = [404, 502, 503, 504];

/// Why the visit in which nothing was injected shows nothing of the client; as it stands within a sentence.
///
/// None where a server answered the client, so that there is something to judge.
pub fn obstacle(plain: &Visit) -> Option<String> {
    if let Ending::Failed(why) = &plain.ending {
        // The driver says where it is the proxy that is missing.
        return Some(if why.starts_with("the proxy ") {
            why.clone()
        } else {
            format!("the client could not be run: {why}")
        });
    }
    let scene = Scene::read(plain);
    if scene.asked.iter().any(is_answered) {
        return None;
    }
    // A process of the server that ended may have left the client nobody to speak to.
    if let Some(why) = refusal(&scene).or_else(|| ended(plain)) {
        return Some(format!(
            "the server behind the proxy could not be reached: {why}"
        ));
    }
    if scene.asked.is_empty() {
        return Some(never_came(plain));
    }
    // What is no request needs no answer, and is the client's own fault.
    let waits = scene.asked.iter().any(|asked| asked.request().is_some());
    waits.then(|| {
        format!(
            "the server behind the proxy never answered: the client {} after {} without an answer; try `mcp-verdict check` on the server",
            plain.ending_in_words(),
            match scene.asked.len() {
                1 => "1 request".to_owned(),
                many => format!("{many} requests"),
            }
        )
    })
}

/// Whether a server spoke MCP, or refused in a way that only a server does.
fn is_answered(asked: &Asked) -> bool {
    let spoke = asked
        .replies
        .iter()
        .any(|(_, one)| one.envelope().is_some());
    let status = asked.exchange.http.as_ref().and_then(|http| http.status);
    spoke || status.is_some_and(|status| !NO_ANSWER.contains(&status))
}

/// Why the first request that the server was not there for got no answer.
fn refusal(scene: &Scene) -> Option<String> {
    scene.asked.iter().find_map(|asked| {
        let exchange = asked.exchange;
        let text = exchange
            .messages
            .iter()
            .find(|message| message.from == Sender::Server)
            .map(|message| message.text.as_str().into_owned());
        let status = exchange.http.as_ref().and_then(|http| http.status);
        match (&exchange.end, status) {
            (End::Unreachable(why), _) => Some(bare(why).to_owned()),
            (End::Lost(why), None) if exchange.http.is_some() => Some(why.clone()),
            (_, Some(status)) => Some(match text.as_deref().map(bare) {
                Some(text) if !text.is_empty() => {
                    format!("HTTP {status}: {}", cut(text, LAST_WORDS))
                }
                _ => format!("HTTP {status} is all that it answers; see that --url is right"),
            }),
            _ => None,
        }
    })
}

/// What the proxy says of itself, without what every such text begins with.
fn bare(text: &str) -> &str {
    const BEGINNINGS: [&str; 3] = [
        "mcp-verdict proxy: ",
        "the server cannot be reached: ",
        "the server gave no answer: ",
    ];
    BEGINNINGS.iter().fold(text.trim(), |text, beginning| {
        text.strip_prefix(beginning).unwrap_or(text)
    })
}

/// How the server's process ended before the client was through with it.
fn ended(plain: &Visit) -> Option<String> {
    const OURS: [&str; 3] = [
        "the client closed its side",
        "it was ended by a signal",
        "it was ended on purpose",
    ];
    plain.transcript.channels.iter().find_map(|channel| {
        let how = channel.ending.as_deref()?;
        // A connection of HTTP ends with every request.
        if plain.transcript.transport != Transport::Stdio || OURS.contains(&how) {
            return None;
        }
        Some(match last_line(&channel.stderr_tail) {
            Some(line) => format!("{how} (its last words: {})", cut(line, LAST_WORDS)),
            None => how.to_owned(),
        })
    })
}

fn never_came(plain: &Visit) -> String {
    let last = plain.last_error().or_else(|| last_line(&plain.output));
    let last = last.map_or(String::new(), |line| {
        format!(" (its last words: {})", cut(line, LAST_WORDS))
    });
    let (mark, variable) = match plain.transcript.transport {
        Transport::Http => ("{url}", "MCP_SERVER_URL"),
        Transport::Stdio => ("{command}", "MCP_SERVER_COMMAND"),
    };
    let first = if plain.is_well() {
        ""
    } else {
        "see that it runs, and "
    };
    format!(
        "the client never spoke to the proxy: it {}{last}; {first}give it the address by {mark} in its command or by {variable}",
        plain.ending_in_words()
    )
}

fn last_line(text: &str) -> Option<&str> {
    text.lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty())
}
