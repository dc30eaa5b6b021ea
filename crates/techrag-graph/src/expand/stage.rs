//! The stage: a query with hits in, the same with what the graph adds out.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::{Map, Value, json};
use techrag_core::id;
use techrag_core::record::{Effort, Expansion, Graph, Hit, Origin, Query, RouteName, TraceEntry};
use techrag_index::{Condition, Place, Reader, Selection};
use thiserror::Error;

use super::weigh::{Judge, Models, judge};
use super::{Near, chunks, nearest};
use crate::model::Label;
use crate::store::{self, Store, Supply};

/// What ends the run; a store that fails does not, see [`Outcome`].
#[derive(Debug, Error)]
pub enum Error {
    /// The library.
    #[error(transparent)]
    Library(#[from] techrag_index::Error),
    /// A model.
    #[error(transparent)]
    Model(#[from] techrag_models::Error),
    /// The store, in another way than that a service failed.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// Result of the stage.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// What expansion does.
#[derive(Clone, Debug)]
pub struct Config {
    /// Whether chunks of the near papers are weighed and may join the hits; without, near papers are only named.
    pub bring: bool,
    /// Hits whose papers are started from.
    pub seeds: usize,
    /// Near papers whose chunks are weighed.
    pub papers: usize,
    /// Chunks of each.
    pub chunks: usize,
    /// Most chunks that become hits.
    pub most: usize,
    /// How chunks are judged.
    pub judge: Judge,
    /// Conditions a chunk must meet.
    pub scope: Vec<Condition>,
}

/// Whether the store did its part. Either way the query is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It did, or was not needed.
    Served,
    /// A service that was asked for failed; the query says so.
    Degraded,
}

/// The library as it is now, opened again when something is committed to it.
pub struct Library {
    root: PathBuf,
    scope: Vec<Condition>,
    view: RwLock<Arc<View>>,
}

/// The library at one instant, and what of it is in scope.
pub(crate) struct View {
    pub(crate) reader: Reader,
    pub(crate) selection: Selection,
    /// Documents in scope; `None` where everything is.
    pub(crate) documents: Option<BTreeSet<String>>,
}

impl View {
    fn open(root: &Path, scope: &[Condition]) -> Result<Arc<Self>> {
        let reader = Reader::open(root)?;
        let selection = reader.select(scope)?;
        let documents = (!scope.is_empty()).then(|| reader.documents_in(&selection));
        Ok(Arc::new(Self { reader, selection, documents }))
    }
}

impl Library {
    /// Opens the library at `root`.
    ///
    /// # Errors
    /// If there is none or it cannot be read.
    pub fn open(root: &Path, scope: Vec<Condition>) -> Result<Self> {
        let view = RwLock::new(View::open(root, &scope)?);
        Ok(Self { root: root.to_owned(), scope, view })
    }

    pub(crate) fn now(&self) -> Result<Arc<View>> {
        let view = Arc::clone(&self.view.read().unwrap_or_else(PoisonError::into_inner));
        if view.reader.is_current()? {
            return Ok(view);
        }
        let mut slot = self.view.write().unwrap_or_else(PoisonError::into_inner);
        if !slot.reader.is_current()? {
            *slot = View::open(&self.root, &self.scope)?;
        }
        Ok(Arc::clone(&slot))
    }
}

/// Expands queries from one store and one library. Shared by threads freely.
pub struct Expander {
    supply: Supply,
    library: Library,
    models: Models,
    config: Config,
}

/// What became of one query, for its trace.
#[derive(Default)]
struct Told {
    note: String,
    details: Map<String, Value>,
}

impl Told {
    fn note(note: impl Into<String>) -> Self {
        Self { note: note.into(), details: Map::new() }
    }
}

impl Expander {
    /// An expander.
    pub fn new(supply: Supply, library: Library, models: Models, config: Config) -> Self {
        Self { supply, library, models, config }
    }

    /// The first pass: appends to `hits` and writes `graph`.
    ///
    /// # Errors
    /// If the library or a model fails.
    pub fn expand(&self, query: &mut Query) -> Result<Outcome> {
        if let Some(why) = unwanted(query) {
            push(query, "graph expand", Told::note(why));
            return Ok(Outcome::Served);
        }
        let (question, text) = (query.question.clone(), query.text_query().to_owned());
        let hits = query.hits.take().unwrap_or_default();
        let (hits, graph, told, outcome) = self.serve(&question, &text, hits)?;
        query.hits = Some(hits);
        query.graph = Some(Box::new(graph));
        push(query, "graph expand", told);
        Ok(outcome)
    }

    /// The second pass: serves a retry that was asked for and not decided, and a query whose effort the score has raised.
    ///
    /// # Errors
    /// If the library or a model fails.
    pub fn retry(&self, query: &mut Query) -> Result<Outcome> {
        let question = query.question.clone();
        if let Some(retry) = query.retry.as_mut().filter(|retry| retry.accepted.is_none() && retry.hits.is_some()) {
            let (text, hits) = (retry.query.clone(), retry.hits.take().unwrap_or_default());
            let (hits, graph, told, outcome) = self.serve(&question, &text, hits)?;
            retry.hits = Some(hits);
            retry.graph = Some(Box::new(graph));
            push(query, "graph expand --retry", told);
            return Ok(outcome);
        }
        let raised = query.graph.is_none() && query.route.is_some() && unwanted(query).is_none();
        if !raised {
            return Ok(Outcome::Served);
        }
        let outcome = self.expand(query)?;
        if let Some(entry) = query.trace.last_mut() {
            entry.stage = "graph expand --retry".into();
        }
        Ok(outcome)
    }

    fn serve(&self, question: &str, text: &str, hits: Vec<Hit>) -> Result<(Vec<Hit>, Graph, Told, Outcome)> {
        let failed = |name: &str, why: &str| Graph { store: name.into(), note: Some(why.into()), ..Graph::default() };
        let store = match self.supply.get()? {
            Ok(store) => store,
            Err(why) => {
                return Ok((hits, failed("", &why), Told::note(format!("not expanded: {why}")), Outcome::Served));
            }
        };
        let mut hits = hits;
        match self.expanded(store, question, text, &mut hits) {
            Ok((graph, told)) => Ok((hits, graph, told, Outcome::Served)),
            Err(Error::Store(error)) if error.is_only_the_graph() => {
                let why = error.to_string();
                let told = Told::note(format!("not expanded: {why}"));
                Ok((hits, failed(store.name(), &why), told, error.outcome()))
            }
            Err(error) => Err(error),
        }
    }

    fn expanded(&self, store: &dyn Store, question: &str, text: &str, hits: &mut Vec<Hit>) -> Result<(Graph, Told)> {
        let view = self.library.now()?;
        let mut graph = Graph { store: store.name().into(), ..Graph::default() };
        let mut seeds: Vec<String> = Vec::new();
        for hit in hits.iter().take(self.config.seeds) {
            if !seeds.contains(&hit.doc_id) {
                seeds.push(hit.doc_id.clone());
            }
        }
        if seeds.is_empty() {
            return Ok((graph, Told::note("not expanded: there is no hit to start from")));
        }
        let near = nearest(store, &seeds, view.documents.as_ref(), self.config.papers)?;
        graph.aliases = near.aliases;
        if near.papers.is_empty() && store.count(Label::Paper)? == 0 {
            graph.note = Some("the graph is empty".into());
        }
        graph.expansions = self.considered(store, &view, near.papers, hits)?;
        if !self.config.bring {
            let note = format!("{} papers near {} named, no chunk weighed", graph.expansions.len(), seeds.len());
            return Ok((graph, Told::note(note)));
        }
        let by = self.merge(&view, (question, text), &mut graph.expansions, hits)?;
        let merged: usize = graph.expansions.iter().map(|expansion| expansion.merged.len()).sum();
        let considered: usize = graph.expansions.iter().map(|expansion| expansion.considered.len()).sum();
        let papers = graph.expansions.len();
        let mut told = Told::note(format!(
            "{merged} of {considered} chunks of {papers} papers near {} joined the hits{}",
            seeds.len(),
            by.map_or(String::new(), |by| format!(", by {by}"))
        ));
        if let Some(note) = &graph.note {
            told.note.push_str(&format!("; {note}"));
        }
        told.details.insert("seeds".into(), json!(seeds.len()));
        told.details.insert("aliases".into(), json!(graph.aliases.len()));
        if !self.config.scope.is_empty() {
            let scope: Vec<String> = self.config.scope.iter().map(ToString::to_string).collect();
            told.details.insert("where".into(), json!(scope));
        }
        Ok((graph, told))
    }

    /// The near papers with their chunks that are in scope and no hits yet.
    fn considered(&self, store: &dyn Store, view: &View, near: Vec<Near>, hits: &[Hit]) -> Result<Vec<Expansion>> {
        let there: HashSet<&str> = hits.iter().map(|hit| hit.uid.as_str()).collect();
        let wanted = |uid: &str| {
            !there.contains(uid) && view.reader.place_of(uid).is_some_and(|place| view.selection.has(place))
        };
        let ids: Vec<String> = near.iter().map(|near| near.doc_id.clone()).collect();
        let most = if self.config.bring { self.config.chunks } else { 0 };
        let mut of_paper = chunks(store, &ids, most, wanted)?;
        let titles: std::collections::BTreeMap<String, Option<String>> = store
            .nodes(Label::Paper, &ids)?
            .into_iter()
            .map(|node| (node.key.id.clone(), node.text("title").map(str::to_owned)))
            .collect();
        let expansion = |near: Near| Expansion {
            title: titles.get(&near.doc_id).cloned().flatten(),
            considered: of_paper.remove(&near.doc_id).unwrap_or_default(),
            doc_id: near.doc_id,
            score: near.score,
            shared: near.shared,
            ..Expansion::default()
        };
        Ok(near.into_iter().map(expansion).collect())
    }

    /// Judges the chunks and puts those that pass among the hits. Gives by what they were judged.
    fn merge(
        &self,
        view: &View,
        asked: (&str, &str),
        expansions: &mut [Expansion],
        hits: &mut Vec<Hit>,
    ) -> Result<Option<&'static str>> {
        let uids = expansions.iter().flat_map(|expansion| &expansion.considered);
        let places: Vec<Place> = uids.filter_map(|uid| view.reader.place_of(uid)).collect();
        if places.is_empty() {
            return Ok(None);
        }
        let mut texts: HashSet<String> = hits.iter().map(|hit| id::text_sha1(&hit.text)).collect();
        let (mut brought, mut kept) = (Vec::new(), Vec::new());
        for (stored, place) in view.reader.stored(&places)?.into_iter().zip(places) {
            if texts.insert(id::text_sha1(&stored.chunk.text)) {
                brought.push(stored.into_hit(Origin::Graph));
                kept.push(place);
            }
        }
        let judged = judge(&self.models, &self.config.judge, &view.reader, asked, hits, &mut brought, &kept)?;
        let (before, of_brought) = judged.values.split_at(hits.len());
        let mut passed: Vec<(f64, Hit)> = of_brought.iter().copied().zip(brought).collect();
        passed.retain(|(value, _)| *value >= judged.least);
        passed.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.uid.cmp(&b.1.uid)));
        passed.truncate(self.config.most);
        for expansion in expansions {
            let joined: HashSet<&str> = passed.iter().map(|(_, hit)| hit.uid.as_str()).collect();
            expansion.merged =
                expansion.considered.iter().filter(|uid| joined.contains(uid.as_str())).cloned().collect();
        }
        *hits = interleaved(std::mem::take(hits), before, passed);
        Ok(Some(judged.by))
    }
}

