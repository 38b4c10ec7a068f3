//! Results and errors as an action changes them.

use crate::action::{Action, Twist};
use crate::asked::Asked;
use crate::paging;
use serde_json::{Map, Value, json};
use verdict_model::fault::Fault;

/// Changes the response to a request; whether there was something to change.
pub fn edit(action: &Action, response: &mut Value, asked: &Asked) -> bool {
    if let Action::Twist(Twist::RecodeError(code)) = action {
        return response
            .get_mut("error")
            .and_then(|error| error.get_mut("code"))
            .map(|old| *old = (*code).into())
            .is_some();
    }
    let Some(Value::Object(result)) = response.get_mut("result") else {
        return false;
    };
    match action {
        Action::Fault(fault) => edit_by_fault(*fault, result),
        Action::Twist(twist) => edit_by_twist(twist, result, asked),
    }
}

fn edit_by_fault(fault: Fault, result: &mut Map<String, Value>) -> bool {
    match fault {
        Fault::ToolError => {
            let text = "The tool failed: what it depends on did not answer.";
            result.insert("content".into(), json!([{"type": "text", "text": text}]));
            result.shift_remove("structuredContent");
            result.insert("isError".into(), true.into());
        }
        Fault::EmptyResult => {
            result.insert("content".into(), json!([]));
            result.shift_remove("structuredContent");
        }
        Fault::CorruptResult => corrupt(result),
        Fault::UnknownResultType => {
            result.insert("resultType".into(), "x-verdict".into());
        }
        _ => return false,
    }
    true
}

fn edit_by_twist(twist: &Twist, result: &mut Map<String, Value>, asked: &Asked) -> bool {
    match twist {
        Twist::StripResultType => result.shift_remove("resultType").is_some(),
        Twist::TaskResult => {
            let meta = result.shift_remove("_meta");
            let at = "2026-07-28T00:00:00Z";
            *result = Map::new();
            for (key, value) in [
                ("resultType", json!("task")),
                ("taskId", json!("verdict-task-1")),
                ("status", json!("working")),
                ("createdAt", json!(at)),
                ("lastUpdatedAt", json!(at)),
                ("ttlMs", json!(60_000)),
                ("pollIntervalMs", json!(200)),
            ] {
                result.insert(key.into(), value);
            }
            if let Some(meta) = meta {
                result.insert("_meta".into(), meta);
            }
            true
        }
        Twist::Ttl(Some(ttl)) => {
            // Only results that can be cached carry it.
            let complete = result
                .get("resultType")
                .is_none_or(|kind| kind == "complete");
            if complete && is_cacheable(asked) {
                result.insert("ttlMs".into(), (*ttl).into());
            }
            complete
        }
        Twist::Ttl(None) => result.shift_remove("ttlMs").is_some(),
        Twist::CacheScope(scope) => {
            if is_cacheable(asked) {
                result.insert("cacheScope".into(), scope.clone().into());
            }
            is_cacheable(asked)
        }
        Twist::AddTools(tools) => match result.get_mut("tools") {
            Some(Value::Array(list)) => {
                list.extend(tools.iter().cloned());
                true
            }
            _ => false,
        },
        Twist::Pages(pages) => paging::cut(pages, result, asked),
        Twist::MergeResult(patch) => {
            let mut whole = Value::Object(std::mem::take(result));
            merge(&mut whole, patch);
            if let Value::Object(merged) = whole {
                *result = merged;
            }
            true
        }
        Twist::BreakOutput => match result.get_mut("structuredContent") {
            Some(output) => {
                *output = of_other_types(output);
                true
            }
            None => false,
        },
        _ => false,
    }
}

fn is_cacheable(asked: &Asked) -> bool {
    matches!(
        asked.method(),
        Some(
            "server/discover"
                | "tools/list"
                | "resources/list"
                | "resources/templates/list"
                | "prompts/list"
                | "resources/read"
        )
    )
}

/// RFC 7386.
pub(crate) fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(members) = target else {
        return;
    };
    for (name, value) in patch {
        if value.is_null() {
            members.shift_remove(name);
        } else {
            merge(members.entry(name.clone()).or_insert(Value::Null), value);
        }
    }
}

/// Values change and keep their types: a text that is a JSON text stays one, a date stays a date.
fn corrupt(result: &mut Map<String, Value>) {
    if let Some(output) = result.get_mut("structuredContent") {
        wrong(output);
    }
    let Some(Value::Array(blocks)) = result.get_mut("content") else {
        return;
    };
    for text in blocks.iter_mut().filter_map(|block| block.get_mut("text")) {
        let Value::String(old) = text else { continue };
        *old = match serde_json::from_str::<Value>(old) {
            Ok(mut inner) if inner.is_object() || inner.is_array() => {
                wrong(&mut inner);
                inner.to_string()
            }
            _ => wrong_text(old),
        };
    }
}

fn wrong(value: &mut Value) {
    match value {
        Value::Bool(truth) => *truth = !*truth,
        Value::Number(number) => {
            // A step towards zero stays within most bounds.
            if let Some(whole) = number.as_i64() {
                *value = if whole > 0 { whole - 1 } else { whole + 1 }.into();
            } else if let Some(fraction) = number.as_f64() {
                *value = json!(fraction / 2.0 + 0.25);
            }
        }
        Value::String(text) => *text = wrong_text(text),
        Value::Array(items) => items.iter_mut().for_each(wrong),
        Value::Object(members) => members.values_mut().for_each(wrong),
        Value::Null => {}
    }
}

