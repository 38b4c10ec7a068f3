//! Only three methods may ask back.

use super::asked::MAY_ASK;
use crate::check::Check;
use crate::context::Context;
use crate::passive::{Slips, nothing_seen, results};
use crate::ruling::{Finding, Ruling};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("mrtr.not-elsewhere", "Only tools/call, prompts/get and resources/read ask back")
        .headline(4)
        .spec("mrtr#supported-requests")
        .why("A client has no way to answer a question that it does not expect, so the request never completes.")
        .fix("Answer every other method with a complete result or an error; a task asks inside itself.")
        .official(&["sep-2322-not-on-unsupported-requests"])
        .judge(elsewhere),
];

fn elsewhere(cx: &Context) -> Ruling {
    let mut slips = Slips::default();
    let mut count = 0;
    for seen in results(cx).filter(|seen| !MAY_ASK.contains(&seen.method)) {
        count += 1;
        if seen.kind() == Some("input_required") {
            slips.add(seen.method, || {
                Finding::broken(format!(
                    "{} is answered with an input_required result; expected a complete one",
                    seen.method
                ))
                .seen_in(seen.record)
                .at("/result/resultType")
            });
        }
    }
    if count == 0 {
        return nothing_seen(cx, "result");
    }
    slips.ruling(format!("{count} results of other methods ask nothing"))
}
