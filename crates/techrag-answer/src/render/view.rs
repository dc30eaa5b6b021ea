//! What is shown of a record, cleaned, before any format is chosen.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;
use techrag_core::record::{
    Answer, CatalogAnswer, CatalogDocument, CheckResult, Medal, NOT_FOUND, Query, TraceEntry, UsageEntry,
};

use crate::catalog::{self, Told};
use crate::{check, clean};

/// The cleaned content of an answer.
#[derive(Debug, Serialize)]
pub(super) struct View {
    pub(super) question: String,
    /// The text to show: the answer, or the refusal.
    pub(super) answer: String,
    pub(super) abstained: bool,
    /// Why it abstained, or what is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) missing: Option<String>,
    /// None for what the catalog says: it has no citations to judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) medal: Option<Medal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) confidence: Option<f64>,
    pub(super) verified: u32,
    pub(super) claims: u32,
    /// Claims that are not verified, in words.
    pub(super) doubts: Vec<String>,
    pub(super) citations: Vec<Cited>,
    pub(super) sources: Vec<Shown>,
    /// What the catalog says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) catalog: Option<Table>,
    /// Why quotations stand in place of a model's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fallback: Option<String>,
    /// Where the answer comes from: `sources`, or `catalog` for rows that cite nothing.
    pub(super) from: &'static str,
    /// The answer where it is the catalog's.
    #[serde(skip)]
    pub(super) told: Option<Told>,
    /// A titled list from the catalog.
    #[serde(skip)]
    pub(super) beside: Option<(&'static str, Vec<String>)>,
    /// The SELECT and its values.
    #[serde(skip)]
    pub(super) asked: Vec<String>,
    #[serde(skip)]
    pub(super) steps: Vec<TraceEntry>,
    #[serde(skip)]
    pub(super) usage: Vec<UsageEntry>,
    #[serde(skip)]
    pub(super) findings: Vec<String>,
    #[serde(skip)]
    pub(super) notes: Vec<String>,
}

/// A citation.
#[derive(Debug, Serialize)]
pub(super) struct Cited {
    pub(super) source: u32,
    pub(super) key: String,
    pub(super) uid: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) page: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<String>,
    pub(super) span: String,
}

/// A cited source.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    pub(super) n: u32,
    pub(super) title: String,
    pub(super) authors: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) year: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) doi: Option<String>,
    pub(super) key: String,
    pub(super) pages: Vec<u32>,
    /// Places in a source without printed pages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) places: Vec<String>,
}

/// What the catalog says, for programs.
#[derive(Debug, Serialize)]
pub(super) struct Table {
    pub(super) template: String,
    pub(super) meaning: String,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Vec<Value>>,
    pub(super) documents: Vec<CatalogDocument>,
    /// There are more rows, or more documents, than stand here.
    pub(super) truncated: bool,
}

impl Table {
    fn of(sql: &CatalogAnswer) -> Self {
        let document = |one: &CatalogDocument| CatalogDocument {
            doc_id: clean::line(&one.doc_id),
            key: clean::line(&one.key),
            title: one.title.as_deref().map(clean::line),
            authors: one.authors.iter().map(|author| clean::line(author)).collect(),
            year: one.year,
            doi: one.doi.as_deref().map(clean::line),
        };
        Self {
            template: clean::line(&sql.template),
            meaning: clean::line(&sql.meaning),
            columns: sql.columns.iter().map(|column| clean::line(column)).collect(),
            rows: sql.rows.iter().map(|row| row.iter().map(clean::value).collect()).collect(),
            documents: sql.documents.iter().map(document).collect(),
            truncated: sql.truncated,
        }
    }
}

/// How the catalog was asked, as an explanation says it.
fn asked(sql: &CatalogAnswer) -> Vec<String> {
    let values = sql.params.iter().map(catalog::cell).collect::<Vec<_>>().join(", ");
    let values = (!values.is_empty()).then(|| format!("its question marks: {values}"));
    std::iter::once(clean::line(&sql.select)).chain(values).collect()
}

/// What stands under an answer of the catalog, the documents that it counted; under another answer all that the catalog
/// says.
fn beside(query: &Query, shown: Option<&Told>) -> Option<(&'static str, Vec<String>)> {
    let titled = match (shown, query.sql.as_deref().and_then(catalog::told)) {
        (Some(told), _) => ("Documents counted", told.documents.clone()),
        (None, Some(told)) => ("Catalog", [vec![told.headline, told.read_as], told.rows, told.documents].concat()),
        (None, None) => return None,
    };
    (!titled.1.is_empty()).then_some(titled)
}

impl View {
    pub(super) fn of(query: &Query) -> Self {
        let told = catalog::shown(query);
        let answered = told.is_some();
        let mut view = Self {
            question: clean::line(&query.question),
            answer: NOT_FOUND.to_owned(),
            abstained: true,
            missing: None,
            medal: Some(Medal::None),
            confidence: None,
            verified: query.checks.as_ref().map_or(0, |checks| checks.verified),
            claims: query.checks.as_ref().map_or(0, |checks| checks.total),
            doubts: Vec::new(),
            citations: Vec::new(),
            sources: Vec::new(),
            catalog: query.sql.as_deref().map(Table::of),
            fallback: None,
            from: if told.is_some() { "catalog" } else { "sources" },
            beside: beside(query, told.as_ref()),
            told,
            asked: query.sql.as_deref().map(asked).unwrap_or_default(),
            steps: query.trace.iter().map(step).collect(),
            usage: query.usage.clone(),
            findings: findings(query),
            // Evidence that the answer does not rest on raises no doubts about it.
            notes: if answered { Vec::new() } else { notes(query) },
        };
        view.show_answer(query);
        view
    }

