//! What models answered, on disk before it is used: a run that was cut off goes on without paying twice, and an
//! unchanged run pays nothing.
//!
//! A folder holds one file a session, one line an answer. A line says the hash of its own bytes, so one that was cut off
//! or changed by another hand is no answer, and nothing else of the file is lost.

use crate::exit::Usage;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Longest line that is read, in bytes.
const LINE: usize = 32 << 20;

/// An answer of a provider, as it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// The HTTP status.
    pub(crate) status: u16,
    /// Header fields that are worth keeping, names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// The body as text; bytes that are no UTF-8 were replaced.
    pub(crate) body: String,
    /// When it came, in seconds of Unix time.
    pub(crate) at: u64,
    /// Milliseconds it took.
    pub(crate) ms: u64,
}

#[derive(Serialize, Deserialize)]
struct Line {
    key: String,
    check: String,
    kept: Kept,
}

/// How sessions of a workflow's runs begin.
pub(crate) const OF_A_JOB: &str = "run-";

/// The answers of one session.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    session: String,
    secret: String,
    is_fresh: bool,
    file: File,
    /// Where each answer's line begins, and its length.
    index: BTreeMap<String, (u64, usize)>,
    end: u64,
    damaged: usize,
    /// The last line has no end yet: it was cut off, by a kill or by a full disk.
    is_torn: bool,
}

/// Which session is the last, and whether it came to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Last {
    session: String,
    /// What marks in questions to the judge are drawn from.
    secret: String,
    finished: bool,
    /// Whether it was begun to ask anew: only such a one may go on where another such is wished for.
    #[serde(default)]
    fresh: bool,
}

/// Which session a run belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wish {
    /// The last one, whose answers are used again; a new one of this name where there is none.
    Continue(String),
    /// A new one of this name; one that was begun so and was cut off goes on.
    Fresh(String),
}

impl Wish {
    fn name(&self) -> &str {
        let (Self::Continue(name) | Self::Fresh(name)) = self;
        name
    }
}

impl Journal {
    /// Opens the folder's session.
    ///
    /// # Errors
    /// What cannot be created or read, with its path.
    pub(crate) fn open(folder: &Path, wish: &Wish) -> Result<Self> {
        let shown = folder.display();
        std::fs::create_dir_all(folder)
            .with_context(|| format!("creating the folder `{shown}`"))?;
        // Answers are nobody's source: git leaves the folder out whatever the repository says.
        let ignore = folder.join(".gitignore");
        if !ignore.exists() {
            std::fs::write(&ignore, "*\n").with_context(|| format!("writing to `{shown}`"))?;
        }
        let Last {
            session,
            secret,
            fresh,
            ..
        } = choose(last(folder), wish);
        let path = folder.join(format!("{session}.jsonl"));
        // Whoever filled the folder may have put a device or a link out of it there.
        if let Ok(there) = std::fs::symlink_metadata(&path)
            && !there.is_file()
        {
            bail!(Usage(format!(
                "`{}` is no ordinary file: remove it, or name another folder with --cache",
                path.display()
            )));
        }
        let file = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(&path)
            .with_context(|| format!("opening `{}`", path.display()))?;
        let mut journal = Self {
            folder: folder.to_owned(),
            session,
            secret,
            is_fresh: fresh,
            file,
            index: BTreeMap::new(),
            end: 0,
            damaged: 0,
            is_torn: false,
        };
        journal
            .read()
            .with_context(|| format!("reading `{}`", path.display()))?;
        journal.mark(false)?;
        Ok(journal)
    }

    /// The session's name: part of every key, so that no answer serves two sessions by accident.
    pub(crate) fn session(&self) -> &str {
        &self.session
    }

    /// A word that nobody else knows; it lives as long as the session.
    pub(crate) fn secret(&self) -> &str {
        &self.secret
    }

    /// Lines that were no answers.
    pub(crate) fn damaged(&self) -> usize {
        self.damaged
    }

    /// The answer to a request, where there is one.
    pub(crate) fn find(&mut self, key: &str) -> Option<Kept> {
        let (at, length) = *self.index.get(key)?;
        let mut bytes = vec![0; length];
        self.file.seek(SeekFrom::Start(at)).ok()?;
        self.file.read_exact(&mut bytes).ok()?;
        let line = sound(&bytes)?;
        (line.key == key).then_some(line.kept)
    }

