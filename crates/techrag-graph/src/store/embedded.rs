//! The graph in the library's catalog. No server; a question in a new process takes milliseconds.
//!
//! The tables and the removal of a paper are techrag-index's, which takes papers out together with their documents.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use techrag_index::{GraphWriter, open_graph};

use super::{Error, Holders, Loaded, Number, Patch, Result, Stats, Store};
use crate::community::Community;
use crate::model::{Direction, Edge, EdgeType, Key, Label, Link, Node, Props};
use crate::rows::Rows;

mod write;

/// Property of a paper that tells whether it must be loaded again; not a part of the graph.
const DIGEST: &str = "digest";

/// The embedded store.
pub struct Embedded(Mutex<Opened>);

enum Opened {
    Reading(Connection),
    Writing(GraphWriter),
}

impl Opened {
    fn connection(&self) -> &Connection {
        match self {
            Self::Reading(connection) => connection,
            Self::Writing(writer) => writer.connection(),
        }
    }
}

impl Embedded {
    /// Opens the graph of a library for reading.
    ///
    /// # Errors
    /// [`Error::Empty`] if nothing was loaded yet; otherwise if there is no library.
    pub fn open(library: &Path) -> Result<Self> {
        let connection = open_graph(library)?.ok_or_else(|| Error::Empty { library: library.to_owned() })?;
        Ok(Self(Mutex::new(Opened::Reading(connection))))
    }

    /// Opens the graph of a library for writing; makes the library if there is none.
    ///
    /// # Errors
    /// If another process writes.
    pub fn open_for_writing(library: &Path, owner: &str) -> Result<Self> {
        Ok(Self(Mutex::new(Opened::Writing(GraphWriter::open(library, owner)?))))
    }

    fn opened(&self) -> MutexGuard<'_, Opened> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a change in one transaction.
    fn change<T>(&self, change: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let mut opened = self.opened();
        let Opened::Writing(writer) = &mut *opened else { return Err(Error::ReadOnly) };
        let transaction = writer.transaction()?;
        let done = change(&transaction)?;
        transaction.commit()?;
        Ok(done)
    }
}

impl Store for Embedded {
    fn name(&self) -> &str {
        "embedded"
    }

    fn replace(&self, rows: &Rows) -> Result<Loaded> {
        self.change(|catalog| write::replace(catalog, rows))
    }

    fn remove(&self, doc_id: &str, key: &str) -> Result<bool> {
        self.change(|catalog| write::remove(catalog, doc_id, key))
    }

    fn apply(&self, patch: &Patch) -> Result<()> {
        self.change(|catalog| write::apply(catalog, patch))
    }

