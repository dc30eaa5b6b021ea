//! Approximate dense search, by choice: an HNSW graph (Malkov and Yashunin 2018, by `usearch`) beside a segment.
//!
//! The exact scan reads every row and is the default; its time grows with the library and passes a few tens of
//! milliseconds near a million rows. A graph gives candidates in less than one. They are scored again exactly, so that
//! what is found has the scores of the exact search; only what is missed differs, and [`recall`] says how much.
//!
//! Conditions are applied while the graph is walked, not after. Where few chunks are wanted, or the walk finds too few,
//! the wanted rows are scanned instead.
//!
//! What `usearch` does with input it was not made for is kept from it: a file is checksummed whole before it is loaded
//! (a damaged one is walked out of bounds), compared with its segment after (loading another dimension succeeds
//! silently), never viewed in place (searching a view has corrupted memory), and no query that is not finite gets there.
//! Its own kernels without SIMD libraries are slow in f16, so it is given ours. One thread builds one graph: the same
//! segment gives the same bytes.

use std::collections::HashSet;
use std::path::Path;

use half::f16;
use rayon::prelude::*;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};
use usearch::{Index, IndexOptions, MetricKind, ScalarKind};

use crate::bits::Bits;
use crate::catalog::Places;
use crate::error::{Error, Result};
use crate::frame::{self, Frame, Kind, Section, Written};
use crate::reader::{Place, Reader};
use crate::room;
use crate::scan;
use crate::segment::Segment;
use crate::top::Ranked;
use crate::writer::Writer;

/// Kind and version of HNSW files.
const KIND: Kind = Kind { tag: *b"HNSW", version: 1 };

/// Rows asked for, for each chunk wanted: several windows of one chunk may be near.
const WINDOWS: usize = 3;
/// Share of a segment's chunks below which the wanted ones are scanned.
const SCANNED_SHARE: usize = 8;

/// Searches at one time that a graph has room for.
const THREADS: usize = 256;

/// How a graph is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Neighbours of a row on the lowest level: half of them above (M of the paper).
    pub connectivity: usize,
    /// Candidates kept while a row finds its neighbours (efConstruction).
    pub breadth: usize,
}

/// What is found of the `k` nearest chunks: of `sample` chunks, evenly spread over the library, each asks with its own
/// first vector for its neighbours, itself left out. 1 if nothing is missed; `None` if no chunk has vectors.
///
/// # Errors
/// If the library cannot be read.
pub fn recall(reader: &Reader, sample: usize, k: usize, breadth: usize) -> Result<Option<f64>> {
    let all = reader.everything();
    let (mut found, mut wanted) = (0, 0);
    for (place, query) in reader.sample(sample)? {
        let others = |ranked: Vec<Ranked<Place>>| {
            let others = ranked.into_iter().filter(|ranked| ranked.item != place);
            others.take(k).map(|ranked| ranked.uid).collect::<HashSet<_>>()
        };
        let exact = others(reader.dense(&query, k + 1, &all)?);
        let near = others(reader.dense_near(&query, k + 1, breadth, &all)?);
        found += exact.intersection(&near).count();
        wanted += exact.len();
    }
    Ok((wanted > 0).then(|| found as f64 / wanted as f64))
}

/// What making graphs came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// Graphs made now.
    pub graphs: usize,
    /// Segments that had one and kept it, whatever it was made with.
    pub kept: usize,
    /// Rows in them.
    pub rows: usize,
    /// Bytes they take.
    pub bytes: u64,
}

/// A graph in memory, of one segment.
pub(crate) struct Graph {
    index: Index,
    /// The slot of each row.
    slots: Vec<u32>,
}

/// A row of the catalog's table of graphs.
pub(crate) struct NamedGraph {
    pub(crate) segment: i64,
    pub(crate) file: String,
    pub(crate) seal: Vec<u8>,
}

