//! Connections: TCP, with TLS where the endpoint is https.

use super::tls::Trust;
use super::{Order, Signal};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use verdict_core::engine::Elsewhere;
use verdict_core::wire::endpoint::{Endpoint, is_private};

/// Opens a connection and moves its bytes until the engine lets go of it.
pub(crate) async fn carry(
    channel: u32,
    to: Elsewhere,
    trust: Trust,
    timeout: Duration,
    orders: mpsc::UnboundedReceiver<Order>,
    signals: mpsc::Sender<Signal>,
) {
    let Elsewhere {
        endpoint,
        public_only,
    } = to;
    let opened = tokio::time::timeout(timeout, connect_to(&endpoint, public_only)).await;
    let failed = |why: String| Signal::Failed { channel, why };
    let (stream, peer) = match opened {
        Ok(Ok(opened)) => opened,
        Ok(Err(why)) => return tell(&signals, failed(why)).await,
        Err(_) => {
            let why = format!("connecting to {} timed out", endpoint.authority);
            return tell(&signals, failed(why)).await;
        }
    };
    let opened = Signal::Opened {
        channel,
        peer: Some(peer.to_string()),
    };
    if endpoint.https {
        match tokio::time::timeout(timeout, trust.wrap(stream, &endpoint.host)).await {
            Ok(Ok(stream)) => {
                tell(&signals, opened).await;
                pump(channel, stream, orders, signals).await;
            }
            Ok(Err(why)) => tell(&signals, failed(why)).await,
            Err(_) => tell(&signals, failed("the TLS handshake timed out".to_owned())).await,
        }
    } else {
        tell(&signals, opened).await;
        pump(channel, stream, orders, signals).await;
    }
}

/// Connects to the first address that answers; for `localhost` both families are tried.
pub(crate) async fn connect(endpoint: &Endpoint) -> Result<(TcpStream, SocketAddr), String> {
    connect_to(endpoint, false).await
}

async fn connect_to(
    endpoint: &Endpoint,
    public_only: bool,
) -> Result<(TcpStream, SocketAddr), String> {
    let own = own_address(&endpoint.host)?;
    let host = own.as_deref().unwrap_or(&endpoint.host);
    let target = (host, endpoint.port);
    let mut addresses: Vec<SocketAddr> = match tokio::net::lookup_host(target).await {
        Ok(found) => found.collect(),
        Err(_) if endpoint.host.eq_ignore_ascii_case("localhost") => vec![],
        Err(error) => {
            return Err(format!(
                "the name {} has no address ({error})",
                endpoint.host
            ));
        }
    };
    if endpoint.host.eq_ignore_ascii_case("localhost") {
        let loopback: [std::net::IpAddr; 2] = [
            std::net::Ipv4Addr::LOCALHOST.into(),
            std::net::Ipv6Addr::LOCALHOST.into(),
        ];
        for address in loopback.map(|address| SocketAddr::new(address, endpoint.port)) {
            if !addresses.contains(&address) {
                addresses.push(address);
            }
        }
    }
    let known = addresses.len();
    addresses.retain(|address| !(public_only && is_private(address.ip())));
    let mut last = if addresses.len() < known {
        format!("the name {} leads into a private network", endpoint.host)
    } else {
        format!("the name {} has no address", endpoint.host)
    };
    for address in addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => {
                // Requests are small and each waits for its answer.
                let _ = stream.set_nodelay(true);
                return Ok((stream, address));
            }
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                last = format!("connection refused at {address}; is the server running?");
            }
            Err(error) => last = format!("{address}: {error}"),
        }
    }
    Err(last)
}

/// An address of this machine other than the loopback one, where that is what the host stands for.
fn own_address(host: &str) -> Result<Option<String>, String> {
    if host != Elsewhere::OWN_ADDRESS {
        return Ok(None);
    }
    let not_tried = || Err(Elsewhere::NOT_TRIED.to_owned());
    let marks = ["/.dockerenv", "/run/.containerenv"];
    let container = marks.iter().any(|mark| std::path::Path::new(mark).exists())
        || std::env::var_os("KUBERNETES_SERVICE_HOST").is_some();
    if container {
        return not_tried();
    }
    // Nothing is sent: connecting a datagram socket only asks which address would be used.
    let found = std::net::UdpSocket::bind(("0.0.0.0", 0)).and_then(|socket| {
        socket.connect(("192.0.2.1", 9))?;
        socket.local_addr()
    });
    match found {
        Ok(address) if !address.ip().is_loopback() => Ok(Some(address.ip().to_string())),
        _ => not_tried(),
    }
}

async fn pump<S: AsyncRead + AsyncWrite>(
    channel: u32,
    stream: S,
    mut orders: mpsc::UnboundedReceiver<Order>,
    signals: mpsc::Sender<Signal>,
) {
    let (mut reader, mut writer) = tokio::io::split(stream);
    let write = async {
        while let Some(order) = orders.recv().await {
            if let Order::Send(bytes) = order {
                // A broken pipe shows on the reading side too, with what the server still said.
                if writer.write_all(&bytes).await.is_err() || writer.flush().await.is_err() {
                    break;
                }
            }
        }
        std::future::pending::<()>().await;
    };
    let read = async {
        let mut buffer = vec![0; 64 << 10];
        loop {
            match reader.read(&mut buffer).await {
                Ok(0) => return "closed".to_owned(),
                Ok(length) => {
                    let bytes = buffer[..length].to_vec();
                    tell(&signals, Signal::Received { channel, bytes }).await;
                }
                Err(error) => return how_lost(&error),
            }
        }
    };
    let how = tokio::select! {
        how = read => how,
        () = write => return,
    };
    tell(&signals, Signal::Ended { channel, how }).await;
}

fn how_lost(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::ConnectionReset => "connection reset by the server".to_owned(),
        // Servers that leave TLS without a closing notice are common; HTTP's own framing decides.
        std::io::ErrorKind::UnexpectedEof => "closed".to_owned(),
        _ => error.to_string(),
    }
}

async fn tell(signals: &mpsc::Sender<Signal>, signal: Signal) {
    // The loop has ended when nobody listens any more.
    let _ = signals.send(signal).await;
}
