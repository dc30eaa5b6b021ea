//! A question to pages: the encodings choose candidates, exact MaxSim orders them, the figure that fits goes with each.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rayon::prelude::*;
use serde_json::{Map, Value, json};
use techrag_core::record::{Effort, PageHit, PageScores, Query, RouteName, TraceEntry};
use techrag_core::token;
use techrag_index::bits::Bits;
use techrag_index::top::{Ranked, Top};
use techrag_index::{Bm25, Condition, PagePlace};
use techrag_models::{Limits, Locator, PageEncoder};

use crate::crop;
use crate::error::{Error, Result};
use crate::fuse::{self, PageOf, Text};
use crate::index::open_encoder;
use crate::store::segment::Asked;
use crate::store::view::{Pages, View};
use crate::store::{About, Layout};

/// Candidates whose vectors are in memory at a time: some 30 MB, where `verify` compares with every page there is.
const TOGETHER: usize = 256;

/// What a search does. No defaults here: they are the binary's.
#[derive(Clone, Debug)]
pub struct SearchConfig {
    /// Pages a query gets at most.
    pub k: usize,
    /// Pages that the encodings choose for exact MaxSim.
    pub candidates: usize,
    /// What orders the candidates.
    pub order: Order,
    /// How the text channel counts, where it takes part.
    pub bm25: Bm25,
    /// Conditions a page must meet to be ranked at all.
    pub scope: Vec<Condition>,
    /// Version of the tool, for the trace.
    pub version: String,
}

/// What orders the candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Exact MaxSim alone.
    MaxSim,
    /// The sum of the z-scores of MaxSim and of BM25 over the text on the page; the pages of the best chunks are
    /// candidates too.
    WithText,
}

/// Finds pages in one library. Shared by threads freely.
pub struct Searcher {
    root: PathBuf,
    view: RwLock<Arc<Scoped>>,
    locator: Locator,
    limits: Limits,
    encoder: Mutex<Option<Arc<PageEncoder>>>,
    config: SearchConfig,
}

/// Open pages, and which of them may be ranked.
struct Scoped {
    view: View,
    wanted: Bits,
    /// The library's text, where it takes part.
    text: Option<Text>,
}

impl Scoped {
    fn open(root: &Path, config: &SearchConfig) -> Result<Arc<Self>> {
        let view = View::open(root)?;
        let wanted = view.reader.select(&config.scope)?;
        let text = match config.order {
            Order::MaxSim => None,
            Order::WithText => {
                let stored = view.pages.as_ref().map_or(&[][..], |pages| &pages.stored);
                Some(Text::open(root, &config.scope, stored)?)
            }
        };
        Ok(Arc::new(Self { view, wanted, text }))
    }
}

/// What became of one query, for its trace.
#[derive(Default)]
struct Notes {
    said: Vec<String>,
    details: Map<String, Value>,
}

impl Searcher {
    /// A searcher over the library at `root`. The encoder is opened when a query needs it; the pages are opened again
    /// when something was committed.
    ///
    /// # Errors
    /// If there is no library or its pages cannot be read.
    pub fn open(root: &Path, locator: Locator, limits: Limits, config: SearchConfig) -> Result<Self> {
        let view = RwLock::new(Scoped::open(root, &config)?);
        Ok(Self { root: root.to_owned(), view, locator, limits, encoder: Mutex::default(), config })
    }

    fn view(&self) -> Result<Arc<Scoped>> {
        let scoped = Arc::clone(&self.view.read().unwrap_or_else(PoisonError::into_inner));
        if scoped.view.reader.is_current()? {
            return Ok(scoped);
        }
        let mut slot = self.view.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been first.
        if !slot.view.reader.is_current()? {
            *slot = Scoped::open(&self.root, &self.config)?;
        }
        Ok(Arc::clone(&slot))
    }

    /// Writes `visual` and a trace entry into a query of the content route whose effort is not low.
    ///
    /// # Errors
    /// If the library or the encoder fails.
    pub fn answer(&self, query: &mut Query) -> Result<()> {
        let mut notes = Notes::default();
        if !query.takes(RouteName::Content) {
            notes.say("its routes have no page retrieval");
        } else if query.route.as_ref().is_some_and(|route| route.effort == Effort::Low) {
            notes.say("not asked: low effort");
        } else {
            query.visual = self.pages(Words::of(query), &mut notes)?;
        }
        query.trace.push(self.entry("visual search", notes));
        Ok(())
    }

