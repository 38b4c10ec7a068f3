//! What passes between the engine and its driver.

use crate::wire::endpoint::Endpoint;

/// What a driver is asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Open a channel to the target: a connection, or a process.
    Open {
        /// Its number from now on.
        channel: u32,
        /// Where it leads in place of the target.
        elsewhere: Option<Elsewhere>,
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
    /// Ask a process to end, with its whole group; over HTTP the server itself, by the command that stops it or by
    /// a signal where we started it.
    Terminate {
        /// The channel.
        channel: u32,
    },
    /// Close a connection, or end a process with its whole group. No event follows.
    Close {
        /// The channel.
        channel: u32,
    },
}

/// Another place than the target, where a document of the server's authorization lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    /// The address.
    pub endpoint: Endpoint,
    /// Whether a name that leads into a private network must not be followed there.
    pub public_only: bool,
}

impl Elsewhere {
    /// A host that stands for an address of this machine other than the loopback one; the driver knows it.
    pub const OWN_ADDRESS: &str = "own-address.invalid";
    /// A driver's reason when it knows none.
    pub const NOT_TRIED: &str =
        "not tried: this is a container, or a machine without another address";

    /// The same port at an address of this machine other than the loopback one.
    pub fn outside(endpoint: &Endpoint) -> Endpoint {
        Endpoint {
            host: Self::OWN_ADDRESS.to_owned(),
            ..endpoint.at(endpoint.path.clone())
        }
    }
}

/// How a process ended that is there but will say no more.
pub const OUTPUT_CLOSED: &str = "standard output was closed while the process ran on";

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
