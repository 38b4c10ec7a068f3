//! Being asked to stop, by the user or by a runner.

use std::pin::Pin;

/// Resolves when we are asked to stop.
pub(crate) type Interrupt = Pin<Box<dyn Future<Output = ()>>>;

/// Listens from here on: until then a signal ends the program at once, and what it started lives on.
pub(crate) async fn listen() -> Interrupt {
    let mut interrupt: Interrupt = Box::pin(interrupted());
    // Signals are asked for when the future is polled first.
    tokio::select! {
        biased;
        () = &mut interrupt => {}
        () = std::future::ready(()) => {}
    }
    interrupt
}

/// Resolves when the user or the runner asks us to stop.
pub(crate) async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
