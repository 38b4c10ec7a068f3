//! Makes the server ask back, and answers it: rightly, wrongly and from elsewhere.
//!
//! Only the configured trigger is used (B.2). A state may be good for one use, so none is sent twice:
//! every answer that is tried has a question of its own.

use super::answers::{self, Action};
use super::cases::{Case, tampered, wanted};
use super::outcome::{Outcome, outcome};
use crate::ask::{Ask, Lane, META_CAPABILITIES, Probe, Stage};
use crate::calling;
use crate::conformance::tools::calls::listed;
use crate::context::Context;
use crate::record::{Answer, Record};
use serde_json::{Map, Value, json};

/// Triggers questions with each set of capabilities, and answers some of them.
pub(crate) const TRIGGER: Probe = Probe {
    name: "mrtr",
    stage: Stage::Main,
    next: trigger,
};

/// Rounds of one request after which nothing more is answered.
pub(super) const MOST_ROUNDS: usize = 8;
/// Rounds after which the probe ends whatever happens.
const LAST_ROUND: usize = 16;

/// What the configuration names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Named<'c> {
    Tool(&'c str),
    Prompt(&'c str),
    Resource(&'c str),
}

impl<'c> Named<'c> {
    /// The name or the URI.
    pub(super) fn name(self) -> &'c str {
        match self {
            Self::Tool(name) | Self::Prompt(name) | Self::Resource(name) => name,
        }
    }
}

/// The configured trigger, when it may be used.
pub(super) fn configured<'c>(cx: &Context<'c>) -> Option<Named<'c>> {
    let trigger = cx.settings.config.mrtr.trigger.as_ref()?;
    let reads = !cx.settings.config.no_reads;
    match (&trigger.tool, &trigger.prompt, &trigger.resource) {
        (Some(name), ..) => Some(Named::Tool(name)),
        (_, Some(name), _) if reads => Some(Named::Prompt(name)),
        (_, _, Some(uri)) if reads => Some(Named::Resource(uri)),
        _ => None,
    }
}

/// The arguments of the trigger.
fn own_arguments<'c>(cx: &Context<'c>) -> Option<&'c Map<String, Value>> {
    cx.settings
        .config
        .mrtr
        .trigger
        .as_ref()
        .map(|one| &one.arguments)
}

/// Other arguments that the configuration has for the trigger's tool.
pub(super) fn other_arguments<'c>(cx: &Context<'c>) -> Option<&'c Map<String, Value>> {
    let Some(Named::Tool(name)) = configured(cx) else {
        return None;
    };
    let other = cx.settings.config.tools.arguments.get(name)?;
    (Some(other) != own_arguments(cx)).then_some(other)
}

/// The request that makes the server ask, declaring these capabilities.
fn request(cx: &Context, step: &str, arguments: &Map<String, Value>, able: Value) -> Option<Ask> {
    let ask = match configured(cx)? {
        Named::Tool(name) => {
            let bare = json!({ "name": name });
            let tool = listed(cx, name).map_or(&bare, |tool| tool.value);
            calling::call(step, tool, arguments)
        }
        Named::Prompt(name) => {
            let params = json!({"name": name, "arguments": arguments});
            Ask::request(step, "prompts/get", params)
        }
        Named::Resource(uri) => Ask::request(step, "resources/read", json!({ "uri": uri })),
    };
    let ask = ask.meta(META_CAPABILITIES, able).once();
    Some(if cx.is_http() {
        ask.over(Lane::Own("mrtr"))
    } else {
        ask
    })
}

/// The sets of capabilities, each with the step that declares it.
fn sets() -> [(&'static str, Value); 6] {
    [
        ("all", all()),
        ("none", json!({})),
        ("form", json!({"elicitation": {}})),
        ("url", json!({"elicitation": {"url": {}}})),
        ("sampling", json!({"sampling": {}})),
        ("roots", json!({"roots": {}})),
    ]
}

fn all() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}})
}

fn trigger(cx: &Context, round: usize) -> Vec<Ask> {
    let (Some(_), Some(own)) = (configured(cx), own_arguments(cx)) else {
        return vec![];
    };
    if round == 0 {
        let sets = sets().into_iter();
        return sets
            .filter_map(|(step, able)| request(cx, step, own, able))
            .collect();
    }
    if round > LAST_ROUND {
        return vec![];
    }
    let mut asks: Vec<Ask> = next_retry(cx, own).into_iter().collect();
    if retry(cx, 1).is_some() {
        for case in wanted(cx) {
            if case.record(cx).is_some() {
                continue;
            }
            match case.question(cx) {
                None => asks.extend(request(
                    cx,
                    &format!("{}-question", case.step()),
                    own,
                    all(),
                )),
                Some(question) => asks.extend(answer(cx, case, question, own)),
            }
        }
        asks.extend(without_state(cx));
        asks.extend(still_there(cx));
    }
    asks
}

/// The exchange of a round, counted from 1; the question is `all`.
pub(super) fn retry<'c>(cx: &Context<'c>, number: usize) -> Option<&'c Record> {
    cx.record(&format!("{}/retry-{number}", TRIGGER.name))
}

