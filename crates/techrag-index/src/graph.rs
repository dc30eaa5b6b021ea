//! The graph's tables in the catalog: made, opened, and cleared of a paper together with its document.
//!
//! What nodes and edges mean is techrag-graph's; here is only what the catalog must know to keep its promise that a
//! document and everything derived from it go in one transaction: a paper supports its chunks and the nodes its edges
//! lead to, and a node goes with its last support. An alias supports the name it stands for.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};

use crate::catalog::{self, Places};
use crate::error::{At as _, Result};
use crate::lock::Lock;

const TABLES: &str = include_str!("graph.sql");

/// The embedded graph open for writing. It is a part of the library: whoever has it is the library's one writer.
pub struct GraphWriter {
    catalog: Connection,
    _lock: Lock,
}

impl GraphWriter {
    /// Opens the graph of the library at `root`; makes what is missing. `owner` is the tool, for the message a second
    /// writer gets.
    ///
    /// # Errors
    /// If another process writes, or the folder holds something else.
    pub fn open(root: &Path, owner: &str) -> Result<Self> {
        let places = Places::new(root);
        std::fs::create_dir_all(root).at(root)?;
        places.has_catalog()?;
        let lock = Lock::take(&places.lock(), root, owner)?;
        let (catalog, _) = catalog::writable(&places)?;
        // The graph can be made again from the documents: a power cut may cost its last transactions, never half of one.
        catalog.pragma_update(None, "synchronous", "NORMAL")?;
        catalog.execute_batch(TABLES)?;
        Ok(Self { catalog, _lock: lock })
    }

    /// The catalog, for reading; what is written outside [`Self::transaction`] commits by itself.
    pub fn connection(&self) -> &Connection {
        &self.catalog
    }

    /// A transaction that is rolled back unless it is committed.
    ///
    /// # Errors
    /// If the catalog cannot be locked.
    pub fn transaction(&mut self) -> Result<Transaction<'_>> {
        Ok(self.catalog.transaction_with_behavior(TransactionBehavior::Immediate)?)
    }
}

/// A reading connection to the graph of the library at `root`; `None` while nothing was loaded into one.
///
/// # Errors
/// If there is no library or it cannot be read.
pub fn open_graph(root: &Path) -> Result<Option<Connection>> {
    let catalog = catalog::readable(&Places::new(root))?;
    Ok(has_graph(&catalog)?.then_some(catalog))
}

