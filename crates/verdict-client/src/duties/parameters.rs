//! Parameters that a tool wants mirrored into header fields.
//!
//! A client that does not know `x-mcp-header`, or mirrors what it likes, fails here.

use crate::context::{Context, ending, once_each, seen_in};
use crate::duty::Duty;
use crate::header;
use crate::scenario::broken_tools;
use crate::scene::{Asked, Scene};
use serde_json::{Map, Value};
use verdict_core::ruling::{Finding, Ruling};
use verdict_core::wire::json::{cut, shortened};

const PREFIX: &str = "mcp-param-";

/// The duties of this family.
pub const DUTIES: &[Duty] = &[
    Duty::must("client.param-mirror", "Annotated parameters are mirrored into Mcp-Param-* fields")
        .http()
        .spec("http#client-behavior")
        .why("The server refuses a call without them with -32020; a gateway cannot route it.")
        .fix("Read x-mcp-header in the listed input schema and send each argument that has a value as Mcp-Param-<name>.")
        .official(&["sep-2243-client-supports-custom-headers", "sep-2243-client-mirrors-designated-params"])
        .reads(&["header-params"])
        .judge(mirror),
    Duty::must("client.param-encode", "Values are written as the revision writes them")
        .http()
        .spec("http#value-encoding")
        .why("Raw bytes of other scripts, or a line break, break the request or forge a header field.")
        .fix("Write whole numbers in decimal, booleans as true and false, and everything that is not plain visible ASCII as =?base64?…?=.")
        .official(&["sep-2243-client-encode-values", "sep-2243-client-base64-unsafe"])
        .reads(&["header-params"])
        .judge(encode),
    Duty::must("client.param-omit", "A parameter without a value has no field")
        .http()
        .spec("http#server-behavior-for-custom-headers")
        .why("An empty or `null` field says something that the body does not.")
        .fix("Leave the field out where the argument is absent or null.")
        .official(&["sep-2243-client-omit-null"])
        .reads(&["header-params"])
        .judge(omit),
    Duty::must("client.param-unannotated", "Parameters without annotation are not mirrored")
        .http()
        .spec("http#client-behavior")
        .why("Header fields are logged on the way: what nobody asked for leaks there.")
        .fix("Mirror what has x-mcp-header, and nothing else.")
        .official(&["sep-2243-client-mirrors-designated-params"])
        .reads(&["header-params"])
        .judge(unannotated),
    Duty::must("client.invalid-tool-excluded", "A tool with a broken annotation is left out, and the others stay")
        .http()
        .spec("http#schema-extension")
        .why("A call of it could not be made right; without the others the client is of no use.")
        .fix("Check x-mcp-header of each listed tool, and drop the tool where it breaks the rules.")
        .official(&["sep-2243-client-reject-invalid-tool", "sep-2243-x-mcp-header-not-empty", "sep-2243-x-mcp-header-charset", "sep-2243-x-mcp-header-unique", "sep-2243-x-mcp-header-primitive-only"])
        .reads(&["header-broken-tools"])
        .judge(invalid_tool),
    Duty::should("client.mismatch-recovery", "After -32020 the tools are listed again and the call is made once more")
        .http()
        .spec("http#client-behavior")
        .why("The server's tools may have changed since they were listed: one more list mends it.")
        .fix("On -32020, list the tools again and send the call once more with fields made from the new list.")
        .reads(&["header-refused"])
        .judge(mismatch),
];

/// A call, with what its tool annotates: the fields it owes and those it must not have.
struct Call<'s, 'v> {
    asked: &'s Asked<'v>,
    /// Lower-case field name, path of the parameter.
    annotated: Vec<(String, Vec<String>)>,
}

