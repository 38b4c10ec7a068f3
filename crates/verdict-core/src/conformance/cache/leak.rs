//! A list that is called public is the same for everybody.

use crate::ask::{Ask, Lane, Probe, Stage};
use crate::check::Check;
use crate::conformance::list::reach::unlisted;
use crate::context::Context;
use crate::facts::Walk;
use crate::refusal::served;
use crate::ruling::{Finding, Ruling};
use crate::survey;
use serde_json::json;

/// Walks over the first declared list as two principals in turn: one, the other, the one again.
pub const PRINCIPALS: Probe = Probe {
    name: "cache.principals",
    stage: Stage::Main,
    next: principals,
};

const WALKS: [&str; 3] = ["one", "other", "again"];
/// Pages of a list that are compared.
const PAGES: usize = 20;

fn principals(cx: &Context, _: usize) -> Vec<Ask> {
    let Some(token) = cx.settings.other_token.as_ref().filter(|_| cx.is_http()) else {
        return vec![];
    };
    let Some(list) = cx.facts.first_list() else {
        return vec![];
    };
    let step = |walk: &&str| {
        let prefix = prefix(walk);
        let asked = (1..=PAGES).take_while(|page| cx.record(&format!("{prefix}{page}")).is_some());
        let asked = asked.count();
        if asked == PAGES {
            return None;
        }
        let mut ask = survey::walk(cx, list, &prefix, asked, &Lane::Fresh).pop()?;
        ask.step.insert_str(0, &format!("{walk}/"));
        Some(match *walk {
            "other" => ask.header("Authorization", &format!("Bearer {token}")),
            _ => ask,
        })
    };
    WALKS.iter().find_map(step).into_iter().collect()
}

/// What the names of a walk's exchanges begin with.
fn prefix(walk: &str) -> String {
    format!("{}/{walk}/", PRINCIPALS.name)
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

fn leak(cx: &Context) -> Ruling {
    if cx.settings.other_token.is_none() {
        return Ruling::skip("give a token of another principal (auth.other-token) to try this");
    }
    let Some(list) = cx.facts.first_list() else {
        return unlisted(cx, || Ruling::skip("nothing to ask"));
    };
    for walk in WALKS {
        if let Err(ruling) = served(cx, &format!("{}1", prefix(walk))) {
            return ruling;
        }
    }
    let [one, other, again] = WALKS.map(|walk| Walk::read(cx.recording, &prefix(walk)));
    let public = one
        .results()
        .any(|(_, result)| result.get("cacheScope") == Some(&json!("public")));
    if !public {
        return Ruling::met("the list is not called public");
    }
    let same = |one: &Walk, other: &Walk| {
        one.items(list)
            .map(|item| item.value)
            .eq(other.items(list).map(|item| item.value))
    };
    if !same(&one, &again) {
        return Ruling::skip("the list differs for one and the same principal, too");
    }
    if same(&one, &other) {
        return Ruling::met("two principals see the same list");
    }
    let Ok(other) = served(cx, &format!("{}1", prefix("other"))) else {
        return Ruling::skip("the other principal was not served");
    };
    Finding::broken(format!(
        "{} has cacheScope \"public\", yet another principal sees another list; expected \"private\"",
        list.method()
    ))
    .seen_in(other)
    .at(format!("/result/{}", list.member()))
    .into()
}

#[cfg(test)]
mod tests {
    use crate::testing::{config, ruling, word};
    use verdict_fixture::{Server, Variant};

    #[test]
    fn a_public_list_is_the_same_for_two_principals() {
        let protected = || crate::matrix::full_config(Variant::Protected);
        let says =
            |server: &Server, config| word(&ruling("cache.public-leak", server, config, false));
        let leaks = Server::with("public-list-by-token").expect("a defect");
        assert_eq!(says(&Server::of(Variant::Protected), protected()), "met");
        assert_eq!(says(&leaks, protected()), "broken");
        assert_eq!(says(&Server::correct(), config()), "skip");
    }
}
