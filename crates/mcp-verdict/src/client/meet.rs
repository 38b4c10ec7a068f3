//! Meeting a server: which lifecycle it speaks, and the handshake where there is one.

use super::Wire;
use verdict_core::settings::Settings;
use verdict_eval::client::{
    Heard, Hello, Lifecycle, Loss, Opening, Session, after_discover, after_initialize, discover,
    initialize,
};

/// Finds out how the server is spoken to.
pub(super) async fn meet(wire: &Wire, settings: &Settings) -> Result<(Hello, Lifecycle), String> {
    if settings.by_handshake() {
        return handshake(wire, None).await;
    }
    let opening = after_discover(&wire.open(&discover("server/discover")).await);
    match opening {
        Opening::Modern(hello) => Ok((hello, Lifecycle::Modern)),
        Opening::Closed(why) => Err(why),
        Opening::Handshake { .. } => {
            if let Wire::Stdio(stdio) = wire {
                // The first message may have fixed the era of the process.
                stdio.start_over().await;
            }
            handshake(wire, Some(&opening)).await
        }
    }
}

/// Shakes hands; `opening` is what came of `server/discover`, where that was asked.
pub(super) async fn handshake(
    wire: &Wire,
    opening: Option<&Opening>,
) -> Result<(Hello, Lifecycle), String> {
    let answer = wire.open(&initialize("initialize")).await;
    let hello = after_initialize(opening, &answer)?;
    if hello.version.is_none() {
        return Ok((hello, Lifecycle::Modern));
    }
    let session = answer.ok().and_then(|heard| heard.session);
    let session = Session::new(hello.version.as_deref(), session);
    wire.begin(&session).await;
    Ok((hello, Lifecycle::Legacy(session)))
}

/// Whether the server says that it does not know the session (2025-11-25, "Session Management").
pub(super) fn is_forgotten(lifecycle: &Lifecycle, heard: &Result<Heard, Loss>) -> bool {
    let in_session = matches!(lifecycle, Lifecycle::Legacy(Session { id: Some(_), .. }));
    let status = match heard {
        Ok(heard) => heard.status,
        Err(Loss::Http { status, .. }) => Some(*status),
        Err(_) => None,
    };
    in_session && status == Some(404)
}
