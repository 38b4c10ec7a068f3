//! How many calls of a model run at once: as many as asked for, fewer while the provider is busy.
//!
//! Halved on a sign of overload, grown by one a round of answers; and nothing starts while the provider says that
//! nothing is left until a moment it names. Times are milliseconds of the driver's own clock.

use super::clock;
use super::fault::FaultKind;
use super::http::HttpResponse;
use super::patience::CEILING_MS;

/// What is left of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    /// Of what is counted.
    pub remaining: u64,
    /// Milliseconds until it is full again, where the provider says so.
    pub reset_ms: Option<u64>,
}

/// A provider's limits, as an answer's head tells them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Of requests.
    pub requests: Option<Left>,
    /// Of tokens: the scarcest of all, input and output.
    pub tokens: Option<Left>,
}

impl Limits {
    /// Reads the fields of `OpenAI` and its likes, and of Anthropic.
    pub fn of(response: &HttpResponse) -> Self {
        let left = |remaining: &str, reset: &str| {
            Some(Left {
                remaining: response.header(remaining)?.parse().ok()?,
                reset_ms: response
                    .header(reset)
                    .and_then(|value| clock::reset(value, response.at)),
            })
        };
        let plain = |what: &str| {
            left(
                &format!("x-ratelimit-remaining-{what}"),
                &format!("x-ratelimit-reset-{what}"),
            )
        };
        let anthropic = |what: &str| {
            left(
                &format!("anthropic-ratelimit-{what}-remaining"),
                &format!("anthropic-ratelimit-{what}-reset"),
            )
        };
        let tokens = [
            plain("tokens"),
            anthropic("tokens"),
            anthropic("input-tokens"),
            anthropic("output-tokens"),
        ];
        Self {
            requests: plain("requests").or_else(|| anthropic("requests")),
            tokens: tokens
                .into_iter()
                .flatten()
                .min_by_key(|left| left.remaining),
        }
    }
}

/// Whether a call may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Now.
    Now,
    /// When another one has ended.
    Full,
    /// At this time.
    At(u64),
}

/// A call that runs: given back when it ends.
#[derive(Debug, PartialEq, Eq)]
pub struct Ticket(u64);

/// How many calls may run at once.
#[derive(Debug, Clone, PartialEq)]
pub struct Pace {
    asked: f64,
    limit: f64,
    running: u32,
    paused_until: u64,
    /// Calls that started so far.
    started: u64,
    /// Calls up to this one started before the last halving: their overload is already answered.
    halved_at: u64,
}

impl Pace {
    /// A pace of at most `asked` calls at once, at least one.
    pub fn new(asked: u32) -> Self {
        let asked = f64::from(asked.max(1));
        Self {
            asked,
            limit: asked,
            running: 0,
            paused_until: 0,
            started: 0,
            halved_at: 0,
        }
    }

    /// Whether a call may start.
    pub fn may_start(&self, now_ms: u64) -> Start {
        if now_ms < self.paused_until {
            return Start::At(self.paused_until);
        }
        if f64::from(self.running) + 1.0 > self.limit.floor().max(1.0) {
            return Start::Full;
        }
        Start::Now
    }

    /// Tells that a call started.
    pub fn start(&mut self) -> Ticket {
        self.running += 1;
        self.started += 1;
        Ticket(self.started)
    }

    /// Tells that a call ended: with an answer, or with a fault.
    #[expect(clippy::needless_pass_by_value, reason = "a ticket is given back once")]
    pub fn end(&mut self, ticket: Ticket, fault: Option<&FaultKind>, limits: &Limits, now_ms: u64) {
        self.running = self.running.saturating_sub(1);
        match fault {
            None => self.limit = (self.limit + 1.0 / self.limit).min(self.asked),
            Some(FaultKind::Busy { retry_after_ms }) => {
                if ticket.0 > self.halved_at {
                    self.limit = (self.limit / 2.0).max(1.0);
                    self.halved_at = self.started;
                }
                self.pause(now_ms, *retry_after_ms);
            }
            Some(_) => {}
        }
        for left in [limits.requests, limits.tokens].into_iter().flatten() {
            if left.remaining == 0 {
                self.pause(now_ms, left.reset_ms);
            }
        }
    }

    /// How many calls may run at once now.
    pub fn limit(&self) -> u32 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 1 and what was given in as 32 bits"
        )]
        let limit = self.limit.floor() as u32;
        limit
    }

    /// Longer waits than the ceiling are given up call by call, and must not stop the rest.
    fn pause(&mut self, now_ms: u64, wait_ms: Option<u64>) {
        let wait = wait_ms.filter(|ms| *ms <= CEILING_MS).unwrap_or(0);
        self.paused_until = self.paused_until.max(now_ms.saturating_add(wait));
    }
}

#[cfg(test)]
mod tests {
    use super::{Left, Limits, Pace, Start};
    use crate::provider::fault::FaultKind;
    use crate::provider::http::HttpResponse;

