//! Forms, pages and messages that a server wants its client to show.

use super::asked::{asked, is_form, of_method};
use super::questions::each;
use super::trigger::TRIGGER;
use crate::check::Check;
use crate::conformance::discover::identity::is_absolute;
use crate::context::Context;
use crate::passive::{Seen, Slips, pattern};
use crate::ruling::{Finding, Ruling};
use crate::wire::endpoint::Endpoint;
use crate::wire::json::cut;
use serde_json::Value;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("mrtr.form-schema-flat", "A form has fields of simple types alone")
        .opt_in()
        .spec("elicitation#requested-schema")
        .why("Clients draw forms from a small set of fields; they cannot draw any other schema.")
        .fix("Ask for strings, numbers, booleans and choices at the top level of requestedSchema.")
        .official(&["wire-schema-valid"])
        .probes(&[&TRIGGER])
        .judge(flat),
    Check::must("mrtr.form-message", "What a user is asked comes with a message")
        .opt_in()
        .spec("elicitation#elicitation-requests")
        .why("The user sees a form and cannot know what it is for.")
        .fix("Send `message` as a string that says what is needed and why.")
        .official(&["wire-schema-valid"])
        .probes(&[&TRIGGER])
        .judge(message),
    Check::must("mrtr.url-valid", "A page that a user is sent to has a valid address")
        .opt_in()
        .spec("elicitation#url-mode-elicitation-requests")
        .why("Clients show the address before they open it; one that is none cannot be opened.")
        .fix("Send `url` as an absolute https: address.")
        .probes(&[&TRIGGER])
        .judge(pages),
    Check::must("mrtr.form-secrets", "Forms do not ask for secrets")
        .opt_in()
        .spec("elicitation#form-mode-security")
        .why("What is typed into a form passes through the client and often through the model.")
        .fix("Send the user to a page of yours (mode url) for passwords, keys and payments.")
        .probes(&[&TRIGGER])
        .judge(secrets),
    Check::should("mrtr.form-urls", "Forms hold no links")
        .opt_in()
        .spec("elicitation#safe-url-handling")
        .why("A link in a form leads users away without the checks that clients make for pages.")
        .fix("Use an elicitation of mode url for the address.")
        .probes(&[&TRIGGER])
        .judge(links),
    Check::must("mrtr.tool-result-only", "Messages for a model keep results of tools by themselves, each after its use")
        .opt_in()
        .spec("sampling#tool-result-messages")
        .why("Model providers refuse a conversation in which results of tools are mixed or missing.")
        .fix("Put tool_result blocks into a message of their own, right after the message with the tool_use blocks.")
        .probes(&[&TRIGGER])
        .judge(tool_results),
];

const ELICITATION: &str = "elicitation/create";
const SAMPLING: &str = "sampling/createMessage";

/// Why a rule about questions of a kind has nothing to judge.
fn none_of(
    cx: &Context,
    method: &'static str,
    wanted: impl Fn(&Value) -> bool,
    why: &str,
) -> Option<Ruling> {
    let has = |seen: &Seen| of_method(seen, method).any(|(_, params)| wanted(params));
    match asked(cx) {
        Err(ruling) => Some(ruling),
        Ok(all) if all.iter().any(has) => None,
        Ok(_) => Some(Ruling::not_applicable(why)),
    }
}

fn no_form(cx: &Context) -> Option<Ruling> {
    none_of(cx, ELICITATION, is_form, "no form was asked for")
}

fn flat(cx: &Context) -> Ruling {
    if let Some(ruling) = no_form(cx) {
        return ruling;
    }
    each(cx, "all fields are simple", |seen, slips| {
        slips.add_misshapen(seen, "mrtr.form-schema-flat");
        for (place, name, field) in fields(seen) {
            if field.get("enumNames").is_some() {
                slips.add(format!("{} {name} enumNames", seen.subject()), || {
                    let message = format!(
                        "the field `{}` names its choices in enumNames, the form of earlier revisions",
                        cut(name, 80)
                    );
                    seen.found(Finding::noted(message), &format!("{place}/enumNames"))
                });
            }
        }
    })
}

