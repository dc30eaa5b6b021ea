//! One read-only SELECT over the published views of the catalog.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use serde_json::{Map, Number, Value};

use crate::ask::publish;
use crate::catalog::{self, Places};
use crate::error::{Error, Result};

/// The published views, for a connection to the catalog.
pub(crate) const VIEWS: &str = include_str!("views.sql");

/// A row: column names and values, in the order of the SELECT.
pub type Row = Map<String, Value>;

/// Longest text or blob that a SELECT may make.
const LONGEST: i32 = 64 << 20;

/// Runs one SELECT (or WITH … SELECT) on the library at `root` and hands each row to `each`, which ends it by `Break`.
/// After `time` it is stopped.
///
/// The views are documents, keys, authors, keywords, metadata, cited, chunks, sections, cells, failures and related.
/// Nothing can be written: the connection reads only, and a statement that is no SELECT is refused.
///
/// # Errors
/// [`Error::Select`] if the statement is refused or wrong, or takes too long; otherwise if the library cannot be read.
pub fn select(root: &Path, sql: &str, time: Duration, each: impl FnMut(Row) -> ControlFlow<()>) -> Result<()> {
    let catalog = catalog::readable(&Places::new(root))?;
    publish(&catalog)?;
    catalog.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST)?;
    within(&catalog, time, || rows(&catalog, sql, each))
}

/// Interrupts the work of a connection that takes longer than `time`.
pub(crate) fn within<T>(catalog: &Connection, time: Duration, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let (alarm, (ended, end)) = (catalog.get_interrupt_handle(), mpsc::channel::<()>());
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if end.recv_timeout(time) == Err(mpsc::RecvTimeoutError::Timeout) {
                alarm.interrupt();
            }
        });
        let result = work();
        drop(ended);
        match result {
            Err(Error::Select(why)) if why == "interrupted" => {
                Err(Error::Select(format!("it was stopped after {} s", time.as_secs_f64())))
            }
            result => result,
        }
    })
}

fn rows(catalog: &Connection, sql: &str, mut each: impl FnMut(Row) -> ControlFlow<()>) -> Result<()> {
    let wrong = |error: rusqlite::Error| Error::Select(error.to_string());
    let first = sql.split(|c: char| !c.is_ascii_alphabetic()).find(|word| !word.is_empty()).unwrap_or_default();
    if !["select", "with"].iter().any(|word| first.eq_ignore_ascii_case(word)) {
        return Err(Error::Select("it does not start with SELECT or WITH".into()));
    }
    let mut statement = catalog.prepare(sql).map_err(wrong)?;
    if !statement.readonly() || statement.column_count() == 0 {
        return Err(Error::Select("it would change something".into()));
    }
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut seen = HashSet::new();
    if let Some(twice) = names.iter().find(|name| !seen.insert(*name)) {
        return Err(Error::Select(format!("two of its columns are named {twice:?}: name one with AS")));
    }
    let mut rows = statement.query([]).map_err(wrong)?;
    while let Some(row) = rows.next().map_err(wrong)? {
        let mut object = Row::new();
        for (at, name) in names.iter().enumerate() {
            object.insert(name.clone(), value(row.get_ref(at)?));
        }
        if each(object).is_break() {
            break;
        }
    }
    Ok(())
}

