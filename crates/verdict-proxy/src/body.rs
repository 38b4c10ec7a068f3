//! Where the body of a message ends, and the data in it.

use crate::http::{Broken, Length};

/// Bytes of a line of a chunked body.
const MOST_LINE: usize = 16 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Data(u64),
    Size,
    AfterData,
    Trailer,
    UntilClose,
    Done,
}

/// Finds the end of a body in bytes of any split, and the data in it.
#[derive(Debug, Clone)]
pub struct Body {
    state: State,
    chunked: bool,
    line: Vec<u8>,
}

impl Body {
    /// Of a body that is delimited so.
    pub fn new(length: Length) -> Self {
        let state = match length {
            Length::Fixed(0) => State::Done,
            Length::Fixed(bytes) => State::Data(bytes),
            Length::Chunked => State::Size,
            Length::UntilClose => State::UntilClose,
        };
        Self {
            state,
            chunked: length == Length::Chunked,
            line: Vec::new(),
        }
    }

    /// Whether the end was seen.
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Whether the end of the connection ends this body in good order.
    pub fn may_close(&self) -> bool {
        matches!(self.state, State::Done | State::UntilClose)
    }

    /// Takes bytes and hands the data in them to `each`; how many of them belong to this body.
    ///
    /// # Errors
    /// [`Broken::Chunk`] where the framing breaks.
    pub fn feed(&mut self, bytes: &[u8], each: &mut impl FnMut(&[u8])) -> Result<usize, Broken> {
        let mut at = 0;
        while at < bytes.len() && self.state != State::Done {
            let rest = &bytes[at..];
            match self.state {
                State::UntilClose => {
                    each(rest);
                    return Ok(bytes.len());
                }
                State::Data(left) => {
                    let take = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
                    each(&rest[..take]);
                    at += take;
                    self.state = match (left - take as u64, self.chunked) {
                        (0, true) => State::AfterData,
                        (0, false) => State::Done,
                        (left, _) => State::Data(left),
                    };
                }
                _ => {
                    let end = rest.iter().position(|byte| *byte == b'\n');
                    let take = end.map_or(rest.len(), |end| end + 1);
                    self.line.extend_from_slice(&rest[..take]);
                    at += take;
                    if self.line.len() > MOST_LINE {
                        return Err(Broken::Chunk);
                    }
                    if end.is_some() {
                        self.end_line()?;
                    }
                }
            }
        }
        Ok(at)
    }

    fn end_line(&mut self) -> Result<(), Broken> {
        let line = std::mem::take(&mut self.line);
        let line = line.strip_suffix(b"\r\n").ok_or(Broken::Chunk)?;
        self.state = match self.state {
            State::AfterData if line.is_empty() => State::Size,
            State::AfterData => return Err(Broken::Chunk),
            State::Trailer if line.is_empty() => State::Done,
            State::Trailer => State::Trailer,
            _ => {
                let digits = line.split(|byte| *byte == b';').next().unwrap_or_default();
                let digits = std::str::from_utf8(digits).map_err(|_| Broken::Chunk)?;
                let digits = digits.trim_end();
                let sound = !digits.is_empty()
                    && digits.len() <= 15
                    && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
                match u64::from_str_radix(digits, 16) {
                    Ok(0) if sound => State::Trailer,
                    Ok(size) if sound => State::Data(size),
                    _ => return Err(Broken::Chunk),
                }
            }
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_split_finds_the_same_end() {
        let body = b"5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nT: 1\r\n\r\nNEXT";
        for split in 0..=body.len() {
            let mut reader = Body::new(Length::Chunked);
            let mut data = Vec::new();
            let mut used = 0;
            for part in [&body[..split], &body[split..]] {
                used += reader
                    .feed(part, &mut |bytes| data.extend_from_slice(bytes))
                    .unwrap();
            }
            assert!(reader.is_done(), "split at {split}");
            assert_eq!(
                (used, &data[..]),
                (body.len() - 4, &b"hello world"[..]),
                "split at {split}"
            );
        }
    }

    #[test]
    fn sizes_that_are_none_are_refused() {
        for size in ["zz", "", "-1", "fffffffffffffffff"] {
            let mut body = Body::new(Length::Chunked);
            let line = format!("{size}\r\n");
            assert_eq!(
                body.feed(line.as_bytes(), &mut |_| {}),
                Err(Broken::Chunk),
                "{size}"
            );
        }
        let endless = vec![b'1'; MOST_LINE + 1];
        assert!(
            Body::new(Length::Chunked)
                .feed(&endless, &mut |_| {})
                .is_err()
        );
    }
}
