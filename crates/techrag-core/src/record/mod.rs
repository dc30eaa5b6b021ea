//! The wire: every record that travels between two tools, one JSON object a line.
//!
//! # Format
//!
//! `"type"` and `"v"` (the major version, [`VERSION`]) come first. Fields a tool does not know are kept in `extra` and
//! written back. Integers beyond 64 bits in unknown fields become floats and numbers beyond f64 fail the record; both
//! are limits of the JSON library, stated here because the wire is a promise. Adding a field is free; removing or
//! changing one is a new major version. A record of a type that a tool does not handle is passed on byte for byte.
//!
//! Only this module gives names to fields of the wire.

mod agents;
mod answer;
mod catalog;
mod chunk;
mod document;
mod entities;
mod error;
mod evidence;
mod external;
mod graph;
mod query;
mod schema;
mod sources;
mod visual;

pub use agents::{
    CriticVerdict, Critique, Draft, DraftSentence, EvidenceMap, MappedClaim, Outline, OutlineSection, Strength,
};
pub use answer::{Answer, AnswerSentence, Check, CheckResult, Checks, Citation, Medal, NOT_FOUND};
pub use catalog::{CatalogAnswer, CatalogDocument};
pub use chunk::{Chunk, Modality, Role, Span, SpanKind, SparseVector, Table, Vectors, Window};
pub use document::{Document, Heading, RecognisedPage, Reference, Removed};
pub use entities::{ChunkPlace, CitedWork, Entities, Entity, EntityAuthor, EntityRelation, PaperFacts};
pub use error::{ErrorKind, ErrorRecord};
pub use evidence::{Before, Drift, Evidence, EvidencePart, Retry, Verdict};
pub use external::{
    Attempt, External, Outcome, Retraction, RetractionStatus, SourceOutcome, Vetting, WebPage, Work, WorkVersion,
    YearCount,
};
pub use graph::{
    AliasProposal, AuthorPapers, CoCiting, ContextCommunity, ContextPaper, ContextRelation, Expansion, FollowedAlias,
    Graph, GraphContext, SharedEntity,
};
pub use query::{Effort, Hit, Origin, Query, Route, RouteName, Scores, Strategy, TraceEntry, UsageEntry};
pub use schema::schemas;
pub use sources::{EvidenceSentence, Passage, Prompt, Source, SourceOrigin, Verification};
pub use visual::{Crop, CropKind, CropSource, PageHit, PageScores};

use serde_json::{Map, Value};

/// Major version of the wire that this build reads and writes.
pub const VERSION: u32 = 1;

/// Unknown fields of a record, kept in the order they came and written back.
pub type Extra = Map<String, Value>;

/// The type tag of a record, `"type"` on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A source file or a line of a corpus.
    Document,
    /// A retrievable piece of a document.
    Chunk,
    /// A document that is gone or replaced.
    Removed,
    /// What a paper is about and cites.
    Entities,
    /// A question on its way to an answer.
    Query,
    /// A failure, passed on untouched by every later stage.
    Error,
}

impl Kind {
    /// All kinds this build knows, in the order of the documentation.
    pub const ALL: [Self; 6] = [Self::Document, Self::Chunk, Self::Removed, Self::Entities, Self::Query, Self::Error];

    /// The tag on the wire.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Chunk => "chunk",
            Self::Removed => "removed",
            Self::Entities => "entities",
            Self::Query => "query",
            Self::Error => "error",
        }
    }

    /// The kind of a tag, if this build knows it.
    pub fn of(tag: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.tag() == tag)
    }
}

/// One record, or a line that is none of this tool's business.
///
/// The variants are boxed where they are large, so that channels of records stay cheap to move.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// See [`Document`].
    Document(Box<Document>),
    /// See [`Chunk`].
    Chunk(Box<Chunk>),
    /// See [`Removed`].
    Removed(Removed),
    /// See [`Entities`].
    Entities(Box<Entities>),
    /// See [`Query`].
    Query(Box<Query>),
    /// A failure made by this tool; failures of earlier tools arrive as [`Record::Other`].
    Error(ErrorRecord),
    /// A line passed on byte for byte: a type this tool does not handle.
    Other(String),
}

impl From<Document> for Record {
    fn from(document: Document) -> Self {
        Self::Document(Box::new(document))
    }
}

impl From<Chunk> for Record {
    fn from(chunk: Chunk) -> Self {
        Self::Chunk(Box::new(chunk))
    }
}

impl From<Removed> for Record {
    fn from(removed: Removed) -> Self {
        Self::Removed(removed)
    }
}

impl From<Entities> for Record {
    fn from(entities: Entities) -> Self {
        Self::Entities(Box::new(entities))
    }
}

impl From<Query> for Record {
    fn from(query: Query) -> Self {
        Self::Query(Box::new(query))
    }
}

impl From<ErrorRecord> for Record {
    fn from(error: ErrorRecord) -> Self {
        Self::Error(error)
    }
}
