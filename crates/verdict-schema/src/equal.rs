//! Equality and order of JSON values as JSON Schema means them: by value, so `1` is `1.0`.

use serde_json::{Number, Value};
use std::cmp::Ordering;

/// Whether two values are equal. Recursion is bounded by the nesting of the shallower value, which
/// the caller has bounded.
pub(crate) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => order(left, right) == Some(Ordering::Equal),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, left)| right.get(key).is_some_and(|right| same(left, right)))
        }
        _ => left == right,
    }
}

/// Which of two numbers is larger; exact where both are integers.
pub(crate) fn order(left: &Number, right: &Number) -> Option<Ordering> {
    match (integer(left), integer(right)) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

/// A number that is written as an integer.
pub(crate) fn integer(number: &Number) -> Option<i128> {
    number
        .as_i64()
        .map(i128::from)
        .or_else(|| number.as_u64().map(i128::from))
}

#[cfg(test)]
mod tests {
    use super::same;
    use serde_json::json;

    #[test]
    fn values_count_not_spellings() {
        assert!(same(&json!(1), &json!(1.0)));
        assert!(same(&json!(0), &json!(-0.0)));
        assert!(same(
            &json!({"a": 1, "b": [2]}),
            &json!({"b": [2.0], "a": 1})
        ));
        assert!(!same(&json!(u64::MAX), &json!(u64::MAX - 1)));
        assert!(!same(&json!(1), &json!(true)));
        assert!(!same(&json!({"a": 1}), &json!({"b": 1})));
        assert!(!same(&json!([1]), &json!([1, 1])));
    }
}
