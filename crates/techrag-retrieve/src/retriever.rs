//! A query record in, the same with `hits` out.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::{Map, Value, json};
use techrag_core::record::{CatalogAnswer, Query, RouteName, Strategy, TraceEntry};
use techrag_core::token;
use techrag_index::{Condition, Reader, Selection, Stored};
use techrag_models::Terms;

use crate::boost;
use crate::catalog;
use crate::config::{Config, Mode, Rerank};
use crate::error::Result;
use crate::hits;
use crate::late;
use crate::mmr;
use crate::models::Models;
use crate::search::{self, Asked, Candidate};

/// Answers queries from one library. Shared by threads freely.
pub struct Retriever {
    root: PathBuf,
    view: RwLock<Arc<View>>,
    models: Models,
    config: Config,
}

/// The library at one instant, and what of it may be ranked.
struct View {
    reader: Reader,
    scope: Selection,
    /// Fields of the scope that no document has.
    unknown: Vec<String>,
}

impl View {
    fn open(root: &Path, config: &Config) -> Result<Arc<Self>> {
        let reader = Reader::open(root)?;
        let scope = reader.select(&config.scope)?;
        let unknown = reader.fields_of_nothing(&config.scope)?;
        Ok(Arc::new(Self { reader, scope, unknown }))
    }
}

/// What became of one query, for its trace.
#[derive(Default)]
struct Notes {
    said: Vec<String>,
    details: Map<String, Value>,
}

impl Retriever {
    /// A retriever over the library at `root`. No model is opened before a query needs it; the library is opened again
    /// when something was committed to it.
    ///
    /// # Errors
    /// If there is no library or it cannot be read.
    pub fn open(root: &Path, models: Models, config: Config) -> Result<Self> {
        let view = RwLock::new(View::open(root, &config)?);
        Ok(Self { root: root.to_owned(), view, models, config })
    }

    /// The library as it is now.
    fn view(&self) -> Result<Arc<View>> {
        let view = Arc::clone(&self.view.read().unwrap_or_else(PoisonError::into_inner));
        if view.reader.is_current()? {
            return Ok(view);
        }
        let mut slot = self.view.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been first.
        if !slot.reader.is_current()? {
            *slot = View::open(&self.root, &self.config)?;
        }
        Ok(Arc::clone(&slot))
    }

    /// Writes `hits` and a trace entry into the query, and `sql` where its strategies hold it and a template fits. A
    /// query whose routes have no text retrieval keeps its hits.
    ///
    /// # Errors
    /// If the library or a model fails.
    pub fn answer(&self, query: &mut Query) -> Result<()> {
        let mut notes = Notes::default();
        if wants_text(query) {
            let text = query.text_query().to_owned();
            query.hits = Some(self.hits(&query.question, &text, &mut notes)?);
        } else {
            notes.say("its routes have no text retrieval");
        }
        if query.route.as_ref().is_some_and(|route| route.strategies.contains(&Strategy::Sql)) {
            query.sql = self.catalog(&query.question, &mut notes)?.map(Box::new);
        }
        query.trace.push(self.entry("retrieve", notes));
        Ok(())
    }

    /// What the catalog says, of the documents in scope.
    fn catalog(&self, question: &str, notes: &mut Notes) -> Result<Option<CatalogAnswer>> {
        let view = self.view()?;
        let scope = (!self.config.scope.is_empty()).then(|| view.reader.documents_in(&view.scope));
        let answer = catalog::answer(&self.root, question, scope.as_ref())?;
        match &answer {
            Some(answer) => {
                let cut = if answer.truncated { ", cut" } else { "" };
                notes.say(&format!("the catalog asked: {} ({} rows{cut})", answer.template, answer.rows.len()));
            }
            None => notes.say("the catalog not asked: no template fits, so that passages have to answer"),
        }
        Ok(answer)
    }

    /// The second pass: writes the hits of `retry.query` into a retry that was asked for and not decided. Every other
    /// query stays as it is.
    ///
    /// # Errors
    /// If the library or a model fails.
    pub fn retry(&self, query: &mut Query) -> Result<()> {
        let Some(retry) = query.retry.as_mut().filter(|retry| retry.accepted.is_none()) else { return Ok(()) };
        let mut notes = Notes::default();
        retry.hits = Some(self.hits(&query.question, &retry.query, &mut notes)?);
        query.trace.push(self.entry("retrieve --retry", notes));
        Ok(())
    }

