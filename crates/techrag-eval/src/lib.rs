//! Measuring: is the right thing found, is the right thing said, and did a number drift.
//!
//! Judgements name documents by key and passages by (key, page, quoted words), never by a chunk's id, so that they
//! outlive a new chunker ([`judgements`]). A run counts a document once, by its best chunk ([`run`]). Measures equal
//! trec_eval's ([`measure`]); passages are judged beside documents ([`passage`]); answers by gold facts, citations and
//! refusals ([`answers`]); every mean comes with an interval, and two runs are compared pair by pair ([`statistics`]).
//! Pinned numbers are compared in both directions ([`regression`]).
//!
//! **Architecture invariant:** nothing here opens a file, reads a clock or draws from an unseeded generator.

pub mod answers;
pub mod fact;
pub mod judgements;
pub mod measure;
pub mod passage;
pub mod regression;
pub mod report;
pub mod run;
pub mod statistics;