/// The calls of tools whose list came through the proxy before, in all scenarios.
///
/// # Errors
/// The ruling where there is none.
fn calls<'s, 'v>(cx: &'s Context<'v>) -> Result<Vec<Call<'s, 'v>>, Ruling> {
    cx.any_request()?;
    let mut found = Vec::new();
    // A list that was changed may be one that the client refused as a whole.
    let judged = |scene: &&Scene| {
        scene.visit.scenario == "header-params" || !scene.of("tools/list").any(Asked::is_hit)
    };
    for scene in cx.scenes.iter().filter(judged) {
        let mut tools: Map<String, Value> = Map::new();
        for asked in scene.requests() {
            match asked.method() {
                Some("tools/list") => learn(&mut tools, asked),
                Some("tools/call") => {
                    let tool = asked
                        .param("name")
                        .and_then(Value::as_str)
                        .and_then(|name| tools.get(name));
                    let schema = tool.and_then(|tool| tool.get("inputSchema"));
                    let mut annotated = Vec::new();
                    annotations(schema.unwrap_or(&Value::Null), &mut vec![], &mut annotated);
                    if !annotated.is_empty() {
                        found.push(Call { asked, annotated });
                    }
                }
                _ => {}
            }
        }
    }
    if found.is_empty() {
        Err(Ruling::skip(
            "the client called no tool with annotated parameters that it had listed through the proxy",
        ))
    } else {
        Ok(found)
    }
}

fn learn(tools: &mut Map<String, Value>, asked: &Asked) {
    let result = asked
        .response()
        .and_then(|response| response.result.as_deref());
    let listed = result.and_then(|result| result.get("tools")?.as_array());
    for tool in listed.into_iter().flatten() {
        if let Some(name) = tool.get("name").and_then(Value::as_str) {
            tools.insert(name.to_owned(), tool.clone());
        }
    }
}

/// Annotations that are reached from the root through `properties` alone.
fn annotations(schema: &Value, path: &mut Vec<String>, found: &mut Vec<(String, Vec<String>)>) {
    if path.len() > 8 {
        return;
    }
    for (name, rule) in schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        path.push(name.clone());
        if let Some(header) = rule.get("x-mcp-header").and_then(Value::as_str) {
            found.push((
                format!("{PREFIX}{}", header.to_ascii_lowercase()),
                path.clone(),
            ));
        }
        annotations(rule, path, found);
        path.pop();
    }
}

fn argument<'a>(asked: &'a Asked, path: &[String]) -> Option<&'a Value> {
    path.iter()
        .try_fold(asked.param("arguments")?, |value, name| value.get(name))
        .filter(|value| !value.is_null())
}

/// Judges each call by itself.
fn each(
    cx: &Context,
    judge: impl Fn(&Call) -> (usize, Vec<Finding>),
    none: &str,
    met: &str,
) -> Ruling {
    let calls = match calls(cx) {
        Ok(calls) => calls,
        Err(ruling) => return ruling,
    };
    let mut tried = 0;
    let mut findings = Vec::new();
    for call in &calls {
        let (seen, found) = judge(call);
        tried += seen;
        findings.extend(
            found
                .into_iter()
                .map(|finding| seen_in(finding, call.asked)),
        );
    }
    if tried == 0 {
        return Ruling::skip(none);
    }
    Ruling::of(once_each(findings), format!("{tried} {met}"))
}

fn mirror(cx: &Context) -> Ruling {
    let judge = |call: &Call| {
        let mut findings = Vec::new();
        let mut tried = 0;
        for (field, path) in &call.annotated {
            let Some(value) = argument(call.asked, path).and_then(header::written) else {
                continue;
            };
            tried += 1;
            let when = call.asked.when();
            let message = match call.asked.field(field) {
                // An empty value is dropped by many HTTP stacks.
                None if value.is_empty() => continue,
                None => format!("a field is missing: {field}, {when}"),
                // Raw bytes: `client.param-encode`'s.
                Some(sent) if !sent.is_ascii() => continue,
                Some(sent) => match header::decode(sent) {
                    Ok(decoded) if decoded == value || decoded == value.trim() => continue,
                    // A wrong form of a right value is `client.param-encode`'s.
                    Ok(decoded) if same_value(&decoded, &value) => continue,
                    Ok(decoded) => format!(
                        "a field says something else: {field} is `{}` and the argument `{}`, {when}",
                        cut(&decoded, 60),
                        cut(&value, 60)
                    ),
                    Err(why) => format!("a field cannot be read: {field} {why}, {when}"),
                },
            };
            findings.push(Finding::broken(message).about(field.as_str()));
        }
        (tried, findings)
    };
    each(
        cx,
        judge,
        "no annotated parameter had a value",
        "annotated arguments have their field",
    )
}

