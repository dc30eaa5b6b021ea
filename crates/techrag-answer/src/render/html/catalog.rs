//! What the catalog says as a table, the documents behind it, and how it was asked.

use serde::Serialize;
use techrag_core::record::CatalogAnswer;

use crate::catalog;
use crate::render::view::View;

/// The rows that the page shows, with all there are in the record.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    /// Said above the rows where they are not the answer.
    beside: Option<String>,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    documents: Vec<String>,
    truncated: bool,
    asked: Vec<String>,
}

/// `None` where the record's rows are no answer.
pub(super) fn shown(sql: &CatalogAnswer, view: &View) -> Option<Shown> {
    let told = catalog::told(sql)?;
    // Ids of documents mean nothing to a reader; their keys stand beside them.
    let kept: Vec<usize> = (0..sql.columns.len()).filter(|at| sql.columns[*at] != "doc_id").collect();
    let behind = if sql.columns == catalog::DOCUMENT { &[] } else { sql.documents.as_slice() };
    Some(Shown {
        beside: view.told.is_none().then(|| format!("{} {}", told.headline, told.read_as)),
        columns: kept.iter().map(|at| catalog::words(&sql.columns[*at])).collect(),
        rows: sql.rows.iter().map(|row| kept.iter().map(|at| catalog::cell(&row[*at])).collect()).collect(),
        // Rows that are documents need no list of them.
        documents: behind.iter().map(catalog::document).collect(),
        truncated: sql.truncated,
        asked: view.asked.clone(),
    })
}
