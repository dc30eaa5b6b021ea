//! A library as it was at one instant: the catalog's transaction and the segments it names.
//!
//! A writer may add, remove and compact meanwhile; the reader sees nothing of it until it is opened again. Searches
//! give [`Place`]s; [`Reader::stored`] fetches what stands there.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rusqlite::Connection;

use crate::bits::Bits;
use crate::bm25::{self, Bm25, Fields, Idf, Scorer};
use crate::catalog::{self, Encoder, Places, SparseModel};
use crate::error::{Error, Result};
use crate::filter::{self, Condition};
use crate::hnsw::{self, Graph};
use crate::learned::Learned;
use crate::rows::{self, Stored};
use crate::scan;
use crate::segment::{self, FIELDS, Posting, Segment};
use crate::top::{Ranked, Top};
use crate::writer::named_segments;

/// Tries to open a set of segments while a writer keeps replacing them.
const TRIES: usize = 10;

/// Where a chunk stands in this reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Index of the segment.
    pub segment: u32,
    /// Slot in it.
    pub slot: u32,
}

/// A segment with what is alive in it.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// Its row in the catalog.
    id: i64,
    pub(crate) segment: Segment,
    live: Bits,
    alive: usize,
    /// Tokens of title, section and text of all living chunks.
    pub(crate) totals: [u64; FIELDS],
}

impl Loaded {
    fn new(id: i64, segment: Segment, dead: &Bits) -> Self {
        let mut live = Bits::all(segment.len());
        live.subtract(dead);
        let mut totals = [0; FIELDS];
        for (slot, lengths) in segment.lengths().iter().enumerate() {
            if live.has(slot) {
                totals.iter_mut().zip(lengths).for_each(|(total, length)| *total += u64::from(*length));
            }
        }
        Self { id, alive: live.count(), segment, live, totals }
    }

    /// Number of living chunks.
    pub(crate) fn alive(&self) -> usize {
        self.alive
    }

    /// How many of the postings are of living chunks and in fields that count.
    pub(crate) fn living(&self, postings: &[Posting], fields: Fields) -> usize {
        if self.alive == self.segment.len() && fields.are_all() {
            return postings.len();
        }
        let counts = |posting: &&Posting| self.live.has(posting.slot as usize) && fields.hold(**posting);
        postings.iter().filter(counts).count()
    }

    pub(crate) fn uid(&self, slot: usize) -> (u64, u32) {
        self.segment.keys().get(slot).map_or((u64::MAX, u32::MAX), crate::segment::Key::order)
    }
}

/// A library open for reading. Cheap to share between threads.
pub struct Reader {
    catalog: Mutex<Connection>,
    /// A connection outside the transaction, which hears of commits, and what it heard first; none while there is no
    /// catalog yet.
    watch: Mutex<Option<(Connection, i64)>>,
    places: Places,
    segments: Vec<Loaded>,
    encoder: Option<Encoder>,
    sparse: Option<SparseModel>,
    /// Mean Okapi idf over all terms, for each set of fields.
    mean_idf: [OnceLock<f64>; Fields::SETS],
    /// The HNSW graph of each segment that has one, loaded when the first approximate search needs it.
    graphs: Mutex<Option<Vec<Option<Arc<Graph>>>>>,
}

/// Which chunks a search may give: all living ones, or those of a scope.
#[derive(Clone, Debug)]
pub struct Selection {
    wanted: Vec<Bits>,
}

impl Selection {
    /// Whether a search may give the chunk at a place.
    pub fn has(&self, place: Place) -> bool {
        self.wanted.get(place.segment as usize).is_some_and(|wanted| wanted.has(place.slot as usize))
    }
}

impl Reader {
    /// Opens the library at `root` as it is now.
    ///
    /// # Errors
    /// If there is none, it is of another format, or a segment is damaged.
    pub fn open(root: &Path) -> Result<Self> {
        let places = Places::new(root);
        let mut tries = 0;
        loop {
            tries += 1;
            match Self::try_open(&places) {
                // A segment that was named a moment ago is gone: a writer has replaced it.
                Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound && tries < TRIES => {}
                result => return result,
            }
        }
    }

