//! What one transaction does to the graph's tables.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension as _, params};
use techrag_index::{clear_paper, forget_paper, prune};

use super::DIGEST;
use crate::community::Community;
use crate::model::{Edge, EdgeType, Key, Label, Node};
use crate::rows::{Rows, joined_papers, merged};
use crate::store::{Loaded, Patch, Result};

pub(super) fn replace(catalog: &Connection, rows: &Rows) -> Result<Loaded> {
    let sql = "SELECT nid, props ->> '$.digest' FROM graph_nodes WHERE label = 'Paper' AND id = ?";
    let old: Option<(i64, Option<String>)> =
        catalog.prepare_cached(sql)?.query_row([&rows.doc_id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    if let Some((paper, Some(digest))) = &old
        && *digest == rows.digest
    {
        name_paper(catalog, *paper, &rows.key)?;
        return Ok(Loaded::Unchanged);
    }
    let suspects = match old {
        Some((paper, _)) => clear_paper(catalog, paper, &rows.doc_id)?,
        None => Vec::new(),
    };
    let paper = write_paper(catalog, rows)?;
    name_paper(catalog, paper, &rows.key)?;
    let mut made: BTreeMap<&Key, i64> = BTreeMap::from([(&rows.paper().key, paper)]);
    for node in &rows.nodes[1..] {
        made.insert(&node.key, merge(catalog, node)?);
    }
    for edge in &rows.edges {
        if let (Some(from), Some(to)) = (made.get(&edge.from), made.get(&edge.to)) {
            insert_edge(catalog, *from, *to, edge)?;
        }
    }
    prune(catalog, suspects)?;
    Ok(Loaded::Written)
}

pub(super) fn remove(catalog: &Connection, doc_id: &str, key: &str) -> Result<bool> {
    let Some(paper) = find(catalog, &Key::new(Label::Paper, doc_id))? else { return Ok(false) };
    let sql = "DELETE FROM graph_keys WHERE key = ? AND paper = ?";
    catalog.prepare_cached(sql)?.execute(params![key, paper])?;
    forget_nameless(catalog, paper, doc_id)
}

pub(super) fn apply(catalog: &Connection, patch: &Patch) -> Result<()> {
    let mut suspects = Vec::new();
    for edge in &patch.remove {
        let (Some(from), Some(to)) = (find(catalog, &edge.from)?, find(catalog, &edge.to)?) else { continue };
        let sql = "DELETE FROM graph_edges WHERE src = ? AND type = ? AND dst = ?";
        catalog.prepare_cached(sql)?.execute(params![from, edge.kind.name(), to])?;
        suspects.extend([from, to]);
    }
    for node in &patch.nodes {
        merge(catalog, node)?;
    }
    for edge in &patch.add {
        if let (Some(from), Some(to)) = (find(catalog, &edge.from)?, find(catalog, &edge.to)?) {
            insert_edge(catalog, from, to, edge)?;
        }
    }
    Ok(prune(catalog, suspects)?)
}

pub(super) fn keep_communities(catalog: &Connection, communities: &[Community]) -> Result<()> {
    catalog.execute_batch("DELETE FROM graph_members; DELETE FROM graph_communities")?;
    for (number, community) in (1_i64..).zip(communities) {
        let sql = "INSERT INTO graph_communities (number, said) VALUES (?, ?)";
        catalog.prepare_cached(sql)?.execute(params![number, community.said()?])?;
        for paper in &community.papers {
            let sql = "INSERT INTO graph_members (paper, community) SELECT nid, ?2 FROM graph_nodes \
                 WHERE label = 'Paper' AND id = ?1";
            catalog.prepare_cached(sql)?.execute(params![paper, number])?;
        }
    }
    Ok(())
}

fn find(catalog: &Connection, key: &Key) -> Result<Option<i64>> {
    let sql = "SELECT nid FROM graph_nodes WHERE label = ? AND id = ?";
    Ok(catalog.prepare_cached(sql)?.query_row(params![key.label.name(), key.id], |row| row.get(0)).optional()?)
}

/// What a paper is replaces what it was.
fn write_paper(catalog: &Connection, rows: &Rows) -> Result<i64> {
    let mut props = rows.paper().props.clone();
    props.insert(DIGEST.into(), rows.digest.clone().into());
    let sql = "INSERT INTO graph_nodes (label, id, props) VALUES ('Paper', ?, ?) \
         ON CONFLICT (label, id) DO UPDATE SET props = excluded.props RETURNING nid";
    let values = params![rows.doc_id, serde_json::to_string(&props)?];
    Ok(catalog.prepare_cached(sql)?.query_row(values, |row| row.get(0))?)
}

/// Gives the paper a key, and takes it from the paper that had it.
fn name_paper(catalog: &Connection, paper: i64, key: &str) -> Result<()> {
    let sql = "SELECT n.nid, n.id FROM graph_keys k JOIN graph_nodes n ON n.nid = k.paper WHERE k.key = ?";
    let had: Option<(i64, String)> =
        catalog.prepare_cached(sql)?.query_row([key], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    if had.as_ref().is_some_and(|(had, _)| *had == paper) {
        return Ok(());
    }
    let sql =
        "INSERT INTO graph_keys (key, paper) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET paper = excluded.paper";
    catalog.prepare_cached(sql)?.execute(params![key, paper])?;
    if let Some((had, doc_id)) = had {
        forget_nameless(catalog, had, &doc_id)?;
    }
    Ok(())
}

/// Takes a paper out if it has no key left.
fn forget_nameless(catalog: &Connection, paper: i64, doc_id: &str) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM graph_keys WHERE paper = ?)";
    let named: bool = catalog.prepare_cached(sql)?.query_row([paper], |row| row.get(0))?;
    if named { Ok(false) } else { Ok(forget_paper(catalog, doc_id)?) }
}

/// The node's row, its properties joined with what was known of it.
fn merge(catalog: &Connection, node: &Node) -> Result<i64> {
    let (label, id) = (node.key.label.name(), &node.key.id);
    let new = serde_json::to_string(&node.props)?;
    let sql = "SELECT nid, props FROM graph_nodes WHERE label = ? AND id = ?";
    let old: Option<(i64, String)> =
        catalog.prepare_cached(sql)?.query_row(params![label, id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let Some((nid, old)) = old else {
        let sql = "INSERT INTO graph_nodes (label, id, props) VALUES (?, ?, ?) RETURNING nid";
        return Ok(catalog.prepare_cached(sql)?.query_row(params![label, id, new], |row| row.get(0))?);
    };
    if old != new {
        let both = serde_json::to_string(&merged(&serde_json::from_str(&old)?, &node.props))?;
        if both != old {
            catalog.prepare_cached("UPDATE graph_nodes SET props = ? WHERE nid = ?")?.execute(params![both, nid])?;
        }
    }
    Ok(nid)
}

/// A relation keeps the papers that said so before; any other edge is what it says now.
fn insert_edge(catalog: &Connection, from: i64, to: i64, edge: &Edge) -> Result<()> {
    let mut props = edge.props.clone();
    if EdgeType::RELATIONS.contains(&edge.kind) {
        let sql = "SELECT props FROM graph_edges WHERE src = ? AND type = ? AND dst = ?";
        let values = params![from, edge.kind.name(), to];
        let old: Option<String> = catalog.prepare_cached(sql)?.query_row(values, |row| row.get(0)).optional()?;
        if let Some(old) = old {
            props = joined_papers(&serde_json::from_str(&old)?, &edge.props);
        }
    }
    let sql = "INSERT INTO graph_edges (src, type, dst, props) VALUES (?, ?, ?, ?) \
         ON CONFLICT (src, type, dst) DO UPDATE SET props = excluded.props";
    let values = params![from, edge.kind.name(), to, serde_json::to_string(&props)?];
    catalog.prepare_cached(sql)?.execute(values)?;
    Ok(())
}
