//! What the template of one answer is filled with.

use std::collections::HashMap;

use serde::Serialize;
use techrag_core::clean;
use techrag_core::record::{Evidence, Query, Retry, Verdict};

use super::answer::{self, Cite, Piece};
use super::gallery::{self, Images};
use super::{blocks, catalog, passages};
use crate::render::view::View;

/// One answer.
#[derive(Debug, Serialize)]
pub(super) struct Article {
    id: String,
    question: String,
    abstained: bool,
    answer: Vec<Vec<Piece>>,
    missing: Option<String>,
    fallback: Option<String>,
    /// Whether the answer is the catalog's.
    told: bool,
    catalog: Option<catalog::Shown>,
    medal: &'static str,
    summary: String,
    doubts: Vec<String>,
    quotes: Vec<Quote>,
    sources: Vec<passages::Shown>,
    evidence: Option<Score>,
    retry: Option<String>,
    blocks: Vec<blocks::Block>,
    gallery: Vec<gallery::Shown>,
    steps: Vec<Step>,
    usage: Vec<Call>,
    prompt: Option<Prompt>,
}

#[derive(Debug, Serialize)]
struct Quote {
    label: &'static str,
    source: u32,
    title: String,
    place: String,
    span: String,
    result: &'static str,
    verdict: &'static str,
    detail: String,
    passage: Option<String>,
    /// Number of the first quotation of the marker it is quoted for.
    marker: Option<usize>,
}

#[derive(Debug, Serialize)]
struct Score {
    score: String,
    verdict: &'static str,
    parts: Vec<Part>,
    damping: String,
    reviewer: String,
    missing: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Part {
    name: String,
    points: String,
    max: f64,
    why: String,
}

#[derive(Debug, Serialize)]
struct Step {
    stage: String,
    ms: String,
    note: String,
}

#[derive(Debug, Serialize)]
struct Call {
    agent: String,
    model: String,
    prompt_tokens: u64,
    completion_tokens: u64,
    usd: String,
}

#[derive(Debug, Serialize)]
struct Prompt {
    system: String,
    user: String,
    template: String,
    tokens: u64,
    dropped: Vec<String>,
}

impl Article {
    pub(super) fn of(query: &Query, number: usize, images: &Images<'_>) -> Self {
        let view = View::of(query);
        let cites = match &query.answer {
            Some(written) if !view.abstained && view.told.is_none() => answer::cites(written, query.checks.as_ref()),
            _ => Vec::new(),
        };
        let steps = view.steps.iter().map(|step| Step {
            stage: step.stage.clone(),
            ms: step.ms.map_or(String::new(), |ms| format!("{ms:.1}")),
            note: step.note.clone(),
        });
        // The rows of the catalog's answer are a table of their own.
        let words = view.told.as_ref().map(|told| format!("{}\n{}", told.headline, told.read_as));
        let told = view.told.is_some();
        let answer = answer::paragraphs(words.as_deref().unwrap_or(&view.answer), &cites);
        Self {
            id: format!("q{number}"),
            quotes: quotes(query, &cites, &answer),
            answer,
            told,
            catalog: query.sql.as_deref().and_then(|sql| catalog::shown(sql, &view)),
            medal: view.medal_name(),
            summary: view.counts(),
            // What the catalog answers rests on no passage, and no writer was asked.
            sources: if told { Vec::new() } else { passages::sources(query) },
            evidence: query.evidence.as_ref().filter(|_| !told).map(score),
            retry: query.retry.as_deref().map(retry),
            blocks: blocks::blocks(query, &view),
            gallery: if told { Vec::new() } else { gallery::pages(query, images) },
            steps: steps.collect(),
            usage: query.usage.iter().map(call).collect(),
            prompt: query.prompt.as_ref().filter(|_| !told).map(|prompt| Prompt {
                system: clean::block(&prompt.system),
                user: clean::block(&prompt.user),
                template: clean::line(&prompt.template),
                tokens: prompt.tokens,
                dropped: prompt.dropped.iter().map(|line| clean::line(line)).collect(),
            }),
            question: view.question,
            abstained: view.abstained,
            missing: view.missing,
            fallback: view.fallback,
            doubts: view.doubts,
        }
    }
}

fn quotes(query: &Query, cites: &[Cite<'_>], answer: &[Vec<Piece>]) -> Vec<Quote> {
    let markers: HashMap<usize, usize> = answer
        .iter()
        .flatten()
        .filter(|piece| piece.anchor)
        .flat_map(|piece| piece.cites.iter().map(|cite| (*cite, piece.cites[0])))
        .collect();
    let sources = query.sources.as_deref().unwrap_or_default();
    let citations = query.answer.iter().flat_map(|answer| &answer.sentences).flat_map(|sentence| &sentence.citations);
    let quote = |(at, (citation, cite)): (usize, (&techrag_core::record::Citation, &Cite<'_>))| {
        let source = sources.iter().find(|source| source.n == citation.source);
        let passage = source.and_then(|source| source.passages.iter().position(|p| p.uid == citation.uid));
        Quote {
            label: "Source",
            source: citation.source,
            title: source.map_or(String::new(), |source| clean::title(&source.title)),
            place: match (&citation.place, citation.page) {
                (Some(place), _) => clean::line(place),
                (None, Some(page)) => format!("page {page}"),
                (None, None) => String::new(),
            },
            span: clean::line(&citation.span),
            result: cite.class(),
            verdict: match cite.class() {
                "verified" => "verified",
                "partial" => "held in part",
                "wrong_page" => "wrong page",
                "not_found" => "not found",
                _ => "not checked",
            },
            detail: match cite.class() {
                "verified" => String::new(),
                _ => cite.check.map_or(String::new(), |check| clean::line(&check.detail)),
            },
            passage: passage.map(|at| passages::id(citation.source, at)),
            marker: markers.get(&(at + 1)).copied(),
        }
    };
    citations.zip(cites).enumerate().map(quote).collect()
}

fn score(evidence: &Evidence) -> Score {
    let verdict = match evidence.verdict {
        Verdict::Weak => "weak",
        Verdict::Moderate => "moderate",
        Verdict::Strong => "strong",
    };
    let part = |part: &techrag_core::record::EvidencePart| Part {
        name: clean::line(&part.name),
        points: format!("{:.1}", part.points),
        max: part.max,
        why: clean::line(&part.why),
    };
    Score {
        score: format!("{:.1}", evidence.score),
        verdict,
        parts: evidence.parts.iter().map(part).collect(),
        damping: format!("{:.2}", evidence.damping),
        reviewer: clean::line(&evidence.reviewer),
        missing: evidence.missing.iter().map(|word| clean::line(word)).collect(),
    }
}

fn retry(retry: &Retry) -> String {
    let decided = match retry.accepted {
        None => "not decided",
        Some(true) => "accepted",
        Some(false) => "not accepted",
    };
    let reason = retry.reason.as_deref().map_or(String::new(), |reason| format!(": {reason}"));
    clean::line(&format!("A second look for “{}” was {decided}{reason}.", retry.query))
}

fn call(call: &techrag_core::record::UsageEntry) -> Call {
    Call {
        agent: clean::line(&format!("{} {}", call.stage, call.agent)),
        model: clean::line(&call.model),
        prompt_tokens: call.prompt_tokens,
        completion_tokens: call.completion_tokens,
        usd: call.usd.map_or("–".to_owned(), |usd| format!("{usd:.4}")),
    }
}
