//! What the graph knows of papers.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use techrag_core::record::{ContextPaper, ContextRelation};

use super::in_scope;
use crate::expand::Canonical;
use crate::model::{Direction, Edge, EdgeType, Key, Label, Link, Node};
use crate::store::{Result, Store};

/// The facts of some papers, fetched together.
pub(super) struct Facts {
    papers: BTreeMap<String, Node>,
    terms: BTreeMap<(String, Label), BTreeSet<String>>,
    cites: BTreeMap<String, Vec<String>>,
    cited_by: BTreeMap<String, Vec<String>>,
    /// The terms as the papers have them, under whatever name.
    used: BTreeSet<Key>,
}

impl Facts {
    pub(super) fn of(store: &dyn Store, ids: &[String], among: Option<&BTreeSet<String>>) -> Result<Self> {
        let papers = store.nodes(Label::Paper, ids)?.into_iter().map(|node| (node.key.id.clone(), node)).collect();
        let mut terms: BTreeMap<(String, Label), BTreeSet<String>> = BTreeMap::new();
        let mut used = BTreeSet::new();
        for label in Label::TERMS {
            for (link, name) in named(store, label, ids)? {
                used.insert(link.far);
                terms.entry((link.near, label)).or_default().insert(name);
            }
        }
        let directed = |direction| -> Result<BTreeMap<String, Vec<String>>> {
            let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for link in store.links(EdgeType::CitesPaper, direction, Label::Paper, ids)? {
                if in_scope(among, &link.far.id) {
                    found.entry(link.near).or_default().push(link.far.id);
                }
            }
            Ok(found)
        };
        let (cites, cited_by) = (directed(Direction::Out)?, directed(Direction::In)?);
        Ok(Self { papers, terms, cites, cited_by, used })
    }

    /// What the papers say of how their terms belong together: at most `most` relations, those of most papers first.
    pub(super) fn relations(&self, store: &dyn Store, most: usize) -> Result<Vec<ContextRelation>> {
        let used: Vec<Key> = self.used.iter().cloned().collect();
        let mut said: Vec<(Edge, Vec<String>)> = Vec::new();
        for edge in store.relations(&used)? {
            let papers = edge.props.get("papers").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let ours = papers.iter().filter_map(Value::as_str).filter(|paper| self.papers.contains_key(*paper));
            let ours: Vec<String> = ours.map(str::to_owned).collect();
            if !ours.is_empty() {
                said.push((edge, ours));
            }
        }
        // The store gives them in the order of their ends; a stable sort keeps that among equals.
        said.sort_by_key(|(_, papers)| std::cmp::Reverse(papers.len()));
        said.truncate(most);
        let mut names: BTreeMap<Key, String> = BTreeMap::new();
        for label in Label::TERMS {
            let ends = said.iter().flat_map(|(edge, _)| [&edge.from, &edge.to]).filter(|key| key.label == label);
            let ids: BTreeSet<String> = ends.map(|key| key.id.clone()).collect();
            let nodes = store.nodes(label, &ids.into_iter().collect::<Vec<_>>())?;
            names.extend(nodes.into_iter().map(|node| (node.key.clone(), node.shown().to_owned())));
        }
        let name = |key: &Key| names.get(key).unwrap_or(&key.id).clone();
        let relation = |(edge, papers): (Edge, Vec<String>)| ContextRelation {
            from: name(&edge.from),
            relation: edge.kind.name().to_owned(),
            to: name(&edge.to),
            papers,
        };
        Ok(said.into_iter().map(relation).collect())
    }

    pub(super) fn paper(&self, id: &str) -> Option<ContextPaper> {
        let node = self.papers.get(id)?;
        let terms = |label| {
            let found = self.terms.get(&(id.to_owned(), label));
            found.map(|names| names.iter().cloned().collect()).unwrap_or_default()
        };
        Some(ContextPaper {
            doc_id: id.to_owned(),
            title: node.text("title").map(str::to_owned),
            year: node.number("year"),
            doi: node.text("doi").map(str::to_owned),
            authors: node.list("authors"),
            topics: terms(Label::Topic),
            methods: terms(Label::Method),
            metrics: terms(Label::Metric),
            applications: terms(Label::Application),
            cites: self.cites.get(id).cloned().unwrap_or_default(),
            cited_by: self.cited_by.get(id).cloned().unwrap_or_default(),
        })
    }
}

/// The name of every topic and method that one of the papers has, as communities are named.
pub(super) fn term_names(store: &dyn Store, papers: &[String]) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for label in [Label::Topic, Label::Method] {
        names.extend(named(store, label, papers)?.into_iter().map(|(_, name)| name));
    }
    Ok(names)
}

/// The links of papers to their terms of a label, each with the name the term goes by.
fn named(store: &dyn Store, label: Label, papers: &[String]) -> Result<Vec<(Link, String)>> {
    let Some(edge) = EdgeType::to_term(label) else { return Ok(Vec::new()) };
    let canonical = Canonical::of(store, label, edge, papers)?;
    let links = store.links(edge, Direction::Out, Label::Paper, papers)?;
    let wanted: BTreeSet<String> = links.iter().map(|link| canonical.canonical(&link.far.id).to_owned()).collect();
    let nodes = store.nodes(label, &wanted.into_iter().collect::<Vec<_>>())?;
    let names: BTreeMap<&str, &str> = nodes.iter().map(|node| (node.key.id.as_str(), node.shown())).collect();
    let name = |link: Link| {
        let id = canonical.canonical(&link.far.id);
        let name = names.get(id).copied().unwrap_or(id).to_owned();
        (link, name)
    };
    Ok(links.into_iter().map(name).collect())
}
