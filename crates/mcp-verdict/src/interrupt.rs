//! Being asked to stop, by the user or by a runner.

use std::pin::Pin;
use std::task::{Context, Poll};

/// Resolves when we are asked to stop, and from then on at once.
pub(crate) struct Interrupt {
    asked: Pin<Box<dyn Future<Output = ()>>>,
    happened: bool,
}

impl Interrupt {
    /// Whether we were asked to stop.
    pub(crate) fn happened(&self) -> bool {
        self.happened
    }
}

impl Future for Interrupt {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if !self.happened && self.asked.as_mut().poll(context).is_ready() {
            self.happened = true;
        }
        if self.happened {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

/// Listens from here on: until then a signal ends the program at once, and what it started lives on.
pub(crate) async fn listen() -> Interrupt {
    let mut interrupt = Interrupt {
        asked: Box::pin(interrupted()),
        happened: false,
    };
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