    fn stats(&self) -> Result<Stats> {
        let opened = self.opened();
        let counted = |sql: &str| -> Result<BTreeMap<String, u64>> {
            let mut statement = opened.connection().prepare_cached(sql)?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs())))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        };
        Ok(Stats {
            nodes: counted("SELECT label, count(*) FROM graph_nodes GROUP BY label")?,
            edges: counted("SELECT type, count(*) FROM graph_edges GROUP BY type")?,
        })
    }

    fn count(&self, label: Label) -> Result<u64> {
        let opened = self.opened();
        let sql = "SELECT count(*) FROM graph_nodes WHERE label = ?";
        let count: i64 = opened.connection().prepare_cached(sql)?.query_row([label.name()], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    fn nodes(&self, label: Label, ids: &[String]) -> Result<Vec<Node>> {
        let opened = self.opened();
        let reading = opened.connection().unchecked_transaction()?;
        let sql = "SELECT id, props FROM graph_nodes WHERE label = ? AND id = ?";
        let mut statement = reading.prepare_cached(sql)?;
        let mut found = Vec::with_capacity(ids.len());
        for id in ids.iter().collect::<BTreeSet<_>>() {
            let mut rows = statement.query(params![label.name(), id])?;
            if let Some(row) = rows.next()? {
                found.push(node(label, row)?);
            }
        }
        Ok(found)
    }

    fn links(&self, edge: EdgeType, direction: Direction, label: Label, ids: &[String]) -> Result<Vec<Link>> {
        let opened = self.opened();
        let reading = opened.connection().unchecked_transaction()?;
        let (near, far) = match direction {
            Direction::Out => ("src", "dst"),
            Direction::In => ("dst", "src"),
        };
        let known = edge.leads_to(direction);
        let label_column = if known.is_some() { "''" } else { "f.label" };
        // CROSS JOIN keeps the order of the loops: from the few nodes asked about, never from all edges.
        let sql = format!(
            "SELECT f.id, {label_column} FROM graph_nodes n CROSS JOIN graph_edges e ON e.{near} = n.nid AND e.type = ?3 \
             CROSS JOIN graph_nodes f ON f.nid = e.{far} WHERE n.label = ?1 AND n.id = ?2"
        );
        let mut statement = reading.prepare_cached(&sql)?;
        let mut links = Vec::new();
        for id in ids.iter().collect::<BTreeSet<_>>() {
            let mut rows = statement.query(params![label.name(), id, edge.name()])?;
            let first = links.len();
            while let Some(row) = rows.next()? {
                let label = if known.is_some() { known } else { label_of(row, 1)? };
                let Some(label) = label else { continue };
                links.push(Link { near: id.clone(), far: Key { label, id: row.get(0)? } });
            }
            links[first..].sort_unstable();
        }
        Ok(links)
    }

    fn holders(&self, terms: &[Key]) -> Result<Holders> {
        let opened = self.opened();
        let reading = opened.connection().unchecked_transaction()?;
        // By indexes alone: no row of a node or an edge is read.
        let sql = "SELECT e.src FROM graph_nodes n CROSS JOIN graph_edges e ON e.dst = n.nid AND e.type = ?3 \
             WHERE n.label = ?1 AND n.id = ?2";
        let mut statement = reading.prepare_cached(sql)?;
        let mut of = HashMap::with_capacity(terms.len());
        for key in terms {
            let Some(edge) = EdgeType::to_term(key.label) else { continue };
            let rows = statement.query_map(params![key.label.name(), key.id, edge.name()], |row| row.get(0))?;
            of.insert(key.clone(), rows.collect::<rusqlite::Result<Vec<Number>>>()?);
        }
        Ok(Holders { of, ids: Vec::new() })
    }

    fn paper_ids(&self, _: &Holders, papers: &[Number]) -> Result<Vec<Option<String>>> {
        let opened = self.opened();
        let reading = opened.connection().unchecked_transaction()?;
        let mut statement = reading.prepare_cached("SELECT id FROM graph_nodes WHERE nid = ? AND label = 'Paper'")?;
        let ids = papers.iter().map(|paper| statement.query_row([paper], |row| row.get(0)).optional());
        Ok(ids.collect::<rusqlite::Result<_>>()?)
    }

    fn relations(&self, terms: &[Key]) -> Result<Vec<Edge>> {
        let opened = self.opened();
        let reading = opened.connection().unchecked_transaction()?;
        let sql = "SELECT f.label, f.id, e.props FROM graph_nodes n CROSS JOIN graph_edges e ON e.src = n.nid AND e.type = ?3 \
             CROSS JOIN graph_nodes f ON f.nid = e.dst WHERE n.label = ?1 AND n.id = ?2";
        let mut statement = reading.prepare_cached(sql)?;
        let mut found = Vec::new();
        for (from, kind) in terms.iter().flat_map(|term| EdgeType::RELATIONS.map(|kind| (term, kind))) {
            let mut rows = statement.query(params![from.label.name(), from.id, kind.name()])?;
            while let Some(row) = rows.next()? {
                let Some(label) = label_of(row, 0)? else { continue };
                let props = serde_json::from_str(row.get_ref(2)?.as_str().unwrap_or_default())?;
                found.push(Edge { from: from.clone(), kind, to: Key { label, id: row.get(1)? }, props });
            }
        }
        found.sort_by(|a, b| (&a.from, &a.to, a.kind).cmp(&(&b.from, &b.to, b.kind)));
        Ok(found)
    }

    fn keep_communities(&self, communities: &[Community]) -> Result<()> {
        self.change(|catalog| write::keep_communities(catalog, communities))
    }

    fn communities(&self) -> Result<Vec<Community>> {
        let opened = self.opened();
        let reading = opened.connection().unchecked_transaction()?;
        // A graph that was loaded by an older build has no such table until it is loaded again.
        let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'graph_members')";
        if !reading.query_row::<bool, _, _>(sql, [], |row| row.get(0))? {
            return Ok(Vec::new());
        }
        let sql = "SELECT c.number, c.said, n.id FROM graph_communities c JOIN graph_members m ON m.community = c.number \
             JOIN graph_nodes n ON n.nid = m.paper ORDER BY c.number, n.id";
        let mut statement = reading.prepare(sql)?;
        let mut rows = statement.query([])?;
        let mut kept: BTreeMap<i64, (String, Vec<String>)> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let community = kept.entry(row.get(0)?);
            let (_, papers) = match community {
                Entry::Occupied(there) => there.into_mut(),
                Entry::Vacant(new) => new.insert((row.get(1)?, Vec::new())),
            };
            papers.push(row.get(2)?);
        }
        kept.into_values().map(|(said, papers)| Community::of_said(&said, papers)).collect()
    }

    fn all(&self, label: Label) -> Result<Vec<Node>> {
        let opened = self.opened();
        let sql = "SELECT id, props FROM graph_nodes WHERE label = ? ORDER BY id";
        let mut statement = opened.connection().prepare_cached(sql)?;
        let mut rows = statement.query([label.name()])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(node(label, row)?);
        }
        Ok(found)
    }

    fn edges(&self, edge: EdgeType) -> Result<Vec<Edge>> {
        let opened = self.opened();
        let sql = "SELECT s.label, s.id, d.label, d.id, e.props FROM graph_edges e JOIN graph_nodes s ON s.nid = e.src \
             JOIN graph_nodes d ON d.nid = e.dst WHERE e.type = ?";
        let mut statement = opened.connection().prepare_cached(sql)?;
        let mut rows = statement.query([edge.name()])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let (Some(from), Some(to)) = (label_of(row, 0)?, label_of(row, 2)?) else { continue };
            let (from, to) = (Key { label: from, id: row.get(1)? }, Key { label: to, id: row.get(3)? });
            found.push(Edge { from, kind: edge, to, props: serde_json::from_str(&row.get::<_, String>(4)?)? });
        }
        found.sort_by(|a, b| (&a.from, &a.to).cmp(&(&b.from, &b.to)));
        Ok(found)
    }
}

fn label_of(row: &Row<'_>, column: usize) -> Result<Option<Label>> {
    Ok(Label::of(row.get_ref(column)?.as_str().unwrap_or_default()))
}

/// The node of a row of id and properties.
fn node(label: Label, row: &Row<'_>) -> Result<Node> {
    let mut props: Props = serde_json::from_str(row.get_ref(1)?.as_str().unwrap_or_default())?;
    props.shift_remove(DIGEST);
    Ok(Node { key: Key { label, id: row.get(0)? }, props })
}