/// The last digit of every number changes; a text without any says its words in another order. A single word stays: it may be
/// one of few that the schema allows.
fn wrong_text(text: &str) -> String {
    if text.bytes().any(|byte| byte.is_ascii_digit()) {
        return wrong_digits(text);
    }
    let mut words: Vec<&str> = text.split(' ').collect();
    words.reverse();
    words.join(" ")
}

fn wrong_digits(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    // Of a date only the year changes, so that it stays one.
    let in_date = |at: usize| {
        letters.get(at) == Some(&'-') && digit(at + 1) && digit(at + 2) && !digit(at + 3)
    };
    let mut skip = 0;
    let mut out = String::with_capacity(text.len());
    for (at, letter) in letters.iter().enumerate() {
        let ends = digit(at) && !digit(at + 1);
        if ends && at >= skip {
            let old = letter.to_digit(10).unwrap_or_default();
            out.extend(char::from_digit((old + 3) % 10, 10));
            if in_date(at + 1) {
                skip = letters.len().min(at + 16);
            }
        } else {
            out.push(*letter);
        }
    }
    out
}

fn of_other_types(value: &Value) -> Value {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let other = |(name, value): (&String, &Value)| (name.clone(), of_other_types(value));
            Value::Object(members.iter().map(other).collect())
        }
        Value::String(_) => json!(4242),
        Value::Null => json!("no null"),
        _ => json!("of another type"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(name: &str, with: Option<&Value>, result: &Value) -> Value {
        let action = Action::named(name, with).unwrap();
        let asked = Asked::on_line(br#"{"id":1,"method":"tools/list"}"#);
        let mut response = json!({"id": 1, "result": result});
        assert!(edit(&action, &mut response, &asked), "{name}");
        response["result"].take()
    }

    #[test]
    fn a_corrupt_result_keeps_its_types() {
        let inner = json!({"temperature": 22.5, "day": "2026-07-28", "sunny": true, "hours": 7, "sky": "clear"});
        let result = json!({"resultType": "complete", "structuredContent": inner,
            "content": [{"type": "text", "text": inner.to_string()}, {"type": "text", "text": "INV-7 of 12 May"}]});
        let got = edited("corrupt-result", None, &result);
        let output = &got["structuredContent"];
        for (name, old) in inner.as_object().unwrap() {
            let new = &output[name];
            assert_eq!(
                (
                    new.is_string(),
                    new.is_i64(),
                    new.is_number(),
                    new.is_boolean()
                ),
                (
                    old.is_string(),
                    old.is_i64(),
                    old.is_number(),
                    old.is_boolean()
                )
            );
            assert_eq!(new == old, name == "sky", "{name}");
        }
        assert_eq!(output["day"], "2029-07-28");
        assert_eq!(got["content"][0]["text"], output.to_string());
        assert_eq!(got["content"][1]["text"], "INV-0 of 15 May");
        assert_eq!(got["resultType"], "complete");
    }

    #[test]
    fn what_each_name_does_to_a_result() {
        let whole = || json!({"resultType": "complete", "content": [{"type": "text", "text": "a"}], "structuredContent": {"n": 1}, "tools": [], "_meta": {"k": 1}});
        let failed = edited("tool-error", None, &whole());
        assert_eq!(
            (&failed["isError"], failed.get("structuredContent")),
            (&json!(true), None)
        );
        let empty = edited("empty-result", None, &whole());
        assert_eq!(
            (&empty["content"], empty.get("structuredContent")),
            (&json!([]), None)
        );
        assert_eq!(
            edited("unknown-result-type", None, &whole())["resultType"],
            "x-verdict"
        );
        assert_eq!(
            edited("strip-result-type", None, &whole()).get("resultType"),
            None
        );
        let task = edited("task-result", None, &whole());
        assert_eq!(
            (&task["resultType"], task.get("content")),
            (&json!("task"), None)
        );
        assert_eq!(edited("ttl", Some(&json!(-1)), &whole())["ttlMs"], -1);
        let more = edited("add-tools", Some(&json!([{"name": "x"}])), &whole());
        assert_eq!(more["tools"][0]["name"], "x");
        let merged = edited(
            "merge-result",
            Some(&json!({"_meta": {"k": null, "l": 2}})),
            &whole(),
        );
        assert_eq!(merged["_meta"], json!({"l": 2}));
        assert_eq!(
            edited("break-output", None, &whole())["structuredContent"]["n"],
            "of another type"
        );
    }

    #[test]
    fn an_error_has_no_result_to_change() {
        let mut error = json!({"id": 1, "error": {"code": -32602, "message": "no"}});
        let asked = Asked::default();
        assert!(!edit(&Action::Fault(Fault::ToolError), &mut error, &asked));
        let recode = Action::Twist(Twist::RecodeError(-32002));
        assert!(edit(&recode, &mut error, &asked));
        assert_eq!(error["error"]["code"], -32002);
    }
}
