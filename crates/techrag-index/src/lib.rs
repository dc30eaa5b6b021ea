//! The library on disk: the one owner of its bytes.
//!
//! `catalog.sqlite` is the source of truth: contents, their keys, chunks, vectors in f32, the ledger. Segments beside it
//! ([`segment`]) hold what searches read by memory map: vectors in f16 and a lexical index; they are immutable, named
//! in the catalog, and can be remade from it ([`rebuild`]).
//!
//! * [`Add`] takes a stream of records and commits whole documents through the one [`Writer`];
//! * [`Reader`] searches the library as it was at one instant;
//! * [`verify`](fn@verify) proves that the parts agree, [`Status`] counts them.
//!
//! **Architecture invariant:** a document is in with everything it promised or not at all, at whatever instant a
//! writer is killed. Nothing here embeds a text: vectors come with the chunks, and a query's with the query.

mod add;
mod ask;
pub mod bits;
mod bm25;
pub mod build;
mod catalog;
mod change;
#[cfg(test)]
mod damage_tests;
mod error;
mod export;
mod filter;
pub mod frame;
mod graph;
pub mod hnsw;
#[cfg(test)]
mod hnsw_tests;
mod learned;
#[cfg(test)]
mod library_tests;
mod lock;
mod maxscore;
#[cfg(test)]
mod oracle_tests;
mod pages;
mod plan;
mod reader;
mod room;
mod rows;
mod scan;
mod scope;
pub mod segment;
mod select;
mod status;
mod tidy;
pub mod top;
mod verify;
mod works;
mod writer;

pub use add::{Add, Config as AddConfig, Report};
pub use ask::{Asker, Rows};
pub use bm25::{Bm25, Idf};
pub use catalog::{Encoder, FORMAT, SparseModel};
pub use change::{Change, Complete, Failure, Tally};
pub use error::{Error, Result};
pub use export::Export;
pub use filter::Condition;
pub use graph::{GraphWriter, clear_paper, forget_paper, open_graph, prune};
pub use pages::{NewPage, PageCommit, PageDocument, PageFile, PagePlace, PageReader, PageWriter, verify_pages};
pub use plan::{Found, Step, Walk, plan};
pub use reader::{Place, Reader, Selection};
pub use rows::Stored;
pub use select::{Row, select};
pub use status::{Related, Status};
pub use tidy::rebuild;
pub use verify::{Problem, Verified, verify};
pub use writer::Writer;
