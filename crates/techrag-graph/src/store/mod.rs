//! Where the graph is kept: embedded in the library, or on a Neo4j server.
//!
//! Both give the same answers in the same order: every list is sorted by id, and what needs judgement is made of these
//! answers elsewhere.

pub mod address;
mod embedded;
mod neo4j;
mod supply;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use serde::Serialize;
use thiserror::Error;

use crate::community::Community;
use crate::expand::Outcome;
use crate::model::{Direction, Edge, EdgeType, Key, Label, Link, Node};
use crate::rows::Rows;

pub use embedded::Embedded;
pub use neo4j::{Neo4j, Server};
pub use supply::Supply;

/// What can go wrong with a store.
#[derive(Debug, Error)]
pub enum Error {
    /// The server cannot be reached or went away; it may come back.
    #[error("the graph server at {server} cannot be reached: {why}")]
    Unreachable {
        /// Its address.
        server: String,
        /// What the driver says.
        why: String,
    },
    /// The server answers and refuses: a wrong password, a statement it does not take.
    #[error("the graph server at {server} refuses: {why}")]
    Refused {
        /// Its address.
        server: String,
        /// What it says.
        why: String,
    },
    /// The library cannot be opened or written.
    #[error(transparent)]
    Library(#[from] techrag_index::Error),
    /// The embedded store's database.
    #[error("the embedded graph: {0}")]
    Database(#[from] rusqlite::Error),
    /// A property that is not JSON.
    #[error("a property of the graph is damaged: {0}")]
    Damaged(#[from] serde_json::Error),
    /// Nothing was loaded yet.
    #[error("there is no graph in {}", library.display())]
    Empty {
        /// The library.
        library: PathBuf,
    },
    /// The store was opened for reading.
    #[error("the graph was opened for reading only")]
    ReadOnly,
}

impl Error {
    /// What to do about it, where that can be said.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Unreachable { .. } => Some("is the server started, and is it a bolt:// address?"),
            Self::Refused { .. } => Some("user and password are read from NEO4J_USER and NEO4J_PASSWORD"),
            Self::Empty { .. } => Some("fill it by techrag-graph extract and load, as ingest.sh does"),
            Self::Library(_) | Self::Database(_) | Self::Damaged(_) | Self::ReadOnly => None,
        }
    }

    /// Whether a query can do without: a service that failed, or a graph that is damaged while the library can be read.
    pub(crate) fn is_only_the_graph(&self) -> bool {
        self.is_service() || matches!(self, Self::Database(_) | Self::Damaged(_))
    }

    /// What a query that does without it says of the stage: a service that was asked for by name is told by the run too.
    pub(crate) fn outcome(&self) -> Outcome {
        if self.is_service() { Outcome::Degraded } else { Outcome::Served }
    }

    /// Whether a service failed, not this program or the library.
    pub fn is_service(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Refused { .. })
    }
}

/// Result of the stores.
pub type Result<T> = std::result::Result<T, Error>;

/// How many nodes and edges of each kind there are; kinds without any are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// By label.
    pub nodes: BTreeMap<String, u64>,
    /// By edge type.
    pub edges: BTreeMap<String, u64>,
}

/// What a paper that was loaded came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loaded {
    /// It was there, word for word.
    Unchanged,
    /// It was written.
    Written,
}

/// A change of edges and the nodes they need, applied as a whole: first what goes, then what comes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Patch {
    /// Edges that must not be there.
    pub remove: Vec<Edge>,
    /// Nodes that must be there.
    pub nodes: Vec<Node>,
    /// Edges that must be there, with these properties.
    pub add: Vec<Edge>,
}

/// A paper in a [`Holders`], and nowhere else.
pub type Number = i64;

/// The papers that have some terms, as numbers: most of them are only counted, and the ids of those that matter are
/// asked for by [`Store::paper_ids`].
#[derive(Clone, Debug, Default)]
pub struct Holders {
    of: HashMap<Key, Vec<Number>>,
    /// Ids by number, where the store sent them along.
    ids: Vec<String>,
}

impl Holders {
    /// The papers that have a term.
    pub fn of(&self, label: Label, id: &str) -> &[Number] {
        self.of.get(&Key::new(label, id)).map_or(&[], Vec::as_slice)
    }
}

/// Where the graph is kept. No method leaves a change half done: one that fails has changed nothing.
pub trait Store: Send + Sync {
    /// As records name it: `embedded`, or the server's address.
    fn name(&self) -> &str;

    /// Makes a paper what the rows say, in one transaction. Its key is taken from any other paper that had it.
    ///
    /// # Errors
    /// If the store fails.
    fn replace(&self, rows: &Rows) -> Result<Loaded>;

    /// Takes a key from a paper; the paper goes with its last key, and with it what only it supported. Whether it went.
    ///
    /// # Errors
    /// If the store fails.
    fn remove(&self, doc_id: &str, key: &str) -> Result<bool>;

    /// Applies a patch in one transaction. Nodes that lost their last support by it go.
    ///
    /// # Errors
    /// If the store fails.
    fn apply(&self, patch: &Patch) -> Result<()>;

    /// Counts nodes and edges.
    ///
    /// # Errors
    /// If the store fails.
    fn stats(&self) -> Result<Stats>;

    /// Number of nodes of a label.
    ///
    /// # Errors
    /// If the store fails.
    fn count(&self, label: Label) -> Result<u64>;

    /// The nodes of a label with these ids, ascending by id; unknown ids are left out.
    ///
    /// # Errors
    /// If the store fails.
    fn nodes(&self, label: Label, ids: &[String]) -> Result<Vec<Node>>;

    /// Every step along an edge type from the nodes of a label with these ids, ascending.
    ///
    /// # Errors
    /// If the store fails.
    fn links(&self, edge: EdgeType, direction: Direction, label: Label, ids: &[String]) -> Result<Vec<Link>>;

    /// The papers that have each of these topics, methods, metrics and applications.
    ///
    /// # Errors
    /// If the store fails.
    fn holders(&self, terms: &[Key]) -> Result<Holders>;

    /// The ids of papers by their numbers in an answer of [`Store::holders`]; `None` for one that went meanwhile.
    ///
    /// # Errors
    /// If the store fails.
    fn paper_ids(&self, holders: &Holders, papers: &[Number]) -> Result<Vec<Option<String>>>;

    /// The relations (USED_FOR, MEASURES, RELATED_TO, BROADER_THAN) that start at these terms, ascending by their ends, then
    /// by type.
    ///
    /// # Errors
    /// If the store fails.
    fn relations(&self, terms: &[Key]) -> Result<Vec<Edge>>;

    /// Keeps communities in place of those kept before. They are beside the graph: no count or export has them.
    ///
    /// # Errors
    /// If the store fails.
    fn keep_communities(&self, communities: &[Community]) -> Result<()>;

    /// The communities that were kept, in their order, with those of their papers that are still there; without any, they
    /// are left out.
    ///
    /// # Errors
    /// If the store fails.
    fn communities(&self) -> Result<Vec<Community>>;

    /// All nodes of a label, ascending by id.
    ///
    /// # Errors
    /// If the store fails.
    fn all(&self, label: Label) -> Result<Vec<Node>>;

    /// All edges of a type, ascending by their ends.
    ///
    /// # Errors
    /// If the store fails.
    fn edges(&self, edge: EdgeType) -> Result<Vec<Edge>>;
}
