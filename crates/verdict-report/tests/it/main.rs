//! The formats as users see them, and what they do with hostile text.

mod explain;
mod github;
mod hostile;
mod json;
mod junit;
mod markdown;
mod sarif;
mod support;
mod text;
