//! HTTP/1.1 on the side: where a message ends and what its fields say, while its bytes pass unread by anybody else.
//!
//! Unlike the core's reader, which judges answers, this one keeps no rule that the peers do not need: what it cannot
//! frame is told to the driver, which then relays blindly.

pub use crate::body::Body;

/// Bytes of a head beyond which it is refused.
pub const MOST_HEAD: usize = 128 << 10;
/// Fields of a head beyond which it is refused.
const MOST_FIELDS: usize = 256;

/// Why a message cannot be framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// No HTTP/1.x head.
    #[error("this is no HTTP/1.1 message")]
    Head,
    /// The head has no end within [`MOST_HEAD`] or its fields are too many.
    #[error("the head is larger than {MOST_HEAD} bytes or 256 fields")]
    TooLarge,
    /// The length of the body cannot be told.
    #[error("the length of the body is unclear")]
    Length,
    /// A chunk is not as the format wants it.
    #[error("the chunked body is broken")]
    Chunk,
}

/// How a body is delimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// So many bytes.
    Fixed(u64),
    /// Chunks.
    Chunked,
    /// Until the connection is closed.
    UntilClose,
}

/// The head of a request or an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The method of a request; empty for an answer.
    pub verb: String,
    /// The target of a request; the reason phrase of an answer.
    pub target: String,
    /// The status of an answer; 0 for a request.
    pub status: u16,
    /// Field names and values in order; bytes that are not UTF-8 are read as Latin-1.
    pub fields: Vec<(String, String)>,
    /// How many bytes the head has, its empty line counted.
    pub bytes: usize,
    /// How the body is delimited.
    pub body: Length,
    /// Whether the sender leaves the connection open afterwards.
    pub keep_alive: bool,
    /// Whether it is HTTP/1.0.
    pub old: bool,
}

impl Head {
    /// The first value of a field, compared without case.
    pub fn field(&self, name: &str) -> Option<&str> {
        let found = self
            .fields
            .iter()
            .find(|(field, _)| field.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Whether a field holds a token in its comma-separated list.
    pub fn says(&self, name: &str, token: &str) -> bool {
        let of_name = self
            .fields
            .iter()
            .filter(|(field, _)| field.eq_ignore_ascii_case(name));
        let mut tokens = of_name.flat_map(|(_, value)| value.split(','));
        tokens.any(|one| one.trim().eq_ignore_ascii_case(token))
    }

    /// Whether the body is an event stream.
    pub fn is_stream(&self) -> bool {
        self.media_type() == "text/event-stream"
    }

    /// The media type without parameters, in lower case; empty where there is none.
    pub fn media_type(&self) -> String {
        let value = self.field("content-type").unwrap_or_default();
        let bare = value.split(';').next().unwrap_or_default();
        bare.trim().to_ascii_lowercase()
    }

    /// Whether the body is compressed.
    pub fn is_encoded(&self) -> bool {
        self.field("content-encoding")
            .is_some_and(|value| !value.trim().eq_ignore_ascii_case("identity"))
    }
}

/// Reads the head of a request, when all of it is there.
///
/// # Errors
/// A [`Broken`] when these bytes can never become one.
pub fn request(bytes: &[u8]) -> Result<Option<Head>, Broken> {
    let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
    let mut read = httparse::Request::new(&mut fields);
    let Some(length) = length_of(bytes, read.parse(bounded(bytes)))? else {
        return Ok(None);
    };
    let old = read.version == Some(0);
    let mut head = Head {
        verb: read.method.unwrap_or_default().to_owned(),
        target: read.path.unwrap_or_default().to_owned(),
        status: 0,
        fields: texts(read.headers),
        bytes: length,
        body: Length::Fixed(0),
        keep_alive: false,
        old,
    };
    head.keep_alive = keeps_alive(&head);
    head.body = announced(&head)?.unwrap_or(Length::Fixed(0));
    Ok(Some(head))
}

/// Reads the head of an answer to a request with this verb, when all of it is there.
///
/// # Errors
/// A [`Broken`] when these bytes can never become one.
pub fn answer(bytes: &[u8], verb: &str) -> Result<Option<Head>, Broken> {
    let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
    let mut read = httparse::Response::new(&mut fields);
    let Some(length) = length_of(bytes, read.parse(bounded(bytes)))? else {
        return Ok(None);
    };
    let status = read.code.unwrap_or_default();
    let mut head = Head {
        verb: String::new(),
        target: read.reason.unwrap_or_default().to_owned(),
        status,
        fields: texts(read.headers),
        bytes: length,
        body: Length::Fixed(0),
        keep_alive: false,
        old: read.version == Some(0),
    };
    let bodiless = verb == "HEAD" || matches!(status, 100..=199 | 204 | 304);
    if !bodiless {
        head.body = announced(&head)?.unwrap_or(Length::UntilClose);
    }
    head.keep_alive = keeps_alive(&head) && head.body != Length::UntilClose;
    Ok(Some(head))
}

fn bounded(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(MOST_HEAD)]
}

fn length_of(
    bytes: &[u8],
    read: Result<httparse::Status<usize>, httparse::Error>,
) -> Result<Option<usize>, Broken> {
    match read {
        Ok(httparse::Status::Complete(length)) => Ok(Some(length)),
        Ok(httparse::Status::Partial) if bytes.len() >= MOST_HEAD => Err(Broken::TooLarge),
        Ok(httparse::Status::Partial) => Ok(None),
        Err(httparse::Error::TooManyHeaders) => Err(Broken::TooLarge),
        Err(_) => Err(Broken::Head),
    }
}

fn texts(fields: &[httparse::Header]) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    };
    let pair = |field: &httparse::Header| (field.name.to_owned(), text(field.value));
    fields.iter().map(pair).collect()
}

