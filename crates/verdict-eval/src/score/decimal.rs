//! Numbers as they are written: compared by value, without a float's loss.

use serde_json::Number;
use std::cmp::Ordering;

/// A decimal number: `digits` has neither leading nor trailing zeros, and the value is `0.digits` times ten to
/// `exponent`. Zero has no digits and no sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    /// Reads a number as JSON writes it; an explicit `+`, a leading or a trailing point are none.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, power) = match unsigned.find(['e', 'E']) {
            Some(at) => (&unsigned[..at], unsigned[at + 1..].parse::<i32>().ok()?),
            None => (unsigned, 0),
        };
        let (whole, part) = match mantissa.split_once('.') {
            Some((whole, part)) if !part.is_empty() => (whole, part),
            Some(_) => return None,
            None => (mantissa, ""),
        };
        let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let has_leading_zero = whole.len() > 1 && whole.starts_with('0');
        if whole.is_empty() || has_leading_zero || !all_digits(whole) || !all_digits(part) {
            return None;
        }
        let point = i64::try_from(whole.len()).ok()? + i64::from(power);
        Some(Self::of(
            negative,
            whole.bytes().chain(part.bytes()).collect(),
            point,
        ))
    }

    /// The value of a JSON number.
    pub(super) fn of_number(number: &Number) -> Option<Self> {
        Self::read(&number.to_string())
    }

    fn of(negative: bool, mut digits: Vec<u8>, mut exponent: i64) -> Self {
        let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
        digits.drain(..zeros);
        exponent -= i64::try_from(zeros).unwrap_or(i64::MAX);
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        if digits.is_empty() {
            return Self {
                negative: false,
                digits,
                exponent: 0,
            };
        }
        Self {
            negative,
            digits,
            exponent,
        }
    }

    /// Whether two numbers lie no further apart than `most`; exact where all three fit into 38 digits together.
    pub(super) fn is_near(&self, other: &Self, most: &Self) -> bool {
        if self == other {
            return true;
        }
        let scale = [self, other, most]
            .iter()
            .map(|it| it.exponent - i64::try_from(it.digits.len()).unwrap_or(i64::MAX))
            .min()
            .unwrap_or(0);
        match (self.scaled(scale), other.scaled(scale), most.scaled(scale)) {
            (Some(one), Some(two), Some(most)) => one.abs_diff(two) <= most.unsigned_abs(),
            _ => (self.float() - other.float())
                .abs()
                .partial_cmp(&most.float())
                .is_some_and(Ordering::is_le),
        }
    }

    /// The value in units of ten to `scale`, where it fits with room for a difference.
    fn scaled(&self, scale: i64) -> Option<i128> {
        let zeros = self.exponent - i64::try_from(self.digits.len()).ok()? - scale;
        let factor = 10_i128.checked_pow(u32::try_from(zeros).ok()?)?;
        let mut value = 0_i128;
        for digit in &self.digits {
            value = value
                .checked_mul(10)?
                .checked_add(i128::from(digit - b'0'))?;
        }
        let value = value.checked_mul(factor)?;
        (value < i128::MAX / 2).then_some(if self.negative { -value } else { value })
    }

    fn float(&self) -> f64 {
        let digits = String::from_utf8_lossy(&self.digits);
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}0.{digits}e{}", self.exponent)
            .parse()
            .unwrap_or(f64::NAN)
    }
}

/// Whether two JSON numbers have the same value: `1` is `1.0`, and integers are compared as integers.
pub(super) fn same_number(one: &Number, two: &Number) -> bool {
    one == two || Decimal::of_number(one).is_some_and(|it| Decimal::of_number(two) == Some(it))
}

#[cfg(test)]
mod tests {
    use super::{Decimal, same_number};
    use serde_json::{Value, json};

    fn same(one: Value, two: Value) -> bool {
        match (one, two) {
            (Value::Number(one), Value::Number(two)) => same_number(&one, &two),
            _ => panic!("numbers only"),
        }
    }

    #[test]
    fn value_counts_and_not_spelling() {
        assert!(same(json!(1), json!(1.0)));
        assert!(same(json!(0), json!(-0.0)));
        assert!(same(json!(1e3), json!(1000)));
        assert!(!same(
            json!(9_007_199_254_740_993_u64),
            json!(9_007_199_254_740_992.0)
        ));
        assert!(!same(json!(u64::MAX), json!(u64::MAX - 1)));
        assert!(!same(json!(5), json!(-5)));
        assert!(!same(json!(0.1), json!(0.100_000_000_1)));
        let read = |text| Decimal::read(text).unwrap();
        assert_eq!(read("1.50"), read("15e-1"));
        assert_eq!(
            read("12345678901234567890123.0"),
            read("12345678901234567890123")
        );
        assert_ne!(
            read("12345678901234567890123"),
            read("12345678901234567890124")
        );
        for text in [
            "", "-", "01", "1.", ".5", "+1", "1,000", "0x1", "1e", "NaN", "١",
        ] {
            assert_eq!(Decimal::read(text), None, "{text}");
        }
    }

    #[test]
    fn nearness_is_decimal() {
        let near = |one: &str, two: &str, most: &str| {
            let read = |text| Decimal::read(text).unwrap();
            read(one).is_near(&read(two), &read(most))
        };
        assert!(near("1.1", "1.0", "0.1"));
        assert!(!near("1.1000001", "1.0", "0.1"));
        assert!(near("-1", "1", "2"));
        assert!(!near("1e300", "-1e300", "1"));
        assert!(near("1e300", "1e300", "0"));
        assert!(near("9007199254740993", "9007199254740992", "1"));
        assert!(!near("9007199254740993", "9007199254740992", "0"));
    }
}
