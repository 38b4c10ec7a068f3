//! Twists of the protocol: what a client of the revision must bear, refuse or answer to in its own way.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A message of the server, without `jsonrpc` and id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Call {
    /// Its method.
    pub method: String,
    /// Its parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<Value>,
}

/// An answer made by hand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Page {
    /// The status.
    pub status: u16,
    /// The media type; none where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Further fields.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The body.
    #[serde(default)]
    pub body: String,
}

/// A JSON-RPC error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ErrorAnswer {
    /// Its code.
    pub code: i64,
    /// Its message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Its data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// The HTTP status; that which the revision pairs with the code where it is absent, else 200.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
}

/// An `input_required` of ours.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Question {
    /// `inputRequests`; absent where only a state is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_requests: Option<Map<String, Value>>,
    /// `requestState`, character by character.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
}

/// How a list is cut into pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Pages {
    /// Items of a page.
    #[serde(default = "one")]
    pub size: usize,
    /// The cursors in their order; where there are fewer than pages, the last page has all the rest.
    #[serde(default = "odd_cursors")]
    pub cursors: Vec<String>,
}

fn one() -> usize {
    1
}

/// Cursors that a client might be tempted to trim, decode, parse or take for the end.
pub fn odd_cursors() -> Vec<String> {
    [" a/b?c=d&e ", "", "%41+\u{fc}", "{\"page\":3}", "0"]
        .map(ToOwned::to_owned)
        .to_vec()
}

/// Something that a client of the revision must bear, refuse or answer to in its own way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Twist {
    /// An answer by hand in place of the server's; HTTP only.
    Answer(Page),
    /// A JSON-RPC error in place of the server's answer.
    Error(ErrorAnswer),
    /// -32022 with these versions as `supported`.
    UnsupportedVersion(Vec<String>),
    /// 400 with -32020; HTTP only.
    HeaderMismatch,
    /// 404 with -32601; the error alone on stdio.
    UnknownMethod,
    /// -32602 for a request that has a cursor; those without one pass.
    RefuseCursor,
    /// `input_required` in place of the server's answer; what the client sends back never reaches the server.
    InputRequired(Question),
    /// No answer; notices of progress for ever.
    EndlessProgress,
    /// The server's process is killed when the request comes; servers on stdio only.
    KillServer,
    /// The result without `resultType`.
    StripResultType,
    /// A task as result, which nobody agreed on.
    TaskResult,
    /// `ttlMs` of the result; null takes it out.
    Ttl(Option<i64>),
    /// `cacheScope` of the result.
    CacheScope(String),
    /// Further tools at the end of the list.
    AddTools(Vec<Value>),
    /// A list cut into pages.
    Pages(Pages),
    /// Merged into the result as RFC 7386 has it.
    MergeResult(Value),
    /// Another code in an error of the server.
    RecodeError(i64),
    /// `structuredContent` whose values have the wrong types.
    BreakOutput,
    /// A request of the server before the answer: `ping`, unless another is given.
    ServerRequest(Call),
    /// A notification before the answer: one that nobody knows, unless another is given.
    Notification(Call),
    /// A response to an id that was never sent, before the answer.
    ForeignResponse,
    /// The answer as JSON; HTTP only.
    ForceJson,
    /// The answer as an event stream; HTTP only.
    ForceStream,
    /// Comments, CRLF and odd chunks on the stream; HTTP only.
    StreamNoise,
    /// Lines of the stream end in a lone CR; HTTP only.
    StreamCr,
    /// An event with empty data before the answer; HTTP only.
    EmptyEvent,
    /// Fields `id` and `retry` on every event; HTTP only.
    EventIds,
    /// The stream ends in good order before the answer: chunks without their end, then the connection is closed; HTTP only.
    CutStream,
    /// Merged into the parameters of a subscription's acknowledgement, as RFC 7386 has it.
    MergeAcknowledged(Value),
    /// The server ends a subscription in good order, with a result.
    EndSubscription,
    /// `Mcp-Session-Id` on the answer; HTTP only.
    SessionId(String),
    /// The answer comes once the client has cancelled the request, and only then; stdio only.
    LateAnswer,
    /// Lines on standard error; stdio only.
    StderrNoise(String),
}

/// Names of all twists, with what stands for their parameters where none are given; null where some are needed.
pub fn twists() -> Vec<(&'static str, Option<Value>)> {
    use serde_json::json;
    vec![
        ("answer", None),
        ("error", None),
        ("unsupported-version", Some(json!(["2026-07-28"]))),
        ("header-mismatch", Some(Value::Null)),
        ("unknown-method", Some(Value::Null)),
        ("refuse-cursor", Some(Value::Null)),
        (
            "input-required",
            Some(json!({"request-state": "verdict-state"})),
        ),
        ("endless-progress", Some(Value::Null)),
        ("kill-server", Some(Value::Null)),
        ("strip-result-type", Some(Value::Null)),
        ("task-result", Some(Value::Null)),
        ("ttl", None),
        ("cache-scope", None),
        ("add-tools", None),
        ("pages", Some(json!({}))),
        ("merge-result", None),
        ("recode-error", Some(json!(-32002))),
        ("break-output", Some(Value::Null)),
        ("server-request", Some(json!({"method": "ping"}))),
        (
            "notification",
            Some(json!({"method": "notifications/x-verdict"})),
        ),
        ("foreign-response", Some(Value::Null)),
        ("force-json", Some(Value::Null)),
        ("force-stream", Some(Value::Null)),
        ("stream-noise", Some(Value::Null)),
        ("stream-cr", Some(Value::Null)),
        ("empty-event", Some(Value::Null)),
        ("event-ids", Some(Value::Null)),
        ("cut-stream", Some(Value::Null)),
        ("merge-acknowledged", None),
        ("end-subscription", Some(Value::Null)),
        ("session-id", Some(json!("verdict-session"))),
        ("late-answer", Some(Value::Null)),
        ("stderr-noise", Some(json!("warning: noise of mcp-verdict"))),
    ]
}
