//! What the text of a page says of it beside its vectors: BM25 of its chunks, and the sum of both.
//!
//! On captions and citing sentences of given papers (docs/VISUAL.md, "Does it find the page?") the sum of z-scores is
//! ahead of MaxSim alone and of reciprocal rank fusion.

use std::collections::HashMap;
use std::path::Path;

use techrag_core::token;
use techrag_index::{Bm25, Condition, PagePlace, Reader, Selection};

use crate::error::Result;

/// A page: document and number.
pub(crate) type PageOf = (u64, u32);

/// The text of the pages that the library stores, as far as the search may look.
pub(crate) struct Text {
    reader: Reader,
    among: Selection,
    /// The stored pages, ascending: what a chunk claims beyond them is nothing.
    pages: Vec<PageOf>,
}

impl Text {
    /// The chunks that meet every condition, for these pages.
    ///
    /// # Errors
    /// If the library cannot be read.
    pub(crate) fn open(root: &Path, scope: &[Condition], stored: &[PagePlace]) -> Result<Self> {
        let reader = Reader::open(root)?;
        let among = reader.select(scope)?;
        let mut pages: Vec<PageOf> = stored.iter().map(|place| (place.doc, place.page)).collect();
        pages.sort_unstable();
        Ok(Self { reader, among, pages })
    }

    /// BM25 of the best chunk on each page, of the `depth` best chunks.
    ///
    /// # Errors
    /// If the library cannot be read.
    pub(crate) fn of_pages(&self, text: &str, bm25: Bm25, depth: usize) -> Result<HashMap<PageOf, f64>> {
        let terms = token::tokens(text, token::Config::INDEX);
        let found = self.reader.lexical(&terms, bm25, depth, &self.among);
        let places: Vec<_> = found.iter().map(|ranked| ranked.item).collect();
        let mut best: HashMap<PageOf, f64> = HashMap::new();
        for (ranked, stored) in found.iter().zip(self.reader.stored(&places)?) {
            let Some([first, last]) = stored.chunk.pages else { continue };
            for page in within(&self.pages, ranked.uid.0, first, last) {
                let score = best.entry(*page).or_default();
                *score = score.max(ranked.score);
            }
        }
        Ok(best)
    }
}

/// The pages of a document from `first` to `last`; none where these are reversed.
fn within(pages: &[PageOf], doc: u64, first: u32, last: u32) -> &[PageOf] {
    let from = pages.partition_point(|page| *page < (doc, first));
    let to = pages.partition_point(|page| *page <= (doc, last));
    pages.get(from..to).unwrap_or_default()
}

/// Sums of z-scores (over these pages, population deviation), in the order of the pages. A page none of whose chunks
/// was found has BM25 score 0.
pub(crate) fn sums(maxsim: &[f64], bm25: &[f64]) -> Vec<f64> {
    standardised(maxsim).into_iter().zip(standardised(bm25)).map(|(a, b)| a + b).collect()
}

fn standardised(scores: &[f64]) -> Vec<f64> {
    let count = scores.len().max(1) as f64;
    let mean = scores.iter().sum::<f64>() / count;
    let deviation = (scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / count).sqrt();
    scores.iter().map(|score| if deviation > 0.0 { (score - mean) / deviation } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use techrag_core::record::{Chunk, Document};
    use techrag_index::{Add, AddConfig, Idf, Writer};

    use super::*;

    /// A library whose chunks, in order, have this year, these pages and this text, a document each.
    fn library(chunks: &[(i32, [u32; 2], &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let config = AddConfig { full: 99, idle: 99, replace: false };
        let mut add = Add::new(Writer::open(folder.path(), "test").unwrap(), config);
        for (number, (year, pages, text)) in chunks.iter().enumerate() {
            let doc_id = format!("{:016x}", number + 1);
            let document =
                Document { key: format!("{number}.pdf"), year: Some(*year), chunks: 1, ..Document::default() };
            add.document(Document { doc_id: doc_id.clone(), ..document }).unwrap();
            let (uid, text) = (techrag_core::id::uid(&doc_id, 0), (*text).to_owned());
            add.chunk(Chunk { uid, doc_id, text, pages: Some(*pages), ..Chunk::default() }).unwrap();
        }
        add.end().unwrap();
        folder
    }

    fn found(library: &Path, scope: &[&str], stored: &[PageOf], depth: usize) -> Vec<PageOf> {
        let place = |(doc, page): &PageOf| PagePlace { row: 1, file: 1, slot: 0, doc: *doc, page: *page };
        let stored: Vec<PagePlace> = stored.iter().map(place).collect();
        let scope: Vec<Condition> = scope.iter().map(|condition| condition.parse().unwrap()).collect();
        let bm25 = Bm25 { idf: Idf::Lucene, k1: 1.2, b: 0.75, weights: [1.0; 3] };
        let text = Text::open(library, &scope, &stored).unwrap();
        let mut pages: Vec<PageOf> = text.of_pages("slip", bm25, depth).unwrap().into_keys().collect();
        pages.sort_unstable();
        pages
    }

    #[test]
    fn what_a_chunk_claims_beyond_the_stored_pages_is_nothing() {
        let library = library(&[(2020, [1, u32::MAX], "slip"), (2020, [3, 2], "slip"), (2020, [2, 2], "slip")]);
        let stored = [(3, 2), (1, 9), (1, 1), (2, 2), (2, 3), (4, 1)];
        assert_eq!(found(library.path(), &[], &stored, 9), [(1, 1), (1, 9), (3, 2)]);
    }

    #[test]
    fn the_best_chunks_are_those_of_the_scope() {
        let library =
            library(&[(1999, [1, 1], "slip slip slip"), (1999, [1, 1], "slip slip"), (2020, [1, 1], "slip a b")]);
        let stored = [(1, 1), (2, 1), (3, 1)];
        assert_eq!(found(library.path(), &["year>=2020"], &stored, 1), [(3, 1)]);
        assert_ne!(found(library.path(), &[], &stored, 1), [(3, 1)]);
    }

    #[test]
    fn both_channels_count_alike_whatever_their_scale() {
        let sums = sums(&[10.0, 20.0, 30.0], &[0.3, 0.2, 0.1]);
        assert!(sums.iter().all(|sum| sum.abs() < 1e-9), "{sums:?}");
        assert_eq!(super::sums(&[1.0, 1.0], &[0.0, 2.0]), [-1.0, 1.0]);
        assert_eq!(super::sums(&[], &[]), [0.0; 0]);
    }
}
