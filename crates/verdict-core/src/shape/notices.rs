//! Notifications, and the result that ends a `subscriptions/listen`.

use super::basic::{
    ANY_OBJECT, IMPLEMENTATION, NOTICE_META, RESULT_TYPE, SERVER_INFO, SUBSCRIPTION_ID,
};
use super::language::Shape::{Any, Flag, Id, List, Number, Object, OneOf, Text};
use super::language::{Field, Shape, may, must};

pub(super) const PROGRESS: Shape = Object(&[
    must("progressToken", Id),
    must("progress", Number),
    may("total", Number),
    may("message", Text),
    NOTICE_META,
]);

pub(super) const MESSAGE: Shape =
    Object(&[LEVEL, must("data", Any), may("logger", Text), NOTICE_META]);

pub(super) const LEVEL: Field = must(
    "level",
    OneOf(&[
        "debug",
        "info",
        "notice",
        "warning",
        "error",
        "critical",
        "alert",
        "emergency",
    ]),
);

pub(super) const CANCELLED: Shape =
    Object(&[must("requestId", Id), may("reason", Text), NOTICE_META]);

pub(super) const ACKNOWLEDGED: Shape = Object(&[must("notifications", FILTER), NOTICE_META]);

pub(super) const RESOURCE_UPDATED: Shape = Object(&[must("uri", Text), NOTICE_META]);

/// The three lists' change notices, which may also come without `params`.
pub(super) const LIST_CHANGED: Shape = Object(&[NOTICE_META]);

/// Any notification the revision does not define: `params` may be absent, else it is an object.
pub(super) const UNKNOWN: Shape = ANY_OBJECT;

pub(super) const LISTEN_RESULT: Shape = Object(&[
    RESULT_TYPE,
    must(
        "_meta",
        Object(&[must(SUBSCRIPTION_ID, Id), may(SERVER_INFO, IMPLEMENTATION)]),
    ),
]);

const FILTER: Shape = Object(&[
    may("toolsListChanged", Flag),
    may("promptsListChanged", Flag),
    may("resourcesListChanged", Flag),
    may("resourceSubscriptions", List(&Text)),
]);
