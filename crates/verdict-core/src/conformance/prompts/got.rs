//! What a prompt is when it is got, and how wrong arguments are refused.

use super::getting::{GETTING, chosen, guessed};
use crate::check::Check;
use crate::conformance::list::reach::unwalked;
use crate::conformance::tools::content::{binary, kind};
use crate::context::Context;
use crate::encoded;
use crate::facts::List;
use crate::passive::{Seen, Slips, pattern, results};
use crate::record::{Answer, Record};
use crate::refusal::{answered, name_of, served};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::cut;
use serde_json::Value;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("prompts.get-shape", "A prompt is a list of messages, each with a role and one block of content")
        .reads()
        .spec("schema#GetPromptResult")
        .why("Typed clients refuse the prompt, and its user sees an error after choosing it.")
        .fix("Send `messages` as a list; give each the role user or assistant and one block of content, not a list of them.")
        .official(&["prompts-get-simple", "prompts-get-with-args"])
        .probes(&[&GETTING])
        .judge(shape),
    Check::must("prompts.content", "Images, sounds and resources in prompts are whole")
        .reads()
        .spec("prompts#embedded-resources")
        .why("Clients and model providers refuse an image without a type or with broken Base64, and the prompt with it.")
        .fix("Give images and sounds data in standard Base64 and a mimeType, and embedded resources a uri, a mimeType and text or blob.")
        .official(&["prompts-get-embedded-resource", "prompts-get-with-image"])
        .probes(&[&GETTING])
        .judge(content),
    Check::should("prompts.missing-argument", "A prompt without an argument that it requires is refused with -32602")
        .reads()
        .spec("prompts#error-handling")
        .why("The user gets a prompt with a hole in it, or an error that does not say what is missing.")
        .fix("Check the required arguments first, and answer -32602 (invalid params) naming the missing one.")
        .probes(&[&GETTING])
        .judge(missing),
    Check::should("prompts.argument-type", "A prompt with a number for an argument is refused with -32602")
        .reads()
        .spec("schema#GetPromptRequestParams")
        .why("Arguments of prompts are strings; clients that send numbers work with one server and fail with the next.")
        .fix("Check that the arguments are strings, and answer -32602 (invalid params) otherwise.")
        .probes(&[&GETTING])
        .judge(number),
];

/// The complete results of faultless `prompts/get` requests.
fn got<'c>(cx: &Context<'c>) -> Vec<Seen<'c>> {
    results(cx)
        .filter(|seen| seen.method == "prompts/get" && seen.is_complete())
        .collect()
}

/// Why no prompt was got.
fn nothing_got(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Prompts) {
        return ruling;
    }
    let Some(first) = chosen(cx).into_iter().next() else {
        return Ruling::not_applicable("no prompt is listed");
    };
    match answered(cx, &format!("{}/get/{}", GETTING.name, first.name())) {
        Err(ruling) => ruling,
        Ok(record) => Ruling::skip(match record.answer() {
            Answer::Result(_) => format!(
                "{} asks back, so its messages were not seen",
                cut(first.name(), 120)
            ),
            _ => format!(
                "{} was not answered with messages (prompts.arguments gives it arguments)",
                cut(first.name(), 120)
            ),
        }),
    }
}

fn shape(cx: &Context) -> Ruling {
    let all = got(cx);
    let mut slips = Slips::default();
    for seen in &all {
        slips.add_misshapen(seen, "prompts.get-shape");
    }
    let mut findings = slips.findings();
    findings.extend(chosen(cx).into_iter().filter_map(|prompt| {
        // A value of ours may not exist.
        if guessed(cx, prompt) {
            return None;
        }
        let record = cx.record(&format!("{}/get/{}", GETTING.name, prompt.name()))?;
        refused(record).map(|finding| finding.about(cut(prompt.name(), 200)))
    }));
    if all.is_empty() && findings.is_empty() {
        return nothing_got(cx);
    }
    Ruling::of(
        findings,
        format!("{} prompts are as they should be", all.len()),
    )
}

/// The refusal of a listed prompt that needs no arguments or has those of the configuration.
fn refused(record: &Record) -> Option<Finding> {
    let Answer::Error(code) = record.answer() else {
        return None;
    };
    let code = code.map_or("an error".to_owned(), |code| {
        format!("{code}{}", name_of(code))
    });
    let sent = record
        .request()
        .and_then(|request| request.params()?.get("arguments"));
    let with = match sent {
        Some(_) => "with the arguments of the configuration (prompts.arguments)",
        None => "although it requires no arguments",
    };
    let message = format!("the listed prompt is refused with {code}, {with}");
    Some(Finding::unproven(message).seen_in(record).at("/error"))
}

