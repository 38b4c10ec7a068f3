//! `tools/list` and `tools/call`.

use super::basic::{CACHE_SCOPE, ICONS, META, NEXT_CURSOR, RESULT_META, RESULT_TYPE, TTL_MS};
use super::content::BLOCK;
use super::language::Shape::{Any, Flag, List, Object, OneOf, Text};
use super::language::{Shape, may, must};

pub(super) const LIST: Shape = Object(&[
    RESULT_TYPE,
    RESULT_META,
    TTL_MS,
    CACHE_SCOPE,
    NEXT_CURSOR,
    must("tools", List(&TOOL)),
]);

pub(super) const CALL: Shape = Object(&[
    RESULT_TYPE,
    RESULT_META,
    must("content", List(&BLOCK)),
    may("structuredContent", Any),
    may("isError", Flag),
]);

/// A tool. Of its schemas only the root is told here; whether they are good JSON Schema is not a
/// shape.
pub(super) const TOOL: Shape = Object(&[
    must("name", Text),
    must(
        "inputSchema",
        Object(&[must("type", OneOf(&["object"])), may("$schema", Text)]),
    ),
    may("outputSchema", Object(&[may("$schema", Text)])),
    may("title", Text),
    may("description", Text),
    may("annotations", HINTS),
    ICONS,
    META,
]);

pub(super) const HINTS: Shape = Object(&[
    may("title", Text),
    may("readOnlyHint", Flag),
    may("destructiveHint", Flag),
    may("idempotentHint", Flag),
    may("openWorldHint", Flag),
]);
