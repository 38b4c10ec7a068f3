//! Content: the blocks of tool results and prompt messages, and what a resource holds.

use super::basic::{ANY_OBJECT, META};
use super::language::Shape::{Any, AnyOf, Flag, List, Object, OneOf, Share, Tagged, Text, TextOr};
use super::language::{Field, Shape, marked, may, must, otherwise};
use super::resources::RESOURCE;

pub(super) const ROLE: Shape = OneOf(&["user", "assistant"]);

pub(super) const ANNOTATIONS: Field = may(
    "annotations",
    Object(&[
        may("audience", List(&ROLE)),
        may("priority", Share),
        may("lastModified", Text),
    ]),
);

/// A block of a tool result or of a prompt message.
pub(super) const BLOCK: Shape = Tagged {
    tag: "type",
    cases: &[
        ("text", TEXT),
        ("image", MEDIA),
        ("audio", MEDIA),
        ("resource_link", RESOURCE),
        ("resource", EMBEDDED),
    ],
    default: None,
};

/// A block of a sampling message.
pub(super) const SAMPLING_BLOCK: Shape = Tagged {
    tag: "type",
    cases: &[
        ("text", TEXT),
        ("image", MEDIA),
        ("audio", MEDIA),
        ("tool_use", TOOL_USE),
        ("tool_result", TOOL_RESULT),
    ],
    default: None,
};

/// What a resource holds. Either form may carry the other's member with any value, as the
/// definitions are open.
pub(super) const RESOURCE_CONTENTS: Shape = AnyOf(&[
    marked(
        "blob",
        Object(&[
            must("uri", Text),
            must("blob", Text),
            may("mimeType", Text),
            META,
        ]),
    ),
    otherwise(Object(&[
        must("uri", Text),
        must("text", TextOr("blob")),
        may("mimeType", Text),
        META,
    ])),
]);

const TEXT: Shape = Object(&[must("text", Text), ANNOTATIONS, META]);

const MEDIA: Shape = Object(&[
    must("data", Text),
    must("mimeType", Text),
    ANNOTATIONS,
    META,
]);

const EMBEDDED: Shape = Object(&[must("resource", RESOURCE_CONTENTS), ANNOTATIONS, META]);

const TOOL_USE: Shape = Object(&[
    must("id", Text),
    must("name", Text),
    must("input", ANY_OBJECT),
    META,
]);

const TOOL_RESULT: Shape = Object(&[
    must("toolUseId", Text),
    must("content", List(&BLOCK)),
    may("structuredContent", Any),
    may("isError", Flag),
    META,
]);