    /// Hands an answer to the operating system, which keeps it whatever becomes of this program; gives the file, for whoever
    /// waits until the disk has it too.
    ///
    /// # Errors
    /// The disk's: an answer that cannot be kept must not be used.
    pub(crate) fn write(&mut self, key: &str, kept: &Kept) -> Result<File> {
        let line = Line {
            key: key.to_owned(),
            check: check(key, kept),
            kept: kept.clone(),
        };
        let mut bytes = serde_json::to_vec(&line)?;
        bytes.push(b'\n');
        // A line that was cut off must not swallow the next one.
        let torn = self.is_torn;
        if torn {
            bytes.insert(0, b'\n');
        }
        self.is_torn = true;
        // One write: lines of two programs do not mix.
        let file = self
            .file
            .write_all(&bytes)
            .and_then(|()| self.file.try_clone());
        let file = file.with_context(|| not_kept(&self.folder))?;
        self.is_torn = false;
        let length = bytes.len() - usize::from(torn);
        let end = self.file.seek(SeekFrom::End(0))?;
        self.end = end;
        self.index
            .insert(key.to_owned(), (end - length as u64, length - 1));
        Ok(file)
    }

    /// Where the answers are.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Says that the session came to its end: the next wish for a fresh one begins anew.
    pub(crate) fn finish(&self) -> Result<()> {
        self.mark(true)
    }

    fn mark(&self, finished: bool) -> Result<()> {
        let last = Last {
            session: self.session.clone(),
            secret: self.secret.clone(),
            finished,
            fresh: self.is_fresh,
        };
        let text = serde_json::to_string(&last)?;
        let path = self.folder.join("last.json");
        // Put in place whole: half a name would begin a session of its own, and all answers would be paid for again.
        let beside = self.folder.join(format!("last-{}.tmp", std::process::id()));
        std::fs::write(&beside, text)
            .and_then(|()| std::fs::rename(&beside, &path))
            .inspect_err(|_| {
                let _ = std::fs::remove_file(&beside);
            })
            .with_context(|| format!("writing `{}`", path.display()))
    }

    fn read(&mut self) -> std::io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        let mut reader = BufReader::new(&self.file);
        let mut at = 0_u64;
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let read = reader
                .by_ref()
                .take(LINE as u64)
                .read_until(b'\n', &mut bytes)?;
            if read == 0 {
                break;
            }
            let whole = bytes.ends_with(b"\n");
            let text = if whole {
                &bytes[..read - 1]
            } else {
                &bytes[..]
            };
            match sound(text) {
                Some(line) => {
                    self.index.insert(line.key, (at, text.len()));
                }
                None if text.is_empty() => {}
                None => self.damaged += 1,
            }
            at += read as u64;
            self.end = at;
            self.is_torn = !whole;
        }
        Ok(())
    }
}

fn choose(last: Option<Last>, wish: &Wish) -> Last {
    match (last, wish) {
        (Some(last), Wish::Continue(_)) => last,
        (Some(last), Wish::Fresh(name)) if !last.finished && last.fresh && goes_on(&last, name) => {
            last
        }
        (_, wish) => Last {
            session: wish.name().to_owned(),
            secret: chance(),
            finished: false,
            fresh: matches!(wish, Wish::Fresh(_)),
        },
    }
}

/// A night's run in a workflow goes on with itself alone: another night is another measurement.
fn goes_on(last: &Last, name: &str) -> bool {
    last.session == name || !(last.session.starts_with(OF_A_JOB) || name.starts_with(OF_A_JOB))
}

/// 64 bits of chance in hexadecimal: the standard library seeds its hashers from the operating system.
fn chance() -> String {
    use std::hash::{BuildHasher, RandomState};
    format!("{:016x}", RandomState::new().hash_one(std::process::id()))
}

/// What is said where an answer cannot be kept.
fn not_kept(folder: &Path) -> String {
    let shown = folder.display();
    format!(
        "a model's answer could not be kept in `{shown}`; make room there and run the same command again"
    )
}

/// Waits until the disk has what was written, beside everything else that goes on: a disk takes milliseconds for it, and
/// many answers share one.
///
/// # Errors
/// The disk's.
pub(crate) async fn settled(file: File, folder: &Path) -> Result<()> {
    let synced = tokio::task::spawn_blocking(move || file.sync_data()).await;
    synced
        .map_err(std::io::Error::other)
        .and_then(|synced| synced)
        .with_context(|| not_kept(folder))
}

/// The last session, unless its name would lead out of the folder.
fn last(folder: &Path) -> Option<Last> {
    let text = std::fs::read_to_string(folder.join("last.json")).ok()?;
    let last: Last = serde_json::from_str(&text).ok()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    (!last.session.is_empty() && last.session.len() < 100 && last.session.chars().all(plain))
        .then_some(last)
}

fn sound(bytes: &[u8]) -> Option<Line> {
    let line: Line = serde_json::from_slice(bytes).ok()?;
    (line.check == check(&line.key, &line.kept)).then_some(line)
}

