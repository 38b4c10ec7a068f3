//! Right answers, changed by rule: every change that matters is caught, every one that does not is let through.

#![expect(clippy::unwrap_used, reason = "the data are our own")]

mod make;

use make::{Made, answers, case, run, tools};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use verdict_eval::score::{Pair, Scorer};

/// A changed answer: the kind of the change, and the calls with their arguments as JSON text.
type Mutant = (&'static str, Vec<(String, String)>);

fn texts(calls: &[Made]) -> Vec<(String, String)> {
    let text =
        |(name, arguments): &Made| (name.clone(), Value::from(arguments.clone()).to_string());
    calls.iter().map(text).collect()
}

/// The answer with one value changed, once for each value at which `change` finds something to change.
fn changed(
    kind: &'static str,
    calls: &[Made],
    change: impl Fn(&str, &Value) -> Option<Value>,
) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for (at, (_, arguments)) in calls.iter().enumerate() {
        let whole = Value::from(arguments.clone());
        for pointer in pointers(&whole, "") {
            let Some(new) = change(&pointer, whole.pointer(&pointer).unwrap()) else {
                continue;
            };
            let mut mutated = whole.clone();
            *mutated.pointer_mut(&pointer).unwrap() = new;
            let mut all = calls.to_vec();
            all[at].1.clone_from(mutated.as_object().unwrap());
            mutants.push((kind, texts(&all)));
        }
    }
    mutants
}

/// Pointers to all values but the whole.
fn pointers(value: &Value, at: &str) -> Vec<String> {
    let below: Vec<(String, &Value)> = match value {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(i, it)| (i.to_string(), it))
            .collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, it)| (name.clone(), it))
            .collect(),
        _ => Vec::new(),
    };
    let mut found = Vec::new();
    for (name, it) in below {
        let pointer = format!("{at}/{name}");
        found.extend(pointers(it, &pointer));
        found.push(pointer);
    }
    found
}

fn text_edit(value: &Value, edit: impl Fn(&str) -> Option<String>) -> Option<Value> {
    let text = value.as_str()?;
    edit(text).filter(|new| new != text).map(Value::from)
}

fn digit_off(text: &str) -> Option<String> {
    let at = text.rfind(|letter: char| letter.is_ascii_digit())?;
    let digit = text[at..].chars().next()?.to_digit(10)?;
    Some(format!(
        "{}{}{}",
        &text[..at],
        (digit + 1) % 10,
        &text[at + 1..]
    ))
}

/// Changes of values that matter.
fn wrong_values(calls: &[Made]) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    mutants.extend(changed("wrong scalar", calls, |_, value| match value {
        Value::Bool(it) => Some(json!(!it)),
        Value::Number(_) => Some(json!(777)),
        Value::String(_) => Some(json!("zebra")),
        _ => None,
    }));
    mutants.extend(changed("one digit off", calls, |_, value| match value {
        Value::Number(number) => serde_json::from_str(&digit_off(&number.to_string())?).ok(),
        value => text_edit(value, digit_off),
    }));
    mutants.extend(changed("sign lost", calls, |_, value| match value {
        Value::Number(number) => {
            let text = number.to_string();
            serde_json::from_str(text.strip_prefix('-').unwrap_or(&format!("-{text}"))).ok()
        }
        value => text_edit(value, |text| {
            text.contains('-').then(|| text.replacen('-', "", 1))
        }),
    }));
    mutants.extend(changed("dot lost", calls, |_, value| {
        text_edit(value, |text| {
            text.contains('.').then(|| text.replacen('.', "", 1))
        })
    }));
    mutants.extend(changed("reordered list", calls, |_, value| {
        let items = value.as_array().filter(|items| items.len() > 1)?;
        Some(items.iter().rev().cloned().collect())
    }));
    mutants.extend(changed("item lost", calls, |_, value| {
        let items = value.as_array()?;
        Some(items[1..].iter().cloned().collect())
    }));
    mutants.extend(changed(
        "case of a closed value",
        calls,
        |pointer, value| match pointer {
            "/currency" | "/id" => text_edit(value, |text| {
                Some(if text.contains(char::is_uppercase) {
                    text.to_lowercase()
                } else {
                    text.to_uppercase()
                })
            }),
            _ => None,
        },
    ));
    mutants.extend(changed("another type", calls, |_, value| match value {
        Value::Number(number) => Some(json!(number.to_string())),
        Value::Bool(it) => Some(json!(it.to_string())),
        Value::String(text) => Some(json!([text])),
        Value::Array(_) | Value::Object(_) => Some(json!(value.to_string())),
        Value::Null => None,
    }));
    mutants
}

