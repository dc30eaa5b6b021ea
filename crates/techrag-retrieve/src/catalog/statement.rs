//! From what is asked to one SELECT. The statement is put together from constants of this file alone; every word, name
//! and number of the question is bound.

use serde_json::{Value, json};

use super::question::{Ask, Limit, Thing, Wanted};

/// A SELECT and how it is to be understood.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Statement {
    pub(super) template: &'static str,
    pub(super) meaning: String,
    pub(super) select: String,
    pub(super) params: Vec<Value>,
    /// The SELECT of the documents (doc_id) behind the rows, with the params of the limits, which come
    /// first; `None` where the rows themselves begin with these columns.
    pub(super) documents: Option<(String, usize)>,
}

const AUTHORS: &str = "(SELECT group_concat(a.name, '; ') FROM authors a WHERE a.doc_id = d.doc_id) AS authors";
/// What a document is cited by; the condition on its id stands behind.
pub(super) const DESCRIBED: &str = "SELECT d.doc_id, d.key, d.title, d.year, \
    (SELECT json_group_array(a.name ORDER BY a.position) FROM authors a WHERE a.doc_id = d.doc_id), d.doi \
    FROM documents d WHERE d.doc_id";
const JOIN_AUTHORS: &str = " JOIN authors a ON a.doc_id = d.doc_id";
const JOIN_KEYWORDS: &str = " JOIN keywords k ON k.doc_id = d.doc_id";
/// What a document says of itself.
const ABOUT: &str = "has_words(coalesce(d.title, '') || ' ' || coalesce(d.abstract, '') || ' ' || \
                     coalesce((SELECT group_concat(k.keyword, ' ') FROM keywords k WHERE k.doc_id = d.doc_id), ''), ?)";

/// The SELECT of what is asked; `scoped` keeps to the documents of the table `scope`.
pub(super) fn of(ask: &Ask, scoped: bool) -> Statement {
    let mut params = Vec::new();
    let clause = clause(&ask.limits, scoped, &mut params);
    let limits = params.len();
    let from = |join: &str| format!("FROM documents d{join} WHERE {clause}");
    let (template, select) = match ask.wanted {
        Wanted::Count(thing) => counted(thing, from),
        Wanted::Documents => {
            let from = from("");
            (
                "list documents",
                format!("SELECT d.doc_id, d.key, d.title, d.year, {AUTHORS} {from} ORDER BY d.year DESC, d.key"),
            )
        }
        Wanted::Authors => (
            "list authors",
            format!(
                "SELECT a.name, count(DISTINCT d.doc_id) AS documents {} GROUP BY a.name ORDER BY documents DESC, a.name",
                from(JOIN_AUTHORS)
            ),
        ),
        Wanted::Keywords => (
            "list keywords",
            format!(
                "SELECT lower(k.keyword) AS keyword, count(DISTINCT d.doc_id) AS documents {} GROUP BY 1 \
                 ORDER BY documents DESC, 1",
                from(JOIN_KEYWORDS)
            ),
        ),
        Wanted::Years => (
            "count documents by year",
            format!("SELECT d.year, count(*) AS documents {} GROUP BY d.year ORDER BY d.year", from("")),
        ),
        Wanted::Newest(number) | Wanted::Oldest(number) => {
            params.push(json!(number));
            extreme(ask.wanted, &from(""))
        }
    };
    let own = matches!(ask.wanted, Wanted::Documents | Wanted::Newest(_) | Wanted::Oldest(_));
    let documents = format!("SELECT d.doc_id {} ORDER BY d.key", from(""));
    Statement { template, meaning: meaning(ask), select, params, documents: (!own).then_some((documents, limits)) }
}

fn counted(thing: Thing, from: impl Fn(&str) -> String) -> (&'static str, String) {
    let (template, columns, join) = match thing {
        Thing::Documents => ("count documents", "count(*) AS documents", ""),
        Thing::Authors => ("count authors", "count(DISTINCT a.name) AS authors", JOIN_AUTHORS),
        Thing::Keywords => ("count keywords", "count(DISTINCT lower(k.keyword)) AS keywords", JOIN_KEYWORDS),
        Thing::Pages => {
            ("count pages", "coalesce(sum(d.pages), 0) AS pages, count(d.pages) AS documents_with_pages", "")
        }
        Thing::Chunks => ("count chunks", "coalesce(sum(d.chunks), 0) AS chunks", ""),
    };
    (template, format!("SELECT {columns} {}", from(join)))
}

