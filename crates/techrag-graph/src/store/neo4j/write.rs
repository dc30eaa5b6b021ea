//! What one transaction does on the server: the same steps as in the embedded store.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::client::Change;
use super::{COMMUNITY, key, nodes};
use crate::community::Community;
use crate::model::{Edge, EdgeType, Key, Label, Node, Props};
use crate::rows::{Rows, joined_papers, merged};
use crate::store::{Loaded, Patch, Result};

pub(super) const RELATIONS: &str = "USED_FOR|MEASURES|RELATED_TO|BROADER_THAN";
/// What keeps a node that it leads to.
const SUPPORTS: &str = "BELONGS_TO|USES_METHOD|REPORTS_METRIC|APPLIES_TO|CITES|HAS_CHUNK|ALIAS_OF";

pub(super) async fn replace(change: &mut Change<'_>, rows: &Rows) -> Result<Loaded> {
    let sought = "MATCH (p:Paper {id: $id}) RETURN p.digest AS digest";
    let old = change.rows(sought, json!({ "id": rows.doc_id })).await?;
    if old.first().is_some_and(|row| row["digest"] == rows.digest.as_str()) {
        name_paper(change, &rows.doc_id, &rows.key).await?;
        return Ok(Loaded::Unchanged);
    }
    let suspects = if old.is_empty() { Vec::new() } else { clear_paper(change, &rows.doc_id).await? };
    write_paper(change, rows).await?;
    name_paper(change, &rows.doc_id, &rows.key).await?;
    merge(change, &rows.nodes[1..]).await?;
    insert_edges(change, &rows.edges).await?;
    prune(change, suspects).await?;
    Ok(Loaded::Written)
}

pub(super) async fn remove(change: &mut Change<'_>, doc_id: &str, key: &str) -> Result<bool> {
    let cypher = "MATCH (p:Paper {id: $id}) SET p.keys = [k IN coalesce(p.keys, []) WHERE k <> $key] \
         RETURN size(p.keys) AS left";
    let rows = change.rows(cypher, json!({ "id": doc_id, "key": key })).await?;
    let nameless = rows.first().is_some_and(|row| row["left"] == 0);
    if nameless {
        forget_paper(change, doc_id).await?;
    }
    Ok(nameless)
}

pub(super) async fn apply(change: &mut Change<'_>, patch: &Patch) -> Result<()> {
    let mut suspects = Vec::new();
    for ((kind, from, to), edges) in grouped(&patch.remove) {
        let cypher =
            format!("UNWIND $rows AS row MATCH (:{from} {{id: row.from}})-[e:{kind}]->(:{to} {{id: row.to}}) DELETE e");
        change.rows(&cypher, json!({ "rows": ends(&edges) })).await?;
        suspects.extend(edges.iter().flat_map(|edge| [edge.from.clone(), edge.to.clone()]));
    }
    merge(change, &patch.nodes).await?;
    insert_edges(change, &patch.add).await?;
    prune(change, suspects).await
}

pub(super) async fn keep_communities(change: &mut Change<'_>, communities: &[Community]) -> Result<()> {
    change.rows(&format!("MATCH (c:{COMMUNITY}) DELETE c"), json!({})).await?;
    change.rows("MATCH (p:Paper) WHERE p.community IS NOT NULL REMOVE p.community", json!({})).await?;
    let row = |(number, community): (usize, &Community)| -> Result<Value> {
        Ok(json!({ "number": number, "said": community.said()?, "papers": community.papers }))
    };
    let rows: Vec<Value> = (1..).zip(communities).map(row).collect::<Result<_>>()?;
    let cypher = format!("UNWIND $rows AS row CREATE (c:{COMMUNITY} {{number: row.number, said: row.said}})");
    change.rows(&cypher, json!({ "rows": rows })).await?;
    let cypher = "UNWIND $rows AS row UNWIND row.papers AS id MATCH (p:Paper {id: id}) SET p.community = row.number";
    change.rows(cypher, json!({ "rows": rows })).await?;
    Ok(())
}

