//! The targets that cases have on their own, with or without a pool.
//!
//! | kind | target | red | unstable |
//! |---|---|---|---|
//! | `never` | no failure | one failure in any run | |
//! | `hard` | 5 of 5 | 3 failures in the first 5 runs, or in 10 after confirmation | 1 or 2 failures in 10 |
//! | `soft` | 4 of 5 | 2 failures in 5, and again in a confirmation of 5 | 2 failures in 5, and no more than 1 in the next 5 |
//!
//! With three planned runs: `hard` is red at 2 failures in 3 or 3 in 8; `soft` at 2 in 3 and then 4 in 8. Four planned
//! runs are held like five, one or two like three.

use super::counts::Counts;
use super::rule::HardMode;
use verdict_model::behavior::{Kind, Standing};

/// Runs of one confirmation.
const CONFIRMATION: u32 = 5;
/// A `hard` case that its pool believes below this cannot hold 5 of 5.
const HARD_FLOOR: f64 = 0.98;
/// A `soft` case that its pool believes below this cannot hold 4 of 5.
const SOFT_FLOOR: f64 = 0.90;

/// One case, as its own target sees it.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// How strictly it is held.
    pub kind: Kind,
    /// How `hard` is meant.
    pub mode: HardMode,
    /// Planned runs of its first pass.
    pub planned: u32,
    /// Valid runs of the first pass in the order of their indices: whether each passed.
    pub first: &'a [bool],
    /// Valid confirmation runs in the order of their indices.
    pub confirmation: &'a [bool],
    /// Mean pass probability that its pool believes in; `None` without enough of a pool.
    pub pool_mean: Option<f64>,
}

/// How a case stands against its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Where it stands; while `needs` is not 0, where it stands if nothing more can be run.
    pub standing: Standing,
    /// Further runs that would settle it.
    pub needs: u32,
    /// Its pool says that the case cannot hold its target: the standing is told and decides nothing.
    pub cannot_hold: bool,
}

impl Held {
    fn at(standing: Standing) -> Self {
        Self {
            standing,
            needs: 0,
            cannot_hold: false,
        }
    }
}

impl Target<'_> {
    /// How the case stands.
    pub fn held(&self) -> Held {
        let failed = self
            .first
            .iter()
            .chain(self.confirmation)
            .any(|passed| !passed);
        if self.kind == Kind::Never && failed {
            return Held::at(Standing::Red);
        }
        if self.first.len() < least(self.planned) && !self.decided() {
            return Held::at(Standing::Unknown);
        }
        match self.kind {
            Kind::Never => Held::at(Standing::Met),
            Kind::Hard if self.mode == HardMode::Strict => self.strict(),
            Kind::Hard => self.believed(self.hard(), HARD_FLOOR),
            Kind::Soft => self.believed(self.soft(), SOFT_FLOOR),
        }
    }

    /// Whether the first pass already decides whether the target is met: a curtailed one stops there.
    pub fn decided(&self) -> bool {
        let counts = Counts::of(self.first.iter().copied());
        match self.kind {
            Kind::Never | Kind::Hard => counts.failures() >= 1,
            Kind::Soft => {
                let bar = suspicious(self.planned);
                counts.failures() >= bar || counts.passes > self.planned.saturating_sub(bar)
            }
        }
    }

    fn strict(&self) -> Held {
        let failed = self.first.iter().any(|passed| !passed);
        Held::at(if failed { Standing::Red } else { Standing::Met })
    }

    fn hard(&self) -> Held {
        let few = self.planned <= 3;
        let confirmed = if few { self.planned } else { 5 } + CONFIRMATION;
        if self.failures(0, confirmed) >= 3 || few && self.failures(0, 3) >= 2 {
            return Held::at(Standing::Red);
        }
        // Runs bought for another reason make a clean first pass neither unclean nor worth confirming.
        if self.first.iter().all(|passed| *passed) {
            return Held::at(Standing::Met);
        }
        Held {
            needs: confirmed.saturating_sub(self.length()),
            ..Held::at(Standing::Unstable)
        }
    }

    fn soft(&self) -> Held {
        let first = u32::try_from(self.first.len()).unwrap_or(u32::MAX).min(5);
        let bar = suspicious(self.planned);
        let before = self.failures(0, first);
        if before < bar {
            return Held::at(Standing::Met);
        }
        let after = self.failures(first, first + CONFIRMATION);
        let red = if self.planned >= 4 {
            after >= 2
        } else {
            before + after >= 4
        };
        if red {
            return Held::at(Standing::Red);
        }
        Held {
            needs: (first + CONFIRMATION).saturating_sub(self.length()),
            ..Held::at(Standing::Unstable)
        }
    }

    /// What is left of a standing when the pool says that the case cannot hold its target.
    fn believed(&self, held: Held, floor: f64) -> Held {
        if self.pool_mean.is_none_or(|mean| mean >= floor) || held.standing == Standing::Met {
            return held;
        }
        Held {
            cannot_hold: true,
            ..Held::at(Standing::Unstable)
        }
    }

    fn runs(&self) -> impl Iterator<Item = bool> {
        self.first.iter().chain(self.confirmation).copied()
    }

    fn length(&self) -> u32 {
        u32::try_from(self.first.len() + self.confirmation.len()).unwrap_or(u32::MAX)
    }

    /// Failures among the runs from `from` to before `to`.
    fn failures(&self, from: u32, to: u32) -> u32 {
        let (skip, take) = (from as usize, to.saturating_sub(from) as usize);
        Counts::of(self.runs().skip(skip).take(take)).failures()
    }
}

/// Valid runs of the first pass without which nothing is said of a case.
pub(crate) fn least(planned: u32) -> usize {
    planned.min(3) as usize
}

/// Failures in the first pass that make a `soft` case suspicious.
fn suspicious(planned: u32) -> u32 {
    planned.clamp(1, 2)
}

/// How often an unchanged suite of `hard` cases would be red if any failure in five were, from the mean pass
/// probabilities that the pools believe in.
pub fn strict_false_red(pool_means: &[f64]) -> f64 {
    let all_pass: f64 = pool_means
        .iter()
        .map(|mean| mean * mean * mean * mean * mean)
        .product();
    1.0 - all_pass
}

#[cfg(test)]
mod tests;
