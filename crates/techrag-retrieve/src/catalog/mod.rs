//! The `sql` strategy: a question that counts or lists, answered from the catalog by one SELECT.
//!
//! Templates, no model: [`question`] reads what is asked, whole or not at all; [`statement`] makes the SELECT, whose
//! values are bound. What no template fits is left to the passages, and the trace says so.

mod question;
mod statement;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use techrag_core::record::{CatalogAnswer, CatalogDocument};
use techrag_index::Asker;

use crate::error::Result;

/// Most rows, and most documents, of an answer.
const MOST: usize = 100;

/// The catalog's answer; `None` where no template fits the question. `scope` are the documents it keeps to.
///
/// # Errors
/// If the library cannot be read.
pub(crate) fn answer(root: &Path, asked: &str, scope: Option<&BTreeSet<String>>) -> Result<Option<CatalogAnswer>> {
    let Some(ask) = question::read(asked) else { return Ok(None) };
    let statement = statement::of(&ask, scope.is_some());
    let asker = Asker::open(root, scope)?;
    let found = asker.rows(&statement.select, &statement.params, MOST)?;
    let (behind, more) = match &statement.documents {
        Some((select, limits)) => {
            let behind = asker.rows(select, &statement.params[..*limits], MOST)?;
            (behind.rows, behind.more)
        }
        None => (found.rows.clone(), false),
    };
    let documents = described(&asker, behind.iter().filter_map(|row| row.first()))?;
    Ok(Some(CatalogAnswer {
        template: statement.template.into(),
        meaning: statement.meaning + if scope.is_some() { ", within the scope of the search" } else { "" },
        select: statement.select,
        params: statement.params,
        columns: found.columns,
        rows: found.rows,
        documents,
        truncated: found.more || more,
        ..CatalogAnswer::default()
    }))
}

/// The documents of some ids, as they are cited, in the order of the ids.
fn described<'a>(asker: &Asker, ids: impl Iterator<Item = &'a Value>) -> Result<Vec<CatalogDocument>> {
    let ids: Vec<Value> = ids.cloned().collect();
    let marks = vec!["?"; ids.len()].join(", ");
    let rows = asker.rows(&format!("{} IN ({marks})", statement::DESCRIBED), &ids, MOST)?.rows;
    let row = |id: &Value| rows.iter().find(|row| row.first() == Some(id));
    Ok(ids.iter().filter_map(row).map(|row| document(row)).collect())
}

