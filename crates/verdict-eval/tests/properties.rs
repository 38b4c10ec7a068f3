//! What holds of every score, tried on many runs drawn by dice with a fixed start.

mod make;

use make::{Made, answers, case, run, tools};
use serde_json::Value;
use verdict_eval::chat::End;
use verdict_eval::golden::{Case, Expect, Order};
use verdict_eval::score::trace::Trace;
use verdict_eval::score::{Pair, Scored, Scorer, expected};
use verdict_model::behavior::{Metric, RunOutcome};

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let sides = u64::try_from(sides).unwrap_or(1);
        usize::try_from((self.0 >> 33) % sides).unwrap_or(0)
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.roll(items.len())]
    }
}

/// A run of up to five calls: expected ones, others, and broken ones, with errors here and there.
fn trace(dice: &mut Dice, expected: &[Made], all: &[Made]) -> Trace {
    let broken = [
        "",
        "null",
        "{",
        "[]",
        "{\"id\":1e999}",
        "{\"a\":{\"a\":{\"a\":[[[]]]}}}",
    ];
    let calls: Vec<(String, String)> = (0..dice.roll(6))
        .map(|_| {
            let pool = if dice.roll(3) > 0 && !expected.is_empty() {
                expected
            } else {
                all
            };
            let (name, arguments) = dice.pick(pool).clone();
            let text = Value::from(arguments).to_string();
            match dice.roll(12) {
                0 => (name, (*dice.pick(&broken)).to_owned()),
                1 => (name.to_uppercase(), text),
                _ => (name, text),
            }
        })
        .collect();
    let mut trace = run(&calls);
    for call in &mut trace.calls {
        call.is_error = dice.roll(4) == 0;
        if dice.roll(3) == 0 {
            call.turn = call.turn.saturating_sub(1);
        }
    }
    let other = End::Other("x".to_owned());
    let ends = [
        End::Stop,
        End::Stop,
        End::Stop,
        End::Calls,
        End::CutOff,
        End::Refused,
        End::Filtered,
        End::Empty,
        other,
    ];
    trace.end = dice.pick(&ends).clone();
    trace
}

fn ordered(case: &Case, new: Order) -> Case {
    let mut case = case.clone();
    if let Expect::Sequence { order, .. } = &mut case.expect {
        *order = new;
    }
    case
}

fn check(judge: &Scorer<'_>, case: &Case, trace: &Trace) -> Scored {
    let score = |case: &Case| judge.score(case, trace, &|_: &Pair| None);
    let scored = score(case);
    assert_eq!(scored, score(case), "the same run, another score");
    match scored.outcome() {
        RunOutcome::Passed => assert!(scored.passed),
        RunOutcome::Failed => {
            let is_told = !scored.differences.is_empty() || scored.fault.is_some();
            assert!(is_told, "failed without a reason: {trace:?}");
        }
        RunOutcome::Invalid => assert!(scored.fault.is_some()),
    }
    if scored.scores.contains_key(&Metric::Arguments) {
        let is_chosen = scored.scores.get(&Metric::Selection) == Some(&true);
        assert!(is_chosen || !case.forbid_tools.is_empty(), "{trace:?}");
    }
    let mut freer = case.clone();
    freer.allow_extra_calls = true;
    assert!(
        !scored.passed || score(&freer).passed,
        "extra calls allowed, and worse: {trace:?}"
    );
    let mut stricter = case.clone();
    stricter.forbid_tools = trace
        .calls
        .iter()
        .map(|it| it.call.name.clone())
        .take(1)
        .collect();
    assert_eq!(
        score(&stricter).passed,
        scored.passed && trace.calls.is_empty()
    );
    let by_order =
        [Order::Exact, Order::InOrder, Order::Any].map(|order| score(&ordered(case, order)).passed);
    assert!(
        by_order.is_sorted(),
        "a stricter order passes what a freer one does not: {by_order:?} {trace:?}"
    );
    scored
}

#[test]
fn what_must_hold_of_every_score_holds() {
    let (tools, answers) = (tools(), answers());
    let all: Vec<Made> = answers.iter().flatten().cloned().collect();
    let judge = Scorer::new(&tools);
    let mut dice = Dice(11);
    let mut passed = 0;
    for round in 0..6_000 {
        let mut wanted = answers[round % answers.len()].clone();
        if dice.roll(2) == 0 {
            wanted = (0..dice.roll(4)).map(|_| dice.pick(&all).clone()).collect();
        }
        let case = case("case", &wanted);
        assert!(!expected(&case).is_empty());
        let trace = trace(&mut dice, &wanted, &all);
        passed += u32::from(check(&judge, &case, &trace).passed);
        // In any order means in any order.
        let any = ordered(&case, Order::Any);
        let mut turned = trace.clone();
        turned.calls.reverse();
        turned
            .calls
            .iter_mut()
            .for_each(|call| (call.turn, call.is_error) = (0, false));
        let mut plain = turned.clone();
        plain.calls.reverse();
        let [one, two] = [&turned, &plain].map(|it| judge.score(&any, it, &|_: &Pair| None).passed);
        assert_eq!(one, two, "{trace:?}");
    }
    assert!(
        (300..5_000).contains(&passed),
        "the dice try one side only: {passed}"
    );
}
