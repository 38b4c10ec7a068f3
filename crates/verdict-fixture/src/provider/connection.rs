//! One connection of HTTP/1.1 to the provider: bytes in, acts out.

use super::{Fate, Reply, StubProvider};

/// What the driver does, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Sends bytes.
    Send(Vec<u8>),
    /// Waits, in milliseconds.
    Wait(u64),
    /// Closes the connection.
    Close,
    /// Resets it, so that the other side sees an error.
    Reset,
}

/// A connection that is kept for several requests.
#[derive(Debug, Default)]
pub struct Connection {
    buffer: Vec<u8>,
}

/// More than this is no request.
const MOST: usize = 32 << 20;

impl Connection {
    /// A fresh one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes bytes in; every request that is whole is answered. `now` is the time in Unix seconds.
    pub fn receive(&mut self, provider: &mut StubProvider, bytes: &[u8], now: u64) -> Vec<Act> {
        self.buffer.extend_from_slice(bytes);
        let mut acts = Vec::new();
        loop {
            match whole(&self.buffer) {
                Ok(None) => return acts,
                Ok(Some((path, head, length))) => {
                    let reply = provider.answer(&path, &self.buffer[head..length], now);
                    self.buffer.drain(..length);
                    let ends = reply.fate == Fate::Cut || reply.fate == Fate::Reset;
                    acts.extend(written(&reply));
                    if ends {
                        return acts;
                    }
                }
                Err(()) => {
                    acts.push(Act::Send(
                        b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n".to_vec(),
                    ));
                    acts.push(Act::Close);
                    return acts;
                }
            }
        }
    }
}

/// Path, length of the head and length of the first request, where it is whole.
fn whole(buffer: &[u8]) -> Result<Option<(String, usize, usize)>, ()> {
    let mut fields = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut fields);
    let head = match request.parse(buffer).map_err(|_| ())? {
        httparse::Status::Partial => {
            return if buffer.len() > MOST {
                Err(())
            } else {
                Ok(None)
            };
        }
        httparse::Status::Complete(head) => head,
    };
    let length = request
        .headers
        .iter()
        .find(|field| field.name.eq_ignore_ascii_case("content-length"));
    let length = match length {
        Some(field) => std::str::from_utf8(field.value)
            .ok()
            .and_then(|text| text.trim().parse().ok())
            .ok_or(())?,
        None => 0_usize,
    };
    let whole = head
        .checked_add(length)
        .filter(|whole| *whole <= MOST)
        .ok_or(())?;
    let path = request.path.unwrap_or_default().to_owned();
    Ok((buffer.len() >= whole).then_some((path, head, whole)))
}

fn written(reply: &Reply) -> Vec<Act> {
    let mut acts = Vec::new();
    if reply.wait_ms > 0 {
        acts.push(Act::Wait(reply.wait_ms));
    }
    if reply.fate == Fate::Reset {
        acts.push(Act::Reset);
        return acts;
    }
    let mut head = format!(
        "HTTP/1.1 {} Stub\r\ncontent-length: {}\r\n",
        reply.status,
        reply.body.len()
    );
    for (name, value) in &reply.headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    head += "\r\n";
    acts.push(Act::Send(head.into_bytes()));
    match reply.fate {
        Fate::Cut => {
            acts.push(Act::Send(reply.body[..reply.body.len() / 2].to_vec()));
            acts.push(Act::Close);
        }
        Fate::Drip(ms) => {
            for drop in reply.body.chunks(16) {
                acts.push(Act::Wait(ms));
                acts.push(Act::Send(drop.to_vec()));
            }
        }
        Fate::Whole | Fate::Reset => acts.push(Act::Send(reply.body.clone())),
    }
    acts
}

#[cfg(test)]
mod tests {
    use super::{Act, Connection};
    use crate::provider::StubProvider;

    fn request(model: &str) -> Vec<u8> {
        let body =
            format!(r#"{{"model":"{model}","messages":[{{"role":"user","content":"hi"}}]}}"#);
        format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: h\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .into_bytes()
    }

    #[test]
    fn any_split_of_the_bytes_gives_the_same_answer() {
        let bytes = [request("stub-text"), request("stub-empty")].concat();
        let whole = Connection::new().receive(&mut StubProvider::default(), &bytes, 0);
        assert_eq!(whole.len(), 4);
        for split in 0..bytes.len() {
            let (mut connection, mut provider) = (Connection::new(), StubProvider::default());
            let mut acts = connection.receive(&mut provider, &bytes[..split], 0);
            acts.extend(connection.receive(&mut provider, &bytes[split..], 0));
            assert_eq!(acts, whole, "{split}");
        }
    }

    #[test]
    fn troubles_of_the_connection_are_acts() {
        let mut provider = StubProvider::default();
        let mut acts = |model: &str| Connection::new().receive(&mut provider, &request(model), 0);
        assert_eq!(acts("stub-reset"), [Act::Reset]);
        assert_eq!(acts("stub-cut").last(), Some(&Act::Close));
        assert_eq!(acts("stub-slow").first(), Some(&Act::Wait(3000)));
        assert!(acts("stub-drip").len() > 10);
        assert_eq!(acts("stub-reset").len(), 2, "the second time it answers");
        let odd = Connection::new().receive(&mut provider, b"nonsense\r\n\r\n", 0);
        assert_eq!(odd.last(), Some(&Act::Close));
    }
}