fn content(cx: &Context) -> Ruling {
    let all = got(cx);
    if all.is_empty() {
        return nothing_got(cx);
    }
    let mut slips = Slips::default();
    for seen in &all {
        slips.add_misshapen(seen, "prompts.content");
        let messages = seen.result.get("messages").and_then(Value::as_array);
        for (index, message) in messages.into_iter().flatten().enumerate() {
            if let Some(block) = message.get("content") {
                look(
                    seen,
                    &mut slips,
                    &format!("/messages/{index}/content"),
                    block,
                );
            }
        }
    }
    slips.ruling(format!("the content of {} prompts is whole", all.len()))
}

fn look(seen: &Seen, slips: &mut Slips, place: &str, block: &Value) {
    let key = |place: &str| format!("{} {}", seen.subject(), pattern(place));
    if let Some((below, text)) = binary(block)
        && let Some((weight, why)) = encoded::fault(text)
    {
        let place = format!("{place}{below}");
        slips.add(key(&place), || {
            let message = format!("the Base64 of {} {why}", kind(block));
            seen.found(Finding::new(weight, message), &place)
        });
    }
    let typeless = block
        .get("resource")
        .is_some_and(|resource| resource.is_object() && resource.get("mimeType").is_none());
    if typeless && block.get("type").is_some_and(|kind| kind == "resource") {
        let place = format!("{place}/resource");
        slips.add(key(&place), || {
            let finding = Finding::unproven(
                "an embedded resource has no mimeType; the specification's text wants one, its schema does not",
            );
            seen.found(finding, &place)
        });
    }
}

/// The answer to a faulty request; a ruling where none was sent.
fn faulty<'c>(cx: &Context<'c>, step: &str, without: &str) -> Result<&'c Record, Ruling> {
    if let Some(ruling) = unwalked(cx, List::Prompts) {
        return Err(ruling);
    }
    let name = format!("{}/{step}", GETTING.name);
    if cx.record(&name).is_none() && cx.recording.cut_off.is_none() {
        return Err(Ruling::not_applicable(without));
    }
    served(cx, "survey.prompts/1")?;
    answered(cx, &name)
}

fn missing(cx: &Context) -> Ruling {
    let record = match faulty(cx, "missing", "no listed prompt requires an argument") {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let got = match record.answer() {
        Answer::Error(Some(-32602)) => return Ruling::met("refused with -32602"),
        Answer::Error(Some(code)) => format!("refused with {code}{}", name_of(code)),
        Answer::Error(None) => "refused with an error without an integer code".to_owned(),
        Answer::Result(result) if asks(result) => return Ruling::met("it asks for the argument"),
        Answer::Result(_) => "served".to_owned(),
        _ => return Ruling::skip("the answer holds no JSON-RPC response"),
    };
    let message = format!(
        "a prompt without an argument that it requires is {got}; expected -32602 (invalid params)"
    );
    about(record, Finding::broken(message)).into()
}

fn asks(result: &Value) -> bool {
    result
        .get("resultType")
        .is_some_and(|kind| kind == "input_required")
}

fn about(record: &Record, finding: Finding) -> Finding {
    let name = record
        .request()
        .and_then(|request| request.params()?.get("name")?.as_str());
    finding
        .about(cut(name.unwrap_or("prompts/get"), 200))
        .seen_in(record)
}

fn number(cx: &Context) -> Ruling {
    let record = match faulty(cx, "number", "no listed prompt has an argument") {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let got = match record.answer() {
        Answer::Error(Some(-32602)) => return Ruling::met("refused with -32602"),
        Answer::Error(Some(code)) => format!("refused with {code}{}", name_of(code)),
        Answer::Error(None) => "refused with an error without an integer code".to_owned(),
        Answer::Result(_) => "served".to_owned(),
        _ => return Ruling::skip("the answer holds no JSON-RPC response"),
    };
    let message = format!(
        "a prompt with the number 5 for an argument is {got}; arguments are strings: expected -32602 (invalid params)"
    );
    about(record, Finding::noted(message)).into()
}

#[cfg(test)]
mod tests {
    use crate::testing::shows;

    #[test]
    fn odd_prompts_are_found() {
        shows(&[
            ("prompt-content-list", "prompts.get-shape", "fail"),
            ("prompt-image-typeless", "prompts.content", "fail"),
            ("prompt-resource-typeless", "prompts.content", "warn"),
            (
                "prompt-argument-optional",
                "prompts.missing-argument",
                "warn",
            ),
            ("prompt-argument-number", "prompts.argument-type", "info"),
        ]);
    }
}
