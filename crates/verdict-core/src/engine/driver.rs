//! What passes between the engine and its driver.

/// What a driver is asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Open a channel to the target: a connection, or a process.
    Open {
        /// Its number from now on.
        channel: u32,
    },
    /// Send bytes; order within a channel is kept.
    Send {
        /// The channel.
        channel: u32,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Close a process's standard input.
    EndInput {
        /// The channel.
        channel: u32,
    },
    /// Close a connection, or end a process with its whole group. No event follows.
    Close {
        /// The channel.
        channel: u32,
    },
}

/// What happened to a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event<'e> {
    /// It is open.
    Opened {
        /// The channel.
        channel: u32,
        /// The address that answered, where there was a choice.
        peer: Option<String>,
    },
    /// It could not be opened.
    Failed {
        /// The channel.
        channel: u32,
        /// Why, in words that fit after "could not be reached:".
        why: String,
    },
    /// Bytes came: from a connection, or from a process's standard output.
    Received {
        /// The channel.
        channel: u32,
        /// The bytes.
        bytes: &'e [u8],
    },
    /// Bytes came from a process's standard error.
    Diagnostics {
        /// The channel.
        channel: u32,
        /// The bytes.
        bytes: &'e [u8],
    },
    /// The other side closed it, or the process ended.
    Ended {
        /// The channel.
        channel: u32,
        /// How, in words (`closed`, `exit code 1`, `signal 9`).
        how: String,
    },
    /// Time passed.
    Tick,
}
