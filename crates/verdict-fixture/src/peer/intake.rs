//! Cuts whole HTTP requests out of the bytes of one connection.
//!
//! Any split of the bytes gives the same requests. Nothing here knows of MCP.

use super::head::Head;

const MAX_HEAD: usize = 64 * 1024;
const MAX_FIELDS: usize = 128;
const MAX_BODY: usize = 4 * 1024 * 1024;

/// What the bytes so far amount to.
#[derive(Debug)]
pub(crate) enum Intake {
    /// Not yet a request. True when the head is there and its sender waits for leave to go on.
    More(bool),
    /// One request; its bytes are gone from the buffer.
    Request(Head, Vec<u8>),
    /// Not HTTP that we can read: the status to refuse it with, and why.
    Bad(u16, &'static str),
}

/// Takes the next request off the front of `buffer`.
pub(crate) fn take(buffer: &mut Vec<u8>) -> Intake {
    let (head, head_len) = match parse_head(buffer) {
        Ok(Some(found)) => found,
        Ok(None) if buffer.len() > MAX_HEAD => return Intake::Bad(431, "head too large"),
        Ok(None) => return Intake::More(false),
        Err(why) => return Intake::Bad(400, why),
    };
    let after = &buffer[head_len..];
    let body = match body(&head, after) {
        Ok(Some(found)) => found,
        Ok(None) if after.len() > 2 * MAX_BODY => return Intake::Bad(413, "body too large"),
        Ok(None) => return Intake::More(waits(&head) && after.is_empty()),
        Err((status, why)) => return Intake::Bad(status, why),
    };
    let (body, body_len) = body;
    buffer.drain(..head_len + body_len);
    Intake::Request(head, body)
}

fn waits(head: &Head) -> bool {
    head.text("expect")
        .is_some_and(|value| value.eq_ignore_ascii_case("100-continue"))
}

fn parse_head(buffer: &[u8]) -> Result<Option<(Head, usize)>, &'static str> {
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut parsed = httparse::Request::new(&mut fields);
    let len = match parsed.parse(buffer) {
        Ok(httparse::Status::Complete(len)) => len,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err("this is not an HTTP/1 request"),
    };
    let mut head = Head::default();
    parsed.method.unwrap_or_default().clone_into(&mut head.verb);
    parsed.path.unwrap_or_default().clone_into(&mut head.path);
    head.minor = parsed.version.unwrap_or_default();
    head.raw = buffer[..len].to_vec();
    for field in parsed.headers.iter() {
        head.add(field.name, field.value.trim_ascii());
    }
    Ok(Some((head, len)))
}

type Body = Result<Option<(Vec<u8>, usize)>, (u16, &'static str)>;

/// The body and the bytes it took, once all of it is there.
fn body(head: &Head, after: &[u8]) -> Body {
    match (head.text("transfer-encoding"), head.text("content-length")) {
        (Some(_), Some(_)) => Err((400, "both a length and chunks")),
        (Some(coding), None) if coding.eq_ignore_ascii_case("chunked") => chunks(after),
        (Some(_), None) => Err((501, "unknown transfer coding")),
        (None, Some(length)) => {
            let digits = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
            let length: usize = length
                .parse()
                .ok()
                .filter(|_| digits)
                .ok_or((400, "bad content length"))?;
            if length > MAX_BODY {
                return Err((413, "body too large"));
            }
            Ok(after.get(..length).map(|body| (body.to_vec(), length)))
        }
        (None, None) => Ok(Some((Vec::new(), 0))),
    }
}

fn chunks(after: &[u8]) -> Body {
    let mut body = Vec::new();
    let mut at = 0;
    loop {
        let (head_len, size) = match httparse::parse_chunk_size(&after[at..]) {
            Ok(httparse::Status::Complete(found)) => found,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(_) => return Err((400, "bad chunk size")),
        };
        at += head_len;
        if size == 0 {
            return Ok(trailer(&after[at..]).map(|len| (body, at + len)));
        }
        let size = usize::try_from(size)
            .ok()
            .filter(|size| body.len() + size <= MAX_BODY)
            .ok_or((413, "body too large"))?;
        let Some(data) = after.get(at..at + size + 2) else {
            return Ok(None);
        };
        let Some(data) = data.strip_suffix(b"\r\n") else {
            return Err((400, "chunk without its end"));
        };
        body.extend_from_slice(data);
        at += size + 2;
    }
}

/// Length of the trailer section with the empty line that ends it.
fn trailer(bytes: &[u8]) -> Option<usize> {
    if bytes.starts_with(b"\r\n") {
        return Some(2);
    }
    bytes
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .map(|at| at + 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8], piece: usize) -> Vec<String> {
        let mut buffer = Vec::new();
        let mut seen = Vec::new();
        for part in bytes.chunks(piece) {
            buffer.extend_from_slice(part);
            loop {
                match take(&mut buffer) {
                    Intake::Request(head, body) => {
                        seen.push(format!("{} {}", head.verb, String::from_utf8_lossy(&body)));
                    }
                    Intake::More(_) => break,
                    Intake::Bad(status, _) => {
                        seen.push(status.to_string());
                        return seen;
                    }
                }
            }
        }
        seen
    }

    #[test]
    fn any_split_gives_the_same_requests() {
        let bytes = b"POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n3;x=y\r\n\":1\r\n1\r\n}\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi";
        let whole = all(bytes, bytes.len());
        assert_eq!(whole, ["POST {\"a\":1}", "GET ", "POST hi"]);
        for piece in 1..bytes.len() {
            assert_eq!(all(bytes, piece), whole, "pieces of {piece}");
        }
    }

    #[test]
    fn broken_framing_is_refused() {
        for (bytes, status) in [
            (&b"\x16\x03\x01 hello\r\n\r\n"[..], "400"),
            (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "400"),
            (
                b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                "400",
            ),
            (b"POST / HTTP/1.1\r\nContent-Length: 9999999\r\n\r\n", "413"),
            (
                b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                "400",
            ),
        ] {
            assert_eq!(all(bytes, bytes.len()), [status]);
        }
    }
}
