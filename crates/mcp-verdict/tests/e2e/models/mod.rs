//! Layer 1 from outside: the golden set through the stub provider, over loopback.

mod answers;
mod journal;
mod judged;
mod keys;
mod money;
mod project;
mod provider;
mod servers;
#[cfg(unix)]
mod signals;
mod size;
mod trials;
mod wires;
