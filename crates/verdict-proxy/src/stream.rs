//! Event streams block by block: an event's bytes stay together, so that what is not changed passes as it was.

use verdict_core::wire::sse;

/// Bytes of one event beyond which it passes in pieces, unread.
const MOST_EVENT: usize = 32 << 20;

/// Cuts a stream at its blank lines, in any split of the bytes.
#[derive(Debug, Clone, Default)]
pub struct Blocks {
    held: Vec<u8>,
    /// Where the line that is not complete begins.
    line: usize,
}

impl Blocks {
    /// Takes bytes and hands every block they complete to `each`, its blank line counted.
    pub fn feed(&mut self, bytes: &[u8], each: &mut impl FnMut(Vec<u8>)) {
        for byte in bytes {
            self.held.push(*byte);
            if !matches!(byte, b'\n' | b'\r') {
                if self.held.len() > MOST_EVENT {
                    self.line = 0;
                    each(std::mem::take(&mut self.held));
                }
                continue;
            }
            let end = self.held.len() - 1;
            // The LF of a CRLF ends no line of its own.
            let joined =
                *byte == b'\n' && end > 0 && end == self.line && self.held[end - 1] == b'\r';
            let blank = end == self.line && !joined;
            self.line = self.held.len();
            if blank || self.held.len() > MOST_EVENT {
                self.line = 0;
                each(std::mem::take(&mut self.held));
            }
        }
    }

    /// What is left where the stream ends inside of a block.
    pub fn rest(&mut self) -> Vec<u8> {
        self.line = 0;
        std::mem::take(&mut self.held)
    }
}

/// The data of a block that is an event.
pub fn data(block: &[u8]) -> Option<String> {
    let mut found = None;
    let mut take = |event: sse::Event| found = Some(event.data);
    let mut reader = sse::Reader::default();
    reader.feed(block, &mut take);
    // A block that ends in a CR alone is complete as well.
    reader.feed(b"\n", &mut take);
    found
}

/// An event with this text.
pub fn event(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 16);
    // A line end inside of the text would end the field.
    for line in text.split('\n') {
        out.extend_from_slice(b"data: ");
        out.extend_from_slice(line.trim_end_matches('\r').as_bytes());
        out.push(b'\n');
    }
    out.push(b'\n');
    out
}

/// How events look on the wire.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Style {
    /// Comments, CRLF, chunks of odd sizes.
    pub noise: bool,
    /// Lines end in a lone CR.
    pub cr: bool,
    /// Fields `id` and `retry`.
    pub ids: bool,
}

impl Style {
    /// A block in this style; `number` is its place on the stream, from 1.
    pub fn dress(&self, block: &[u8], number: u64) -> Vec<u8> {
        let mut out = Vec::with_capacity(block.len() + 64);
        if self.ids {
            out.extend_from_slice(format!("id: verdict-{number}\nretry: 50\n").as_bytes());
        }
        if self.noise {
            out.extend_from_slice(b": a comment\n:\n");
        }
        out.extend_from_slice(block);
        let end: &[u8] = match (self.noise, self.cr) {
            (_, true) => b"\r",
            (true, _) => b"\r\n",
            _ => return out,
        };
        let text = String::from_utf8_lossy(&out).replace("\r\n", "\n");
        let text = text.replace('\r', "\n");
        let lines = text.split('\n').map(str::as_bytes).collect::<Vec<_>>();
        lines.join(end)
    }

    /// Bytes as chunks.
    pub fn chunks(&self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len() + 16);
        let mut rest = bytes;
        let sizes = [1, 2, 3, 5, 7, 11, 1];
        for size in sizes.into_iter().cycle() {
            if rest.is_empty() {
                return out;
            }
            let take = if self.noise { size } else { rest.len() };
            let (chunk, after) = rest.split_at(take.min(rest.len()));
            out.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            out.extend_from_slice(chunk);
            out.extend_from_slice(b"\r\n");
            rest = after;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_end_passes_in_pieces() {
        let (mut blocks, mut most) = (Blocks::default(), 0);
        for _ in 0..40 {
            blocks.feed(&vec![b'x'; 1 << 20], &mut |piece| {
                most = most.max(piece.len());
            });
        }
        assert!(most > MOST_EVENT && blocks.rest().len() < MOST_EVENT);
    }

    #[test]
    fn blocks_are_the_same_in_any_split() {
        let stream = b": hi\n\ndata: a\r\ndata: b\r\n\r\nid: 1\rdata: c\r\rdata: d\n\ndata: open";
        let cut = |parts: &[&[u8]]| {
            let mut blocks = Blocks::default();
            let mut all = Vec::new();
            for part in parts {
                blocks.feed(part, &mut |block| all.push(block));
            }
            all.push(blocks.rest());
            all
        };
        let whole = cut(&[stream]);
        assert_eq!(whole.concat(), stream, "no byte is lost");
        let texts: Vec<_> = whole.iter().filter_map(|block| data(block)).collect();
        assert_eq!(texts[..3], ["a\nb", "c", "d"]);
        for at in 0..=stream.len() {
            assert_eq!(cut(&[&stream[..at], &stream[at..]]), whole, "split at {at}");
        }
    }

    #[test]
    fn every_style_says_the_same() {
        let block = event("{\"a\":\n\"é\"}");
        for (noise, cr, ids) in [
            (true, false, false),
            (false, true, false),
            (true, true, true),
        ] {
            let style = Style { noise, cr, ids };
            let dressed = style.dress(&block, 3);
            assert_eq!(data(&dressed).as_deref(), Some("{\"a\":\n\"é\"}"));
            let chunks = style.chunks(&dressed);
            let mut plain = Vec::new();
            crate::http::Body::new(crate::http::Length::Chunked)
                .feed(&chunks, &mut |bytes| plain.extend_from_slice(bytes))
                .unwrap();
            assert_eq!(plain, dressed);
        }
        assert_eq!(Style::default().dress(&block, 1), block);
    }
}
