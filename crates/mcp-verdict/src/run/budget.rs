//! What a run may still cost: asked before every call of a model, told after it.

use std::cell::Cell;
use verdict_model::config;

/// Calls and money that are left.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    limits: config::Budget,
    calls: Cell<u64>,
    usd: Cell<f64>,
    /// Estimates of the calls that are under way.
    reserved: Cell<f64>,
    ended: Cell<bool>,
}

/// The budget does not allow another call.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "the budget of {0} is used up; what was paid for is kept, and the same command with a larger one goes on"
)]
pub(crate) struct Ended(String);

impl Budget {
    pub(crate) fn new(limits: config::Budget) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// Takes one call out, with its estimated price where that is known.
    ///
    /// # Errors
    /// Which limit does not allow it. From then on no call is allowed, also no cheaper one: a run ends in one place.
    pub(crate) fn take(&self, estimate: Option<f64>) -> Result<(), Ended> {
        let estimate = estimate.unwrap_or(0.0);
        let over = match (self.limits.calls, self.limits.usd) {
            (Some(calls), _) if self.calls.get() >= calls => Some(format!("{calls} calls")),
            (_, Some(usd)) if self.usd.get() + self.reserved.get() + estimate > usd => {
                Some(format!("{usd} USD"))
            }
            _ => None,
        };
        if let Some(which) = over {
            self.ended.set(true);
            return Err(Ended(which));
        }
        if self.ended.get() {
            return Err(Ended("this run".to_owned()));
        }
        self.calls.set(self.calls.get() + 1);
        self.reserved.set(self.reserved.get() + estimate);
        Ok(())
    }

    /// Says what a call that was taken out came to.
    pub(crate) fn settle(&self, estimate: Option<f64>, usd: Option<f64>) {
        let estimate = estimate.unwrap_or(0.0);
        self.reserved.set((self.reserved.get() - estimate).max(0.0));
        self.usd.set(self.usd.get() + usd.unwrap_or(estimate));
    }

    /// Whether a call was refused.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(calls: Option<u64>, usd: Option<f64>) -> Budget {
        Budget::new(config::Budget { usd, calls })
    }

    #[test]
    fn calls_are_counted_before_they_are_made() {
        let budget = budget(Some(2), None);
        assert!(budget.take(None).is_ok());
        assert!(budget.take(None).is_ok());
        let refused = budget.take(None).unwrap_err().to_string();
        assert!(
            refused.starts_with("the budget of 2 calls is used up"),
            "{refused}"
        );
        assert!(budget.has_ended());
    }

    #[test]
    fn money_under_way_counts_as_spent() {
        let budget = budget(None, Some(1.0));
        budget.take(Some(0.4)).unwrap();
        budget.take(Some(0.4)).unwrap();
        assert!(budget.take(Some(0.4)).is_err());
        budget.settle(Some(0.4), Some(0.1));
        assert!((budget.usd.get() - 0.1).abs() < 1e-9);
        // A run that was told to end does not go on with what came in cheaper.
        assert!(budget.take(Some(0.1)).is_err());
    }
}
