//! Dates and moments (RFC 3339), compared by what they name.

/// A date, or a date with a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// Days from 1970-01-01.
    Date(i64),
    /// Nanoseconds from 1970-01-01T00:00:00, of the clock where no zone is given, else UTC.
    Time {
        /// The moment.
        at: i128,
        /// Whether a zone is given: with and without one are never the same.
        is_zoned: bool,
        /// The clock that was written stands at midnight.
        is_midnight: bool,
    },
}

impl Moment {
    /// Reads `2026-10-05`, `2026-10-05T08:30:00Z` and the like; seconds and zone may be missing, a blank may stand for
    /// the `T`.
    pub(super) fn read(text: &str) -> Option<Self> {
        let date = text.get(..10)?;
        let [year, month, day] = parts(date, '-', [4, 2, 2])?;
        let days = days(year, month, day)?;
        match text.get(10..)? {
            "" => Some(Self::Date(days)),
            rest => time(days, rest.strip_prefix(['T', 't', ' '])?),
        }
    }

    /// As [`Moment::read`], and `2026/10/05`, `2026.10.05`, `20261005` too: forms with the year first, which no country
    /// reads another way.
    pub(super) fn read_freely(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(moment) = Self::read(text) {
            return Some(moment);
        }
        let [year, month, day] = parts(text, '/', [4, 2, 2])
            .or_else(|| parts(text, '.', [4, 2, 2]))
            .or_else(|| compact(text))?;
        days(year, month, day).map(Self::Date)
    }

    /// Whether both name the same moment. A date is the midnight of its day only where `as_date` says that both are
    /// meant as dates.
    pub(super) fn is(self, other: Self, as_date: bool) -> bool {
        match (self, other) {
            (Self::Date(one), Self::Date(two)) => one == two,
            (
                Self::Time { at, is_zoned, .. },
                Self::Time {
                    at: other,
                    is_zoned: other_zoned,
                    ..
                },
            ) => at == other && is_zoned == other_zoned,
            (Self::Date(days), time @ Self::Time { .. })
            | (time @ Self::Time { .. }, Self::Date(days)) => as_date && time.is_start_of(days),
        }
    }

    fn is_start_of(self, days: i64) -> bool {
        match self {
            // A zone moves the moment by less than a day, and the written clock stands at midnight.
            Self::Time {
                at, is_midnight, ..
            } => is_midnight && (at - i128::from(days) * DAY).abs() < DAY,
            Self::Date(_) => false,
        }
    }
}

const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND;

/// Three numbers of the given widths with a sign between them.
fn parts(text: &str, sign: char, widths: [usize; 3]) -> Option<[i64; 3]> {
    let mut found = [0; 3];
    let mut pieces = text.split(sign);
    for (slot, width) in found.iter_mut().zip(widths) {
        *slot = digits(pieces.next()?, width)?;
    }
    pieces.next().is_none().then_some(found)
}

fn compact(text: &str) -> Option<[i64; 3]> {
    if text.len() != 8 {
        return None;
    }
    Some([
        digits(text.get(..4)?, 4)?,
        digits(text.get(4..6)?, 2)?,
        digits(text.get(6..)?, 2)?,
    ])
}

fn digits(text: &str, width: usize) -> Option<i64> {
    (text.len() == width && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

fn time(days: i64, text: &str) -> Option<Moment> {
    let zone_at = text.find(['Z', 'z', '+', '-']);
    let (clock, zone) = text.split_at(zone_at.unwrap_or(text.len()));
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let mut pieces = clock.split(':');
    let hour = digits(pieces.next()?, 2).filter(|hour| *hour < 24)?;
    let minute = digits(pieces.next()?, 2).filter(|minute| *minute < 60)?;
    let second = match pieces.next() {
        Some(second) => digits(second, 2).filter(|second| *second <= 60)?,
        None if fraction.is_empty() => 0,
        None => return None,
    };
    if pieces.next().is_some() {
        return None;
    }
    let nanos = nanos(fraction)?;
    let clock = i128::from(hour * 3600 + minute * 60 + second) * SECOND + nanos;
    let offset = match zone_at {
        Some(_) => offset(zone)?,
        None => 0,
    };
    Some(Moment::Time {
        at: i128::from(days) * DAY + clock - i128::from(offset) * SECOND,
        is_zoned: zone_at.is_some(),
        is_midnight: clock == 0,
    })
}

fn nanos(fraction: &str) -> Option<i128> {
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    format!("{fraction:0<9}").get(..9)?.parse().ok()
}

/// Seconds east of UTC.
fn offset(zone: &str) -> Option<i64> {
    let sign = match zone.chars().next()? {
        'Z' | 'z' => return (zone.len() == 1).then_some(0),
        '-' => -1,
        _ => 1,
    };
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    let hours = digits(hours, 2).filter(|hours| *hours < 24)?;
    let minutes = digits(minutes, 2).filter(|minutes| *minutes < 60)?;
    Some(sign * (hours * 3600 + minutes * 60))
}

/// Days from 1970-01-01 in the Gregorian calendar; nothing for a day that does not exist.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    let before = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let of_year =
        before[usize::try_from(month - 1).ok()?] + i64::from(is_leap && month > 2) + day - 1;
    let years = year - 1;
    let leap_days = years.div_euclid(4) - years.div_euclid(100) + years.div_euclid(400);
    Some(years * 365 + leap_days + of_year - 719_162)
}

#[cfg(test)]
mod tests {
    use super::Moment;

    fn same(one: &str, two: &str, as_date: bool) -> bool {
        let read = |text| Moment::read_freely(text).unwrap();
        read(one).is(read(two), as_date)
    }

    #[test]
    fn the_calendar_is_right() {
        assert_eq!(Moment::read("1970-01-01"), Some(Moment::Date(0)));
        assert_eq!(Moment::read("2000-03-01"), Some(Moment::Date(11_017)));
        assert_eq!(Moment::read("2026-11-30"), Some(Moment::Date(20_787)));
        assert_eq!(Moment::read("1969-12-31"), Some(Moment::Date(-1)));
        for text in [
            "2026-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-1-1",
            "26-01-01",
            "2026-10-05x",
            "१९७०-०१-०१",
        ] {
            assert_eq!(Moment::read(text), None, "{text}");
        }
    }

    #[test]
    fn one_moment_has_many_spellings() {
        assert!(same(
            "2026-10-05T10:30:00+02:00",
            "2026-10-05t08:30Z",
            false
        ));
        assert!(same(
            "2026-10-05T08:30:00.0Z",
            "2026-10-05 08:30:00Z",
            false
        ));
        assert!(same("2026/10/05", "20261005", false));
        assert!(!same("2026-10-05", "2026-05-10", true));
        assert!(!same("2026-10-05T08:30:00Z", "2026-10-05T08:30:00", true));
        assert!(!same(
            "2026-10-05T08:30:00.001Z",
            "2026-10-05T08:30:00Z",
            true
        ));
        assert!(same("2026-10-05", "2026-10-05T00:00:00+03:00", true));
        assert!(!same("2026-10-05", "2026-10-05T00:00:00Z", false));
        assert!(!same("2026-10-05", "2026-10-05T09:00:00Z", true));
        assert!(!same("2026-10-05", "2026-10-06T00:00:00Z", true));
    }
}
