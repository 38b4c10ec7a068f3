//! A conversation with a model, in no provider's words.
//!
//! `provider` turns a [`Request`] into one provider's bytes and an answer's bytes into an [`Answer`]; the agent loop,
//! the scorer, the cache and the transcripts know these types alone.

mod unique;

use crate::tool::Tool;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use unique::Unique;
use verdict_model::behavior::Tokens;

/// What is asked of a model in one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// The system text; empty for none.
    pub system: String,
    /// The conversation so far, oldest first; ends with a user's text or with results of tools.
    pub turns: Vec<Turn>,
    /// The tools on offer, under the server's own names, in the server's order.
    pub tools: Vec<Tool>,
    /// How the model is to draw.
    pub sampling: Sampling,
}

/// How the model is to draw its answer. What a provider refuses is dropped, and said.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sampling {
    /// 0 narrows the answers; it does not make them repeat.
    pub temperature: Option<f64>,
    /// The run's index, for providers that take a seed.
    pub seed: Option<u64>,
    /// Most tokens of one answer.
    pub max_output_tokens: u32,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub enum Turn {
    /// What a person said.
    User {
        /// The words.
        text: String,
    },
    /// What the model said, and the tools it called.
    Assistant(Said),
    /// What the called tools gave, one for each call of the turn before.
    Tool {
        /// In the order of the calls.
        results: Vec<ToolResult>,
    },
}

/// What a model said in one turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Said {
    /// The text; empty where there is none.
    pub text: String,
    /// The calls, in the model's order.
    pub calls: Vec<Call>,
    /// The provider's own form of this turn, where it must go back unchanged (reasoning items, thought signatures).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<Value>,
}

/// One call of a tool, as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The provider's id, or one made by us where it gives none; unique within an answer.
    pub id: String,
    /// The server's own name of the tool; a name that was not offered stands as the model wrote it.
    pub name: String,
    /// The arguments as the model wrote them: JSON text where the provider sends text, else its value written as JSON.
    pub arguments: String,
}

impl Call {
    /// The arguments as an object. Blank text and `null` mean none.
    ///
    /// # Errors
    /// What is wrong with them: it is the model's fault, and never mended in silence.
    pub fn object(&self) -> Result<Map<String, Value>, BadArguments> {
        let text = self.arguments.trim();
        if text.is_empty() {
            return Ok(Map::new());
        }
        match serde_json::from_str(text) {
            Ok(Unique(Value::Object(map))) => Ok(map),
            Ok(Unique(Value::Null)) => Ok(Map::new()),
            Ok(_) => Err(BadArguments::NoObject),
            Err(error) => Err(BadArguments::NoJson(error.to_string())),
        }
    }
}

/// Arguments that cannot be sent to a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadArguments {
    /// The text is not JSON, or has a key twice in one object.
    #[error("the arguments are not JSON: {0}")]
    NoJson(String),
    /// JSON, and not an object.
    #[error("the arguments are JSON, and not an object")]
    NoObject,
}

/// What a tool gave, as the model is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// The id of the call it answers.
    pub call: String,
    /// The tool's own name.
    pub name: String,
    /// The result in words or JSON text.
    pub content: String,
    /// Whether the tool said that it failed.
    pub is_error: bool,
}

/// What came back from one call of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The turn.
    pub said: Said,
    /// Why it ended.
    pub end: End,
    /// What it took; absent where the provider does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Tokens>,
    /// The model that answered, as the provider names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The provider's fingerprint of the model's configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The provider's id of the request, for its support.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// Why an answer ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The model was done.
    Stop,
    /// It called tools. Told by the calls themselves, whatever the provider's word is.
    Calls,
    /// The limit of tokens cut it off.
    CutOff,
    /// The model refused.
    Refused,
    /// The provider's filter took the answer away.
    Filtered,
    /// There was neither text nor call.
    Empty,
    /// Another reason, in the provider's word.
    Other(String),
}