/// The exchange of the question that the rounds begin with.
pub(super) fn question<'c>(cx: &Context<'c>) -> Option<&'c Record> {
    cx.record(&format!("{}/all", TRIGGER.name))
}

/// The result of an exchange, when it asks in a way that can be answered.
pub(super) fn asking(record: &Record) -> Option<&Value> {
    let result = record.result()?;
    let asks = result.get("resultType")? == "input_required";
    let sound = result.get("requestState").is_none_or(Value::is_string)
        && (result.get("requestState").is_some() || result.get("inputRequests").is_some());
    (asks && sound).then_some(result)
}

/// The next round of the request that everything else is compared with.
fn next_retry(cx: &Context, own: &Map<String, Value>) -> Option<Ask> {
    let number = (1..=MOST_ROUNDS).find(|number| retry(cx, *number).is_none())?;
    let before = match number {
        1 => question(cx)?,
        number => retry(cx, number - 1)?,
    };
    let result = asking(before)?;
    let answers = answers::to(cx, result, Action::Accept)?;
    let ask = request(cx, &format!("retry-{number}"), own, all())?;
    Some(answered_with(ask, result, Some(answers)))
}

/// Puts answers and the state of a result into its retry.
fn answered_with(ask: Ask, result: &Value, answers: Option<Map<String, Value>>) -> Ask {
    let ask = match answers {
        Some(answers) if result.get("inputRequests").is_some() => {
            ask.param("inputResponses", Value::Object(answers))
        }
        _ => ask,
    };
    match result.get("requestState") {
        Some(state) => ask.param("requestState", state.clone()),
        None => ask,
    }
}

/// The answer to the question of a case.
fn answer(cx: &Context, case: Case, question: &Record, own: &Map<String, Value>) -> Option<Ask> {
    let result = asking(question)?;
    let action = match case {
        Case::Decline => Action::Decline,
        Case::Cancel => Action::Cancel,
        _ => Action::Accept,
    };
    let right = answers::to(cx, result, action)?;
    let arguments = match case {
        Case::Crossed => other_arguments(cx)?,
        _ => own,
    };
    let ask = request(cx, case.step(), arguments, all())?;
    let ask = answered_with(ask, result, Some(right.clone()));
    let state = result.get("requestState").and_then(Value::as_str);
    let with_state = |ask: Ask, state: String| ask.param("requestState", json!(state));
    Some(match case {
        Case::Again | Case::Decline | Case::Cancel => ask,
        Case::Fresh | Case::FreshAgain if cx.is_http() => ask.over(Lane::Fresh),
        Case::Fresh | Case::FreshAgain => ask.over(Lane::Own("mrtr-second")),
        Case::Crossed => ask.faulty(),
        Case::Principal => {
            let token = cx.settings.other_token.as_ref()?;
            let ask = ask.header("Authorization", &format!("Bearer {token}"));
            ask.over(Lane::Fresh).faulty()
        }
        Case::Extra => {
            let mut more = right;
            more.insert(
                cx.absent("answer"),
                json!({"action": "accept", "content": {}}),
            );
            ask.param("inputResponses", Value::Object(more)).faulty()
        }
        Case::Missing => ask.param("inputResponses", json!({})).faulty(),
        Case::Number => {
            let numbers = right.into_iter().map(|(key, _)| (key, json!(5)));
            let numbers = Value::Object(numbers.collect());
            ask.param("inputResponses", numbers).faulty()
        }
        Case::Null => ask.param("inputResponses", Value::Null).faulty(),
        Case::Tampered => with_state(ask, tampered(state?)?).faulty(),
        Case::Truncated => {
            let state = state?;
            let half = state.chars().count() / 2;
            with_state(ask, state.chars().take(half).collect()).faulty()
        }
        Case::Appended => with_state(ask, format!("{}AAAA", state?)).faulty(),
    })
}

/// The request with other arguments and answers, but without the state, where it was served with it.
fn without_state(cx: &Context) -> Option<Ask> {
    let served = Case::Crossed.record(cx).map(outcome) == Some(Outcome::Done);
    if !served || cx.record(&format!("{}/stateless", TRIGGER.name)).is_some() {
        return None;
    }
    let result = Case::Crossed.question(cx).and_then(asking)?;
    let answers = answers::to(cx, result, Action::Accept)?;
    let ask = request(cx, "stateless", other_arguments(cx)?, all())?;
    Some(ask.param("inputResponses", Value::Object(answers)).faulty())
}

/// Asks for something harmless where an answer of the user's was met with silence.
fn still_there(cx: &Context) -> Option<Ask> {
    let silent = [Case::Decline, Case::Cancel].into_iter().any(|case| {
        case.record(cx)
            .is_some_and(|record| matches!(record.answer(), Answer::Nothing(_)))
    });
    let asked = cx.record(&format!("{}/alive", TRIGGER.name)).is_some();
    (silent && !asked).then(|| Ask::request("alive", "server/discover", json!({})))
}
