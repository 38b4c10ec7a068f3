//! Server-sent events as the WHATWG HTML standard defines them: LF, CR and CRLF end lines, in any split.

/// One dispatched event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The `event` field; absent for the default type `message`.
    pub event: Option<String>,
    /// The `id` field of this event.
    pub id: Option<String>,
    /// The `data` lines joined by line feeds.
    pub data: String,
    /// Whether bytes were not UTF-8 and had to be replaced.
    pub invalid_utf8: bool,
}

/// Reads a stream of events from bytes in any split.
#[derive(Debug, Clone, Default)]
pub struct Reader {
    line: Vec<u8>,
    after_cr: bool,
    begun: bool,
    event: Option<String>,
    id: Option<String>,
    data: Option<Vec<u8>>,
    comments: u64,
}

impl Reader {
    /// Takes bytes and hands every event they complete to `each`.
    pub fn feed(&mut self, bytes: &[u8], each: &mut impl FnMut(Event)) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if std::mem::take(&mut self.after_cr) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let Some(at) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.line.extend_from_slice(rest);
                return;
            };
            self.line.extend_from_slice(&rest[..at]);
            self.after_cr = rest[at] == b'\r';
            rest = &rest[at + 1..];
            self.end_line(each);
        }
    }

    /// How many comments there were since this was last asked.
    pub fn comments(&mut self) -> u64 {
        std::mem::take(&mut self.comments)
    }

    /// Bytes held back for an event that is not complete.
    pub fn pending(&self) -> usize {
        self.line.len() + self.data.as_ref().map_or(0, Vec::len)
    }

    /// Whether the stream would end inside an event with data.
    pub fn cut_off(&self) -> bool {
        self.data.is_some() || self.line.starts_with(b"data")
    }

    fn end_line(&mut self, each: &mut impl FnMut(Event)) {
        let mut line = std::mem::take(&mut self.line);
        if !std::mem::replace(&mut self.begun, true) && line.starts_with(b"\xEF\xBB\xBF") {
            line.drain(..3);
        }
        if line.is_empty() {
            self.dispatch(each);
            return;
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            // A comment carries nothing; it keeps the connection alive.
            Some(0) => {
                self.comments += 1;
                return;
            }
            Some(at) => {
                let value = &line[at + 1..];
                (&line[..at], value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (&line[..], &[][..]),
        };
        match field {
            b"data" => match &mut self.data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => self.data = Some(value.to_vec()),
            },
            b"event" => self.event = Some(String::from_utf8_lossy(value).into_owned()),
            b"id" if !value.contains(&0) => {
                self.id = Some(String::from_utf8_lossy(value).into_owned());
            }
            _ => {} // `retry` and unknown fields carry no message.
        }
    }

    fn dispatch(&mut self, each: &mut impl FnMut(Event)) {
        let (event, id) = (self.event.take(), self.id.take());
        let Some(data) = self.data.take() else { return };
        let (data, invalid_utf8) = super::lines::decode(data);
        let event = event.filter(|name| !name.is_empty());
        each(Event {
            event,
            id,
            data,
            invalid_utf8,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(parts: &[&[u8]]) -> Vec<Event> {
        let mut reader = Reader::default();
        let mut events = Vec::new();
        for part in parts {
            reader.feed(part, &mut |event| events.push(event));
        }
        events
    }

    #[test]
    fn any_split_gives_the_same_events() {
        let stream = "\u{feff}: hi\r\nid: 7\r\nretry: 10\r\ndata:{\"a\":\r\ndata: \"é\"}\r\n\r\n\
                      event: ping\rdata\r\rdata: x\n\nid: 9\n\ndata: y\n\n"
            .as_bytes();
        let whole = read(&[stream]);
        assert_eq!(whole.len(), 4);
        assert_eq!(whole[0].data, "{\"a\":\n\"é\"}");
        assert_eq!(whole[0].id.as_deref(), Some("7"));
        assert_eq!(whole[1].event.as_deref(), Some("ping"));
        assert_eq!(whole[3].data, "y");
        for at in 0..=stream.len() {
            assert_eq!(
                read(&[&stream[..at], &stream[at..]]),
                whole,
                "split at {at}"
            );
        }
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(read(&bytes), whole);
    }

    #[test]
    fn a_stream_that_ends_inside_an_event_is_cut_off() {
        let mut reader = Reader::default();
        reader.feed(b"data: {\n", &mut |_| {});
        assert!(reader.cut_off());
        reader.feed(b"\n: bye\n", &mut |_| {});
        assert!(!reader.cut_off());
    }
}
