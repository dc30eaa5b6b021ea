//! One SELECT of the program's own over the published views, with bound parameters: what a counting or listing question
//! is answered by.
//!
//! Two functions compare words as the rest of the project does (SQLite's LIKE knows neither stems nor initials):
//! `has_words(text, words)` is 1 where every word of `words` stands in `text`, by stem; `has_name(name, asked)` is 1
//! where `asked` names the person, whose given names may be initials on either side. Both are 0 where nothing is asked.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::time::Duration;

use rusqlite::functions::FunctionFlags;
use rusqlite::types::{ToSqlOutput, Value as Bound, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};
use serde_json::Value;
use techrag_core::{text, token};

use crate::catalog::{self, Places};
use crate::error::{Error, Result};
use crate::select::{VIEWS, value, within};

/// What one SELECT may take.
const TIME: Duration = Duration::from_secs(30);

/// The catalog with its published views, for statements whose values are bound.
pub struct Asker {
    catalog: Connection,
}

/// The first rows of a SELECT.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// A value a column.
    pub rows: Vec<Vec<Value>>,
    /// There were more.
    pub more: bool,
}

impl Asker {
    /// The catalog of the library at `root`. `scope`, where it is given, becomes the table `scope (doc_id)`.
    ///
    /// # Errors
    /// If the library cannot be read.
    pub fn open(root: &Path, scope: Option<&BTreeSet<String>>) -> Result<Self> {
        let catalog = catalog::readable(&Places::new(root))?;
        publish(&catalog)?;
        if let Some(scope) = scope {
            catalog.execute_batch("CREATE TEMP TABLE scope (doc_id TEXT PRIMARY KEY) WITHOUT ROWID")?;
            let mut insert = catalog.prepare("INSERT INTO temp.scope VALUES (?)")?;
            for doc_id in scope {
                insert.execute([doc_id])?;
            }
        }
        Ok(Self { catalog })
    }

    /// The first `most` rows of a SELECT; `params` (texts and whole numbers) stand for its question marks.
    ///
    /// # Errors
    /// [`Error::Select`] if the statement is wrong, would change something or takes longer than half a minute; otherwise if the
    /// library cannot be read.
    pub fn rows(&self, sql: &str, params: &[Value], most: usize) -> Result<Rows> {
        within(&self.catalog, TIME, || self.first(sql, params, most))
    }

    fn first(&self, sql: &str, params: &[Value], most: usize) -> Result<Rows> {
        let wrong = |error: rusqlite::Error| Error::Select(error.to_string());
        let mut statement = self.catalog.prepare(sql).map_err(wrong)?;
        if !statement.readonly() {
            return Err(Error::Select("it would change something".into()));
        }
        let mut found = Rows { columns: statement.column_names().map(str::to_owned).collect(), ..Rows::default() };
        let mut rows = statement.query(params_from_iter(params.iter().map(Parameter))).map_err(wrong)?;
        while let Some(row) = rows.next().map_err(wrong)? {
            if found.rows.len() == most {
                found.more = true;
                break;
            }
            let cells = (0..found.columns.len()).map(|at| Ok(value(row.get_ref(at)?)));
            found.rows.push(cells.collect::<Result<_>>()?);
        }
        Ok(found)
    }
}

/// The published views and functions, for a connection to the catalog.
///
/// # Errors
/// If the catalog is not one.
pub(crate) fn publish(catalog: &Connection) -> Result<()> {
    catalog.execute_batch(VIEWS)?;
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    catalog.create_scalar_function("has_words", 2, flags, |context| {
        Ok(has_words(&read(context.get_raw(0)), &read(context.get_raw(1))))
    })?;
    catalog.create_scalar_function("has_name", 2, flags, |context| {
        Ok(has_name(&read(context.get_raw(0)), &read(context.get_raw(1))))
    })?;
    Ok(())
}

/// A JSON value as SQLite's.
struct Parameter<'a>(&'a Value);

