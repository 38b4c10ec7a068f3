//! Attacks: texts that somebody else planted in what the model reads, and whether it obeyed them.