/// What a paper is replaces what it was; its keys and its community stay.
async fn write_paper(change: &mut Change<'_>, rows: &Rows) -> Result<()> {
    let mut props = rows.paper().props.clone();
    props.insert("id".into(), rows.doc_id.clone().into());
    props.insert("digest".into(), rows.digest.clone().into());
    let cypher = "MERGE (p:Paper {id: $id}) WITH p, coalesce(p.keys, []) AS keys, p.community AS community \
         SET p = $props SET p.keys = keys, p.community = community";
    change.rows(cypher, json!({ "id": rows.doc_id, "props": props })).await?;
    Ok(())
}

/// Gives the paper a key, and takes it from the paper that had it.
async fn name_paper(change: &mut Change<'_>, doc_id: &str, key: &str) -> Result<()> {
    let cypher = "MATCH (p:Paper) WHERE $key IN p.keys AND p.id <> $id \
         SET p.keys = [k IN p.keys WHERE k <> $key] RETURN p.id AS id, size(p.keys) AS left";
    let had = change.rows(cypher, json!({ "id": doc_id, "key": key })).await?;
    let cypher = "MATCH (p:Paper {id: $id}) WHERE NOT $key IN p.keys SET p.keys = p.keys + [$key]";
    change.rows(cypher, json!({ "id": doc_id, "key": key })).await?;
    for row in had.iter().filter(|row| row["left"] == 0) {
        forget_paper(change, row["id"].as_str().unwrap_or_default()).await?;
    }
    Ok(())
}

async fn forget_paper(change: &mut Change<'_>, doc_id: &str) -> Result<()> {
    let supported = clear_paper(change, doc_id).await?;
    change.rows("MATCH (p:Paper {id: $id}) DETACH DELETE p", json!({ "id": doc_id })).await?;
    prune(change, supported).await
}

/// Takes from a paper its chunks and all it says; gives the nodes it supported.
async fn clear_paper(change: &mut Change<'_>, doc_id: &str) -> Result<Vec<Key>> {
    let id = json!({ "id": doc_id });
    let withdraw = format!(
        "MATCH (:Paper {{id: $id}})--(n) WITH DISTINCT n MATCH (n)-[r:{RELATIONS}]->() WHERE $id IN r.papers \
         SET r.papers = [p IN r.papers WHERE p <> $id] WITH r WHERE size(r.papers) = 0 DELETE r"
    );
    change.rows(&withdraw, id.clone()).await?;
    let cypher = "MATCH (p:Paper {id: $id})-[e]-(n) WHERE startNode(e) = p OR type(e) = 'AUTHORED' \
         RETURN DISTINCT labels(n)[0] AS label, n.id AS id";
    let rows = change.rows(cypher, id.clone()).await?;
    let cypher = "MATCH (p:Paper {id: $id})-[e]-() WHERE startNode(e) = p OR type(e) = 'AUTHORED' DELETE e";
    change.rows(cypher, id).await?;
    Ok(rows.iter().filter_map(|row| key(&row["label"], &row["id"])).collect())
}

/// Removes those of the nodes that nothing supports any more, and the names that only they stood for.
async fn prune(change: &mut Change<'_>, mut suspects: Vec<Key>) -> Result<()> {
    while !suspects.is_empty() {
        let mut next = Vec::new();
        for (label, ids) in by_label(suspects.iter().filter(|key| key.label != Label::Paper)) {
            let cypher = format!(
                "UNWIND $ids AS id MATCH (n:{label} {{id: id}}) \
                 WHERE NOT (n)-[:AUTHORED]->() AND NOT (n)<-[:{SUPPORTS}]-() \
                 OPTIONAL MATCH (n)-[:ALIAS_OF]->(c) \
                 RETURN DISTINCT n.id AS gone, labels(c)[0] AS label, c.id AS id"
            );
            let rows = change.rows(&cypher, json!({ "ids": ids })).await?;
            let gone: Vec<&Value> = rows.iter().map(|row| &row["gone"]).collect();
            let delete = format!("UNWIND $ids AS id MATCH (n:{label} {{id: id}}) DETACH DELETE n");
            change.rows(&delete, json!({ "ids": gone })).await?;
            next.extend(rows.iter().filter_map(|row| key(&row["label"], &row["id"])));
        }
        suspects = next;
    }
    Ok(())
}

