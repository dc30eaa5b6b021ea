//! Expansion: from the papers of the hits to the chunks of papers near them, those kept that speak to the question.
//!
//! Expansion never takes a hit away and never moves one before another of its kind: a chunk it brings stands behind every
//! hit that is at least as relevant.

mod chunks;
mod nearest;
mod stage;
mod weigh;

pub use chunks::chunks;
pub(crate) use nearest::Canonical;
pub use nearest::{Near, Nearest, nearest};
pub use stage::{Config, Error, Expander, Library, Outcome};
pub(crate) use stage::{pushed, unwanted};
pub use weigh::{Judge, Models, Rerank};
