//! What is refused, with the exact place and words; and what no file may do to the reader.

use super::read;
use super::tests::{ok, told};

fn wrong(text: &str) -> String {
    told(&read(text, "g.yaml").expect_err(text))
}

/// The files of field report 29, with its placeholders' names.
#[test]
fn duplicates_and_traps_of_a_field_report() {
    let text = r#"cases:
  - id: parcel-1
    prompt: Where is parcel 7?
    expect_tool: get_parcel
    expect_args: {number: "7"}
    prompt: Where is parcel 8?          # second prompt key in one mapping
  - id: parcel-1                        # id used twice
    prompt: Which countries do you deliver to?
    expect_tool: list_countries
    expect_args: {only: [DE, NO, SE]}   # NO is Norway, not false
  - id: version
    prompt: Which release is 1.10?
    expect_tool: get_release
    expect_args: {name: 1.10, code: 0123, when: 2026-07-28, zip: 08001}
"#;
    let hint = "put quotes around it for text, or write";
    let number = "is text to some readers and a number to others";
    assert_eq!(
        wrong(text),
        [
            "g.yaml:6:5: the key `prompt` is there twice, first in line 3; keep one".to_owned(),
            "g.yaml:7:9: the id `parcel-1` is there twice, first in line 2; rename one".to_owned(),
            format!("g.yaml:10:30: `NO` is text to some readers and false to others; {hint} false"),
            format!(
                "g.yaml:14:25: `1.10` {number}; {hint} a plain number (1.1 is what it would be)"
            ),
            format!(
                "g.yaml:14:37: `0123` {number}; {hint} a plain number (123 is what it would be)"
            ),
            format!(
                "g.yaml:14:66: `08001` {number}; {hint} a plain number (8001 is what it would be)"
            ),
        ]
        .join("\n")
    );
    let said = wrong("cases:\n  - id: a\n    prompt: x\n    expect: {tool: get_parcel}\n");
    assert!(
        said.contains("g.yaml:4:5: there is no key `expect` here; write `expect_tool`"),
        "{said}"
    );
}

/// Each line of `refused.txt`: members of a case behind `id` and `prompt`, the column of the mistake in them, and words of what
/// is said and of the mend.
#[test]
fn what_is_refused_in_a_case() {
    let begin = "- { id: a, prompt: p, ";
    let mut lines = 0;
    for line in include_str!("refused.txt")
        .lines()
        .filter(|it| !it.is_empty())
    {
        let parts: Vec<&str> = line.split(" ## ").collect();
        let [members, column, words, mend] = parts.as_slice() else {
            panic!("{line}");
        };
        let text = format!("{begin}{members} }}");
        let mistakes = read(&text, "g.yaml").expect_err(&text);
        let [only] = mistakes.as_slice() else {
            panic!("{text}\n{}", told(&mistakes));
        };
        let column = begin.len() as u64 + column.parse::<u64>().expect(line);
        assert_eq!((only.line, only.column), (1, column), "{text}\n{only}");
        assert!(only.message.contains(words), "{text}\n{only}");
        assert!(only.mend.contains(mend), "{text}\n{only}");
        lines += 1;
    }
    assert_eq!(lines, 60);
}

#[test]
fn places_are_right_behind_any_script() {
    for before in [
        "é",
        "Ünïcödé ş ğ",
        "số hoá đơn",
        "日本語",
        "🧾🧾",
        "e\u{301}",
    ] {
        let text = format!("- {{ id: a, prompt: \"{before}\", expect_tool: x, kind: sofd }}");
        let mistakes = read(&text, "g.yaml").expect_err(&text);
        let (ahead, _) = text.split_once("sofd").expect("there");
        let column = ahead.chars().count() + 1;
        assert_eq!(mistakes[0].column, column as u64, "{text}");
    }
}

