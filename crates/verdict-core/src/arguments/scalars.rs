//! Numbers and texts within the bounds of a schema.

use serde_json::{Map, Value, json};

/// Letters of a made-up text.
const MAX_TEXT: u64 = 2_000;

/// A bound that is a whole number.
pub(super) fn limit(members: &Map<String, Value>, keyword: &str) -> Option<u64> {
    members.get(keyword).and_then(Value::as_u64)
}

/// One end of a range.
#[derive(Clone, Copy)]
struct Bound {
    at: f64,
    /// Whether the end itself is left out.
    open: bool,
}

fn bound(members: &Map<String, Value>, plain: &str, exclusive: &str, upper: bool) -> Option<Bound> {
    let plain = members.get(plain).and_then(Value::as_f64);
    let closed = plain.map(|at| Bound { at, open: false });
    match members.get(exclusive) {
        // Draft 4 had a flag beside the bound.
        Some(Value::Bool(open)) => plain.map(|at| Bound { at, open: *open }),
        Some(other) => match (plain, other.as_f64()) {
            (Some(plain), Some(at)) if (upper && plain < at) || (!upper && plain > at) => closed,
            (_, Some(at)) => Some(Bound { at, open: true }),
            (_, None) => closed,
        },
        None => closed,
    }
}

fn least(members: &Map<String, Value>) -> Option<Bound> {
    bound(members, "minimum", "exclusiveMinimum", false)
}

fn most(members: &Map<String, Value>) -> Option<Bound> {
    bound(members, "maximum", "exclusiveMaximum", true)
}

/// Largest number that every JSON reader keeps.
const SAFE: f64 = 9_007_199_254_740_991.0;

/// An integer: one, or what is nearest to it.
pub(super) fn whole(members: &Map<String, Value>) -> Result<Value, String> {
    let least = least(members).map(|bound| {
        if bound.open {
            bound.at.floor() + 1.0
        } else {
            bound.at.ceil()
        }
    });
    let most = most(members).map(|bound| {
        if bound.open {
            bound.at.ceil() - 1.0
        } else {
            bound.at.floor()
        }
    });
    let chosen = multiple(members, within(least, most)?, least, most)?;
    if chosen.abs() > SAFE || chosen.fract() != 0.0 {
        return Err("it wants an integer that cannot be made up".to_owned());
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the range is checked above"
    )]
    let chosen = chosen as i64;
    Ok(json!(chosen))
}

/// A number: one, or what is nearest to it.
pub(super) fn number(members: &Map<String, Value>) -> Result<Value, String> {
    let (least, most) = (least(members), most(members));
    let (low, high) = (least.map(|bound| bound.at), most.map(|bound| bound.at));
    let near = within(low, high)?;
    // An end that is left out is stepped away from, half way to the other end where there is one.
    let chosen = if keeps(near, least, most) {
        near
    } else {
        match (low, high) {
            (Some(low), Some(high)) => f64::midpoint(low, high),
            (Some(low), None) => low + 1.0,
            (None, Some(high)) => high - 1.0,
            (None, None) => near,
        }
    };
    let chosen = multiple(members, chosen, low, high)?;
    if keeps(chosen, least, most) {
        Ok(json!(chosen))
    } else {
        Err("it wants a number between bounds that leave none".to_owned())
    }
}

fn keeps(value: f64, least: Option<Bound>, most: Option<Bound>) -> bool {
    let above = |bound: Bound| value > bound.at || (!bound.open && value >= bound.at);
    let below = |bound: Bound| value < bound.at || (!bound.open && value <= bound.at);
    least.is_none_or(above) && most.is_none_or(below)
}

/// One, or what is nearest to it.
fn within(least: Option<f64>, most: Option<f64>) -> Result<f64, String> {
    match (least, most) {
        (Some(least), Some(most)) if least > most => {
            Err("it wants a number between bounds that leave none".to_owned())
        }
        (least, most) => Ok(1.0_f64
            .max(least.unwrap_or(f64::MIN))
            .min(most.unwrap_or(f64::MAX))),
    }
}

/// The multiple that `multipleOf` wants, next to a number and within its bounds.
fn multiple(
    members: &Map<String, Value>,
    near: f64,
    least: Option<f64>,
    most: Option<f64>,
) -> Result<f64, String> {
    let Some(step) = members.get("multipleOf").and_then(Value::as_f64) else {
        return Ok(near);
    };
    let up = (near / step).ceil() * step;
    let down = (near / step).floor() * step;
    let fits = |value: &f64| {
        value.is_finite()
            && least.is_none_or(|bound| *value >= bound)
            && most.is_none_or(|bound| *value <= bound)
    };
    [up, down]
        .into_iter()
        .find(fits)
        .ok_or_else(|| format!("it wants a multiple of {step} between bounds that leave none"))
}

/// A text of the wanted form and length.
pub(super) fn text(members: &Map<String, Value>) -> Result<String, String> {
    if members.contains_key("pattern") {
        return Err("`pattern` in its input schema is beyond guessing".to_owned());
    }
    let least = limit(members, "minLength").unwrap_or(0);
    let most = limit(members, "maxLength").unwrap_or(u64::MAX);
    if least > most {
        return Err("it wants a text between bounds that leave none".to_owned());
    }
    if least > MAX_TEXT {
        return Err(format!("it wants a text of at least {least} letters"));
    }
    let format = members.get("format").and_then(Value::as_str).unwrap_or("");
    if let Some(made) = formatted(format) {
        let length = made.len() as u64;
        return if (least..=most).contains(&length) {
            Ok(made.to_owned())
        } else {
            Err(format!(
                "it wants a text of the format {format} of another length"
            ))
        };
    }
    let mut made = "example".to_owned();
    while (made.len() as u64) < least {
        made.push('x');
    }
    // ASCII, so every index is a boundary.
    made.truncate(usize::try_from(most).unwrap_or(usize::MAX).min(made.len()));
    Ok(made)
}

fn formatted(format: &str) -> Option<&'static str> {
    Some(match format {
        "email" | "idn-email" => "user@example.com",
        "date" => "2026-07-28",
        "date-time" => "2026-07-28T12:00:00Z",
        "time" => "12:00:00Z",
        "duration" => "P1D",
        "uri" | "url" | "iri" => "https://example.com/",
        "uri-reference" | "iri-reference" | "json-pointer" => "/example",
        "uri-template" => "/example/{id}",
        "uuid" => "3f0e6f0a-6c4f-4d9e-9a4b-2f1f5b1c7d3e",
        "hostname" | "idn-hostname" => "example.com",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "regex" => "example",
        _ => return None,
    })
}
