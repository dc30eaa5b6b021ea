//! The knowledge graph of papers, authors, topics, methods, metrics and applications (SPEC section 6).
//!
//! [`extract`] reads documents and chunks and names what a paper is about; [`Rows`] turns that into nodes and edges;
//! a [`Store`] keeps them, embedded in the library or on a Neo4j server; [`resolve`], [`alias`] and [`community`] read
//! the whole graph and write back what they find; [`expand`] and [`context`] serve queries.
//!
//! **Architecture invariant:** a store answers only plain questions (these nodes, the links of those nodes), sorted by
//! id. What is near, rare or first is decided here, in one place, so both stores give the same results in the same order.

pub mod alias;
pub mod community;
pub mod context;
pub mod expand;
pub mod export;
pub mod extract;
mod model;
mod modularity;
mod name;
pub mod resolve;
mod rows;
pub mod show;
pub mod store;
pub mod validate;

pub use model::{Direction, Edge, EdgeType, Key, Label, Link, Node, Props};
pub use name::{folded_name, person};
pub use rows::Rows;
pub use store::{Error, Result, Stats, Store};