fn has_graph(catalog: &Connection) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'graph_nodes')";
    Ok(catalog.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

/// Takes a document's paper out of the graph, if it is in one, with everything that only it supported.
///
/// # Errors
/// If the catalog cannot be written.
pub fn forget_paper(catalog: &Connection, doc_id: &str) -> Result<bool> {
    if !has_graph(catalog)? {
        return Ok(false);
    }
    let sql = "SELECT nid FROM graph_nodes WHERE label = 'Paper' AND id = ?";
    let Some(paper) = catalog.prepare_cached(sql)?.query_row([doc_id], |row| row.get(0)).optional()? else {
        return Ok(false);
    };
    let supported = clear_paper(catalog, paper, doc_id)?;
    catalog.prepare_cached("DELETE FROM graph_nodes WHERE nid = ?")?.execute([paper])?;
    prune(catalog, supported)?;
    Ok(true)
}

/// Takes from a paper its chunks and all it says of authors, entities and cited works. Returns the nodes it supported,
/// for [`prune`]; papers that cite it still do.
///
/// # Errors
/// If the catalog cannot be written.
pub fn clear_paper(catalog: &Connection, paper: i64, doc_id: &str) -> Result<Vec<i64>> {
    let sql = "SELECT dst FROM graph_edges WHERE src = ?1 UNION SELECT src FROM graph_edges \
         WHERE dst = ?1 AND type = 'AUTHORED'";
    let mut statement = catalog.prepare_cached(sql)?;
    let supported: Vec<i64> = statement.query_map([paper], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    for node in &supported {
        withdraw_relations(catalog, *node, doc_id)?;
    }
    catalog.prepare_cached("DELETE FROM graph_edges WHERE src = ?")?.execute([paper])?;
    catalog.prepare_cached("DELETE FROM graph_edges WHERE dst = ? AND type = 'AUTHORED'")?.execute([paper])?;
    Ok(supported)
}

/// A relation between entities names the papers that say so, and goes with the last of them.
fn withdraw_relations(catalog: &Connection, node: i64, doc_id: &str) -> Result<()> {
    let sql = "UPDATE graph_edges SET props = json_set(props, '$.papers', json((SELECT json_group_array(value) \
         FROM json_each(graph_edges.props, '$.papers') WHERE value <> ?2))) \
         WHERE src = ?1 AND type IN ('USED_FOR', 'MEASURES', 'RELATED_TO', 'BROADER_THAN')";
    catalog.prepare_cached(sql)?.execute(params![node, doc_id])?;
    let sql = "DELETE FROM graph_edges WHERE src = ?1 AND json_array_length(props, '$.papers') = 0 \
         AND type IN ('USED_FOR', 'MEASURES', 'RELATED_TO', 'BROADER_THAN')";
    catalog.prepare_cached(sql)?.execute([node])?;
    Ok(())
}

/// Removes those of the nodes that nothing supports any more, and the names that only they stood for.
///
/// # Errors
/// If the catalog cannot be written.
pub fn prune(catalog: &Connection, mut suspects: Vec<i64>) -> Result<()> {
    let sql = "SELECT label = 'Paper' \
         OR EXISTS (SELECT 1 FROM graph_edges WHERE src = ?1 AND type = 'AUTHORED') \
         OR EXISTS (SELECT 1 FROM graph_edges WHERE dst = ?1 AND type IN ('BELONGS_TO', 'USES_METHOD', \
         'REPORTS_METRIC', 'APPLIES_TO', 'CITES', 'HAS_CHUNK', 'ALIAS_OF')) FROM graph_nodes WHERE nid = ?1";
    let mut supported = catalog.prepare_cached(sql)?;
    let mut stands_for = catalog.prepare_cached("SELECT dst FROM graph_edges WHERE src = ? AND type = 'ALIAS_OF'")?;
    let mut delete = catalog.prepare_cached("DELETE FROM graph_nodes WHERE nid = ?")?;
    while let Some(node) = suspects.pop() {
        if supported.query_row([node], |row| row.get(0)).optional()?.unwrap_or(true) {
            continue;
        }
        let canonical: Vec<i64> = stands_for.query_map([node], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        delete.execute([node])?;
        suspects.extend(canonical);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two papers share a method; one alone has another method, which is an alias of a name no paper uses.
    fn graph() -> (tempfile::TempDir, GraphWriter) {
        let folder = tempfile::tempdir().unwrap();
        let writer = GraphWriter::open(folder.path(), "test").unwrap();
        let sql = "INSERT INTO graph_nodes (nid, label, id, props) VALUES (1, 'Paper', 'a', '{}'), (2, 'Paper', 'b', '{}'), \
             (3, 'Method', 'ekf', '{}'), (4, 'Method', 'mpc', '{}'), (5, 'Method', 'model predictive control', '{}'), \
             (6, 'Author', 'ada', '{}'), (7, 'Chunk', 'a:0', '{}'), (8, 'Application', 'cars', '{}'); \
             INSERT INTO graph_edges VALUES (1, 'USES_METHOD', 3, '{}'), (2, 'USES_METHOD', 3, '{}'), \
             (1, 'USES_METHOD', 4, '{}'), (4, 'ALIAS_OF', 5, '{}'), (6, 'AUTHORED', 1, '{}'), (1, 'HAS_CHUNK', 7, '{}'), \
             (2, 'CITES_PAPER', 1, '{}'), (2, 'APPLIES_TO', 8, '{}'), (1, 'APPLIES_TO', 8, '{}'), \
             (3, 'USED_FOR', 8, '{\"papers\": [\"a\", \"b\"]}');";
        writer.connection().execute_batch(sql).unwrap();
        (folder, writer)
    }

    fn left(catalog: &Connection) -> Vec<String> {
        let sql = "SELECT id FROM graph_nodes ORDER BY id";
        catalog.prepare(sql).unwrap().query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn a_paper_takes_with_it_what_only_it_supported() {
        let (_folder, writer) = graph();
        assert!(forget_paper(writer.connection(), "a").unwrap());
        assert_eq!(left(writer.connection()), ["b", "cars", "ekf"]);
        let relation: String = writer
            .connection()
            .query_row("SELECT props ->> '$.papers' FROM graph_edges WHERE type = 'USED_FOR'", [], |row| row.get(0))
            .unwrap();
        assert_eq!(relation, r#"["b"]"#);
        assert!(!forget_paper(writer.connection(), "a").unwrap());
        assert!(forget_paper(writer.connection(), "b").unwrap());
        assert!(left(writer.connection()).is_empty());
    }

    #[test]
    fn a_library_without_a_graph_says_so() {
        let folder = tempfile::tempdir().unwrap();
        assert!(open_graph(folder.path()).unwrap().is_none());
        let (folder, writer) = graph();
        assert!(open_graph(folder.path()).unwrap().is_some());
        drop(writer);
    }
}