/// Whether two texts are the same number or boolean in another form.
fn same_value(one: &str, other: &str) -> bool {
    let boolean = ["true", "false"].contains(&other) && one.eq_ignore_ascii_case(other);
    let number = matches!(
        (one.parse::<f64>(), other.parse::<f64>()),
        (Ok(one), Ok(other)) if (one - other).abs() < f64::EPSILON
    );
    boolean || number
}

fn encode(cx: &Context) -> Ruling {
    let judge = |call: &Call| {
        let mut findings = Vec::new();
        let mut tried = 0;
        for (field, path) in &call.annotated {
            let Some(value) = argument(call.asked, path) else {
                continue;
            };
            let (Some(text), Some(sent)) = (header::written(value), call.asked.field(field)) else {
                continue;
            };
            let special = !value.is_string() || !header::is_plain(&text);
            // A tab may stand in a field, and is a control character: either form is right.
            if !special || text.is_empty() || text.contains('\t') {
                continue;
            }
            tried += 1;
            let right = if header::is_plain(&text) {
                sent.trim() == text
            } else {
                sent != text && header::decode(sent).as_deref() == Ok(&text)
            };
            if !right {
                let message = format!(
                    "a value is not written as it should be: {field} is `{}` for {}, {}",
                    cut(sent, 60),
                    shortened(value, 60),
                    call.asked.when()
                );
                findings.push(Finding::broken(message).about(field.as_str()));
            }
        }
        (tried, findings)
    };
    each(
        cx,
        judge,
        "the annotated arguments are plain texts; give the client one with other letters, a number or a boolean",
        "numbers, booleans and odd texts are written right",
    )
}

fn omit(cx: &Context) -> Ruling {
    let judge = |call: &Call| {
        let without = call
            .annotated
            .iter()
            .filter(|(_, path)| argument(call.asked, path).is_none());
        let mut tried = 0;
        let mut findings = Vec::new();
        for (field, path) in without {
            tried += 1;
            if let Some(sent) = call.asked.field(field) {
                let message = format!(
                    "a field without an argument: {field} is `{}` and `{}` has no value, {}",
                    cut(sent, 60),
                    path.join("."),
                    call.asked.when()
                );
                findings.push(Finding::broken(message).about(field.as_str()));
            }
        }
        (tried, findings)
    };
    each(
        cx,
        judge,
        "every annotated parameter had a value",
        "parameters without a value have no field",
    )
}

fn unannotated(cx: &Context) -> Ruling {
    let judge = |call: &Call| {
        let http = call.asked.exchange.http.as_ref();
        let sent = http.map_or(&[][..], |http| &http.request_headers);
        let extra = sent
            .iter()
            .map(|(name, _)| name.to_ascii_lowercase())
            .filter(|name| {
                name.starts_with(PREFIX) && !call.annotated.iter().any(|(field, _)| field == name)
            });
        let findings = extra
            .map(|name| {
                Finding::broken(format!(
                    "a field that no annotation asks for: {name}, {}",
                    call.asked.when()
                ))
                .about(name)
            })
            .collect();
        let all = call
            .asked
            .param("arguments")
            .and_then(Value::as_object)
            .map_or(0, Map::len);
        let mirrored = call
            .annotated
            .iter()
            .filter(|(_, path)| argument(call.asked, path).is_some())
            .count();
        (all.saturating_sub(mirrored), findings)
    };
    each(
        cx,
        judge,
        "every argument was annotated",
        "plain arguments have no field",
    )
}

