//! Which work a document is of, so that preprint, published version and supplement are kept apart and related.
//!
//! Two documents are related if they have one DOI, one arXiv identifier, or one title and an author in common; a
//! supplement also by its file's name (`x-supp.pdf` beside `x.pdf`). What is compared is computed once, when a document
//! comes, and kept in the catalog's table `works`; the view `related` compares (views.sql says how).

use rusqlite::{Connection, params};
use techrag_core::record::Document;
use techrag_core::text;

use crate::error::Result;

/// Prefixes of DOIs that preprint servers give: arXiv, bioRxiv and medRxiv, ChemRxiv, SSRN, Preprints.org, OSF,
/// TechRxiv, Research Square, Authorea.
const PREPRINTS: [&str; 9] = [
    "10.48550/",
    "10.1101/",
    "10.26434/",
    "10.2139/ssrn",
    "10.20944/",
    "10.31219/",
    "10.36227/",
    "10.21203/",
    "10.22541/",
];

/// What a supplement's title begins with, folded.
const BEFORE: [&str; 10] = [
    "supplementary materials for",
    "supplementary material for",
    "supplementary materials to",
    "supplementary material to",
    "supplementary information for",
    "supporting information for",
    "supplement to",
    "supplement for",
    "online appendix to",
    "online appendix for",
];

/// What it ends with, or consists of before a colon or dash.
const AROUND: [&str; 7] = [
    "supplementary materials",
    "supplementary material",
    "supplementary information",
    "supporting information",
    "supplementary",
    "online appendix",
    "supplement",
];

/// How a supplement's file is named, folded.
const NAMED: [&str; 7] =
    ["supplementary material", "supplementary", "supplemental", "supplement", "suppl", "supp", "si"];

/// Fewer words or letters than these do not tell one work from another.
const TITLE_WORDS: usize = 3;
const TITLE_LETTERS: usize = 12;

/// What is compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Work {
    doi: Option<String>,
    arxiv: Option<String>,
    title: Option<String>,
    stem: Option<String>,
    surnames: String,
    kind: &'static str,
}

impl Work {
    pub(crate) fn of(document: &Document) -> Result<Self> {
        let given = document.doi.as_deref().map(doi);
        let of_arxiv = given.as_deref().and_then(|doi| doi.strip_prefix("10.48550/arxiv.")).map(arxiv);
        let arxiv = document.arxiv.as_deref().map(arxiv).or(of_arxiv).filter(|arxiv| !arxiv.is_empty());
        let doi = given.filter(|doi| doi.starts_with("10.") && !doi.starts_with("10.48550/arxiv."));
        let (title, marked) = document.title.as_deref().map_or((None, false), |title| {
            let (title, marked) = unmarked(&words(title));
            (Some(title).filter(|title| tells(title)), marked)
        });
        let (stem, named) = stem(&document.key);
        let published = doi.as_deref().is_some_and(|doi| !PREPRINTS.iter().any(|prefix| doi.starts_with(prefix)));
        let kind = match (marked || named, published) {
            (true, _) => "supplement",
            (false, true) => "published",
            (false, false) if arxiv.is_some() || doi.is_some() => "preprint",
            (false, false) => "unknown",
        };
        let surnames: Vec<String> = document.authors.iter().map(|name| surname(name)).collect();
        Ok(Self { doi, arxiv, title, stem, surnames: serde_json::to_string(&surnames)?, kind })
    }

    pub(crate) fn insert(&self, catalog: &Connection, document: i64) -> Result<()> {
        let sql = "INSERT INTO works (document, doi, arxiv, title, stem, surnames, kind) VALUES (?, ?, ?, ?, ?, ?, ?)";
        let Self { doi, arxiv, title, stem, surnames, kind } = self;
        catalog.prepare_cached(sql)?.execute(params![document, doi, arxiv, title, stem, surnames, kind])?;
        Ok(())
    }

    /// Whether the catalog has this for the document.
    pub(crate) fn is_stored(&self, catalog: &Connection, document: i64) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM works WHERE document = ? AND doi IS ? AND arxiv IS ? AND title IS ? \
             AND stem IS ? AND surnames = ? AND kind = ?)";
        let Self { doi, arxiv, title, stem, surnames, kind } = self;
        let values = params![document, doi, arxiv, title, stem, surnames, kind];
        Ok(catalog.prepare_cached(sql)?.query_row(values, |row| row.get(0))?)
    }
}

