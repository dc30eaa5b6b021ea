//! The agents: which way a question goes ([`route`]) and who writes its answer ([`generate`], [`extractive`]).
//!
//! Meaning, where a sentence encoder is there, comes from [`meaning`]; a language model, where one is configured, from
//! `techrag_net::chat`. Apart from these every step is a pure function over a [`techrag_core::record::Query`]: same record
//! in, same record out. Prompts are files under `prompts/`; their hashes are in the trace.

pub mod extractive;
pub mod generate;
pub mod meaning;
pub mod route;
