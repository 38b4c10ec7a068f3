//! `prompts/list` and `prompts/get`.

use super::basic::{CACHE_SCOPE, ICONS, META, NEXT_CURSOR, RESULT_META, RESULT_TYPE, TTL_MS};
use super::content::{BLOCK, ROLE};
use super::language::Shape::{Flag, List, Object, Text};
use super::language::{Field, Shape, may, must};

pub(super) const LIST: Shape = Object(&[
    RESULT_TYPE,
    RESULT_META,
    TTL_MS,
    CACHE_SCOPE,
    NEXT_CURSOR,
    must("prompts", List(&PROMPT)),
]);

pub(super) const GET: Shape =
    Object(&[RESULT_TYPE, RESULT_META, MESSAGES, may("description", Text)]);

pub(super) const MESSAGES: Field = must(
    "messages",
    List(&Object(&[must("role", ROLE), must("content", BLOCK)])),
);

pub(super) const PROMPT: Shape = Object(&[
    must("name", Text),
    may("title", Text),
    may("description", Text),
    may("arguments", List(&ARGUMENT)),
    ICONS,
    META,
]);

const ARGUMENT: Shape = Object(&[
    must("name", Text),
    may("title", Text),
    may("description", Text),
    may("required", Flag),
]);
