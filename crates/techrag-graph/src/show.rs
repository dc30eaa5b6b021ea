//! A neighbourhood as text: what a name means to the graph.

use std::collections::BTreeMap;

use techrag_core::text;

use crate::model::{Direction, EdgeType, Key, Label, Node};
use crate::name::{folded_name, person, split_person};
use crate::store::{Result, Store};

/// What was found under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The node and its links, a line each.
    Text(String),
    /// Nothing.
    Nothing,
}

/// Nodes shown where a name fits several.
const MOST_NODES: usize = 5;

/// The nodes that a name fits, each with at most `most` links of a kind.
///
/// # Errors
/// If the store fails.
pub fn neighbourhood(store: &dyn Store, name: &str, most: usize) -> Result<Found> {
    let nodes = find(store, name)?;
    if nodes.is_empty() {
        return Ok(Found::Nothing);
    }
    let mut shown = String::new();
    for node in nodes.iter().take(MOST_NODES) {
        shown.push_str(&one(store, node, most)?);
    }
    if nodes.len() > MOST_NODES {
        shown.push_str(&format!("… and {} more of that name\n", nodes.len() - MOST_NODES));
    }
    Ok(Found::Text(shown))
}

/// By id first; then by words of a title or a family name.
fn find(store: &dyn Store, name: &str) -> Result<Vec<Node>> {
    let mut found = Vec::new();
    for label in Label::ALL {
        let id = match label {
            Label::Paper | Label::Chunk => name.to_owned(),
            Label::Author => person(name),
            Label::Topic | Label::Method | Label::Metric | Label::Application | Label::CitationPaper => {
                folded_name(name)
            }
        };
        found.extend(store.nodes(label, &[id])?);
    }
    if found.is_empty() {
        let words = text::fold(name);
        let (family, _) = split_person(name);
        found = store.all(Label::Paper)?;
        found.retain(|paper| paper.text("title").is_some_and(|title| text::fold(title).contains(&words)));
        let mut authors = store.all(Label::Author)?;
        authors.retain(|author| split_person(author.shown()).0 == family);
        found.extend(authors);
    }
    Ok(found)
}

fn one(store: &dyn Store, node: &Node, most: usize) -> Result<String> {
    let mut shown = format!("{} {}", node.key.label.name(), described(node));
    if node.key.label == Label::Paper {
        shown.push_str(&format!(" [{}]", node.key.id));
    }
    shown.push('\n');
    for edge in EdgeType::ALL {
        for direction in [Direction::Out, Direction::In] {
            let links = store.links(edge, direction, node.key.label, std::slice::from_ref(&node.key.id))?;
            if links.is_empty() {
                continue;
            }
            let arrow = if direction == Direction::Out { "→" } else { "←" };
            shown.push_str(&format!("  {arrow} {} ({})\n", edge.name(), links.len()));
            let far: Vec<Key> = links.into_iter().map(|link| link.far).collect();
            for name in names(store, &far[..far.len().min(most)])? {
                shown.push_str(&format!("      {name}\n"));
            }
        }
    }
    Ok(shown)
}

fn names(store: &dyn Store, keys: &[Key]) -> Result<Vec<String>> {
    let mut by_label: BTreeMap<Label, Vec<String>> = BTreeMap::new();
    for key in keys {
        by_label.entry(key.label).or_default().push(key.id.clone());
    }
    let mut names = Vec::new();
    for (label, ids) in by_label {
        names.extend(store.nodes(label, &ids)?.iter().map(described));
    }
    Ok(names)
}

fn described(node: &Node) -> String {
    let year = node.number("year").map_or(String::new(), |year| format!(" ({year})"));
    match node.text("section").filter(|section| !section.is_empty()) {
        Some(section) => format!("{} {section}", node.key.id),
        None => format!("{}{year}", node.shown()),
    }
}