/// Makes nodes, their properties joined with what was known of them.
async fn merge(change: &mut Change<'_>, new: &[Node]) -> Result<()> {
    for (label, ids) in by_label(new.iter().map(|node| &node.key)) {
        let Some(kind) = Label::of(label) else { continue };
        let cypher =
            format!("UNWIND $ids AS id MATCH (n:{label} {{id: id}}) RETURN n.id AS id, properties(n) AS props");
        let known = nodes(kind, change.rows(&cypher, json!({ "ids": ids })).await?);
        let known: BTreeMap<&str, &Props> = known.iter().map(|node| (node.key.id.as_str(), &node.props)).collect();
        let rows: Vec<Value> = new
            .iter()
            .filter(|node| node.key.label == kind)
            .map(|node| {
                let props =
                    known.get(node.key.id.as_str()).map_or_else(|| node.props.clone(), |old| merged(old, &node.props));
                json!({ "id": node.key.id, "props": props })
            })
            .collect();
        let cypher = format!("UNWIND $rows AS row MERGE (n:{label} {{id: row.id}}) SET n += row.props");
        change.rows(&cypher, json!({ "rows": rows })).await?;
    }
    Ok(())
}

/// A relation keeps the papers that said so before; any other edge is what it says now.
async fn insert_edges(change: &mut Change<'_>, edges: &[Edge]) -> Result<()> {
    for ((kind, from, to), edges) in grouped(edges) {
        let related = EdgeType::of(kind).is_some_and(|kind| EdgeType::RELATIONS.contains(&kind));
        let known = if related { known_relations(change, kind, from, to, &edges).await? } else { BTreeMap::new() };
        let rows: Vec<Value> = edges
            .iter()
            .map(|edge| {
                let old = known.get(&(edge.from.id.clone(), edge.to.id.clone()));
                let props = old.map_or_else(|| edge.props.clone(), |old| joined_papers(old, &edge.props));
                json!({ "from": edge.from.id, "to": edge.to.id, "props": props })
            })
            .collect();
        let cypher = format!(
            "UNWIND $rows AS row MATCH (a:{from} {{id: row.from}}) MATCH (b:{to} {{id: row.to}}) \
             MERGE (a)-[e:{kind}]->(b) SET e = row.props"
        );
        change.rows(&cypher, json!({ "rows": rows })).await?;
    }
    Ok(())
}

async fn known_relations(
    change: &mut Change<'_>,
    kind: &str,
    from: &str,
    to: &str,
    edges: &[&Edge],
) -> Result<BTreeMap<(String, String), Props>> {
    let cypher = format!(
        "UNWIND $rows AS row MATCH (a:{from} {{id: row.from}})-[e:{kind}]->(b:{to} {{id: row.to}}) \
         RETURN a.id AS from, b.id AS to, properties(e) AS props"
    );
    let rows = change.rows(&cypher, json!({ "rows": ends(edges) })).await?;
    let known = |row: &Value| {
        let ends = (row["from"].as_str()?.to_owned(), row["to"].as_str()?.to_owned());
        Some((ends, row["props"].as_object()?.clone()))
    };
    Ok(rows.iter().filter_map(known).collect())
}

fn by_label<'a>(keys: impl Iterator<Item = &'a Key>) -> BTreeMap<&'static str, Vec<&'a str>> {
    let mut groups: BTreeMap<&'static str, Vec<&str>> = BTreeMap::new();
    for key in keys {
        groups.entry(key.label.name()).or_default().push(&key.id);
    }
    groups
}

/// Edges by type and the labels of their ends: a statement names all three.
fn grouped(edges: &[Edge]) -> BTreeMap<(&'static str, &'static str, &'static str), Vec<&Edge>> {
    let mut groups: BTreeMap<_, Vec<&Edge>> = BTreeMap::new();
    for edge in edges {
        groups.entry((edge.kind.name(), edge.from.label.name(), edge.to.label.name())).or_default().push(edge);
    }
    groups
}

fn ends(edges: &[&Edge]) -> Vec<Value> {
    edges.iter().map(|edge| json!({ "from": edge.from.id, "to": edge.to.id })).collect()
}
