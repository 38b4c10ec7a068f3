//! The golden set of this repository, against the server that it is for, and against the published schema.

use serde_json::Value;
use std::path::PathBuf;
use verdict_eval::golden::{Expect, Golden, Mistake, Weight, lint, read};
use verdict_eval::tool::Tool;
use verdict_model::behavior::Kind;

fn file(path: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path);
    std::fs::read_to_string(path).expect("a file of the repository")
}

fn set() -> Golden {
    let told =
        |mistakes: Vec<Mistake>| mistakes.iter().map(ToString::to_string).collect::<Vec<_>>();
    read(&file("golden/tasks.yaml"), "golden/tasks.yaml")
        .map_err(told)
        .expect("no mistakes")
}

fn tools() -> Vec<Tool> {
    let listed = verdict_fixture::Server::correct().tools();
    serde_json::from_value(listed.into()).expect("objects")
}

#[test]
fn nothing_is_to_be_said_about_it() {
    let golden = set();
    let remarks = lint(&golden, Some(&tools()));
    assert_eq!(remarks, []);
}

#[test]
fn it_holds_what_a_set_should() {
    let golden = set();
    let count = |wanted: &dyn Fn(&verdict_eval::golden::Case) -> bool| {
        golden.cases.iter().filter(|case| wanted(case)).count()
    };
    assert_eq!(golden.cases.len(), 30);
    assert_eq!(count(&|case| case.expect == Expect::Nothing), 8);
    assert_eq!(
        count(&|case| matches!(case.expect, Expect::Sequence { .. })),
        4
    );
    for language in ["turkish", "romanian", "vietnamese"] {
        assert!(
            count(&|case| case.tags.iter().any(|tag| tag == language)) >= 3,
            "{language}"
        );
    }
    for kind in [Kind::Hard, Kind::Soft, Kind::Never] {
        assert!(count(&|case| case.kind == kind) >= 2, "{kind:?}");
    }
    assert!(count(&|case| !case.history.is_empty()) >= 3);
}

#[test]
fn its_rubrics_are_lists_of_criteria() {
    let golden = set();
    let rubrics: std::collections::BTreeSet<&str> = golden
        .cases
        .iter()
        .filter_map(|case| case.rubric.as_deref())
        .collect();
    assert_eq!(rubrics.len(), 3);
    for rubric in rubrics {
        let text = file(rubric);
        let criteria: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("- "))
            .collect();
        assert!(criteria.len() >= 3, "{rubric}");
        assert!(
            criteria
                .iter()
                .all(|it| it.ends_with('.') && it.len() < 120),
            "{rubric}"
        );
        assert!(
            text.lines()
                .all(|line| line.is_empty() || line.starts_with("# ") || line.starts_with("- ")),
            "{rubric}"
        );
    }
}

#[test]
fn the_published_schema_takes_it_and_refuses_what_is_wrong() {
    let schema: Value = serde_json::from_str(&file("schema/golden-v1.json")).expect("JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    let yaml = |text: &str| -> Value { serde_saphyr::from_str(text).expect(text) };
    let text = file("golden/tasks.yaml");
    let faults: Vec<String> = validator
        .iter_errors(&yaml(&text))
        .map(|it| it.to_string())
        .collect();
    assert_eq!(faults, [""; 0]);
    let case = "{ id: a, prompt: p, expect_tool: x }";
    for good in [
        format!("[{case}]"),
        format!("{{ cases: [{case}], defaults: {{ kind: hard, runs: 3 }}, aliases: {{ a: b }} }}"),
        "[{ id: a, prompt: p, expect_tool: [x, z], expect_args: { c: z }, arg_match: { a: any, b: { regex: x }, c: { semantic: judge } } }]".to_owned(),
        "[{ id: a, prompt: p, expect_tool: x, tool_results: { x: [r, { content: [] }], y: r } }]".to_owned(),
    ] {
        assert!(validator.is_valid(&yaml(&good)), "{good}");
        assert!(read(&good, "g.yaml").is_ok(), "{good}");
    }
    for bad in [
        "[]",
        "{ defaults: {} }",
        "[{ prompt: p, expect_tool: x }]",
        "[{ id: a, expect_tool: x }]",
        "[{ id: a, prompt: p }]",
        "[{ id: a/b, prompt: p, expect_tool: x }]",
        "[{ id: a, prompt: '', expect_tool: x }]",
        "[{ id: a, prompt: p, expect_tool: x, expect_sequence: [y] }]",
        "[{ id: a, prompt: p, expect_tool: x, colour: red }]",
        "[{ id: a, prompt: p, expect_tool: x, kind: Hard }]",
        "[{ id: a, prompt: p, expect_tool: x, runs: 0 }]",
        "[{ id: a, prompt: p, expect_tool: x, tags: null }]",
        "[{ id: a, prompt: p, expect_tool: x, arg_match: { a: fuzzy } }]",
        "[{ id: a, prompt: p, expect_tool: x, arg_match: { a: { regex: x, contains: y } } }]",
        "[{ id: a, prompt: p, expect_sequence: [] }]",
        "[{ id: a, prompt: p, expect_tool: x, history: [{ system: x }] }]",
        "{ cases: [{ id: a, prompt: p, expect_tool: x }], defaults: { prompt: q } }",
    ] {
        assert!(!validator.is_valid(&yaml(bad)), "{bad}");
        assert!(read(bad, "g.yaml").is_err(), "{bad}");
    }
}

#[test]
fn the_examples_of_the_documentation_are_read() {
    let text = file("docs/golden.md");
    let blocks: Vec<&str> = text
        .split("```yaml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        let golden = read(block, "docs/golden.md").expect(block);
        let errors = lint(&golden, Some(&tools()));
        assert!(
            errors.iter().all(|it| it.level == Weight::Warn),
            "{errors:?}"
        );
    }
}

#[test]
fn its_cases_together_see_every_class_of_attack() {
    use verdict_eval::trial::attack::{Choice, Class, choose, pack};
    let pack = pack().expect("the pack");
    let (trials, notes) = choose(&set(), &tools(), &[], &pack, Choice::default());
    assert!(notes.is_empty(), "{notes:?}");
    for (word, class) in Class::ALL {
        let has = trials.iter().any(|trial| trial.attack().class == *class);
        assert!(has, "{word}");
    }
    // No attack is planted again before all that fit were.
    let used: std::collections::BTreeSet<&str> = trials
        .iter()
        .map(|trial| trial.attack().id.as_str())
        .collect();
    assert_eq!(used.len(), trials.len().min(pack.len()));
}
