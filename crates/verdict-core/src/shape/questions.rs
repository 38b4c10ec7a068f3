//! `input_required`: what a server may ask of the client before it answers.

use super::basic::{ANY_OBJECT, META, RESULT_META, RESULT_TYPE};
use super::content::{ROLE, SAMPLING_BLOCK};
use super::forms::FORM;
use super::language::Shape::{
    List, LooseWhole, Map, Number, Object, OneOf, OneOrMany, Share, Tagged, Text,
};
use super::language::{Shape, may, must};
use super::tools::TOOL;

pub(super) const INPUT_REQUIRED: Shape = Object(&[
    RESULT_TYPE,
    RESULT_META,
    may("inputRequests", Map(&QUESTION)),
    may("requestState", Text),
]);

const QUESTION: Shape = Tagged {
    tag: "method",
    cases: &[
        ("elicitation/create", Object(&[must("params", ELICITATION)])),
        (
            "sampling/createMessage",
            Object(&[must("params", SAMPLING)]),
        ),
        ("roots/list", Object(&[may("params", Object(&[META]))])),
    ],
    default: None,
};

const ELICITATION: Shape = Tagged {
    tag: "mode",
    cases: &[
        (
            "form",
            Object(&[must("message", Text), must("requestedSchema", FORM)]),
        ),
        ("url", Object(&[must("message", Text), must("url", Text)])),
    ],
    default: Some("form"),
};

const SAMPLING: Shape = Object(&[
    must("messages", List(&SAMPLING_MESSAGE)),
    must("maxTokens", LooseWhole),
    may("systemPrompt", Text),
    may("temperature", Number),
    may("stopSequences", List(&Text)),
    may(
        "includeContext",
        OneOf(&["none", "thisServer", "allServers"]),
    ),
    may("modelPreferences", MODEL_PREFERENCES),
    may("tools", List(&TOOL)),
    may(
        "toolChoice",
        Object(&[may("mode", OneOf(&["auto", "none", "required"]))]),
    ),
    may("metadata", ANY_OBJECT),
]);

const SAMPLING_MESSAGE: Shape = Object(&[
    must("role", ROLE),
    must("content", OneOrMany(&SAMPLING_BLOCK)),
    META,
]);

const MODEL_PREFERENCES: Shape = Object(&[
    may("hints", List(&Object(&[may("name", Text)]))),
    may("costPriority", Share),
    may("speedPriority", Share),
    may("intelligencePriority", Share),
]);
