//! `techrag-answer assemble`: hits to sources, prompt and guardrail 2 (SPEC section 10).

mod context;
mod evidence;
mod outside;
mod prompt;
mod verifier;
mod verify;

pub use verifier::review;

use serde_json::json;
use techrag_core::record::{Query, TraceEntry};

/// How much evidence is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Most chunks a paper, of [`CHUNK`] characters each: where chunks are shorter, more of them, up to the same text.
    pub chunks: usize,
    /// Most evidence sentences a paper.
    pub sentences: usize,
    /// Most estimated tokens of the prompt; `None` for no limit.
    pub max_prompt_tokens: Option<u64>,
}

/// Characters of a chunk of full size (SPEC section 2). Short sections make short chunks; six of those would be a small
/// part of a paper that six full ones nearly cover.
pub const CHUNK: usize = 3500;

/// Writes `sources`, `verification`, `prompt` and one trace entry. Without hits the sources are empty and the prompt
/// says so: a writer then has to refuse.
pub fn run(query: &mut Query, config: Config) {
    let (sources, merged) = evidence::sources(query, config);
    let verification = verify::verify(&query.question, &sources);
    let prompt = prompt::prompt(query, &sources, &verification, config.max_prompt_tokens);
    let sentences: usize = sources.iter().map(|source| source.sentences.len()).sum();
    let passages: usize = sources.iter().map(|source| source.passages.len()).sum();
    let mut details = techrag_core::record::Extra::new();
    for (name, count) in [
        ("papers", sources.len()),
        ("passages", passages),
        ("sentences", sentences),
        ("duplicate_passages", merged.duplicates),
        ("passages_over_the_limit", merged.over_limit),
        ("duplicate_sentences", merged.duplicate_sentences),
        ("dropped_for_budget", prompt.dropped.len()),
    ] {
        details.insert(name.into(), json!(count));
    }
    if sentences > verify::COMPARED {
        details.insert("sentences_not_compared".into(), json!(sentences - verify::COMPARED));
    }
    details.insert("template".into(), json!(prompt.template));
    details.insert("template_sha256".into(), json!(prompt.template_sha256));
    query.trace.push(TraceEntry {
        stage: "assemble".into(),
        note: format!("{sentences} sentences of {passages} passages of {} papers", sources.len()),
        details,
        ..TraceEntry::default()
    });
    query.sources = Some(sources);
    query.verification = Some(verification);
    query.prompt = Some(prompt);
}

#[cfg(test)]
#[path = "../assemble_tests.rs"]
mod tests;