#[test]
fn ids_and_prompts() {
    let case = |id: &str| format!("- {{ id: {id}, prompt: p, expect_tool: null }}\n");
    for (id, words) in [
        ("'a b'", "has a ' ' in it"),
        ("fatură", "has a 'ă' in it"),
        ("a/b", "has a '/' in it"),
        ("'..'", "does not begin with a letter"),
        ("-a", "does not begin with a letter"),
        ("a.", "ends with a dot"),
        ("NUL.x", "a device on Windows"),
        ("com1", "a device on Windows"),
        ("''", "`id` is empty"),
        ("null", "`id` is text"),
        ("[a]", "`id` is text"),
    ] {
        let said = wrong(&case(id));
        assert!(
            said.starts_with("g.yaml:1:9: ") && said.contains(words),
            "{id}: {said}"
        );
    }
    let long = case(&"x".repeat(101));
    assert!(wrong(&long).contains("longer than 100 letters"));
    for id in ["a", "007", "2026-07-28", "1.10", "NO", "com10", "a-b_c.d"] {
        assert_eq!(ok(&case(id)).cases[0].id, id);
    }
    let said = wrong(&(case("abc") + &case("Abc")));
    assert!(
        said.starts_with("g.yaml:2:9: the id `Abc` differs from `abc` in line 1 in case alone"),
        "{said}"
    );
    for (prompt, words) in [
        ("''", "`prompt` is empty"),
        ("\" \\t\"", "is empty"),
        ("", "is text"),
        ("[x]", "this is a list"),
    ] {
        let said = wrong(&format!(
            "- id: a\n  expect_tool: null\n  prompt: {prompt}\n"
        ));
        let place = if prompt.is_empty() {
            "g.yaml:3:3: "
        } else {
            "g.yaml:3:11: "
        };
        assert!(said.starts_with(place) && said.contains(words), "{said}");
    }
    assert_eq!(
        ok("- { id: a, prompt: NO, expect_tool: null }").cases[0].prompt,
        "NO"
    );
    let said = wrong("- { expect_tool: x }");
    assert_eq!(said.lines().count(), 2, "{said}");
}

#[test]
fn files_that_hold_no_set() {
    for (text, said) in [
        ("", "g.yaml:1:1: there is no case here"),
        ("# words\n", "g.yaml:1:1: there is no case here"),
        ("[]", "g.yaml:1:1: there is no case here"),
        ("cases: []", "g.yaml:1:8: there is no case here"),
        ("cases: x", "g.yaml:1:8: a list of cases is due here"),
        ("hello", "g.yaml:1:1: there is no case here"),
        (
            "- hello",
            "g.yaml:1:3: a mapping is due here, and this is `hello`",
        ),
        (
            "id: a\nprompt: b\n",
            "g.yaml:1:1: a single case stands here; put `- ` before it",
        ),
        ("defaults: {}", "g.yaml:1:1: `cases` is missing"),
        ("case: []", "g.yaml:1:1: `cases` is missing"),
        (
            "case: []",
            "g.yaml:1:1: there is no key `case` here; write `cases`",
        ),
        ("- { id: a", "g.yaml:1:3: this is no YAML"),
        ("a: 1\n---\nb: 2", "g.yaml:2:1: a second document begins"),
        (
            "!!python/object [x]",
            "g.yaml:1:1: the tag `!!python/object` is not read here",
        ),
    ] {
        assert!(wrong(text).contains(said), "{text}\n{}", wrong(text));
    }
    assert!(wrong(&" ".repeat(5 << 20)).contains("larger than 4 MiB"));
}

#[test]
fn defaults_and_aliases() {
    let with = |more: &str| {
        wrong(&format!(
            "{more}\ncases: [{{ id: a, prompt: p, expect_tool: x }}]\n"
        ))
    };
    for (more, said) in [
        ("defaults: { kind: harsh }", "g.yaml:1:19: `kind` is one of"),
        (
            "defaults: { prompt: x }",
            "g.yaml:1:13: there is no key `prompt` here",
        ),
        (
            "aliases: { a: b, c: b }",
            "g.yaml:1:18: `a` and `c` both became `b`",
        ),
        (
            "aliases: { a: b, b: a }",
            "g.yaml:1:12: `a` leads back to itself",
        ),
        ("aliases: { a: a }", "g.yaml:1:12: `a` leads back to itself"),
        ("aliases: [a]", "g.yaml:1:10: `aliases` is a mapping"),
        (
            "aliases: { a: }",
            "g.yaml:1:12: `a` is text, and this is nothing",
        ),
    ] {
        assert!(with(more).starts_with(said), "{}", with(more));
    }
    let cases = "- { id: a, prompt: p, expect_tool: x }\n";
    let large = format!(
        "defaults: {{ tags: [{}] }}\ncases:\n{}",
        "x".repeat(100_000),
        cases.repeat(1000)
    );
    assert!(wrong(&large).contains("the defaults are too large"));
}

#[test]
fn many_mistakes_are_told_in_order_and_within_bounds() {
    let text = "- { id: a, promt: p }\n".repeat(5_000);
    let mistakes = read(&text, "g.yaml").expect_err("wrong");
    assert_eq!(mistakes.len(), 100);
    assert!(mistakes.windows(2).all(|pair| pair[0].line <= pair[1].line));
    assert!(
        mistakes[99]
            .mend
            .ends_with("(there are more mistakes below)")
    );
    let few = wrong("- { id: a }\n- { prompt: b }\n");
    assert_eq!(few.lines().count(), 4, "{few}");
    assert!(!few.contains("more mistakes"));
}

