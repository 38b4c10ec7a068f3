//! Whether a tool may be called on the live server.

use crate::golden::{Case, Execute, Expect};
use crate::tool::Tool;
use verdict_model::Config;

/// Whether a case may call a tool on the live server.
///
/// What `tools.safe` names may always be called, other than from a case that takes nothing from the server. A tool that
/// claims to be destructive may not be called otherwise; one that the case expects may where the case says `execute: live`;
/// one that claims to read only, within the server, may where the configuration trusts such claims.
pub fn may_call(tool: &Tool, case: &Case, config: &Config) -> bool {
    if case.execute == Execute::Canned {
        return false;
    }
    let name = tool.name();
    if config.tools.safe.iter().any(|safe| safe == name) {
        return true;
    }
    if tool.claims_destructive() {
        return false;
    }
    case.execute == Execute::Live && expects(&case.expect, name)
        || config.tools.trust_read_only && tool.claims_read_only() && tool.claims_closed_world()
}

fn expects(expect: &Expect, name: &str) -> bool {
    match expect {
        Expect::Tool { names, .. } => names.iter().any(|one| one == name),
        Expect::Sequence { steps, .. } => steps.iter().any(|step| step.tool == name),
        Expect::Nothing | Expect::Anything => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::{Place, Step};
    use serde_json::{Map, Value, json};
    use std::collections::BTreeMap;

    fn case(execute: Execute, expect: Expect) -> Case {
        Case {
            id: "a".to_owned(),
            prompt: String::new(),
            expect,
            matchers: BTreeMap::new(),
            kind: verdict_model::behavior::Kind::Soft,
            runs: None,
            tags: vec![],
            history: vec![],
            tool_results: BTreeMap::new(),
            execute,
            rubric: None,
            forbid_tools: vec![],
            allow_extra_calls: false,
            answers: Map::new(),
            place: Place::default(),
        }
    }

    fn tool(annotations: Value) -> Tool {
        let mut tool = Map::new();
        tool.insert("name".to_owned(), json!("t"));
        tool.insert("annotations".to_owned(), annotations);
        Tool(tool)
    }

    #[test]
    fn only_what_is_named_expected_or_trusted() {
        let expected = || Expect::Sequence {
            steps: vec![Step {
                tool: "t".to_owned(),
                arguments: None,
            }],
            order: crate::golden::Order::InOrder,
        };
        let plain = tool(json!({}));
        let reads = tool(json!({"readOnlyHint": true, "openWorldHint": false}));
        let open = tool(json!({"readOnlyHint": true}));
        let destroys =
            tool(json!({"destructiveHint": true, "readOnlyHint": true, "openWorldHint": false}));
        let none = Config::default();
        let mut safe = Config::default();
        safe.tools.safe = vec!["t".to_owned()];
        let mut trusts = Config::default();
        trusts.tools.trust_read_only = true;
        for (tool, execute, expect, config, may) in [
            (&plain, Execute::Auto, expected(), &none, false),
            (&plain, Execute::Auto, expected(), &safe, true),
            (&plain, Execute::Canned, expected(), &safe, false),
            (&plain, Execute::Live, expected(), &none, true),
            (&plain, Execute::Live, Expect::Nothing, &none, false),
            (&plain, Execute::Auto, expected(), &trusts, false),
            (&reads, Execute::Auto, Expect::Nothing, &trusts, true),
            (&reads, Execute::Auto, Expect::Nothing, &none, false),
            (&open, Execute::Auto, Expect::Nothing, &trusts, false),
            (&destroys, Execute::Live, expected(), &trusts, false),
            (&destroys, Execute::Auto, Expect::Nothing, &safe, true),
        ] {
            let case = case(execute, expect);
            assert_eq!(may_call(tool, &case, config), may, "{tool:?} {execute:?}");
        }
    }
}
