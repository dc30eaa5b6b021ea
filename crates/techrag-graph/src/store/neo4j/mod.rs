//! The graph on a Neo4j server, over Bolt. The asynchronous driver and its runtime stay inside this module.
//!
//! Ids are our own property `id`, unique by a constraint a label; the driver speaks Bolt 4, where nodes carry no element
//! id. A paper's keys are a property of it here, which reading leaves out, as the embedded store keeps them in a table.

mod client;
mod write;

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};

use super::{Holders, Loaded, Number, Patch, Result, Stats, Store};
use crate::community::Community;
use crate::model::{Direction, Edge, EdgeType, Key, Label, Link, Node, Props};
use crate::rows::Rows;
use client::Client;
pub use client::Server;

/// Properties of a paper that are not a part of the graph.
const OURS: [&str; 4] = ["id", "digest", "keys", "community"];
/// Label of what a community is called and told by; its papers name its number. Beside the graph, so no count has it.
const COMMUNITY: &str = "TechragCommunity";

/// The store on a server.
pub struct Neo4j {
    client: Client,
}

impl Neo4j {
    /// A store that connects when it is first asked.
    ///
    /// # Errors
    /// If the address cannot be one, or no runtime can be started.
    pub fn new(server: &Server) -> Result<Self> {
        Ok(Self { client: Client::new(server)? })
    }

    /// Makes the constraints and indexes that are missing: one unique id a label, titles and names for look-up.
    ///
    /// # Errors
    /// If the server cannot be reached or refuses.
    pub fn prepare(&self) -> Result<()> {
        for label in Label::ALL {
            let (name, lower) = (label.name(), label.name().to_lowercase());
            let constraint =
                format!("CREATE CONSTRAINT techrag_{lower}_id IF NOT EXISTS FOR (n:{name}) REQUIRE n.id IS UNIQUE");
            self.client.read(&constraint, json!({}))?;
        }
        for (label, property) in
            [("Paper", "title"), ("Paper", "community"), ("CitationPaper", "title"), ("Author", "name")]
        {
            let name = format!("techrag_{}_{property}", label.to_lowercase());
            self.client
                .read(&format!("CREATE INDEX {name} IF NOT EXISTS FOR (n:{label}) ON (n.{property})"), json!({}))?;
        }
        Ok(())
    }

    fn counted(&self, cypher: &str) -> Result<std::collections::BTreeMap<String, u64>> {
        let rows = self.client.read(cypher, json!({}))?;
        let pair = |row: &Value| Some((row["kind"].as_str()?.to_owned(), row["count"].as_u64()?));
        Ok(rows.iter().filter_map(pair).collect())
    }
}

impl Store for Neo4j {
    fn name(&self) -> &str {
        self.client.address()
    }

    fn replace(&self, rows: &Rows) -> Result<Loaded> {
        self.client.change(async |change| write::replace(change, rows).await)
    }

    fn remove(&self, doc_id: &str, key: &str) -> Result<bool> {
        self.client.change(async |change| write::remove(change, doc_id, key).await)
    }

    fn apply(&self, patch: &Patch) -> Result<()> {
        self.client.change(async |change| write::apply(change, patch).await)
    }

    fn stats(&self) -> Result<Stats> {
        Ok(Stats {
            nodes: self.counted(&format!(
                "MATCH (n) WHERE NOT n:{COMMUNITY} RETURN labels(n)[0] AS kind, count(*) AS count"
            ))?,
            edges: self.counted("MATCH ()-[e]->() RETURN type(e) AS kind, count(*) AS count")?,
        })
    }

    fn count(&self, label: Label) -> Result<u64> {
        let rows = self.client.read(&format!("MATCH (n:{}) RETURN count(n) AS count", label.name()), json!({}))?;
        Ok(rows.first().and_then(|row| row["count"].as_u64()).unwrap_or(0))
    }

    fn nodes(&self, label: Label, ids: &[String]) -> Result<Vec<Node>> {
        let cypher = format!(
            "UNWIND $ids AS id MATCH (n:{} {{id: id}}) RETURN n.id AS id, properties(n) AS props",
            label.name()
        );
        let ids: BTreeSet<&String> = ids.iter().collect();
        Ok(nodes(label, self.client.read(&cypher, json!({ "ids": ids }))?))
    }

    fn links(&self, edge: EdgeType, direction: Direction, label: Label, ids: &[String]) -> Result<Vec<Link>> {
        let (before, after) = match direction {
            Direction::Out => ("", ">"),
            Direction::In => ("<", ""),
        };
        let cypher = format!(
            "UNWIND $ids AS id MATCH (n:{} {{id: id}}){before}-[:{}]-{after}(f) \
             RETURN n.id AS near, labels(f)[0] AS label, f.id AS far",
            label.name(),
            edge.name()
        );
        let ids: BTreeSet<&String> = ids.iter().collect();
        let rows = self.client.read(&cypher, json!({ "ids": ids }))?;
        let link =
            |row: &Value| Some(Link { near: row["near"].as_str()?.to_owned(), far: key(&row["label"], &row["far"])? });
        let mut links: Vec<Link> = rows.iter().filter_map(link).collect();
        links.sort_unstable();
        Ok(links)
    }

