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
    is_used: bool,
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
    /// Whether it came to an end before: its answers were counted then.
    #[serde(default = "used_before")]
    used: bool,
}

/// Of a session that does not say so nobody knows; answers that are counted twice would look like a steady model.
fn used_before() -> bool {
    true
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
            used,
            finished,
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
            is_used: used || finished,
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

    /// Whether its answers were counted before. Those of a session that was cut off were not: it goes on with them.
    pub(crate) fn is_used(&self) -> bool {
        self.is_used
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
            used: self.is_used,
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
            used: false,
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
mod tests;
