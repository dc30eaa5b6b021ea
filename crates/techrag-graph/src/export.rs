//! The whole graph in formats that other programs read. Nodes by label and id, edges by type and ends, so that the same
//! graph gives the same bytes from either store.
//!
//! | format | for |
//! |---|---|
//! | `jsonl` | scripts: one object a node or edge |
//! | `graphml` | Gephi, yEd, NetworkX, igraph; lists are written as JSON |
//! | `cypher` | any server that speaks Cypher: one MERGE a statement |
//! | `dot` | Graphviz; names only |

use std::collections::{BTreeMap, BTreeSet};

use quick_xml::escape::escape;
use serde_json::{Map, Value, json};

use crate::model::{Edge, EdgeType, Label, Node, Props};
use crate::store::{Result, Store};

/// A format of the export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON object a line.
    Jsonl,
    /// GraphML 1.0.
    GraphMl,
    /// Cypher statements.
    Cypher,
    /// Graphviz.
    Dot,
}

/// The graph as text; of `labels` only, with the edges between them.
///
/// # Errors
/// If the store fails.
pub fn export(store: &dyn Store, format: Format, labels: &[Label]) -> Result<String> {
    let mut nodes = Vec::new();
    for label in labels.iter().collect::<BTreeSet<_>>() {
        nodes.extend(store.all(*label)?);
    }
    let mut edges = Vec::new();
    for kind in EdgeType::ALL {
        let of_kind = store.edges(kind)?.into_iter();
        edges.extend(of_kind.filter(|edge| labels.contains(&edge.from.label) && labels.contains(&edge.to.label)));
    }
    for props in nodes.iter_mut().map(|node| &mut node.props).chain(edges.iter_mut().map(|edge| &mut edge.props)) {
        props.sort_keys();
    }
    Ok(match format {
        Format::Jsonl => jsonl(&nodes, &edges),
        Format::GraphMl => graphml(&nodes, &edges),
        Format::Cypher => cypher(&nodes, &edges),
        Format::Dot => dot(&nodes, &edges),
    })
}

fn jsonl(nodes: &[Node], edges: &[Edge]) -> String {
    let node =
        |node: &Node| json!({ "node": { "label": node.key.label.name(), "id": node.key.id, "props": node.props } });
    let edge = |edge: &Edge| {
        let (from, to) = (edge.from.to_string(), edge.to.to_string());
        json!({ "edge": { "type": edge.kind.name(), "from": from, "to": to, "props": edge.props } })
    };
    nodes.iter().map(node).chain(edges.iter().map(edge)).map(|line| format!("{line}\n")).collect()
}

/// GraphML's type of a property.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Number(number) if number.is_f64() => "double",
        Value::Number(_) => "long",
        _ => "string",
    }
}

fn graphml(nodes: &[Node], edges: &[Edge]) -> String {
    let mut keys: BTreeMap<(&str, String), &'static str> = BTreeMap::new();
    let named = nodes.iter().map(|node| ("node", &node.props)).chain(edges.iter().map(|edge| ("edge", &edge.props)));
    for (of, props) in named {
        for (name, value) in props {
            let seen = keys.entry((of, name.clone())).or_insert(kind(value));
            if *seen != kind(value) {
                *seen = "string";
            }
        }
    }
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
    );
    text.push_str("<key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n");
    text.push_str("<key id=\"type\" for=\"edge\" attr.name=\"type\" attr.type=\"string\"/>\n");
    for ((of, name), kind) in &keys {
        let name = escape(name.as_str());
        text.push_str(&format!("<key id=\"{of}.{name}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>\n"));
    }
    text.push_str("<graph edgedefault=\"directed\">\n");
    for node in nodes {
        let label = node.key.label.name();
        text.push_str(&format!("<node id=\"{}\"><data key=\"label\">{label}</data>", escape(node.key.to_string())));
        text.push_str(&data("node", &node.props));
        text.push_str("</node>\n");
    }
    for edge in edges {
        let (from, to) = (edge.from.to_string(), edge.to.to_string());
        text.push_str(&format!("<edge source=\"{}\" target=\"{}\">", escape(from), escape(to)));
        text.push_str(&format!("<data key=\"type\">{}</data>", edge.kind.name()));
        text.push_str(&data("edge", &edge.props));
        text.push_str("</edge>\n");
    }
    text.push_str("</graph>\n</graphml>\n");
    text
}

fn data(of: &str, props: &Props) -> String {
    let one = |(name, value): (&String, &Value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("<data key=\"{of}.{}\">{}</data>", escape(name.as_str()), escape(printable(&value)))
    };
    props.iter().map(one).collect()
}

/// Without the control characters that XML 1.0 has no way to write.
fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

fn cypher(nodes: &[Node], edges: &[Edge]) -> String {
    let mut text = String::new();
    for label in nodes.iter().map(|node| node.key.label).collect::<BTreeSet<_>>() {
        let (name, lower) = (label.name(), label.name().to_lowercase());
        text.push_str(&format!(
            "CREATE CONSTRAINT techrag_{lower}_id IF NOT EXISTS FOR (n:{name}) REQUIRE n.id IS UNIQUE;\n"
        ));
    }
    for node in nodes {
        let (label, id) = (node.key.label.name(), literal(&json!(node.key.id)));
        text.push_str(&format!("MERGE (n:{label} {{id: {id}}}) SET n += {};\n", map(&node.props)));
    }
    for edge in edges {
        let end = |key: &crate::Key| format!("{} {{id: {}}}", key.label.name(), literal(&json!(key.id)));
        text.push_str(&format!(
            "MATCH (a:{}) MATCH (b:{}) MERGE (a)-[e:{}]->(b) SET e = {};\n",
            end(&edge.from),
            end(&edge.to),
            edge.kind.name(),
            map(&edge.props)
        ));
    }
    text
}

fn map(props: &Map<String, Value>) -> String {
    let entries = props.iter().map(|(name, value)| format!("`{}`: {}", name.replace('`', "``"), literal(value)));
    format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
}

/// A value as Cypher writes it.
fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let escaped = text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n").replace('\r', "\\r");
            format!("'{escaped}'")
        }
        Value::Array(items) => format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", ")),
        Value::Object(entries) => map(entries),
        plain => plain.to_string(),
    }
}

fn dot(nodes: &[Node], edges: &[Edge]) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " "));
    let mut text = String::from("digraph techrag {\n  rankdir=LR;\n  node [fontsize=10];\n");
    for node in nodes {
        let shape = if node.key.label == Label::Paper { "box" } else { "ellipse" };
        let (id, shown) = (quoted(&node.key.to_string()), quoted(node.shown()));
        text.push_str(&format!("  {id} [label={shown}, shape={shape}, class={}];\n", quoted(node.key.label.name())));
    }
    for edge in edges {
        let (from, to) = (quoted(&edge.from.to_string()), quoted(&edge.to.to_string()));
        text.push_str(&format!("  {from} -> {to} [label={}];\n", quoted(edge.kind.name())));
    }
    text.push_str("}\n");
    text
}

#[cfg(test)]
#[path = "export_tests.rs"]
mod tests;