    /// The second pass: pages of `retry.query` for a retry that was asked for and not decided, and the first pages of a
    /// query whose effort was raised since. Every other query stays as it is.
    ///
    /// # Errors
    /// If the library or the encoder fails.
    pub fn retry(&self, query: &mut Query) -> Result<()> {
        let mut notes = Notes::default();
        let high = query.route.as_ref().is_some_and(|route| route.effort == Effort::High);
        if query.visual.is_none() && high && query.takes(RouteName::Content) {
            query.visual = self.pages(Words::of(query), &mut notes)?;
        }
        if let Some(retry) = query.retry.as_mut().filter(|retry| retry.accepted.is_none()) {
            let words = Words { seen: &retry.query, text: &retry.query };
            retry.visual = self.pages(words, &mut notes)?;
        }
        if !notes.said.is_empty() {
            query.trace.push(self.entry("visual search --retry", notes));
        }
        Ok(())
    }

    fn entry(&self, stage: &str, notes: Notes) -> TraceEntry {
        let (stage, version) = (stage.into(), self.config.version.clone());
        TraceEntry { stage, version, note: notes.said.join("; "), details: notes.details, ..TraceEntry::default() }
    }

    /// The encoder that made the library's pages.
    fn encoder(&self, pages: &Pages) -> Result<Arc<PageEncoder>> {
        let mut slot = self.encoder.lock().unwrap_or_else(PoisonError::into_inner);
        let layout = &pages.layout;
        let encoder = match &*slot {
            Some(encoder) if encoder.id() == layout.model => Arc::clone(encoder),
            _ => Arc::new(
                open_encoder(&self.locator, &layout.model, self.limits).map_err(|error| of_library(error, layout))?,
            ),
        };
        if encoder.revision() != layout.revision || encoder.profile() != layout.profile {
            let here = format!("{} ({}, {})", encoder.id(), encoder.revision(), encoder.profile());
            return Err(Error::Encoder { library: layout.encoder(), here });
        }
        Ok(Arc::clone(slot.insert(encoder)))
    }

    /// The best pages; `None` where the library has none.
    fn pages(&self, words: Words<'_>, notes: &mut Notes) -> Result<Option<Vec<PageHit>>> {
        if token::tokens(words.seen, token::Config::INDEX).is_empty() {
            // Its vectors would be near something all the same.
            notes.say("0 pages: there is no word in it to search by");
            return Ok(Some(Vec::new()));
        }
        let scoped = self.view()?;
        let Some(pages) = scoped.view.pages.as_ref().filter(|pages| pages.codes.len() > 0) else {
            notes.say("the library has no pages: `techrag-visual index` stores them");
            return Ok(None);
        };
        let encoder = match self.encoder(pages) {
            // Pages only enrich: where their encoder is missing, text answers alone.
            Err(Error::Opening { source: error @ techrag_models::Error::Missing { .. }, .. }) => {
                notes.say(&format!("no pages: {error}"));
                return Ok(None);
            }
            encoder => encoder?,
        };
        let vectors = encoder.encode_query(words.seen)?;
        let text = match &scoped.text {
            Some(text) => Some(text.of_pages(words.text, self.config.bm25, self.config.candidates)?),
            None => None,
        };
        let found = Found::of(pages, &vectors.values, text, &scoped.wanted, &self.config);
        let hits: Vec<PageHit> =
            found.best.iter().map(|ranked| found.hit(&scoped.view, pages, ranked)).collect::<Result<_>>()?;
        notes.say(&format!("{} pages from {} candidates of {}", hits.len(), found.candidates, scoped.wanted.count()));
        notes.details.insert("encoder".into(), json!(pages.layout.model));
        notes.details.insert("text".into(), json!(words.seen));
        if !self.config.scope.is_empty() {
            let scope: Vec<String> = self.config.scope.iter().map(Condition::to_string).collect();
            notes.details.insert("scope".into(), json!(scope));
        }
        Ok(Some(hits))
    }
}

