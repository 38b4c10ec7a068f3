//! What a run would call and cost, before anything is paid for.

use super::behavior::{Named, service};
use super::service::{Desk, EXPECTED_OUTPUT, Service};
use super::wishes::Trying;
use std::fmt::Write as _;
use verdict_eval::agent::{Episode, Next, Rules};
use verdict_eval::golden::{Case, Expect};
use verdict_eval::tool::Tool;
use verdict_eval::trial::setup::Setup;
use verdict_report::{number, safe};

/// What is to be estimated.
pub(super) struct Plan<'p> {
    pub(super) cases: &'p [&'p Case],
    pub(super) trials: &'p [Trying<'p>],
    pub(super) tools: &'p [Tool],
    pub(super) rules: &'p Rules,
    pub(super) models: &'p [Named],
    pub(super) judge: Option<&'p Named>,
    pub(super) runs: u32,
    pub(super) desk: &'p Desk,
    pub(super) path: &'p str,
}

#[derive(Default)]
struct Sum {
    calls: u64,
    tokens_in: u64,
    tokens_out: u64,
    usd: Option<f64>,
}

/// A line a model: calls, tokens and dollars, and what they rest on.
pub(super) fn table(plan: &Plan<'_>) -> String {
    let runs: u64 = plan
        .cases
        .iter()
        .map(|case| u64::from(case.runs.unwrap_or(plan.runs)))
        .sum();
    let mut out = format!(
        "{}: {} cases, {} runs a model, {} tools on offer\n",
        safe::terminal(plan.path),
        number(plan.cases.len()),
        number(runs),
        number(plan.tools.len())
    );
    if !plan.trials.is_empty() {
        let runs: u64 = plan.trials.iter().map(|it| u64::from(it.planned)).sum();
        let faults = plan.trials.iter();
        let faults = faults.filter(|it| matches!(it.setup, Setup::Fault(_)));
        let faults = faults.count();
        let _ = writeln!(
            out,
            "layer 2: {} faults, {} attacks, {} runs a model",
            number(faults),
            number(plan.trials.len() - faults),
            number(runs)
        );
    }
    out.push('\n');
    let mut total = Some(0.0);
    for model in plan.models {
        let sum = of_model(plan, model);
        line(&mut out, &model.id, &sum);
        total = total.zip(sum.usd).map(|(all, one)| all + one);
    }
    if let Some(judge) = plan.judge {
        let sum = of_judge(plan, judge);
        line(&mut out, &format!("judge {}", judge.id), &sum);
        total = total.zip(sum.usd).map(|(all, one)| all + one);
    }
    let _ = match total {
        Some(usd) => writeln!(
            out,
            "\nabout {usd:.4} USD in all, before confirmations (at most {} further runs a case)",
            5
        ),
        None => writeln!(
            out,
            "\nthe sum is unknown: give the missing price under `prices` in the configuration"
        ),
    };
    out.push_str("A token is taken to be four bytes, an answer 200 tokens; answers that are kept already cost nothing.\n");
    out
}

fn line(out: &mut String, id: &str, sum: &Sum) {
    let usd = sum
        .usd
        .map_or_else(|| "price unknown".to_owned(), |usd| format!("{usd:.4} USD"));
    let _ = writeln!(
        out,
        "  {}  {} calls, {} tokens in, {} out, {usd}",
        safe::terminal(id),
        number(sum.calls),
        number(sum.tokens_in),
        number(sum.tokens_out)
    );
}

/// A call for each expected step and one for the last words; each sends the whole conversation again.
fn of_model(plan: &Plan<'_>, model: &Named) -> Sum {
    let service = service(model, plan.tools, 1, plan.desk);
    let mut sum = Sum {
        usd: Some(0.0),
        ..Sum::default()
    };
    for case in plan.cases {
        let episode = Episode::new(case, plan.tools, plan.rules, 0);
        let calls = turns(case) * u64::from(case.runs.unwrap_or(plan.runs));
        sum.add(&service, &episode, calls);
    }
    let mut begun: Vec<&str> = plan.cases.iter().map(|case| case.id.as_str()).collect();
    for trying in plan.trials {
        let case = trying.case;
        let clean = Episode::new(case, plan.tools, plan.rules, 0);
        let episode =
            Episode::new(case, plan.tools, plan.rules, 0).disturbed(trying.setup.disturbance(0));
        // One more than the undisturbed case: it is tried again, or the planted text is obeyed. Where the model is asked
        // the same as there, the first answer is that of the run of the same number.
        let is_shared = clean.next() == episode.next();
        let is_new = !is_shared || !begun.contains(&case.id.as_str());
        if is_shared && is_new {
            begun.push(&case.id);
        }
        let calls = (turns(case) + u64::from(is_new)) * u64::from(trying.planned);
        sum.add(&service, &episode, calls);
    }
    sum
}

/// Answers that a case takes.
fn turns(case: &Case) -> u64 {
    1 + match &case.expect {
        Expect::Nothing | Expect::Anything => 0,
        Expect::Tool { .. } => 1,
        Expect::Sequence { steps, .. } => steps.len() as u64,
    }
}

impl Sum {
    fn add(&mut self, service: &Service<'_>, episode: &Episode<'_>, calls: u64) {
        let Next::Ask(request) = episode.next() else {
            return;
        };
        let (tokens, usd) = service.estimated(&request);
        self.calls += calls;
        self.tokens_in += calls * tokens.input;
        self.tokens_out += calls * tokens.output;
        #[expect(
            clippy::cast_precision_loss,
            reason = "more calls than 2^53 are never planned"
        )]
        let times = calls as f64;
        self.usd = self.usd.zip(usd).map(|(all, one)| all + times * one);
    }
}

/// One call for each run of a case with a rubric; a thousand tokens of conversation each.
fn of_judge(plan: &Plan<'_>, judge: &Named) -> Sum {
    let runs: u64 = plan
        .cases
        .iter()
        .filter(|case| case.rubric.is_some())
        .map(|case| u64::from(case.runs.unwrap_or(plan.runs)))
        .sum();
    let calls = runs * plan.models.len() as u64;
    let tokens = verdict_eval::provider::price::estimate(4_000, EXPECTED_OUTPUT);
    #[expect(
        clippy::cast_precision_loss,
        reason = "more calls than 2^53 are never planned"
    )]
    let times = calls as f64;
    Sum {
        calls,
        tokens_in: calls * tokens.input,
        tokens_out: calls * tokens.output,
        usd: judge
            .tariff
            .as_ref()
            .map(|tariff| times * tariff.usd(&tokens)),
    }
}
