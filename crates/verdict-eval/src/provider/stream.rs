//! A stream of Chat Completions events, folded into the one answer it amounts to.
//!
//! We never ask for a stream; some gateways send one all the same.

use super::chat_completions::{end, usage};
use super::draft::Draft;
use super::fault::{self, Fault, FaultKind};
use super::http::HttpResponse;
use super::lazy::Lazy;
use super::names::Names;
use crate::chat::Answer;

/// The data of each event. Lines end in LF, CR or both; several `data` lines of an event are joined; what follows the
/// last end of a line counts, because gateways leave the last blank line out.
pub(super) fn events(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut events = Vec::new();
    let mut data: Option<String> = None;
    for line in text.split('\n').chain([""]) {
        if line.is_empty() {
            events.extend(data.take());
            continue;
        }
        let Some(rest) = line.strip_prefix("data:") else {
            continue;
        };
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        match &mut data {
            Some(data) => {
                data.push('\n');
                data.push_str(rest);
            }
            None => data = Some(rest.to_owned()),
        }
    }
    events
}

/// The call that a piece of a stream belongs to.
#[derive(Default)]
struct Growing {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    arguments: String,
}

impl Growing {
    /// Whether a piece with this id and name is more of this call. A new id begins a new call, whatever index it
    /// comes under; where ids are missing, a name behind whole arguments does.
    fn goes_on(&self, id: Option<&str>, name: Option<&str>) -> bool {
        match id {
            Some(_) => self.id.as_deref() == id,
            None => name.is_none() || Lazy::parse(&self.arguments).is_none(),
        }
    }
}

/// Folds a stream.
///
/// # Errors
/// An error that the stream tells of, or its end before a reason was given.
pub(super) fn fold(response: &HttpResponse, names: &Names) -> Result<Answer, Fault> {
    let text = response.text();
    let mut draft = Draft {
        request_id: fault::request_id(response),
        ..Draft::default()
    };
    let mut calls: Vec<Growing> = Vec::new();
    let mut reason = None;
    let mut is_done = false;
    for event in events(&text) {
        if event.trim() == "[DONE]" {
            is_done = true;
            break;
        }
        let Some(chunk) = Lazy::parse(&event) else {
            return Err(cut());
        };
        if let Some(error) = chunk.at("error") {
            return Err(fault::of_inner_error(error, response));
        }
        read_head(chunk, &mut draft);
        let Some(choice) = chunk
            .at("choices")
            .and_then(|list| list.items().into_iter().next())
        else {
            continue;
        };
        if let Some(delta) = choice.at("delta") {
            read_delta(delta, &mut draft, &mut calls);
        }
        reason = choice.word_at("finish_reason").or(reason);
    }
    if reason.is_none() && !is_done {
        return Err(cut());
    }
    for call in calls {
        draft.call(call.id, call.name, call.arguments);
    }
    draft.end = end(reason.as_deref(), &draft);
    Ok(draft.answer(names))
}

fn cut() -> Fault {
    Fault::new(
        FaultKind::Cut,
        "the stream of the answer ended in its midst".to_owned(),
    )
}

fn read_head(chunk: Lazy<'_>, draft: &mut Draft) {
    draft.model = draft.model.take().or_else(|| chunk.word_at("model"));
    draft.fingerprint = draft
        .fingerprint
        .take()
        .or_else(|| chunk.word_at("system_fingerprint"));
    draft.request_id = draft.request_id.take().or_else(|| chunk.word_at("id"));
    draft.usage = chunk.at("usage").and_then(usage).or(draft.usage);
}

