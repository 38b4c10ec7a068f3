//! The shape of the file, for the JSON Schema that editors complete from.
//!
//! Nothing is read into these types: the reader tells more mistakes than a schema can, at their places.

use super::{Execute, Order};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use verdict_model::behavior::Kind;

/// A golden set: tasks in plain language, and what a model should do with the server's tools at each.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "Golden")]
pub enum File {
    /// The cases.
    List(#[schemars(length(min = 1))] Vec<Case>),
    /// The cases, with what they share.
    Long(Box<LongForm>),
}

/// The cases, with what they share.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = never_null)]
pub struct LongForm {
    /// What every case has that does not say otherwise; of `tool_results` and `answers`, member by member.
    pub defaults: Option<Defaults>,
    /// The cases.
    #[schemars(length(min = 1))]
    pub cases: Vec<Case>,
    /// The old name of a tool to its new one, so that a renamed tool is no new case.
    #[schemars(extend("additionalProperties" = { "type": "string" }))]
    pub aliases: Option<BTreeMap<String, String>>,
}

/// What every case has that does not say otherwise.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = never_null)]
pub struct Defaults {
    /// How the order of a sequence is held.
    pub order: Option<Order>,
    /// How strictly cases are held.
    pub kind: Option<Kind>,
    /// Runs of each case.
    #[schemars(range(min = 1, max = 1000))]
    pub runs: Option<u32>,
    /// Words to choose cases by.
    pub tags: Option<Names>,
    /// Earlier turns, the user's and the assistant's in turn.
    pub history: Option<Vec<Turn>>,
    /// Canned results by tool.
    pub tool_results: Option<BTreeMap<String, Results>>,
    /// Where results of tools come from.
    pub execute: Option<Execute>,
    /// Path of the rubric that a judge reads, from the folder of the configuration.
    pub rubric: Option<String>,
    /// Calls beside the expected ones are no fault.
    pub allow_extra_calls: Option<bool>,
    /// Answers to what the server asks back while a tool runs, by the name of the field.
    pub answers: Option<Map<String, Value>>,
}

/// One task and what is expected of the model.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = never_null)]
#[schemars(extend("anyOf" = [
    { "required": ["expect_tool"] },
    { "required": ["expect_sequence"] },
    { "required": ["forbid_tools"], "properties": { "kind": { "const": "never" } } }
]))]
#[schemars(extend("not" = { "required": ["expect_tool", "expect_sequence"] }))]
pub struct Case {
    /// A name that stays: runs are compared by it, and files are named by it.
    #[schemars(regex(pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"))]
    pub id: String,
    /// What the person says, in any language.
    #[schemars(length(min = 1))]
    pub prompt: String,
    /// The tool to call: a name, several names that are all right, or null for no call at all.
    pub expect_tool: Option<Names>,
    /// The arguments that are right; left out, they are not looked at.
    pub expect_args: Option<Map<String, Value>>,
    /// How arguments are compared, by argument, or by `tool.argument` in a sequence; by the tool's schema where nothing is said.
    pub arg_match: Option<BTreeMap<String, Matcher>>,
    /// The calls of a task in several steps.
    #[schemars(length(min = 1, max = 100))]
    pub expect_sequence: Option<Vec<Step>>,
    /// How the order of a sequence is held; `in_order` where nothing is said, `any` where all steps call one tool.
    pub order: Option<Order>,
    /// How strictly the case is held; `soft` where nothing is said. `never` goes with `forbid_tools`.
    pub kind: Option<Kind>,
    /// Runs of this case; the run's own number where nothing is said.
    #[schemars(range(min = 1, max = 1000))]
    pub runs: Option<u32>,
    /// Words to choose cases by.
    pub tags: Option<Names>,
    /// Earlier turns, the user's and the assistant's in turn.
    pub history: Option<Vec<Turn>>,
    /// Canned results by tool; of a list one after the other, the last again and again.
    pub tool_results: Option<BTreeMap<String, Results>>,
    /// Where results of tools come from.
    pub execute: Option<Execute>,
    /// Path of the rubric that a judge reads, from the folder of the configuration.
    pub rubric: Option<String>,
    /// Tools that must not be called.
    pub forbid_tools: Option<Names>,
    /// Calls beside the expected ones are no fault.
    pub allow_extra_calls: Option<bool>,
    /// Answers to what the server asks back while a tool runs, by the name of the field.
    pub answers: Option<Map<String, Value>>,
}