    fn try_open(places: &Places) -> Result<Self> {
        // Watched before it is read, so that no commit falls between.
        let watch = if places.has_catalog()? { Some(watched(catalog::readable(places)?)?) } else { None };
        let catalog = catalog::readable(places)?;
        catalog.execute_batch("BEGIN")?;
        let mut segments = Vec::new();
        for named in named_segments(&catalog)? {
            segments.push(Loaded::new(named.id, named.open(places)?, &named.dead));
        }
        let (encoder, sparse) = (catalog::encoder(&catalog)?, catalog::sparse(&catalog)?);
        let (catalog, watch, places) = (Mutex::new(catalog), Mutex::new(watch), places.clone());
        let (mean_idf, graphs) = Default::default();
        Ok(Self { catalog, watch, places, segments, encoder, sparse, mean_idf, graphs })
    }

    /// Whether nothing was committed since it was opened. One that serves for long is opened again when this is false;
    /// it also keeps the catalog's log from being folded back.
    ///
    /// # Errors
    /// If the library cannot be read.
    pub fn is_current(&self) -> Result<bool> {
        match &*self.watch.lock().unwrap_or_else(PoisonError::into_inner) {
            Some((connection, first)) => Ok(version(connection)? == *first),
            None => Ok(!self.places.has_catalog()?),
        }
    }

    pub(crate) fn catalog(&self) -> MutexGuard<'_, Connection> {
        self.catalog.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn segments(&self) -> impl Iterator<Item = (&Segment, &Bits)> {
        self.segments.iter().map(|loaded| (&loaded.segment, &loaded.live))
    }

    /// The encoder whose vectors the library holds; `None` if it holds none.
    pub fn encoder(&self) -> Option<&Encoder> {
        self.encoder.as_ref()
    }

    /// The model whose learned sparse vectors the library holds; `None` if it holds none.
    pub fn sparse(&self) -> Option<&SparseModel> {
        self.sparse.as_ref()
    }

    /// The `k` chunks whose learned sparse vectors have the greatest product with the query's, best first, ties by uid;
    /// exact. A chunk that shares no term is not found.
    pub fn learned(&self, query: &BTreeMap<String, f32>, k: usize, among: &Selection) -> Vec<Ranked<Place>> {
        Learned::new(&self.segments, query).top(k, &among.wanted)
    }

    /// The product of each chunk's learned sparse vector with the query's; `None` where they share no term.
    pub fn learned_of(&self, query: &BTreeMap<String, f32>, places: &[Place]) -> Vec<Option<f64>> {
        let learned = Learned::new(&self.segments, query);
        places.iter().map(|place| learned.of(*place)).collect()
    }

    /// Number of chunks.
    pub fn chunks(&self) -> usize {
        self.segments.iter().map(Loaded::alive).sum()
    }

    /// All living chunks.
    pub fn everything(&self) -> Selection {
        Selection { wanted: self.segments.iter().map(|loaded| loaded.live.clone()).collect() }
    }

