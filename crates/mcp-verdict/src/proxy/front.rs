//! The listener: takes connections, and for a time none, where a fault wants that.

use super::relay;
use super::shared::{Refusal, Shared};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Connections at a time; more wait until one ends.
const MOST_CONNECTIONS: usize = 8_000;
/// Connections that wait to be taken.
const BACKLOG: u32 = 1_024;

/// A listener and its address, which stays when it is closed for a time.
pub(super) struct Front {
    listener: TcpListener,
    address: SocketAddr,
}

impl Front {
    pub(super) fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = listen(address)?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes connections for ever; when this is dropped, all of them are.
    pub(super) async fn serve(
        self,
        shared: Arc<Shared>,
        mut refusals: mpsc::UnboundedReceiver<Refusal>,
    ) {
        let mut connections = JoinSet::new();
        let mut listener = Some(self.listener);
        let mut until = tokio::time::Instant::now();
        loop {
            let taken = async {
                match &listener {
                    Some(listener) => listener.accept().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                taken = taken, if connections.len() < MOST_CONNECTIONS => {
                    match taken {
                        Ok((stream, peer)) => {
                            let _ = stream.set_nodelay(true);
                            connections.spawn(relay::serve(stream, peer, Arc::clone(&shared)));
                        }
                        // Out of file descriptors, most likely: those in use come free.
                        Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
                    }
                }
                Some(_) = connections.join_next() => {}
                Some((ms, done)) = refusals.recv() => {
                    listener = None;
                    until = until.max(tokio::time::Instant::now() + Duration::from_millis(ms));
                    let _ = done.send(());
                }
                () = tokio::time::sleep_until(until), if listener.is_none() => {
                    // Another program may have taken the port: it is tried again.
                    listener = listen(self.address).ok();
                    until = tokio::time::Instant::now() + Duration::from_millis(50);
                }
            }
        }
    }
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    // The port is taken again while connections of before are still closing.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