    const NONE: Limits = Limits {
        requests: None,
        tokens: None,
    };

    fn busy(ms: Option<u64>) -> FaultKind {
        FaultKind::Busy { retry_after_ms: ms }
    }

    #[test]
    fn reads_the_limits_of_both_families() {
        let response = |fields: &[(&str, &str)]| HttpResponse {
            headers: fields
                .iter()
                .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
                .collect(),
            at: 1_796_061_600,
            ..HttpResponse::default()
        };
        let openai = response(&[
            ("X-RateLimit-Remaining-Requests", "59"),
            ("x-ratelimit-reset-requests", "1s"),
            ("x-ratelimit-remaining-tokens", "0"),
            ("x-ratelimit-reset-tokens", "6m0s"),
        ]);
        let left = |remaining, reset_ms| {
            Some(Left {
                remaining,
                reset_ms,
            })
        };
        assert_eq!(
            Limits::of(&openai),
            Limits {
                requests: left(59, Some(1000)),
                tokens: left(0, Some(360_000)),
            }
        );
        let anthropic = response(&[
            ("anthropic-ratelimit-requests-remaining", "4"),
            ("anthropic-ratelimit-requests-reset", "2026-11-30T18:00:30Z"),
            ("anthropic-ratelimit-input-tokens-remaining", "900"),
            ("anthropic-ratelimit-output-tokens-remaining", "7"),
        ]);
        assert_eq!(
            Limits::of(&anthropic),
            Limits {
                requests: left(4, Some(30_000)),
                tokens: left(7, None),
            }
        );
        assert_eq!(
            Limits::of(&response(&[("x-ratelimit-remaining-requests", "-1")])),
            NONE
        );
    }

    #[test]
    fn as_many_as_asked_for_run_and_no_more() {
        let mut pace = Pace::new(3);
        let tickets: Vec<_> = (0..3)
            .map(|_| {
                assert_eq!(pace.may_start(0), Start::Now);
                pace.start()
            })
            .collect();
        assert_eq!(pace.may_start(0), Start::Full);
        for ticket in tickets {
            pace.end(ticket, None, &NONE, 1);
        }
        assert_eq!((pace.may_start(1), pace.limit()), (Start::Now, 3));
        assert_eq!(Pace::new(0).may_start(0), Start::Now);
    }

    #[test]
    fn a_burst_of_refusals_halves_once_and_answers_grow_it_slowly() {
        let mut pace = Pace::new(16);
        let tickets: Vec<_> = (0..16).map(|_| pace.start()).collect();
        for ticket in tickets {
            pace.end(ticket, Some(&busy(None)), &NONE, 5);
        }
        assert_eq!(pace.limit(), 8);
        let ticket = pace.start();
        pace.end(ticket, Some(&busy(None)), &NONE, 6);
        assert_eq!(pace.limit(), 4);
        for _ in 0..4 {
            let ticket = pace.start();
            pace.end(ticket, None, &NONE, 7);
        }
        assert_eq!(pace.limit(), 4, "not yet a whole one more");
        let ticket = pace.start();
        pace.end(ticket, None, &NONE, 7);
        assert_eq!(pace.limit(), 5);
        for _ in 0..1000 {
            let ticket = pace.start();
            pace.end(ticket, None, &NONE, 8);
        }
        assert_eq!(pace.limit(), 16);
    }

    #[test]
    fn never_below_one_and_other_faults_change_nothing() {
        let mut pace = Pace::new(2);
        for _ in 0..9 {
            let ticket = pace.start();
            pace.end(ticket, Some(&busy(None)), &NONE, 0);
        }
        assert_eq!((pace.limit(), pace.may_start(0)), (1, Start::Now));
        let mut pace = Pace::new(2);
        let ticket = pace.start();
        pace.end(ticket, Some(&FaultKind::Cut), &NONE, 0);
        assert_eq!(pace.limit(), 2);
    }

    #[test]
    fn nothing_starts_while_nothing_is_left() {
        let mut pace = Pace::new(4);
        let spent = Limits {
            requests: Some(Left {
                remaining: 0,
                reset_ms: Some(1500),
            }),
            tokens: None,
        };
        let ticket = pace.start();
        pace.end(ticket, None, &spent, 1000);
        assert_eq!(pace.may_start(1001), Start::At(2500));
        assert_eq!(pace.may_start(2500), Start::Now);
        let ticket = pace.start();
        pace.end(ticket, Some(&busy(Some(3000))), &NONE, 2500);
        assert_eq!(pace.may_start(3000), Start::At(5500));
        // A wait beyond all patience does not stop the others.
        let ticket = pace.start();
        pace.end(ticket, Some(&busy(Some(u64::MAX))), &NONE, 5600);
        assert_eq!(pace.may_start(5600), Start::Now);
    }
}
