//! From what was extracted to nodes and edges.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use techrag_core::record::{CitedWork, Entities, Entity, Extra};
use techrag_core::{id, text};

use crate::model::{Edge, EdgeType, Key, Label, Node, Props};
use crate::name::{folded_name, person};

/// Everything the graph keeps of one paper; replaces what it kept before.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// The document.
    pub doc_id: String,
    /// Its key.
    pub key: String,
    /// Changes with what was extracted, not with the document's key.
    pub digest: String,
    /// The paper first, then everything it leads to, each once.
    pub nodes: Vec<Node>,
    /// Its edges, each once.
    pub edges: Vec<Edge>,
}

/// Version of the mapping; part of the digest, so that a new one is loaded anew.
const MAPPING: &str = "1";

impl Rows {
    /// The nodes and edges of a paper.
    pub fn of(entities: &Entities) -> Self {
        let mut made = Making::new(&entities.doc_id);
        let facts = &entities.paper;
        made.node(
            Key::new(Label::Paper, &entities.doc_id),
            [
                ("title", facts.title.as_deref().map(shown)),
                ("year", facts.year.map(Value::from)),
                ("doi", facts.doi.clone().map(Value::from)),
                ("arxiv", facts.arxiv.clone().map(Value::from)),
                ("authors", texts(entities.authors.iter().map(|author| author.name.clone()))),
                ("keywords", texts(entities.keywords.iter().cloned())),
            ],
        );
        made.authors(entities);
        for (label, terms) in [
            (Label::Topic, &entities.topics),
            (Label::Method, &entities.methods),
            (Label::Metric, &entities.metrics),
            (Label::Application, &entities.applications),
        ] {
            terms.iter().for_each(|term| made.term(label, term));
        }
        entities.cited.iter().for_each(|work| made.cited(work));
        made.chunks(entities);
        made.relations(entities);
        made.finish(entities)
    }

    /// The paper's own node.
    pub fn paper(&self) -> &Node {
        &self.nodes[0]
    }
}

/// Longest id and longest indexed text, in bytes. A server's index takes about 8,000 and refuses the whole paper beyond.
const LONGEST: usize = 1000;

/// The key of a named thing; an id that is too long is cut and keeps a digest of the whole, so that two stay two.
fn named(label: Label, id: String) -> Key {
    if id.len() <= LONGEST {
        return Key::new(label, id);
    }
    let digest = id::doc_id(id.as_bytes());
    Key::new(label, format!("{} {digest}", text::prefix(&id, LONGEST - digest.len() - 1)))
}

/// What people call it; cut where it is too long to be a name or a title.
fn shown(name: &str) -> Value {
    if name.len() <= LONGEST { name.into() } else { format!("{}…", text::prefix(name, LONGEST - 3)).into() }
}

fn texts(texts: impl Iterator<Item = String>) -> Option<Value> {
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| texts.into())
}

/// Nodes and edges by what names them, so that each is there once.
struct Making {
    paper: Key,
    order: Vec<Key>,
    nodes: BTreeMap<Key, Props>,
    edges: BTreeMap<(Key, EdgeType, Key), Props>,
}

impl Making {
    fn new(doc_id: &str) -> Self {
        let paper = Key::new(Label::Paper, doc_id);
        Self { paper, order: Vec::new(), nodes: BTreeMap::new(), edges: BTreeMap::new() }
    }

    fn node<const N: usize>(&mut self, key: Key, props: [(&str, Option<Value>); N]) {
        if !self.nodes.contains_key(&key) {
            let known = props.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
            self.nodes.insert(key.clone(), known.collect());
            self.order.push(key);
        }
    }

    fn edge(&mut self, from: Key, kind: EdgeType, to: Key, props: Value) {
        let Value::Object(props) = props else { return };
        self.edges.entry((from, kind, to)).or_insert(props);
    }

    fn authors(&mut self, entities: &Entities) {
        for (author, position) in entities.authors.iter().zip(1..) {
            let key = named(Label::Author, person(&author.name));
            if key.id.is_empty() {
                continue;
            }
            self.node(
                key.clone(),
                [
                    ("name", Some(shown(&author.name))),
                    ("orcid", author.orcid.clone().map(Value::from)),
                    ("openalex", author.openalex.clone().map(Value::from)),
                ],
            );
            let (paper, checked) = (self.paper.clone(), &entities.authors_checked);
            self.edge(key, EdgeType::Authored, paper, json!({ "position": position, "checked": checked }));
        }
    }

    fn term(&mut self, label: Label, term: &Entity) {
        let (key, Some(kind)) = (named(label, folded_name(&term.name)), EdgeType::to_term(label)) else { return };
        if key.id.is_empty() {
            return;
        }
        self.node(key.clone(), [("name", Some(shown(&term.name))), ("also", term.also.clone().map(Value::from))]);
        let paper = self.paper.clone();
        self.edge(paper, kind, key, json!({ "weight": term.weight, "by": term.by }));
    }