fn invalid_tool(cx: &Context) -> Ruling {
    let (scene, hit) = match cx.hit("header-broken-tools") {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let mut findings = Vec::new();
    for (name, what) in broken_tools() {
        let called = scene
            .of("tools/call")
            .find(|asked| asked.param("name").and_then(Value::as_str) == Some(name));
        if let Some(called) = called {
            let message = format!(
                "a tool with a broken annotation was called: `{name}` has {what}, {}",
                called.when()
            );
            findings.push(seen_in(Finding::broken(message).about(name), called));
        } else if offers(scene.visit.output.as_str(), name) {
            let message =
                format!("a tool with a broken annotation is offered: `{name}` has {what}");
            findings.push(seen_in(Finding::broken(message).about(name), hit));
        }
    }
    let plain = match cx.control() {
        Ok(plain) => plain,
        Err(ruling) => {
            return if findings.is_empty() {
                ruling
            } else {
                Ruling::Found(findings)
            };
        }
    };
    let called = |scene: &Scene| scene.of("tools/call").count();
    if called(plain) > 0 && called(scene) == 0 {
        let message = format!(
            "the good tools are gone too: nothing was called, and {}",
            ending(scene)
        );
        findings.push(seen_in(Finding::broken(message), hit));
    }
    if findings.is_empty() && !shows_tools(plain) {
        return Ruling::skip(
            "the client called none of them, and does not print what it offers; print the names of tools to show it",
        );
    }
    Ruling::of(findings, "none of them is offered, and the others are")
}

/// Whether a client prints the tools that it was shown.
fn shows_tools(plain: &Scene) -> bool {
    let mut tools = Map::new();
    plain
        .of("tools/list")
        .for_each(|asked| learn(&mut tools, asked));
    !tools.is_empty() && tools.keys().all(|name| plain.visit.tells(name) > 0)
}

/// Whether the output names a tool otherwise than to warn about it.
fn offers(output: &str, name: &str) -> bool {
    const WARNING: &[&str] = &[
        "x-mcp-header",
        "invalid",
        "ignor",
        "drop",
        "exclud",
        "skip",
        "reject",
        "warn",
        "error",
    ];
    output
        .lines()
        .filter(|line| line.contains(name))
        .any(|line| {
            let line = line.to_lowercase();
            !WARNING.iter().any(|word| line.contains(word))
        })
}

fn mismatch(cx: &Context) -> Ruling {
    let (scene, hit) = match cx.hit("header-refused") {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let about = hit.subject();
    let later: Vec<&Asked> = scene.after(hit).collect();
    let retries = later
        .iter()
        .filter(|asked| asked.method() == hit.method() && asked.subject() == about);
    let count = retries.clone().count();
    let first = retries.clone().map(|asked| asked.exchange.sent_ms).next();
    let listed = later.iter().find(|asked| {
        asked.method() == Some("tools/list")
            && first.is_none_or(|first| asked.exchange.sent_ms <= first)
    });
    match (count, listed) {
        (0, _) => {
            // A client that tells its caller did not give up in silence, and one without annotations has nothing to mend.
            let told = !scene.visit.is_well();
            let message = format!(
                "the call was not made again after -32020: {}",
                ending(scene)
            );
            let finding = if told {
                Finding::noted(message)
            } else {
                Finding::broken(message)
            };
            seen_in(finding, hit).into()
        }
        (1..=3, Some(list)) => {
            Ruling::met(format!("listed again and called again: {}", list.when()))
        }
        (1..=3, None) => Ruling::of(
            vec![seen_in(
                Finding::noted("the call was made again without a new list"),
                hit,
            )],
            "",
        ),
        (more, _) => seen_in(
            Finding::broken(format!("the call was made again in a loop: {more} times")),
            hit,
        )
        .into(),
    }
}
