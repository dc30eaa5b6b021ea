//! Conditions on documents and chunks, applied before a search ranks anything.
//!
//! Written as `FIELD OP VALUE`, several joined by AND: `year>=2020`, `role=method|results`, `key^=reports/`,
//! `series!=draft`. Operators: `=` (any of the alternatives between bars), `!=` (none of them), `^=` (starts with any
//! of them), `>=` and `<=` (numbers). Fields: `key`, `title`, `author`, `year`, `doi`, `media_type`, `pages`,
//! `section`, `role`, `modality`; any other is a field of the document's metadata. A field that is not there meets `!=`
//! and nothing else; one that holds several values meets the others if one value does. A text meets `>=` and `<=` only
//! where it is wholly a number. What cannot be meant is refused: `year==2017`, `year=>2017`, `year=new`, `title>=3`,
//! `role=methods`.

use std::str::FromStr;

use rusqlite::{Connection, ToSql};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use techrag_core::record::{Modality, Role};

/// Fields of every library; any other name is a field of the documents' metadata.
const FIELDS: [&str; 10] =
    ["key", "title", "author", "year", "doi", "media_type", "pages", "section", "role", "modality"];
/// Those of them that are numbers.
const NUMBERS: [&str; 2] = ["year", "pages"];

/// One condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    field: String,
    operator: Operator,
    values: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Is,
    IsNot,
    Starts,
    AtLeast,
    AtMost,
}

/// Longest first, so that `>=` is not read as `=`.
const OPERATORS: [(&str, Operator); 5] = [
    ("!=", Operator::IsNot),
    ("^=", Operator::Starts),
    (">=", Operator::AtLeast),
    ("<=", Operator::AtMost),
    ("=", Operator::Is),
];

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = OPERATORS.iter().filter_map(|(sign, operator)| Some((text.find(sign)?, *sign, *operator)));
        // The first sign of the text; of two at one place, or of `=` within another, the longer.
        let first = found.min_by_key(|(at, sign, _)| (at + sign.len(), usize::MAX - sign.len()));
        let (at, sign, operator) = first.ok_or_else(|| format!("{text:?} has none of =, !=, ^=, >=, <="))?;
        let (field, value) = (text[..at].trim(), text[at + sign.len()..].trim());
        if field.is_empty() || field.contains('"') {
            return Err(format!("{text:?} names no field"));
        }
        if value.starts_with(['=', '<', '>']) {
            return Err(format!("{text:?} has two operators; they are =, !=, ^=, >=, <="));
        }
        let values = value.split('|').map(|value| value.trim().to_owned()).collect();
        let condition = Self { field: field.to_owned(), operator, values };
        condition.can_be_met(value).map(|()| condition)
    }
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = OPERATORS.iter().find(|(_, operator)| *operator == self.operator).map_or("=", |(sign, _)| sign);
        write!(f, "{}{sign}{}", self.field, self.values.join("|"))
    }
}

/// The WHERE clause over `documents d JOIN chunks c` that all conditions make, and its parameters.
pub(crate) fn clause(conditions: &[Condition]) -> (String, Vec<Box<dyn ToSql>>) {
    let mut parameters: Vec<Box<dyn ToSql>> = Vec::new();
    let mut clauses = vec!["1".to_owned()];
    for condition in conditions {
        let source = condition.source(&mut parameters);
        let test = condition.test(&mut parameters);
        let not = if condition.operator == Operator::IsNot { "NOT " } else { "" };
        clauses.push(format!("{not}EXISTS (SELECT 1 FROM {source} s WHERE {test})"));
    }
    (all(clauses), parameters)
}

/// All clauses in their order, paired so that the expression stays shallow: SQLite refuses one of depth 1,000.
fn all(mut clauses: Vec<String>) -> String {
    while clauses.len() > 1 {
        let pair = |pair: &[String]| match pair {
            [first, second] => format!("({first} AND {second})"),
            other => other.concat(),
        };
        clauses = clauses.chunks(2).map(pair).collect();
    }
    clauses.concat()
}

