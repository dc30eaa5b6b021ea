//! The agents: which way a question goes ([`route`]) and who writes its answer ([`extractive`]).
//!
//! Meaning, where a sentence encoder is there, comes from [`meaning`]. Apart from it every step is a pure function over a [`techrag_core::record::Query`]: same record in, same record out.

pub mod extractive;
pub mod meaning;
pub mod route;
