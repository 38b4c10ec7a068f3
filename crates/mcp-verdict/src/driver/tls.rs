//! TLS: the system's certificates, and a file of further ones. Verification is never switched off.

use anyhow::{Context, Result, bail};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

/// Largest file of certificates, in bytes.
const MOST_BYTES: u64 = 16 << 20;

/// Which certificates are trusted; read on the first encrypted connection.
#[derive(Clone, Default)]
pub(crate) struct Trust {
    extra: Arc<Vec<CertificateDer<'static>>>,
    connector: Arc<OnceLock<Result<TlsConnector, String>>>,
}

impl Trust {
    /// Trusts the certificates of a PEM file beside the system's.
    pub(crate) fn with_file(path: &Path) -> Result<Self> {
        let shown = path.display();
        let text = crate::input::read(path, MOST_BYTES, "certificates")
            .with_context(|| format!("reading the certificates of `{shown}` (--ca-file)"))?;
        let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text.as_bytes()).collect();
        let found = found.with_context(|| format!("`{shown}` (--ca-file) is not in PEM form"))?;
        if found.is_empty() {
            bail!("`{shown}` (--ca-file) holds no certificate in PEM form");
        }
        Ok(Self {
            extra: Arc::new(found),
            connector: Arc::default(),
        })
    }

    /// Begins TLS on a connection.
    pub(crate) async fn wrap(
        &self,
        stream: TcpStream,
        host: &str,
    ) -> Result<TlsStream<TcpStream>, String> {
        let connector = self.connector.get_or_init(|| self.connector()).clone()?;
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| format!("`{host}` is no name that a certificate can hold"))?;
        connector.connect(name, stream).await.map_err(|error| {
            let text = error.to_string();
            let hint = if text.contains("certificate") {
                "; if the server has a certificate of your own authority, give it with --ca-file"
            } else {
                ""
            };
            format!("TLS failed: {text}{hint}")
        })
    }

    fn connector(&self) -> Result<TlsConnector, String> {
        Ok(TlsConnector::from(Arc::new(self.configuration()?)))
    }

    /// The same trust for a client that opens its own connections.
    pub(crate) fn configuration(&self) -> Result<ClientConfig, String> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        for certificate in self.extra.iter() {
            roots
                .add(certificate.clone())
                .map_err(|error| format!("a certificate of --ca-file cannot be used: {error}"))?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        Ok(ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(roots)
            .with_no_client_auth())
    }
}