/// The keys of a document that its scope asks for: those that meet every condition on keys; all of them where no
/// condition is on keys, or none meets every one (several conditions may be met by a key each).
pub(crate) fn keys_within(conditions: &[Condition], keys: Vec<String>) -> Vec<String> {
    let on_keys: Vec<&Condition> = conditions.iter().filter(|condition| condition.field == "key").collect();
    let met = |key: &String| on_keys.iter().all(|condition| condition.is_met_by(key));
    let within: Vec<String> = keys.iter().filter(|key| met(key)).cloned().collect();
    if within.is_empty() { keys } else { within }
}

impl Condition {
    /// Whether one value meets it, as [`Condition::test`] has it.
    fn is_met_by(&self, value: &str) -> bool {
        let any = |test: fn(&str, &str) -> bool| self.values.iter().any(|wanted| test(value, wanted));
        // As SQL has it: what is no number meets neither of the two.
        let number = |text: &str| text.trim().parse::<f64>().unwrap_or(f64::NAN);
        match self.operator {
            Operator::Is => any(|value, wanted| value == wanted),
            Operator::IsNot => !any(|value, wanted| value == wanted),
            Operator::Starts => any(|value, wanted| value.starts_with(wanted)),
            Operator::AtLeast => self.values.iter().any(|wanted| number(value) >= number(wanted)),
            Operator::AtMost => self.values.iter().any(|wanted| number(value) <= number(wanted)),
        }
    }

    /// Whether it tells chunks apart and not only documents.
    pub(crate) fn is_about_chunks(&self) -> bool {
        matches!(self.field.as_str(), "section" | "role" | "modality")
    }

    /// A table of the field's values, each `value`.
    fn source(&self, parameters: &mut Vec<Box<dyn ToSql>>) -> String {
        let column = |column: &str| format!("(SELECT {column} AS value)");
        match self.field.as_str() {
            "key" => "(SELECT key AS value FROM keys WHERE document = d.id)".into(),
            "author" => "json_each(d.authors)".into(),
            field @ ("title" | "year" | "doi" | "media_type" | "pages") => column(&format!("d.{field}")),
            field @ ("section" | "role") => column(&format!("c.{field}")),
            "modality" => column("c.record ->> '$.modality'"),
            field => {
                parameters.push(Box::new(format!("$.metadata.\"{field}\"")));
                "json_each(d.record, ?)".into()
            }
        }
    }

    /// The test of a value `s.value`. The alternatives are one parameter, however many they are.
    fn test(&self, parameters: &mut Vec<Box<dyn ToSql>>) -> String {
        let sign = match self.operator {
            Operator::Is | Operator::IsNot => {
                parameters.push(Box::new(json!(self.values).to_string()));
                return "CAST(s.value AS TEXT) IN (SELECT w.value FROM json_each(?) w)".into();
            }
            Operator::Starts => {
                parameters.push(Box::new(json!(self.values).to_string()));
                return "EXISTS (SELECT 1 FROM json_each(?) w \
                        WHERE substr(CAST(s.value AS TEXT), 1, length(w.value)) = w.value)"
                    .into();
            }
            Operator::AtLeast => ">=",
            Operator::AtMost => "<=",
        };
        let wanted = self.values.first().and_then(|value| value.parse::<f64>().ok());
        parameters.push(Box::new(wanted.unwrap_or(f64::NAN)));
        format!("{IS_NUMBER} AND CAST(s.value AS REAL) {sign} ?")
    }

    /// Whether the value can be one of the field's.
    fn can_be_met(&self, value: &str) -> Result<(), String> {
        let field = self.field.as_str();
        let (known, number) = (FIELDS.contains(&field), NUMBERS.contains(&field));
        let finite = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
        let wrong = |kind: &str| Err(format!("{field} is {kind}, which {value:?} is not"));
        match self.operator {
            Operator::AtLeast | Operator::AtMost if known && !number => {
                Err(format!("{field} is a text, which >= and <= do not compare"))
            }
            Operator::AtLeast | Operator::AtMost if !finite(value) => Err(format!("{value:?} is not a number")),
            Operator::Is | Operator::IsNot if number && !self.values.iter().all(|value| finite(value)) => {
                wrong("a number")
            }
            Operator::Is | Operator::IsNot if field == "role" && !self.all_read::<Role>() => wrong("a role"),
            Operator::Is | Operator::IsNot if field == "modality" && !self.all_read::<Modality>() => {
                wrong("a modality")
            }
            _ => Ok(()),
        }
    }

