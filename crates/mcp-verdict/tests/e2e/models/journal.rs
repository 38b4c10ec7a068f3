//! The folder of kept answers: used again, asked anew where that is wanted, damaged by others.

use super::project::Project;
use super::provider::Provider;
use serde_json::Value;

const GOLDEN: &str = r#"
- id: look
  prompt: 'get_invoice {"id":"INV-1004"}'
  expect_tool: get_invoice
  expect_args: { id: INV-1004 }
- id: search
  prompt: 'search_invoices {"customer":"acme"}'
  expect_tool: search_invoices
  expect_args: { customer: acme }
"#;
const MODEL: [&str; 4] = ["--model", "openai-chat:stub", "--runs", "3"];
/// Calls of a run of the whole set.
const ALL: u64 = 12;

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    MODEL.iter().chain(more).copied().collect()
}

#[test]
fn answers_are_used_again_until_somebody_wants_new_ones() {
    let project = Project::new("again", GOLDEN, Provider::start());
    project.run(&MODEL).ends(0);
    project.run(&MODEL).ends(0);
    assert_eq!(project.provider.requests(), ALL);
    let ignored = project.folder.join(".eval-cache/.gitignore");
    assert_eq!(std::fs::read_to_string(ignored).expect("there"), "*\n");
    project.run(&with(&["--no-cache"])).ends(0);
    assert_eq!(project.provider.requests(), 2 * ALL);
    // The last session is the new one.
    project.run(&MODEL).ends(0);
    assert_eq!(project.provider.requests(), 2 * ALL);
    for (id, so_far) in [("11", 3), ("12", 4)] {
        let mut nightly = project.prepared(&MODEL);
        nightly
            .env("GITHUB_EVENT_NAME", "schedule")
            .env("GITHUB_RUN_ID", id);
        project.ran(&nightly.output().expect("it runs")).ends(0);
        assert_eq!(project.provider.requests(), so_far * ALL);
    }
}

#[test]
fn asking_anew_takes_nothing_from_a_run_that_was_cut_off_before() {
    let project = Project::new("anew", GOLDEN, Provider::start());
    project.run(&with(&["--budget-calls", "5"])).ends(3);
    assert_eq!(project.provider.requests(), 5);
    project
        .run(&with(&["--no-cache", "--budget-calls", "7"]))
        .ends(3);
    assert_eq!(
        project.provider.requests(),
        5 + 7,
        "nothing was taken from the other session"
    );
    // The same command goes on where it stopped.
    let ran = project.run(&with(&["--no-cache"]));
    ran.ends(0);
    assert_eq!(project.provider.requests(), 5 + ALL);
    // A night that was cut off does not lend its answers to the next one.
    let night = |id: &str, more: &[&str]| {
        let mut nightly = project.prepared(&with(more));
        nightly
            .env("GITHUB_EVENT_NAME", "schedule")
            .env("GITHUB_RUN_ID", id);
        project.ran(&nightly.output().expect("it runs"))
    };
    night("21", &["--budget-calls", "5"]).ends(3);
    night("21", &[]).ends(0);
    assert_eq!(project.provider.requests(), 5 + 2 * ALL);
    night("22", &["--budget-calls", "5"]).ends(3);
    night("23", &[]).ends(0);
    assert_eq!(project.provider.requests(), 10 + 3 * ALL);
}

#[test]
fn a_provider_that_was_out_is_asked_on() {
    let project = Project::new("out", GOLDEN, Provider::start());
    let mut ran = project.run(&with(&["--no-cache", "--case", "look"]));
    ran.ends(0);
    assert_eq!(project.provider.requests(), 6);
    // A model that is out half way: what it answered is there when it is back.
    let mut asked = project.prepared(&[
        "--no-cache",
        "--runs",
        "3",
        "--concurrency",
        "1",
        "--model",
        "openai-chat:stub",
        "--model",
        "anthropic:stub-401",
    ]);
    ran = project.ran(&asked.output().expect("it runs"));
    ran.ends(3);
    let so_far = project.provider.requests();
    asked = project.prepared(&[
        "--no-cache",
        "--runs",
        "3",
        "--concurrency",
        "1",
        "--model",
        "openai-chat:stub",
        "--model",
        "anthropic:stub-401",
    ]);
    ran = project.ran(&asked.output().expect("it runs"));
    ran.ends(3);
    assert_eq!(
        project.provider.requests(),
        so_far + 1,
        "only the refused key was tried again"
    );
}

fn journal(project: &Project) -> std::path::PathBuf {
    let files = project.everything().into_iter();
    let mut journals = files.filter(|(path, _)| path.extension().is_some_and(|it| it == "jsonl"));
    journals.next().expect("a journal").0
}

