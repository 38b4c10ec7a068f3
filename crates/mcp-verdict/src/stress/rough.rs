//! Rough treatment: connections that end, bytes that are no messages, bodies without measure, clients without haste.

use super::wire::{Back, Line, request};
use super::{Scene, Seen};
use futures_util::future::join_all;
use std::cell::Cell;
use std::time::{Duration, Instant};
use verdict_core::wire::endpoint::Endpoint;

/// Connections that end too early, of each kind.
const LEAVERS: usize = 20;
/// Clients that are slow at one time.
const SLOW: usize = 32;
/// How long others ask meanwhile.
const DAWDLE: Duration = Duration::from_secs(2);
/// Between two bytes of a slow client.
const PAUSE: Duration = Duration::from_millis(50);
/// Bytes of a body without measure.
const OVERSIZE: usize = 16 * 1024 * 1024;
/// How deep a body nests that is meant to exhaust a parser.
const DEEP: usize = 100_000;

/// Connections that end in the middle of a request, and before the answer.
pub(super) async fn disconnected(scene: &Scene<'_>) -> Seen {
    let Some(endpoint) = scene.endpoint else {
        return no_sockets();
    };
    let body = scene.client.list_message().body;
    let whole = request(scene, endpoint, &body, body.len());
    let cuts = [whole.len() / 3, whole.len() - body.len() / 2, whole.len()];
    let mut left = 0;
    for cut in cuts {
        let leavers = (0..LEAVERS).map(|_| async {
            let mut line = Line::open(scene, endpoint).await.ok()?;
            line.write(&whole[..cut], scene.patience).await;
            Some(())
        });
        left += join_all(leavers).await.into_iter().flatten().count();
    }
    if left == 0 {
        return Seen::NotTried("no connection could be opened".to_owned());
    }
    Seen::Stood(format!(
        "{left} connections ended in the head, in the body, or before the answer"
    ))
}

