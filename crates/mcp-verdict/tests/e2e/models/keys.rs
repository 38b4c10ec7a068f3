//! Keys are in nothing that is written, in whatever form a provider gives them back.

use super::project::{KEY, Project};
use super::provider::Provider;
use serde_json::json;
use verdict_fixture::provider::{Asked, Spoken};

const GOLDEN: &str = r#"
- id: look
  prompt: "What is on INV-1004?"
  expect_tool: get_invoice
  expect_args: { id: INV-1004 }
- id: thanks
  prompt: "Thanks, that's all."
  expect_tool: null
"#;

fn base64(text: &str) -> String {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for bytes in text.as_bytes().chunks(3) {
        let mut word = 0_u32;
        for at in 0..3 {
            word = word << 8 | u32::from(bytes.get(at).copied().unwrap_or(0));
        }
        for at in 0..=bytes.len() {
            let index = usize::try_from(word >> (18 - 6 * at) & 63).expect("small");
            out.push(char::from(letters[index]));
        }
    }
    out
}

fn percent(text: &str) -> String {
    let encoded = text.chars().map(|c| match c {
        '/' => "%2F".to_owned(),
        '+' => "%2B".to_owned(),
        other => other.to_string(),
    });
    encoded.collect()
}

/// Gives the key back in its text, its arguments, their names and the tool's name.
fn echo(asked: &Asked) -> Spoken {
    let forms = format!(
        "{KEY} {} {}",
        base64(&format!("Bearer {KEY}")),
        percent(KEY)
    );
    if !asked.results.is_empty() || asked.prompt.starts_with("Thanks") {
        return Spoken::text(&forms);
    }
    let arguments = json!({"id": forms, KEY: forms}).to_string();
    Spoken::call("get_invoice", &arguments).and_call(KEY, "{}")
}

#[track_caller]
fn is_nowhere(project: &Project, said: &[String]) {
    let forms = [
        KEY.to_owned(),
        base64(&format!("Bearer {KEY}")),
        percent(KEY),
        KEY.replace('/', "\\/"),
    ];
    let files = project
        .everything()
        .into_iter()
        .map(|(path, text)| (path.display().to_string(), text));
    let said = said.iter().map(|text| ("output".to_owned(), text.clone()));
    for (name, text) in files.chain(said) {
        for form in &forms {
            assert!(!text.contains(form.as_str()), "{form} is in {name}: {text}");
        }
    }
}

#[test]
fn keys_that_a_provider_echoes_are_written_nowhere() {
    for (number, id) in [
        "openai:stub",
        "anthropic:stub",
        "gemini:stub",
        "openai-chat:stub",
    ]
    .iter()
    .enumerate()
    {
        let project = Project::new(&format!("keys-{number}"), GOLDEN, Provider::answering(echo));
        let output = project
            .prepared(&["--model", id, "-v"])
            .output()
            .expect("it runs");
        let ran = project.ran(&output);
        assert!(ran.code == Some(1), "{id}: {:?} {}", ran.code, ran.stderr);
        assert!(!project.kept().is_empty(), "{id}");
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        is_nowhere(&project, &[shown, ran.stderr]);
    }
}

#[test]
fn keys_in_refusals_and_in_the_address_are_written_nowhere() {
    let project = Project::new("keys-refused", GOLDEN, Provider::start());
    project.provider.stub().headers = vec![("x-echo".to_owned(), KEY.to_owned())];
    for id in [
        "openai:stub-401",
        "gemini:stub-404",
        "anthropic:stub-400-request",
    ] {
        let output = project
            .prepared(&["--model", id])
            .output()
            .expect("it runs");
        let ran = project.ran(&output);
        ran.ends(3);
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        is_nowhere(&project, &[shown, ran.stderr]);
    }
    let id = format!(
        "openai-compatible:stub@http://user:{}@127.0.0.1:9/v1",
        "secret-0123456789"
    );
    let output = project
        .prepared(&["--model", &id])
        .output()
        .expect("it runs");
    let ran = project.ran(&output);
    ran.ends(2);
    assert!(!ran.stderr.contains("secret-0123456789"), "{}", ran.stderr);
}