    /// Whether every value is the name of a variant; a type that reads unknown names as another says that one back.
    fn all_read<T: DeserializeOwned + Serialize>(&self) -> bool {
        self.values.iter().all(|value| {
            let read = serde_json::from_value::<T>(json!(value)).and_then(serde_json::to_value);
            read.is_ok_and(|read| read == json!(value))
        })
    }

    /// The field, if it is one of the documents' metadata and no document of the catalog has it.
    pub(crate) fn is_of_nothing(&self, catalog: &Connection) -> rusqlite::Result<bool> {
        if FIELDS.contains(&self.field.as_str()) {
            return Ok(false);
        }
        let mut parameters = Vec::new();
        let sql = format!("SELECT NOT EXISTS (SELECT 1 FROM documents d, {} s)", self.source(&mut parameters));
        catalog.query_row(&sql, rusqlite::params_from_iter(parameters), |row| row.get(0))
    }

    /// The name of the field.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Names of the fields that every library has.
    pub fn known_fields() -> &'static [&'static str] {
        &FIELDS
    }
}

/// A text that is wholly a number counts as one: metadata often comes from tables of text.
const IS_NUMBER: &str = "CASE WHEN typeof(s.value) IN ('integer', 'real') THEN 1 \
    WHEN typeof(s.value) = 'text' AND json_valid(s.value) THEN json_type(s.value) IN ('integer', 'real') ELSE 0 END";

#[cfg(test)]
mod tests {
    use serde_json::json;
    use techrag_core::record::{Chunk, Document, Role};

    use super::*;
    use crate::{Add, AddConfig, Bm25, Idf, Reader, Writer};

    fn condition(text: &str) -> Condition {
        text.parse().unwrap()
    }

    #[test]
    fn conditions_are_read_and_written() {
        for text in ["year>=2020", "role=method|results", "key^=a=b/", "series!=x", "note=a>=b", "pages<=3"] {
            assert_eq!(condition(text).to_string(), text);
        }
        for text in ["year", "=3", "year>=new", "a\"b=1", "year==2017", "year=>2017", "year=<2017", "year=new|2017"]
            .into_iter()
            .chain(["year!=", "year>=NaN", "volume<=inf", "title>=3", "role=methods", "modality=sound", "pages=few"])
        {
            assert!(text.parse::<Condition>().is_err(), "{text}");
        }
        for text in ["year^=20", "year=2017|2018", "volume=n/a", "role!=method", "modality=text"] {
            assert!(text.parse::<Condition>().is_ok(), "{text}");
        }
    }