impl ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            Value::String(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Value::Number(number) if number.is_i64() => {
                ToSqlOutput::Owned(Bound::Integer(number.as_i64().unwrap_or(0)))
            }
            other => ToSqlOutput::Owned(Bound::Text(other.to_string())),
        })
    }
}

fn read(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Null | ValueRef::Real(_) | ValueRef::Blob(_) => String::new(),
    }
}

/// Whether every word of `words` stands in `text`, by stem, function words left out.
fn has_words(text: &str, words: &str) -> bool {
    let wanted = token::distinct(words, token::Config::WORDS);
    let held: HashSet<String> = token::tokens(text, token::Config::INDEX).into_iter().collect();
    !wanted.is_empty() && wanted.iter().all(|word| held.contains(word))
}

/// Whether `asked` names the person: its last word is a word of the name, and each of the others is one too, or either
/// of the two is the other's initial.
fn has_name(name: &str, asked: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let folded = text::fold(text);
        let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let (held, asked) = (words(name), words(asked));
    let Some((last, given)) = asked.split_last() else { return false };
    let initial = |a: &str, b: &str| a.chars().count() == 1 && b.starts_with(a);
    held.contains(last)
        && given.iter().all(|word| held.iter().any(|own| own == word || initial(own, word) || initial(word, own)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use techrag_core::record::Document;

    use super::*;
    use crate::{Add, AddConfig, Writer};

    fn library() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let mut add =
            Add::new(Writer::open(folder.path(), "test").unwrap(), AddConfig { full: 9, idle: 9, replace: false });
        for n in 0..3 {
            let title = Some(format!("Tyre braking {n}"));
            add.document(Document {
                doc_id: format!("{n:016x}"),
                key: n.to_string(),
                title,
                year: Some(2000 + n),
                ..Document::default()
            })
            .unwrap();
        }
        add.end().unwrap();
        folder
    }

    #[test]
    fn names_meet_by_surname_and_initials_and_words_by_stem() {
        for (name, asked, met) in [
            ("H. B. Pacejka", "Pacejka", true),
            ("H. B. Pacejka", "hans pacejka", true),
            ("Hans B. Pacejka", "H. Pacejka", true),
            ("Egbert Bakker", "Hans Bakker", false),
            ("Pacejka, Hans B.", "Hans Pacejka", true),
            ("H. B. Pacejka", "Pace", false),
            ("H. B. Pacejka", "", false),
            ("H. B. Pacejka", "' OR 1=1 --", false),
        ] {
            assert_eq!(has_name(name, asked), met, "{name} / {asked}");
        }
        assert!(has_words("Braking on wet roads", "wet brakes") && has_words("Tyres", "tire"));
        assert!(!has_words("Braking on wet roads", "dry braking") && !has_words("the", "the"), "nothing asked");
    }

    #[test]
    fn rows_are_bounded_values_bound_and_nothing_is_written() {
        let folder = library();
        let asker = Asker::open(folder.path(), None).unwrap();
        let titles = "SELECT title FROM documents WHERE has_words(title, ?) AND year >= ? ORDER BY year";
        let found = asker.rows(titles, &[json!("braked tires"), json!(2001)], 1).unwrap();
        assert_eq!((found.rows, found.more), (vec![vec![json!("Tyre braking 1")]], true));
        let none = asker.rows(titles, &[json!("x') OR 1=1 --"), json!(0)], 9).unwrap();
        assert_eq!((none.rows.len(), none.more, none.columns), (0, false, vec!["title".to_owned()]));
        assert!(matches!(asker.rows("DELETE FROM main.documents", &[], 9), Err(Error::Select(_))));
        let scope = BTreeSet::from([format!("{:016x}", 2)]);
        let scoped = Asker::open(folder.path(), Some(&scope)).unwrap();
        let keys = "SELECT key FROM documents WHERE doc_id IN (SELECT doc_id FROM scope)";
        assert_eq!(scoped.rows(keys, &[], 9).unwrap().rows, [[json!("2")]]);
    }
}
