//! Parent escapes of a listed directory: a file above all that is listed is not read. Only with `--intrusive`.

use crate::ask::{Ask, Probe, Stage};
use crate::check::Check;
use crate::conformance::list::reach::unwalked;
use crate::context::Context;
use crate::facts::List;
use crate::record::Answer;
use crate::refusal::answered;
use crate::ruling::{Finding, Ruling};
use serde_json::{Value, json};

/// Asks for a file that every system has, by three spellings of a way up.
pub(crate) const ESCAPES: Probe = Probe {
    name: "resources.escape",
    stage: Stage::Main,
    next: escapes,
};

const SPELLINGS: [(&str, &str); 3] = [("plain", "../"), ("dots", "%2e%2e/"), ("slash", "..%2f")];
/// Steps up: more than any directory is deep, and no more than servers read.
const UP: usize = 12;

/// A file that every system has, and what it is known by.
struct Known {
    path: &'static str,
    holds: &'static [&'static str],
}

const UNIX: Known = Known {
    path: "etc/passwd",
    holds: &["root:", ":0:0:"],
};
const WINDOWS: Known = Known {
    path: "Windows/win.ini",
    holds: &["[fonts]"],
};

/// The first listed directory that does not hold the file itself.
fn directory<'c>(cx: &Context<'c>) -> Option<(&'c str, Known)> {
    let files = || {
        let items = cx.facts.items(List::Resources);
        items.filter_map(|item| item.name().strip_prefix("file://"))
    };
    let first = files().next()?;
    let rest = &first[first.find('/')? + 1..];
    let known = if rest.as_bytes().get(1) == Some(&b':') {
        WINDOWS
    } else {
        UNIX
    };
    let folder = known.path.split('/').next().unwrap_or_default();
    let holds_it = |path: &str| {
        let inside = path.split('/').nth(1).unwrap_or_default();
        inside.is_empty() || inside.eq_ignore_ascii_case(folder)
    };
    if files().any(holds_it) {
        return None;
    }
    let end = first.rfind('/')?;
    Some((&first[..=end], known))
}

fn escapes(cx: &Context, round: usize) -> Vec<Ask> {
    let config = &cx.settings.config;
    if round > 0 || !config.intrusive || config.no_reads {
        return vec![];
    }
    let Some((directory, known)) = directory(cx) else {
        return vec![];
    };
    SPELLINGS
        .iter()
        .map(|(step, up)| {
            let uri = format!("file://{directory}{}{}", up.repeat(UP), known.path);
            Ask::request(*step, "resources/read", json!({"uri": uri})).faulty()
        })
        .collect()
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::must("resources.traversal", "Parent escapes of a listed directory are refused")
    .intrusive()
    .spec("resources#security-considerations")
    .why("Whoever may read one file may read every file that the server can: keys, settings, other people's data.")
    .fix("Resolve the path, links included, and refuse what does not lie below a directory that you serve.")
    .probes(&[&ESCAPES])
    .judge(refused)];

fn refused(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Resources) {
        return ruling;
    }
    if cx.settings.config.no_reads {
        return Ruling::skip("reading is turned off (--no-reads)");
    }
    let Some((_, known)) = directory(cx) else {
        return Ruling::not_applicable("no file:// resource is listed, or only such that hold all");
    };
    let mut soft = None;
    for (step, _) in SPELLINGS {
        let record = match answered(cx, &format!("resources.escape/{step}")) {
            Ok(record) => record,
            Err(ruling) => return ruling,
        };
        let Answer::Result(result) = record.answer() else {
            continue;
        };
        let contents = result.get("contents").and_then(Value::as_array);
        let texts = contents.into_iter().flatten();
        let texts: Vec<&str> = texts
            .filter_map(|item| item.get("text").or(item.get("blob"))?.as_str())
            .filter(|text| !text.is_empty())
            .collect();
        let is_it = |text: &&str| known.holds.iter().all(|part| text.contains(part));
        if texts.iter().any(is_it) {
            let message = format!("a way up out of a listed directory reads /{}", known.path);
            return Finding::broken(message).seen_in(record).into();
        }
        if !texts.is_empty() && soft.is_none() {
            let message =
                "a way up out of a listed directory reads something; it may be a tree of its own";
            soft = Some(Finding::unproven(message).seen_in(record));
        }
    }
    match soft {
        Some(finding) => finding.into(),
        None => Ruling::met("refused in three spellings"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{altered_under, config, error, ruling, word};
    use verdict_fixture::Server;

    #[test]
    fn ways_up_are_weighed() {
        let id = "resources.traversal";
        let mut intrusive = config();
        intrusive.intrusive = true;
        let open = Server::with("file-escape").expect("a defect");
        assert_eq!(word(&ruling(id, &open, intrusive.clone(), false)), "broken");
        assert_eq!(
            word(&ruling(id, &Server::correct(), intrusive.clone(), false)),
            "n/a"
        );
        let with = |answer: &Value| {
            let answers = SPELLINGS.map(|(step, _)| (format!("resources.escape/{step}"), answer));
            let answers: Vec<_> = answers
                .iter()
                .map(|(name, answer)| (name.as_str(), 200, (*answer).clone()))
                .collect();
            word(&altered_under(
                intrusive.clone(),
                id,
                &open,
                false,
                &answers,
            ))
        };
        assert_eq!(with(&error(-32602)), "met");
        let other = json!({"result": {"contents": [{"uri": "x", "text": "hello"}]}});
        assert_eq!(with(&other), "unproven");
    }
}