/// Changes of the calls and of the names of arguments that matter.
fn wrong_shapes(calls: &[Made]) -> Vec<Mutant> {
    let mut mutants: Vec<Mutant> = Vec::new();
    let mut add = |kind: &'static str, calls: Vec<Made>| mutants.push((kind, texts(&calls)));
    let extra = || ("count_all".to_owned(), Map::new());
    add("extra call", [calls, &[extra()]].concat());
    add("extra call first", [&[extra()], calls].concat());
    for at in 0..calls.len() {
        let with = |new: Made| {
            let mut all = calls.to_vec();
            all[at] = new;
            all
        };
        let (name, arguments) = &calls[at];
        let mut less = calls.to_vec();
        let call = less.remove(at);
        add("missing call", less);
        add("repeated call", [calls, &[call]].concat());
        let mut cased = name.clone();
        cased[..1].make_ascii_uppercase();
        add("name in the wrong case", with((cased, arguments.clone())));
        add(
            "another tool",
            with(("open_page".to_owned() + "s", arguments.clone())),
        );
        let mut invented = arguments.clone();
        invented.insert("surprise".to_owned(), json!(1));
        add("argument invented", with((name.clone(), invented)));
        for argument in arguments.keys() {
            let mut less = arguments.clone();
            less.remove(argument);
            add("argument lost", with((name.clone(), less.clone())));
            less.insert(argument.to_uppercase(), arguments[argument].clone());
            add("argument in the wrong case", with((name.clone(), less)));
        }
        if let (Some(one), Some(two)) = (arguments.get("from"), arguments.get("to")) {
            let mut swapped = arguments.clone();
            swapped.insert("from".to_owned(), two.clone());
            swapped.insert("to".to_owned(), one.clone());
            add("arguments swapped", with((name.clone(), swapped)));
        }
    }
    if calls.len() > 1 {
        add("order turned round", calls.iter().rev().cloned().collect());
    }
    mutants
}

/// Changes that do not matter.
fn harmless(calls: &[Made]) -> Vec<Mutant> {
    let words = |text: &str| !text.contains(|it: char| it.is_ascii_digit() || "@/-".contains(it));
    let mut mutants = vec![("nothing changed", texts(calls))];
    mutants.extend(changed("white space in words", calls, |_, value| {
        text_edit(value, |text| {
            words(text).then(|| format!(" {}\t", text.replace(' ', "  ")))
        })
    }));
    mutants.extend(changed("letter case of words", calls, |_, value| {
        text_edit(value, |text| words(text).then(|| text.to_uppercase()))
    }));
    mutants.extend(changed("whole number with a point", calls, |_, value| {
        let whole = value.as_i64().filter(|it| it.abs() < 1 << 50)?;
        serde_json::from_str(&format!("{whole}.0")).ok()
    }));
    mutants.extend(changed("same moment", calls, |_, value| {
        (value == "2026-10-05T09:00:00+02:00").then(|| json!("2026-10-05T07:00:00Z"))
    }));
    mutants.extend(changed("default sent", calls, |_, value| {
        let guests = value.as_object()?;
        let mut more = guests.clone();
        more.insert("children".to_owned(), json!(0));
        Some(Value::from(more))
    }));
    for at in 0..calls.len() {
        let mut all = texts(calls);
        let turned: Map<String, Value> = calls[at].1.clone().into_iter().rev().collect();
        all[at].1 = Value::from(turned).to_string();
        mutants.push(("keys turned round", all.clone()));
        all[at].1 = serde_json::to_string_pretty(&calls[at].1).unwrap();
        mutants.push(("JSON with line breaks", all));
        let default = match calls[at].0.as_str() {
            "get_invoice" => ("lines", json!(10)),
            "transfer" => ("confirmed", json!(false)),
            _ => continue,
        };
        if !calls[at].1.contains_key(default.0) {
            let mut all = calls.to_vec();
            all[at].1.insert(default.0.to_owned(), default.1);
            mutants.push(("default sent", texts(&all)));
        }
    }
    mutants
}

/// Scores all mutants of all answers; how many there were of each kind.
fn judge(mutants: fn(&[Made]) -> Vec<Mutant>, is_right: bool) -> BTreeMap<&'static str, u32> {
    let tools = tools();
    let judge = Scorer::new(&tools);
    let mut counts = BTreeMap::new();
    for answer in answers() {
        let case = case("case", &answer);
        for (kind, calls) in mutants(&answer) {
            let scored = judge.score(&case, &run(&calls), &|_: &Pair| None);
            assert_eq!(
                scored.passed, is_right,
                "{kind}: {calls:?} {:?}",
                scored.differences
            );
            assert_eq!(
                scored.differences.is_empty(),
                is_right,
                "{kind}: {:?}",
                scored.differences
            );
            *counts.entry(kind).or_default() += 1;
        }
    }
    counts
}

#[test]
fn every_wrong_value_is_caught() {
    let counts = judge(wrong_values, false);
    assert_eq!(counts.len(), 8, "a kind had nothing to change: {counts:?}");
}

#[test]
fn every_wrong_shape_is_caught() {
    let counts = judge(wrong_shapes, false);
    assert_eq!(counts.len(), 11, "a kind had nothing to change: {counts:?}");
}

#[test]
fn every_harmless_change_is_let_through() {
    let counts = judge(harmless, true);
    assert_eq!(counts.len(), 8, "a kind had nothing to change: {counts:?}");
}
