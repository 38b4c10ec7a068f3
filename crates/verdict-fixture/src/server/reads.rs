//! resources/read, prompts/get and completion/complete.

use super::ledger::{self, ACME, CHIME, CUSTOMERS, Invoice, LOGO, POLICY};
use super::{Server, catalogue};
use crate::message::{Fault, Outcome, Request};
use serde_json::{Map, Value, json};

/// Answers resources/read.
pub(crate) fn read(server: &Server, request: &Request) -> Result<Outcome, Fault> {
    let uri = request
        .text("uri")
        .ok_or_else(|| Fault::params("uri is missing"))?;
    let contents = contents(server, uri).ok_or_else(|| {
        Fault::params(format!("no such resource: {uri}")).with(json!({ "uri": uri }))
    })?;
    Ok(json!({ "contents": [contents], "ttlMs": 60_000, "cacheScope": "private" }).into())
}

/// The contents of a resource, listed or made from a template.
pub(crate) fn contents(server: &Server, uri: &str) -> Option<Value> {
    let text = |mime: &str, text: String| json!({ "uri": uri, "mimeType": mime, "text": text });
    let json_text = |value: Value| text("application/json", value.to_string());
    let path = uri.strip_prefix("ledger://")?;
    match path.split('/').collect::<Vec<_>>().as_slice() {
        ["2026"] => {
            let mut summary = ledger::year_summary(2026);
            summary["reports"] = json!(server.reports());
            Some(json_text(summary))
        }
        ["2025"] => Some(json_text(ledger::year_summary(2025))),
        ["office", "policy"] => Some(text("text/markdown", POLICY.to_owned())),
        ["office", "logo"] => Some(json!({ "uri": uri, "mimeType": "image/png", "blob": LOGO })),
        ["customers", "acme"] => Some(text("application/json", ACME.to_owned())),
        ["customers", customer, "statements", year] => statement(customer, year).map(json_text),
        ["invoices", id] => Invoice::find(id).map(|invoice| json_text(invoice.json())),
        ["reports", number] => number
            .parse::<u32>()
            .ok()
            .filter(|number| (1..=server.reports()).contains(number))
            .map(|number| text("text/plain", format!("Report {number}: all is well.\n"))),
        _ => None,
    }
}

fn statement(customer: &str, year: &str) -> Option<Value> {
    let year: u32 = year
        .parse()
        .ok()
        .filter(|year| matches!(year, 2025 | 2026))?;
    CUSTOMERS.contains(&customer).then(|| {
        let billed: u32 = Invoice::all()
            .filter(|invoice| invoice.customer() == customer && invoice.year() == year)
            .map(Invoice::cents)
            .sum();
        json!({ "customer": customer, "year": year, "cents": billed, "currency": "EUR" })
    })
}

/// Answers prompts/get.
pub(crate) fn prompt(server: &Server, request: &Request) -> Result<Outcome, Fault> {
    let name = request
        .text("name")
        .ok_or_else(|| Fault::params("name is missing"))?;
    let prompts = catalogue::prompts(server.reports());
    let listed = prompts
        .iter()
        .find(|prompt| prompt["name"] == name)
        .ok_or_else(|| Fault::params(format!("no such prompt: {name}")))?;
    let nothing = Map::new();
    let given = match request.param("arguments") {
        None => &nothing,
        Some(Value::Object(given)) => given,
        Some(_) => return Err(Fault::params("arguments must be an object")),
    };
    if let Some((name, _)) = given.iter().find(|(_, value)| !value.is_string()) {
        return Err(Fault::params(format!("argument must be a string: {name}")));
    }
    for argument in listed["arguments"].as_array().into_iter().flatten() {
        let name = argument["name"].as_str().unwrap_or_default();
        if argument["required"] == true && !given.contains_key(name) {
            return Err(Fault::params(format!("argument is missing: {name}")));
        }
    }
    let given = |name: &str, otherwise: &'static str| {
        given
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or(otherwise)
            .to_owned()
    };
    let messages = messages(server, name, &given);
    Ok(json!({ "description": listed["description"], "messages": messages }).into())
}

fn messages(server: &Server, name: &str, given: &dyn Fn(&str, &'static str) -> String) -> Value {
    let said = |role: &str, text: String| json!({ "role": role, "content": { "type": "text", "text": text } });
    match name {
        "monthly_summary" => json!([
            said("user", "Sum up this ledger in three sentences.".to_owned()),
            { "role": "user", "content": {
                "type": "resource",
                "resource": contents(server, "ledger://2026"),
                "annotations": { "audience": ["assistant"], "priority": 1 }
            } }
        ]),
        "dunning_letter" => json!([
            said(
                "user",
                format!(
                    "Write a {} reminder to {}.",
                    given("tone", "friendly"),
                    given("customer", "")
                )
            ),
            said("assistant", "Which invoices are overdue?".to_owned())
        ]),
        "check_logo" => json!([
            said("user", format!("Is this our logo, as seen on {}?", given("document", "a letter"))),
            { "role": "user", "content": { "type": "image", "data": LOGO, "mimeType": "image/png" } },
            { "role": "user", "content": { "type": "audio", "data": CHIME, "mimeType": "audio/wav" } }
        ]),
        other => json!([said("user", format!("Show me {other}."))]),
    }
}

/// Answers completion/complete.
pub(crate) fn complete(server: &Server, request: &Request) -> Result<Outcome, Fault> {
    let argument = request
        .param("argument")
        .ok_or_else(|| Fault::params("argument is missing"))?;
    let (Some(name), Some(start)) = (argument["name"].as_str(), argument["value"].as_str()) else {
        return Err(Fault::params("an argument has a name and a value"));
    };
    let reference = request
        .param("ref")
        .ok_or_else(|| Fault::params("ref is missing"))?;
    let known = match (
        reference["type"].as_str(),
        &reference["name"],
        &reference["uri"],
    ) {
        (Some("ref/prompt"), Value::String(prompt), _) => prompt_values(server, prompt, name),
        (Some("ref/resource"), _, Value::String(uri)) => template_values(uri, name),
        _ => return Err(Fault::params("a ref names a prompt or a resource template")),
    };
    let known = known.ok_or_else(|| Fault::params("nothing of that name to complete"))?;
    let matching: Vec<String> = known
        .into_iter()
        .filter(|value| value.starts_with(start))
        .collect();
    let values = &matching[..matching.len().min(100)];
    Ok(json!({ "completion": {
        "values": values,
        "total": matching.len(),
        "hasMore": matching.len() > values.len()
    } })
    .into())
}

fn owned(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

fn prompt_values(server: &Server, prompt: &str, argument: &str) -> Option<Vec<String>> {
    let prompts = catalogue::prompts(server.reports());
    let listed = prompts.iter().find(|listed| listed["name"] == prompt)?;
    let mut arguments = listed["arguments"].as_array().into_iter().flatten();
    arguments.find(|listed| listed["name"] == argument)?;
    Some(match argument {
        "customer" => owned(&CUSTOMERS),
        "tone" => owned(&["friendly", "firm"]),
        _ => Vec::new(),
    })
}

fn template_values(uri: &str, variable: &str) -> Option<Vec<String>> {
    let template = catalogue::templates();
    template
        .iter()
        .find(|template| template["uriTemplate"] == uri)
        .filter(|_| uri.contains(&format!("{{{variable}}}")))?;
    Some(match variable {
        "id" => Invoice::all().map(Invoice::id).collect(),
        "customer" => owned(&CUSTOMERS),
        _ => owned(&["2025", "2026"]),
    })
}
