//! Annotations of resources and content: for whom, how important, how old.

use super::calls::CALLS;
use crate::check::Check;
use crate::conformance::prompts::getting::GETTING;
use crate::context::Context;
use crate::passive::{Seen, Slips, pattern, results};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::shortened;
use serde_json::Value;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("tools.content-annotations", "Annotations name user or assistant, a priority from 0 to 1 and a date")
        .spec("schema#Annotations")
        .why("Clients sort and filter by them: content for nobody is shown to nobody, and a wrong type breaks the whole list.")
        .fix("Send audience as a list of \"user\" and \"assistant\", priority as a number from 0 to 1, and lastModified in ISO 8601.")
        .official(&["wire-schema-valid"])
        .probes(&[&CALLS, &GETTING])
        .judge(annotations),
];

fn annotations(cx: &Context) -> Ruling {
    let mut slips = Slips::default();
    let mut count = 0;
    for seen in results(cx).filter(Seen::is_complete) {
        let holders = holders(&seen);
        if holders.is_empty() {
            continue;
        }
        count += holders.len();
        slips.add_misshapen(&seen, "tools.content-annotations");
        for (place, annotations) in holders {
            let date = annotations.get("lastModified");
            let Some(text) = date.and_then(Value::as_str).filter(|text| !is_date(text)) else {
                continue;
            };
            let place = format!("{place}/annotations/lastModified");
            slips.add(format!("{} {}", seen.subject(), pattern(&place)), || {
                let shown = shortened(&Value::from(text), 80);
                let message = format!(
                    "lastModified is {shown}; expected a date of ISO 8601, such as 2026-07-28T09:00:00Z"
                );
                seen.found(Finding::unproven(message), &place)
            });
        }
    }
    if count == 0 {
        return Ruling::not_applicable("no annotations were seen");
    }
    slips.ruling(format!("{count} annotations"))
}

/// What has annotations in a result, each with its place.
fn holders<'c>(seen: &Seen<'c>) -> Vec<(String, &'c Value)> {
    let (list, below) = match seen.method {
        "resources/list" => ("resources", ""),
        "resources/templates/list" => ("resourceTemplates", ""),
        "tools/call" => ("content", ""),
        "prompts/get" => ("messages", "/content"),
        _ => return vec![],
    };
    let items = seen.result.get(list).and_then(Value::as_array);
    let items = items.into_iter().flatten().enumerate();
    items
        .filter_map(|(index, item)| {
            let annotations = item.pointer(below)?.get("annotations")?;
            Some((format!("/{list}/{index}{below}"), annotations))
        })
        .collect()
}

/// Whether a text looks like a date of ISO 8601, in its extended or basic form, with or without a time.
fn is_date(text: &str) -> bool {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let digits = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let parts: Vec<&str> = date.split('-').collect();
    let dated = match parts.as_slice() {
        [whole] => digits(whole, 8) || digits(whole, 4) || digits(whole, 7),
        [year, rest] => digits(year, 4) && (digits(rest, 2) || digits(rest, 3) || is_week(rest)),
        [year, middle, day] => {
            digits(year, 4)
                && (digits(middle, 2) && digits(day, 2) || is_week(middle) && digits(day, 1))
        }
        _ => false,
    };
    dated && time.is_none_or(is_time)
}

fn is_week(text: &str) -> bool {
    text.strip_prefix('W')
        .is_some_and(|week| week.len() == 2 && week.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_time(text: &str) -> bool {
    let clock = text.trim_end_matches(['Z', 'z']);
    let clock = clock.split(['+', '-', '−']).next().unwrap_or_default();
    let digits = clock.bytes().filter(u8::is_ascii_digit).count();
    digits >= 2
        && clock
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b":.,".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_iso_8601() {
        for text in [
            "2026-07-01",
            "2026-07-01T09:00:00Z",
            "2026-07-01T09:00:00.123+02:00",
            "20260701T090000Z",
            "2026-W27-3",
            "2026-07",
            "2026",
            "2026-07-01T09:00",
        ] {
            assert!(is_date(text), "{text}");
        }
        for text in [
            "",
            "last Tuesday",
            "01/07/2026",
            "1751360400000",
            "2026-07-01T",
            "Wed, 01 Jul 2026 09:00:00 GMT",
        ] {
            assert!(!is_date(text), "{text}");
        }
    }

    #[test]
    fn odd_annotations_are_found() {
        crate::testing::shows(&[
            ("content-priority-five", "tools.content-annotations", "fail"),
            ("content-date-local", "tools.content-annotations", "warn"),
        ]);
    }
}
