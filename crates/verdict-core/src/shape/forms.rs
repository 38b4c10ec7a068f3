//! The flat schema of a form that a server asks the user to fill in.
//!
//! The kinds of field overlap, because the definitions are open: `{"type": "string", "enum": 5}` is
//! a fine text field with an extra member. So the kinds of one `type` are tried in turn.

use super::language::Shape::{
    AnyOf, Flag, List, LooseWhole, Map, Number, Object, OneOf, Tagged, Text,
};
use super::language::{Field, Shape, marked, may, must, otherwise};

pub(super) const FORM: Shape = Object(&[
    must("type", OneOf(&["object"])),
    must("properties", Map(&FIELD)),
    may("required", List(&Text)),
    may("$schema", Text),
]);

const FIELD: Shape = Tagged {
    tag: "type",
    cases: &[
        (
            "string",
            AnyOf(&[
                marked("enum", CHOICE),
                marked("oneOf", TITLED_CHOICE),
                otherwise(LINE),
            ]),
        ),
        ("array", CHOICES),
        ("number", NUMBER),
        ("integer", NUMBER),
        (
            "boolean",
            Object(&[TITLE, DESCRIPTION, may("default", Flag)]),
        ),
    ],
    default: None,
};

const TITLE: Field = may("title", Text);
const DESCRIPTION: Field = may("description", Text);
const DEFAULT_TEXT: Field = may("default", Text);

const LINE: Shape = Object(&[
    TITLE,
    DESCRIPTION,
    DEFAULT_TEXT,
    may("minLength", LooseWhole),
    may("maxLength", LooseWhole),
    may("format", OneOf(&["email", "uri", "date", "date-time"])),
]);

const NUMBER: Shape = Object(&[
    TITLE,
    DESCRIPTION,
    may("default", Number),
    may("minimum", Number),
    may("maximum", Number),
]);

/// One of several. The deprecated form with `enumNames` is this one with a member more, so it
/// always fits.
const CHOICE: Shape = Object(&[TITLE, DESCRIPTION, DEFAULT_TEXT, must("enum", List(&Text))]);

const TITLED_CHOICE: Shape = Object(&[
    TITLE,
    DESCRIPTION,
    DEFAULT_TEXT,
    must("oneOf", List(&OPTION)),
]);

/// Any number of several.
const CHOICES: Shape = Object(&[
    TITLE,
    DESCRIPTION,
    may("default", List(&Text)),
    may("minItems", LooseWhole),
    may("maxItems", LooseWhole),
    must(
        "items",
        AnyOf(&[
            marked("anyOf", Object(&[must("anyOf", List(&OPTION))])),
            otherwise(Object(&[
                must("type", OneOf(&["string"])),
                must("enum", List(&Text)),
            ])),
        ]),
    ),
]);

const OPTION: Shape = Object(&[must("const", Text), must("title", Text)]);
