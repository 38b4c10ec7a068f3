//! What an examination found, in a form that tests compare.

use serde_json::Value;
use verdict_schema::{Bounds, Examiner, Kind, Role, Weight};

/// The defects of a schema as (check, weight, pointer).
pub(crate) fn defects(schema: &Value, role: Role) -> Vec<(&'static str, Weight, String)> {
    let examination = Examiner::new(Bounds::default()).examine(schema, role);
    for defect in &examination.defects {
        assert!(defect.kind.applies_to(role), "{defect:?}");
        assert!(
            !defect.message.is_empty() && defect.message.chars().count() <= 301,
            "{defect:?}"
        );
        assert!(
            schema.pointer(&defect.pointer).is_some(),
            "{defect:?} in {schema}"
        );
    }
    let defects = examination.defects.into_iter();
    defects
        .map(|it| (it.kind.check_id(), it.weight, it.pointer))
        .collect()
}

/// Where a schema breaks the rule of one kind.
pub(crate) fn places(kind: Kind, schema: &Value, role: Role) -> Vec<(Weight, String)> {
    let defects = defects(schema, role).into_iter();
    defects
        .filter(|(id, ..)| *id == kind.check_id())
        .map(|(_, weight, pointer)| (weight, pointer))
        .collect()
}

/// The message of the first defect of a kind.
pub(crate) fn message(kind: Kind, schema: &Value, role: Role) -> String {
    let examination = Examiner::new(Bounds::default()).examine(schema, role);
    let defect = examination.defects.into_iter().find(|it| it.kind == kind);
    defect.map(|it| it.message).unwrap_or_default()
}
