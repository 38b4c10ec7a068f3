//! A request to a provider and its answer, as data: the program moves the bytes.
//!
//! What `Debug` prints holds neither keys nor bodies, so that neither gets into a log by accident.

use std::fmt;

/// A secret. It is read where a header is written, and nowhere else.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Wraps a secret.
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// The secret itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Key(hidden)")
    }
}

/// One field of a request's head.
#[derive(Clone, PartialEq, Eq)]
pub struct Header {
    /// In lower case.
    pub name: &'static str,
    /// The value to send.
    pub value: String,
    /// Whether the value must be shown nowhere.
    pub is_secret: bool,
}

impl fmt::Debug for Header {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = if self.is_secret {
            "hidden"
        } else {
            &self.value
        };
        write!(out, "{}: {value}", self.name)
    }
}

/// What to send to a provider.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// The method.
    pub method: &'static str,
    /// The absolute URL; it holds no secret.
    pub url: String,
    /// Fields of the head, without `host` and `content-length`.
    pub headers: Vec<Header>,
    /// The body.
    pub body: Vec<u8>,
}

impl HttpRequest {
    /// A `POST` of JSON.
    pub(crate) fn post(url: String, body: &serde_json::Value) -> Self {
        let mut request = Self {
            method: "POST",
            url,
            headers: Vec::new(),
            body: body.to_string().into_bytes(),
        };
        request.add("content-type", "application/json", false);
        request.add("accept", "application/json", false);
        request
    }

    pub(crate) fn add(&mut self, name: &'static str, value: impl Into<String>, is_secret: bool) {
        self.headers.push(Header {
            name,
            value: value.into(),
            is_secret,
        });
    }

    /// Every byte that decides the answer, keys left out: what a cache takes its key from.
    pub fn material(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.body.len() + 256);
        let mut push = |part: &[u8]| {
            out.extend_from_slice(&(part.len() as u64).to_be_bytes());
            out.extend_from_slice(part);
        };
        push(self.method.as_bytes());
        push(self.url.as_bytes());
        for header in self.headers.iter().filter(|header| !header.is_secret) {
            push(header.name.as_bytes());
            push(header.value.as_bytes());
        }
        push(&self.body);
        out
    }
}

impl fmt::Debug for HttpRequest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("HttpRequest")
            .field("method", &self.method)
            .field("url", &self.url)
            .field("headers", &self.headers)
            .field("body", &format_args!("{} bytes", self.body.len()))
            .finish()
    }
}

/// What came back.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct HttpResponse {
    /// The status.
    pub status: u16,
    /// Fields of the head, as they came.
    pub headers: Vec<(String, String)>,
    /// The body, decoded of transfer and content encodings.
    pub body: Vec<u8>,
    /// Whether the connection ended before the body did.
    pub is_cut: bool,
    /// When the head came, in seconds of Unix time: dates in header fields are told against it.
    pub at: u64,
}

impl HttpResponse {
    /// The first field of this name, whatever its case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
    }

    /// The body as text. What is not UTF-8 is replaced, a byte order mark is dropped.
    pub(crate) fn text(&self) -> std::borrow::Cow<'_, str> {
        let body = self.body.strip_prefix(b"\xef\xbb\xbf");
        String::from_utf8_lossy(body.unwrap_or(&self.body))
    }

    /// Whether it is a stream of events, asked for or not.
    pub(crate) fn is_stream(&self) -> bool {
        self.header("content-type")
            .is_some_and(|kind| kind.to_ascii_lowercase().starts_with("text/event-stream"))
    }
}

impl fmt::Debug for HttpResponse {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        out.debug_struct("HttpResponse")
            .field("status", &self.status)
            .field("headers", &names)
            .field("body", &format_args!("{} bytes", self.body.len()))
            .field("is_cut", &self.is_cut)
            .field("at", &self.at)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{HttpRequest, HttpResponse, Key};
    use serde_json::json;

    fn request(secret: &str) -> HttpRequest {
        let mut request = HttpRequest::post("http://h/v1".to_owned(), &json!({"a": 1}));
        request.add("authorization", format!("Bearer {secret}"), true);
        request
    }

    #[test]
    fn shows_no_secret_and_no_body() {
        let shown = format!("{:?} {:?}", request("hush"), Key::new("hush"));
        assert!(!shown.contains("hush"), "{shown}");
        assert!(shown.contains("authorization: hidden"), "{shown}");
        assert!(shown.contains("7 bytes"), "{shown}");
        let response = HttpResponse {
            headers: vec![("x-echo".to_owned(), "hush".to_owned())],
            body: b"hush".to_vec(),
            ..HttpResponse::default()
        };
        assert!(!format!("{response:?}").contains("hush"));
    }

    #[test]
    fn the_material_of_a_cache_key_changes_with_every_byte_but_the_secret() {
        let one = request("hush");
        assert_eq!(one.material(), request("other").material());
        let mut other = one.clone();
        other.body = br#"{"a":2}"#.to_vec();
        assert_ne!(one.material(), other.material());
        let mut other = one.clone();
        other.url.push('x');
        assert_ne!(one.material(), other.material());
        let mut other = one.clone();
        other.add("anthropic-version", "2023-06-01", false);
        assert_ne!(one.material(), other.material());
    }
}