/// The hits in their order, each chunk brought behind the last hit that is at least as good. Its score is that hit's, so
/// that scores never rise from one rank to the next.
fn interleaved(hits: Vec<Hit>, values: &[f64], brought: Vec<(f64, Hit)>) -> Vec<Hit> {
    let mut brought = brought.into_iter().peekable();
    let mut all: Vec<Hit> = Vec::with_capacity(hits.len());
    for (at, hit) in hits.into_iter().enumerate() {
        let best_left = values[at..].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        while let Some((_, mut new)) = brought.next_if(|(value, _)| *value > best_left) {
            new.scores.score = all.last().map_or(hit.scores.score, |last| last.scores.score);
            all.push(new);
        }
        all.push(hit);
    }
    for (_, mut new) in brought {
        new.scores.score = all.last().map_or(0.0, |last| last.scores.score);
        all.push(new);
    }
    all
}

/// Why a query does not want the graph (SPEC section 1); `None` if it does.
pub(crate) fn unwanted(query: &Query) -> Option<&'static str> {
    if ![RouteName::Content, RouteName::Bibliometric].into_iter().any(|name| query.takes(name)) {
        return Some("its routes do not ask for the graph");
    }
    if query.route.as_ref().is_some_and(|route| route.effort == Effort::Low) {
        return Some("low effort: the graph is not asked");
    }
    query.hits.is_none().then_some("no retrieval stage has run")
}

pub(crate) fn pushed(query: &mut Query, stage: &str, note: String, details: Map<String, Value>) {
    query.trace.push(TraceEntry { stage: stage.into(), note, details, ..TraceEntry::default() });
}

fn push(query: &mut Query, stage: &str, told: Told) {
    pushed(query, stage, told.note, told.details);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_brought_stands_behind_whatever_is_as_good() {
        let hit = |uid: &str, score: f64| {
            let mut hit = Hit { uid: uid.into(), ..Hit::default() };
            hit.scores.score = score;
            hit
        };
        let hits = vec![hit("a", 3.0), hit("b", 2.0), hit("c", 1.0)];
        let brought = vec![(0.9, hit("x", 0.0)), (0.7, hit("y", 0.0)), (0.55, hit("z", 0.0))];
        let all = interleaved(hits, &[0.8, 0.4, 0.6], brought);
        let order: Vec<(&str, f64)> = all.iter().map(|hit| (hit.uid.as_str(), hit.scores.score)).collect();
        assert_eq!(order, [("x", 3.0), ("a", 3.0), ("y", 3.0), ("b", 2.0), ("c", 1.0), ("z", 1.0)]);
    }
}
