//! What is shown of a record, cleaned, before any format is chosen.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;
use techrag_core::record::{CatalogAnswer, CheckResult, Medal, NOT_FOUND, Query, TraceEntry, UsageEntry};

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
    pub(super) medal: Medal,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) confidence: Option<f64>,
    pub(super) verified: u32,
    pub(super) claims: u32,
    /// Claims that are not verified, in words.
    pub(super) doubts: Vec<String>,
    pub(super) citations: Vec<Cited>,
    pub(super) sources: Vec<Shown>,
    /// What the catalog says: how it was asked, then its rows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) catalog: Vec<String>,
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

/// Most rows of the catalog that are shown.
const MOST_ROWS: usize = 20;

/// How the catalog was asked, then its rows, cleaned.
fn catalog(answer: &CatalogAnswer) -> Vec<String> {
    let row = |row: &Vec<Value>| {
        let cells = answer.columns.iter().zip(row).filter(|(column, value)| !value.is_null() && *column != "doc_id");
        let cell = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        cells.map(|(column, value)| format!("{column} {}", cell(value))).collect::<Vec<_>>().join(", ")
    };
    let left = answer.rows.len().saturating_sub(MOST_ROWS);
    let left = match (left, answer.truncated && answer.rows.len() > 1) {
        (0, false) => None,
        (0, true) => Some("and more".to_owned()),
        (left, false) => Some(format!("and {left} more")),
        (left, true) => Some(format!("and more than {left} more")),
    };
    let lines = std::iter::once(answer.meaning.clone()).chain(answer.rows.iter().take(MOST_ROWS).map(row)).chain(left);
    lines.map(|line| clean::line(&line)).collect()
}

impl View {
    pub(super) fn of(query: &Query) -> Self {
        let mut view = Self {
            question: clean::line(&query.question),
            answer: NOT_FOUND.to_owned(),
            abstained: true,
            missing: None,
            medal: Medal::None,
            confidence: None,
            verified: query.checks.as_ref().map_or(0, |checks| checks.verified),
            claims: query.checks.as_ref().map_or(0, |checks| checks.total),
            doubts: Vec::new(),
            citations: Vec::new(),
            sources: Vec::new(),
            catalog: query.sql.as_deref().map(catalog).unwrap_or_default(),
            steps: query.trace.iter().map(step).collect(),
            usage: query.usage.clone(),
            findings: findings(query),
            notes: notes(query),
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
        self.medal = answer.medal.unwrap_or_default();
        self.confidence = answer.confidence;
        if answer.abstained {
            return;
        }
        // A record that was never checked is shown with its doubt; a checked one without a verified claim is not shown.
        if query.checks.is_some() && check::abstained(query) {
            self.missing = Some("an answer was written, but none of its claims could be verified".into());
            return;
        }
        self.abstained = false;
        self.answer = clean::block(&answer.text);
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

    /// The line under the answer.
    pub(super) fn summary(&self) -> String {
        match (self.claims, self.confidence) {
            (0, _) => self.verified_line(),
            (_, Some(confidence)) => {
                format!("confidence {confidence:.2} · {} · {}", self.medal_name(), self.verified_line())
            }
            (_, None) => format!("{} · {}", self.medal_name(), self.verified_line()),
        }
    }

    pub(super) fn medal_name(&self) -> &'static str {
        match self.medal {
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
