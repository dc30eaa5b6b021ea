//! The cited works as BibTeX, CSL-JSON or RIS, each work once however often it is cited; of an answer of the catalog, the
//! documents that its rows name or count.
//!
//! BibTeX is written by the `biblatex` crate, which knows what must be escaped and what parts a name has. CSL-JSON is
//! plain JSON; RIS is lines of two letters and a value, for which no kept library writes. Where a work appeared is not
//! known from a PDF: entries are `@misc`, `document` and `GEN`, and a reference manager fills them in by the DOI.

use biblatex::{Bibliography, Chunk, Entry, EntryType, Person, Spanned};
use serde_json::{Map, Value, json};
use techrag_core::record::{CatalogDocument, Query};
use techrag_core::{clean, text};

use super::view::{Shown, View};

/// How references are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// BibTeX entries.
    Bibtex,
    /// A CSL-JSON array.
    Csl,
    /// RIS records.
    Ris,
}

/// The works cited so far, in the order of their first citation.
#[derive(Debug, Default)]
pub(super) struct Works(Vec<Work>);

#[derive(Debug)]
struct Work {
    key: String,
    source: Shown,
}

impl Works {
    /// Adds what the answer of a record cites, or the documents behind an answer of the catalog; an answer that is not
    /// shown cites nothing.
    pub(super) fn add(&mut self, query: &Query) {
        let view = View::of(query);
        let listed = view.told.and(view.catalog).map_or(Vec::new(), |catalog| catalog.documents);
        for source in view.sources.into_iter().chain(listed.into_iter().map(listed_work)) {
            if self.0.iter().all(|work| !is_same(&work.source, &source)) {
                let key = self.free_key(&source);
                self.0.push(Work { key, source });
            }
        }
    }

    /// All works. A work without a title goes by its file's name.
    pub(super) fn write(&self, style: Style) -> String {
        match style {
            Style::Bibtex => self.bibtex(),
            Style::Csl => Value::Array(self.0.iter().map(csl).collect()).to_string(),
            Style::Ris => self.0.iter().map(ris).collect::<Vec<_>>().join("\n\n"),
        }
    }

    fn bibtex(&self) -> String {
        let mut all = Bibliography::new();
        for work in &self.0 {
            all.insert(bibtex(work));
        }
        all.to_bibtex_string().trim_end().to_owned()
    }

    /// `klein2021friction`: family name, year, first telling word of the title; a letter more where that is taken.
    fn free_key(&self, source: &Shown) -> String {
        let ascii = |text: &str| text::fold(text).chars().filter(char::is_ascii_alphanumeric).collect::<String>();
        let author = source.authors.first().map_or(String::new(), |author| ascii(&person(author).name));
        let year = source.year.map_or(String::new(), |year| year.to_string());
        let telling = |word: &&str| word.chars().count() > 3;
        let word = source.title.split_whitespace().find(telling).map_or(String::new(), ascii);
        let stem = match format!("{author}{year}{word}") {
            empty if empty.is_empty() => "work".to_owned(),
            stem => stem,
        };
        let taken = |key: &String| self.0.iter().any(|work| work.key == *key);
        let letters = std::iter::once(String::new()).chain((b'a'..=b'z').map(|letter| char::from(letter).to_string()));
        let numbers = (2..).map(|n: usize| format!("-{n}"));
        letters.chain(numbers).map(|end| format!("{stem}{end}")).find(|key| !taken(key)).unwrap_or(stem)
    }
}

/// A document of the catalog as a work, whose title is its file's name where it has none.
fn listed_work(document: CatalogDocument) -> Shown {
    Shown {
        n: 0,
        title: clean::title(document.title.as_deref().unwrap_or(&document.key)),
        authors: document.authors,
        year: document.year,
        doi: document.doi,
        key: document.key,
        pages: Vec::new(),
        places: Vec::new(),
    }
}

fn is_same(a: &Shown, b: &Shown) -> bool {
    a.key == b.key || (a.doi.is_some() && a.doi == b.doi && a.title == b.title)
}

/// The parts of a name as BibTeX reads it.
fn person(name: &str) -> Person {
    Person::parse(&[Spanned::detached(Chunk::Normal(name.to_owned()))])
}

fn bibtex(work: &Work) -> Entry {
    let mut entry = Entry::new(work.key.clone(), EntryType::Misc);
    // Verbatim: a style may not lower the capitals of a name or an acronym.
    entry.set("title", vec![Spanned::detached(Chunk::Verbatim(work.source.title.clone()))]);
    let authors: Vec<Person> = work.source.authors.iter().map(|author| person(author)).collect();
    if !authors.is_empty() {
        entry.set_author(authors);
    }
    if let Some(year) = work.source.year {
        entry.set_as("year", &i64::from(year));
    }
    let plain = |text: &str| vec![Spanned::detached(Chunk::Normal(text.to_owned()))];
    if let Some(doi) = &work.source.doi {
        entry.set("doi", plain(doi));
    }
    entry.set("file", plain(&work.source.key));
    entry
}

fn csl(work: &Work) -> Value {
    let mut item = Map::new();
    item.insert("id".into(), json!(work.key));
    item.insert("type".into(), json!("document"));
    item.insert("title".into(), json!(work.source.title));
    let authors: Vec<Value> = work.source.authors.iter().map(|author| csl_name(&person(author))).collect();
    if !authors.is_empty() {
        item.insert("author".into(), Value::Array(authors));
    }
    if let Some(year) = work.source.year {
        item.insert("issued".into(), json!({ "date-parts": [[year]] }));
    }
    if let Some(doi) = &work.source.doi {
        item.insert("DOI".into(), json!(doi));
    }
    item.insert("note".into(), json!(work.source.key));
    Value::Object(item)
}

fn csl_name(person: &Person) -> Value {
    let parts = [
        ("family", &person.name),
        ("given", &person.given_name),
        ("non-dropping-particle", &person.prefix),
        ("suffix", &person.suffix),
    ];
    parts.into_iter().filter(|(_, part)| !part.is_empty()).map(|(name, part)| (name.to_owned(), json!(part))).collect()
}

fn ris(work: &Work) -> String {
    let mut lines = vec!["TY  - GEN".to_owned(), format!("ID  - {}", work.key), format!("TI  - {}", work.source.title)];
    for author in &work.source.authors {
        let person = person(author);
        let family = [person.prefix.as_str(), &person.name].join(" ");
        let given = if person.given_name.is_empty() { String::new() } else { format!(", {}", person.given_name) };
        lines.push(format!("AU  - {}{given}", family.trim()));
    }
    lines.extend(work.source.year.map(|year| format!("PY  - {year}")));
    lines.extend(work.source.doi.as_ref().map(|doi| format!("DO  - {doi}")));
    lines.push(format!("L1  - {}", work.source.key));
    lines.push("ER  - ".to_owned());
    lines.join("\n")
}

#[cfg(test)]
#[path = "../bibliography_tests.rs"]
mod tests;
