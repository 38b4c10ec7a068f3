//! Whether to ask again after a fault, and when.
//!
//! A call is tried three times at most. What the provider asks for in `Retry-After` is obeyed up to a ceiling; beyond
//! it the call is given up, and the report says so. All calls of a model share one budget of retries, so that an
//! outage ends a run instead of tripling it.

use super::fault::{Fault, FaultKind, Network};
use super::quirks::Quirks;
use std::collections::BTreeSet;

/// How often a call is tried again.
const RETRIES: u32 = 2;
/// The longest wait that a provider may ask for, in milliseconds.
pub const CEILING_MS: u64 = 60_000;
/// The first wait where a provider says nothing, in milliseconds; it doubles.
const FIRST_MS: u64 = 500;
/// The longest of those.
const LONGEST_MS: u64 = 8_000;

/// What to do after a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Wait, and send the same again.
    Retry {
        /// Milliseconds from now on.
        after_ms: u64,
    },
    /// Encode anew, without a parameter that the model refuses, and send at once. The quirks know it already.
    Drop {
        /// Its name on the wire.
        parameter: String,
    },
    /// No more: the run is invalid, and why.
    GiveUp {
        /// A sentence for the report.
        why: String,
    },
}

/// The retries that all calls of one model share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryBudget {
    /// In tenths of a retry.
    left: u32,
    most: u32,
}

impl RetryBudget {
    /// A budget of so many retries at once. Every ten answers earn one more, up to that number.
    pub fn new(retries: u32) -> Self {
        let most = retries.saturating_mul(10);
        Self { left: most, most }
    }

    /// Tells of an answer.
    pub fn earn(&mut self) {
        self.left = self.left.saturating_add(1).min(self.most);
    }

    fn take(&mut self) -> bool {
        let left = self.left.checked_sub(10);
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }
}

impl Default for RetryBudget {
    fn default() -> Self {
        Self::new(30)
    }
}

/// The patience with one call.
#[derive(Debug, Clone, Default)]
pub struct Patience {
    retries: u32,
    dropped: BTreeSet<String>,
}

impl Patience {
    /// Full patience.
    pub fn new() -> Self {
        Self::default()
    }

    /// What to do after `fault`. `jitter` is drawn by the program from 0 to 1: it spreads the waits, so that calls
    /// that failed together do not come back together.
    pub fn next(
        &mut self,
        fault: &Fault,
        quirks: &mut Quirks,
        budget: &mut RetryBudget,
        jitter: f64,
    ) -> Next {
        if let FaultKind::ParameterRefused { parameter } = &fault.kind {
            // Refused again although it was left out: then it is something else.
            if !self.dropped.insert(parameter.clone()) {
                return give_up(fault, "leaving the parameter out did not help");
            }
            quirks.refuse(parameter);
            return Next::Drop {
                parameter: parameter.clone(),
            };
        }
        let can_help = fault
            .should_retry
            .unwrap_or_else(|| is_passing(&fault.kind));
        if !can_help {
            return give_up(fault, "asking again would not help");
        }
        let asked = match fault.kind {
            FaultKind::Busy { retry_after_ms } | FaultKind::Outage { retry_after_ms } => {
                retry_after_ms
            }
            _ => None,
        };
        if let Some(ms) = asked.filter(|ms| *ms > CEILING_MS) {
            let (asked, most) = (ms / 1000, CEILING_MS / 1000);
            return give_up(
                fault,
                &format!("it wants to be left alone for {asked} s, and we wait {most} s at most"),
            );
        }
        if self.retries == RETRIES {
            return give_up(fault, &format!("it was tried {} times", RETRIES + 1));
        }
        if !budget.take() {
            return give_up(fault, "the model's budget of retries is spent");
        }
        let after_ms = wait(asked, self.retries, jitter);
        self.retries += 1;
        Next::Retry { after_ms }
    }
}

fn give_up(fault: &Fault, why: &str) -> Next {
    Next::GiveUp {
        why: format!("{fault}; {why}"),
    }
}

fn is_passing(kind: &FaultKind) -> bool {
    matches!(
        kind,
        FaultKind::Busy { .. }
            | FaultKind::Outage { .. }
            | FaultKind::Garbled
            | FaultKind::Cut
            | FaultKind::Network(
                Network::Reset | Network::TimedOut | Network::Refused | Network::NoHost
            )
    )
}

/// Never shorter than what was asked for; else half of the doubling wait and the other half by chance.
fn wait(asked: Option<u64>, retries: u32, jitter: f64) -> u64 {
    let jitter = if jitter.is_finite() {
        jitter.clamp(0.0, 1.0)
    } else {
        1.0
    };
    let step = FIRST_MS
        .saturating_mul(1 << retries.min(10))
        .min(LONGEST_MS);
    let part = |whole: u64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a part of at most a minute"
        )]
        let part = (whole as f64 * jitter) as u64;
        part
    };
    match asked {
        Some(ms) => ms + part(step / 2),
        None => step / 2 + part(step / 2),
    }
}

