//! What to do after an answer of GitHub's API: go on, wait and ask again, or do without.
//!
//! A pure table, so that every case can be tested without waiting.

use serde_json::Value;
use std::time::Duration;

/// Tries for an answer that may have come from a machine on the way.
const TRIES: u32 = 3;
/// What GitHub asks for at least when it names no time for its secondary limits.
const SECONDARY: Duration = Duration::from_secs(60);
const SECOND: Duration = Duration::from_secs(1);

/// An answer of the API.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<String>,
    pub(crate) remaining: Option<String>,
    /// Seconds since 1970.
    pub(crate) reset: Option<String>,
    /// One line.
    pub(crate) message: String,
    pub(crate) json: Value,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Next {
    /// The answer is good.
    Go,
    /// A limit wants us to wait; the request was not carried out.
    Limited(Duration),
    /// To be asked again; the request may have been carried out.
    Unsure(Duration),
    /// To be done without.
    Stop(String),
}

/// `answer` is a reason where none came; `tried` counts from 1; `now` is in seconds since 1970.
pub(crate) fn decide(answer: &Result<Answer, String>, tried: u32, now: u64) -> Next {
    let answer = match answer {
        Ok(answer) => answer,
        Err(_) if tried < TRIES => return Next::Unsure(pause(tried)),
        Err(why) => return Next::Stop(format!("GitHub's API cannot be reached: {why}")),
    };
    let status = answer.status;
    if (200..300).contains(&status) {
        return Next::Go;
    }
    if let Some(wait) = limit(answer, now) {
        return Next::Limited(wait);
    }
    if status >= 500 {
        if tried < TRIES {
            return Next::Unsure(seconds(answer).unwrap_or_else(|| pause(tried)));
        }
        return Next::Stop(format!("GitHub's API answers HTTP {status}"));
    }
    Next::Stop(format!(
        "GitHub's API answers HTTP {status}: {}",
        answer.message
    ))
}

/// How long a limit wants us to wait; nothing where there is no limit.
fn limit(answer: &Answer, now: u64) -> Option<Duration> {
    if !matches!(answer.status, 403 | 429) {
        return None;
    }
    if let Some(wait) = seconds(answer) {
        return Some(wait);
    }
    if answer.remaining.as_deref() == Some("0") {
        let reset = answer.reset.as_deref().and_then(|text| text.parse().ok());
        return Some(reset.map_or(SECONDARY, |reset: u64| {
            Duration::from_secs(reset.saturating_sub(now)).max(SECOND)
        }));
    }
    let message = answer.message.to_ascii_lowercase();
    let secondary = message.contains("secondary rate limit") || message.contains("abuse detection");
    (answer.status == 429 || secondary).then_some(SECONDARY)
}

/// `Retry-After`: a number of seconds; what is none (a date) is a minute.
fn seconds(answer: &Answer) -> Option<Duration> {
    let text = answer.retry_after.as_deref()?;
    let digits = (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let wait = digits.then(|| text.parse().ok()).flatten();
    Some(wait.map_or(SECONDARY, |wait| Duration::from_secs(wait).max(SECOND)))
}

fn pause(tried: u32) -> Duration {
    Duration::from_millis(500 << tried.min(6))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, retry_after: &str, remaining: &str, reset: &str, message: &str) -> Next {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let answer = Answer {
            status,
            retry_after: text(retry_after),
            remaining: text(remaining),
            reset: text(reset),
            message: message.to_owned(),
            json: Value::Null,
        };
        decide(&Ok(answer), 1, 1_000)
    }

    #[test]
    fn limits_are_waited_for_and_refusals_are_not() {
        let limited = |seconds| Next::Limited(Duration::from_secs(seconds));
        for (status, after, remaining, reset, message, wanted) in [
            (429, "7", "", "", "", limited(7)),
            (429, "0", "", "", "", limited(1)),
            (
                429,
                "Wed, 21 Oct 2026 07:28:00 GMT",
                "",
                "",
                "",
                limited(60),
            ),
            (429, "99999999999999999999", "", "", "", limited(60)),
            (429, "", "", "", "", limited(60)),
            (403, "", "0", "1030", "", limited(30)),
            (403, "", "0", "900", "", limited(1)),
            (403, "", "0", "soon", "", limited(60)),
            (
                403,
                "",
                "12",
                "1030",
                "You have exceeded a secondary rate limit",
                limited(60),
            ),
        ] {
            let got = answer(status, after, remaining, reset, message);
            assert_eq!(got, wanted, "{status} {after} {remaining} {reset}");
        }
        let refused = answer(
            403,
            "",
            "12",
            "1030",
            "Resource not accessible by integration",
        );
        assert!(matches!(refused, Next::Stop(why) if why.contains("HTTP 403: Resource")));
        assert_eq!(answer(201, "", "", "", ""), Next::Go);
        assert!(
            matches!(answer(307, "", "", "", ""), Next::Stop(_)),
            "no redirect"
        );
    }

    #[test]
    fn faults_on_the_way_are_tried_three_times() {
        let away = Err("connection refused".to_owned());
        let bad = Ok(Answer {
            status: 502,
            ..Answer::default()
        });
        for fault in [away, bad] {
            assert_eq!(decide(&fault, 1, 0), Next::Unsure(Duration::from_secs(1)));
            assert_eq!(decide(&fault, 2, 0), Next::Unsure(Duration::from_secs(2)));
            assert!(matches!(decide(&fault, 3, 0), Next::Stop(_)));
        }
    }
}
