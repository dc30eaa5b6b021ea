//! Who writes an answer: the extractive writer, one call of a model, or four agents (SPEC section 11).
//!
//! | mode | what happens |
//! |---|---|
//! | `extractive` | sentences of the sources are quoted ([`crate::extractive`]); no model |
//! | `single` | one grounded call writes sentences with the numbers of their sources |
//! | `multi` | planner, researcher, writer, critic; one revision at most ([`multi`]) |
//! | `auto` | without a model `extractive`; with one `single`, and `multi` for a question of high effort |
//!
//! What the catalog says (`sql`, a question that counts or lists) is the answer whatever the mode: rows of the library,
//! which no writer can better. Else the extractive writer goes first. Where it refuses, the sources do not hold the
//! answer, and no model is asked: what cannot be answered costs no token. Where a model fails, or no claim of its answer
//! can be verified ([`fallback`]), the extractive answer stands, and the record says so.
//!
//! **Architecture invariant:** a model writes sentences and numbers of sources; pages and quotations are looked up here
//! ([`ground`]), so no model can make up a place. What an agent gets to read is fenced ([`desk`]), and what it replies
//! is data.

mod desk;
mod fallback;
mod ground;
mod multi;
mod pictures;
mod read;
mod single;

use std::path::Path;

use serde_json::{Value, json};
use techrag_answer::catalog;
use techrag_core::record::{Answer, Effort, Extra, Query, TraceEntry};
use techrag_net::chat::{self, Chat};

use crate::extractive::{self, Cosines};
use desk::Desk;
pub use fallback::Fallback;

/// Who writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// As there is a model or not, and by effort.
    Auto,
    /// Four agents.
    Multi,
    /// One call.
    Single,
    /// No model.
    Extractive,
}

/// Most sentences of a model's answer unless the caller says otherwise.
pub const SENTENCES: usize = 6;

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config<'a> {
    /// Who writes.
    pub mode: Mode,
    /// The extractive writer's own settings.
    pub extractive: extractive::Config,
    /// What stands where no claim of a model's answer can be verified.
    pub fallback: Fallback,
    /// Most sentences of a model's answer.
    pub max_sentences: usize,
    /// Most estimated tokens of a prompt; `None` for no limit.
    pub max_prompt_tokens: Option<u64>,
    /// Page images that a writer sees, and the library they lie in; `None` for a model that reads text alone.
    pub images: Option<(usize, &'a Path)>,
    /// A model was asked for by name: without it the run ends.
    pub model_needed: bool,
}

/// A model's answer and what the record keeps of its making.
struct Written {
    answer: Answer,
    note: String,
}

/// Writes `answer`, with a model `draft` (and `outline`, `evidence_map`, `critique` with four agents) and `usage`, and
/// one trace entry. A record without `sources` passes with a note.
///
/// # Errors
/// If the run cannot go on: the model asked for by name is unreachable, or a replay lacks its recording.
pub fn run(
    query: &mut Query,
    config: Config<'_>,
    chat: Option<&Chat>,
    cosines: Option<&Cosines<'_>>,
) -> Result<(), chat::Error> {
    if of_catalog(query) {
        return Ok(());
    }
    extractive::run(query, config.extractive, cosines);
    let Some((chat, mode)) = writer(query, config.mode, chat) else { return Ok(()) };
    let (Some(extract), Some(mut entry)) = (query.answer.take(), query.trace.pop()) else { return Ok(()) };
    if extract.abstained {
        entry.note.push_str("; no model was asked");
        query.answer = Some(extract);
        query.trace.push(entry);
        return Ok(());
    }
    let mut desk = Desk::new(chat, query, config);
    let result = match mode {
        Mode::Multi => multi::write(&mut desk, query),
        _ => single::write(&mut desk, query),
    };
    query.usage.append(&mut desk.usage);
    let mut aside = None;
    let (answer, note) = match result {
        Ok(written) => {
            let sources = query.sources.as_deref().unwrap_or_default();
            let answer = grounded(written.answer, &extract);
            let (answer, put) = fallback::chosen(answer, &extract, sources, config.fallback);
            let why = put.as_ref().map_or(String::new(), |aside| format!("; {}; {}", aside.why, entry.note));
            aside = put.map(|aside| aside.kept);
            (answer, format!("{}; {}{why}", name(mode), written.note))
        }
        Err(error) if must_end(&error, config) => return Err(error),
        Err(error) => {
            (instead(extract, &error), format!("{}: no answer of the model ({error}); {}", name(mode), entry.note))
        }
    };
    query.answer = Some(answer);
    query.trace.push(TraceEntry { note, details: desk.details(entry.details, aside), ..entry });
    Ok(())
}

/// Writes the catalog's answer where the record has one, and its trace entry. False where it has none.
fn of_catalog(query: &mut Query) -> bool {
    let Some((answer, sql)) = query.sql.as_deref().and_then(|sql| Some((catalog::answer(sql)?, sql))) else {
        return false;
    };
    let mut details = Extra::new();
    details.insert("template".into(), json!(sql.template));
    details.insert("rows".into(), json!(sql.rows.len()));
    details.insert("documents".into(), json!(sql.documents.len()));
    let note = format!("the answer is the catalog's: {}; no writer and no model was asked", sql.template);
    query.trace.push(TraceEntry { stage: "generate".into(), note, details, ..TraceEntry::default() });
    query.answer = Some(answer);
    true
}

/// The extractive answer where the model gave none. A dry run asked for none.
fn instead(extract: Answer, error: &chat::Error) -> Answer {
    let fallback = (error.kind() != chat::Kind::DryRun)
        .then(|| format!("the model gave no answer ({error}); quotations of the sources stand instead"));
    Answer { fallback, ..extract }
}

/// The model and the mode, where a model is to write.
fn writer<'a>(query: &Query, mode: Mode, chat: Option<&'a Chat>) -> Option<(&'a Chat, Mode)> {
    let chat = chat?;
    let high = query.route.as_ref().is_some_and(|route| route.effort == Effort::High);
    match mode {
        Mode::Extractive => None,
        Mode::Auto => Some((chat, if high { Mode::Multi } else { Mode::Single })),
        mode => Some((chat, mode)),
    }
}

fn name(mode: Mode) -> &'static str {
    match mode {
        Mode::Auto => "auto",
        Mode::Multi => "multi",
        Mode::Single => "single",
        Mode::Extractive => "extractive",
    }
}

/// What the extractive writer knows of the evidence holds for a model's answer too.
fn grounded(answer: Answer, extract: &Answer) -> Answer {
    let missing = answer.missing.clone().or_else(|| extract.missing.clone());
    Answer { support: extract.support, missing, ..answer }
}

/// Whether a failure ends the run.
pub(crate) fn must_end(error: &chat::Error, config: Config<'_>) -> bool {
    let absent = error.is_unreachable() || error.kind() == chat::Kind::Offline;
    if absent { config.model_needed } else { error.is_fatal() }
}

impl Desk<'_> {
    /// The details of the trace: those of the extractive writer, which decided that there is an answer, and ours; the
    /// model's answer where it was put aside.
    fn details(&self, extract: Extra, aside: Option<Value>) -> Extra {
        let mut details = Extra::new();
        details.insert("prompts".into(), json!(self.prompts));
        if !self.notes.is_empty() {
            details.insert("notes".into(), json!(self.notes));
        }
        if let Some(aside) = aside {
            details.insert("put_aside".into(), aside);
        }
        details.insert("extractive".into(), json!(extract));
        details
    }
}

#[cfg(test)]
#[path = "../generate_tests.rs"]
mod tests;