/// Makes a graph for every segment of the library at `root` that has vectors and no graph yet. `owner` is the tool.
///
/// # Errors
/// If another process writes, a segment is damaged, or a file cannot be written; graphs made before stay.
pub fn make(root: &Path, owner: &str, setup: Setup) -> Result<Made> {
    let mut writer = Writer::open_existing(root, owner)?;
    let have: Vec<i64> = named_graphs(&writer.catalog)?.into_iter().map(|named| named.segment).collect();
    let bare: Vec<_> =
        writer.held.iter().filter(|h| !have.contains(&h.id) && !h.segment.vectors().is_empty()).collect();
    let rows = |segment: &Segment| segment.vectors().len() / segment.dim().max(1);
    // A row and its neighbours' numbers, the upper levels included.
    let bytes = |segment: &Segment| size_of_val(segment.vectors()) + rows(segment) * setup.connectivity * 12;
    room::ensure(root, bare.iter().map(|held| bytes(&held.segment) as u64).sum())?;
    let built: Vec<(i64, String, Written, usize)> = bare
        .par_iter()
        .map(|held| {
            // Damage must not go into a graph under a fresh checksum.
            held.segment.frame().check()?;
            let file = format!("hnsw-{:06}.seg", held.id);
            let written = write(&writer.places.segment(&file), &held.segment, setup)?;
            Ok((held.id, file, written, rows(&held.segment)))
        })
        .collect::<Result<_>>()?;
    let transaction = writer.catalog.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut made = Made { kept: have.len(), ..Made::default() };
    for (segment, file, written, rows) in built {
        let sql = "INSERT INTO hnsw (segment, file, bytes, seal) VALUES (?, ?, ?, ?)";
        transaction.execute(sql, params![segment, file, written.bytes as i64, written.seal.as_slice()])?;
        made.graphs += 1;
        made.rows += rows;
        made.bytes += written.bytes;
    }
    transaction.commit()?;
    Ok(made)
}

/// Takes all graphs out of the library at `root` and gives their number.
///
/// # Errors
/// If another process writes, or the catalog refuses.
pub fn unmake(root: &Path, owner: &str) -> Result<usize> {
    let writer = Writer::open_existing(root, owner)?;
    let gone = writer.catalog.execute("DELETE FROM hnsw", [])?;
    writer.sweep()?;
    Ok(gone)
}

