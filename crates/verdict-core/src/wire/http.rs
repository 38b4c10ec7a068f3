//! HTTP/1.1 answers (RFC 9112), read strictly from bytes in any split.
//!
//! False lengths, header floods and broken chunks are refused with one clear sentence each; after any of
//! them the connection is not used again.

use super::Limits;

/// Why an answer cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpFault {
    /// The head is no HTTP/1.1 head.
    #[error("the answer is not HTTP/1.1: {0}")]
    Head(&'static str),
    /// The head is larger than the limit.
    #[error("the head of the answer exceeds the limit of {0} bytes")]
    HeadTooLarge(usize),
    /// The head has more fields than the limit.
    #[error("the head of the answer exceeds the limit of {0} fields")]
    TooManyFields(usize),
    /// The length of the body cannot be told.
    #[error("the length of the body is unclear: {0}")]
    Length(&'static str),
    /// A chunk is not as the format wants it.
    #[error("the chunked body is broken: {0}")]
    Chunk(&'static str),
    /// The body is larger than the limit.
    #[error("the answer exceeds the limit of {0} bytes")]
    TooLarge(usize),
    /// The body is encoded although nobody asked for it.
    #[error("the body is encoded as `{0}` although the request accepts `identity` alone")]
    Encoded(String),
    /// The connection ended before the answer did.
    #[error("the connection was closed {0}")]
    CutOff(&'static str),
}

/// The status line and the fields of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The status code.
    pub status: u16,
    /// Field names and values in order; bytes that are not UTF-8 are read as Latin-1.
    pub headers: Vec<(String, String)>,
    /// Whether the connection can carry another request after this answer.
    pub keep_alive: bool,
}

impl Head {
    /// The values of a field, compared without case.
    pub fn values<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'h str> {
        self.headers
            .iter()
            .filter(move |(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// The head is complete.
    Head(Head),
    /// Bytes of the body.
    Body(Vec<u8>),
    /// The answer is complete.
    End,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Head,
    Fixed(u64),
    ChunkSize,
    ChunkData(u64),
    ChunkEnd,
    Trailer,
    UntilClose,
    Done,
}

/// Reads one answer.
#[derive(Debug, Clone)]
pub struct Reader {
    limits: Limits,
    state: State,
    held: Vec<u8>,
    body_bytes: usize,
    interim: usize,
}

/// Bytes that tell whether an answer is HTTP at all.
const TELLING: usize = 16;
/// Interim answers (100, 103) before the final one; more are a flood.
const MAX_INTERIM: usize = 32;

impl Reader {
    /// A reader for the answer to one request.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            state: State::Head,
            held: Vec::new(),
            body_bytes: 0,
            interim: 0,
        }
    }

    /// Whether no byte of the answer has come yet.
    pub fn untouched(&self) -> bool {
        self.state == State::Head && self.held.is_empty()
    }

    /// Takes bytes and hands every part they complete to `each`.
    ///
    /// # Errors
    /// The fault that makes the rest unreadable; bytes after the end of the answer are one.
    pub fn feed(&mut self, bytes: &[u8], each: &mut impl FnMut(Piece)) -> Result<(), HttpFault> {
        let mut rest = bytes;
        loop {
            match self.state {
                State::Head => {
                    // A head can only become complete, or too large, with one of these; its first bytes
                    // tell whether it is HTTP at all.
                    let telling = rest.contains(&b'\n') || self.held.len() < TELLING;
                    self.held.extend_from_slice(rest);
                    if !telling && self.held.len() <= self.limits.head_bytes {
                        return Ok(());
                    }
                    let Some(after) = self.head(each)? else {
                        return Ok(());
                    };
                    // What followed the head is read on from its own buffer.
                    return if after.is_empty() {
                        Ok(())
                    } else {
                        self.feed(&after, each)
                    };
                }
                State::Done => {
                    return if rest.is_empty() {
                        Ok(())
                    } else {
                        Err(HttpFault::Length("more bytes came than were announced"))
                    };
                }
                _ if rest.is_empty() => return Ok(()),
                State::Fixed(left) => {
                    let take = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
                    self.body(&rest[..take], each)?;
                    rest = &rest[take..];
                    self.state = State::Fixed(left - take as u64);
                    if left == take as u64 {
                        self.end(each);
                    }
                }
                State::UntilClose => {
                    self.body(rest, each)?;
                    return Ok(());
                }
                State::ChunkData(left) => {
                    let take = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
                    self.body(&rest[..take], each)?;
                    rest = &rest[take..];
                    self.state = match left - take as u64 {
                        0 => State::ChunkEnd,
                        left => State::ChunkData(left),
                    };
                }
                State::ChunkSize | State::ChunkEnd | State::Trailer => {
                    let Some(at) = rest.iter().position(|byte| *byte == b'\n') else {
                        self.hold(rest)?;
                        return Ok(());
                    };
                    self.hold(&rest[..at])?;
                    rest = &rest[at + 1..];
                    let line = std::mem::take(&mut self.held);
                    let Some(line) = line.strip_suffix(b"\r") else {
                        return Err(HttpFault::Chunk("a line does not end in CR LF"));
                    };
                    self.chunk_line(line, each)?;
                }
            }
        }
    }

    /// Says that the connection is at its end.
    ///
    /// # Errors
    /// [`HttpFault::CutOff`] when the answer was not complete.
    pub fn close(&mut self, each: &mut impl FnMut(Piece)) -> Result<(), HttpFault> {
        match self.state {
            State::Done => Ok(()),
            State::UntilClose => {
                self.end(each);
                Ok(())
            }
            State::Head if self.held.is_empty() => Err(HttpFault::CutOff("before any answer")),
            State::Head => Err(HttpFault::CutOff("inside the head of the answer")),
            _ => Err(HttpFault::CutOff("inside the body of the answer")),
        }
    }

    fn hold(&mut self, bytes: &[u8]) -> Result<(), HttpFault> {
        if self.held.len() + bytes.len() > self.limits.head_bytes {
            return Err(HttpFault::Chunk("a line of the framing has no end"));
        }
        self.held.extend_from_slice(bytes);
        Ok(())
    }

    fn body(&mut self, bytes: &[u8], each: &mut impl FnMut(Piece)) -> Result<(), HttpFault> {
        self.body_bytes = self.body_bytes.saturating_add(bytes.len());
        if self.body_bytes > self.limits.answer_bytes {
            return Err(HttpFault::TooLarge(self.limits.answer_bytes));
        }
        if !bytes.is_empty() {
            each(Piece::Body(bytes.to_vec()));
        }
        Ok(())
    }

    fn end(&mut self, each: &mut impl FnMut(Piece)) {
        self.state = State::Done;
        each(Piece::End);
    }

    fn chunk_line(&mut self, line: &[u8], each: &mut impl FnMut(Piece)) -> Result<(), HttpFault> {
        match self.state {
            State::ChunkEnd if line.is_empty() => self.state = State::ChunkSize,
            State::ChunkEnd => return Err(HttpFault::Chunk("a chunk is longer than its size")),
            State::Trailer if line.is_empty() => self.end(each),
            State::Trailer => {} // Trailer fields carry nothing that is judged.
            _ => {
                let digits = line.split(|byte| *byte == b';').next().unwrap_or_default();
                let digits = std::str::from_utf8(digits).unwrap_or_default().trim_end();
                let hexadecimal = !digits.is_empty()
                    && digits.len() <= 15
                    && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
                if !hexadecimal {
                    return Err(HttpFault::Chunk("a chunk size is not a hexadecimal number"));
                }
                self.state = match u64::from_str_radix(digits, 16) {
                    Ok(0) => State::Trailer,
                    Ok(size) => State::ChunkData(size),
                    Err(_) => return Err(HttpFault::Chunk("a chunk size is out of range")),
                };
            }
        }
        Ok(())
    }

    /// Reads heads until one is final; gives back the bytes behind it.
    fn head(&mut self, each: &mut impl FnMut(Piece)) -> Result<Option<Vec<u8>>, HttpFault> {
        loop {
            let mut fields = vec![httparse::EMPTY_HEADER; self.limits.head_fields];
            let mut response = httparse::Response::new(&mut fields);
            // No more than this is looked at, so that any split of the bytes fails at the same of them.
            let bounded = &self.held[..self.held.len().min(self.limits.head_bytes)];
            let lines = bounded.iter().rposition(|byte| *byte == b'\n');
            let telling = bounded.len().min(TELLING).max(lines.map_or(0, |at| at + 1));
            let length = match response.parse(&bounded[..telling]) {
                Ok(httparse::Status::Complete(length)) => length,
                Ok(httparse::Status::Partial) if self.held.len() > self.limits.head_bytes => {
                    return Err(HttpFault::HeadTooLarge(self.limits.head_bytes));
                }
                Ok(httparse::Status::Partial) => return Ok(None),
                Err(httparse::Error::TooManyHeaders) => {
                    return Err(HttpFault::TooManyFields(self.limits.head_fields));
                }
                Err(error) => return Err(HttpFault::Head(head_fault(error))),
            };
            let status = response.code.unwrap_or_default();
            if !(100..600).contains(&status) {
                return Err(HttpFault::Head("the status is not between 100 and 599"));
            }
            let version = response.version.unwrap_or(1);
            let headers = response
                .headers
                .iter()
                .map(|field| (field.name.to_owned(), field_text(field.value)))
                .collect();
            let after = self.held.split_off(length);
            self.held = after;
            // Interim answers (100, 103) announce nothing that is judged.
            if (100..200).contains(&status) && status != 101 {
                self.interim += 1;
                if self.interim > MAX_INTERIM {
                    return Err(HttpFault::Head("too many interim answers"));
                }
                continue;
            }
            let head = Head {
                status,
                headers,
                keep_alive: version == 1,
            };
            let head = self.frame(head)?;
            each(Piece::Head(head));
            if self.state == State::Done {
                each(Piece::End);
            }
            return Ok(Some(std::mem::take(&mut self.held)));
        }
    }

    /// Decides how the body is delimited (RFC 9112, section 6.3).
    fn frame(&mut self, mut head: Head) -> Result<Head, HttpFault> {
        let connection = head
            .values("connection")
            .collect::<Vec<_>>()
            .join(",")
            .to_ascii_lowercase();
        let says = |token: &str| connection.split(',').any(|part| part.trim() == token);
        head.keep_alive = if head.keep_alive {
            !says("close")
        } else {
            says("keep-alive")
        };

        if let Some(encoding) = head
            .values("content-encoding")
            .map(str::trim)
            .find(|value| !value.is_empty() && !value.eq_ignore_ascii_case("identity"))
        {
            return Err(HttpFault::Encoded(super::json::cut(encoding, 40)));
        }
        let transfer: Vec<&str> = head.values("transfer-encoding").collect();
        let mut lengths: Vec<&str> = head
            .values("content-length")
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .collect();
        if head.status == 204 || head.status == 304 {
            self.state = State::Done;
            return Ok(head);
        }
        if !transfer.is_empty() {
            if !lengths.is_empty() {
                return Err(HttpFault::Length(
                    "both Content-Length and Transfer-Encoding are given",
                ));
            }
            if transfer.len() != 1 || !transfer[0].trim().eq_ignore_ascii_case("chunked") {
                return Err(HttpFault::Length(
                    "a Transfer-Encoding other than `chunked`",
                ));
            }
            self.state = State::ChunkSize;
            return Ok(head);
        }
        lengths.sort_unstable();
        lengths.dedup();
        match lengths[..] {
            [] => {
                self.state = State::UntilClose;
                head.keep_alive = false;
            }
            [length] => {
                if length.is_empty() || !length.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(HttpFault::Length("Content-Length is not a number"));
                }
                let Ok(length) = length.parse::<u64>() else {
                    return Err(HttpFault::TooLarge(self.limits.answer_bytes));
                };
                if length > self.limits.answer_bytes as u64 {
                    return Err(HttpFault::TooLarge(self.limits.answer_bytes));
                }
                self.state = if length == 0 {
                    State::Done
                } else {
                    State::Fixed(length)
                };
            }
            _ => return Err(HttpFault::Length("two different values of Content-Length")),
        }
        Ok(head)
    }
}

fn head_fault(error: httparse::Error) -> &'static str {
    match error {
        httparse::Error::HeaderName => "a field name has an invalid character",
        httparse::Error::HeaderValue => "a field value has an invalid character",
        httparse::Error::NewLine => "a line ends in a lone CR or LF",
        httparse::Error::Status => "the status is not a three-digit number",
        httparse::Error::Version => "no HTTP/1.x status line",
        httparse::Error::Token => "a token has an invalid character",
        httparse::Error::TooManyHeaders => "too many fields",
    }
}

