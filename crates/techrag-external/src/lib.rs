//! Literature beyond the library (SPEC section 9): academic indexes and web search,
//! their works deduplicated and vetted.
//!
//! [`plan`] says which queries are searched for, [`run`] searches, [`lookup`] finds
//! works by DOI. How the sources are asked, what each outcome means, and the figures
//! behind merging and vetting are in `docs/EXTERNAL.md`.
//!
//! **Architecture invariant:** every request goes through the desk of `techrag-net`;
//! what a source said is never taken for more than data.

pub mod dedup;
pub mod explain;
pub mod ident;
mod markup;
mod name;
mod optimise;
mod outcome;
mod search;
pub mod sources;
mod stage;
mod vet;
pub mod web;
mod world;

pub use stage::{Plan, lookup, plan, run, skip};
pub use url::Url;
pub use vet::Cosines;
pub use world::{Config, World, base_url};

#[cfg(test)]
mod replay_tests;
#[cfg(test)]
mod stage_tests;