fn read_delta(delta: Lazy<'_>, draft: &mut Draft, calls: &mut Vec<Growing>) {
    draft
        .text
        .push_str(&delta.text_at("content").unwrap_or_default());
    if let Some(refusal) = delta.word_at("refusal") {
        draft.has_refused = true;
        draft.text.push_str(&refusal);
    }
    for piece in delta.at("tool_calls").map(Lazy::items).unwrap_or_default() {
        let index = piece.count_at("index");
        let id = piece.word_at("id");
        let function = piece.at("function");
        let name = function.and_then(|function| function.word_at("name"));
        let known = calls
            .iter()
            .rposition(|call| index.is_none() || call.index == index);
        let known = known.filter(|&at| calls[at].goes_on(id.as_deref(), name.as_deref()));
        let at = known.unwrap_or(calls.len());
        if known.is_none() {
            calls.push(Growing {
                index,
                id,
                ..Growing::default()
            });
        }
        let call = &mut calls[at];
        if let Some(name) = name.filter(|_| call.name.is_empty()) {
            call.name = name;
        }
        if let Some(arguments) = function.and_then(|function| function.at("arguments")) {
            call.arguments.push_str(&arguments.arguments());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{events, fold};
    use crate::chat::{Answer, Call, End};
    use crate::provider::fault::{Fault, FaultKind};
    use crate::provider::http::HttpResponse;
    use crate::provider::model::Wire;
    use crate::provider::names::Names;

    fn folded(text: &str) -> Result<Answer, Fault> {
        let response = HttpResponse {
            status: 200,
            body: text.as_bytes().to_vec(),
            ..HttpResponse::default()
        };
        fold(&response, &Names::of_tools(Wire::ChatCompletions, &[]))
    }

    fn call(id: &str, name: &str, arguments: &str) -> Call {
        Call {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        }
    }

    #[test]
    fn events_end_their_lines_in_every_way() {
        for text in [
            "data: a\ndata:b\n\n: c\nevent: x\ndata: d\n\n",
            "data: a\r\ndata:b\r\n\r\ndata: d",
            "data: a\rdata:b\r\rdata: d\r",
        ] {
            assert_eq!(events(text), ["a\nb", "d"], "{text:?}");
        }
    }

    #[test]
    fn two_calls_at_one_index_are_two_calls() {
        let text = include_str!("testdata/fr22-same-index.stream.sse");
        let answer = folded(text).expect("an answer");
        let expected = [
            call("c1", "add_task", r#"{"title":"sort photos"}"#),
            call("c2", "add_task", r#"{"title":"cook soup"}"#),
        ];
        assert_eq!(answer.said.calls, expected);
        assert_eq!(answer.end, End::Calls);
    }

    #[test]
    fn a_call_without_arguments_is_one_streamed_or_not() {
        let answer = folded(include_str!(
            "testdata/fr21-openai-empty-arguments.stream.sse"
        ));
        let answer = answer.expect("an answer");
        assert_eq!(answer.said.calls, [call("c1", "list_regions", "")]);
        assert_eq!(answer.said.calls[0].object(), Ok(serde_json::Map::new()));
    }

    #[test]
    fn calls_without_ids_or_indices_are_told_apart_by_their_names() {
        let text = r#"data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"a","arguments":"{\"x\":"}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"a","arguments":"1}"}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"b","arguments":{"y":2}}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}
"#;
        let answer = folded(text).expect("an answer");
        let expected = [
            call("call_1", "a", r#"{"x":1}"#),
            call("call_2", "b", r#"{"y":2}"#),
        ];
        assert_eq!(answer.said.calls, expected);
        assert_eq!(answer.usage.expect("usage").input, 5);
        assert_eq!(answer.end, End::Calls);
    }

    #[test]
    fn a_stream_that_stops_short_is_cut_and_an_error_in_it_is_one() {
        let whole = include_str!("testdata/fr22-same-index.stream.sse");
        for end in [100, 400, 700] {
            let cut = folded(&whole[..end]).expect_err("cut");
            assert_eq!(cut.kind, FaultKind::Cut, "{end}");
        }
        let error = folded("data: {\"error\":{\"code\":429,\"message\":\"slow\"}}\n\n");
        let expected = FaultKind::Busy {
            retry_after_ms: None,
        };
        assert_eq!(error.expect_err("busy").kind, expected);
    }
}
