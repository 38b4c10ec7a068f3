//! Icons come from where clients may take them: `https:`, `http:` or `data:`. None is ever fetched.

use crate::check::Check;
use crate::conformance::discover::identity::{is_absolute, server_info};
use crate::conformance::list::reach::{items, subject};
use crate::context::Context;
use crate::facts::List;
use crate::passive::{Slips, nothing_seen};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::cut;
use serde_json::Value;

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::advisory(
    "tools.icons",
    "Icons have an https: or data: address",
)
.spec("basic#icons")
.why("Clients refuse other schemes, because they may point into the user's machine or run code.")
.fix("Serve the icon over https:, or put it into the list as a data: URI.")
.judge(icons)];

/// The `src` of each icon of a thing.
fn sources(thing: &Value) -> impl Iterator<Item = (usize, &str)> {
    let icons = thing.get("icons").and_then(Value::as_array);
    let icons = icons.into_iter().flatten().enumerate();
    icons.filter_map(|(index, icon)| Some((index, icon.get("src")?.as_str()?)))
}

fn icons(cx: &Context) -> Ruling {
    let mut slips = Slips::default();
    let mut count = 0;
    let mut listed = false;
    for list in List::ALL {
        for item in items(cx, list) {
            listed = true;
            for (index, source) in sources(item.value) {
                count += 1;
                let Some(fault) = fault(source) else { continue };
                slips.add(fault.key(), || {
                    let finding =
                        fault.finding(&format!("an icon of `{}`", subject(&item)), source);
                    let finding = finding.at(format!("{}/icons/{index}/src", item.pointer()));
                    match cx.record(item.page) {
                        Some(record) => finding.seen_in(record),
                        None => finding,
                    }
                });
            }
        }
    }
    if let Some(record) = cx.record("era/discover") {
        listed = true;
        let info = record.result().and_then(server_info);
        // Icons of serverInfo that are no URIs at all are discover.server-info-shape's.
        let icons = info.into_iter().flat_map(sources);
        for (index, source) in icons.filter(|(_, source)| is_absolute(source)) {
            count += 1;
            let Some(fault) = fault(source) else { continue };
            slips.add(fault.key(), || {
                let place = "/result/_meta/io.modelcontextprotocol~1serverInfo/icons";
                let finding = fault.finding("an icon of serverInfo", source);
                finding.seen_in(record).at(format!("{place}/{index}/src"))
            });
        }
    }
    if !listed {
        return nothing_seen(cx, "list");
    }
    slips.ruling(format!("{count} icons"))
}

#[derive(Clone, Copy)]
enum Fault {
    /// Legal, yet clients are told to insist on another scheme.
    Plain,
    Other,
}

fn fault(source: &str) -> Option<Fault> {
    let scheme = source
        .split_once(':')
        .map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some("https" | "data") => None,
        Some("http") => Some(Fault::Plain),
        _ => Some(Fault::Other),
    }
}

impl Fault {
    fn key(self) -> &'static str {
        match self {
            Self::Plain => "http",
            Self::Other => "other",
        }
    }

    fn finding(self, whose: &str, source: &str) -> Finding {
        let source = cut(source, 120);
        match self {
            Self::Plain => Finding::noted(format!(
                "{whose} is at `{source}`; clients are told to take https: and data: only"
            )),
            Self::Other => Finding::broken(format!(
                "{whose} is at `{source}`; expected an https:, http: or data: URI"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::told::{page, says, told};
    use serde_json::json;

    #[test]
    fn schemes_of_icons() {
        for (source, due) in [
            ("https://a.example/i.png", "met"),
            ("DATA:image/png;base64,AA==", "met"),
            ("http://a.example/i.png", "noted"),
            ("file:///i.png", "broken"),
            ("/i.png", "broken"),
            ("javascript:alert(1)", "broken"),
        ] {
            let mut page = page("survey.tools/1", None, &["a"], None);
            page.3["result"]["tools"][0]["icons"] = json!([{"src": source}]);
            let recording = told(&json!({"tools": {}}), &[page]);
            assert_eq!(says("tools.icons", &recording), due, "{source}");
        }
    }
}
