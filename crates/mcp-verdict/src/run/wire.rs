//! Moves the bytes of one call of a model: a request out, an answer back, within limits of time and size.

use crate::driver::Trust;
use anyhow::{Context, Result, anyhow};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use verdict_eval::provider::{Fault, HttpRequest, HttpResponse, Network};

/// Time for one answer: models that reason can take minutes.
const ANSWER: Duration = Duration::from_secs(300);
/// Time for a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Largest answer, in bytes.
const MOST: usize = 16 << 20;

/// A client for all providers.
pub(crate) struct Wire {
    http: reqwest::Client,
}

impl Wire {
    /// To be called inside a runtime.
    pub(crate) fn new(trust: &Trust) -> Result<Self> {
        let tls = trust.configuration().map_err(|why| anyhow!(why))?;
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .user_agent(concat!("mcp-verdict/", env!("CARGO_PKG_VERSION")))
            // A key is for its own origin and no other.
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT)
            .timeout(ANSWER)
            .build()
            .context("preparing requests to models")?;
        Ok(Self { http })
    }

    /// Sends a request once.
    ///
    /// # Errors
    /// Why no answer came back, without the address: the caller names the model.
    pub(crate) async fn send(&self, request: &HttpRequest) -> Result<HttpResponse, Fault> {
        let mut out = self.http.post(&request.url).body(request.body.clone());
        for header in &request.headers {
            let mut value =
                reqwest::header::HeaderValue::from_str(&header.value).map_err(|_| {
                    let why = format!(
                        "the header field {} holds a character that none can carry",
                        header.name
                    );
                    Fault::network(Network::Reset, &why)
                })?;
            value.set_sensitive(header.is_secret);
            out = out.header(header.name, value);
        }
        let mut answer = out.send().await.map_err(|error| reason(&error))?;
        let at = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |now| now.as_secs());
        let status = answer.status().as_u16();
        let headers = answer
            .headers()
            .iter()
            .map(|(name, value)| {
                (
                    name.as_str().to_owned(),
                    String::from_utf8_lossy(value.as_bytes()).into_owned(),
                )
            })
            .collect();
        let mut body = Vec::new();
        let mut is_cut = false;
        loop {
            match answer.chunk().await {
                Ok(Some(bytes)) if body.len() + bytes.len() <= MOST => {
                    body.extend_from_slice(&bytes);
                }
                Ok(Some(_)) => {
                    let why = format!("the answer is larger than {} MiB", MOST >> 20);
                    return Err(Fault::network(Network::Reset, &why));
                }
                Ok(None) => break,
                Err(error) if error.is_timeout() => return Err(reason(&error)),
                Err(_) => {
                    is_cut = true;
                    break;
                }
            }
        }
        Ok(HttpResponse {
            status,
            headers,
            body,
            is_cut,
            at,
        })
    }
}

/// What kind of failure it was, with the innermost reason: the outer ones repeat the address.
fn reason(error: &reqwest::Error) -> Fault {
    if error.is_timeout() {
        let limit = if error.is_connect() { CONNECT } else { ANSWER };
        let why = format!("no answer within {} seconds", limit.as_secs());
        return Fault::network(Network::TimedOut, &why);
    }
    let mut inner: &dyn std::error::Error = error;
    let mut kind = if error.is_connect() {
        Network::Refused
    } else {
        Network::Reset
    };
    while let Some(source) = inner.source() {
        inner = source;
        if inner.is::<tokio_rustls::rustls::Error>() {
            kind = Network::Encryption;
        }
    }
    let why = inner.to_string();
    if why.contains("lookup") || why.contains("resolve") {
        kind = Network::NoHost;
    }
    Fault::network(kind, &why)
}
