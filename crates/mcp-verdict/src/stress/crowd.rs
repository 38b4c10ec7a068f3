//! Many requests at one time, and many that are cancelled.

use super::{Scene, Seen, is_limit};
use futures_util::future::join_all;
use std::time::Duration;
use verdict_eval::client::{Heard, Loss};

/// How long a request lives before it is cancelled, in milliseconds: some before the server saw them, some in its midst.
const LIVES: [u64; 4] = [0, 1, 3, 10];

/// As many requests at one time as the configuration says.
pub(super) async fn parallel(scene: &Scene<'_>) -> Seen {
    let many = (0..scene.parallel).map(|_| scene.client.list_once());
    counted(&join_all(many).await)
}

/// Half of the requests are cancelled while the other half is waited for.
pub(super) async fn cancelled(scene: &Scene<'_>) -> Seen {
    let half = (scene.parallel / 2).max(1);
    let config = &scene.plan.settings.config.tools;
    let slow = config.slow.iter().find_map(|name| {
        let tool = scene.tools.iter().find(|tool| tool.name() == name)?;
        Some((tool, config.arguments.get(name)?))
    });
    let leaving = (0..half).map(|number| async move {
        let life = Duration::from_millis(LIVES[number % LIVES.len()]);
        let request = async {
            match slow {
                Some((tool, arguments)) => scene.client.call_once(tool, arguments).await,
                None => scene.client.list_once().await,
            }
        };
        tokio::time::timeout(life, request).await.is_err()
    });
    let staying = (0..half).map(|_| scene.client.list_once());
    let (left, stayed) = tokio::join!(join_all(leaving), join_all(staying));
    let left = left.into_iter().filter(|left| *left).count();
    match counted(&stayed) {
        Seen::Stood(said) if left == 0 => Seen::NotTried(format!(
            "every request was answered before it could be cancelled ({said}); name a slow tool under tools.slow, with its tools.arguments"
        )),
        Seen::Stood(said) => Seen::Stood(format!(
            "{left} requests were cancelled; of the others, {said}"
        )),
        other => other,
    }
}

/// What became of requests of which each should have been answered.
fn counted(heard: &[Result<Heard, Loss>]) -> Seen {
    let all = heard.len();
    let losses: Vec<&Loss> = heard
        .iter()
        .filter_map(|heard| heard.as_ref().err())
        .collect();
    let limits = losses.iter().filter(|loss| is_limit(loss)).count();
    let first = losses.iter().find(|loss| !is_limit(loss));
    match first {
        Some(first) => Seen::Fell(format!(
            "{} of {all} requests at one time were not answered; one {}",
            losses.len() - limits,
            first.why()
        )),
        None if limits == all => {
            Seen::NotTried(format!("all {all} requests were refused for their number"))
        }
        None if limits > 0 => Seen::Stood(format!(
            "{} of {all} were answered, and {limits} refused for their number",
            all - limits
        )),
        None => Seen::Stood(format!("all {all} were answered")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;
    use verdict_eval::client::Reply;

    #[expect(
        clippy::unnecessary_wraps,
        reason = "stands beside requests that were lost"
    )]
    fn heard() -> Result<Heard, Loss> {
        Ok(Heard {
            reply: Reply::Result(Map::new()),
            status: Some(200),
            session: None,
            notices: 0,
        })
    }

    fn refused(status: u16) -> Result<Heard, Loss> {
        let why = "no message".to_owned();
        Err(Loss::Http { status, why })
    }

    #[test]
    fn a_limit_is_no_fault_and_silence_is() {
        assert!(matches!(counted(&[heard(), heard()]), Seen::Stood(_)));
        assert!(matches!(counted(&[heard(), refused(429)]), Seen::Stood(_)));
        assert!(matches!(
            counted(&[refused(429), refused(503)]),
            Seen::NotTried(_)
        ));
        assert!(matches!(counted(&[heard(), refused(500)]), Seen::Fell(_)));
        let late = Err(Loss::TimedOut(10_000));
        let Seen::Fell(why) = counted(&[heard(), refused(429), late]) else {
            panic!("a request without an answer is a fault");
        };
        assert!(why.starts_with("1 of 3 requests"), "{why}");
    }
}
