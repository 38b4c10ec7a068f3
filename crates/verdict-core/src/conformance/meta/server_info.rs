//! Every result names the server that gave it.

use crate::check::Check;
use crate::context::Context;
use crate::record::Record;
use crate::ruling::{Finding, Ruling};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::should("meta.server-info-every-result", "Every result carries the server's name and version in _meta")
        .spec("basic#meta")
        .why("There is no handshake in which a server introduces itself; logs and dashboards learn from each result which server and version gave it.")
        .fix("Add _meta[\"io.modelcontextprotocol/serverInfo\"] with name and version to every result. If you leave it out on purpose, turn this check off.")
        .official(&["sep-2575-server-identifies-in-result-meta"])
        .judge(every_result),
];

fn every_result(cx: &Context) -> Ruling {
    let (mut methods, mut first): (Vec<&str>, Option<&Record>) = (Vec::new(), None);
    let mut results = 0;
    for record in cx.recording.conforming() {
        let Some(result) = record.result().filter(|result| result.is_object()) else {
            continue;
        };
        results += 1;
        let meta = result.get("_meta");
        if meta
            .and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"))
            .is_some()
        {
            continue;
        }
        first = first.or(Some(record));
        let method = record.method().unwrap_or("a request without method");
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    match first {
        None if results == 0 => Ruling::skip("no result was seen"),
        None => Ruling::met(format!("in all {results} results")),
        Some(record) => {
            let message = format!(
                "results of {} lack _meta[\"io.modelcontextprotocol/serverInfo\"]",
                methods.join(", ")
            );
            Finding::broken(message)
                .seen_in(record)
                .at("/result/_meta")
                .into()
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{altered, served, word};
    use verdict_fixture::Server;

    #[test]
    fn results_without_a_name() {
        let id = "meta.server-info-every-result";
        assert_eq!(word(&altered(id, &Server::correct(), true, &[])), "met");
        let without = [("meta.optional/extra-keys", 200, served())];
        assert_eq!(
            word(&altered(id, &Server::correct(), true, &without)),
            "broken"
        );
    }
}