    fn show_answer(&mut self, query: &Query) {
        let Some(answer) = &query.answer else {
            self.missing = Some("no answer was written".into());
            return;
        };
        self.missing = answer.missing.as_deref().map(clean::line);
        self.medal = Some(answer.medal.unwrap_or_default());
        self.confidence = answer.confidence.filter(|confidence| confidence.is_finite());
        if answer.abstained {
            return;
        }
        if answer.catalog {
            self.show_catalog(answer);
            return;
        }
        // A record that was never checked is shown with its doubt; a checked one without a verified claim is not shown.
        if query.checks.is_some() && check::abstained(query) {
            self.missing = Some("an answer was written, but none of its claims could be verified".into());
            return;
        }
        self.abstained = false;
        self.answer = clean::block(&answer.text);
        self.fallback = answer.fallback.as_deref().map(clean::line);
        self.doubts = doubts(query);
        for citation in answer.sentences.iter().flat_map(|sentence| &sentence.citations) {
            self.citations.push(Cited {
                source: citation.source,
                key: clean::line(&citation.key),
                uid: clean::line(&citation.uid),
                page: citation.page,
                place: citation.place.as_deref().map(clean::line),
                span: clean::line(&citation.span),
            });
        }
        self.sources = sources(query, &self.citations);
    }

    /// What the catalog says is shown only where it is what the record's rows say.
    fn show_catalog(&mut self, answer: &Answer) {
        if self.told.is_none() {
            self.missing = Some("an answer of the catalog was written that is not what its rows say".into());
            return;
        }
        self.abstained = false;
        self.answer = clean::block(&answer.text);
        (self.medal, self.confidence) = (None, None);
    }

    /// The line under the answer.
    pub(super) fn summary(&self) -> String {
        if self.told.is_some() {
            return self.verified_line();
        }
        match (self.claims, self.confidence) {
            (0, _) => self.verified_line(),
            (_, Some(confidence)) => {
                format!("confidence {confidence:.2} · {} · {}", self.medal_name(), self.verified_line())
            }
            (_, None) => format!("{} · {}", self.medal_name(), self.verified_line()),
        }
    }

    pub(super) fn medal_name(&self) -> &'static str {
        match self.medal.unwrap_or_default() {
            Medal::None => "no medal",
            Medal::Bronze => "bronze",
            Medal::Silver => "silver",
            Medal::Gold => "gold",
        }
    }

    /// Confidence and checks, without the medal.
    pub(super) fn counts(&self) -> String {
        let confidence = self.confidence.map_or(String::new(), |confidence| format!("confidence {confidence:.2} · "));
        format!("{confidence}{}", self.verified_line())
    }

    fn verified_line(&self) -> String {
        match self.claims {
            _ if self.told.is_some() => "rows of the library's catalog, no quotations: nothing to verify".to_owned(),
            0 => "not checked".to_owned(),
            claims => format!("{} of {claims} citations verified", self.verified),
        }
    }
}

fn sources(query: &Query, citations: &[Cited]) -> Vec<Shown> {
    let all = query.sources.as_deref().unwrap_or_default().iter();
    let cited = all.filter(|source| citations.iter().any(|citation| citation.source == source.n));
    cited
        .map(|source| Shown {
            n: source.n,
            title: clean::title(&source.title),
            authors: source.authors.iter().map(|author| clean::line(author)).collect(),
            year: source.year,
            doi: source.doi.as_deref().map(clean::line),
            key: clean::line(&source.key),
            pages: citations
                .iter()
                .filter(|citation| citation.source == source.n)
                .filter_map(|citation| citation.page)
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            places: places(citations.iter().filter(|citation| citation.source == source.n)),
        })
        .collect()
}

/// The places of citations, each once, in the order of the answer.
fn places<'a>(citations: impl Iterator<Item = &'a Cited>) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    for place in citations.filter_map(|citation| citation.place.as_ref()) {
        if !places.contains(place) {
            places.push(place.clone());
        }
    }
    places
}

fn doubts(query: &Query) -> Vec<String> {
    let claims = query.checks.iter().flat_map(|checks| &checks.claims);
    let doubtful = claims.filter(|check| check.result != CheckResult::Verified);
    doubtful.map(|check| clean::line(&format!("sentence {}: {}", check.sentence + 1, check.detail))).collect()
}

fn findings(query: &Query) -> Vec<String> {
    let claims = query.checks.iter().flat_map(|checks| &checks.claims);
    claims
        .map(|check| {
            let result = match check.result {
                CheckResult::Verified => "verified",
                CheckResult::Partial => "partial",
                CheckResult::NotFound => "not found",
                CheckResult::WrongPage => "wrong page",
            };
            let page = check.page.map_or(String::new(), |page| format!(", page {page}"));
            clean::line(&format!(
                "sentence {}, source {}{page}: {result}, {}",
                check.sentence + 1,
                check.source,
                check.detail
            ))
        })
        .collect()
}

fn notes(query: &Query) -> Vec<String> {
    let Some(verification) = &query.verification else { return Vec::new() };
    let mut notes: Vec<String> =
        verification.off_topic.iter().map(|n| format!("source {n} seems beside the topic")).collect();
    if !verification.gaps.is_empty() {
        notes.push(clean::line(&format!("no source mentions: {}", verification.gaps.join(", "))));
    }
    notes.extend(verification.contradictions.iter().map(|pair| clean::line(pair)));
    notes
}

fn step(entry: &TraceEntry) -> TraceEntry {
    TraceEntry {
        stage: clean::line(&entry.stage),
        version: clean::line(&entry.version),
        note: clean::line(&entry.note),
        details: entry.details.iter().map(|(name, value)| (clean::line(name), clean::value(value))).collect(),
        ms: entry.ms,
        extra: Default::default(),
    }
}
