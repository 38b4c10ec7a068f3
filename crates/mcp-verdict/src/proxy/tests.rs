//! The proxy as the judge of clients uses it.

use super::{Options, Proxy, Target};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use verdict_core::wire::endpoint::Endpoint;
use verdict_model::fault::When;
use verdict_model::transcript::{End, Sender};
use verdict_proxy::action::Call;
use verdict_proxy::{Rule, Twist};

/// A server that answers every request with a stream of this body.
fn server(events: &'static str) -> Endpoint {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                while matches!(stream.read(&mut buffer), Ok(1..)) {
                    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
                    let chunk = format!("{:x}\r\n{events}\r\n0\r\n\r\n", events.len());
                    let _ = stream.write_all((head.to_owned() + &chunk).as_bytes());
                }
            });
        }
    });
    Endpoint::parse(&url).expect("an endpoint")
}

/// Asks on a thread of its own, since the proxy has this one; all that comes.
async fn ask(proxy: &Proxy, body: &'static str) -> String {
    let url = proxy.url();
    let asking = tokio::task::spawn_blocking(move || {
        let authority = url.trim_start_matches("http://").trim_end_matches("/mcp");
        let mut stream = TcpStream::connect(authority).expect("a connection");
        let length = body.len();
        write!(stream, "POST /mcp HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}").expect("sent");
        let mut all = Vec::new();
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = stream.read(&mut buffer) {
            all.extend_from_slice(&buffer[..length]);
            if all.ends_with(b"0\r\n\r\n") {
                break;
            }
        }
        String::from_utf8(all).expect("text")
    });
    asking.await.expect("no panic")
}

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}"#;
const ANSWER: &str =
    "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\"}}\n\n";

#[tokio::test]
async fn rules_are_replaced_and_the_transcript_says_what_was_injected() {
    let mut options = Options::new(Target::Http(server(ANSWER)));
    options.rules = vec![Rule::parse("cut-stream@first").expect("a rule")];
    let proxy = Proxy::start(options).await.expect("it starts");
    assert!(!ask(&proxy, CALL).await.contains("complete"));
    assert!(ask(&proxy, CALL).await.contains("complete"));
    assert_eq!(proxy.rules()[0]["hit"], 1);
    let twist = Rule::every(Twist::StripResultType);
    proxy.replace_rules(vec![twist]).expect("they fit");
    assert!(!ask(&proxy, CALL).await.contains("complete"));
    let unfit = Rule::every(Twist::StderrNoise("x".to_owned()));
    assert!(proxy.replace_rules(vec![unfit]).is_err());
    assert_eq!(proxy.transcript().exchanges.len(), 3);
    let transcript = proxy.end().await;
    let faults: Vec<_> = transcript
        .exchanges
        .iter()
        .map(|exchange| exchange.fault.as_deref())
        .collect();
    assert_eq!(
        faults,
        [Some("cut-stream"), None, Some("strip-result-type")]
    );
    let [cut, whole, _] = &transcript.exchanges[..] else {
        panic!("{transcript:?}");
    };
    assert!(matches!(cut.end, End::Lost(_)) && cut.answered_ms.is_none());
    assert!(whole.end == End::Complete && whole.answered_ms.is_some());
    let from: Vec<_> = whole.messages.iter().map(|message| message.from).collect();
    assert_eq!(from, [Sender::Client, Sender::Server]);
    assert_ne!(cut.channel, whole.channel, "a connection each");
}

#[tokio::test]
async fn a_subscription_gets_a_notice_after_its_acknowledgement() {
    let acknowledged =
        "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\"}\n\n";
    let mut options = Options::new(Target::Http(server(acknowledged)));
    let changed = Twist::Notification(Call {
        method: "notifications/tools/list_changed".to_owned(),
        params: None,
    });
    let rule = Rule::every(changed).of_method("subscriptions/listen");
    options.rules = vec![rule.at(When::First)];
    let proxy = Proxy::start(options).await.expect("it starts");
    let got = ask(
        &proxy,
        r#"{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{}}"#,
    )
    .await;
    let (first, then) = (got.find("acknowledged"), got.find("list_changed"));
    assert!(first.is_some() && first < then, "{got}");
    assert!(got.contains("subscriptionId\":\"l\""), "{got}");
    proxy.end().await;
}