fn check(key: &str, kept: &Kept) -> String {
    let mut hash = Sha256::new();
    hash.update(key.as_bytes());
    hash.update(kept.status.to_be_bytes());
    hash.update(serde_json::to_vec(&kept.headers).unwrap_or_default());
    hash.update(kept.body.as_bytes());
    hex(&hash.finalize()[..16])
}

/// The key of a request: every byte that reaches the model, the session, the run, and who asks.
pub(crate) fn key(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        // Lengths keep two lists of parts apart that join to the same bytes.
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hex(&hash.finalize())
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
            let _ = write!(out, "{byte:02x}");
            out
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(body: &str) -> Kept {
        Kept {
            status: 200,
            headers: vec![],
            body: body.to_owned(),
            at: 0,
            ms: 3,
        }
    }

    fn folder(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("mcp-verdict-journal-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        folder
    }

    fn fresh(name: &str) -> Wish {
        Wish::Fresh(name.to_owned())
    }

    #[test]
    fn an_answer_outlives_the_run_that_was_cut_off() {
        let folder = folder("cut");
        let mut first = Journal::open(&folder, &fresh("one")).unwrap();
        first.write("a", &kept("x\ny")).unwrap();
        first.write("b", &kept("z")).unwrap();
        drop(first);
        let mut again = Journal::open(&folder, &fresh("two")).unwrap();
        assert_eq!(again.session(), "one");
        assert_eq!(again.find("a"), Some(kept("x\ny")));
        assert_eq!(again.find("b"), Some(kept("z")));
        assert_eq!(again.find("c"), None);
        again.finish().unwrap();
        assert_eq!(
            Journal::open(&folder, &fresh("two")).unwrap().session(),
            "two"
        );
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn damage_costs_the_damaged_lines_alone() {
        let folder = folder("damage");
        let wish = Wish::Continue("one".to_owned());
        let mut journal = Journal::open(&folder, &wish).unwrap();
        journal.write("a", &kept("first")).unwrap();
        journal.write("b", &kept("second")).unwrap();
        journal.write("c", &kept("third")).unwrap();
        drop(journal);
        let path = folder.join("one.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        // One answer forged, the last one cut off.
        let text = text.replace("second", "forged");
        std::fs::write(&path, &text[..text.len() - 9]).unwrap();
        let mut journal = Journal::open(&folder, &wish).unwrap();
        assert_eq!((journal.index.len(), journal.damaged()), (1, 2));
        assert_eq!(journal.find("b"), None);
        journal.write("d", &kept("fourth")).unwrap();
        assert_eq!(journal.find("d"), Some(kept("fourth")));
        drop(journal);
        let mut journal = Journal::open(&folder, &wish).unwrap();
        assert_eq!(journal.find("d"), Some(kept("fourth")));
        assert_eq!(journal.find("a"), Some(kept("first")));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_hostile_marker_leads_nowhere() {
        let folder = folder("marker");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(
            folder.join("last.json"),
            r#"{"session":"../../x","secret":"","finished":false}"#,
        )
        .unwrap();
        let journal = Journal::open(&folder, &Wish::Continue("one".to_owned())).unwrap();
        assert_eq!(journal.session(), "one");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn asking_anew_goes_on_with_its_like_alone() {
        let folder = folder("like");
        let open = |wish: &Wish| Journal::open(&folder, wish).unwrap().session().to_owned();
        assert_eq!(open(&Wish::Continue("one".to_owned())), "one");
        assert_eq!(open(&fresh("two")), "two");
        assert_eq!(open(&fresh("run-3")), "run-3");
        assert_eq!(open(&fresh("run-3")), "run-3");
        assert_eq!(open(&fresh("run-4")), "run-4");
        assert_eq!(open(&Wish::Continue("five".to_owned())), "run-4");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_line_without_its_end_does_not_swallow_the_next() {
        let folder = folder("torn");
        let wish = Wish::Continue("one".to_owned());
        Journal::open(&folder, &wish)
            .unwrap()
            .write("a", &kept("first"))
            .unwrap();
        let path = folder.join("one.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.trim_end()).unwrap();
        Journal::open(&folder, &wish)
            .unwrap()
            .write("b", &kept("second"))
            .unwrap();
        let mut journal = Journal::open(&folder, &wish).unwrap();
        assert_eq!(journal.find("a"), Some(kept("first")));
        assert_eq!(journal.find("b"), Some(kept("second")));
        assert_eq!(journal.damaged(), 0);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn keys_tell_parts_apart() {
        assert_ne!(key(&[b"ab", b"c"]), key(&[b"a", b"bc"]));
        assert_eq!(key(&[b"ab"]).len(), 64);
    }
}
