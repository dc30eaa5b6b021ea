//! The answer that the catalog gives to a question that counts or lists, in words.
//!
//! `techrag-retrieve` reads such a question whole or not at all and leaves the rows in the record (`sql`); here they
//! become the answer: what was counted or listed, how the question was read, the rows. A count of none is an answer, and
//! so is an empty list.
//!
//! **Architecture invariant:** the words are made of the rows and of nothing else, so that `check` can make them again
//! and compare ([`stands`]), and what is shown is made of the rows too. Nothing is quoted, so nothing is cited and there
//! is neither a confidence nor a medal.

use serde_json::Value;
use techrag_core::record::{Answer, CatalogAnswer, CatalogDocument, Query};
use techrag_core::{clean, text};

/// Who writes these answers, and the version of their wording.
pub const BY: &str = "catalog/1";

/// Most rows, and most documents behind a count, that are told; the record has more of them.
const MOST: usize = 20;
/// Most bytes of a cell that are told: a paper may have three thousand authors.
const CELL: usize = 300;
/// The columns of a row that is a document (`techrag-retrieve`).
pub(crate) const DOCUMENT: [&str; 5] = ["doc_id", "key", "title", "year", "authors"];

/// What the rows say, cleaned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    /// `7 documents, counted in the library's catalog.`
    pub(crate) headline: String,
    /// `Read as: how many documents, of 2021.`
    pub(crate) read_as: String,
    /// A line a row; none for a count, whose row is the headline.
    pub(crate) rows: Vec<String>,
    /// The documents behind a count, a line each.
    pub(crate) documents: Vec<String>,
}

impl Told {
    /// As the answer's text says it.
    fn text(&self) -> String {
        let rows = self.rows.iter().map(|row| format!("- {row}"));
        [self.headline.clone(), self.read_as.clone()].into_iter().chain(rows).collect::<Vec<_>>().join("\n")
    }
}

/// The catalog's answer; `None` where what stands in the record is none: no columns, or rows that do not fit them.
pub fn answer(sql: &CatalogAnswer) -> Option<Answer> {
    let told = told(sql)?;
    Some(Answer { text: told.text(), catalog: true, by: BY.into(), ..Answer::default() })
}

/// Whether the answer is the catalog's and says what the record's rows say, no more and no less.
pub fn stands(query: &Query) -> bool {
    shown(query).is_some()
}

/// What the rows say, where they are the answer.
pub(crate) fn shown(query: &Query) -> Option<Told> {
    let answer = query.answer.as_ref().filter(|answer| answer.catalog && !answer.abstained)?;
    query.sql.as_deref().and_then(told).filter(|told| answer.sentences.is_empty() && answer.text == told.text())
}

/// What the rows say.
pub(crate) fn told(sql: &CatalogAnswer) -> Option<Told> {
    if sql.columns.is_empty() || sql.rows.iter().any(|row| row.len() != sql.columns.len()) {
        return None;
    }
    let read_as = format!("Read as: {}.", clean::line(&sql.meaning));
    let counted = sql.template.strip_prefix("count ").filter(|what| sql.columns[0] == *what);
    let (headline, rows, documents) = match (counted, sql.rows.as_slice()) {
        (Some(what), [row]) => (count(what, sql, row)?, Vec::new(), documents(sql)),
        (Some(_), _) => return None,
        (None, rows) => (list(sql), lines(rows.iter().map(|row| self::row(sql, row)), sql.truncated), Vec::new()),
    };
    Some(Told { headline, read_as, rows, documents })
}

/// `7 documents, counted in the library's catalog.`
fn count(what: &str, sql: &CatalogAnswer, row: &[Value]) -> Option<String> {
    let number = row[0].as_u64()?;
    let beside =
        sql.columns.iter().zip(row).skip(1).map(|(column, value)| format!("{}: {}", words(column), cell(value)));
    let beside = beside.collect::<Vec<_>>().join(", ");
    let beside = if beside.is_empty() { beside } else { format!(" ({beside})") };
    Some(format!("{number} {}{beside}, counted in the library's catalog.", of_number(what, number)))
}