fn keeps_alive(head: &Head) -> bool {
    if head.old {
        head.says("connection", "keep-alive")
    } else {
        !head.says("connection", "close")
    }
}

/// The length that the fields announce (RFC 9112, section 6.3); none where they say nothing.
fn announced(head: &Head) -> Result<Option<Length>, Broken> {
    let values = |name: &'static str| {
        let of_name = move |(field, _): &&(String, String)| field.eq_ignore_ascii_case(name);
        head.fields.iter().filter(of_name).map(|(_, value)| value)
    };
    let transfer: Vec<_> = values("transfer-encoding").collect();
    let mut lengths: Vec<&str> = values("content-length")
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .collect();
    lengths.sort_unstable();
    lengths.dedup();
    match (&transfer[..], &lengths[..]) {
        ([], []) => Ok(None),
        ([one], []) if one.trim().eq_ignore_ascii_case("chunked") => Ok(Some(Length::Chunked)),
        ([], [one]) if !one.is_empty() && one.bytes().all(|byte| byte.is_ascii_digit()) => {
            let length = one.parse().map_err(|_| Broken::Length)?;
            Ok(Some(Length::Fixed(length)))
        }
        _ => Err(Broken::Length),
    }
}

/// What changes in the fields of a request on its way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// The value of `Host`; absent where it stays.
    pub host: Option<String>,
    /// Fields that are set, in place of those of the same name.
    pub set: Vec<(String, String)>,
    /// Names of fields that are left out.
    pub without: Vec<String>,
}

/// A head with these changes; every other byte of it stays, order and spelling of the fields too.
pub fn changed(head: &[u8], changes: &Changes) -> Vec<u8> {
    let mut out = Vec::with_capacity(head.len() + 64);
    let mut lines = head.split_inclusive(|byte| *byte == b'\n');
    out.extend_from_slice(lines.next().unwrap_or_default());
    for line in lines {
        if matches!(line, b"\r\n" | b"\n") {
            for (name, value) in &changes.set {
                out.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
            }
            out.extend_from_slice(line);
            continue;
        }
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        let is = |other: &str| name.eq_ignore_ascii_case(other.as_bytes());
        let replaced = changes.set.iter().any(|(other, _)| is(other));
        if replaced || changes.without.iter().any(|other| is(other)) {
            continue;
        }
        match &changes.host {
            Some(host) if is("host") => {
                out.extend_from_slice(name);
                out.extend_from_slice(format!(": {host}\r\n").as_bytes());
            }
            _ => out.extend_from_slice(line),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unclear_lengths_are_refused() {
        for fields in [
            "Content-Length: 2\r\nTransfer-Encoding: chunked",
            "Content-Length: 2\r\nContent-Length: 3",
            "Content-Length: -1",
            "Transfer-Encoding: gzip, chunked",
            "Content-Length: 99999999999999999999999",
        ] {
            let head = format!("POST / HTTP/1.1\r\n{fields}\r\n\r\n");
            assert_eq!(request(head.as_bytes()), Err(Broken::Length), "{fields}");
        }
    }

    #[test]
    fn heads_without_end_are_refused() {
        let endless = [b"GET / HTTP/1.1\r\nX: ".as_slice(), &vec![b'y'; MOST_HEAD]].concat();
        assert_eq!(request(&endless), Err(Broken::TooLarge));
        let many = format!("GET / HTTP/1.1\r\n{}", "X: 1\r\n".repeat(300));
        assert_eq!(request(many.as_bytes()), Err(Broken::TooLarge));
        assert_eq!(request(b"\x16\x03\x01\x02"), Err(Broken::Head));
        assert_eq!(request(b"POST /mcp HTT"), Ok(None));
    }

    #[test]
    fn answers_without_a_body_have_none() {
        let head = |text: &str, verb| answer(text.as_bytes(), verb).unwrap().unwrap();
        let long = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n";
        assert_eq!(head(long, "HEAD").body, Length::Fixed(0));
        assert_eq!(head(long, "GET").body, Length::Fixed(9));
        let bare = head("HTTP/1.1 200 OK\r\n\r\n", "POST");
        assert_eq!((bare.body, bare.keep_alive), (Length::UntilClose, false));
        assert_eq!(
            head("HTTP/1.1 204 No\r\n\r\n", "POST").body,
            Length::Fixed(0)
        );
    }

    #[test]
    fn only_what_must_change_does() {
        let head = b"POST /mcp HTTP/1.1\r\nhOST:127.0.0.1:1\r\nX-A:  b \r\nAccept: x\r\n\r\n";
        let changes = Changes {
            host: Some("h:2".to_owned()),
            ..Changes::default()
        };
        let expected = b"POST /mcp HTTP/1.1\r\nhOST: h:2\r\nX-A:  b \r\nAccept: x\r\n\r\n".to_vec();
        assert_eq!(changed(head, &changes), expected);
        let set = Changes {
            set: vec![("accept".to_owned(), "y".to_owned())],
            without: vec!["x-a".to_owned()],
            ..Changes::default()
        };
        let expected = b"POST /mcp HTTP/1.1\r\nhOST:127.0.0.1:1\r\naccept: y\r\n\r\n".to_vec();
        assert_eq!(changed(head, &set), expected);
    }
}
