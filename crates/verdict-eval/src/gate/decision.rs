//! What the report holds of the gate: the session's end, the metrics, and the cases that got worse.

mod notes;

pub(super) use notes::only_the_judge;

use super::absolute::{Held, Target};
use super::attribution::Finding;
use super::baseline::{Suite, good};
use super::belief::Beliefs;
use super::counts::Counts;
use super::evidence::{Pair, Ratios, Scale};
use super::numbers;
use super::rule::{HardMode, Rule};
use super::session::{CaseRuling, Reason, Ruling, Session};
use verdict_model::behavior::{CaseResult, Kind, Metric, ModelResult, Run, RunOutcome, Standing};
use verdict_model::gate::{
    BaselineRef, Cause, Decision, Gate, Measured, MetricChange, Mode, ModelGate, Regression,
    Suspect,
};

/// A case is told as worse from this ratio on.
const WORSE_AT: f64 = 3.0;
/// Suspects that are named.
const SUSPECTS: usize = 3;

/// Records the stored runs of a case in a session.
pub fn record(session: &mut Session, place: usize, case: &CaseResult) {
    for run in &case.runs {
        let passed =
            (run.outcome != RunOutcome::Invalid).then_some(run.outcome == RunOutcome::Passed);
        session.record(place, run.index, run.wave, passed);
    }
}

/// A case as a session takes it, with its pool where the baseline has one.
pub fn case(case: &CaseResult, suite: Option<&Suite>) -> super::session::Case {
    super::session::Case {
        kind: Some(case.kind),
        pool: suite
            .and_then(|suite| suite.case(&case.id, &case.hash))
            .map(|pooled| pooled.runs.pool),
        planned: None,
    }
}

/// Everything that one model's part of the gate is made from.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    /// The rule that was used.
    pub rule: &'a Rule,
    /// The largest drop that should pass.
    pub max_drop: f64,
    /// The model's runs; its cases in the order of the session's.
    pub model: &'a ModelResult,
    /// The model's pools.
    pub suite: Option<&'a Suite>,
    /// How the session ended.
    pub ruling: &'a Ruling,
    /// What the control experiment found, and the change behind it in words.
    pub finding: Option<(&'a Finding, Option<&'a str>)>,
}

/// One model's part of the gate.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The grounds.
    pub model: ModelGate,
    /// Its metrics.
    pub per_metric: Vec<MetricChange>,
    /// Its cases that got worse.
    pub regressions: Vec<Regression>,
    /// What a reader has to know beside it, in sentences.
    pub notes: Vec<String>,
}

/// The gate of the report, from the parts of its models.
pub fn gate(baseline: Option<BaselineRef>, parts: Vec<Part>, notes: Vec<String>) -> Gate {
    let decisions = parts.iter().map(|part| part.model.decision);
    let mut gate = Gate {
        decision: Decision::worst(decisions).unwrap_or(Decision::Incomplete),
        mode: Mode::Evidence,
        baseline,
        per_metric: Vec::new(),
        regressions: Vec::new(),
        models: Vec::new(),
        trend: vec![],
        notes,
    };
    for part in parts {
        gate.per_metric.extend(part.per_metric);
        gate.regressions.extend(part.regressions);
        gate.notes.extend(part.notes);
        gate.models.push(part.model);
    }
    gate
}

