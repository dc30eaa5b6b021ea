//! Evidence sufficiency (SPEC section 8, guardrail 1): is what was found enough to answer from?
//!
//! [`assess`] scores the hits of a query by a rubric of 100 points, writes `evidence` with every input, and asks for a
//! `retry` where the verdict is WEAK. [`decide`] judges what the retry brought. Weights, damping and thresholds are the
//! paper's and frozen ([`rubric`]); the formulas inside the parts are ours, versioned by [`VERSION`] and measured in
//! `docs/EVIDENCE.md`.
//!
//! With a language model, [`review`] may lower the verdict.
//!
//! **Architecture invariant:** nothing here reads a clock, a file or a socket: the reference year, the calibration,
//! the thesaurus and the model are given.

mod evidence;
pub mod explain;
mod missing;
mod parts;
mod retry;
mod reviewer;
pub mod rubric;
mod stage;
mod thesaurus;
mod want;

pub use reviewer::{Pass, review};
pub use stage::{Config, Unscored, assess, decide, gate};
pub use thesaurus::{Error as ThesaurusError, Thesaurus};

/// Version of the formulas inside the parts.
pub const VERSION: &str = "rubric/1";