    fn cited(&mut self, work: &CitedWork) {
        let key = named(Label::CitationPaper, folded_name(&work.title));
        if key.id.is_empty() {
            return;
        }
        self.node(
            key.clone(),
            [
                ("title", Some(shown(&work.title))),
                ("year", work.year.map(Value::from)),
                ("doi", work.doi.clone().map(Value::from)),
                ("authors", texts(work.authors.iter().cloned())),
            ],
        );
        let mut props = Extra::new();
        if let Some(label) = &work.label {
            props.insert("label".into(), label.clone().into());
        }
        let paper = self.paper.clone();
        self.edge(paper, EdgeType::Cites, key, props.into());
    }

    fn chunks(&mut self, entities: &Entities) {
        for chunk in &entities.chunks {
            // A chunk of another document is no support of this one.
            let Some((_, ordinal)) = id::split_uid(&chunk.uid).filter(|(of, _)| *of == entities.doc_id) else {
                continue;
            };
            let key = Key::new(Label::Chunk, &chunk.uid);
            self.node(
                key.clone(),
                [
                    ("ordinal", Some(ordinal.into())),
                    ("role", serde_json::to_value(chunk.role).ok()),
                    ("section", Some(chunk.section.clone().into())),
                    ("page", chunk.pages.map(|pages| pages[0].into())),
                ],
            );
            let paper = self.paper.clone();
            self.edge(paper, EdgeType::HasChunk, key, json!({}));
        }
    }

    /// Relations hold between terms the paper has; others are left out.
    fn relations(&mut self, entities: &Entities) {
        for relation in &entities.relations {
            let ends = [&relation.from, &relation.to].map(|end| {
                let (label, name) = end.split_once(':')?;
                Some(named(Label::of(label)?, folded_name(name)))
            });
            let (Some(kind), [Some(from), Some(to)]) = (EdgeType::of(&relation.relation), ends) else { continue };
            let known =
                [&from, &to].iter().all(|end| Label::TERMS.contains(&end.label) && self.nodes.contains_key(end));
            if known && EdgeType::RELATIONS.contains(&kind) {
                self.edge(from, kind, to, json!({ "papers": [entities.doc_id] }));
            }
        }
    }

    fn finish(mut self, entities: &Entities) -> Rows {
        let nodes: Vec<Node> =
            self.order.into_iter().filter_map(|key| Some(Node { props: self.nodes.remove(&key)?, key })).collect();
        let edges: Vec<Edge> =
            self.edges.into_iter().map(|((from, kind, to), props)| Edge { from, kind, to, props }).collect();
        let mut said = MAPPING.to_owned();
        for node in &nodes {
            said.push_str(&format!("\n{} {}", node.key, Value::Object(node.props.clone())));
        }
        for edge in &edges {
            let props = Value::Object(edge.props.clone());
            said.push_str(&format!("\n{} {} {} {props}", edge.from, edge.kind.name(), edge.to));
        }
        let (doc_id, key) = (entities.doc_id.clone(), entities.key.clone());
        Rows { doc_id, key, digest: id::sha256(said.as_bytes()), nodes, edges }
    }
}

/// What two papers say of one node, as one: of two values the lesser, so that the order of loading does not matter.
pub(crate) fn merged(old: &Props, new: &Props) -> Props {
    let mut both = old.clone();
    for (name, value) in new {
        let keep = both.get(name).is_some_and(|old| order(old) <= order(value));
        if !keep {
            both.insert(name.clone(), value.clone());
        }
    }
    both
}

fn order(value: &Value) -> (i64, String) {
    (value.as_i64().unwrap_or(0), value.to_string())
}

/// The papers of both, ascending, each once: who says that a relation holds.
pub(crate) fn joined_papers(old: &Props, new: &Props) -> Props {
    let papers = [old, new].into_iter().filter_map(|props| props.get("papers")?.as_array());
    let papers: BTreeSet<String> = papers.flatten().filter_map(|paper| Some(paper.as_str()?.to_owned())).collect();
    let mut both = old.clone();
    both.insert("papers".into(), papers.into_iter().collect::<Vec<_>>().into());
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_too_long_for_an_index_are_cut_and_stay_apart() {
        let long = |end: &str| CitedWork { title: format!("{} {end}", "μ".repeat(9000)), ..CitedWork::default() };
        let entities = Entities { doc_id: "a".into(), cited: vec![long("one"), long("two")], ..Entities::default() };
        let rows = Rows::of(&entities);
        assert_eq!(rows.nodes.len(), 3);
        for node in &rows.nodes[1..] {
            assert!(node.key.id.len() <= LONGEST && node.shown().len() <= LONGEST && node.shown().ends_with('…'));
        }
    }

    #[test]
    fn a_chunk_of_another_document_is_left_out() {
        let chunk = |uid: &str| techrag_core::record::ChunkPlace { uid: uid.into(), ..Default::default() };
        let chunks = vec![chunk("a:0"), chunk("b:0"), chunk("nonsense")];
        let rows = Rows::of(&Entities { doc_id: "a".into(), chunks, ..Entities::default() });
        assert_eq!(rows.nodes.iter().map(|node| node.key.id.as_str()).collect::<Vec<_>>(), ["a", "a:0"]);
    }
}
