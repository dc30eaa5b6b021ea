//! Whether the pages are what was stored, and how much the encodings lose against exact MaxSim.

use std::path::Path;

use techrag_index::bits::Bits;
use techrag_index::top::Ranked;
use techrag_index::{PagePlace, Problem, verify_pages};

use crate::error::Result;
use crate::kept;
use crate::search::exact;
use crate::store::layout;
use crate::store::segment::Asked;
use crate::store::view::{Pages, View};

/// What verification came to.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// Pages stored, of documents that are in the library.
    pub pages: usize,
    /// Pages stored of documents that are gone.
    pub orphans: usize,
    /// Pages remembered as failed.
    pub failed: usize,
    /// Pictures of pages and crops that are well.
    pub pictures: usize,
    /// Files read whole.
    pub files: usize,
    /// What is wrong; empty if nothing is.
    pub problems: Vec<Problem>,
    /// Recall by depth, where it was measured.
    pub recall: Vec<Recall>,
}

/// How many of the best pages by exact MaxSim are among so many by the encodings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recall {
    /// Pages the encodings choose.
    pub depth: usize,
    /// Share of the exact ten found, 0 to 1.
    pub ten: f64,
    /// Share of queries whose exact first is found, 0 to 1.
    pub first: f64,
    /// Queries asked.
    pub queries: usize,
}

/// Depths that recall is given for.
const DEPTHS: [usize; 5] = [20, 50, 100, 200, 500];
/// How many of the exact best are looked for.
const BEST: usize = 10;
/// Vectors of a page that stand for a query: as many as a question of the paper has.
const LONG: usize = 32;

/// Reads all files of pages and all pictures of the library at `root` and compares; `queries` stored pages stand as queries for the
/// recall, each by 32 of its vectors that follow one another, and are left out of their own results.
///
/// # Errors
/// If there is no library or its catalog cannot be read. Damage is in the result.
pub fn verify(root: &Path, queries: usize) -> Result<Verified> {
    let mut verified = Verified { problems: verify_pages(root, layout::kind)?, ..Verified::default() };
    let view = match View::open(root) {
        Ok(view) => view,
        Err(error) if verified.problems.is_empty() => return Err(error),
        Err(_) => return Ok(verified),
    };
    let (pictures, broken) = kept::verify(root);
    verified.pictures = pictures;
    verified.problems.extend(broken);
    let wanted = view.reader.select(&[])?;
    verified.files = view.reader.files()?.len();
    verified.failed = view.reader.failures()?.len();
    if let Some(pages) = &view.pages {
        verified.pages = wanted.count();
        verified.orphans = pages.stored.len() - verified.pages;
        compare(pages, &mut verified);
        verified.recall = recall(pages, &wanted, queries);
    }
    Ok(verified)
}

/// Every page's slot against the key in it.
fn compare(pages: &Pages, verified: &mut Verified) {
    for place in &pages.stored {
        let key = pages.segments.get(&place.file).and_then(|segment| segment.keys().get(place.slot as usize));
        if key.is_none_or(|key| (key.doc, key.page) != (place.doc, place.page)) {
            let file = pages.segments.get(&place.file).map_or_else(Default::default, |it| it.frame().path().to_owned());
            let what = format!("slot {} is not page {} of {:016x}", place.slot, place.page, place.doc);
            verified.problems.push(Problem { file, what });
        }
    }
}

fn recall(pages: &Pages, wanted: &Bits, queries: usize) -> Vec<Recall> {
    let row = |place: &PagePlace| usize::try_from(place.row).unwrap_or(usize::MAX);
    let living: Vec<&PagePlace> = pages.stored.iter().filter(|place| wanted.has(row(place))).collect();
    let Some(step) = living.len().checked_div(queries).filter(|_| living.len() > BEST) else { return Vec::new() };
    let mut sums = DEPTHS.map(|_| (0.0, 0.0));
    let mut asked = 0;
    for place in living.iter().step_by(step.max(1)).take(queries) {
        let Some(vectors) = query_of(pages, place) else { continue };
        asked += 1;
        let near = pages.codes.nearest(&pages.fde.query(&vectors), living.len(), wanted, &pages.segments);
        let near: Vec<Ranked<PagePlace>> = near.into_iter().filter(|ranked| ranked.item.row != place.row).collect();
        let best = exact(pages, &Asked::new(&vectors, &pages.layout), &near, BEST);
        let rank = |row: i64| near.iter().position(|ranked| ranked.item.row == row).unwrap_or(usize::MAX);
        let ranks: Vec<usize> = best.iter().map(|ranked| rank(ranked.item.place.row)).collect();
        for (sum, depth) in sums.iter_mut().zip(DEPTHS) {
            sum.0 += ranks.iter().filter(|rank| **rank < depth).count() as f64 / ranks.len().max(1) as f64;
            sum.1 += f64::from(u8::from(ranks.first().is_some_and(|rank| *rank < depth)));
        }
    }
    let of = |(depth, (ten, first)): (usize, (f64, f64))| {
        let count = f64::from(u32::try_from(asked).unwrap_or(u32::MAX)).max(1.0);
        Recall { depth, ten: ten / count, first: first / count, queries: asked }
    };
    // A depth that takes in every page says nothing.
    DEPTHS.into_iter().zip(sums).filter(|(depth, _)| *depth + 1 < living.len()).map(of).collect()
}

/// Vectors from the middle of a page.
fn query_of(pages: &Pages, place: &PagePlace) -> Option<Vec<f32>> {
    let segment = pages.segments.get(&place.file)?;
    let values = segment.floats(place.slot as usize, &pages.layout);
    let count = values.len() / pages.layout.dim();
    let start = count.saturating_sub(LONG) / 2;
    let query = values.chunks_exact(pages.layout.dim()).skip(start).take(LONG).flatten().copied().collect::<Vec<f32>>();
    (!query.is_empty()).then_some(query)
}
