//! Each remark, at its place, and what must not be remarked on.

use super::{Remark, lint};
use crate::golden::{Golden, read};
use crate::tool::Tool;
use serde_json::{Value, json};

fn tools() -> Vec<Tool> {
    let closed = |properties: Value, required: Value| json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
    let tool = |name: &str, schema: Value| json!({ "name": name, "inputSchema": schema });
    let mut send = tool(
        "send_mail",
        closed(
            json!({ "to": { "type": "string" }, "note": { "type": "string" } }),
            json!(["to"]),
        ),
    );
    send["annotations"] = json!({ "destructiveHint": true });
    let mut find = tool(
        "find_bill",
        closed(
            json!({ "id": { "enum": ["A-1", "A-2"] }, "n": { "type": "integer", "minimum": 1 } }),
            json!(["id"]),
        ),
    );
    find["outputSchema"] = json!({ "type": "object", "required": ["total"] });
    let open = tool(
        "weather",
        json!({ "type": "object", "properties": { "city": { "type": "string" }, "unit": { "default": "C" } }, "required": ["unit"] }),
    );
    let either = tool(
        "pick",
        json!({ "type": "object", "properties": { "a": {}, "b": {} }, "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
    );
    let far = tool(
        "far",
        json!({ "type": "object", "$ref": "https://schema.example/x" }),
    );
    let as_tool = |value| match value {
        Value::Object(members) => Tool(members),
        other => panic!("{other}"),
    };
    [send, find, open, either, far].map(as_tool).into()
}

fn golden(text: &str) -> Golden {
    read(text, "g.yaml").unwrap_or_else(|it| panic!("{text}\n{it:?}"))
}

fn told(remark: &Remark) -> String {
    let Remark {
        level,
        place,
        message,
        mend,
        ..
    } = remark;
    format!(
        "{level:?} {}:{} {message}; {mend}",
        place.line, place.column
    )
}

/// Remarks on cases, those on the set left out.
fn remarks(text: &str) -> Vec<String> {
    let all = lint(&golden(text), Some(&tools()));
    all.iter()
        .filter(|it| it.case.is_some())
        .map(told)
        .collect()
}

/// Each line of `remarks.txt`: members of a case behind `id` and `prompt`, the level, the column in them, and words of what is
/// said.
#[test]
fn cases_are_held_against_the_tools() {
    let begin = "- { id: a, prompt: p, ";
    let lines = include_str!("remarks.txt").lines();
    for line in lines.clone() {
        let parts: Vec<&str> = line.split(" ## ").collect();
        let [members, level, column, words] = parts.as_slice() else {
            panic!("{line}");
        };
        let said = remarks(&format!("{begin}{members} }}"));
        let [only] = said.as_slice() else {
            panic!("{members}\n{said:#?}");
        };
        let column = begin.len() + column.parse::<usize>().expect(line);
        let place = format!("{level} 1:{column} ");
        assert!(
            only.starts_with(&place) && only.contains(words),
            "{members}\n{only}"
        );
    }
    assert_eq!(lines.count(), 29);
}

#[test]
fn what_is_right_is_not_remarked_on() {
    for members in [
        "expect_tool: find_bill, expect_args: { id: A-1, n: 2 }",
        "expect_tool: find_bill",
        "expect_tool: find_bill, expect_args: { n: 1 }, arg_match: { id: any }",
        "expect_tool: find_bill, expect_args: { n: 1 }, arg_match: { id: { regex: '^A' } }",
        "expect_tool: find_bill, expect_args: { id: A-x }, arg_match: { id: { contains: A } }",
        "expect_tool: find_bill, expect_args: { id: A-1, n: 2 }, arg_match: { n: { number: 1 }, id: { any_of: [A-2] } }",
        "expect_sequence: [weather, { tool: send_mail, args: { to: x } }], arg_match: { send_mail.note: ignore }",
        "expect_tool: weather, forbid_tools: pick, rubric: golden/rubrics/a..b.md",
        "expect_tool: pick, expect_args: { b: 1 }",
        "expect_tool: weather, execute: live",
        "expect_tool: weather, expect_args: { city: x }",
        "expect_tool: weather, allow_extra_calls: true, tool_results: { pick: x, weather: y }",
        "expect_tool: find_bill, tool_results: { find_bill: text }",
        "kind: never, forbid_tools: send_mail, tool_results: { weather: x }",
    ] {
        let text = format!("- {{ id: a, prompt: p, {members} }}");
        assert_eq!(remarks(&text), [""; 0], "{members}");
    }
    let shared = "defaults: { tool_results: { send_mail: x, nobody: y } }\ncases: [{ id: a, prompt: p, expect_tool: weather }]";
    assert_eq!(
        remarks(shared),
        [""; 0],
        "defaults are there for whichever case needs them"
    );
    let alone = golden("- { id: a, prompt: p, expect_tool: zzz, expect_args: { q: 1 } }");
    let without = lint(&alone, None);
    assert!(without.iter().all(|it| it.case.is_none()), "{without:?}");
}

#[test]
fn prompts_that_give_the_answer_away() {
    let said = |prompt: &str, tool: &str| {
        remarks(&format!(
            "- {{ id: a, prompt: {prompt:?}, expect_tool: {tool} }}"
        ))
    };
    for (prompt, tool) in [
        ("Use find_bill for A-1", "find_bill"),
        ("use FIND-BILL", "find_bill"),
        ("please find bill A-1", "find_bill"),
        ("call sendMail now", "send_mail"),
        ("call `weather` for Cluj", "weather"),
    ] {
        let said = said(prompt, tool);
        assert!(
            said.len() == 1 && said[0].starts_with("Warn 1:20 the prompt names"),
            "{prompt}\n{said:?}"
        );
    }
    for (prompt, tool) in [
        ("What is the weather?", "weather"),
        ("find the bill", "find_bill"),
        ("What did you find? Bill me later", "find_bill"),
        ("find billing data", "find_bill"),
        ("send mail, please", "find_bill"),
    ] {
        assert_eq!(said(prompt, tool), [""; 0], "{prompt}");
    }
    assert_eq!(
        remarks("- { id: a, prompt: do not find bill, expect_tool: null }"),
        [""; 0]
    );
}

#[test]
fn cases_that_contradict_each_other() {
    let pair =
        |one: &str, two: &str| remarks(&format!("- {{ id: a, {one} }}\n- {{ id: b, {two} }}"));
    let weather = "prompt: \"Cluj,  today\", expect_tool: weather";
    let find = |id: &str| format!("prompt: q, expect_tool: find_bill, expect_args: {{ id: {id} }}");
    for (one, two, words) in [
        (
            weather,
            "prompt: \"Cluj,  today\", expect_tool: null",
            "Error 2:20 this case asks the same as `a` in line 1, and only one of them expects a call",
        ),
        (
            weather,
            "prompt: \"CLUJ, today\", expect_tool: null",
            "Warn 2:20 this case asks the same",
        ),
        (
            weather,
            "prompt: \"Cluj,  today\", expect_tool: pick",
            "Error 2:20 this case asks the same as `a` in line 1, and expects another tool",
        ),
        (
            weather,
            "prompt: \"Cluj,  today\", expect_sequence: [weather, pick]",
            "expects other calls",
        ),
        (
            weather,
            "prompt: \"Cluj,  today\", kind: never, forbid_tools: weather",
            "forbids what the other expects",
        ),
        (
            weather,
            "prompt: \"Cluj,  today\", expect_tool: weather",
            "Warn 2:20 this case is the same as `a` in line 1",
        ),
        (&find("A-1"), &find("A-2"), "expects other arguments"),
    ] {
        let said = pair(one, two);
        assert!(
            said.len() == 1 && said[0].contains(words),
            "{one}\n{two}\n{said:#?}"
        );
    }
    for (one, two) in [
        (
            weather,
            "prompt: \"Cluj,  today\", expect_tool: [pick, weather]",
        ),
        (weather, "prompt: \"Cluj, today?\", expect_tool: null"),
        (
            weather,
            "prompt: \"Cluj,  today\", kind: never, forbid_tools: pick",
        ),
        (
            weather,
            "prompt: \"Cluj,  today\", history: [{ user: u }, { assistant: v }], expect_tool: null",
        ),
        (&find("A-1"), &(find("A-2") + ", arg_match: { id: any }")),
        (&find("A-1"), "prompt: q, expect_tool: find_bill"),
    ] {
        assert_eq!(pair(one, two), [""; 0], "{one}\n{two}");
    }
}

#[test]
fn the_set_as_a_whole() {
    let case =
        |at: usize, tool: &str| format!("- {{ id: c{at}, prompt: p{at}, expect_tool: {tool} }}\n");
    let told_of = |text: &str| {
        lint(&golden(text), Some(&tools()))
            .iter()
            .map(told)
            .collect::<Vec<_>>()
    };
    let few = told_of(&case(0, "weather"));
    assert_eq!(few.len(), 3, "{few:#?}");
    assert!(few.iter().all(|it| it.starts_with("Warn 1:1 ")), "{few:#?}");
    for words in [
        "no case expects `far`, `find_bill`, `pick`, `send_mail`",
        "0 cases that want no call",
        "has 1 cases, fewer than 20",
    ] {
        assert!(few.iter().any(|it| it.contains(words)), "{words} {few:#?}");
    }
    let names = ["weather", "far", "find_bill", "pick", "send_mail", "null"];
    let many: String = (0..24).map(|at| case(at, names[at % 6])).collect();
    assert_eq!(told_of(&many), [""; 0]);
    let wrong: String = (0..2_000).map(|at| case(at, &format!("zz{at}"))).collect();
    assert_eq!(told_of(&wrong).len(), 300);
}
