//! `completion/complete`.

use super::basic::{RESULT_META, RESULT_TYPE};
use super::language::Shape::{Flag, ListUpTo, LooseWhole, Object, Text};
use super::language::{Shape, may, must};

pub(super) const COMPLETE: Shape = Object(&[
    RESULT_TYPE,
    RESULT_META,
    must(
        "completion",
        Object(&[
            must("values", ListUpTo(100, &Text)),
            may("total", LooseWhole),
            may("hasMore", Flag),
        ]),
    ),
]);