impl Judged<'_> {
    /// The model's part of the gate.
    pub fn part(&self) -> Part {
        let per_metric = self.metrics();
        let mut model = self.grounds();
        let alone = per_metric
            .iter()
            .find(|change| change.decision == Decision::Fail);
        if let (Some(change), Decision::Pass | Decision::Warn) = (alone, model.decision) {
            model.decision = Decision::Fail;
            model.reason = format!("the metric {} got worse by itself", change.metric.key());
        }
        let regressions = self.regressions(model.decision);
        Part {
            notes: notes::of(self, model.decision, &per_metric),
            model,
            per_metric,
            regressions,
        }
    }

    fn grounds(&self) -> ModelGate {
        let ruling = self.ruling;
        let first: Vec<Counts> = ruling.cases.iter().map(|case| case.first).collect();
        // Rates of a first pass that stopped early are biased, and so are their intervals.
        let honest = !ruling.curtailed;
        let again = numbers::suite_again(&first).filter(|_| honest);
        let others = numbers::prompts_like_these(&first).filter(|_| honest);
        let drop = ruling.drop().filter(|_| honest);
        let named = |of: fn(&CaseRuling) -> bool| -> Vec<String> {
            let cases = self.cases().filter(|(_, case)| of(case));
            cases.map(|(result, _)| result.id.clone()).collect()
        };
        ModelGate {
            model: self.model.id.clone(),
            decision: ruling.decision,
            reason: self.reason(),
            evidence: ruling.evidence,
            fail_at: self.rule.fail_at,
            pass_below: self.rule.pass_below,
            rounds: ruling.rounds,
            first_pass: ruling.spending.first_pass,
            confirmation: ruling.spending.confirmation,
            saved: ruling.spending.saved,
            score: again.map(|rated| rated.rate),
            interval: again.map(|rated| rated.interval),
            prompts_like_these: others.map(|rated| rated.interval),
            drop: drop.map(|drop| drop.drop),
            noise: drop.map(|drop| drop.noise),
            chance_of_drop: drop.map(|drop| drop.chance_above(self.max_drop)),
            smallest_visible: drop.map(|drop| drop.smallest_visible()),
            cases: ruling.cases.len() as u64,
            common: ruling.common() as u64,
            rho: self.rule.rho,
            independent_runs: numbers::independent_runs(self.rule.first_pass, self.rule.rho),
            suspects: self.suspects(),
            known_failing: named(CaseRuling::is_known_failing),
            cannot_hold: named(|case| case.held.is_some_and(|held| held.cannot_hold)),
        }
    }

    fn cases(&self) -> impl Iterator<Item = (&CaseResult, &CaseRuling)> {
        self.model.cases.iter().zip(&self.ruling.cases)
    }

    fn suspects(&self) -> Vec<Suspect> {
        let places = self.ruling.suspects(SUSPECTS);
        let named = places.into_iter().filter_map(|place| {
            Some(Suspect {
                case: self.model.cases.get(place)?.id.clone(),
                ratio: self.ruling.cases[place].ratios.map(Ratios::own)?,
            })
        });
        named.collect()
    }

    fn reason(&self) -> String {
        let evidence = self.ruling.evidence.unwrap_or_default();
        let (bar, low) = (self.rule.fail_at, self.rule.pass_below);
        let of = |wanted: Standing, what: &str| {
            let held = |case: &CaseRuling| {
                case.held
                    .is_some_and(|held| held.standing == wanted && !held.cannot_hold)
            };
            let ids = self.cases().filter(|(_, case)| held(case));
            let number = ids.count();
            format!("{number} case{} {what}", if number == 1 { "" } else { "s" })
        };
        let undecided = |why: &str| format!("undecided at {evidence:.1} : 1, {why}");
        match self.ruling.reason {
            Reason::Evidence => format!(
                "the evidence that something got worse is {evidence:.1} : 1, at a bar of {bar}"
            ),
            Reason::RedTarget if self.rule.hard_mode == HardMode::Strict => {
                of(Standing::Red, "missed the target of its own")
            }
            Reason::RedTarget => of(
                Standing::Red,
                "missed the target of its own, and confirmed it",
            ),
            Reason::Quiet => format!("nothing got worse: {evidence:.2} : 1, below {low}"),
            Reason::UnstableTarget => of(
                Standing::Unstable,
                "missed the target of its own now and then",
            ),
            Reason::RoundsSpent => undecided("and the rounds of confirmation are spent"),
            Reason::BudgetSpent => undecided("and further runs would exceed the budget of calls"),
            Reason::NothingToConfirm => undecided("and no suspected case may be run again"),
            Reason::CannotConfirm => undecided("confirm with `mcp-verdict run`"),
            Reason::Learning => format!(
                "{} of {} cases have a pool of {} runs: only their own targets acted",
                self.with_pool(),
                self.ruling.cases.len(),
                self.rule.min_pool
            ),
            Reason::Outage => format!(
                "too few valid runs: {} of {} were not runs of the model",
                self.ruling.spending.invalid,
                self.ruling.spending.total()
            ),
        }
    }

    fn with_pool(&self) -> usize {
        let enough = |case: &&CaseRuling| {
            case.pool
                .is_some_and(|pool| pool.runs >= self.rule.min_pool)
        };
        self.ruling.cases.iter().filter(enough).count()
    }

    fn metrics(&self) -> Vec<MetricChange> {
        let defined = Metric::ALL.into_iter().map(|metric| self.metric(metric));
        let mut changes: Vec<MetricChange> = defined.flatten().collect();
        let number = changes
            .iter()
            .filter(|change| change.evidence.is_some())
            .count();
        let bar = self.rule.fail_at * super::counts::amount(number);
        for change in &mut changes {
            change.decision = match change.evidence {
                None => Decision::Learning,
                Some(evidence) if evidence >= bar => Decision::Fail,
                // With very few cases the evidence stays between the bars though nothing dropped.
                Some(evidence) if evidence >= self.rule.pass_below && change.delta < Some(0.0) => {
                    Decision::Warn
                }
                Some(_) => Decision::Pass,
            };
        }
        changes
    }

    /// A metric then and now, on common cases; `None` where no run of this session defines it.
    fn metric(&self, metric: Metric) -> Option<MetricChange> {
        let mut pairs: Vec<Pair> = Vec::new();
        let (mut all, mut first, mut pools) = (Vec::new(), Vec::new(), Vec::new());
        for case in &self.model.cases {
            let tonight = scored(case, metric, true);
            all.push(tonight);
            if let Some(pool) = self.pool(case, metric) {
                pairs.push((pool, scored(case, metric, false)));
                if tonight.runs > 0 {
                    pools.push(pool);
                    first.push(tonight);
                }
            }
        }
        let shown = numbers::suite_again(if first.is_empty() { &all } else { &first })?;
        let was = numbers::suite_again(&pools).map(|rated| rated.rate);
        Some(MetricChange {
            model: self.model.id.clone(),
            metric: Measured::Case(metric),
            was,
            now: Some(shown.rate),
            delta: was.map(|was| shown.rate - was),
            interval: Some(shown.interval).filter(|_| !self.ruling.curtailed),
            evidence: was.map(|_| self.weigh(&pairs)),
            decision: Decision::Learning,
        })
    }

    /// The pool of a case's metric, where it is large enough to count.
    fn pool(&self, case: &CaseResult, metric: Metric) -> Option<Counts> {
        let pooled = self.suite?.case(&case.id, &case.hash)?;
        let pool = pooled.metrics.get(&metric)?.pool;
        (pool.runs > 0 && pool.runs >= self.rule.min_pool).then_some(pool)
    }

    fn weigh(&self, pairs: &[Pair]) -> f64 {
        let beliefs = Beliefs::fit(pairs.iter().map(|pair| pair.0));
        Scale::new(self.rule).weigh(&beliefs, pairs).total()
    }

    /// Cases that got worse, worst first. Silent where the session passed.
    fn regressions(&self, decision: Decision) -> Vec<Regression> {
        if !matches!(decision, Decision::Fail | Decision::Warn) {
            return Vec::new();
        }
        let mut worse: Vec<Regression> = self
            .cases()
            .filter(|(_, case)| is_red(case) || weight(case) >= WORSE_AT)
            .map(|(result, case)| self.regression(result, case))
            .collect();
        worse.sort_by(|one, other| {
            let key =
                |regression: &Regression| (regression.red, regression.ratio.unwrap_or_default());
            let (one, other) = (key(one), key(other));
            other.0.cmp(&one.0).then(other.1.total_cmp(&one.1))
        });
        worse
    }

    fn regression(&self, stored: &CaseResult, ruled: &CaseRuling) -> Regression {
        let changed = self
            .suite
            .is_some_and(|suite| suite.is_changed(&stored.id, &stored.hash));
        let (cause, probable, detail) = match self.finding {
            _ if changed => (Cause::GoldenCaseChanged, false, None),
            Some((finding, detail)) => (finding.cause, finding.probable, detail),
            None => (Cause::Undetermined, false, None),
        };
        Regression {
            case: stored.id.clone(),
            model: self.model.id.clone(),
            was: ruled.pool.filter(|pool| pool.runs > 0).map(Counts::rate),
            now: (ruled.all.runs > 0).then(|| ruled.all.rate()),
            cause,
            probable,
            cause_detail: detail.map(str::to_owned),
            ratio: ruled.ratios.map(Ratios::own),
            red: is_red(ruled),
        }
    }
}