/// A failure to open the encoder, with what wanted it.
fn of_library(error: Error, layout: &Layout) -> Error {
    match error {
        Error::Model(source) => Error::Opening { library: layout.encoder(), source },
        other => other,
    }
}

impl Notes {
    fn say(&mut self, what: &str) {
        self.said.push(what.to_owned());
    }
}

/// What page retrieval reads of a query (SPEC section 1): the encoder and BM25 each their own words.
#[derive(Clone, Copy)]
struct Words<'a> {
    seen: &'a str,
    text: &'a str,
}

impl<'a> Words<'a> {
    fn of(query: &'a Query) -> Self {
        let seen = query.route.as_ref().and_then(|route| route.visual_query.as_deref());
        Self { seen: seen.unwrap_or(&query.question), text: query.text_query() }
    }
}

/// A candidate: where it is, and what the encodings gave it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) place: PagePlace,
    /// Absent for a page that the text alone brought.
    encoding: Option<f32>,
    rank: Option<u32>,
    maxsim: f32,
    bm25: Option<f64>,
}

/// The pages of one query.
pub(crate) struct Found {
    asked: Asked,
    vectors: usize,
    pub(crate) candidates: usize,
    pub(crate) best: Vec<Ranked<Candidate>>,
}

impl Found {
    /// Both stages over the wanted pages.
    pub(crate) fn of(
        pages: &Pages,
        vectors: &[f32],
        text: Option<HashMap<PageOf, f64>>,
        wanted: &Bits,
        config: &SearchConfig,
    ) -> Self {
        let asked = Asked::new(vectors, &pages.layout);
        let encoding = pages.fde.query(vectors);
        let mut near = pages.codes.nearest(&encoding, config.candidates.max(config.k), wanted, &pages.segments);
        let best = match text {
            None => exact(pages, &asked, &near, config.k),
            Some(text) => {
                near.extend(brought_by_text(pages, &text, &near, wanted));
                let all = exact(pages, &asked, &near, near.len());
                with_text(all, &text, config.k)
            }
        };
        Self { asked, vectors: vectors.len() / pages.layout.dim().max(1), candidates: near.len(), best }
    }

    fn hit(&self, view: &View, pages: &Pages, ranked: &Ranked<Candidate>) -> Result<PageHit> {
        let Candidate { place, encoding, rank, maxsim, bm25 } = ranked.item;
        let doc_id = format!("{:016x}", place.doc);
        let about: About =
            view.reader.about(place.row)?.and_then(|about| serde_json::from_str(&about).ok()).unwrap_or_default();
        let segment = pages.segments.get(&place.file);
        let crop = segment.and_then(|segment| {
            let crop = crop::best(&about, place.page, &self.asked, self.vectors, (segment, place.slot as usize));
            segment.done_with(place.slot as usize);
            crop
        });
        let mut hit = PageHit {
            page: place.page,
            scores: PageScores {
                score: ranked.score,
                maxsim: Some(maxsim),
                encoding,
                encoding_rank: rank,
                extra: bm25.map(|bm25| ("bm25".to_owned(), json!(bm25))).into_iter().collect(),
            },
            caption: crop.as_ref().and_then(|crop| crop.caption.clone()),
            crop,
            ..PageHit::default()
        };
        if let Some(known) = view.reader.document(&doc_id)? {
            hit.title = known.document.title;
            hit.year = known.document.year;
            hit.also = known.keys.into_iter().map(|(key, _)| key).filter(|key| *key != known.document.key).collect();
            hit.key = known.document.key;
        }
        Ok(PageHit { doc_id, ..hit })
    }
}

/// Wanted pages of the best chunks that the encodings did not choose, in the order of the library.
fn brought_by_text(
    pages: &Pages,
    text: &HashMap<PageOf, f64>,
    near: &[Ranked<PagePlace>],
    wanted: &Bits,
) -> Vec<Ranked<PagePlace>> {
    let chosen: HashSet<i64> = near.iter().map(|ranked| ranked.item.row).collect();
    let is_wanted = |place: &&PagePlace| usize::try_from(place.row).is_ok_and(|row| wanted.has(row));
    let brought = pages.stored.iter().filter(|place| text.contains_key(&(place.doc, place.page)));
    brought
        .filter(|place| !chosen.contains(&place.row))
        .filter(is_wanted)
        .map(|place| Ranked { score: f64::NEG_INFINITY, uid: (place.doc, place.page), item: *place })
        .collect()
}

