//! What the tests of the gate share.

use verdict_eval::gate::belief::Beliefs;
use verdict_eval::gate::evidence::{Evidence, Scale};
use verdict_eval::gate::session::{Case, Purchase, Ruling, Session, Step};
use verdict_eval::gate::{Counts, Rule};

/// Counts of equally many runs.
pub(crate) fn counts(passes: &[u32], runs: u32) -> Vec<Counts> {
    passes
        .iter()
        .map(|passes| Counts::new(*passes, runs))
        .collect()
}

/// The evidence of tonight against the pools, by the default rule.
pub(crate) fn weigh(pools: &[Counts], tonight: &[Counts]) -> Evidence {
    let beliefs = Beliefs::fit(pools.iter().copied());
    let pairs: Vec<_> = pools.iter().copied().zip(tonight.iter().copied()).collect();
    Scale::new(&Rule::default()).weigh(&beliefs, &pairs)
}

/// Fails unless `found` is `expected` to within `tolerance` of it.
pub(crate) fn close(what: &str, found: f64, expected: f64, tolerance: f64) {
    let away = (found - expected).abs();
    assert!(
        away <= tolerance * expected.abs(),
        "{what}: {found} instead of {expected}"
    );
}

/// A case with a pool and no target of its own.
pub(crate) fn watched(passes: u32, runs: u32) -> Case {
    Case {
        kind: None,
        pool: Some(Counts::new(passes, runs)),
        planned: None,
    }
}

/// Plays a session to its end: `run` says whether the run of a case with an index passes.
pub(crate) fn play(
    session: &mut Session,
    mut run: impl FnMut(usize, u32) -> Option<bool>,
) -> (Ruling, Vec<Purchase>) {
    let mut bought = Vec::new();
    loop {
        match session.step() {
            Step::Done(ruling) => return (*ruling, bought),
            Step::Run(purchases) => {
                for purchase in &purchases {
                    for index in purchase.from..purchase.from + purchase.runs {
                        let passed = run(purchase.case, index);
                        session.record(purchase.case, index, purchase.wave, passed);
                    }
                }
                bought.extend(purchases);
            }
        }
    }
}
