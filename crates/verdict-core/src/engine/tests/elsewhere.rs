//! Documents at other places than the endpoint: what is sent there, and where nothing is.

use super::*;
use crate::engine::Elsewhere;
use crate::settings::Settings;
use crate::wire::endpoint::Endpoint;

fn endpoint(url: &str) -> Endpoint {
    Endpoint::parse(url).expect("a URL")
}

fn private(settings: &mut Settings) {
    let fields = [("Authorization", "Bearer s3cret"), ("X-Key", "k3y")];
    settings.headers = fields
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
}

fn public(settings: &mut Settings) {
    private(settings);
    settings.target = crate::settings::Target::Http(endpoint("https://mcp.ledger.example/mcp"));
}

fn foreign(_: &Context, round: usize) -> Vec<Ask> {
    let to = endpoint("https://login.example/.well-known/x?y=1");
    once(round, vec![Ask::document("doc", to).once()])
}

#[test]
fn nothing_of_the_users_goes_to_another_origin() {
    let mut run = Run::with(false, &[&probe(foreign)], private);
    let (channel, sent) = run.sent.remove(0);
    assert!(
        sent.starts_with("GET /.well-known/x?y=1 HTTP/1.1\r\nHost: login.example\r\n"),
        "{sent}"
    );
    assert!(!sent.contains("s3cret") && !sent.contains("k3y"), "{sent}");
    run.say(channel, &http(200, "", "{}"));
    let recording = run.record();
    let exchange = &recording.record("p/doc").expect("a record").exchange;
    let http = exchange.http.as_ref().expect("http");
    assert_eq!(http.path, "https://login.example/.well-known/x?y=1");
    assert_eq!(http.request_headers.len(), 1);
}

#[test]
fn a_document_of_the_same_origin_goes_without_the_token_alone() {
    let own = |cx: &Context, round: usize| {
        let to = cx.endpoint().expect("http").at("/x");
        once(round, vec![Ask::document("doc", to)])
    };
    let run = Run::with(false, &[&probe(own)], private);
    let sent = &run.sent[0].1;
    assert!(sent.contains("GET /x ") && sent.contains("k3y"), "{sent}");
    assert!(!sent.contains("s3cret"), "{sent}");
}

#[test]
fn redirects_of_documents_are_not_followed() {
    let mut run = Run::with(false, &[&probe(foreign)], private);
    let channel = run.sent.remove(0).0;
    run.say(channel, &http(307, "Location: /elsewhere\r\n", ""));
    assert!(run.sent.is_empty());
    let recording = run.record();
    assert_eq!(
        recording.record("p/doc").and_then(Record::status),
        Some(307)
    );
}

#[test]
fn a_public_server_does_not_lead_into_private_networks() {
    let metadata = |_: &Context, round: usize| {
        let to = endpoint("http://169.254.169.254/latest");
        once(round, vec![Ask::document("doc", to)])
    };
    let run = Run::with(false, &[&probe(metadata)], public);
    assert_eq!((run.opened, run.sent.len()), (0, 0));
    let recording = run.record();
    assert!(
        matches!(end_of(&recording, "p/doc"), End::Unreachable(why) if why.contains("private"))
    );
}

#[test]
fn a_name_that_leads_into_a_private_network_is_sent_nothing() {
    for (change, peer, sent) in [
        (public as fn(&mut Settings), "10.0.0.7:443", 0),
        (public, "[::ffff:10.0.0.7]:443", 0),
        (public, "93.184.216.34:443", 1),
        (private, "10.0.0.7:443", 1),
    ] {
        let mut settings = settings(config(), false);
        change(&mut settings);
        let mut engine = Engine::new(settings, &[&probe(foreign)]);
        let Some(Command::Open { channel, elsewhere }) = engine.command() else {
            panic!("nothing to open");
        };
        let local = sent == 1 && peer.starts_with("10.");
        assert_eq!(elsewhere.map(|to| to.public_only), Some(!local), "{peer}");
        let peer = Some(peer.to_owned());
        engine.handle(0, Event::Opened { channel, peer });
        let mut sends = 0;
        while let Some(command) = engine.command() {
            sends += usize::from(matches!(command, Command::Send { .. }));
        }
        assert_eq!(sends, sent);
    }
    assert!(endpoint("http://100.64.0.1/").is_private());
    assert_eq!(Elsewhere::outside(&endpoint("http://h:1/m")).port, 1);
}
