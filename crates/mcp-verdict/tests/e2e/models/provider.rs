//! Serves the stub provider: a thread for each connection.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use verdict_fixture::provider::{Act, Asked, Connection, Spoken, StubProvider};

/// A stub provider that listens.
pub(crate) struct Provider {
    /// `http://127.0.0.1:PORT`, without a path.
    pub(crate) base: String,
    stub: Arc<Mutex<StubProvider>>,
    received: Arc<Mutex<Vec<u8>>>,
}

impl Provider {
    /// One whose model `stub` calls the tool that the prompt names, with the prompt's JSON object.
    pub(crate) fn start() -> Self {
        Self::serving(StubProvider::default())
    }

    /// One whose model `stub` answers by a script.
    pub(crate) fn answering(script: impl Fn(&Asked) -> Spoken + Send + 'static) -> Self {
        Self::serving(StubProvider::new(script))
    }

    /// Serves a stub.
    pub(crate) fn serving(stub: StubProvider) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let stub = Arc::new(Mutex::new(stub));
        let received = Arc::new(Mutex::new(Vec::new()));
        let shared = (Arc::clone(&stub), Arc::clone(&received));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (stub, received) = (Arc::clone(&shared.0), Arc::clone(&shared.1));
                std::thread::spawn(move || {
                    let _ = connection(stream, &stub, &received);
                });
            }
        });
        Self {
            base,
            stub,
            received,
        }
    }

    /// The stub itself.
    pub(crate) fn stub(&self) -> MutexGuard<'_, StubProvider> {
        self.stub.lock().expect("no test panicked in it")
    }

    /// How many requests came.
    pub(crate) fn requests(&self) -> u64 {
        self.stub().requests()
    }

    /// All that came, as text.
    pub(crate) fn received(&self) -> String {
        let bytes = self.received.lock().expect("no test panicked in it");
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

fn connection(
    mut stream: TcpStream,
    stub: &Mutex<StubProvider>,
    received: &Mutex<Vec<u8>>,
) -> std::io::Result<()> {
    let mut connection = Connection::new();
    let mut buffer = vec![0; 64 << 10];
    stream.set_nodelay(true)?;
    loop {
        let length = stream.read(&mut buffer)?;
        if length == 0 {
            return Ok(());
        }
        let bytes = &buffer[..length];
        received
            .lock()
            .expect("no test panicked in it")
            .extend(bytes);
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |now| now.as_secs());
        let acts = {
            let mut stub = stub.lock().expect("no test panicked in it");
            connection.receive(&mut stub, bytes, now)
        };
        for act in acts {
            match act {
                Act::Send(bytes) => stream.write_all(&bytes)?,
                // A provider that thinks; nothing is waited for that way.
                Act::Wait(ms) => std::thread::sleep(Duration::from_millis(ms)),
                Act::Close | Act::Reset => return stream.shutdown(Shutdown::Both),
            }
        }
    }
}
