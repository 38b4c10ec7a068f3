//! Why there is nothing to judge about a list: not declared, or not answered.

use crate::context::Context;
use crate::facts::{Declared, List};
use crate::record::Answer;
use crate::refusal::answered;
use crate::ruling::Ruling;

/// Why a list was not walked; none when it was.
pub fn unwalked(cx: &Context, list: List) -> Option<Ruling> {
    let capability = list.capability();
    if cx.facts.declares(capability) == Declared::No {
        let why = format!("the server does not declare {capability}");
        return Some(Ruling::not_applicable(why));
    }
    if !cx.facts.walk(list).pages.is_empty() {
        return None;
    }
    let first = format!("survey.{}/1", list.member());
    Some(match answered(cx, &first) {
        Err(ruling) => ruling,
        Ok(record) => match record.answer() {
            Answer::Error(Some(-32601)) if list == List::Templates => {
                Ruling::not_applicable("the server has no resource templates")
            }
            _ => Ruling::skip(format!(
                "{} was not answered with a result (discover.honours-{capability})",
                list.method()
            )),
        },
    })
}

/// Why nothing can be said about any list; `otherwise` where the first one was walked.
pub fn unlisted(cx: &Context, otherwise: impl FnOnce() -> Ruling) -> Ruling {
    match cx.facts.first_list() {
        Some(list) => unwalked(cx, list).unwrap_or_else(otherwise),
        None if cx.facts.capabilities().is_none() => {
            Ruling::skip("the server's capabilities are not known (discover.shape)")
        }
        None => Ruling::not_applicable("the server declares no list"),
    }
}