    fn entry(&self, stage: &str, notes: Notes) -> TraceEntry {
        TraceEntry {
            stage: stage.into(),
            version: self.config.version.clone(),
            note: notes.said.join("; "),
            details: notes.details,
            ..TraceEntry::default()
        }
    }

    fn hits(&self, question: &str, text: &str, notes: &mut Notes) -> Result<Vec<techrag_core::record::Hit>> {
        if token::tokens(text, token::Config::INDEX).is_empty() {
            // Its vector would be near something all the same.
            notes.say("0 hits: there is no word in it to search by");
            return Ok(Vec::new());
        }
        let (question, text) = (first_words(question), words_said(text, notes));
        let view = self.view()?;
        for field in &view.unknown {
            let known = Condition::known_fields().join(", ");
            notes.say(&format!("no document has a field {field:?}; every library has {known}"));
        }
        let config = self.effective(&view, notes);
        let (config, vector) = self.vector(&view, config, text, notes)?;
        let (config, terms) = self.terms(&view, config, text, notes)?;
        let asked = Asked { text, vector: vector.as_deref(), sparse: terms.as_ref() };
        let mut candidates = search::ranked(&view.reader, &config, asked, &view.scope)?;
        let found = candidates.len();
        candidates.truncate(config.candidates.max(config.k));
        let places: Vec<_> = candidates.iter().map(|candidate| candidate.place).collect();
        let stored = view.reader.stored_within(&places, &config.scope)?;
        let mut read: Vec<(Candidate, Stored, Option<f32>)> =
            candidates.into_iter().zip(stored).map(|(candidate, stored)| (candidate, stored, None)).collect();
        boosted(&config, question, &mut read);
        let mut alike = read.len();
        for again in [
            self.late(&view, &config, question, vector.as_deref(), &mut read, notes)?,
            self.rerank(&view, &config, question, vector.as_deref(), &mut read, notes)?,
        ] {
            alike = again.unwrap_or(alike);
        }
        finite(&mut read, notes);
        let read = apart(&view, &config, alike, read, notes)?;
        let hits = hits::hits(hits::spread(read, config.per_paper), config.k);
        notes.count(&config, found, hits.len());
        if let Some(breadth) = config.breadth.filter(|_| config.mode.asks_dense()) {
            let (graphs, segments) = (view.reader.graphs_named()?, view.reader.segment_count());
            notes.say(&format!(
                "vectors approximately, breadth {breadth}: {graphs} of {segments} segments have a graph"
            ));
        }
        Ok(hits)
    }

    /// The settings this library allows: one without vectors is searched by words.
    fn effective(&self, view: &View, notes: &mut Notes) -> Config {
        let mut config = self.config.clone();
        if view.reader.chunks() == 0 {
            return config;
        }
        if view.reader.encoder().is_none() && config.mode.asks_dense() {
            notes.say("the library holds no vectors, so words alone decide");
            config.mode = Mode::Bm25;
        }
        if view.reader.sparse().is_none() && config.asks_sparse() {
            notes.say("the library holds no learned sparse vectors, so they take no part");
            config.sparse = 0.0;
            config.mode = if config.mode == Mode::Sparse { Mode::Bm25 } else { config.mode };
        }
        config
    }

    /// The query's vector, where the mode needs one and there is something to ask. A text that has none (no word that a
    /// table knows) is searched by its words where words are asked too.
    fn vector(
        &self,
        view: &View,
        mut config: Config,
        text: &str,
        notes: &mut Notes,
    ) -> Result<(Config, Option<Vec<f32>>)> {
        let Some(encoder) = view.reader.encoder().filter(|_| config.mode.asks_dense()) else {
            return Ok((config, None));
        };
        match self.models.vector(text, encoder) {
            Ok(vector) => Ok((config, Some(vector))),
            Err(error) if error.is_about_a_text() && config.mode == Mode::Hybrid => {
                notes.say(&format!("words alone decide: {error}"));
                config.mode = Mode::Bm25;
                Ok((config, None))
            }
            Err(error) => Err(error),
        }
    }