#[test]
fn damage_costs_what_was_damaged_and_nothing_else() {
    let project = Project::new("damaged", GOLDEN, Provider::start());
    project.run(&MODEL).ends(0);
    let path = journal(&project);
    let whole = std::fs::read_to_string(&path).expect("text");
    let lines: Vec<&str> = whole.lines().collect();
    assert_eq!(lines.len() as u64, ALL);
    let line: Value = serde_json::from_str(lines[0]).expect("JSON");
    let poisoned = lines[0].replace("get_invoice", "void_invoice");
    let cut = &lines[11][..lines[11].len() / 2];
    let mut damaged: Vec<String> = lines.iter().map(ToString::to_string).collect();
    if poisoned == lines[0] {
        // The first answer may be another case's.
        damaged[0] = lines[0].replace("search_invoices", "void_invoice");
    } else {
        damaged[0] = poisoned;
    }
    assert_ne!(damaged[0], lines[0], "{line}");
    damaged[1] = format!("{}\u{0}\u{1}", &lines[1][..20]);
    damaged[2] = "[".repeat(100_000);
    damaged[11] = cut.to_owned();
    std::fs::write(&path, damaged.join("\n")).expect("written");
    let ran = project.run(&MODEL);
    ran.ends(0);
    assert_eq!(project.provider.requests(), ALL + 4);
    let notes = ran.report["layers"]["behavior"]["notes"].to_string();
    assert!(notes.contains("4 kept answers were damaged"), "{notes}");
    project.run(&MODEL).ends(0);
    assert_eq!(
        project.provider.requests(),
        ALL + 4,
        "what was asked again was kept behind the damage"
    );
}

#[test]
fn a_last_line_without_its_end_is_still_an_answer() {
    let project = Project::new("no-newline", GOLDEN, Provider::start());
    project.run(&with(&["--case", "look"])).ends(0);
    let path = journal(&project);
    let whole = std::fs::read_to_string(&path).expect("text");
    std::fs::write(&path, whole.trim_end()).expect("written");
    project.run(&MODEL).ends(0);
    assert_eq!(project.provider.requests(), ALL);
    let ran = project.run(&MODEL);
    ran.ends(0);
    assert_eq!(
        project.provider.requests(),
        ALL,
        "{}",
        ran.report["layers"]["behavior"]["notes"]
    );
}

#[test]
fn a_session_that_leads_out_of_the_folder_is_none() {
    let project = Project::new("outside", GOLDEN, Provider::start());
    for last in [
        "{\"session\":\"../../outside\",\"secret\":\"x\",\"finished\":false}",
        "",
        "[",
        "null",
        "{\"session\":\"\"}",
    ] {
        project.write(".eval-cache/last.json", last);
        project.run(&MODEL).ends(0);
    }
    assert!(!project.folder.join("outside.jsonl").exists());
    let above = project.folder.parent().expect("a parent");
    assert!(!above.join("outside.jsonl").exists());
}

#[cfg(unix)]
#[test]
fn a_folder_that_takes_nothing_is_told_and_nothing_is_paid_for() {
    let project = Project::new("full", GOLDEN, Provider::start());
    project.write("file", "not a folder");
    for cache in ["file", "/dev/null/cache", "/proc/cache"] {
        let ran = project.run(&with(&["--cache", cache]));
        assert!(
            matches!(ran.code, Some(2 | 3)),
            "{cache}: {:?} {}",
            ran.code,
            ran.stderr
        );
        let said = format!("{}{}", ran.stderr, ran.report["summary"]);
        assert!(said.contains(cache), "{cache}: {said}");
        assert_eq!(project.provider.requests(), 0, "{cache}");
    }
}

#[cfg(unix)]
#[test]
fn a_journal_that_is_a_device_or_a_link_is_refused() {
    let project = Project::new("device", GOLDEN, Provider::start());
    for to in ["/dev/full", "/dev/zero", "../golden/tasks.yaml"] {
        project.write(
            ".eval-cache/last.json",
            "{\"session\":\"odd\",\"secret\":\"0123456789abcdef\",\"finished\":false}",
        );
        let path = project.folder.join(".eval-cache/odd.jsonl");
        let _ = std::fs::remove_file(&path);
        std::os::unix::fs::symlink(to, path).expect("a link");
        let ran = project.run(&MODEL);
        ran.ends(2);
        assert!(
            ran.stderr.contains("odd.jsonl` is no ordinary file"),
            "{}",
            ran.stderr
        );
    }
    assert_eq!(project.provider.requests(), 0);
    let golden = std::fs::read_to_string(project.folder.join("golden/tasks.yaml"));
    assert_eq!(
        golden.expect("there"),
        GOLDEN,
        "nothing is written through a link"
    );
}

/// A disk that is full: the limit on the size of files stands for it.
#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_kept_is_not_used() {
    let project = Project::new("disk-full", GOLDEN, Provider::start());
    let room = "\n".repeat((1 << 20) - 100);
    project.write(
        ".eval-cache/last.json",
        "{\"session\":\"full\",\"secret\":\"0123456789abcdef\",\"finished\":false}",
    );
    project.write(".eval-cache/full.jsonl", &room);
    let run = project.prepared(&with(&["--concurrency", "1"]));
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 2048; exec \"$0\" \"$@\""]);
    limited
        .arg(run.get_program())
        .args(run.get_args())
        .current_dir(&project.folder);
    for (name, value) in run.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    let ran = project.ran(&limited.output().expect("it runs"));
    ran.ends(3);
    let summary = ran.report["summary"].as_str().unwrap_or_default();
    assert!(
        summary.contains("could not be kept in `.eval-cache`") && summary.contains("make room"),
        "{summary}"
    );
    assert_eq!(
        project.provider.requests(),
        1,
        "it goes on paying for what it cannot keep"
    );
    assert_eq!(ran.first("look")["calls"], serde_json::json!([]));
    // With room again, the half line costs that one answer.
    project.run(&MODEL).ends(0);
    assert_eq!(project.provider.requests(), 1 + ALL);
    project.run(&MODEL).ends(0);
    assert_eq!(project.provider.requests(), 1 + ALL);
}
