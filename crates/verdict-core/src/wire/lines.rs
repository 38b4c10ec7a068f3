//! Lines of a child process: LF ends a line, a CR before it belongs to the line end.

/// One line, without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its text; bytes that are not UTF-8 are replaced.
    pub text: String,
    /// Whether bytes had to be replaced.
    pub invalid_utf8: bool,
}

/// Reads lines from bytes in any split.
#[derive(Debug, Clone, Default)]
pub struct Reader {
    held: Vec<u8>,
}

impl Reader {
    /// Takes bytes and hands every line they complete to `each`.
    pub fn feed(&mut self, bytes: &[u8], each: &mut impl FnMut(Line)) {
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|byte| *byte == b'\n') {
            self.held.extend_from_slice(&rest[..at]);
            rest = &rest[at + 1..];
            each(finish(std::mem::take(&mut self.held)));
        }
        self.held.extend_from_slice(rest);
    }

    /// Bytes of a line that is not complete.
    pub fn pending(&self) -> usize {
        self.held.len()
    }

    /// The line that was never ended, when the input is over.
    pub fn rest(&mut self) -> Option<Line> {
        (!self.held.is_empty()).then(|| finish(std::mem::take(&mut self.held)))
    }
}

fn finish(mut bytes: Vec<u8>) -> Line {
    if bytes.last() == Some(&b'\r') {
        bytes.pop();
    }
    let (text, invalid_utf8) = decode(bytes);
    Line { text, invalid_utf8 }
}

/// Bytes as text, and whether some had to be replaced.
pub fn decode(bytes: Vec<u8>) -> (String, bool) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
    }
}

/// Watches whether bytes in any split are UTF-8, without keeping them.
#[derive(Debug, Clone, Default)]
pub struct Utf8 {
    held: Vec<u8>,
    broken: bool,
}

impl Utf8 {
    /// Takes bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.broken {
            return;
        }
        // At most three bytes of a character are held back.
        let joined = [std::mem::take(&mut self.held).as_slice(), bytes].concat();
        if let Err(error) = std::str::from_utf8(&joined) {
            match error.error_len() {
                Some(_) => self.broken = true,
                None => self.held = joined[error.valid_up_to()..].to_vec(),
            }
        }
    }

    /// Whether bytes were not UTF-8.
    pub fn broken(&self) -> bool {
        self.broken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_split_gives_the_same_lines() {
        let input = "{\"a\":1}\r\n\n  \u{1F680}\n\u{0}x\nrest".as_bytes();
        let read = |parts: &[&[u8]]| {
            let (mut reader, mut lines) = (Reader::default(), Vec::new());
            for part in parts {
                reader.feed(part, &mut |line| lines.push(line.text));
            }
            lines.extend(reader.rest().map(|line| line.text));
            lines
        };
        let whole = read(&[input]);
        assert_eq!(whole.len(), 5);
        for at in 0..=input.len() {
            assert_eq!(read(&[&input[..at], &input[at..]]), whole, "split at {at}");
        }
    }

    #[test]
    fn utf8_is_told_in_any_split() {
        let told = |parts: &[&[u8]]| {
            let mut watch = Utf8::default();
            for part in parts {
                watch.feed(part);
            }
            watch.broken()
        };
        let good = "a\u{E4}\u{1F680}z".as_bytes();
        let bad = b"a\xE4z";
        for at in 0..=good.len() {
            assert!(!told(&[&good[..at], &good[at..]]), "split at {at}");
        }
        for at in 0..=bad.len() {
            assert!(told(&[&bad[..at], &bad[at..]]), "split at {at}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced_and_noted() {
        assert_eq!(decode(vec![b'a', 0xFF]), ("a\u{FFFD}".to_owned(), true));
    }
}