/// Documents of the years at one end; all of the last year that is reached.
fn extreme(wanted: Wanted, from: &str) -> (&'static str, String) {
    let (template, order) = match wanted {
        Wanted::Oldest(_) => ("oldest documents", ""),
        _ => ("newest documents", " DESC"),
    };
    let select = format!(
        "SELECT doc_id, key, title, year, authors FROM (SELECT d.doc_id, d.key, d.title, d.year, {AUTHORS}, \
         rank() OVER (ORDER BY d.year{order}) AS place {from} AND d.year IS NOT NULL) WHERE place <= ? \
         ORDER BY year{order}, key"
    );
    (template, select)
}

/// The condition that all limits make, and its parameters.
fn clause(limits: &[Limit], scoped: bool, params: &mut Vec<Value>) -> String {
    let mut clauses: Vec<String> = limits.iter().map(|limit| test(limit, params)).collect();
    if scoped {
        clauses.push("d.doc_id IN (SELECT doc_id FROM scope)".into());
    }
    if clauses.is_empty() { "1".to_owned() } else { clauses.join(" AND ") }
}

fn test(limit: &Limit, params: &mut Vec<Value>) -> String {
    let (values, one) = match limit {
        Limit::From(year) | Limit::To(year) => {
            params.push(json!(year));
            return if matches!(limit, Limit::From(_)) { "d.year >= ?" } else { "d.year <= ?" }.to_owned();
        }
        Limit::Author(names) => {
            (names, "EXISTS (SELECT 1 FROM authors a WHERE a.doc_id = d.doc_id AND has_name(a.name, ?))")
        }
        Limit::Keyword(words) => {
            (words, "EXISTS (SELECT 1 FROM keywords k WHERE k.doc_id = d.doc_id AND has_words(k.keyword, ?))")
        }
        Limit::About(words) => (words, ABOUT),
        Limit::Titled(words) => (words, "has_words(d.title, ?)"),
    };
    params.extend(values.iter().map(|value| json!(value)));
    format!("({})", vec![one; values.len()].join(" OR "))
}

/// How the question was read.
fn meaning(ask: &Ask) -> String {
    let what = match ask.wanted {
        Wanted::Count(Thing::Documents) => "how many documents".to_owned(),
        Wanted::Count(Thing::Authors) => "how many authors of documents".to_owned(),
        Wanted::Count(Thing::Keywords) => "how many keywords of documents".to_owned(),
        Wanted::Count(Thing::Pages) => "how many pages of documents".to_owned(),
        Wanted::Count(Thing::Chunks) => "how many chunks of documents".to_owned(),
        Wanted::Documents => "documents".to_owned(),
        Wanted::Authors => "authors of documents, most documents first".to_owned(),
        Wanted::Keywords => "keywords of documents, most documents first".to_owned(),
        Wanted::Years => "documents by year".to_owned(),
        Wanted::Newest(number) => format!("the newest {number} documents, all of the last year"),
        Wanted::Oldest(number) => format!("the oldest {number} documents, all of the last year"),
    };
    let mut rest = ask.limits.as_slice();
    let mut words = vec![what];
    while let [limit, after @ ..] = rest {
        // A pair of years is said as one.
        let (said, left) = match (limit, after) {
            (Limit::From(first), [Limit::To(last), after @ ..]) if first == last => (format!("of {first}"), after),
            (Limit::From(first), [Limit::To(last), after @ ..]) => (format!("of {first} to {last}"), after),
            _ => (limited(limit), after),
        };
        words.push(said);
        rest = left;
    }
    words.join(", ")
}

/// One limit in words.
fn limited(limit: &Limit) -> String {
    let either = |values: &[String]| values.iter().map(|value| format!("“{value}”")).collect::<Vec<_>>().join(" or ");
    match limit {
        Limit::From(year) => format!("of {year} or later"),
        Limit::To(year) => format!("of {year} or earlier"),
        Limit::Author(names) => format!("by {}", either(names)),
        Limit::Keyword(words) => format!("with a keyword that has {}", either(words)),
        Limit::About(words) => format!("whose title, keywords and abstract have all words of {}", either(words)),
        Limit::Titled(words) => format!("whose title has all words of {}", either(words)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_of_years_is_said_as_one() {
        let limits = vec![
            Limit::From(2021),
            Limit::To(2021),
            Limit::To(2030),
            Limit::From(1990),
            Limit::Titled(vec!["grip".into()]),
            Limit::From(2000),
            Limit::To(2009),
        ];
        assert_eq!(
            meaning(&Ask { wanted: Wanted::Documents, limits }),
            "documents, of 2021, of 2030 or earlier, of 1990 or later, whose title has all words of “grip”, of 2000 to 2009"
        );
    }
}