#[cfg(test)]
mod tests {
    use super::{CEILING_MS, Next, Patience, RetryBudget};
    use crate::provider::fault::{Fault, FaultKind, Network};
    use crate::provider::quirks::Quirks;

    fn fault(kind: FaultKind) -> Fault {
        Fault::new(kind, "x".to_owned())
    }

    fn busy(ms: Option<u64>) -> Fault {
        fault(FaultKind::Busy { retry_after_ms: ms })
    }

    struct Trial {
        patience: Patience,
        quirks: Quirks,
        budget: RetryBudget,
    }

    impl Trial {
        fn new() -> Self {
            Self {
                patience: Patience::new(),
                quirks: Quirks::default(),
                budget: RetryBudget::default(),
            }
        }

        fn next(&mut self, fault: &Fault, jitter: f64) -> Next {
            self.patience
                .next(fault, &mut self.quirks, &mut self.budget, jitter)
        }
    }

    fn why(next: Next) -> String {
        match next {
            Next::GiveUp { why } => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn three_tries_with_growing_waits() {
        let mut trial = Trial::new();
        assert_eq!(trial.next(&busy(None), 0.0), Next::Retry { after_ms: 250 });
        assert_eq!(trial.next(&busy(None), 1.0), Next::Retry { after_ms: 1000 });
        assert!(why(trial.next(&busy(None), 0.5)).ends_with("it was tried 3 times"));
    }

    #[test]
    fn what_a_provider_asks_for_is_obeyed_up_to_a_ceiling() {
        let mut trial = Trial::new();
        assert_eq!(
            trial.next(&busy(Some(2000)), 0.0),
            Next::Retry { after_ms: 2000 }
        );
        assert_eq!(
            trial.next(&busy(Some(CEILING_MS)), f64::NAN),
            Next::Retry { after_ms: 60_500 }
        );
        let told = why(Trial::new().next(&busy(Some(300_000)), 0.0));
        assert!(
            told.contains("left alone for 300 s, and we wait 60 s"),
            "{told}"
        );
        assert!(why(Trial::new().next(&busy(Some(u64::MAX)), 0.0)).contains("left alone"));
    }

    #[test]
    fn what_does_not_pass_is_not_asked_again() {
        for kind in [
            FaultKind::Quota,
            FaultKind::Auth,
            FaultKind::UnknownModel,
            FaultKind::NoRoute,
            FaultKind::RequestRefused,
            FaultKind::TooLong,
            FaultKind::Network(Network::Encryption),
        ] {
            assert!(why(Trial::new().next(&fault(kind), 0.5)).contains("would not help"));
        }
        for kind in [
            FaultKind::Garbled,
            FaultKind::Cut,
            FaultKind::Network(Network::Reset),
        ] {
            assert!(matches!(
                Trial::new().next(&fault(kind), 0.5),
                Next::Retry { .. }
            ));
        }
    }

    #[test]
    fn a_provider_that_knows_better_is_believed() {
        let mut no = busy(None);
        no.should_retry = Some(false);
        assert!(why(Trial::new().next(&no, 0.5)).contains("would not help"));
        let mut yes = fault(FaultKind::RequestRefused);
        yes.should_retry = Some(true);
        assert!(matches!(Trial::new().next(&yes, 0.5), Next::Retry { .. }));
    }

    #[test]
    fn a_refused_parameter_is_dropped_once_and_remembered() {
        let mut trial = Trial::new();
        let refused = |name: &str| {
            fault(FaultKind::ParameterRefused {
                parameter: name.to_owned(),
            })
        };
        let dropped = |name: &str| Next::Drop {
            parameter: name.to_owned(),
        };
        assert_eq!(
            trial.next(&refused("temperature"), 0.0),
            dropped("temperature")
        );
        assert!(!trial.quirks.takes("temperature"));
        assert_eq!(trial.next(&refused("seed"), 0.0), dropped("seed"));
        assert!(why(trial.next(&refused("temperature"), 0.0)).contains("did not help"));
        let notes = trial.quirks.notes().join("\n");
        assert!(
            notes.contains("temperature not under our control"),
            "{notes}"
        );
        // Dropping is no retry: the call still has both of its own.
        assert!(matches!(trial.next(&busy(None), 0.0), Next::Retry { .. }));
        assert!(matches!(trial.next(&busy(None), 0.0), Next::Retry { .. }));
    }

    #[test]
    fn calls_share_a_budget_that_answers_fill_again() {
        let mut trial = Trial::new();
        trial.budget = RetryBudget::new(2);
        for _ in 0..2 {
            trial.patience = Patience::new();
            assert!(matches!(trial.next(&busy(None), 0.0), Next::Retry { .. }));
        }
        trial.patience = Patience::new();
        assert!(why(trial.next(&busy(None), 0.0)).contains("budget of retries is spent"));
        for _ in 0..10 {
            trial.budget.earn();
        }
        assert!(matches!(trial.next(&busy(None), 0.0), Next::Retry { .. }));
    }
}
