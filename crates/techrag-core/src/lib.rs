//! The vocabulary every TechRAG tool shares.
//!
//! Records of the wire ([`record`]), the JSONL codec ([`codec`]), content-hash ids ([`id`]), vectors as they travel
//! ([`vector`]), the order-keeping parallel map ([`parallel`]), text normalisation ([`text`]), sentences
//! ([`sentence`]) and the one technical tokeniser ([`token`]).
//!
//! **Architecture invariant:** nothing here parses arguments, opens a file or a socket, starts a process or reads a
//! clock. Everything is a pure function of its inputs (threads aside), so the same input gives the same bytes.

pub mod codec;
pub mod id;
pub mod parallel;
pub mod record;
pub mod sentence;
pub mod text;
pub mod token;
pub mod vector;

pub use codec::{Parsed, Wanted};
pub use record::Record;
