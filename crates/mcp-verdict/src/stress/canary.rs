//! Requests that carry words of their own, at one time: none may show in the answer to another.

use super::{Scene, Seen};
use futures_util::future::join_all;
use serde_json::{Map, Value, json};
use verdict_eval::client::{Heard, Reply};
use verdict_eval::tool::Tool;

/// Where the words go.
struct Carrier {
    tool: Tool,
    arguments: Map<String, Value>,
    /// The argument that takes any text; nothing where the name of a tool that is not there carries the word.
    argument: Option<String>,
}

/// Sends as many words at one time as the configuration says requests.
pub(super) async fn apart(scene: &Scene<'_>) -> Seen {
    let carrier = carrier(scene);
    let words: Vec<String> = (0..scene.parallel).map(word).collect();
    let sent = words.iter().map(|word| {
        let (tool, arguments) = carrier.with(word);
        async move { scene.client.call_once(&tool, &arguments).await }
    });
    let heard = join_all(sent).await;
    let mut own = 0;
    for (place, heard) in heard.iter().enumerate() {
        let Ok(heard) = heard else { continue };
        let text = text(heard);
        if text.contains(&words[place]) {
            own += 1;
        }
        let other = words
            .iter()
            .enumerate()
            .find(|(number, word)| *number != place && text.contains(*word));
        if let Some((number, word)) = other {
            return Seen::Fell(format!(
                "the answer to request {place} holds `{word}`, which request {number} sent, and only that one"
            ));
        }
    }
    let answered = heard.iter().filter(|heard| heard.is_ok()).count();
    let how = match &carrier.argument {
        Some(argument) => format!("`{argument}` of `{}`", carrier.tool.name()),
        None => "the name of a tool that is not there".to_owned(),
    };
    if answered < 2 {
        return Seen::NotTried(format!("{answered} of the requests were answered"));
    }
    if own < 2 {
        return Seen::NotTried(format!(
            "answers do not say back what they were sent in {how}, so a leak would not show; name a tool under tools.safe that echoes an argument"
        ));
    }
    Seen::Stood(format!(
        "{answered} requests at one time, each with a word of its own in {how}: {own} answers had their own, none another's"
    ))
}

/// A word that stands for one request, and is found nowhere else.
fn word(number: usize) -> String {
    let salt = verdict_core::fnv(format!("verdict canary {number}").as_bytes());
    format!("canary{salt:016x}")
}

fn text(heard: &Heard) -> String {
    match &heard.reply {
        Reply::Result(result) => Value::Object(result.clone()).to_string(),
        Reply::Error { message, .. } => message.clone(),
    }
}

/// A safe tool with an argument that takes any text; else a tool that is not there, whose name the server says back.
fn carrier(scene: &Scene<'_>) -> Carrier {
    let config = &scene.plan.settings.config.tools;
    let mut safe = config.safe.iter().filter_map(|name| {
        let tool = scene.tools.iter().find(|tool| tool.name() == name)?;
        let arguments = config.arguments.get(name).cloned().unwrap_or_default();
        let argument = free_text(tool)?;
        Some(Carrier {
            tool: tool.clone(),
            arguments,
            argument: Some(argument),
        })
    });
    safe.next().unwrap_or_else(|| Carrier {
        tool: Tool(Map::new()),
        arguments: Map::new(),
        argument: None,
    })
}

/// An argument of type string that its schema does not limit.
fn free_text(tool: &Tool) -> Option<String> {
    let properties = tool.input_schema()?.get("properties")?.as_object()?;
    let free = properties.iter().find(|(_, schema)| {
        let limits = ["enum", "const", "format", "pattern", "maxLength"];
        schema.get("type") == Some(&json!("string"))
            && limits.iter().all(|limit| schema.get(limit).is_none())
    });
    free.map(|(name, _)| name.clone())
}

impl Carrier {
    fn with(&self, word: &str) -> (Tool, Map<String, Value>) {
        let mut arguments = self.arguments.clone();
        if let Some(argument) = &self.argument {
            arguments.insert(argument.clone(), json!(word));
            return (self.tool.clone(), arguments);
        }
        let mut absent = Map::new();
        absent.insert("name".to_owned(), json!(word));
        (Tool(absent), arguments)
    }
}