/// A name or a list of names.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub enum Names {
    /// One.
    One(#[schemars(length(min = 1))] String),
    /// Several.
    Many(#[schemars(length(min = 1))] Vec<String>),
}

/// A call of a sequence.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub enum Step {
    /// The tool's name.
    Tool(String),
    /// The tool and its arguments.
    Call(CallStep),
}

/// A tool and its arguments.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = never_null)]
pub struct CallStep {
    /// The tool's name.
    pub tool: String,
    /// The arguments that are right; left out, they are not looked at.
    pub args: Option<Map<String, Value>>,
}

/// An earlier turn of the conversation.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum Turn {
    /// What the person said.
    User(String),
    /// What the model said.
    Assistant(String),
}

/// One result or several.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub enum Results {
    /// One.
    One(CannedResult),
    /// Several, given out one after the other.
    Many(#[schemars(length(min = 1))] Vec<CannedResult>),
}

/// What a tool gives.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub enum CannedResult {
    /// Text.
    Text(String),
    /// The result of `tools/call`.
    Whole(Map<String, Value>),
}

/// How one argument is compared.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub enum Matcher {
    /// In one word.
    Word(MatcherWord),
    /// With a value.
    With(MatcherWith),
}

/// How one argument is compared.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum MatcherWord {
    /// Equal as JSON values; numbers by value.
    Exact,
    /// Equal in meaning.
    Semantic,
    /// Present, whatever it is.
    Any,
    /// Not there.
    Absent,
    /// A list with the same items, in any order.
    Set,
    /// A list or object all of whose expected parts are there.
    Subset,
    /// Not looked at.
    Ignore,
    /// A date, or a date and time, that names the same moment.
    Date,
}

/// How one argument is compared.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum MatcherWith {
    /// Text that this regular expression finds.
    Regex(String),
    /// Text that holds this text.
    Contains(String),
    /// A number no further from the expected one than this.
    Number(#[schemars(range(min = 0))] f64),
    /// The expected value, or one of these.
    AnyOf(#[schemars(length(min = 1))] Vec<Value>),
    /// The same as `any_of`.
    OneOf(#[schemars(length(min = 1))] Vec<Value>),
    /// Equal in meaning, by a judge where rules do not tell.
    Semantic(Judge),
    /// Cosine of embeddings at least this; measured, it cannot tell near ids apart.
    Embedding(#[schemars(range(max = 1))] f64),
}

/// Who tells whether two texts mean the same.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum Judge {
    /// The model that judges.
    Judge,
}

/// Members may be left out, and are not null where they are there; null for `expect_tool` says something.
pub(crate) fn never_null(schema: &mut Schema) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    for (name, property) in properties {
        let Value::Object(property) = property else {
            continue;
        };
        if name == "expect_tool" {
            continue;
        }
        if let Some(Value::Array(types)) = property.get_mut("type") {
            types.retain(|it| it != "null");
            if let [only] = types.as_slice() {
                let only = only.clone();
                property.insert("type".to_owned(), only);
            }
        }
        if let Some(Value::Array(mut kinds)) = property.remove("anyOf") {
            kinds.retain(|it| it["type"] != "null");
            match kinds.as_mut_slice() {
                [Value::Object(only)] => property.append(only),
                _ => drop(property.insert("anyOf".to_owned(), Value::Array(kinds))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_published_schema_is_that_of_the_types() {
        let made = serde_json::to_string_pretty(&schemars::schema_for!(super::File)).expect("JSON");
        let there = include_str!("../../../../schema/golden-v1.json");
        assert!(made + "\n" == there, "run `cargo xtask codegen`");
    }
}