/// Fills the table from the documents' records: what the migration to format 2 does.
pub(crate) fn fill(catalog: &Connection) -> Result<()> {
    let mut statement = catalog.prepare("SELECT id, record FROM documents ORDER BY id")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let document: Document = serde_json::from_str(row.get_ref(1)?.as_str().unwrap_or_default())?;
        Work::of(&document)?.insert(catalog, row.get(0)?)?;
    }
    Ok(())
}

/// A DOI without resolver or label, lower case: DOIs are case-insensitive (<https://www.doi.org/doi-handbook/>, 2.4).
fn doi(given: &str) -> String {
    let lower = given.trim().to_lowercase();
    lower.find("10.").map_or(lower.clone(), |at| lower[at..].trim_end_matches(['.', ',', ';']).to_owned())
}

/// An arXiv identifier without label and version.
fn arxiv(given: &str) -> String {
    let lower = given.trim().to_lowercase();
    let bare = lower.rsplit_once(':').map_or(lower.as_str(), |(_, bare)| bare.trim());
    match bare.rsplit_once('v') {
        Some((id, version)) if !version.is_empty() && version.bytes().all(|b| b.is_ascii_digit()) => id.to_owned(),
        _ => bare.to_owned(),
    }
}

/// Letters and digits, folded, one space between words.
fn words(given: &str) -> String {
    let folded = text::fold(given);
    folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A title without what marks a supplement, and whether it was marked.
fn unmarked(title: &str) -> (String, bool) {
    let bare = BEFORE.iter().find_map(|mark| title.strip_prefix(mark)).or_else(|| {
        AROUND.iter().find_map(|mark| title.strip_suffix(mark)).or_else(|| {
            // "Supplementary Material: Title"; a title may begin with the bare word and be none.
            AROUND[..4].iter().find_map(|mark| title.strip_prefix(mark))
        })
    });
    match bare {
        Some(bare) if bare.is_empty() || bare.starts_with(' ') || bare.ends_with(' ') => (bare.trim().to_owned(), true),
        _ => (title.to_owned(), false),
    }
}

fn tells(title: &str) -> bool {
    let letters = title.chars().filter(|c| c.is_alphabetic()).count();
    title.split(' ').count() >= TITLE_WORDS && letters >= TITLE_LETTERS
}

/// The key without extension and mark, and whether it was marked.
fn stem(key: &str) -> (Option<String>, bool) {
    let (folder, file) = key.rsplit_once('/').map_or(("", key), |(folder, file)| (folder, file));
    let Some((name, _)) = file.rsplit_once('.').filter(|(name, _)| !name.is_empty()) else { return (None, false) };
    let name = words(name);
    let bare = NAMED.iter().find_map(|mark| name.strip_suffix(mark)?.strip_suffix(' '));
    (Some(format!("{folder}/{}", bare.unwrap_or(&name))), bare.is_some())
}

/// The folded surname: before the comma, or the last word.
fn surname(name: &str) -> String {
    let part = name.split_once(',').map_or_else(|| name.split_whitespace().last().unwrap_or(""), |(first, _)| first);
    words(part)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{Add, AddConfig, Status, Writer, select, verify};

    #[test]
    fn identifiers_and_titles_are_brought_to_one_form() {
        for (given, expected) in
            [("https://doi.org/10.1000/ABC.1", "10.1000/abc.1"), ("DOI: 10.1000/abc.1.", "10.1000/abc.1")]
        {
            assert_eq!(doi(given), expected);
        }
        for given in ["arXiv:2305.03393v2", "2305.03393", "2305.03393v11"] {
            assert_eq!(arxiv(given), "2305.03393");
        }
        for (given, expected, marked) in [
            ("Supplementary Material for: Slip of Tyres", "slip of tyres", true),
            ("Slip of Tyres (Supplementary Material)", "slip of tyres", true),
            ("Slip of Tyres — Supplement", "slip of tyres", true),
            ("Supplementary Material: Slip of Tyres", "slip of tyres", true),
            ("Supplementary motor area and gait", "supplementary motor area and gait", false),
            ("Slip of Tyres", "slip of tyres", false),
        ] {
            assert_eq!(unmarked(&words(given)), (expected.to_owned(), marked), "{given}");
        }
        assert_eq!(stem("l4dc/cobb21a-supp.pdf"), (Some("l4dc/cobb21a".into()), true));
        assert_eq!(stem("l4dc/cobb21a.pdf"), (Some("l4dc/cobb21a".into()), false));
        assert_eq!((surname("Ada B. Łęcki"), surname("van Dijk, Jan")), ("łęcki".into(), "van dijk".into()));
    }

    fn rows(folder: &tempfile::TempDir, sql: &str) -> Vec<Value> {
        let mut rows = Vec::new();
        let each = |row| {
            rows.push(Value::Object(row));
            std::ops::ControlFlow::Continue(())
        };
        select(folder.path(), sql, std::time::Duration::from_secs(60), each).unwrap();
        rows
    }

    /// Key, title, authors, DOI, arXiv identifier.
    type Given<'a> = (&'a str, &'a str, &'a [&'a str], Option<&'a str>, Option<&'a str>);

    /// Documents without chunks.
    fn library(documents: &[Given<'_>]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let config = AddConfig { full: 100, idle: 100, replace: false };
        let mut add = Add::new(Writer::open(folder.path(), "test").unwrap(), config);
        for (at, (key, title, authors, doi, arxiv)) in documents.iter().enumerate() {
            let document = Document {
                doc_id: format!("{at:016x}"),
                key: (*key).into(),
                title: Some((*title).into()),
                authors: authors.iter().map(|name| (*name).to_owned()).collect(),
                doi: doi.map(str::to_owned),
                arxiv: arxiv.map(str::to_owned),
                ..Document::default()
            };
            assert_eq!(add.document(document).unwrap(), []);
        }
        add.end().unwrap();
        folder
    }

    #[test]
    fn preprint_published_version_and_supplement_are_related_and_nothing_else_is() {
        let (ada, bob): (&[&str], &[&str]) = (&["Ada Lovelace", "B. Rolle"], &["Lovelace, A."]);
        let folder = library(&[
            ("pre.pdf", "Slip of a Tyre on Ice", ada, None, Some("2301.00001v1")),
            ("pub.pdf", "Slip of a tyre on ice", bob, Some("10.1000/slip.7"), None),
            ("pub-supp.pdf", "Supplementary Material: Slip of a Tyre on Ice", &[], None, None),
            ("pre2.pdf", "The Slip of Tyres", ada, Some("10.48550/arXiv.2301.00001"), None),
            ("other.pdf", "Slip of a Tyre on Ice", &["C. Other"], None, None),
            ("short.pdf", "Slip", ada, None, None),
            ("short2.pdf", "Slip", ada, None, None),
            ("data.pdf", "", &[], None, None),
            ("data_SI.pdf", "", &[], None, None),
        ]);
        let found = rows(
            &folder,
            "SELECT substr(doc_id, 16) || substr(other, 16) AS pair, relation, rule FROM related \
             ORDER BY pair",
        );
        let expected = [
            ("01", "preprint of", "title"),
            ("03", "version of", "arxiv"),
            ("10", "published from", "title"),
            ("12", "has supplement", "title"),
            ("02", "has supplement", "title"),
            ("20", "supplement of", "title"),
            ("21", "supplement of", "title"),
            ("24", "supplement of", "title"),
            ("30", "version of", "arxiv"),
            ("42", "has supplement", "title"),
            ("78", "has supplement", "name"),
            ("87", "supplement of", "name"),
        ];
        let mut expected: Vec<Value> = expected
            .iter()
            .map(|(pair, relation, by)| json!({"pair": pair, "relation": relation, "rule": by}))
            .collect();
        expected.sort_by_key(|row| row["pair"].to_string());
        assert_eq!(found, expected);
        let related = Status::read(folder.path()).unwrap().related;
        assert_eq!((related.preprints, related.versions, related.supplements), (1, 1, 4));
        assert_eq!(verify(folder.path()).unwrap().problems, []);
    }
}
