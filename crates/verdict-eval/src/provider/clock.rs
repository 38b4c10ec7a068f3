//! Times as providers write them: seconds, dates of HTTP and of RFC 3339, and durations such as `6m0s`.
//!
//! No clock is read: a date is told against the time at which the answer came. Whatever does not read as a time, or
//! lies beyond a year from now, is absent.

/// Longer than this no provider means.
const MOST_MS: u64 = 366 * 24 * 3600 * 1000;

const DAY: i64 = 86_400;

/// Milliseconds from `at` (Unix seconds) on, as `Retry-After` says: seconds, or a date of HTTP. What lies in the past
/// is 0; what is absurdly far is the most there is, so that it is never taken for "soon".
pub(super) fn retry_after(value: &str, at: u64) -> Option<u64> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return seconds(value);
    }
    until(http_date(value)?, at)
}

/// Milliseconds from `at` (Unix seconds) on, as a rate limit's reset says: a duration, seconds, or a date.
pub(super) fn reset(value: &str, at: u64) -> Option<u64> {
    let value = value.trim();
    duration(value)
        .or_else(|| until(rfc3339(value)?, at))
        .or_else(|| retry_after(value, at))
}

/// Milliseconds of a duration such as `22s`, `1.5s`, `6m0s`, `1h2m3s`, `120ms`.
pub(super) fn duration(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let mut total: u64 = 0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at(digits);
        let end = tail.find(|c: char| !c.is_ascii_lowercase());
        let (unit, tail) = tail.split_at(end.unwrap_or(tail.len()));
        let factor = match unit {
            "ms" => 1.0,
            "s" => 1000.0,
            "m" => 60_000.0,
            "h" => 3_600_000.0,
            "d" => 86_400_000.0,
            _ => return None,
        };
        total = total.saturating_add(milliseconds(number.parse::<f64>().ok()? * factor)?);
        rest = tail;
    }
    Some(total.min(MOST_MS))
}

/// Milliseconds of a number of seconds, of any size.
fn seconds(text: &str) -> Option<u64> {
    milliseconds(text.parse::<f64>().ok()? * 1000.0)
}

fn milliseconds(value: f64) -> Option<u64> {
    if !value.is_finite() || value < 0.0 {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and a cast that saturates is what is meant"
    )]
    let whole = value.ceil() as u64;
    Some(whole.min(MOST_MS))
}

fn until(moment: i64, at: u64) -> Option<u64> {
    let wait = moment.checked_sub(i64::try_from(at).ok()?)?;
    let wait = u64::try_from(wait.max(0)).ok()?;
    Some(wait.saturating_mul(1000).min(MOST_MS))
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, in Unix seconds.
fn http_date(text: &str) -> Option<i64> {
    let (_, rest) = text.split_once(", ")?;
    let mut words = rest.split(' ');
    let day = number(words.next()?)?;
    let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let month = words.next()?;
    let month = months.iter().position(|name| *name == month)? + 1;
    let year = number(words.next()?)?;
    let time = time_of_day(words.next()?)?;
    (words.next()? == "GMT").then_some(())?;
    unix(year, i64::try_from(month).ok()?, day, time)
}

/// `2026-11-30T18:00:00Z`, with any fraction and offset, in Unix seconds.
fn rfc3339(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(['T', 't', ' '])?;
    let mut parts = date.split('-');
    let [year, month, day] = [parts.next()?, parts.next()?, parts.next()?];
    let clock = time.get(..8)?;
    let zone = time.get(8..)?;
    let zone = zone.strip_prefix('.').map_or(zone, |fraction| {
        fraction.trim_start_matches(|c: char| c.is_ascii_digit())
    });
    let offset = match zone {
        "Z" | "z" => 0,
        _ => {
            let sign = if zone.starts_with('-') { -1 } else { 1 };
            let (hours, minutes) = zone.get(1..)?.split_once(':')?;
            zone.starts_with(['+', '-']).then_some(())?;
            sign * (number(hours)? * 3600 + number(minutes)? * 60)
        }
    };
    let seconds = unix(
        number(year)?,
        number(month)?,
        number(day)?,
        time_of_day(clock)?,
    )?;
    seconds.checked_sub(offset)
}

fn time_of_day(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let [hour, minute, second] = [parts.next()?, parts.next()?, parts.next()?];
    let [hour, minute, second] = [number(hour)?, number(minute)?, number(second)?];
    (parts.next().is_none() && hour < 24 && minute < 60 && second <= 60)
        .then_some(hour * 3600 + minute * 60 + second)
}

fn number(text: &str) -> Option<i64> {
    let is_short = (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    is_short.then(|| text.parse().ok())?
}

/// Seconds since 1970 of a day of the Gregorian calendar.
fn unix(year: i64, month: i64, day: i64, time: i64) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years begin in March here, so that the leap day is the last of a year.
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let days = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let days = days + (153 * month + 2) / 5 + day - 1;
    Some((days - 719_468) * DAY + time)
}

#[cfg(test)]
mod tests {
    use super::{MOST_MS, duration, reset, retry_after};

    /// 2026-11-30 18:00:00 UTC.
    const NOW: u64 = 1_796_061_600;

    #[test]
    fn waits_are_read_in_every_form_and_absurd_ones_are_never_short() {
        for (value, expected) in [
            ("2", Some(2000)),
            ("1.5", Some(1500)),
            ("0", Some(0)),
            ("Mon, 30 Nov 2026 18:00:07 GMT", Some(7000)),
            ("Mon, 30 Nov 2026 17:00:00 GMT", Some(0)),
            ("10000000000000000000", Some(MOST_MS)),
            ("Fri, 31 Dec 9999 23:59:59 GMT", Some(MOST_MS)),
            ("-7", None),
            ("soon", None),
            ("", None),
            (".", None),
            ("Mon, 30 Nov 2026 25:00:00 GMT", None),
            ("Mon, 99 Nov 2026 18:00:00 GMT", None),
        ] {
            assert_eq!(retry_after(value, NOW), expected, "{value}");
        }
        for (value, expected) in [
            ("1s", Some(1000)),
            ("6m0s", Some(360_000)),
            ("1h2m3s", Some(3_723_000)),
            ("120ms", Some(120)),
            ("2026-11-30T18:00:09Z", Some(9000)),
            ("2026-11-30T19:00:09.25+01:00", Some(9000)),
            ("2024-02-29T00:00:00Z", Some(0)),
            ("30", Some(30_000)),
            ("later", None),
            ("6x", None),
        ] {
            assert_eq!(reset(value, NOW), expected, "{value}");
        }
        assert_eq!(duration("22.5s"), Some(22_500));
        assert_eq!(duration("s"), None);
    }
}
