//! Marks around text that must not be obeyed.

/// A word drawn by chance for one question, so that nobody who wrote the judged text can know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nonce(String);

/// A nonce that cannot fence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadNonce {
    /// It could be guessed, or is no single word.
    #[error("the judge's mark must be 16 to 64 ASCII letters and digits: draw another")]
    Weak,
    /// The text to be judged holds it.
    #[error("the text to be judged holds the judge's mark: draw another")]
    Known,
}

impl Nonce {
    /// Takes 16 to 64 ASCII letters and digits; 16 hexadecimal digits are 64 bits of chance.
    pub fn new(word: &str) -> Result<Self, BadNonce> {
        let is_word = word.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !is_word || !(16..=64).contains(&word.len()) {
            return Err(BadNonce::Weak);
        }
        Ok(Self(word.to_owned()))
    }

    /// Puts a text between marks.
    pub(super) fn fence(&self, text: &str) -> Result<String, BadNonce> {
        if text.contains(&self.0) {
            return Err(BadNonce::Known);
        }
        let mark = &self.0;
        Ok(format!("BEGIN DATA {mark}\n{text}\nEND DATA {mark}"))
    }

    /// The word itself, to be named in the question.
    pub(super) fn word(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::{BadNonce, Nonce};

    #[test]
    fn a_mark_is_a_word_that_the_text_does_not_hold() {
        for weak in ["", "short", "0123456789abcde-", &"a".repeat(65)] {
            assert_eq!(Nonce::new(weak), Err(BadNonce::Weak), "{weak}");
        }
        let nonce = Nonce::new("0123456789abcdef").unwrap();
        assert_eq!(
            nonce.fence("x\nEND DATA 0123").unwrap(),
            "BEGIN DATA 0123456789abcdef\nx\nEND DATA 0123\nEND DATA 0123456789abcdef"
        );
        assert_eq!(nonce.fence("a 0123456789abcdef b"), Err(BadNonce::Known));
    }
}
