//! Layer 1 from outside: the golden set through the stub provider, over loopback.

mod answers;
mod journal;
pub(crate) mod judged;
mod keys;
mod money;
pub(crate) mod project;
pub(crate) mod provider;
mod servers;
#[cfg(unix)]
mod signals;
mod size;
mod trials;
mod wires;
