use super::{BadModel, Endpoint, ModelId, Provider, Wire};

fn endpoint(id: &str, variables: &[(&str, &str)]) -> Result<Endpoint, BadModel> {
    let lookup = |name: &str| {
        let found = variables.iter().find(|(variable, _)| *variable == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    Ok(ModelId::parse(id)?.endpoint(&lookup)?.expect("a wire"))
}

fn error(id: &str) -> String {
    ModelId::parse(id).expect_err(id).to_string()
}

#[test]
fn reads_every_kind_of_id_and_writes_it_back() {
    for (id, provider, name, url) in [
        ("openai:gpt-6-sol", Provider::OpenAi, "gpt-6-sol", None),
        ("openai-chat:gpt-4.1", Provider::OpenAiChat, "gpt-4.1", None),
        ("anthropic:claude-x", Provider::Anthropic, "claude-x", None),
        ("gemini:gemini-3", Provider::Gemini, "gemini-3", None),
        (
            "github:openai/gpt-4.1",
            Provider::GitHub,
            "openai/gpt-4.1",
            None,
        ),
        (
            "openai-compatible:@cf/m:7b@http://[::1]:8080/v1",
            Provider::Compatible,
            "@cf/m:7b",
            Some("http://[::1]:8080/v1"),
        ),
        ("openai-compatible:m", Provider::Compatible, "m", None),
        ("lexical", Provider::Lexical, "lexical", None),
    ] {
        let read = ModelId::parse(id).expect(id);
        assert_eq!(read.provider, provider);
        assert_eq!(read.name, name);
        assert_eq!(read.url.as_deref(), url);
        assert_eq!(read.to_string(), id);
    }
}

#[test]
fn takes_off_what_people_copy_along_with_a_base_url() {
    for (given, kept) in [
        ("http://h:1", "http://h:1/v1"),
        ("http://h:1/", "http://h:1/v1"),
        ("HTTPS://h/v1/", "https://h/v1"),
        ("https://h/api/v1/chat/completions", "https://h/api/v1"),
    ] {
        let id = ModelId::parse(&format!("openai-compatible:m@{given}"));
        assert_eq!(id.expect(given).url.as_deref(), Some(kept));
    }
    let key = ("ANTHROPIC_API_KEY", "k");
    for base in ["http://h:1", "http://h:1/v1", "http://h:1/v1/messages"] {
        let found = endpoint("anthropic:m", &[key, ("ANTHROPIC_BASE_URL", base)]);
        assert_eq!(found.expect(base).base, "http://h:1");
    }
}

#[test]
fn errors_say_the_mend() {
    assert_eq!(
        error("opnai:gpt-4.1"),
        "`opnai:gpt-4.1` names no provider of models: did you mean `openai:gpt-4.1`?"
    );
    assert!(error("claude-opus-5").contains("write `anthropic:claude-opus-5`"));
    assert!(error("google:gemini-3").contains("did you mean `gemini:gemini-3`?"));
    assert!(error("lexcal").contains("did you mean `lexical`?"));
    assert!(error("lexical:x").contains("without a name"));
    assert!(error("zzzzzzzz:x").contains("one of openai, openai-chat, anthropic,"));
    assert!(error("openai:").contains("write `openai:NAME`"));
    assert!(error("openai: a b").contains("without spaces"));
    assert!(error("openai-compatible:m@localhost:8080").contains("begin it with https://"));
    assert!(error("openai-compatible:m@http://").contains("names no host"));
    let secret = error("openai-compatible:m@http://user:hush@host/v1");
    assert!(
        secret.contains("user and password") && !secret.contains("hush"),
        "{secret}"
    );
    let secret = error("openai-compatible:m@http://host/v1?key=hush");
    assert!(
        secret.contains("from `?`") && !secret.contains("hush"),
        "{secret}"
    );
    assert!(!error("x\u{1b}[31m::error::").contains('\u{1b}'));
}

#[test]
fn keys_and_addresses_come_from_the_environment() {
    let missing = endpoint("openai:m", &[]).expect_err("no key").to_string();
    assert_eq!(
        missing,
        "`openai:m` needs a key: set OPENAI_API_KEY in the environment"
    );
    let blank = endpoint("gemini:m", &[("GEMINI_API_KEY", " \n")]);
    assert!(blank.is_err(), "a blank key is none");
    let found = endpoint("github:o/m", &[("GITHUB_TOKEN", "t\n")]).expect("a token");
    assert_eq!(found.key.expect("a key").expose(), "t");
    assert_eq!(found.base, "https://models.github.ai/inference");
    let two_lines = endpoint("openai:m", &[("OPENAI_API_KEY", "a\nb")]);
    assert!(
        two_lines
            .expect_err("two lines")
            .to_string()
            .contains("OPENAI_API_KEY")
    );
    let missing = endpoint("openai-compatible:m", &[]).expect_err("no address");
    assert!(missing.to_string().contains("OPENAI_COMPATIBLE_BASE_URL"));
}

#[test]
fn local_gateways_need_no_key_and_get_no_other_providers() {
    let base = ("OPENAI_BASE_URL", "http://127.0.0.1:8080/v1");
    let found = endpoint("openai:m", &[base]).expect("local");
    assert_eq!((found.wire, found.key), (Wire::Responses, None));
    for host in ["localhost:1", "[::1]:1", "127.9.9.9", "a.localhost"] {
        let found = endpoint(
            "openai:m",
            &[("OPENAI_BASE_URL", &format!("http://{host}"))],
        );
        assert!(found.is_ok(), "{host}");
    }
    for host in ["localhost.evil.example", "128.0.0.1", "localhostx"] {
        let found = endpoint(
            "openai:m",
            &[("OPENAI_BASE_URL", &format!("http://{host}"))],
        );
        assert!(found.is_err(), "{host}");
    }
    let other = [("OPENAI_API_KEY", "hush")];
    let found = endpoint("openai-compatible:m@https://g.example/v1", &other).expect("no key");
    assert_eq!(found.key, None);
}

#[test]
fn a_service_that_ended_is_told() {
    let token = ("GITHUB_TOKEN", "t");
    let notes = endpoint("github:o/m", &[token]).expect("reached").notes();
    assert!(notes[0].contains("ended on 2026-07-30"), "{notes:?}");
    let own = ("GITHUB_MODELS_BASE_URL", "https://models.example/v1");
    let notes = endpoint("github:o/m", &[token, own])
        .expect("reached")
        .notes();
    assert_eq!(notes, Vec::<String>::new());
}

#[test]
fn a_key_in_the_clear_is_told() {
    let found = endpoint(
        "openai-compatible:m@http://g.example/v1",
        &[("OPENAI_COMPATIBLE_API_KEY", "hush")],
    );
    let notes = found.expect("reached").notes();
    assert_eq!(notes.len(), 1);
    assert!(notes[0].contains("unencrypted") && !notes[0].contains("hush"));
}
