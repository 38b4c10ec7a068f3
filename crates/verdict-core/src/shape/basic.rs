//! Pieces that many messages share: the members of every result, cache hints, implementations,
//! icons.

use super::language::Shape::{Count, Id, List, Object, OneOf, Text};
use super::language::{Field, Shape, may, must};

/// Members of the `_meta` objects, by their full names.
pub(super) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
pub(super) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// `_meta` where the revision says nothing about what is inside.
pub(super) const META: Field = may("_meta", ANY_OBJECT);

/// An object with whatever members.
pub(super) const ANY_OBJECT: Shape = Object(&[]);

pub(super) const RESULT_TYPE: Field = must("resultType", Text);
pub(super) const RESULT_META: Field = may("_meta", Object(&[may(SERVER_INFO, IMPLEMENTATION)]));
pub(super) const NOTICE_META: Field = may("_meta", Object(&[may(SUBSCRIPTION_ID, Id)]));

pub(super) const TTL_MS: Field = must("ttlMs", Count);
pub(super) const CACHE_SCOPE: Field = must("cacheScope", OneOf(&["public", "private"]));
pub(super) const NEXT_CURSOR: Field = may("nextCursor", Text);

/// What every result is at least.
pub(super) const RESULT: Shape = Object(&[RESULT_TYPE, RESULT_META]);

pub(super) const IMPLEMENTATION: Shape = Object(&[
    must("name", Text),
    must("version", Text),
    may("title", Text),
    may("description", Text),
    may("websiteUrl", Text),
    ICONS,
]);

pub(super) const ICONS: Field = may("icons", List(&ICON));

const ICON: Shape = Object(&[
    must("src", Text),
    may("mimeType", Text),
    may("sizes", List(&Text)),
    may("theme", OneOf(&["light", "dark"])),
]);
