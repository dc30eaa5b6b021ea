//! The agents: which way a question goes ([`route`]) and who writes its answer ([`extractive`]).
//!
//! Every step is a pure function over a [`techrag_core::record::Query`]: same record in, same record out.

pub mod extractive;
pub mod route;
