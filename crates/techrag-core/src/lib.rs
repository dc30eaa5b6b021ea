//! The vocabulary every TechRAG tool shares.
//!
//! Records of the wire ([`record`]), the JSONL codec ([`codec`]), content-hash ids ([`id`]), vectors as they travel
//! ([`vector`]), the order-keeping parallel map ([`parallel`]), text normalisation ([`text`]), sentences
//! ([`sentence`]), quotable units ([`unit`]) and their place on the page ([`place`]), quantities ([`quantity`]), the one
//! technical tokeniser ([`token`], with one [`spelling`]), how much of a question a text holds ([`lexical`]) and how
//! likely a hit is relevant ([`calibration`]); templates, budgets and fences of prompts ([`prompt`], [`fence`]).
//!
//! **Architecture invariant:** nothing here parses arguments, opens a file or a socket, starts a process or reads a
//! clock. Everything is a pure function of its inputs (threads aside), so the same input gives the same bytes.

pub mod calibration;
pub mod clean;
pub mod codec;
pub mod fence;
pub mod id;
pub mod lexical;
pub mod lexicon;
pub mod parallel;
pub mod place;
pub mod prompt;
pub mod quantity;
pub mod record;
pub mod sentence;
pub mod spelling;
pub mod text;
pub mod token;
pub mod unit;
pub mod vector;

pub use codec::{Parsed, Wanted};
pub use record::Record;
