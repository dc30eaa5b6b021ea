//! The agents: which way a question goes ([`route`]).
//!
//! Every step is a pure function over a [`techrag_core::record::Query`]: same record in, same record out.

pub mod route;
