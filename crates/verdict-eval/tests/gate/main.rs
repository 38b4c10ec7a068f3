//! The gate against the figures of its design: vectors, properties, edge cases, and a short simulation.

mod attribution;
mod baseline;
mod decision;
mod edges;
mod evidence;
mod numbers;
mod properties;
mod support;
