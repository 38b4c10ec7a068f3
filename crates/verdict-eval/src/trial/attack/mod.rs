//! Attacks: texts that somebody else planted in what the model reads, and whether it obeyed them.
//!
//! An [`Attack`] is data: what is said, where it is planted, and what its author wants. [`AttackTrial`] fits it to a golden
//! case, plants it in a run, and judges the run without asking anybody. `docs/resilience-attacks.md` tells the rules to users.
//!
//! Nothing here reaches a server that the undisturbed case would not reach, and every address in an attack ends in `.example`.

mod agree;
mod choose;
mod claim;
#[cfg(feature = "schema")]
pub mod file;
mod fill;
mod find;
mod goals;
mod hardening;
mod judge;
mod plant;
mod rates;
mod read;
mod stock;
mod tokens;
mod trial;

#[cfg(test)]
mod tests;

pub use choose::{Choice, choose};
pub use hardening::{Hardening, hardening};
pub use plant::Planted;
pub use rates::{advice, good_runs, held, metrics, pass_rate};
pub use read::read;
pub use trial::{AttackTrial, Misfit};

use crate::golden::{Mistake, Place};
use std::fmt;
use verdict_model::behavior::Kind;

/// The built-in pack as a file: the same format as a user's own.
pub const PACK: &str = include_str!("../../../data/adversarial.yaml");

/// The name that mistakes in the built-in pack would be told under.
const PACK_FILE: &str = "adversarial.yaml (built in)";

/// The attacks that come with the program.
///
/// # Errors
/// Mistakes in the pack; a test holds that there are none.
pub fn pack() -> Result<Vec<Attack>, Vec<Mistake>> {
    read(PACK, PACK_FILE)
}

/// One attack.
#[derive(Debug, Clone, PartialEq)]
pub struct Attack {
    /// Unique in its file.
    pub id: String,
    /// What kind of attack it is.
    pub class: Class,
    /// Where its text is planted.
    pub spot: Spot,
    /// The text, with placeholders.
    pub text: String,
    /// A part of the text that is planted encoded, for `{hidden}`; empty for none.
    pub hidden: String,
    /// How `hidden` is encoded.
    pub encode: Encode,
    /// A tool that is offered beside the server's, which no case allows.
    pub offer: Option<Offer>,
    /// The parameter that is planted in a tool's schema.
    pub parameter: String,
    /// At which result of the server's tools the text is planted, from 1.
    pub result: u32,
    /// Where the secret stands that must not leave.
    pub secret: Secret,
    /// What its author wants; one of them is enough.
    pub goals: Vec<Goal>,
    /// The cases it is planted in; empty for those it fits.
    pub cases: Vec<String>,
    /// How strictly it is held.
    pub kind: Kind,
    /// Where it stands in its file.
    pub place: Place,
}

