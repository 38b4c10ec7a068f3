//! `resources/list`, `resources/templates/list` and `resources/read`.

use super::basic::{CACHE_SCOPE, ICONS, META, NEXT_CURSOR, RESULT_META, RESULT_TYPE, TTL_MS};
use super::content::{ANNOTATIONS, RESOURCE_CONTENTS};
use super::language::Shape::{List, LooseWhole, Object, Text};
use super::language::{Shape, may, must};

pub(super) const LIST: Shape = Object(&[
    RESULT_TYPE,
    RESULT_META,
    TTL_MS,
    CACHE_SCOPE,
    NEXT_CURSOR,
    must("resources", List(&RESOURCE)),
]);

pub(super) const TEMPLATES: Shape = Object(&[
    RESULT_TYPE,
    RESULT_META,
    TTL_MS,
    CACHE_SCOPE,
    NEXT_CURSOR,
    must("resourceTemplates", List(&TEMPLATE)),
]);

pub(super) const READ: Shape = Object(&[
    RESULT_TYPE,
    RESULT_META,
    TTL_MS,
    CACHE_SCOPE,
    must("contents", List(&RESOURCE_CONTENTS)),
]);

/// A listed resource. A `resource_link` block has the same members.
pub(super) const RESOURCE: Shape = Object(&[
    must("uri", Text),
    must("name", Text),
    may("title", Text),
    may("description", Text),
    may("mimeType", Text),
    may("size", LooseWhole),
    ANNOTATIONS,
    ICONS,
    META,
]);

pub(super) const TEMPLATE: Shape = Object(&[
    must("uriTemplate", Text),
    must("name", Text),
    may("title", Text),
    may("description", Text),
    may("mimeType", Text),
    ANNOTATIONS,
    ICONS,
    META,
]);