/// A field value as text: UTF-8 where it is, else Latin-1, as old servers mean it.
fn field_text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], split: usize, close: bool) -> Result<(u16, Vec<u8>, bool), HttpFault> {
        let mut reader = Reader::new(Limits::default());
        let (mut status, mut body, mut ended) = (0, Vec::new(), false);
        let mut each = |piece| match piece {
            Piece::Head(head) => status = head.status,
            Piece::Body(bytes) => body.extend(bytes),
            Piece::End => ended = true,
        };
        for part in bytes.chunks(split.max(1)) {
            reader.feed(part, &mut each)?;
        }
        if close {
            reader.close(&mut each)?;
        }
        Ok((status, body, ended))
    }

    #[test]
    fn bodies_in_any_split() {
        let cases: [(&[u8], bool); 4] = [
            (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=1\r\nhel\r\n2\r\nlo\r\n0\r\nA: b\r\n\r\n", false),
            (b"HTTP/1.0 200 OK\r\n\r\nhello", true),
            (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 5, 5\r\n\r\nhello", false),
        ];
        for (bytes, close) in cases {
            for split in 1..=bytes.len() {
                assert_eq!(
                    read(bytes, split, close),
                    Ok((200, b"hello".to_vec(), true))
                );
            }
        }
        assert_eq!(
            read(b"HTTP/1.1 204 No Content\r\n\r\n", 1, false),
            Ok((204, vec![], true))
        );
        assert_eq!(
            read(b"HTTP/1.1 202 A\r\nContent-Length: 0\r\n\r\n", 9, false),
            Ok((202, vec![], true))
        );
    }

    #[test]
    fn garbage_fails_at_the_same_byte_in_any_split() {
        let cases: [&[u8]; 4] = [
            b"\n\n\xFA\xFA\xFA\xFA\xFA\xFA\xFA%\xFA%\xFF\x02(!",
            b"HTTP/1.1 2x0 OK and more of it",
            b"HTTP/1.1 200 OK\r\nA: b\r\nC d: e\r\nF",
            b"HTTP/1.1 103 Hints\r\n\r\nSSH-2.0-x of another kind",
        ];
        for bytes in cases {
            let whole = read(bytes, bytes.len(), false);
            assert!(matches!(whole, Err(HttpFault::Head(_))), "{whole:?}");
            for split in 1..=bytes.len() {
                assert_eq!(read(bytes, split, false), whole, "in pieces of {split}");
                let mut reader = Reader::new(Limits::default());
                let [one, other] = [&bytes[..split], &bytes[split..]];
                let first = reader.feed(one, &mut |_| {});
                let read = first.and_then(|()| reader.feed(other, &mut |_| {}));
                assert_eq!(read.err(), whole.clone().err(), "split after {split}");
            }
        }
    }

    #[test]
    fn false_lengths_are_refused_with_one_sentence_each() {
        let cases: [(&[u8], bool, HttpFault); 10] = [
            (
                b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello",
                true,
                HttpFault::CutOff("inside the body of the answer"),
            ),
            (
                b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello",
                false,
                HttpFault::Length("more bytes came than were announced"),
            ),
            (
                b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n",
                false,
                HttpFault::Length("two different values of Content-Length"),
            ),
            (
                b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
                false,
                HttpFault::Length("both Content-Length and Transfer-Encoding are given"),
            ),
            (
                b"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n",
                false,
                HttpFault::Length("Content-Length is not a number"),
            ),
            (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
                false,
                HttpFault::Chunk("a chunk size is not a hexadecimal number"),
            ),
            (b"hello", true, HttpFault::Head("no HTTP/1.x status line")),
            (
                b"HTTP/1.1 999 X\r\n\r\n",
                false,
                HttpFault::Head("the status is not between 100 and 599"),
            ),
            (
                b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n",
                false,
                HttpFault::Encoded("gzip".to_owned()),
            ),
            (b"", true, HttpFault::CutOff("before any answer")),
        ];
        for (bytes, close, fault) in cases {
            assert_eq!(
                read(bytes, 1, close),
                Err(fault.clone()),
                "{}",
                String::from_utf8_lossy(bytes)
            );
        }
    }

    #[test]
    fn floods_end_at_the_limit() {
        let mut many = b"HTTP/1.1 200 OK\r\n".to_vec();
        for at in 0..100_000 {
            many.extend(format!("X-{at}: 1\r\n").bytes());
        }
        assert_eq!(read(&many, 4096, false), Err(HttpFault::TooManyFields(256)));
        let interim = b"HTTP/1.1 103 Hints\r\n\r\n".repeat(100_000);
        assert_eq!(
            read(&interim, 1 << 16, false),
            Err(HttpFault::Head("too many interim answers"))
        );
        let mut large = b"HTTP/1.1 200 OK\r\nX: ".to_vec();
        large.extend(std::iter::repeat_n(b'x', 10 << 20));
        assert_eq!(
            read(&large, 1 << 16, false),
            Err(HttpFault::HeadTooLarge(128 << 10))
        );
    }
}