fn is_red(case: &CaseRuling) -> bool {
    case.held.is_some_and(|held| held.standing == Standing::Red)
}

fn weight(case: &CaseRuling) -> f64 {
    case.ratios.map_or(0.0, Ratios::own)
}

/// The good runs of those that define a metric: of the first pass, or of all.
fn scored(case: &CaseResult, metric: Metric, first_pass: bool) -> Counts {
    let runs = case
        .runs
        .iter()
        .filter(|run| run.outcome != RunOutcome::Invalid);
    let runs = runs.filter(|run| !first_pass || run.wave == 0);
    let scores = runs.filter_map(|run| run.scores.get(&metric));
    Counts::of(scores.map(|score| good(metric, *score)))
}

/// How a case stands by itself, from its stored runs and without a pool: what the report's `standing` holds.
pub fn standing(kind: Kind, rule: &Rule, planned: u32, runs: &[Run]) -> Held {
    let results = |confirmation: bool| -> Vec<bool> {
        let mut wanted: Vec<_> = runs
            .iter()
            .filter(|run| (run.wave > 0) == confirmation && run.outcome != RunOutcome::Invalid)
            .collect();
        wanted.sort_by_key(|run| run.index);
        wanted
            .iter()
            .map(|run| run.outcome == RunOutcome::Passed)
            .collect()
    };
    Target {
        kind,
        mode: rule.hard_mode,
        planned,
        first: &results(false),
        confirmation: &results(true),
        pool_mean: None,
    }
    .held()
}
