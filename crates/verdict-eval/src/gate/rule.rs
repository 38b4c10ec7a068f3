//! The numbers of the rule.

/// How strictly a `hard` case is held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HardMode {
    /// A missed target is confirmed by further runs before it is red.
    #[default]
    Confirmed,
    /// Any failure in the first pass is red, whatever the pool says.
    Strict,
}

/// The numbers of the rule. [`Rule::default`] is what the figures in `docs/gate-statistics.md` belong to.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Planned runs of every case.
    pub first_pass: u32,
    /// Evidence that fails a run.
    pub fail_at: f64,
    /// Evidence below which a run passes.
    pub pass_below: f64,
    /// Confirmation runs of a suspect case in one round.
    pub per_suspect: u32,
    /// Confirmation runs of a case in one round, when the whole suite is suspected.
    pub per_case: u32,
    /// Most runs of one case in one session.
    pub most_runs: u32,
    /// Most rounds of confirmation.
    pub rounds: u32,
    /// Most runs in one session, as a multiple of the first pass.
    pub budget: f64,
    /// Green sessions that make up a full pool.
    pub green_sessions: u32,
    /// Runs that a case needs in its pool before it counts in the evidence.
    pub min_pool: u32,
    /// Assumed correlation of the runs of one case in one night, from 0 to 1.
    pub rho: f64,
    /// Loss of every case that a suite-wide suspicion stands for, from 0 to 1.
    pub delta: f64,
    /// How `hard` cases are held.
    pub hard_mode: HardMode,
    /// Run the first pass in waves of one run a case, and fail after any of them.
    pub fail_fast: bool,
    /// Stop a case in the first pass when its own target is decided. Such a session enters no pool.
    pub curtail: bool,
}

impl Default for Rule {
    fn default() -> Self {
        Self {
            first_pass: 5,
            fail_at: 50.0,
            pass_below: 0.5,
            per_suspect: 5,
            per_case: 2,
            most_runs: 25,
            rounds: 10,
            budget: 3.0,
            green_sessions: 10,
            min_pool: 15,
            rho: 0.02,
            delta: 0.05,
            hard_mode: HardMode::Confirmed,
            fail_fast: false,
            curtail: false,
        }
    }
}

impl Rule {
    /// The rule for `runs` planned runs of every case: with 3 or fewer it is the economy preset. 0 is taken as 1.
    pub fn of_runs(runs: u32) -> Self {
        let runs = runs.max(1);
        let few = runs <= 3;
        let default = Self::default();
        // With a single run of each case, five times that would confirm none of them.
        let economy = (1.0 + 5.0 / f64::from(runs)).max(5.0);
        Self {
            first_pass: runs,
            pass_below: (f64::from(runs) / 10.0).min(0.5),
            rounds: if few { 14 } else { default.rounds },
            budget: if few { economy } else { default.budget },
            most_runs: default.most_runs.max(runs),
            ..default
        }
    }

    /// With `max_drop`, the size of a drop that the gate should mostly let pass: it promises to catch 2.5 times that.
    #[must_use]
    pub fn with_max_drop(self, max_drop: f64) -> Self {
        Self {
            delta: (2.5 * max_drop).clamp(0.0, 1.0),
            ..self
        }
    }

    /// Runs after which a case's pool is frozen.
    pub fn full_pool(&self) -> u32 {
        self.green_sessions.saturating_mul(self.first_pass)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_runs_are_the_default() {
        assert_eq!(Rule::of_runs(5), Rule::default());
        assert_eq!(Rule::default().with_max_drop(0.02), Rule::default());
    }

    #[test]
    fn three_runs_are_the_economy_preset() {
        let rule = Rule::of_runs(3);
        assert!((rule.pass_below - 0.3).abs() < 1e-12 && (rule.budget - 5.0).abs() < 1e-12);
        assert_eq!((rule.rounds, rule.full_pool()), (14, 30));
    }
}
