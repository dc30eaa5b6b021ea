//! Documents and chunks to entities, by rules: no model, no socket.
//!
//! Title, authors, year and references are the document's. Terms are mined:
//!
//! | step | rule |
//! |---|---|
//! | candidates | phrases of one to four words between stop words and punctuation that end in a noun; acronyms with their long forms; printed keywords |
//! | evidence | keyword, title, abstract, heading, priority sections, how often in the whole text, the vocabulary, a keyword of another paper |
//! | corpus | a term of one paper alone connects nothing and counts less; so does one of most papers |
//! | kind | the vocabulary by whole term, then by last word; a keyword or title phrase of no known kind is a topic |
//!
//! Weighing needs all papers, so nothing is given out before the input ends; of each paper only its candidates are kept.

mod acronym;
pub mod llm;
mod phrases;
mod priority;
mod relate;
mod vocabulary;
mod weigh;

use std::collections::{BTreeMap, HashMap};

use techrag_core::record::{Chunk, ChunkPlace, CitedWork, Document, Entities, EntityAuthor, PaperFacts, Role};

use crate::name::folded_name;
use phrases::Seen;
pub use vocabulary::{Error as VocabularyError, Vocabulary};
pub use weigh::Limits;

/// Version of the rules.
pub const RULES: &str = "rules/2";
/// Share of a phrase's mentions that lie within longer phrases, from which on it is a part of those.
const PART: f64 = 0.75;

/// How terms are extracted.
#[derive(Clone, Debug)]
pub struct Config {
    /// Words that tell what a term is.
    pub vocabulary: Vocabulary,
    /// Characters of priority sections that are read.
    pub priority: usize,
    /// Most terms of each kind.
    pub limits: Limits,
    /// Whether relations between terms are looked for.
    pub relations: bool,
    /// Whether proper names are topics: for collections that are no papers.
    pub names: bool,
    /// Tool and version.
    pub by: String,
}

/// Takes documents and chunks in the order of the stream, gives entities at its end.
pub struct Extractor {
    config: Config,
    /// Documents whose chunks are still coming.
    open: BTreeMap<String, (Document, Vec<Chunk>)>,
    mined: Vec<Mined>,
}

/// A paper with its candidates.
struct Mined {
    document: Document,
    chunks: Vec<ChunkPlace>,
    candidates: BTreeMap<String, Candidate>,
    priority: String,
}

/// A term that a paper may be about, and what speaks for it.
#[derive(Clone, Debug, Default)]
struct Candidate {
    name: String,
    also: Option<String>,
    count: u32,
    evidence: Evidence,
}

/// Where a candidate stands.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a set of places, each of which is there or not")]
struct Evidence {
    keyword: bool,
    title: bool,
    summary: bool,
    heading: bool,
    priority: bool,
    acronym: bool,
    name: bool,
}

impl Extractor {
    /// An extractor that has read nothing.
    pub fn new(config: Config) -> Self {
        Self { config, open: BTreeMap::new(), mined: Vec::new() }
    }

    /// A document comes; its chunks follow.
    pub fn document(&mut self, document: Document) {
        if document.chunks == 0 {
            self.mine(document, Vec::new());
        } else {
            self.open.insert(document.doc_id.clone(), (document, Vec::new()));
        }
    }

    /// A chunk comes. One of a document that was not announced says nothing of a paper and is left out.
    pub fn chunk(&mut self, chunk: Chunk) {
        let Some((document, chunks)) = self.open.get_mut(&chunk.doc_id) else { return };
        chunks.push(chunk);
        if chunks.len() == document.chunks as usize {
            let doc_id = document.doc_id.clone();
            if let Some((document, chunks)) = self.open.remove(&doc_id) {
                self.mine(document, chunks);
            }
        }
    }

    /// The entities of every paper, in the order of the documents. A paper whose chunks did not all come is taken with
    /// those that did.
    pub fn finish(self) -> Vec<Entities> {
        self.finish_with_text().into_iter().map(|(entities, _)| entities).collect()
    }

    /// The same with the text of each paper's priority sections, for a model to read.
    pub fn finish_with_text(mut self) -> Vec<(Entities, String)> {
        for (document, chunks) in std::mem::take(&mut self.open).into_values() {
            self.mine(document, chunks);
        }
        let corpus = weigh::Corpus::of(&self.mined);
        let by = format!("{}, {RULES}, {}", self.config.by, self.config.vocabulary.version);
        let made = |mined: &Mined| {
            let mut made = entities(mined, &corpus, &self.config, &by);
            if self.config.relations {
                made.relations = relate::relations(&made, &mined.priority);
            }
            (made, mined.priority.clone())
        };
        self.mined.iter().map(made).collect()
    }

    fn mine(&mut self, document: Document, chunks: Vec<Chunk>) {
        let candidates = candidates(&document, &chunks, &self.config);
        let place = |chunk: &Chunk| ChunkPlace {
            uid: chunk.uid.clone(),
            section: chunk.section.clone(),
            role: chunk.role,
            pages: chunk.pages,
        };
        let priority = priority::text(&chunks, self.config.priority);
        let chunks = chunks.iter().map(place).collect();
        self.mined.push(Mined { document, chunks, candidates, priority });
    }
}