    /// Fields of the conditions that no document has: not those every library has, and none of the metadata.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn fields_of_nothing(&self, conditions: &[Condition]) -> Result<Vec<String>> {
        let catalog = self.catalog();
        let mut fields = Vec::new();
        for condition in conditions {
            if condition.is_of_nothing(&catalog)? {
                fields.push(condition.field().to_owned());
            }
        }
        Ok(fields)
    }

    /// The living chunks that meet every condition.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn select(&self, conditions: &[Condition]) -> Result<Selection> {
        if conditions.is_empty() {
            return Ok(self.everything());
        }
        let (clause, parameters) = filter::clause(conditions);
        let mut rows = Bits::new();
        let catalog = self.catalog();
        // A row beyond those that were ever given is damage, and would ask for a set as large as its number.
        let end = crate::change::next_row(&catalog, "chunks")?;
        let sql = format!("SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document WHERE {clause}");
        let mut statement = catalog.prepare(&sql)?;
        for row in statement.query_map(rusqlite::params_from_iter(parameters), |row| row.get::<_, i64>(0))? {
            let row = row?;
            if (0..end).contains(&row) {
                rows.insert(row as usize);
            }
        }
        let wanted = |loaded: &Loaded| {
            let mut wanted = Bits::new();
            let keys = loaded.segment.keys().iter().enumerate();
            keys.filter(|(slot, key)| {
                loaded.live.has(*slot) && usize::try_from(key.row).is_ok_and(|row| rows.has(row))
            })
            .for_each(|(slot, _)| wanted.insert(slot));
            wanted
        };
        Ok(Selection { wanted: self.segments.iter().map(wanted).collect() })
    }

    /// The `k` chunks whose best window is nearest to the query by cosine, best first, ties by uid; exact. A chunk
    /// without vectors is not found.
    ///
    /// # Errors
    /// If the query's dimension is not the library's, or the catalog cannot be read.
    pub fn dense(&self, query: &[f32], k: usize, among: &Selection) -> Result<Vec<Ranked<Place>>> {
        self.check(query)?;
        let mut near: Vec<(Place, f32)> = Vec::new();
        for (at, (loaded, wanted)) in self.segments.iter().zip(&among.wanted).enumerate() {
            if loaded.segment.dim() == query.len() && k > 0 {
                let found = scan::candidates(&loaded.segment, query, k, wanted);
                near.extend(found.into_iter().map(|(slot, score)| (Place { segment: at as u32, slot }, score)));
            }
        }
        self.best(query, near, k)
    }

    /// The same by the HNSW graphs of those segments that have one: approximate, with exact scores. `breadth` is how
    /// many candidates a walk keeps, at least `k`; more of them miss less.
    ///
    /// # Errors
    /// As [`Reader::dense`], and if a graph is damaged.
    pub fn dense_near(&self, query: &[f32], k: usize, breadth: usize, among: &Selection) -> Result<Vec<Ranked<Place>>> {
        self.check(query)?;
        let graphs = self.graphs()?;
        let mut near: Vec<(Place, f32)> = Vec::new();
        for (at, ((loaded, wanted), graph)) in self.segments.iter().zip(&among.wanted).zip(&graphs).enumerate() {
            let segment = &loaded.segment;
            if segment.dim() != query.len() || k == 0 {
                continue;
            }
            let walked = match graph {
                Some(graph) if !hnsw::is_scanned(segment, wanted) => graph.near(segment, query, k, breadth, wanted)?,
                _ => None,
            };
            let found = walked.unwrap_or_else(|| scan::candidates(segment, query, k, wanted));
            near.extend(found.into_iter().map(|(slot, score)| (Place { segment: at as u32, slot }, score)));
        }
        self.best(query, near, k)
    }

    /// At most `count` living chunks that have vectors, evenly spread, each with its first vector.
    pub(crate) fn sample(&self, count: usize) -> Result<Vec<(Place, Vec<f32>)>> {
        let dim = self.encoder.as_ref().map_or(0, |encoder| encoder.dim);
        let places: Vec<Place> = (0..).zip(&self.segments).flat_map(living).collect();
        let catalog = self.catalog();
        let mut sample = Vec::new();
        for place in places.iter().step_by((places.len() / count.max(1)).max(1)).take(count) {
            let Some(row) = self.row(*place) else { continue };
            let mut vectors = rows::vectors(&catalog, row)?;
            vectors.truncate(dim);
            if !vectors.is_empty() {
                sample.push((*place, vectors));
            }
        }
        Ok(sample)
    }

    /// Number of segments.
    pub fn segment_count(&self) -> usize {
        self.segments.len()
    }

    /// How many of the segments have an HNSW graph.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn graphs_named(&self) -> Result<usize> {
        Ok(hnsw::named_graphs(&self.catalog())?.len())
    }

    fn graphs(&self) -> Result<Vec<Option<Arc<Graph>>>> {
        let mut slot = self.graphs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(graphs) = &*slot {
            return Ok(graphs.clone());
        }
        let open = |loaded: &Loaded| {
            let named = hnsw::named_graph(&self.catalog(), loaded.id)?;
            named.map(|named| named.open(&self.places, &loaded.segment).map(Arc::new)).transpose()
        };
        let graphs: Vec<_> = self.segments.iter().map(open).collect::<Result<_>>()?;
        Ok(slot.insert(graphs).clone())
    }

    /// The best `k` of candidates, scored again in full precision.
    fn best(&self, query: &[f32], near: Vec<(Place, f32)>, k: usize) -> Result<Vec<Ranked<Place>>> {
        let places = self.within_reach(near, k);
        let mut top = Top::new(k);
        for (place, score) in places.iter().zip(self.dense_of(query, &places)?) {
            if let Some(score) = score {
                top.offer(Ranked { score: f64::from(score), uid: self.uid(*place), item: *place });
            }
        }
        Ok(top.into_sorted())
    }

    /// Of the candidates of all segments, those that may be among the best `k` of the library.
    fn within_reach(&self, mut near: Vec<(Place, f32)>, k: usize) -> Vec<Place> {
        if near.len() > k {
            near.sort_unstable_by(|a, b| b.1.total_cmp(&a.1));
            let least = near[k - 1].1 - 2.0 * scan::SLACK;
            near.retain(|(_, score)| *score >= least);
        }
        near.into_iter().map(|(place, _)| place).collect()
    }

    /// The cosine of each chunk's best window with the query, in full precision; `None` for chunks without vectors.
    ///
    /// # Errors
    /// If the query's dimension is not the library's, or the catalog cannot be read.
    pub fn dense_of(&self, query: &[f32], places: &[Place]) -> Result<Vec<Option<f32>>> {
        self.check(query)?;
        let catalog = self.catalog();
        let score = |place: &Place| match self.row(*place) {
            Some(row) => Ok(scan::exact(query, &rows::vectors(&catalog, row)?)),
            None => Ok(None),
        };
        places.iter().map(score).collect()
    }

    /// The vectors of a chunk's windows in full precision; none where it has none.
    ///
    /// # Errors
    /// If the catalog cannot be read.
    pub fn vectors_of(&self, place: Place) -> Result<Vec<Vec<f32>>> {
        let dim = self.encoder.as_ref().map_or(0, |encoder| encoder.dim);
        let (Some(row), true) = (self.row(place), dim > 0) else { return Ok(Vec::new()) };
        Ok(rows::vectors(&self.catalog(), row)?.chunks_exact(dim).map(<[f32]>::to_vec).collect())
    }

    /// The bytes of a chunk's text that its best window covers; `None` for chunks without vectors.
    ///
    /// # Errors
    /// If the query's dimension is not the library's, or the catalog cannot be read.
    pub fn best_window(&self, query: &[f32], place: Place) -> Result<Option<Range<usize>>> {
        self.check(query)?;
        let catalog = self.catalog();
        let Some(row) = self.row(place) else { return Ok(None) };
        let vectors = rows::vectors(&catalog, row)?;
        let best = scan::exact_best(query, &vectors);
        Ok(rows::bounds(&catalog, row)?.get(best.unwrap_or(0)).map(|[start, end]| *start..*end))
    }

    fn check(&self, query: &[f32]) -> Result<()> {
        if query.iter().any(|value| !value.is_finite()) {
            return Err(Error::NotFinite);
        }
        match &self.encoder {
            Some(encoder) if encoder.dim != query.len() => {
                Err(Error::Dimension { found: query.len(), expected: encoder.dim })
            }
            _ => Ok(()),
        }
    }

    /// The `k` chunks that match the terms best, best first, ties by uid. Terms are tokens of the index's tokeniser.
    pub fn lexical(&self, terms: &[String], bm25: Bm25, k: usize, among: &Selection) -> Vec<Ranked<Place>> {
        self.scorer(terms, bm25).top(k, &among.wanted)
    }

    /// The score of each chunk; `None` for chunks that hold no term.
    pub fn lexical_of(&self, terms: &[String], bm25: Bm25, places: &[Place]) -> Vec<Option<f64>> {
        let scorer = self.scorer(terms, bm25);
        places.iter().map(|place| scorer.of(*place)).collect()
    }

    fn scorer(&self, terms: &[String], bm25: Bm25) -> Scorer<'_> {
        Scorer::new(&self.segments, terms, bm25, |fields| {
            *self.mean_idf[fields.number()].get_or_init(|| self.mean_okapi_idf(fields))
        })
    }

    /// Mean of the Okapi idf over all terms of living chunks.
    fn mean_okapi_idf(&self, fields: Fields) -> f64 {
        let mut found: BTreeMap<&[u8], usize> = BTreeMap::new();
        for loaded in &self.segments {
            let words = |at: &usize| !segment::is_learned(loaded.segment.term(*at));
            for at in (0..loaded.segment.terms()).filter(words) {
                *found.entry(loaded.segment.term(at)).or_default() +=
                    loaded.living(loaded.segment.postings_at(at), fields);
            }
        }
        let chunks = self.chunks();
        let living = found.values().filter(|found| **found > 0);
        let (sum, count) =
            living.fold((0.0, 0.0), |(sum, count), found| (sum + bm25::idf(Idf::Okapi, chunks, *found), count + 1.0));
        if count > 0.0 { sum / count } else { 0.0 }
    }

    /// The uid of a chunk as a number pair, for breaking ties.
    pub fn uid(&self, place: Place) -> (u64, u32) {
        self.segments.get(place.segment as usize).map_or((u64::MAX, u32::MAX), |l| l.uid(place.slot as usize))
    }

    fn row(&self, place: Place) -> Option<i64> {
        Some(self.segments.get(place.segment as usize)?.segment.keys().get(place.slot as usize)?.row)
    }

    /// [`Reader::stored`] for a search within a scope: of a document's keys, only those the scope asks for are given,
    /// and the document goes by the first of them.
    ///
    /// # Errors
    /// As [`Reader::stored`].
    pub fn stored_within(&self, places: &[Place], scope: &[Condition]) -> Result<Vec<Stored>> {
        let mut stored = self.stored(places)?;
        for Stored { keys, document, .. } in &mut stored {
            *keys = filter::keys_within(scope, std::mem::take(keys));
            if let Some(first) = keys.first() {
                document.key.clone_from(first);
            }
        }
        Ok(stored)
    }

    /// What stands at each place; a place without a row (a damaged segment) is an error.
    ///
    /// # Errors
    /// If the catalog cannot be read or does not hold the chunk.
    pub fn stored(&self, places: &[Place]) -> Result<Vec<Stored>> {
        let catalog = self.catalog();
        let fetch = |place: &Place| {
            let stored = self.row(*place).map_or(Ok(None), |row| rows::stored(&catalog, row))?;
            let damaged = || match self.segments.get(place.segment as usize) {
                Some(loaded) => loaded.segment.frame().corrupt(format!("slot {} is no chunk", place.slot)),
                None => Error::corrupt(Path::new("segments"), "there is no such segment"),
            };
            stored.ok_or_else(damaged)
        };
        places.iter().map(fetch).collect()
    }
}

fn living((segment, loaded): (u32, &Loaded)) -> impl Iterator<Item = Place> {
    loaded.live.iter().map(move |slot| Place { segment, slot: slot as u32 })
}

fn watched(connection: Connection) -> Result<(Connection, i64)> {
    let first = version(&connection)?;
    Ok((connection, first))
}

/// A number that changes with every commit of another connection (<https://sqlite.org/pragma.html#pragma_data_version>).
fn version(connection: &Connection) -> Result<i64> {
    Ok(connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?)
}