/// Files that others wrote to harm a reader. Each ends in words, soon, at a place inside of the file.
#[test]
fn hostile_files_end_in_words() {
    let case = "- { id: a, prompt: p, expect_tool: x }\n";
    let bomb = (1..30).fold("- &a0 [x]\n".to_owned(), |text, level| {
        format!(
            "{text}- &a{level} [{}]\n",
            format!("*a{}, ", level - 1).repeat(9)
        )
    });
    let args =
        |args: &str| format!("- {{ id: a, prompt: p, expect_tool: x, expect_args: {args} }}\n");
    for text in [
        bomb,
        args(&("[".repeat(3000) + &"]".repeat(3000))),
        args(&"{ a: ".repeat(3000)),
        args("{ <<: { a: 1 } }"),
        args("{ a: !!binary aGk= }"),
        args("{ a: !!js/function 'x' }"),
        args("{ a: .nan }"),
        args("{ a: -.inf }"),
        args("{ a: &a [*a] }"),
        args("{ a: *nobody }"),
        args("{ ? { b: c } : d }"),
        args("{ a: 1, a: 1 }"),
        format!("{case}---\n{case}"),
        format!("{case}...\n{case}"),
        format!("{case}\t- x\n"),
        format!("%YAML 9.9\n---\n{case}"),
        "- \"\\xZZ\"".to_owned(),
        "- \"\\ud800\"".to_owned(),
        "- id: a\u{0}b\n".to_owned(),
        "? ".repeat(50_000),
        "&a ".repeat(50_000),
        "- ".repeat(50_000),
        "{".repeat(100_000),
        "'".repeat(99_999),
        "a: |\n ".repeat(20_000),
        case.replace('x', "\u{202e}[").repeat(300),
        "- { id: a, prompt: p, expect_tool: x, arg_match: { a: { regex: '(a{900}){900}' } } }\n"
            .to_owned(),
    ] {
        let mistakes = read(&text, "g.yaml").expect_err(&text[..text.len().min(80)]);
        let lines = text.lines().count() as u64 + 1;
        assert!((1..=100).contains(&mistakes.len()));
        for mistake in mistakes {
            assert!(
                (1..=lines).contains(&mistake.line) && mistake.column > 0,
                "{mistake}"
            );
            assert!(
                mistake.message.chars().count() < 400 && !mistake.mend.is_empty(),
                "{mistake}"
            );
        }
    }
}

/// Pieces of a good set, mixed by a small generator that always does the same: nothing stops the reader, and it never
/// lets a set through that breaks its own promises.
#[test]
fn no_mixture_stops_the_reader() {
    const SEED: &str = "defaults: { kind: hard, tool_results: { t: r } }\naliases: { o: n }\ncases:\n- id: a\n  prompt: \"é\"\n  expect_tool: [o, x]\n  expect_args: &b { a: 1, b: [NO, 1.10] }\n  arg_match: { a: { number: 0.5 }, b: set }\n- { id: b, prompt: p, expect_sequence: [o, { tool: x, args: *b }], history: [{ user: u }, { assistant: v }] }\n";
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % below
    };
    let letters: Vec<char> = SEED
        .chars()
        .chain("\t|>!%@`#~?<\u{feff}\u{0}İ\r".chars())
        .collect();
    let (mut good, mut bad) = (0, 0);
    for _ in 0..3_000 {
        let mut text: Vec<char> = SEED.replace("NO, 1.10", "1").chars().collect();
        for _ in 0..=next(2) {
            let (from, length) = (next(text.len()), next(12));
            let to = (from + length).min(text.len());
            match next(3) {
                0 => drop(text.drain(from..to)),
                1 => text[from] = letters[next(letters.len())],
                _ => {
                    let piece = text[from..to].to_vec();
                    let at = next(text.len());
                    text.splice(at..at, piece);
                }
            }
            if text.is_empty() {
                break;
            }
        }
        match read(&text.iter().collect::<String>(), "g.yaml") {
            Ok(golden) => {
                good += 1;
                let ids: std::collections::BTreeSet<_> =
                    golden.cases.iter().map(|it| &it.id).collect();
                assert_eq!(ids.len(), golden.cases.len());
                assert!(
                    golden
                        .cases
                        .iter()
                        .all(|it| !it.prompt.trim().is_empty() && it.place.line > 0)
                );
            }
            Err(mistakes) => {
                bad += 1;
                assert!(!mistakes.is_empty());
            }
        }
    }
    assert!(good > 200 && bad > 1_000, "{good} {bad}");
}
