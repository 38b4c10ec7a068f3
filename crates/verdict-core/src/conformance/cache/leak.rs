//! A list that is called public is the same for everybody.

use crate::ask::{Ask, Lane, Probe, Stage};
use crate::check::Check;
use crate::conformance::list::reach::unlisted;
use crate::context::Context;
use crate::facts::List;
use crate::record::Record;
use crate::refusal::served;
use crate::ruling::{Finding, Ruling};
use serde_json::{Value, json};

/// Asks for the first declared list as two principals in turn: one, the other, the one again.
pub const PRINCIPALS: Probe = Probe {
    name: "cache.principals",
    stage: Stage::Main,
    next: principals,
};

const STEPS: [&str; 3] = ["one", "other", "again"];

fn principals(cx: &Context, round: usize) -> Vec<Ask> {
    let (Some(list), Some(step)) = (cx.facts.first_list(), STEPS.get(round)) else {
        return vec![];
    };
    let Some(token) = cx.settings.other_token.as_ref().filter(|_| cx.is_http()) else {
        return vec![];
    };
    let ask = Ask::request(*step, list.method(), json!({})).over(Lane::Fresh);
    vec![if *step == "other" {
        ask.header("Authorization", &format!("Bearer {token}"))
    } else {
        ask
    }]
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::advisory(
    "cache.public-leak",
    "A list with cacheScope \"public\" is the same for different principals",
)
.http()
.opt_in()
.spec("caching#security-considerations")
.why("A shared cache shows one user's list to all others.")
.fix("Send cacheScope \"private\" for every list that depends on who asks.")
.probes(&[&PRINCIPALS])
.judge(leak)];

fn items(record: &Record, list: List) -> Option<&Value> {
    record.result()?.get(list.member())
}

fn leak(cx: &Context) -> Ruling {
    if cx.settings.other_token.is_none() {
        return Ruling::skip("give a token of another principal (auth.other-token) to try this");
    }
    let Some(list) = cx.facts.first_list() else {
        return unlisted(cx, || Ruling::skip("nothing to ask"));
    };
    let names = STEPS.map(|step| format!("{}/{step}", PRINCIPALS.name));
    let [one, other, again] = names.each_ref().map(|name| served(cx, name));
    let (one, other, again) = match (one, other, again) {
        (Ok(one), Ok(other), Ok(again)) => (one, other, again),
        (Err(ruling), ..) | (_, Err(ruling), _) | (.., Err(ruling)) => return ruling,
    };
    let scope = one.result().and_then(|result| result.get("cacheScope"));
    if scope != Some(&json!("public")) {
        return Ruling::met("the list is not called public");
    }
    if items(one, list) != items(again, list) {
        return Ruling::skip("the list differs for one and the same principal, too");
    }
    if items(one, list) == items(other, list) {
        return Ruling::met("two principals see the same list");
    }
    Finding::broken(format!(
        "{} has cacheScope \"public\", yet another principal sees another list; expected \"private\"",
        list.method()
    ))
    .seen_in(other)
    .at(format!("/result/{}", list.member()))
    .into()
}