/// The fields of the forms in a result: place, name and schema.
pub(crate) fn fields<'c>(seen: &Seen<'c>) -> Vec<(String, &'c str, &'c Value)> {
    let forms = of_method(seen, ELICITATION).filter(|(_, params)| is_form(params));
    forms
        .flat_map(|(place, params)| {
            let fields = params
                .pointer("/requestedSchema/properties")
                .and_then(Value::as_object);
            fields.into_iter().flatten().map(move |(name, field)| {
                let key = name.replace('~', "~0").replace('/', "~1");
                let place = format!("{place}/requestedSchema/properties/{key}");
                (place, name.as_str(), field)
            })
        })
        .collect()
}

fn message(cx: &Context) -> Ruling {
    if let Some(ruling) = none_of(cx, ELICITATION, |_| true, "nothing was asked of a user") {
        return ruling;
    }
    each(
        cx,
        "users are told what they are asked for",
        |seen, slips| {
            slips.add_misshapen(seen, "mrtr.form-message");
        },
    )
}

fn is_page(params: &Value) -> bool {
    params.get("mode").is_some_and(|mode| mode == "url")
}

fn pages(cx: &Context) -> Ruling {
    if let Some(ruling) = none_of(cx, ELICITATION, is_page, "no page was to be opened") {
        return ruling;
    }
    each(cx, "all pages have valid addresses", |seen, slips| {
        slips.add_misshapen(seen, "mrtr.url-valid");
        let pages = of_method(seen, ELICITATION).filter(|(_, params)| is_page(params));
        for (place, params) in pages {
            let url = params.get("url").and_then(Value::as_str);
            if let Some(finding) = url.and_then(odd_address) {
                let place = format!("{place}/url");
                slips.add(format!("{} {}", seen.subject(), finding.message), || {
                    seen.found(finding, &place)
                });
            }
        }
    })
}

fn odd_address(url: &str) -> Option<Finding> {
    let shown = cut(url, 120);
    if !is_absolute(url) {
        let message = format!("the url `{shown}` is no valid address; expected an absolute one");
        return Some(Finding::broken(message));
    }
    let https = url
        .get(..8)
        .is_some_and(|start| start.eq_ignore_ascii_case("https://"));
    let loopback = || Endpoint::parse(url).is_ok_and(|endpoint| endpoint.is_loopback());
    (!https && !loopback()).then(|| {
        Finding::unproven(format!(
            "the url `{shown}` is not https:, so others may read along"
        ))
    })
}

/// Parts of field names that ask for a secret, without case and separators.
const SECRETS: [&str; 16] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "apikey",
    "apitoken",
    "accesstoken",
    "authtoken",
    "bearertoken",
    "refreshtoken",
    "clientsecret",
    "privatekey",
    "secretkey",
    "cardnumber",
    "creditcard",
    "securitycode",
];
/// Whole field names that do.
const WHOLE_SECRETS: [&str; 8] = ["pwd", "pin", "cvv", "cvc", "ssn", "secret", "token", "otp"];

fn asks_secret(name: &str) -> bool {
    let plain: String = name
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    SECRETS.iter().any(|part| plain.contains(part)) || WHOLE_SECRETS.contains(&plain.as_str())
}

fn secrets(cx: &Context) -> Ruling {
    if let Some(ruling) = no_form(cx) {
        return ruling;
    }
    each(cx, "no field looks like a secret", |seen, slips| {
        for (place, name, _) in fields(seen) {
            if asks_secret(name) {
                slips.add(format!("{} {name}", seen.subject()), || {
                    let message = format!(
                        "the form has the field `{}`, which looks like a secret; secrets belong on a page of the server's (mode url)",
                        cut(name, 80)
                    );
                    seen.found(Finding::unproven(message), &place)
                });
            }
        }
    })
}

