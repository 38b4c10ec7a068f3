//! A small, strict reader of XML 1.0: enough to tell whether a document is well-formed.

/// An element with its attributes, text and children.
#[derive(Debug, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) text: String,
    pub(crate) children: Vec<Element>,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// All elements of that name below this one.
    pub(crate) fn all<'a>(&'a self, name: &str) -> Vec<&'a Element> {
        let mut found = Vec::new();
        for child in &self.children {
            if child.name == name {
                found.push(child);
            }
            found.extend(child.all(name));
        }
        found
    }
}

/// The root element; panics where the document is not well-formed.
pub(crate) fn parse(document: &str) -> Element {
    for c in document.chars() {
        let legal = matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
        assert!(legal, "{c:?} is no character of XML 1.0");
    }
    let body = document
        .strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        .unwrap();
    let mut stack = vec![Element::default()];
    let mut rest = body;
    while let Some((text, tail)) = rest.split_once('<') {
        stack.last_mut().unwrap().text.push_str(&unescape(text));
        let (tag, tail) = tail.split_once('>').expect("a tag ends");
        rest = tail;
        if let Some(name) = tag.strip_prefix('/') {
            let done = stack.pop().unwrap();
            assert_eq!(done.name, name, "tags close in order");
            stack.last_mut().unwrap().children.push(done);
        } else {
            let (open, empty) = tag
                .strip_suffix('/')
                .map_or((tag, false), |open| (open, true));
            let element = element(open);
            if empty {
                stack.last_mut().unwrap().children.push(element);
            } else {
                stack.push(element);
            }
        }
    }
    assert_eq!(rest.trim(), "", "nothing follows the root");
    assert_eq!(stack.len(), 1, "all elements are closed");
    let mut top = stack.pop().unwrap();
    assert_eq!(top.children.len(), 1, "there is one root");
    top.children.pop().unwrap()
}

fn element(tag: &str) -> Element {
    let name: String = tag.chars().take_while(|c| !c.is_whitespace()).collect();
    assert!(
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic() || c == '-'),
        "{tag}"
    );
    let mut attributes = Vec::<(String, String)>::new();
    let mut rest = tag.strip_prefix(&name).unwrap();
    while !rest.trim().is_empty() {
        let (key, tail) = rest.strip_prefix(' ').unwrap().split_once("=\"").unwrap();
        let (value, tail) = tail.split_once('"').unwrap();
        assert!(
            attributes.iter().all(|(other, _)| other != key),
            "{key} twice"
        );
        attributes.push((key.to_owned(), unescape(value)));
        rest = tail;
    }
    Element {
        name,
        attributes,
        ..Element::default()
    }
}

fn unescape(text: &str) -> String {
    assert!(!text.contains("]]>"));
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap().to_owned();
    for part in parts {
        let (reference, tail) = part.split_once(';').expect("a reference ends");
        out.push(match reference {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            other => {
                let code = other
                    .strip_prefix('#')
                    .expect("a known reference")
                    .parse()
                    .unwrap();
                char::from_u32(code).unwrap()
            }
        });
        out.push_str(tail);
    }
    out
}
