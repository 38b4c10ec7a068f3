//! The tree, from outside: places, bounds, words.

use super::*;

fn faults(text: &str) -> Vec<String> {
    let told = |it: Fault| format!("{}:{}: {}", it.place.line, it.place.column, it.message);
    document(text).faults.into_iter().map(told).collect()
}

#[test]
fn every_fault_has_its_place() {
    for (text, wanted) in [
        (
            "a: 1\nb: 2\na: 3\n",
            "3:1: the key `a` is there twice, first in line 1",
        ),
        (
            "x: { é: 1, 'é': 2 }\n",
            "1:12: the key `é` is there twice, first in line 1",
        ),
        ("a: !!int 5\n", "1:4: the tag `!!int` is not read here"),
        ("a: !foo 5\n", "1:4: the tag `!foo` is not read here"),
        ("a: !!map [x]\n", "1:4: the tag `!!map` is not read here"),
        ("a: 1\n---\nb: 1\n", "2:1: a second document begins"),
        (
            "a: &a [*a]\n",
            "1:8: this alias stands inside of what it repeats",
        ),
        ("<<: { a: 1 }\n", "1:1: the merge key `<<` is not read here"),
        (
            "? [a]\n: 1\n",
            "1:3: a list or mapping stands where a key is due",
        ),
        ("~: 1\n", "1:1: a key is due here"),
        (": 1\n", "1:1: a key is due here"),
    ] {
        assert_eq!(faults(text), [wanted], "{text}");
    }
    assert!(faults("a: 'x\n")[0].contains("this is no YAML"));
    assert_eq!(faults("a: 1\na: 2\nb: 1\nb: 2\n").len(), 2, "both are told");
}

#[test]
fn what_is_no_yaml_is_mended_where_its_cause_is_plain() {
    for (text, words) in [
        (
            "- prompt: Where is: it?\n",
            "quotes around text that has `: `",
        ),
        ("- { regex: \"\\d\" }\n", "use single quotes"),
        ("- a: 1\n\tb: 2\n", "indent with spaces"),
        ("- [a\n", "the brackets"),
    ] {
        let faults = document(text).faults;
        assert!(faults[0].mend.contains(words), "{text}{faults:?}");
    }
}

#[test]
fn messages_are_of_one_line() {
    let hostile = "a\\n\\e[31m::error::\\u202e".to_owned() + &"é".repeat(100);
    let said = faults(&format!("\"{hostile}\": 1\n\"{hostile}\": 2\n"));
    let shown = "a\u{fffd}\u{fffd}[31m::error::\u{fffd}é";
    assert!(
        said[0].contains(shown) && said[0].contains("é…`"),
        "{said:?}"
    );
    assert_eq!(
        (short("abc", 3), short("abcd", 3)),
        ("abc".to_owned(), "abc…".to_owned())
    );
}

#[test]
fn what_is_well_is_read() {
    let read = document("a:\nb: ~\n").root.expect("a root");
    let Content::Mapping(entries) = &read.content else {
        panic!("no mapping");
    };
    let text = |at: usize| match &entries[at].value.content {
        Content::Scalar { text, plain: true } => text.as_str(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        (text(0), text(1)),
        ("", "~"),
        "nothing is told apart from null"
    );
    let read = document("\u{feff}- \"a\"\r\n- !!str no\r\n- {NO: &x [b], y: *x}\r\n");
    assert_eq!(read.faults, []);
    let root = read.root.expect("a root");
    let Content::List(items) = &root.content else {
        panic!("no list");
    };
    let plain = |node: &Node| matches!(node.content, Content::Scalar { plain: true, .. });
    assert_eq!((items.len(), plain(&items[1])), (3, false));
    assert!(matches!(&items[2].content, Content::Mapping(entries) if entries.len() == 2));
    assert!(document("").root.is_none() && document("# only words\n").root.is_none());
}

#[test]
fn depth_and_repetition_are_bounded() {
    let bomb = (1..20).fold("- &a0 [x]\n".to_owned(), |text, level| {
        let below = format!("*a{}, ", level - 1).repeat(9);
        format!("{text}- &a{level} [{below}]\n")
    });
    assert!(faults(&bomb)[0].contains("aliases make the file too large"));
    let tower = (1..100).fold("- &a0 [x]\n".to_owned(), |text, level| {
        format!("{text}- &a{level} [*a{}]\n", level - 1)
    });
    for text in [tower, "[".repeat(100_000), "- ".repeat(100_000)] {
        assert!(
            faults(&text)[0].contains("deep in one another"),
            "{:?}",
            faults(&text)
        );
    }
    let many = "a: !x 1\n".repeat(5_000);
    assert_eq!(faults(&many).len(), 101);
}