fn candidates(document: &Document, chunks: &[Chunk], config: &Config) -> BTreeMap<String, Candidate> {
    let mut seen: HashMap<String, Seen> = HashMap::new();
    for chunk in chunks {
        for (id, found) in phrases::phrases(&chunk.text) {
            seen.entry(id).or_default().join(found);
        }
    }
    let mut found: BTreeMap<String, Candidate> = BTreeMap::new();
    for keyword in &document.keywords {
        mark(&mut found, &folded_name(keyword), keyword, |evidence| evidence.keyword = true);
    }
    let title = document.title.as_deref().unwrap_or_default();
    let summary = document.summary.clone().unwrap_or_else(|| {
        let abstracts = chunks.iter().filter(|chunk| chunk.role == Role::Abstract);
        abstracts.map(|chunk| chunk.text.as_str()).collect::<Vec<_>>().join("\n\n")
    });
    let headings: Vec<&str> = chunks.iter().map(|chunk| chunk.section.as_str()).collect();
    let priority = priority::text(chunks, config.priority);
    type Mark = fn(&mut Evidence);
    let places: [(&str, Mark); 4] = [
        (title, |evidence| evidence.title = true),
        (&summary, |evidence| evidence.summary = true),
        (&headings.join(".\n"), |evidence| evidence.heading = true),
        (&priority, |evidence| evidence.priority = true),
    ];
    for (text, place) in places {
        for (id, form) in phrases::phrases(text) {
            mark(&mut found, &id, form.form(), place);
        }
    }
    if config.names {
        let texts = chunks.iter().map(|chunk| chunk.text.as_str()).chain([title]);
        for (id, form) in texts.flat_map(phrases::names) {
            mark(&mut found, &id, form.form(), |evidence| evidence.name = true);
        }
    }
    explain(&mut found, &priority, chunks);
    // What stands once in the body alone is no candidate; what stands often may be.
    for (id, seen) in &seen {
        let known = config.vocabulary.term(id).is_some();
        if seen.count >= 3 || known {
            mark(&mut found, id, seen.form(), |_| {});
        }
    }
    for (id, candidate) in &mut found {
        candidate.count = seen.get(id).map_or(0, |seen| seen.count);
    }
    let longer = phrases::longer(&seen);
    found.retain(|id, candidate| {
        let evidence = candidate.evidence;
        let named = evidence.keyword || evidence.acronym || evidence.name || config.vocabulary.term(id).is_some();
        // A part of a longer term that hardly stands alone is no term.
        let part = longer.get(id).is_some_and(|longer| f64::from(*longer) >= PART * f64::from(candidate.count));
        !config.vocabulary.leaves_out(id)
            && (named || phrases::is_term(id, config.vocabulary.kind(id).is_some()) && !part)
    });
    for (id, candidate) in &mut found {
        if let Some(shown) = config.vocabulary.shown(id) {
            shown.clone_into(&mut candidate.name);
        }
    }
    found
}

fn mark(found: &mut BTreeMap<String, Candidate>, id: &str, name: &str, place: impl Fn(&mut Evidence)) {
    if id.is_empty() {
        return;
    }
    let candidate = found.entry(id.to_owned()).or_default();
    if candidate.name.is_empty() {
        name.clone_into(&mut candidate.name);
    }
    place(&mut candidate.evidence);
}

/// An explained acronym names its long form: the two become one candidate under the long form.
fn explain(found: &mut BTreeMap<String, Candidate>, priority: &str, chunks: &[Chunk]) {
    let whole: String = chunks.iter().map(|chunk| chunk.text.as_str()).collect::<Vec<_>>().join("\n");
    for acronym::Acronym { short, long } in acronym::acronyms(&whole) {
        let id = folded_name(&long);
        let early = priority.contains(&format!("({short}"));
        let of_short = found.remove(&folded_name(&short)).map(|short| short.evidence).unwrap_or_default();
        mark(found, &id, &long, |evidence| {
            evidence.acronym = true;
            evidence.priority |= early;
            evidence.keyword |= of_short.keyword;
            evidence.title |= of_short.title;
            evidence.summary |= of_short.summary;
            evidence.heading |= of_short.heading;
        });
        if let Some(candidate) = found.get_mut(&id) {
            candidate.also = Some(short);
        }
    }
}

fn entities(mined: &Mined, corpus: &weigh::Corpus, config: &Config, by: &str) -> Entities {
    let Mined { document, chunks, candidates, .. } = mined;
    let kinds = weigh::ranked(candidates, corpus, config);
    let author = |name: &String| EntityAuthor { name: name.clone(), ..EntityAuthor::default() };
    Entities {
        doc_id: document.doc_id.clone(),
        key: document.key.clone(),
        paper: PaperFacts {
            title: document.title.clone(),
            year: document.year,
            doi: document.doi.clone(),
            arxiv: document.arxiv.clone(),
            ..PaperFacts::default()
        },
        authors: document.authors.iter().map(author).collect(),
        authors_checked: "unchecked".into(),
        topics: kinds.topics,
        methods: kinds.methods,
        metrics: kinds.metrics,
        applications: kinds.applications,
        keywords: document.keywords.clone(),
        cited: cited(document),
        chunks: chunks.clone(),
        by: by.to_owned(),
        ..Entities::default()
    }
}

/// All parsed references that have a title.
fn cited(document: &Document) -> Vec<CitedWork> {
    let with_title = document.references.iter().filter_map(|reference| {
        let title = reference.title.as_ref().filter(|title| !title.trim().is_empty())?;
        Some(CitedWork {
            title: title.clone(),
            authors: reference.authors.clone(),
            year: reference.year,
            doi: reference.doi.clone(),
            label: reference.label.clone(),
        })
    });
    with_title.collect()
}

#[cfg(test)]
#[path = "../extract_tests.rs"]
mod tests;