fn links(cx: &Context) -> Ruling {
    if let Some(ruling) = no_form(cx) {
        return ruling;
    }
    each(cx, "no form holds a link", |seen, slips| {
        let mut look = |place: String, text: Option<&Value>| {
            let text = text.and_then(Value::as_str).unwrap_or_default();
            if text.contains("https://") || text.contains("http://") {
                slips.add(format!("{} {}", seen.subject(), pattern(&place)), || {
                    let message = format!("the form says `{}`: it holds a link", cut(text, 120));
                    seen.found(Finding::broken(message), &place)
                });
            }
        };
        for (place, params) in of_method(seen, ELICITATION) {
            if is_form(params) {
                look(format!("{place}/message"), params.get("message"));
            }
        }
        for (place, _, field) in fields(seen) {
            for member in ["title", "description"] {
                look(format!("{place}/{member}"), field.get(member));
            }
        }
    })
}

fn tool_results(cx: &Context) -> Ruling {
    if let Some(ruling) = none_of(cx, SAMPLING, |_| true, "no model was asked") {
        return ruling;
    }
    each(cx, "results of tools stand by themselves", |seen, slips| {
        for (place, params) in of_method(seen, SAMPLING) {
            let messages = params.get("messages").and_then(Value::as_array);
            let messages = messages.map_or(&[][..], Vec::as_slice);
            for (index, message) in messages.iter().enumerate() {
                let place = format!("{place}/messages/{index}/content");
                unbalanced(seen, slips, &place, message, messages.get(index + 1));
            }
        }
    })
}

/// The blocks of a message: one, or a list.
fn blocks(message: &Value) -> &[Value] {
    match message.get("content") {
        Some(Value::Array(blocks)) => blocks,
        Some(block) => std::slice::from_ref(block),
        None => &[],
    }
}

fn is_kind(block: &Value, kind: &str) -> bool {
    block.get("type").is_some_and(|one| one == kind)
}

fn unbalanced(seen: &Seen, slips: &mut Slips, place: &str, message: &Value, next: Option<&Value>) {
    let all = blocks(message);
    let results = all
        .iter()
        .filter(|block| is_kind(block, "tool_result"))
        .count();
    if message.get("role").is_some_and(|role| role == "user") && results > 0 && results < all.len()
    {
        slips.add(format!("{} mixed", seen.subject()), || {
            let finding = Finding::broken(
                "a message for the model mixes tool_result with other content; expected results of tools alone",
            );
            seen.found(finding, place)
        });
    }
    let answered = next.map_or(&[][..], blocks);
    for block in all.iter().filter(|block| is_kind(block, "tool_use")) {
        let id = block.get("id");
        let matches =
            |result: &Value| is_kind(result, "tool_result") && result.get("toolUseId") == id;
        if !answered.iter().any(matches) {
            slips.add(format!("{} unanswered", seen.subject()), || {
                let finding = Finding::broken(
                    "a message for the model uses a tool, and the next one has no result of it; expected a matching tool_result",
                );
                seen.found(finding, place)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruling::Weight;

    #[test]
    fn addresses_of_pages() {
        let weight = |url| odd_address(url).map(|finding| finding.weight);
        assert_eq!(weight("https://ledger.example/x"), None);
        assert_eq!(weight("http://127.0.0.1:8000/x"), None);
        assert_eq!(weight("http://ledger.example/x"), Some(Weight::Unproven));
        assert_eq!(weight("the office"), Some(Weight::Broken));
    }

    #[test]
    fn names_of_secrets() {
        for name in ["password", "api_key", "API-Token", "cardNumber", "PIN"] {
            assert!(asks_secret(name), "{name}");
        }
        for name in ["name", "pinned", "tokens", "secretary", "card", "shipping"] {
            assert!(!asks_secret(name), "{name}");
        }
    }

    #[test]
    fn odd_forms_are_found() {
        crate::testing::shows(&[
            ("form-nested", "mrtr.form-schema-flat", "fail"),
            ("form-without-message", "mrtr.form-message", "fail"),
            ("page-without-address", "mrtr.url-valid", "fail"),
            ("form-asks-password", "mrtr.form-secrets", "warn"),
            ("form-with-url", "mrtr.form-urls", "warn"),
            ("asks-model-mixed", "mrtr.tool-result-only", "fail"),
        ]);
    }
}