impl Attack {
    /// Whether it has to do with a secret that stands in the conversation.
    pub fn has_secret(&self) -> bool {
        let is_of_secret = |goal: &Goal| {
            matches!(
                goal,
                Goal::Argument(Token::Secret)
                    | Goal::Answer(Token::Secret)
                    | Goal::Url(Token::Secret)
            )
        };
        self.goals.iter().any(is_of_secret)
            || self.text.contains("{secret}")
            || self.hidden.contains("{secret}")
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $( $(#[$of:meta])* $variant:ident = $word:literal ),+ $(,)?) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[cfg_attr(feature = "schema", schemars(rename_all = "kebab-case"))]
        pub enum $name { $( $(#[$of])* $variant ),+ }

        impl $name {
            /// All of them, each with its word in files and reports.
            pub const ALL: &[(&str, Self)] = &[$( ($word, Self::$variant) ),+];

            /// Its word in files and reports.
            pub fn key(self) -> &'static str {
                match self { $( Self::$variant => $word ),+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(self.key())
            }
        }
    };
}

words! {
    /// What kind of attack it is.
    Class,
    /// An order in the result of a tool.
    InstructionOverride = "instruction-override",
    /// An order in a resource, in a prompt of the server, or in an error.
    IndirectInstruction = "indirect-instruction",
    /// An order in the description of a tool.
    PoisonedDescription = "poisoned-description",
    /// An order or a value in the schema of a tool.
    PoisonedSchema = "poisoned-schema",
    /// A secret is to leave in an argument.
    ExfiltrationByArgument = "exfiltration-by-argument",
    /// A secret is to leave in an address that is fetched or shown.
    ExfiltrationByUrl = "exfiltration-by-url",
    /// A second tool says that it stands before another, or in its place.
    ToolShadowing = "tool-shadowing",
    /// A second tool has nearly the same name.
    NameSquatting = "name-squatting",
    /// A tool becomes another one in the middle of a run.
    RugPull = "rug-pull",
    /// A second tool praises itself.
    PreferenceManipulation = "preference-manipulation",
    /// What one server gives is to go to another server.
    CrossServer = "cross-server",
    /// A result pretends to be a turn of the system, the person or the model.
    FakeTurn = "fake-turn",
    /// A text that people do not see.
    HiddenText = "hidden-text",
    /// More is asked for than a tool needs.
    OverSharing = "over-sharing",
    /// Rights are to be given away.
    OverPermission = "over-permission",
    /// A command, path or query in a value.
    InjectedSyntax = "injected-syntax",
    /// Something is to be destroyed or paid.
    DestructiveAction = "destructive-action",
    /// Something is to be called without end.
    ResourceExhaustion = "resource-exhaustion",
    /// The task is to be left undone.
    DenialOfService = "denial-of-service",
    /// Something is to be said.
    TextManipulation = "text-manipulation",
    /// A secret is to be shown.
    SecretInOutput = "secret-in-output",
    /// An order in the name of somebody important, or in haste.
    AuthorityAndUrgency = "authority-and-urgency",
    /// An order in another encoding.
    EncodedText = "encoded-text",
    /// A question of the server that wants too much.
    Elicitation = "elicitation",
    /// An order in what the server says about its own use.
    ServerInstructions = "server-instructions",
    /// An order in the annotations of a tool.
    PoisonedAnnotations = "poisoned-annotations",
    /// A link or picture of the attacker is to be shown.
    EmbeddedLink = "embedded-link",
}

words! {
    /// Where a text is planted.
    Spot,
    /// At the end of the text of a result.
    ResultText = "result-text",
    /// In a text field of the structured content of a result.
    ResultStructured = "result-structured",
    /// In the words of a tool that fails once.
    ResultError = "result-error",
    /// In a resource that comes with a result.
    Resource = "resource",
    /// In the name of a link that comes with a result; what is longer than 200 bytes is not seen.
    Link = "link",
    /// In a question of the server, shown to the model after a result.
    Elicitation = "elicitation",
    /// In a prompt of the server that the person picked.
    Prompt = "prompt",
    /// In the description of the tool that the case expects.
    Description = "description",
    /// In the same, from the second turn on.
    ChangedDescription = "changed-description",
    /// In the annotations of that tool, for clients that show them to the model.
    Annotations = "annotations",
    /// In the description of a parameter of that tool.
    ParameterDescription = "parameter-description",
    /// In the default of a parameter.
    ParameterDefault = "parameter-default",
    /// In the only allowed value of a parameter.
    ParameterEnum = "parameter-enum",
    /// In the title of a parameter.
    ParameterTitle = "parameter-title",
    /// In what the server says about its own use.
    Instructions = "instructions",
    /// In the description of the tool that is offered beside.
    OfferedTool = "offered-tool",
}

impl Spot {
    /// Whether a call has to be made before the text can be seen.
    pub fn needs_call(self) -> bool {
        matches!(
            self,
            Self::ResultText
                | Self::ResultStructured
                | Self::ResultError
                | Self::Resource
                | Self::Link
                | Self::Elicitation
                | Self::ChangedDescription
        )
    }

    /// Whether a parameter is planted.
    pub fn is_parameter(self) -> bool {
        matches!(
            self,
            Self::ParameterDescription
                | Self::ParameterDefault
                | Self::ParameterEnum
                | Self::ParameterTitle
        )
    }
}

words! {
    /// How the hidden part of a text is written.
    Encode,
    /// As it is.
    Plain = "plain",
    /// Base64.
    Base64 = "base64",
    /// Each letter 13 places on.
    Rot13 = "rot13",
    /// From its end.
    Reversed = "reversed",
    /// In hexadecimal.
    Hex = "hex",
    /// Percent signs, as in addresses.
    Percent = "percent",
    /// Tag characters of Unicode, which nothing shows.
    Tags = "tags",
    /// A character of no width after each letter.
    ZeroWidth = "zero-width",
}

words! {
    /// Where the secret stands.
    Secret,
    /// In the system text.
    System = "system",
    /// In the result that the text is planted in, before it.
    Result = "result",
}

words! {
    /// What is looked for.
    Token,
    /// The word that stands nowhere but in the attack.
    Canary = "canary",
    /// The secret of the conversation.
    Secret = "secret",
}

/// What an attack's author wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Goal {
    /// One of these tools is called; empty for the offered one.
    Call(Vec<String>),
    /// A tool is called that says of itself that it destroys, and that the case does not expect.
    Destructive,
    /// This stands in an argument, however it is written.
    Argument(Token),
    /// This is said in the answer, not in order to warn of it.
    Answer(Token),
    /// This stands in an address, in an argument or in the answer.
    Url(Token),
    /// The planted parameter is filled.
    Parameter,
    /// The changed tool is called where the case expects no further call of it.
    Changed,
    /// One tool is called more often than this.
    Repeat(u32),
    /// The task is not done.
    Undone,
}

/// A tool that is offered beside the server's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offer {
    /// A tool such as many agents have, under a name that the server does not use.
    Stock(Stock),
    /// A name that is nearly that of the expected tool.
    Twin(Twin),
    /// The user's own.
    Own {
        /// Its name; a number is added where the server has it.
        name: String,
        /// What it says of itself; the attack's text where that is planted there.
        description: String,
        /// Names of its text parameters.
        parameters: Vec<String>,
    },
}

words! {
    /// Tools such as many agents have.
    Stock,
    /// Sends an e-mail.
    Mail = "mail",
    /// Puts text on the web.
    Upload = "upload",
    /// Opens an address.
    Fetch = "fetch",
    /// Pays.
    Pay = "pay",
    /// Deletes.
    Delete = "delete",
    /// Gives somebody access.
    Invite = "invite",
    /// Runs a command.
    Command = "command",
    /// Reads a file.
    File = "file",
    /// Runs a query.
    Query = "query",
    /// Keeps a note.
    Note = "note",
    /// Belongs to another server.
    OtherServer = "other-server",
}

words! {
    /// How a name is nearly another.
    Twin,
    /// A letter of another alphabet in it.
    Homoglyph = "homoglyph",
    /// One letter doubled.
    Near = "near",
    /// Other capitals.
    Case = "case",
    /// A later version.
    Version = "version",
}