    /// The query's learned sparse vector, where it is asked and there is something to ask.
    fn terms(&self, view: &View, mut config: Config, text: &str, notes: &mut Notes) -> Result<(Config, Option<Terms>)> {
        let Some(model) = view.reader.sparse().filter(|_| config.asks_sparse()) else { return Ok((config, None)) };
        match self.models.terms(text, model) {
            Ok(terms) => Ok((config, Some(terms))),
            Err(error) if error.is_about_a_text() && config.mode == Mode::Hybrid => {
                notes.say(&format!("learned sparse vectors take no part: {error}"));
                config.sparse = 0.0;
                Ok((config, None))
            }
            Err(error) => Err(error),
        }
    }

    /// Adds late interaction to the best and orders them anew; how many those are, where it did.
    fn late(
        &self,
        view: &View,
        config: &Config,
        question: &str,
        vector: Option<&[f32]>,
        read: &mut [(Candidate, Stored, Option<f32>)],
        notes: &mut Notes,
    ) -> Result<Option<usize>> {
        if config.late == 0.0 {
            return Ok(None);
        }
        let Some(encoder) = view.reader.encoder().filter(|_| config.mode.asks_dense()) else {
            notes.say("late interaction takes no part: vectors are not asked");
            return Ok(None);
        };
        let count = config.reranked.min(read.len());
        let best = &mut read[..count];
        let passages = passages(view, vector, best)?;
        let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
        let Some(near) = self.models.late(question, &passages, encoder)? else {
            notes.say(&format!("late interaction takes no part: {} has no token vectors", encoder.model));
            return Ok(None);
        };
        let scores: Vec<f64> = best.iter().map(|(candidate, ..)| candidate.score).collect();
        for (read, score) in best.iter_mut().zip(late::blended(&scores, &near, config.late)) {
            read.0.score = score;
        }
        by_score(best);
        Ok(Some(count))
    }

    /// Reads the best again and puts them first, by logit; the others keep their order behind them. How many it read,
    /// where it did.
    fn rerank(
        &self,
        view: &View,
        config: &Config,
        question: &str,
        vector: Option<&[f32]>,
        read: &mut [(Candidate, Stored, Option<f32>)],
        notes: &mut Notes,
    ) -> Result<Option<usize>> {
        let model = match &config.rerank {
            Rerank::Off => return Ok(None),
            Rerank::IfThere(model) if !self.models.has(model) => {
                notes.say(&format!("not reranked: {model} is not there"));
                return Ok(None);
            }
            Rerank::IfThere(model) | Rerank::By(model) => model,
        };
        let count = config.reranked.min(read.len());
        let (best, _) = read.split_at_mut(count);
        let passages = passages(view, vector, best)?;
        let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
        for (read, logit) in best.iter_mut().zip(self.models.logits(model, question, &passages)?) {
            read.0.score = f64::from(logit);
            read.2 = Some(logit);
        }
        by_score(best);
        notes.say(&format!("the best {count} reranked by {model}"));
        Ok(Some(count))
    }
}

/// Most different words of a question: longer ones are texts, which would be searched for a minute.
const MOST_WORDS: usize = 4096;

/// A text up to its first [`MOST_WORDS`] different words.
fn first_words(text: &str) -> &str {
    let mut seen = HashSet::new();
    let mut end = 0;
    for piece in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
        seen.insert(piece.trim_end_matches(|c: char| !c.is_alphanumeric()));
        // The empty piece, of a separator alone, is no word.
        if seen.len() > MOST_WORDS + usize::from(seen.contains("")) {
            return &text[..end];
        }
        end += piece.len();
    }
    text
}

/// The same, and said where something was left out.
fn words_said<'a>(text: &'a str, notes: &mut Notes) -> &'a str {
    let first = first_words(text);
    if first.len() < text.len() {
        notes.say(&format!("only its first {MOST_WORDS} different words are searched by"));
    }
    first
}

/// Leaves out what has no score in numbers, which a record cannot hold; the options of the tools do not lead there.
fn finite(read: &mut Vec<(Candidate, Stored, Option<f32>)>, notes: &mut Notes) {
    let before = read.len();
    let number = |value: Option<f64>| value.is_none_or(f64::is_finite);
    read.retain(|(candidate, _, logit)| {
        let channels = candidate.channels;
        let scores = [candidate.fused, channels.bm25, channels.sparse, channels.dense.map(f64::from)];
        candidate.score.is_finite() && scores.into_iter().all(number) && number(logit.map(f64::from))
    });
    if read.len() < before {
        notes.say(&format!("{} candidates left out: their scores are beyond what numbers hold", before - read.len()));
    }
}

