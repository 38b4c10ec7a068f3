//! Text that travels through the client and must come back unchanged: Base64 and a keyed checksum.
//!
//! The checksum stands in for the HMAC of a real server; it keeps honest mistakes out, not attackers.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

const KEY: &[u8] = b"ledger fixture key";

/// Seals `text`.
pub(crate) fn seal(text: &str) -> String {
    format!(
        "{}.{:016x}",
        URL_SAFE_NO_PAD.encode(text),
        checksum(text.as_bytes())
    )
}

/// The text inside, when the seal is ours and whole.
pub(crate) fn open(sealed: &str) -> Option<String> {
    let (encoded, sum) = sealed.split_once('.')?;
    let bytes = URL_SAFE_NO_PAD.decode(encoded).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    (sum == format!("{:016x}", checksum(text.as_bytes()))).then_some(text)
}

/// FNV-1a over key, text and key.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    KEY.iter()
        .chain(bytes)
        .chain(KEY)
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
            (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_change_breaks_the_seal() {
        let sealed = seal("tools 4");
        assert_eq!(open(&sealed).as_deref(), Some("tools 4"));
        for at in 0..sealed.len() {
            let mut bytes = sealed.clone().into_bytes();
            bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
            assert_eq!(
                open(&String::from_utf8(bytes).expect("ascii")),
                None,
                "{at}"
            );
        }
    }
}
