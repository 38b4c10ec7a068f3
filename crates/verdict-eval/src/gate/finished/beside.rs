//! What the baseline holds beside the pools that a model is held against.

use crate::gate::baseline::{Baseline, Key, Suite};
use crate::gate::counts::Counts;
use verdict_model::behavior::Metric;

/// Other pools that are told.
const MOST: usize = 3;

/// What a reader has to know of the baseline and is not held against a model, in sentences: the pools of other models where this
/// one has none, and that another judge measures anew.
pub fn beside(baseline: &Baseline, key: &Key, judge: Option<&str>) -> Vec<String> {
    match baseline.suite(key) {
        Some(suite) => judge_moved(suite, judge).into_iter().collect(),
        None => others(baseline, key),
    }
}

fn others(baseline: &Baseline, key: &Key) -> Vec<String> {
    let all: Vec<&Suite> = baseline.others(key).collect();
    let told = all.iter().take(MOST).map(|suite| other(suite, key));
    let more = all.len().saturating_sub(MOST);
    let more = (more > 0).then(|| {
        format!(
            "{}: the baseline has pools of {more} more models or harnesses",
            key.model
        )
    });
    told.chain(more).collect()
}

fn other(suite: &Suite, key: &Key) -> String {
    let pools = suite.cases.iter().map(|case| case.runs.pool);
    let all = pools.fold(Counts::default(), Counts::plus);
    let passed = format!("{} of {} runs", all.passes, all.runs);
    let model = &key.model;
    if suite.key.model == *model {
        format!(
            "{model}: the baseline's pools of this model, where it passed {passed}, were made with other instructions or limits, \
             so nothing is compared with them"
        )
    } else {
        format!(
            "{model}: the baseline has no runs of this model, so it begins pools of its own; {} passed {passed} there",
            suite.key.model
        )
    }
}

fn judge_moved(suite: &Suite, judge: Option<&str>) -> Option<String> {
    let judged = |suite: &Suite| {
        let mut cases = suite.cases.iter();
        cases.any(|case| case.metrics.contains_key(&Metric::Completion))
    };
    if suite.judge.is_none() || suite.judge.as_deref() == judge || !judged(suite) {
        return None;
    }
    let model = &suite.key.model;
    Some(match judge {
        Some(_) => format!(
            "{model}: the judge, its prompt or a rubric is another than in the baseline: completion begins anew, and all else \
             is compared"
        ),
        None => format!(
            "{model}: the baseline was made with a judge and this run without one: completion is not compared"
        ),
    })
}
