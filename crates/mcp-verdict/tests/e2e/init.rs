//! `init`: what it writes runs, and what is there stays.

use crate::support::Demo;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!(
        "mcp-verdict-init-e2e-{name}-{}",
        std::process::id()
    ));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn within(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mcp-verdict"))
        .args(arguments)
        .current_dir(folder)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("the program runs")
}

fn said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

fn text(folder: &Path, path: &str) -> String {
    std::fs::read_to_string(folder.join(path)).unwrap_or_default()
}

#[test]
fn what_init_writes_is_shown_first_and_runs() {
    let (folder, demo) = (folder("runs"), Demo::start());
    std::fs::write(folder.join("package.json"), "{}").expect("written");
    let shown = within(&folder, &["init", "--url", &demo.url]);
    assert_eq!(shown.status.code(), Some(0));
    assert!(
        said(&shown).contains("+++ golden/tasks.yaml"),
        "{}",
        said(&shown)
    );
    assert!(said(&shown).contains("Nothing was written; --yes writes these files."));
    assert!(!folder.join("mcp-verdict.yaml").exists());

    let written = within(&folder, &["init", "--url", &demo.url, "--yes"]);
    assert_eq!(written.status.code(), Some(0), "{}", said(&written));
    let workflow = text(&folder, ".github/workflows/mcp-verdict.yml");
    assert!(workflow.contains("- run: npm install"), "{workflow}");
    assert!(
        text(&folder, "golden/tasks.yaml")
            .matches("expect_tool: null")
            .count()
            >= 4
    );
    for command in [&["lint"][..], &["check"], &["run", "--model", "lexical"]] {
        let output = within(&folder, command);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{command:?}: {}",
            said(&output)
        );
    }
}

#[test]
fn what_is_there_stays_as_it_is() {
    let (folder, demo) = (folder("stays"), Demo::start());
    let own = format!("server: {{ url: \"{}\" }}\n", demo.url);
    std::fs::write(folder.join("mcp-verdict.yaml"), &own).expect("written");
    #[cfg(unix)]
    {
        // A link that leads nowhere must not be written through.
        std::fs::create_dir_all(folder.join("golden")).expect("a folder");
        std::os::unix::fs::symlink("/nonexistent/elsewhere", folder.join("golden/tasks.yaml"))
            .expect("a link");
    }
    let output = within(&folder, &["init", "--yes"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(text(&folder, "mcp-verdict.yaml"), own);
    assert!(said(&output).contains("mcp-verdict.yaml is there already, and stays as it is."));
    #[cfg(unix)]
    assert!(said(&output).contains("golden/tasks.yaml is there already"));
    assert!(folder.join(".github/workflows/mcp-verdict.yml").exists());
}

#[test]
fn secrets_that_were_typed_are_not_written() {
    let (folder, demo) = (folder("secrets"), Demo::start());
    let header = "Authorization: Bearer sk-typed-by-hand-0123456789";
    let output = within(
        &folder,
        &["init", "--url", &demo.url, "--header", header, "--yes"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(!said(&output).contains("typed-by-hand"));
    let config = text(&folder, "mcp-verdict.yaml");
    assert!(
        config.contains("\"Authorization\": \"${TODO}\""),
        "{config}"
    );
}

#[test]
fn without_a_server_nothing_is_written() {
    let folder = folder("none");
    let output = within(&folder, &["init", "--yes"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("which server?"), "{}", said(&output));
    let output = within(
        &folder,
        &["init", "--yes", "--url", "http://127.0.0.1:9/mcp"],
    );
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(
        said(&output).contains("Nothing was written"),
        "{}",
        said(&output)
    );
    assert_eq!(std::fs::read_dir(&folder).expect("there").count(), 0);
}