/// Best first; ties by uid.
fn by_score(read: &mut [(Candidate, Stored, Option<f32>)]) {
    read.sort_by(|a, b| b.0.score.total_cmp(&a.0.score).then(a.0.uid.cmp(&b.0.uid)));
}

/// Orders by maximal marginal relevance, where it is asked for: of the candidates only the first `alike`, whose scores
/// are of one scale. The others stay behind them, as what was read again stands before what was not.
fn apart(
    view: &View,
    config: &Config,
    alike: usize,
    mut read: Vec<(Candidate, Stored, Option<f32>)>,
    notes: &mut Notes,
) -> Result<Vec<(Candidate, Stored, Option<f32>)>> {
    let Some(share) = config.relevance_share.filter(|_| !read.is_empty()) else { return Ok(read) };
    if view.reader.encoder().is_none() {
        notes.say("the library holds no vectors, so hits are not held apart by likeness");
        return Ok(read);
    }
    let behind = read.split_off(alike.min(read.len()));
    let vectors = read.iter().map(|(candidate, ..)| view.reader.vectors_of(candidate.place));
    let vectors: Vec<Vec<Vec<f32>>> = vectors.collect::<techrag_index::Result<_>>()?;
    let scores: Vec<f64> = read.iter().map(|(candidate, ..)| candidate.score).collect();
    let order = mmr::order(&scores, share, |a, b| mmr::likeness(&vectors[a], &vectors[b]));
    let mut read: Vec<Option<_>> = read.into_iter().map(Some).collect();
    Ok(order.into_iter().filter_map(|at| read[at].take()).chain(behind).collect())
}

/// Adds the boosts and orders anew.
fn boosted(config: &Config, question: &str, read: &mut [(Candidate, Stored, Option<f32>)]) {
    let (keywords, pairs) = (boost::keywords(question), boost::pairs(question));
    let of_keywords = if keywords.is_empty() { 0.0 } else { config.keyword_boost };
    let of_pairs = if pairs.is_empty() { 0.0 } else { config.phrase_boost };
    if of_keywords == 0.0 && of_pairs == 0.0 {
        return;
    }
    for (candidate, stored, _) in read.iter_mut() {
        if of_keywords != 0.0 {
            candidate.score += of_keywords * boost::share(&keywords, stored);
        }
        if of_pairs != 0.0 {
            candidate.score += of_pairs * boost::pairs_share(&pairs, stored);
        }
    }
    by_score(read);
}

fn passages(view: &View, vector: Option<&[f32]>, read: &[(Candidate, Stored, Option<f32>)]) -> Result<Vec<String>> {
    read.iter().map(|(candidate, stored, _)| passage(view, vector, candidate, stored)).collect()
}

/// What of a chunk the cross-encoder reads: from its best window on; from its beginning where no vector tells.
fn passage(view: &View, vector: Option<&[f32]>, candidate: &Candidate, stored: &Stored) -> Result<String> {
    let text = &stored.chunk.text;
    let start = match vector {
        Some(vector) => view.reader.best_window(vector, candidate.place)?.map_or(0, |window| window.start),
        None => 0,
    };
    Ok(text[text.floor_char_boundary(start)..].to_owned())
}

/// Text retrieval serves every route but the current world's (SPEC section 1); no route means content.
fn wants_text(query: &Query) -> bool {
    [RouteName::Content, RouteName::Bibliometric, RouteName::Trend].into_iter().any(|name| query.takes(name))
}

impl Notes {
    fn say(&mut self, what: &str) {
        self.said.push(what.to_owned());
    }

    fn count(&mut self, config: &Config, found: usize, hits: usize) {
        self.said.insert(0, format!("{hits} hits from {found} candidates by {}", config.mode.name()));
        self.details.insert("mode".into(), json!(config.mode.name()));
        if config.mode == Mode::Hybrid {
            self.details.insert("fusion".into(), json!(config.fusion.to_string()));
            if config.sparse != 0.0 {
                self.details.insert("sparse".into(), json!(config.sparse));
            }
        }
        self.details.insert("candidates".into(), json!(found));
        self.details.insert("k".into(), json!(config.k));
        if !config.scope.is_empty() {
            let scope: Vec<String> = config.scope.iter().map(Condition::to_string).collect();
            self.details.insert("scope".into(), json!(scope));
        }
    }
}

#[cfg(test)]
#[path = "retriever_tests.rs"]
mod tests;