/// The best `k` by the sum of both channels.
fn with_text(all: Vec<Ranked<Candidate>>, text: &HashMap<PageOf, f64>, k: usize) -> Vec<Ranked<Candidate>> {
    let bm25 = |ranked: &Ranked<Candidate>| text.get(&ranked.uid).copied();
    let maxsim: Vec<f64> = all.iter().map(|ranked| ranked.score).collect();
    let words: Vec<f64> = all.iter().map(|ranked| bm25(ranked).unwrap_or(0.0)).collect();
    let mut top = Top::new(k);
    for (ranked, score) in all.iter().zip(fuse::sums(&maxsim, &words)) {
        let item = Candidate { bm25: bm25(ranked), ..ranked.item };
        top.offer(Ranked { score, uid: ranked.uid, item });
    }
    top.into_sorted()
}

/// Exact MaxSim of the candidates, the best `k` first. The vectors of a block are asked for before the first of them is
/// read, and given back after the last.
pub(crate) fn exact(pages: &Pages, asked: &Asked, near: &[Ranked<PagePlace>], k: usize) -> Vec<Ranked<Candidate>> {
    let segment = |place: &PagePlace| pages.segments.get(&place.file);
    let score = |(at, ranked): (usize, &Ranked<PagePlace>)| {
        let place = ranked.item;
        let segment = segment(&place)?;
        let maxsim = segment.maxsim(asked, place.slot as usize, None);
        // Pages that the text brought stand behind those of the encodings, without a score of theirs.
        let encoding = ranked.score.is_finite().then_some(ranked.score as f32);
        let rank = encoding.map(|_| at as u32 + 1);
        let candidate = Candidate { place, encoding, rank, maxsim, bm25: None };
        Some(Ranked { score: f64::from(maxsim), uid: (place.doc, place.page), item: candidate })
    };
    let mut top = Top::new(k);
    for (number, block) in near.chunks(TOGETHER).enumerate() {
        let stored = || block.iter().filter_map(|ranked| Some((segment(&ranked.item)?, ranked.item.slot as usize)));
        stored().for_each(|(segment, slot)| segment.will_need(slot));
        let ranks = block.par_iter().enumerate().map(|(at, ranked)| (number * TOGETHER + at, ranked));
        let scored: Vec<Option<Ranked<Candidate>>> = ranks.map(score).collect();
        // Not one by one: candidates lie side by side, and what one gives back another would read again.
        stored().for_each(|(segment, slot)| segment.done_with(slot));
        scored.into_iter().flatten().for_each(|ranked| top.offer(ranked));
    }
    top.into_sorted()
}

#[cfg(test)]
mod tests {
    use techrag_index::{Idf, Writer};

    use super::*;

    #[test]
    fn a_question_without_words_finds_nothing_and_says_so() {
        let library = tempfile::tempdir().unwrap();
        drop(Writer::open(library.path(), "test").unwrap());
        let bm25 = Bm25 { idf: Idf::Lucene, k1: 1.2, b: 0.75, weights: [1.0; 3] };
        let (scope, version) = (Vec::new(), String::new());
        let config = SearchConfig { k: 5, candidates: 9, order: Order::WithText, bm25, scope, version };
        let limits = Limits { sessions: 1, batch: 1 };
        let searcher = Searcher::open(library.path(), Locator::new(Vec::<PathBuf>::new()), limits, config).unwrap();
        let asked = |question: &str| {
            let mut query = Query { question: question.to_owned(), ..Query::default() };
            searcher.answer(&mut query).unwrap();
            (query.visual, query.trace[0].note.clone())
        };
        for question in ["", "\"\"\"", " ?!"] {
            let (visual, note) = asked(question);
            assert_eq!((visual, note.as_str()), (Some(Vec::new()), "0 pages: there is no word in it to search by"));
        }
        let (visual, note) = asked("slip");
        assert!(visual.is_none() && note.starts_with("the library has no pages"), "{note}");
    }
}
