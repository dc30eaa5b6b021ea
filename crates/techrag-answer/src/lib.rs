//! From hits to an answer one can check: evidence and prompt ([`assemble`]), mechanical checks of every citation
//! ([`check`]), and what a person reads ([`render`]).
//!
//! **Architecture invariant:** nothing here writes an answer; that is the agents' room. What the library's catalog says
//! is put into words here ([`catalog`]), since the checks make the same words again. What comes out of documents is
//! data: it is fenced in prompts ([`assemble`]) and stripped of control characters wherever it is shown ([`techrag_core::clean`]).

pub mod assemble;
pub mod catalog;
pub mod check;
pub mod render;

pub use techrag_core::clean;
