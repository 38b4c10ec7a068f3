//! Faults under the agent loop: what a client tells its model when a tool breaks, and what the model makes of it.