    /// Three documents of two chunks; chunk 0 is of role method, chunk 1 of role results.
    fn library() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let config = AddConfig { full: 2, idle: 2, replace: false };
        let mut add = Add::new(Writer::open(folder.path(), "test").unwrap(), config);
        for (n, (key, year, series)) in [
            ("a/x.pdf", Some(2019), json!("tyre")),
            ("a/y.pdf", Some(2022), json!(["brake", "tyre"])),
            ("b/z", None, json!(null)),
        ]
        .into_iter()
        .enumerate()
        {
            let doc_id = format!("{n:016x}");
            let metadata = json!({ "series": series, "issue no": 7 + n, "volume": (["n/a", "4", "2017-05-01"][n]) })
                .as_object()
                .cloned()
                .unwrap();
            let document =
                Document { doc_id: doc_id.clone(), key: key.into(), year, metadata, chunks: 2, ..Document::default() };
            add.document(document).unwrap();
            for (ordinal, role) in [(0, Role::Method), (1, Role::Results)] {
                let (uid, text) = (techrag_core::id::uid(&doc_id, ordinal), "slip".to_owned());
                add.chunk(Chunk { uid, doc_id: doc_id.clone(), role, text, ..Chunk::default() }).unwrap();
            }
        }
        add.end().unwrap();
        folder
    }

    #[test]
    fn of_several_keys_those_are_given_that_the_scope_asks_for() {
        let keys = || ["a/x", "b/x", "b/y"].map(str::to_owned).to_vec();
        for (conditions, expected) in [
            (vec![], vec!["a/x", "b/x", "b/y"]),
            (vec!["year>=2020"], vec!["a/x", "b/x", "b/y"]),
            (vec!["key^=b/"], vec!["b/x", "b/y"]),
            (vec!["key=a/x|b/y"], vec!["a/x", "b/y"]),
            (vec!["key^=b/", "key!=b/y"], vec!["b/x"]),
            (vec!["key=a/x", "key=b/x"], vec!["a/x", "b/x", "b/y"]),
        ] {
            let conditions: Vec<Condition> = conditions.into_iter().map(condition).collect();
            assert_eq!(keys_within(&conditions, keys()), expected, "{conditions:?}");
        }
    }

    #[test]
    fn a_search_finds_only_what_meets_every_condition() {
        let folder = library();
        let reader = Reader::open(folder.path()).unwrap();
        let bm25 = Bm25 { idf: Idf::Lucene, k1: 1.2, b: 0.75, weights: [1.0; 3] };
        for (conditions, expected) in [
            (vec![], vec!["0:0", "0:1", "1:0", "1:1", "2:0", "2:1"]),
            (vec!["year>=2020"], vec!["1:0", "1:1"]),
            (vec!["year<=2030", "role=method"], vec!["0:0", "1:0"]),
            (vec!["series=tyre"], vec!["0:0", "0:1", "1:0", "1:1"]),
            (vec!["series!=brake"], vec!["0:0", "0:1", "2:0", "2:1"]),
            (vec!["key^=a/|c/", "role!=method"], vec!["0:1", "1:1"]),
            (vec!["issue no=9|10"], vec!["2:0", "2:1"]),
            (vec!["nothing=1"], vec![]),
            (vec!["volume<=5"], vec!["1:0", "1:1"]),
            (vec!["volume>=0"], vec!["1:0", "1:1"]),
            (vec!["volume=n/a|2017-05-01"], vec!["0:0", "0:1", "2:0", "2:1"]),
        ] {
            let conditions: Vec<Condition> = conditions.into_iter().map(condition).collect();
            let scope = reader.select(&conditions).unwrap();
            let found = reader.lexical(&["slip".into()], bm25, 10, &scope);
            let uids: Vec<String> = found.iter().map(|r| format!("{:x}:{}", r.uid.0, r.uid.1)).collect();
            assert_eq!(uids, expected, "{conditions:?}");
        }
    }
    #[test]
    fn any_number_of_alternatives_and_of_conditions_is_met() {
        let folder = library();
        let reader = Reader::open(folder.path()).unwrap();
        let bm25 = Bm25 { idf: Idf::Lucene, k1: 1.2, b: 0.75, weights: [1.0; 3] };
        let count = |conditions: &[Condition]| {
            let scope = reader.select(conditions).unwrap();
            reader.lexical(&["slip".into()], bm25, 10, &scope).len()
        };
        let many: Vec<String> = (0..20_000).map(|n| format!("k{n}")).collect();
        assert_eq!(count(&[condition(&format!("key={}|b/z", many.join("|")))]), 2);
        assert_eq!(count(&[condition(&format!("key^={}|a/", many.join("|")))]), 4);
        assert_eq!(count(&[condition(&format!("key!={}|b/z", many.join("|")))]), 4);
        assert_eq!(count(&vec![condition("year>=2020"); 3000]), 2);
    }

    #[test]
    fn a_field_that_no_document_has_is_named() {
        let folder = library();
        let reader = Reader::open(folder.path()).unwrap();
        let conditions = ["yaer=2019", "year=1", "issue no=1", "series=x"].map(condition);
        assert_eq!(reader.fields_of_nothing(&conditions).unwrap(), ["yaer"]);
    }
}