/// `3 documents, listed from the library's catalog.`
fn list(sql: &CatalogAnswer) -> String {
    let things = match sql.template.as_str() {
        "list documents" | "newest documents" | "oldest documents" => "documents",
        "list authors" => "authors",
        "list keywords" => "keywords",
        "count documents by year" => "years",
        _ => "rows",
    };
    match sql.rows.len() {
        0 => format!("No {things}: the library's catalog lists none."),
        n if sql.truncated => format!("More than {n} {things}, the first of them listed from the library's catalog."),
        n => format!("{n} {}, listed from the library's catalog.", of_number(things, n as u64)),
    }
}

/// The documents behind a count.
fn documents(sql: &CatalogAnswer) -> Vec<String> {
    lines(sql.documents.iter().map(document), sql.truncated)
}

/// `Title, a.pdf`.
pub(crate) fn document(document: &CatalogDocument) -> String {
    let title = document.title.as_deref().map(short).filter(|title| !title.is_empty());
    title.into_iter().chain([short(&document.key)]).collect::<Vec<_>>().join(", ")
}

/// The first lines, and how many there are more.
fn lines(all: impl ExactSizeIterator<Item = String>, truncated: bool) -> Vec<String> {
    let left = all.len().saturating_sub(MOST);
    let left = match (left, truncated) {
        (0, false) => None,
        (0, true) => Some("and more".to_owned()),
        (left, false) => Some(format!("and {left} more")),
        (left, true) => Some(format!("and more than {left} more")),
    };
    all.take(MOST).chain(left).collect()
}

/// A row of a list: a document as it is cited, a thing with its number, else every column with its name.
fn row(sql: &CatalogAnswer, row: &[Value]) -> String {
    if sql.columns == DOCUMENT {
        let parts = [&row[2], &row[4], &row[3], &row[1]].into_iter().map(cell).filter(|part| !part.is_empty());
        return parts.collect::<Vec<_>>().join(", ");
    }
    if sql.columns.len() == 2 && sql.columns[1] == "documents" {
        let name =
            if row[0].is_null() { "without".to_owned() + " a " + &words(&sql.columns[0]) } else { cell(&row[0]) };
        return format!("{name}: {}", cell(&row[1]));
    }
    let cells = sql.columns.iter().zip(row).filter(|(column, value)| !value.is_null() && *column != "doc_id");
    cells.map(|(column, value)| format!("{} {}", words(column), cell(value))).collect::<Vec<_>>().join(", ")
}

/// A cell in words; nothing for null.
pub(crate) fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => short(text),
        value => short(&value.to_string()),
    }
}

fn short(words: &str) -> String {
    let start = text::prefix(words, CELL);
    let more = if start.len() < words.len() { "…" } else { "" };
    clean::line(start) + more
}

/// A column's name as words.
pub(crate) fn words(column: &str) -> String {
    clean::line(column).replace('_', " ")
}

