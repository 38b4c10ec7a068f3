//! The head of an HTTP request as the server sees it: field names in lower case, values as raw bytes.

/// Method, path and fields. Empty for a message that came over stdio.
#[derive(Debug, Clone, Default)]
pub(crate) struct Head {
    pub verb: String,
    pub path: String,
    /// The x of HTTP/1.x.
    pub minor: u8,
    fields: Vec<(String, Vec<u8>)>,
    /// The very bytes, for whoever must see the whitespace that parsing takes away.
    pub raw: Vec<u8>,
}

impl Head {
    /// Values of one field; several lines of it count as one list, as HTTP has it.
    pub(crate) fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        let mut values = self
            .fields
            .iter()
            .filter(|(field, _)| field == name)
            .map(|(_, value)| value.as_slice());
        let first = values.next()?.to_vec();
        Some(values.fold(first, |mut all, value| {
            all.extend_from_slice(b", ");
            all.extend_from_slice(value);
            all
        }))
    }

    /// The same as text; what is not UTF-8 counts as an empty value, which matches nothing.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.bytes(name)
            .map(|bytes| String::from_utf8(bytes).unwrap_or_default())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(field, _)| field == name)
    }

    /// Whether there is a field whose name starts like this.
    pub(crate) fn names_any(&self, start: &str) -> bool {
        self.fields
            .iter()
            .any(|(field, _)| field.starts_with(start))
    }

    pub(crate) fn add(&mut self, name: &str, value: &[u8]) {
        self.fields
            .push((name.to_ascii_lowercase(), value.to_vec()));
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.remove(name);
        self.add(name, value.as_bytes());
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.fields.retain(|(field, _)| field != name);
    }

    /// Whether the client may send another request after this one.
    pub(crate) fn keeps_alive(&self) -> bool {
        let connection = self.text("connection").unwrap_or_default();
        let closes = connection
            .split(',')
            .any(|word| word.trim().eq_ignore_ascii_case("close"));
        self.minor >= 1 && !closes
    }

    /// Whether a media type is acceptable; everything is when the client named nothing.
    pub(crate) fn accepts(&self, media: &str) -> bool {
        let Some(accept) = self.text("accept") else {
            return true;
        };
        let family = media.split('/').next().unwrap_or_default();
        accept.split(',').any(|range| {
            let mut parts = range.split(';').map(str::trim);
            let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
            let refused = parts.any(|part| matches!(part, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"));
            !refused && (kind == media || kind == "*/*" || kind == format!("{family}/*"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_lines_of_one_field_are_one_list() {
        let mut head = Head::default();
        head.add("Mcp-Name", b"a");
        head.add("mcp-name", b"b");
        assert_eq!(head.text("mcp-name").as_deref(), Some("a, b"));
    }

    #[test]
    fn accept_is_read_as_http_has_it() {
        let mut head = Head::default();
        assert!(head.accepts("text/event-stream"));
        head.set("accept", "Text/Event-Stream ;q=0.9,application/*;q=0");
        assert!(head.accepts("text/event-stream"));
        assert!(!head.accepts("application/json"));
    }
}
