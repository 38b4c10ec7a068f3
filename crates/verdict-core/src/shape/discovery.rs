//! `server/discover`, and the capabilities of both sides.

use super::basic::{ANY_OBJECT, CACHE_SCOPE, RESULT_META, RESULT_TYPE, TTL_MS};
use super::language::Shape::{Flag, List, Map, Object, Text};
use super::language::{Shape, may, must};

pub(super) const DISCOVER: Shape = Object(&[
    RESULT_TYPE,
    RESULT_META,
    TTL_MS,
    CACHE_SCOPE,
    must("supportedVersions", List(&Text)),
    must("capabilities", SERVER_CAPABILITIES),
    may("instructions", Text),
]);

const SERVER_CAPABILITIES: Shape = Object(&[
    may("tools", Object(&[may("listChanged", Flag)])),
    may("prompts", Object(&[may("listChanged", Flag)])),
    may(
        "resources",
        Object(&[may("listChanged", Flag), may("subscribe", Flag)]),
    ),
    may("completions", ANY_OBJECT),
    may("logging", ANY_OBJECT),
    may("extensions", Map(&ANY_OBJECT)),
    may("experimental", Map(&ANY_OBJECT)),
]);

/// A server speaks of these in the `data` of -32021 only.
pub(super) const CLIENT_CAPABILITIES: Shape = Object(&[
    may(
        "elicitation",
        Object(&[may("form", ANY_OBJECT), may("url", ANY_OBJECT)]),
    ),
    may(
        "sampling",
        Object(&[may("context", ANY_OBJECT), may("tools", ANY_OBJECT)]),
    ),
    may("roots", ANY_OBJECT),
    may("extensions", Map(&ANY_OBJECT)),
    may("experimental", Map(&ANY_OBJECT)),
]);