/// Bodies that are no message, each of another kind.
fn malformed_bodies() -> Vec<(&'static str, Vec<u8>)> {
    let deep = [vec![b'['; DEEP], vec![b']'; DEEP]].concat();
    vec![
        ("nothing at all", vec![]),
        ("text that is not JSON", b"hello".to_vec()),
        ("half a message", br#"{"jsonrpc":"2.0","id":1,"method":"tools/li"#.to_vec()),
        ("bytes that are not UTF-8", vec![0xff, 0xfe, 0x00, 0x80, 0xc0]),
        ("an empty list", b"[]".to_vec()),
        ("a number", b"1e999".to_vec()),
        ("brackets 100,000 deep", deep),
        (
            "a lone surrogate",
            br#"{"jsonrpc":"2.0","id":"\ud800","method":"tools/list"}"#.to_vec(),
        ),
        (
            "a member named __proto__",
            br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","__proto__":{"polluted":true},"params":{"__proto__":{"polluted":true}}}"#.to_vec(),
        ),
    ]
}

/// Bytes that are no message.
pub(super) async fn malformed(scene: &Scene<'_>) -> Seen {
    let bodies = malformed_bodies();
    let Some(endpoint) = scene.endpoint else {
        for (what, body) in &bodies {
            scene.client.write_line(body).await;
            if let Err(why) = scene.stands().await {
                return Seen::Fell(format!("after {what} as a message, {why}"));
            }
        }
        return Seen::Stood(format!(
            "{} kinds of lines that are no message, and the process goes on",
            bodies.len()
        ));
    };
    let (mut silent, mut broken) = (vec![], vec![]);
    for (what, body) in &bodies {
        let back = once(scene, endpoint, &request(scene, endpoint, body, body.len())).await;
        match back {
            Ok(Back::Silence) => silent.push(*what),
            Ok(Back::Status(status)) if status >= 500 => broken.push(format!("{what} ({status})")),
            Ok(_) => {}
            Err(why) => return Seen::Fell(format!("after {what} as a message, {why}")),
        }
        if let Err(why) = scene.stands().await {
            return Seen::Fell(format!("after {what} as a message, {why}"));
        }
    }
    if !silent.is_empty() {
        return Seen::Doubtful(format!("never answered: {}", silent.join(", ")));
    }
    if !broken.is_empty() {
        return Seen::Doubtful(format!(
            "called its own fault instead of the client's: {}",
            broken.join(", ")
        ));
    }
    Seen::Stood(format!(
        "{} kinds of bodies that are no message, and each was refused or its connection closed",
        bodies.len()
    ))
}

/// A request that is larger than any should be.
pub(super) async fn oversize(scene: &Scene<'_>) -> Seen {
    let mut body = br#"{"jsonrpc":"2.0","id":"oversize","method":"tools/list","params":{"_meta":{"com.example/padding":""#.to_vec();
    body.resize(body.len() + OVERSIZE, b'x');
    body.extend_from_slice(br#""}}}"#);
    let began = Instant::now();
    let Some(endpoint) = scene.endpoint else {
        scene.client.write_line(&body).await;
        let stands = scene.stands().await;
        return match stands {
            Err(_) if scene.client.ended().await.is_some() => {
                Seen::Left("a line of 16 MiB ended the process".to_owned())
            }
            Ok(()) => Seen::Stood(format!(
                "a line of 16 MiB, and the process goes on after {}",
                since(began)
            )),
            Err(why) => Seen::Fell(format!("after a line of 16 MiB, {why}")),
        };
    };
    let bytes = request(scene, endpoint, &body, body.len());
    match once(scene, endpoint, &bytes).await {
        Err(why) => Seen::Fell(why),
        Ok(Back::Silence) => Seen::Doubtful(format!(
            "a body of 16 MiB was not answered within {}",
            since(began)
        )),
        Ok(Back::Status(status)) => {
            Seen::Stood(format!("a body of 16 MiB was answered with {status}"))
        }
        Ok(Back::Closed | Back::Garbage) => {
            Seen::Stood("a body of 16 MiB ended the connection".to_owned())
        }
    }
}

/// Clients that send a byte now and then, and clients that do not read, while somebody else asks.
pub(super) async fn slow(scene: &Scene<'_>) -> Seen {
    let Some(endpoint) = scene.endpoint else {
        return no_sockets();
    };
    let body = scene.client.list_message().body;
    let whole = request(scene, endpoint, &body, body.len());
    let opened = Cell::new(0_usize);
    let dawdlers =
        (0..SLOW).map(|number| dawdle(scene, endpoint, &whole, number % 2 == 0, &opened));
    let others = async {
        let (until, mut longest) = (Instant::now() + DAWDLE, Duration::ZERO);
        while Instant::now() < until {
            let began = Instant::now();
            // On a connection of its own: one that is there already may have a thread to itself.
            match once(scene, endpoint, &whole).await? {
                Back::Status(_) => {}
                Back::Silence => return Err(format!("was not answered within {}", since(began))),
                Back::Closed | Back::Garbage => return Err("got no HTTP answer".to_owned()),
            }
            longest = longest.max(began.elapsed());
            tokio::time::sleep(PAUSE).await;
        }
        Ok(longest)
    };
    // They are slow for as long as somebody else asks.
    let others = tokio::select! {
        others = others => others,
        _ = join_all(dawdlers) => Ok(Duration::ZERO),
    };
    let opened = opened.get();
    match others {
        Err(why) => Seen::Fell(format!(
            "while {opened} clients sent or read slowly, an ordinary request of another one {why}"
        )),
        Ok(_) if opened == 0 => Seen::NotTried("no connection could be opened".to_owned()),
        Ok(longest) => Seen::Stood(format!(
            "while {opened} clients sent or read slowly, others waited {} ms at most",
            longest.as_millis()
        )),
    }
}

/// One slow client: it sends byte by byte, or asks and does not read. It never ends by itself, but where no connection can be
/// opened.
async fn dawdle(
    scene: &Scene<'_>,
    endpoint: &Endpoint,
    whole: &[u8],
    sends_slowly: bool,
    opened: &Cell<usize>,
) {
    let Ok(mut line) = Line::open(scene, endpoint).await else {
        return;
    };
    opened.set(opened.get() + 1);
    if !sends_slowly {
        line.write(whole, scene.patience).await;
        return std::future::pending().await;
    }
    // The last byte never comes.
    for byte in whole[..whole.len() - 1].chunks(1) {
        line.write(byte, PAUSE).await;
        tokio::time::sleep(PAUSE).await;
    }
    std::future::pending::<()>().await;
}

async fn once(scene: &Scene<'_>, endpoint: &Endpoint, bytes: &[u8]) -> Result<Back, String> {
    let mut line = Line::open(scene, endpoint).await?;
    line.write(bytes, scene.patience).await;
    Ok(line.back(scene.patience).await)
}

fn no_sockets() -> Seen {
    Seen::NotTried("a process has one client and one pipe".to_owned())
}

fn since(began: Instant) -> String {
    format!("{:.1} s", began.elapsed().as_secs_f64())
}
