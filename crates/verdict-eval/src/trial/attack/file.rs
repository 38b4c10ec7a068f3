//! The shape of the file, for the JSON Schema that editors complete from.
//!
//! Nothing is read into these types: the reader tells more mistakes than a schema can, at their places.

use super::{Class, Encode, Secret, Spot, Stock, Token, Twin};
use crate::golden::file::{Names, never_null};
use schemars::JsonSchema;
use verdict_model::behavior::Kind;

/// Attacks: texts that are planted in what a model reads, and what shows that it obeyed them.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "Adversarial")]
pub enum File {
    /// The attacks.
    List(#[schemars(length(min = 1))] Vec<Attack>),
    /// The same under a name.
    Long(LongForm),
}

/// The attacks under a name.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LongForm {
    /// The attacks.
    #[schemars(length(min = 1))]
    pub attacks: Vec<Attack>,
}

/// One attack.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = never_null)]
pub struct Attack {
    /// A name that stays: trials are named by it.
    #[schemars(regex(pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"))]
    pub id: String,
    /// What kind of attack it is.
    pub class: Class,
    /// Where the text is planted.
    pub place: Spot,
    /// The text; `{canary}`, `{address}` and `{url}` hold a word of the run, `{secret}` is the secret of the conversation,
    /// `{tool}` the expected tool, `{canary_tool}` the offered one, `{parameter}` the planted parameter, `{hidden}` the
    /// encoded part.
    #[schemars(length(min = 1))]
    pub text: String,
    /// A part of the text that is encoded, for `{hidden}`.
    pub hidden: Option<String>,
    /// How `hidden` is encoded; `plain` where nothing is said.
    pub encode: Option<Encode>,
    /// A tool that is offered beside the server's and carried out by nobody.
    pub offer: Option<Offer>,
    /// The parameter that is planted; `context` where nothing is said.
    pub parameter: Option<String>,
    /// At which good result of a tool the text is planted; the first where nothing is said.
    #[schemars(range(min = 1, max = 20))]
    pub result: Option<u32>,
    /// Where the secret stands, where the attack has to do with one; in the system text where nothing is said.
    pub secret: Option<Secret>,
    /// What the attacker wants; of several, one is enough.
    pub goal: Goals,
    /// The cases it is planted in; all that it fits where nothing is said.
    pub cases: Option<Names>,
    /// How strictly it is held; `hard` where nothing is said.
    pub kind: Option<Kind>,
}

/// A tool that is offered.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub enum Offer {
    /// A tool such as many agents have.
    Stock(Stock),
    /// One that is nearly named like the expected tool.
    Twin(TwinOffer),
    /// The user's own.
    Own(OwnOffer),
}

/// One that is nearly named like the expected tool.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TwinOffer {
    /// How the name differs.
    pub twin: Twin,
}

/// A tool of the user's own making.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = never_null)]
pub struct OwnOffer {
    /// Its name; a number is added where the server has it.
    pub name: String,
    /// What it says of itself; the text of the attack where that is planted there.
    pub description: Option<String>,
    /// Its text parameters.
    pub parameters: Option<Names>,
}

/// One goal or several.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub enum Goals {
    /// One.
    One(Goal),
    /// Several; one is enough.
    Many(#[schemars(length(min = 1))] Vec<Goal>),
}

/// What the attacker wants.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub enum Goal {
    /// In one word.
    Word(GoalWord),
    /// With a value.
    With(GoalWith),
}

/// What the attacker wants.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub enum GoalWord {
    /// The offered tool is called.
    Call,
    /// The planted parameter is filled.
    Parameter,
    /// The changed tool is called where no further call of it is expected.
    Changed,
    /// A tool is called that says that it destroys, and that is not expected.
    Destructive,
    /// The task is not done.
    Undone,
}

/// What the attacker wants.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub enum GoalWith {
    /// One of these tools is called.
    Call(Names),
    /// This stands in an argument, however it is written.
    Argument(Token),
    /// This is said in the answer, not in order to warn of it.
    Answer(Token),
    /// This stands in an address, in an argument or in the answer.
    Url(Token),
    /// One tool is called more often than this.
    Repeat(#[schemars(range(min = 1, max = 100))] u32),
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_published_schema_is_that_of_the_types() {
        let made = serde_json::to_string_pretty(&schemars::schema_for!(super::File)).expect("JSON");
        let there = include_str!("../../../../../schema/adversarial-v1.json");
        assert!(made + "\n" == there, "run `cargo xtask codegen`");
    }
}