    fn holders(&self, terms: &[Key]) -> Result<Holders> {
        let mut numbers: HashMap<String, Number> = HashMap::new();
        let mut holders = Holders::default();
        for label in Label::TERMS {
            let of_label = terms.iter().filter(|key| key.label == label);
            let ids: Vec<String> = of_label.map(|key| key.id.clone()).collect();
            let Some(edge) = EdgeType::to_term(label).filter(|_| !ids.is_empty()) else { continue };
            for link in self.links(edge, Direction::In, label, &ids)? {
                let number = *numbers.entry(link.far.id).or_insert_with_key(|id| {
                    holders.ids.push(id.clone());
                    holders.ids.len() as Number - 1
                });
                holders.of.entry(Key::new(label, link.near)).or_default().push(number);
            }
        }
        Ok(holders)
    }

    fn paper_ids(&self, holders: &Holders, papers: &[Number]) -> Result<Vec<Option<String>>> {
        let id = |paper: &Number| holders.ids.get(usize::try_from(*paper).ok()?).cloned();
        Ok(papers.iter().map(id).collect())
    }

    fn relations(&self, terms: &[Key]) -> Result<Vec<Edge>> {
        let mut found: Vec<Edge> = Vec::new();
        for label in Label::TERMS {
            let ids: BTreeSet<&String> = terms.iter().filter(|key| key.label == label).map(|key| &key.id).collect();
            let cypher = format!(
                "UNWIND $ids AS id MATCH (n:{} {{id: id}})-[e:{}]->(f) RETURN n.id AS from, type(e) AS kind, \
                 labels(f)[0] AS label, f.id AS to, properties(e) AS props",
                label.name(),
                write::RELATIONS
            );
            let made = |row: &Value| {
                let (from, to) = (Key::new(label, row["from"].as_str()?), key(&row["label"], &row["to"])?);
                let kind = EdgeType::of(row["kind"].as_str()?)?;
                Some(Edge { from, kind, to, props: row["props"].as_object()?.clone() })
            };
            found.extend(self.client.read(&cypher, json!({ "ids": ids }))?.iter().filter_map(made));
        }
        found.sort_by(|a, b| (&a.from, &a.to, a.kind).cmp(&(&b.from, &b.to, b.kind)));
        Ok(found)
    }

    fn keep_communities(&self, communities: &[Community]) -> Result<()> {
        self.client.change(async |change| write::keep_communities(change, communities).await)
    }

    fn communities(&self) -> Result<Vec<Community>> {
        let cypher = format!(
            "MATCH (c:{COMMUNITY}) MATCH (p:Paper {{community: c.number}}) WITH c, p ORDER BY p.id \
             RETURN c.number AS number, c.said AS said, collect(p.id) AS papers ORDER BY number"
        );
        let rows = self.client.read(&cypher, json!({}))?;
        let community = |row: &Value| -> Result<Community> {
            let papers = row["papers"].as_array().into_iter().flatten();
            let papers = papers.filter_map(|id| id.as_str().map(str::to_owned)).collect();
            Community::of_said(row["said"].as_str().unwrap_or_default(), papers)
        };
        rows.iter().map(community).collect()
    }

    fn all(&self, label: Label) -> Result<Vec<Node>> {
        let cypher = format!("MATCH (n:{}) RETURN n.id AS id, properties(n) AS props", label.name());
        Ok(nodes(label, self.client.read(&cypher, json!({}))?))
    }

    fn edges(&self, edge: EdgeType) -> Result<Vec<Edge>> {
        let cypher = format!(
            "MATCH (a)-[e:{}]->(b) RETURN labels(a)[0] AS from_label, a.id AS from, labels(b)[0] AS to_label, \
             b.id AS to, properties(e) AS props",
            edge.name()
        );
        let rows = self.client.read(&cypher, json!({}))?;
        let made = |row: &Value| {
            let (from, to) = (key(&row["from_label"], &row["from"])?, key(&row["to_label"], &row["to"])?);
            Some(Edge { from, kind: edge, to, props: row["props"].as_object()?.clone() })
        };
        let mut edges: Vec<Edge> = rows.iter().filter_map(made).collect();
        edges.sort_by(|a, b| (&a.from, &a.to).cmp(&(&b.from, &b.to)));
        Ok(edges)
    }
}

/// The key in two columns; `None` for nodes of other programs.
fn key(label: &Value, id: &Value) -> Option<Key> {
    Some(Key::new(Label::of(label.as_str()?)?, id.as_str()?))
}

/// The nodes of rows of `id` and `props`, ascending by id.
fn nodes(label: Label, rows: Vec<Value>) -> Vec<Node> {
    let node = |row: Value| {
        let mut props: Props = row["props"].as_object()?.clone();
        OURS.iter().for_each(|name| {
            props.shift_remove(*name);
        });
        Some(Node { key: Key::new(label, row["id"].as_str()?), props })
    };
    let mut nodes: Vec<Node> = rows.into_iter().filter_map(node).collect();
    nodes.sort_by(|a, b| a.key.cmp(&b.key));
    nodes
}
