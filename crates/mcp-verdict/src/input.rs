//! Files that a user names: regular ones, of a bounded size.

use crate::exit::Usage;
use anyhow::Result;
use std::io::Read;
use std::path::Path;

/// Largest report that is read, in bytes.
pub(crate) const REPORT_BYTES: u64 = 256 << 20;

/// Reads a text. `kind` says what it is to be (`a configuration`).
///
/// A pipe would be waited for without end and a device has none, so neither is opened.
///
/// # Errors
/// A [`Usage`] that names the file and the mend.
pub(crate) fn read(path: &Path, most: u64, kind: &str) -> Result<String> {
    let shown = path.display();
    let faulty = |error: std::io::Error| Usage(format!("{shown}: {error}"));
    let regular = std::fs::metadata(path).map_err(faulty)?.is_file();
    if !regular {
        return Err(Usage(format!(
            "{shown}: not a regular file; write {kind} to a file and name that"
        ))
        .into());
    }
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(faulty)?;
    file.take(most + 1)
        .read_to_string(&mut text)
        .map_err(faulty)?;
    if text.len() as u64 > most {
        return Err(Usage(format!(
            "{shown}: larger than {most} bytes, the limit for {kind}"
        ))
        .into());
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::read;
    use std::path::Path;

    #[test]
    fn only_regular_files_of_a_bounded_size_are_read() {
        let refusal = |path: &str, most| {
            let error = read(Path::new(path), most, "a configuration").expect_err(path);
            error.to_string()
        };
        assert!(refusal(".", 9).contains("not a regular file"));
        assert!(refusal("Cargo.toml", 9).contains("larger than 9 bytes"));
        assert!(refusal("no-such-file", 9).starts_with("no-such-file: "));
        #[cfg(unix)]
        assert!(refusal("/dev/zero", 9).contains("not a regular file"));
    }
}
