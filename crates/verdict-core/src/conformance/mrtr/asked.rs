//! What servers ask their clients for: every `input_required` result of the run, for whoever judges it.

use super::trigger::{self, TRIGGER};
use crate::context::Context;
use crate::passive::{self, Seen};
use crate::record::Answer;
use crate::refusal::answered;
use crate::ruling::Ruling;
use crate::wire::json::cut;
use serde_json::Value;

/// The methods whose results may be `input_required`.
pub(super) const MAY_ASK: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];

/// What to say where nothing is known to ask.
const NAME_ONE: &str = "name a tool, prompt or resource that asks back (mrtr.trigger) to try this";

/// The results that ask, of faultless requests; a ruling where there are none.
pub(crate) fn asked<'c>(cx: &Context<'c>) -> Result<Vec<Seen<'c>>, Ruling> {
    let all: Vec<Seen> = passive::results(cx)
        .filter(|seen| MAY_ASK.contains(&seen.method) && seen.kind() == Some("input_required"))
        .collect();
    if all.is_empty() {
        Err(nothing_asked(cx))
    } else {
        Ok(all)
    }
}

/// Why nothing was asked.
pub(super) fn nothing_asked(cx: &Context) -> Ruling {
    let Some(named) = trigger::configured(cx) else {
        return Ruling::skip(NAME_ONE);
    };
    let record = match answered(cx, &format!("{}/all", TRIGGER.name)) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let what = cut(named.name(), 120);
    Ruling::skip(match record.answer() {
        Answer::Error(Some(code)) => format!("{what} (mrtr.trigger) is refused with {code}"),
        Answer::Result(_) => format!("{what} (mrtr.trigger) does not ask back"),
        _ => format!("{what} (mrtr.trigger) is not answered with a result"),
    })
}

/// The requests in a result that asks, each with its key.
pub(crate) fn requests<'c>(
    seen: &Seen<'c>,
) -> impl Iterator<Item = (&'c str, &'c Value)> + use<'c> {
    let requests = seen.result.get("inputRequests").and_then(Value::as_object);
    requests
        .into_iter()
        .flatten()
        .map(|(key, request)| (key.as_str(), request))
}

/// The method of a request, when it is a string.
pub(crate) fn method(request: &Value) -> Option<&str> {
    request.get("method")?.as_str()
}

/// The parameters of the requests of a method, each with its place in the result.
pub(crate) fn of_method<'c>(
    seen: &Seen<'c>,
    wanted: &'static str,
) -> impl Iterator<Item = (String, &'c Value)> + use<'c> {
    requests(seen)
        .filter(move |(_, request)| method(request) == Some(wanted))
        .filter_map(|(key, request)| Some((place(key, "params"), request.get("params")?)))
}

/// The place of a member of a request in the result.
pub(crate) fn place(key: &str, member: &str) -> String {
    let key = key.replace('~', "~0").replace('/', "~1");
    format!("/inputRequests/{key}/{member}")
}

/// Whether an elicitation is a form; that is what it is without a mode.
pub(crate) fn is_form(params: &Value) -> bool {
    params.get("mode").is_none_or(|mode| mode == "form")
}