pub(crate) fn named_graphs(catalog: &Connection) -> Result<Vec<NamedGraph>> {
    let mut statement = catalog.prepare_cached("SELECT segment, file, seal FROM hnsw ORDER BY segment")?;
    let rows =
        statement.query_map([], |row| Ok(NamedGraph { segment: row.get(0)?, file: row.get(1)?, seal: row.get(2)? }))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The graph the catalog names for a segment.
pub(crate) fn named_graph(catalog: &Connection, segment: i64) -> Result<Option<NamedGraph>> {
    let mut statement = catalog.prepare_cached("SELECT segment, file, seal FROM hnsw WHERE segment = ?")?;
    let named = statement
        .query_row([segment], |row| Ok(NamedGraph { segment: row.get(0)?, file: row.get(1)?, seal: row.get(2)? }));
    Ok(named.optional()?)
}

fn write(path: &Path, segment: &Segment, setup: Setup) -> Result<Written> {
    let index = index(segment.dim(), setup)?;
    let rows = segment.vectors().chunks_exact(segment.dim());
    index.reserve_capacity_and_threads(rows.len(), 1).map_err(refused)?;
    let mut wide = vec![0.0_f32; segment.dim()];
    for (number, row) in rows.enumerate() {
        wide.iter_mut().zip(row).for_each(|(wide, half)| *wide = half.to_f32());
        index.add(number as u64, &wide).map_err(refused)?;
    }
    let mut bytes = vec![0; index.serialized_length()];
    index.save_to_buffer(&mut bytes).map_err(refused)?;
    let sections =
        [Section { name: "graph", bytes: &bytes }, Section { name: "segment", bytes: &segment.frame().seal() }];
    frame::write(path, KIND, &sections)
}

/// An empty index over f16 rows with our kernel.
fn index(dim: usize, setup: Setup) -> Result<Index> {
    let options = IndexOptions {
        dimensions: dim,
        metric: MetricKind::IP,
        quantization: ScalarKind::F16,
        connectivity: setup.connectivity,
        expansion_add: setup.breadth,
        expansion_search: setup.breadth,
        multi: false,
    };
    let mut index = Index::new(&options).map_err(refused)?;
    measured_by_us(&mut index, dim);
    Ok(index)
}

/// Loading a graph sets the library's own metric again, so this comes after it.
fn measured_by_us(index: &mut Index, dim: usize) {
    let product = scan::halves();
    let metric = move |a: *const usearch::f16, b: *const usearch::f16| {
        // SAFETY: the index holds rows of `dim` halves and casts queries to such a row; its half is an i16 in bits.
        let (a, b) = unsafe {
            (std::slice::from_raw_parts(a.cast::<f16>(), dim), std::slice::from_raw_parts(b.cast::<f16>(), dim))
        };
        1.0 - product(a, b)
    };
    index.change_metric::<usearch::f16>(Box::new(metric));
}

impl NamedGraph {
    /// Loads the graph of a segment, once it is proven to be the one that was written for it.
    pub(crate) fn open(&self, places: &Places, segment: &Segment) -> Result<Graph> {
        let frame = Frame::open(&places.segment(&self.file), KIND)?;
        if frame.seal().as_slice() != self.seal {
            return Err(frame.corrupt("it is not the file the catalog names"));
        }
        frame.check()?;
        if frame.items::<u8>(&frame.place("segment")?) != segment.frame().seal() {
            return Err(frame.corrupt("it is of another segment"));
        }
        let mut index = index(segment.dim(), Setup { connectivity: 0, breadth: 0 })?;
        index.load_from_buffer(frame.items(&frame.place("graph")?)).map_err(|e| frame.corrupt(e.to_string()))?;
        let rows = segment.vectors().len() / segment.dim().max(1);
        if index.dimensions() != segment.dim() || index.size() != rows || index.scalar_kind() != ScalarKind::F16 {
            return Err(frame.corrupt(format!("it has {} rows of {} dimensions", index.size(), index.dimensions())));
        }
        measured_by_us(&mut index, segment.dim());
        index.reserve_capacity_and_threads(rows, THREADS).map_err(refused)?;
        Ok(Graph { index, slots: slots(segment, rows) })
    }
}

/// The slot of each row.
fn slots(segment: &Segment, rows: usize) -> Vec<u32> {
    let mut slots = vec![u32::MAX; rows];
    for (slot, bounds) in segment.rows().windows(2).enumerate() {
        if let Some(own) = slots.get_mut(bounds[0] as usize..bounds[1] as usize) {
            own.fill(slot as u32);
        }
    }
    slots
}

/// Whether so few chunks are wanted that their rows are scanned.
pub(crate) fn is_scanned(segment: &Segment, wanted: &Bits) -> bool {
    wanted.count() * SCANNED_SHARE <= segment.len()
}

impl Graph {
    /// Slots near the query, about `k` of them or more, each with its best row's product in f16 precision; `None` where
    /// the walk found fewer than there are. `breadth` is how many candidates the walk keeps.
    pub(crate) fn near(
        &self,
        segment: &Segment,
        query: &[f32],
        k: usize,
        breadth: usize,
        wanted: &Bits,
    ) -> Result<Option<Vec<(u32, f32)>>> {
        // The walk keeps as many candidates as it is asked for; asked for more rows than there are it gives rubbish.
        let count = (k * WINDOWS).max(breadth).min(self.slots.len());
        let slot = |row: u64| usize::try_from(row).ok().and_then(|row| self.slots.get(row)).copied();
        let admitted = |row: u64| slot(row).is_some_and(|slot| wanted.has(slot as usize));
        let found = self.index.filtered_search(query, count, admitted).map_err(refused)?;
        let mut slots: Vec<u32> = found.keys.iter().filter_map(|row| slot(*row)).collect();
        slots.sort_unstable();
        slots.dedup();
        if slots.len() < k.min(wanted.count()) {
            return Ok(None);
        }
        Ok(Some(scan::best_of(segment, query, &slots)))
    }
}

fn refused(error: impl std::fmt::Display) -> Error {
    Error::Hnsw(error.to_string())
}
