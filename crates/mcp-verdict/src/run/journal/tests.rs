use super::*;

fn kept(body: &str) -> Kept {
    Kept {
        status: 200,
        headers: vec![],
        body: body.to_owned(),
        at: 0,
        ms: 3,
    }
}

fn folder(name: &str) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("mcp-verdict-journal-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn fresh(name: &str) -> Wish {
    Wish::Fresh(name.to_owned())
}

#[test]
fn an_answer_outlives_the_run_that_was_cut_off() {
    let folder = folder("cut");
    let mut first = Journal::open(&folder, &fresh("one")).unwrap();
    first.write("a", &kept("x\ny")).unwrap();
    first.write("b", &kept("z")).unwrap();
    drop(first);
    let mut again = Journal::open(&folder, &fresh("two")).unwrap();
    assert_eq!(again.session(), "one");
    assert_eq!(again.find("a"), Some(kept("x\ny")));
    assert_eq!(again.find("b"), Some(kept("z")));
    assert_eq!(again.find("c"), None);
    // Nobody has counted them yet.
    assert!(!again.is_used());
    again.finish().unwrap();
    let on = Wish::Continue("two".to_owned());
    for _ in 0..2 {
        assert!(Journal::open(&folder, &on).unwrap().is_used());
    }
    again.finish().unwrap();
    assert_eq!(
        Journal::open(&folder, &fresh("two")).unwrap().session(),
        "two"
    );
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn damage_costs_the_damaged_lines_alone() {
    let folder = folder("damage");
    let wish = Wish::Continue("one".to_owned());
    let mut journal = Journal::open(&folder, &wish).unwrap();
    journal.write("a", &kept("first")).unwrap();
    journal.write("b", &kept("second")).unwrap();
    journal.write("c", &kept("third")).unwrap();
    drop(journal);
    let path = folder.join("one.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    // One answer forged, the last one cut off.
    let text = text.replace("second", "forged");
    std::fs::write(&path, &text[..text.len() - 9]).unwrap();
    let mut journal = Journal::open(&folder, &wish).unwrap();
    assert_eq!((journal.index.len(), journal.damaged()), (1, 2));
    assert_eq!(journal.find("b"), None);
    journal.write("d", &kept("fourth")).unwrap();
    assert_eq!(journal.find("d"), Some(kept("fourth")));
    drop(journal);
    let mut journal = Journal::open(&folder, &wish).unwrap();
    assert_eq!(journal.find("d"), Some(kept("fourth")));
    assert_eq!(journal.find("a"), Some(kept("first")));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_hostile_marker_leads_nowhere() {
    let folder = folder("marker");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("last.json"),
        r#"{"session":"../../x","secret":"","finished":false}"#,
    )
    .unwrap();
    let journal = Journal::open(&folder, &Wish::Continue("one".to_owned())).unwrap();
    assert_eq!(journal.session(), "one");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn asking_anew_goes_on_with_its_like_alone() {
    let folder = folder("like");
    let open = |wish: &Wish| Journal::open(&folder, wish).unwrap().session().to_owned();
    assert_eq!(open(&Wish::Continue("one".to_owned())), "one");
    assert_eq!(open(&fresh("two")), "two");
    assert_eq!(open(&fresh("run-3")), "run-3");
    assert_eq!(open(&fresh("run-3")), "run-3");
    assert_eq!(open(&fresh("run-4")), "run-4");
    assert_eq!(open(&Wish::Continue("five".to_owned())), "run-4");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_line_without_its_end_does_not_swallow_the_next() {
    let folder = folder("torn");
    let wish = Wish::Continue("one".to_owned());
    Journal::open(&folder, &wish)
        .unwrap()
        .write("a", &kept("first"))
        .unwrap();
    let path = folder.join("one.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.trim_end()).unwrap();
    Journal::open(&folder, &wish)
        .unwrap()
        .write("b", &kept("second"))
        .unwrap();
    let mut journal = Journal::open(&folder, &wish).unwrap();
    assert_eq!(journal.find("a"), Some(kept("first")));
    assert_eq!(journal.find("b"), Some(kept("second")));
    assert_eq!(journal.damaged(), 0);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn keys_tell_parts_apart() {
    assert_ne!(key(&[b"ab", b"c"]), key(&[b"a", b"bc"]));
    assert_eq!(key(&[b"ab"]).len(), 64);
}
