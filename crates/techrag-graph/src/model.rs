//! Nodes and edges: the eight labels and nine edge types of SPEC section 6, and the opt-in relations beside them.

use serde_json::{Map, Value};

/// Properties of a node or an edge: strings, numbers and lists of strings, as both stores can keep them.
pub type Props = Map<String, Value>;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// A document; its id is the document's.
    Paper,
    /// A person.
    Author,
    /// A field or subject.
    Topic,
    /// What a paper works by.
    Method,
    /// What a paper measures or reports.
    Metric,
    /// What a paper is good for.
    Application,
    /// A work that is cited, in the library or not.
    CitationPaper,
    /// A chunk; its id is the uid.
    Chunk,
}

impl Label {
    /// All labels, in the order of the documentation.
    pub const ALL: [Self; 8] = [
        Self::Paper,
        Self::Author,
        Self::Topic,
        Self::Method,
        Self::Metric,
        Self::Application,
        Self::CitationPaper,
        Self::Chunk,
    ];
    /// The labels of extracted terms.
    pub const TERMS: [Self; 4] = [Self::Topic, Self::Method, Self::Metric, Self::Application];

    /// As the stores write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Paper => "Paper",
            Self::Author => "Author",
            Self::Topic => "Topic",
            Self::Method => "Method",
            Self::Metric => "Metric",
            Self::Application => "Application",
            Self::CitationPaper => "CitationPaper",
            Self::Chunk => "Chunk",
        }
    }

    /// The label of a name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|label| label.name() == name)
    }
}

/// What an edge says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeType {
    /// Author → Paper.
    Authored,
    /// Paper → Topic.
    BelongsTo,
    /// Paper → Method.
    UsesMethod,
    /// Paper → Metric.
    ReportsMetric,
    /// Paper → Application.
    AppliesTo,
    /// Paper → CitationPaper.
    Cites,
    /// Paper → Paper: a cited title that is a paper of the graph.
    CitesPaper,
    /// Paper → Chunk.
    HasChunk,
    /// A name → the name it stands for, of the same label.
    AliasOf,
    /// Opt-in: what something is used for.
    UsedFor,
    /// Opt-in: what a metric measures.
    Measures,
    /// Opt-in: two terms that go together.
    RelatedTo,
    /// Opt-in: a term → a narrower one.
    BroaderThan,
}

impl EdgeType {
    /// All types, the nine first.
    pub const ALL: [Self; 13] = [
        Self::Authored,
        Self::BelongsTo,
        Self::UsesMethod,
        Self::ReportsMetric,
        Self::AppliesTo,
        Self::Cites,
        Self::CitesPaper,
        Self::HasChunk,
        Self::AliasOf,
        Self::UsedFor,
        Self::Measures,
        Self::RelatedTo,
        Self::BroaderThan,
    ];
    /// The opt-in relations between terms.
    pub const RELATIONS: [Self; 4] = [Self::UsedFor, Self::Measures, Self::RelatedTo, Self::BroaderThan];

    /// As the stores write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Authored => "AUTHORED",
            Self::BelongsTo => "BELONGS_TO",
            Self::UsesMethod => "USES_METHOD",
            Self::ReportsMetric => "REPORTS_METRIC",
            Self::AppliesTo => "APPLIES_TO",
            Self::Cites => "CITES",
            Self::CitesPaper => "CITES_PAPER",
            Self::HasChunk => "HAS_CHUNK",
            Self::AliasOf => "ALIAS_OF",
            Self::UsedFor => "USED_FOR",
            Self::Measures => "MEASURES",
            Self::RelatedTo => "RELATED_TO",
            Self::BroaderThan => "BROADER_THAN",
        }
    }

    /// The type of a name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|edge| edge.name() == name)
    }

    /// What a step along the edge leads to, where its type alone says so.
    pub fn leads_to(self, direction: Direction) -> Option<Label> {
        let (from, to) = match self {
            Self::Authored => (Label::Author, Label::Paper),
            Self::BelongsTo => (Label::Paper, Label::Topic),
            Self::UsesMethod => (Label::Paper, Label::Method),
            Self::ReportsMetric => (Label::Paper, Label::Metric),
            Self::AppliesTo => (Label::Paper, Label::Application),
            Self::Cites => (Label::Paper, Label::CitationPaper),
            Self::CitesPaper => (Label::Paper, Label::Paper),
            Self::HasChunk => (Label::Paper, Label::Chunk),
            Self::AliasOf | Self::UsedFor | Self::Measures | Self::RelatedTo | Self::BroaderThan => return None,
        };
        Some(if direction == Direction::Out { to } else { from })
    }

    /// The edge that leads from a paper to a term of this label.
    pub fn to_term(label: Label) -> Option<Self> {
        match label {
            Label::Topic => Some(Self::BelongsTo),
            Label::Method => Some(Self::UsesMethod),
            Label::Metric => Some(Self::ReportsMetric),
            Label::Application => Some(Self::AppliesTo),
            Label::Paper | Label::Author | Label::CitationPaper | Label::Chunk => None,
        }
    }
}

/// The way an edge is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From its start to its end.
    Out,
    /// From its end to its start.
    In,
}

/// What names a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// What it is.
    pub label: Label,
    /// Its id among those of its label.
    pub id: String,
}

impl Key {
    /// A key.
    pub fn new(label: Label, id: impl Into<String>) -> Self {
        Self { label, id: id.into() }
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.label.name(), self.id)
    }
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What names it.
    pub key: Key,
    /// What is known of it.
    pub props: Props,
}

impl Node {
    /// A property that is text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.props.get(name)?.as_str()
    }

    /// A property that is a year or another small number.
    pub fn number(&self, name: &str) -> Option<i32> {
        i32::try_from(self.props.get(name)?.as_i64()?).ok()
    }

    /// A property that is a list of texts; empty where there is none.
    pub fn list(&self, name: &str) -> Vec<String> {
        let items = self.props.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// What people call it: its name or title, else its id.
    pub fn shown(&self) -> &str {
        self.text("name").or_else(|| self.text("title")).unwrap_or(&self.key.id)
    }
}

/// An edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Where it starts.
    pub from: Key,
    /// What it says.
    pub kind: EdgeType,
    /// Where it ends.
    pub to: Key,
    /// What else it says.
    pub props: Props,
}

/// A step from one node to another, without what the edge says beside its type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// The id the step was asked from.
    pub near: String,
    /// Where it leads.
    pub far: Key,
}