/// A document from a row of [`statement::DESCRIBED`].
fn document(row: &[Value]) -> CatalogDocument {
    let cell = |at: usize| row.get(at).and_then(Value::as_str).map(str::to_owned);
    let authors = cell(4).map(|names| serde_json::from_str(&names).unwrap_or_default()).unwrap_or_default();
    CatalogDocument {
        doc_id: cell(0).unwrap_or_default(),
        key: cell(1).unwrap_or_default(),
        title: cell(2),
        authors,
        year: row.get(3).and_then(Value::as_i64).and_then(|year| i32::try_from(year).ok()),
        doi: cell(5),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use techrag_core::record::Document;
    use techrag_index::{Add, AddConfig, Writer};

    use super::*;

    /// Papers of two authors on tyres, brakes and nothing; the third has no year.
    fn library() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let mut add =
            Add::new(Writer::open(folder.path(), "test").unwrap(), AddConfig { full: 9, idle: 9, replace: false });
        let authors = ["H. B. Pacejka", "E. Bakker", "Drop O'Tables"];
        for (n, (title, year)) in
            [("Tyre models", Some(1987)), ("Braking tires", Some(2002)), ("Roads", None), ("Wet tyres", Some(2002))]
                .into_iter()
                .enumerate()
        {
            add.document(Document {
                doc_id: format!("{n:016x}"),
                key: format!("{n}.pdf"),
                title: Some(title.into()),
                authors: authors[..=n.min(2)].iter().map(|name| (*name).to_owned()).collect(),
                year,
                doi: Some(format!("10.5555/{n}")),
                pages: Some(10),
                keywords: if n == 2 { vec!["Wet Friction".into()] } else { Vec::new() },
                ..Document::default()
            })
            .unwrap();
        }
        add.end().unwrap();
        folder
    }

    fn keys(answer: &CatalogAnswer) -> Vec<&str> {
        answer.documents.iter().map(|document| document.key.as_str()).collect()
    }

    #[test]
    fn every_template_answers_with_rows_and_the_documents_behind_them() {
        let folder = library();
        for (asked, rows, documents) in [
            ("How many papers are in the library?", json!([[4]]), vec!["0.pdf", "1.pdf", "2.pdf", "3.pdf"]),
            ("How many papers about tyres?", json!([[3]]), vec!["0.pdf", "1.pdf", "3.pdf"]),
            ("How many papers by Hans Pacejka since 2000?", json!([[2]]), vec!["1.pdf", "3.pdf"]),
            ("How many papers by Pacejka and Bakker in 2002?", json!([[2]]), vec!["1.pdf", "3.pdf"]),
            ("How many papers by Nobody?", json!([[0]]), vec![]),
            ("How many pages do papers before 2000 have?", json!([[10, 1]]), vec!["0.pdf"]),
            ("How many chunks are in the library?", json!([[0]]), vec!["0.pdf", "1.pdf", "2.pdf", "3.pdf"]),
            ("How many authors of papers before 2000?", json!([[1]]), vec!["0.pdf"]),
            ("How many keywords are there?", json!([[1]]), vec!["0.pdf", "1.pdf", "2.pdf", "3.pdf"]),
            (
                "List papers with keyword friction",
                json!([["0000000000000002", "2.pdf", "Roads", null, "H. B. Pacejka; E. Bakker; Drop O'Tables"]]),
                vec!["2.pdf"],
            ),
            ("List authors of papers before 2000", json!([["H. B. Pacejka", 1]]), vec!["0.pdf"]),
            ("List keywords", json!([["wet friction", 1]]), vec!["0.pdf", "1.pdf", "2.pdf", "3.pdf"]),
            ("How many papers per year since 1900?", json!([[1987, 1], [2002, 2]]), vec!["0.pdf", "1.pdf", "3.pdf"]),
        ] {
            let answer = answer(folder.path(), asked, None).unwrap().unwrap();
            assert_eq!((json!(answer.rows), keys(&answer)), (rows, documents), "{asked}: {}", answer.meaning);
            assert!(!answer.truncated && answer.rows.iter().all(|row| row.len() == answer.columns.len()));
            if let Some(first) = answer.documents.iter().find(|document| document.key == "0.pdf") {
                assert_eq!((first.authors.as_slice(), first.year), (&["H. B. Pacejka".to_owned()][..], Some(1987)));
                assert_eq!((first.title.as_deref(), first.doi.as_deref()), (Some("Tyre models"), Some("10.5555/0")));
            }
        }
    }

    #[test]
    fn the_newest_are_all_of_their_year_and_those_without_a_year_are_none() {
        let folder = library();
        let of = |asked: &str| {
            let answer = answer(folder.path(), asked, None).unwrap().unwrap();
            keys(&answer).join(" ")
        };
        assert_eq!(of("What is the newest paper in the library?"), "1.pdf 3.pdf");
        assert_eq!(of("List the oldest papers"), "0.pdf 1.pdf 3.pdf");
    }

    #[test]
    fn a_name_is_a_value_and_never_a_part_of_the_statement() {
        let folder = library();
        let plain = answer(folder.path(), "How many papers by Nobody?", None).unwrap().unwrap();
        for name in ["Robert') DROP TABLE", "x\" UNION SELECT 2", "%", "x' --", "NULL", "Bakke_"] {
            let asked = format!("How many papers by {name}");
            // What cannot be a name is not asked for at all.
            let found = answer(folder.path(), &asked, None).unwrap().map(|found| (found.select, found.rows));
            let none = (plain.select.clone(), vec![vec![json!(0)]]);
            assert_eq!(found, (!name.contains(['2', '%'])).then_some(none), "{name}");
        }
        let quoted = answer(folder.path(), "How many papers by O'Tables", None).unwrap().unwrap();
        assert_eq!((&quoted.select, quoted.rows), (&plain.select, vec![vec![json!(2)]]));
        assert_eq!(answer(folder.path(), "How many papers are there?", None).unwrap().unwrap().rows, [[json!(4)]]);
    }

    #[test]
    fn rows_are_cut_and_it_is_said_and_a_scope_holds() {
        let folder = library();
        let scope = BTreeSet::from([format!("{:016x}", 1)]);
        let scoped = answer(folder.path(), "How many papers are there?", Some(&scope)).unwrap().unwrap();
        assert_eq!((json!(scoped.rows), keys(&scoped)), (json!([[1]]), vec!["1.pdf"]));
        assert!(scoped.meaning.ends_with("within the scope of the search"));
        let mut add =
            Add::new(Writer::open(folder.path(), "test").unwrap(), AddConfig { full: 999, idle: 999, replace: false });
        for n in 10..120 {
            add.document(Document { doc_id: format!("{n:016x}"), key: n.to_string(), ..Document::default() }).unwrap();
        }
        add.end().unwrap();
        let listed = answer(folder.path(), "List all papers", None).unwrap().unwrap();
        assert_eq!((listed.rows.len(), listed.documents.len(), listed.truncated), (MOST, MOST, true));
        let counted = answer(folder.path(), "How many papers are there?", None).unwrap().unwrap();
        assert_eq!((json!(counted.rows), counted.documents.len(), counted.truncated), (json!([[114]]), MOST, true));
    }
}