/// The value as JSON; a number that JSON does not have is null, bytes are hexadecimal.
pub(crate) fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => Number::from_f64(number).map_or(Value::Null, Value::Number),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
        ValueRef::Blob(bytes) => techrag_core::id::hex(bytes).into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use techrag_core::record::{Chunk, Document, Reference, Table};

    use super::*;
    use crate::{Add, AddConfig, Writer};

    fn library() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let config = AddConfig { full: 9, idle: 9, replace: false };
        let mut add = Add::new(Writer::open(folder.path(), "test").unwrap(), config);
        let doc_id = "00000000000000ab".to_owned();
        add.document(Document {
            doc_id: doc_id.clone(),
            key: "a.pdf".into(),
            title: Some("Slip".into()),
            authors: vec!["A. One".into(), "B. Two".into()],
            year: Some(2021),
            keywords: vec!["tyre".into()],
            references: vec![Reference { raw: "C. Three, Brushes".into(), year: Some(1999), ..Reference::default() }],
            metadata: json!({ "series": "vehicle" }).as_object().cloned().unwrap(),
            chunks: 1,
            ..Document::default()
        })
        .unwrap();
        let table =
            Table { cells: vec![vec!["v".into(), "F".into()], vec!["3".into(), "7".into()]], ..Table::default() };
        let uid = techrag_core::id::uid(&doc_id, 0);
        // A sheet's header and two rows further down; what its reader adds to a table.
        let place = json!({ "range": "Y1:AA1,Y40:AA41", "formulas": { "AA41": "=Y41*Z41" } });
        let row = |of: &str| ["a", "b", "c"].map(|cell| format!("{of}{cell}")).to_vec();
        let sheet = Table { cells: vec![row("h"), row("x"), row("y")], ..Table::default() };
        let sheet = Table { extra: place.as_object().cloned().unwrap(), ..sheet };
        let tables = vec![table, sheet];
        add.chunk(Chunk { uid, doc_id, section: "1 Results".into(), tables, pages: Some([2, 3]), ..Chunk::default() })
            .unwrap();
        add.end().unwrap();
        folder
    }

    fn rows(root: &Path, sql: &str) -> Result<Vec<Value>> {
        let mut rows = Vec::new();
        select(root, sql, Duration::from_secs(60), |row| {
            rows.push(Value::Object(row));
            ControlFlow::Continue(())
        })?;
        Ok(rows)
    }

    #[test]
    fn every_view_answers() {
        let folder = library();
        for (sql, expected) in [
            (
                "SELECT key, title, year, chunks FROM documents",
                json!({"key": "a.pdf", "title": "Slip", "year": 2021, "chunks": 1}),
            ),
            ("SELECT name FROM authors WHERE position = 2", json!({"name": "B. Two"})),
            ("SELECT count(*) AS n FROM keys JOIN keywords USING (doc_id)", json!({"n": 1})),
            ("SELECT name, value FROM metadata", json!({"name": "series", "value": "vehicle"})),
            ("SELECT year, raw FROM cited", json!({"year": 1999, "raw": "C. Three, Brushes"})),
            ("SELECT uid, first_page FROM chunks", json!({"uid": "00000000000000ab:0", "first_page": 2})),
            ("SELECT section, last_page FROM sections", json!({"section": "1 Results", "last_page": 3})),
            ("SELECT value FROM cells WHERE \"row\" = 2 AND \"column\" = 2 AND address IS NULL", json!({"value": "7"})),
            ("SELECT address FROM cells WHERE value = 'xb'", json!({"address": "Z40"})),
            ("SELECT value, section FROM cells WHERE address = 'AA1'", json!({"value": "hc", "section": "1 Results"})),
            ("SELECT value, formula FROM cells WHERE formula > ''", json!({"value": "yc", "formula": "=Y41*Z41"})),
            ("SELECT count(*) AS n FROM cells", json!({"n": 13})),
            ("SELECT title FROM documents WHERE has_words(title, 'slips')", json!({"title": "Slip"})),
            ("SELECT name FROM authors WHERE has_name(name, 'Anna One')", json!({"name": "A. One"})),
            (
                "with x as (select count(*) n from failures) select n, 1.5 f, x'0aff' b from x",
                json!({"n": 0, "f": 1.5, "b": "0aff"}),
            ),
        ] {
            assert_eq!(rows(folder.path(), sql).unwrap(), [expected], "{sql}");
        }
    }

    #[test]
    fn one_without_end_is_stopped_by_who_reads_it_or_by_the_clock() {
        let folder = library();
        let endless = "WITH RECURSIVE x (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT";
        let mut left = 3;
        select(folder.path(), &format!("{endless} n FROM x"), Duration::from_secs(60), |_| {
            left -= 1;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
        assert_eq!(left, 0);
        let sql = format!("{endless} count(*) FROM x");
        let stopped = select(folder.path(), &sql, Duration::from_millis(50), |_| ControlFlow::Continue(()));
        assert!(matches!(stopped, Err(Error::Select(why)) if why.contains("stopped after 0.05 s")));
    }

    #[test]
    fn nothing_but_one_select_runs() {
        let folder = library();
        for sql in [
            "DELETE FROM documents",
            "WITH x AS (SELECT 1) DELETE FROM main.documents",
            "SELECT 1; DELETE FROM main.documents",
            "ATTACH 'x' AS y",
            "PRAGMA journal_mode = DELETE",
            "",
            "SELECT nothing FROM nowhere",
            "SELECT key, key FROM keys",
            "SELECT zeroblob(500000000)",
            "SELECT printf('%.*c', 900000000, 'x')",
        ] {
            assert!(matches!(rows(folder.path(), sql), Err(Error::Select(_))), "{sql}");
        }
        assert_eq!(rows(folder.path(), "SELECT count(*) AS n FROM documents").unwrap(), [json!({"n": 1})]);
    }
}