/// A plural of ours, in the singular where there is one.
fn of_number(things: &str, number: u64) -> String {
    let things = clean::line(things);
    match things.strip_suffix('s') {
        Some(one) if number == 1 => one.to_owned(),
        _ => things,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sql(template: &str, columns: &[&str], rows: Value) -> CatalogAnswer {
        CatalogAnswer {
            template: template.into(),
            meaning: "documents, of 2021".into(),
            columns: columns.iter().map(|column| (*column).to_owned()).collect(),
            rows: serde_json::from_value(rows).unwrap(),
            documents: vec![
                CatalogDocument {
                    doc_id: "0".into(),
                    key: "a.pdf".into(),
                    title: Some("On \u{1b}snow".into()),
                    ..CatalogDocument::default()
                },
                CatalogDocument { doc_id: "1".into(), key: "b.pdf".into(), ..CatalogDocument::default() },
            ],
            ..CatalogAnswer::default()
        }
    }

    #[test]
    fn a_count_is_a_number_of_things_and_a_list_its_rows() {
        for (template, columns, rows, expected) in [
            ("count documents", &["documents"][..], json!([[2]]), "2 documents, counted in the library's catalog."),
            ("count documents", &["documents"], json!([[1]]), "1 document, counted in the library's catalog."),
            ("count documents", &["documents"], json!([[0]]), "0 documents, counted in the library's catalog."),
            (
                "count pages",
                &["pages", "documents_with_pages"],
                json!([[10, 1]]),
                "10 pages (documents with pages: 1), counted in the library's catalog.",
            ),
            (
                "list documents",
                &DOCUMENT,
                json!([["0", "a.pdf", "On snow", 2021, "A. Berg; B. Tal"], ["1", "b.pdf", null, null, null]]),
                "2 documents, listed from the library's catalog.\n- On snow, A. Berg; B. Tal, 2021, a.pdf\n- b.pdf",
            ),
            (
                "list authors",
                &["name", "documents"],
                json!([["A. Berg\u{1b}[31m\nx", 3]]),
                "1 author, listed from the library's catalog.\n- A. Berg[31m x: 3",
            ),
            (
                "count documents by year",
                &["year", "documents"],
                json!([[2002, 1], [null, 2]]),
                "2 years, listed from the library's catalog.\n- 2002: 1\n- without a year: 2",
            ),
            ("list keywords", &["keyword", "documents"], json!([]), "No keywords: the library's catalog lists none."),
            ("a SELECT", &["x_y", "z"], json!([[1.5, null]]), "1 row, listed from the library's catalog.\n- x y 1.5"),
        ] {
            let answer = answer(&sql(template, columns, rows)).unwrap();
            let (first, rest) =
                expected.split_once('\n').map_or((expected, String::new()), |(a, b)| (a, format!("\n{b}")));
            assert_eq!(answer.text, format!("{first}\nRead as: documents, of 2021.{rest}"));
            assert!(answer.catalog && !answer.abstained && answer.medal.is_none());
        }
    }

    #[test]
    fn what_is_no_answer_makes_none() {
        for (template, columns, rows) in [
            ("", &[][..], json!([])),
            ("count documents", &["documents"], json!([])),
            ("count documents", &["documents"], json!([[1], [2]])),
            ("count documents", &["documents"], json!([["many"]])),
            ("count documents", &["documents"], json!([[-1]])),
            ("list authors", &["name", "documents"], json!([["A"]])),
            ("list authors", &["name"], json!([["A", 2]])),
        ] {
            assert_eq!(answer(&sql(template, columns, rows)), None);
        }
    }

    #[test]
    fn long_lists_are_cut_and_it_is_said() {
        let rows = |n: usize| json!((0..n).map(|n| json!([n.to_string(), 1])).collect::<Vec<_>>());
        let mut long = sql("list authors", &["name", "documents"], rows(25));
        let last = |sql: &CatalogAnswer| answer(sql).unwrap().text.lines().last().unwrap().to_owned();
        assert_eq!(last(&long), "- and 5 more");
        long.truncated = true;
        assert_eq!(last(&long), "- and more than 5 more");
        assert!(answer(&long).unwrap().text.starts_with("More than 25 authors, the first"));
        long.rows[0][0] = json!("ä".repeat(5000));
        assert!(told(&long).unwrap().rows[0].len() < 400);
    }

    #[test]
    fn an_answer_stands_only_as_the_rows_say_it() {
        let catalog = sql("count documents", &["documents"], json!([[2]]));
        let mut query = Query { answer: answer(&catalog), sql: Some(Box::new(catalog)), ..Query::new("How many?") };
        assert!(stands(&query));
        assert_eq!(shown(&query).unwrap().documents, ["On snow, a.pdf", "b.pdf"]);
        query.sql.as_mut().unwrap().rows[0][0] = json!(3);
        assert!(!stands(&query));
        query.sql = None;
        assert!(!stands(&query));
    }
}
