//! Query and library to ranked hits: the channels, their fusion, the rerank.
//!
//! [`Retriever::answer`] is the stage, which also asks the catalog where a question counts or lists; [`ranked`] and [`fusion`] are its parts, pure but for the library they read.
//!
//! **Architecture invariant:** the raw scores of the two channels are never added as they are; a fusion is by rank, by
//! z-score or by scaled score. A model is opened only when a query needs it: words alone need none.

mod boost;
mod catalog;
mod config;
mod error;
pub mod fusion;
mod hits;
mod late;
mod mmr;
mod models;
mod remote;
mod retriever;
mod search;

pub use config::{Config, Mode, Rerank};
pub use error::{Error, Result};
pub use fusion::Fusion;
pub use models::Models;
pub use remote::{Remote, windows_by_characters};
pub use retriever::Retriever;
pub use search::{Asked, Candidate, ranked};
