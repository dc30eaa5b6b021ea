//! Making segments: from chunks, or from other segments without their dead.
//!
//! Both ways give [`Parts`], and the same chunks give equal parts either way: that is how `verify` compares a segment
//! with the catalog, and why compaction need not read a text again.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use half::f16;
use rayon::prelude::*;
use techrag_core::token;

use crate::bits::Bits;
use crate::error::Result;
use crate::frame::{self, Section, Written};
use crate::segment::{self, FIELDS, KIND, Key, Posting, Segment};

/// A chunk on its way into a segment.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Which chunk.
    pub key: Key,
    /// Title of its document.
    pub title: Arc<str>,
    /// Heading of its section.
    pub section: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
    /// Its windows' vectors, one after the other.
    pub vectors: Arc<[f32]>,
    /// Weights of its learned terms.
    pub learned: Arc<BTreeMap<String, f32>>,
}

/// The content of a segment in memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    dim: u32,
    keys: Vec<Key>,
    rows: Vec<u32>,
    vectors: Vec<f16>,
    lengths: Vec<[u32; FIELDS]>,
    terms: BTreeMap<Vec<u8>, Vec<Posting>>,
}

/// The occurrences of each term in one chunk, and the lengths of its fields.
type Counted = (HashMap<String, [u32; FIELDS]>, [u32; FIELDS]);

impl Parts {
    /// Tokenises chunks on all cores and gathers their postings and vectors. `dim` is the length of a vector, 0 where
    /// no chunk has any.
    pub fn of(mut drafts: Vec<Draft>, dim: usize) -> Self {
        drafts.sort_by_key(|draft| draft.key.order());
        let counted: Vec<Counted> = drafts.par_iter().map(count).collect();
        let mut parts = Self::empty(dim);
        for (draft, (terms, lengths)) in drafts.iter().zip(counted) {
            let slot = parts.keys.len() as u32;
            parts.push(draft.key, lengths, draft.vectors.iter().map(|value| f16::from_f32(*value)));
            for (term, counts) in terms {
                parts.terms.entry(term.into_bytes()).or_default().push(Posting::new(slot, counts));
            }
            for (term, weight) in draft.learned.iter() {
                let term = segment::learned_term(term).into_bytes();
                parts.terms.entry(term).or_default().push(Posting::weighing(slot, *weight));
            }
        }
        parts
    }

    /// The chunks of several segments that are not dead.
    pub fn merged(segments: &[(&Segment, &Bits)]) -> Self {
        let dim = segments.iter().map(|(segment, _)| segment.dim()).max().unwrap_or(0);
        let mut order: Vec<(Key, usize, usize)> = Vec::new();
        for (of, (segment, dead)) in segments.iter().enumerate() {
            let alive = segment.keys().iter().enumerate().filter(|(slot, _)| !dead.has(*slot));
            order.extend(alive.map(|(slot, key)| (*key, of, slot)));
        }
        order.sort_by_key(|(key, ..)| key.order());
        let mut parts = Self::empty(dim);
        let mut moved: Vec<Vec<Option<u32>>> = segments.iter().map(|(segment, _)| vec![None; segment.len()]).collect();
        for (key, of, slot) in order {
            let segment = segments[of].0;
            moved[of][slot] = Some(parts.keys.len() as u32);
            let lengths = segment.lengths().get(slot).copied().unwrap_or_default();
            parts.push(key, lengths, segment.rows_of(slot).iter().copied());
        }
        for ((segment, _), moved) in segments.iter().zip(&moved) {
            parts.take_postings(segment, moved);
        }
        parts.terms.par_iter_mut().for_each(|(_, postings)| postings.sort_unstable_by_key(|posting| posting.slot));
        parts
    }

    fn empty(dim: usize) -> Self {
        Self { dim: dim as u32, rows: vec![0], ..Self::default() }
    }

    fn push(&mut self, key: Key, lengths: [u32; FIELDS], vectors: impl Iterator<Item = f16>) {
        self.keys.push(key);
        self.lengths.push(lengths);
        self.vectors.extend(vectors);
        self.rows.push(self.vectors.len().checked_div(self.dim as usize).unwrap_or(0) as u32);
    }

    fn take_postings(&mut self, segment: &Segment, moved: &[Option<u32>]) {
        for at in 0..segment.terms() {
            let new_slot = |posting: &Posting| moved.get(posting.slot as usize).copied().flatten();
            let mut alive = segment.postings_at(at).iter().filter_map(|p| Some(p.moved(new_slot(p)?))).peekable();
            if alive.peek().is_some() {
                self.terms.entry(segment.term(at).to_vec()).or_default().extend(alive);
            }
        }
    }

    /// Number of chunks.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is no chunk.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// About how many bytes it takes on disk.
    pub(crate) fn bytes(&self) -> u64 {
        let postings: usize =
            self.terms.iter().map(|(term, found)| term.len() + size_of_val(found.as_slice()) + 16).sum();
        let slots = size_of::<Key>() + size_of::<u32>() + size_of::<[u32; FIELDS]>();
        (self.keys.len() * slots + size_of_val(self.vectors.as_slice()) + postings) as u64
    }

    /// Writes the segment, durably and under its final name only when complete.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<Written> {
        let (mut term_starts, mut posting_starts) = (vec![0_u64], vec![0_u64]);
        let (mut terms, mut postings) = (Vec::new(), Vec::new());
        for (term, found) in &self.terms {
            terms.extend_from_slice(term);
            postings.extend_from_slice(found);
            term_starts.push(terms.len() as u64);
            posting_starts.push(postings.len() as u64);
        }
        let sections = [
            Section { name: "keys", bytes: bytemuck::cast_slice(&self.keys) },
            Section { name: "rows", bytes: bytemuck::cast_slice(&self.rows) },
            Section { name: "vectors", bytes: bytemuck::cast_slice(&self.vectors) },
            Section { name: "lengths", bytes: bytemuck::cast_slice(&self.lengths) },
            Section { name: "terms", bytes: &terms },
            Section { name: "termat", bytes: bytemuck::cast_slice(&term_starts) },
            Section { name: "postat", bytes: bytemuck::cast_slice(&posting_starts) },
            Section { name: "postings", bytes: bytemuck::cast_slice(&postings) },
            Section { name: "dim", bytes: bytemuck::bytes_of(&self.dim) },
        ];
        frame::write(path, KIND, &sections)
    }
}

fn count(draft: &Draft) -> Counted {
    let mut terms: HashMap<String, [u32; FIELDS]> = HashMap::new();
    let mut lengths = [0; FIELDS];
    for (field, text) in [&draft.title, &draft.section, &draft.text].into_iter().enumerate() {
        for token in token::tokens(text, token::Config::INDEX) {
            terms.entry(token).or_default()[field] += 1;
            lengths[field] += 1;
        }
    }
    (terms, lengths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(doc: u64, ordinal: u32, text: &str) -> Draft {
        let key = Key { doc, row: doc as i64 * 100 + i64::from(ordinal), ordinal, pad: 0 };
        let vectors = [doc as f32, ordinal as f32, 0.5, 0.25].into();
        let learned = Arc::new(BTreeMap::from([("tyre".to_owned(), 0.5 + ordinal as f32)]));
        Draft { key, title: "Slip".into(), section: "1 Method".into(), text: text.into(), vectors, learned }
    }

    fn written(parts: &Parts, folder: &Path, name: &str) -> Segment {
        let path = folder.join(name);
        parts.write(&path).unwrap();
        Segment::open(&path).unwrap()
    }

    #[test]
    fn a_segment_holds_what_was_put_in() {
        let folder = tempfile::tempdir().unwrap();
        let parts =
            Parts::of(vec![draft(7, 1, "slip slip angle"), draft(7, 0, "brush"), draft(3, 0, "brush angle")], 2);
        let segment = written(&parts, folder.path(), "a.seg");
        let uids: Vec<String> = segment.keys().iter().map(Key::uid).collect();
        assert_eq!(uids, ["0000000000000003:0", "0000000000000007:0", "0000000000000007:1"]);
        assert_eq!(segment.slots_of(7), 1..3);
        assert_eq!(segment.slots_of(5), 1..1);
        assert_eq!(segment.rows(), [0, 2, 4, 6]);
        assert_eq!(segment.rows_of(2)[..2], [f16::from_f32(7.0), f16::from_f32(1.0)]);
        assert_eq!(segment.lengths()[2], [1, 2, 3]);
        let slots = |term| segment.postings(term).iter().map(|p| (p.slot, p.counts())).collect::<Vec<_>>();
        assert_eq!(slots("brush"), [(0, [0, 0, 1]), (1, [0, 0, 1])]);
        assert_eq!(slots("slip"), [(0, [1, 0, 0]), (1, [1, 0, 0]), (2, [1, 0, 2])]);
        assert_eq!(slots("nothing"), []);
        let learned = segment.postings(&segment::learned_term("tyre"));
        assert_eq!(learned.iter().map(|p| (p.slot, p.weight())).collect::<Vec<_>>(), [(0, 0.5), (1, 0.5), (2, 1.5)]);
        assert_eq!(slots("tyre"), [], "a learned term is no word");
    }

    #[test]
    fn a_merge_equals_a_segment_made_of_the_living() {
        let folder = tempfile::tempdir().unwrap();
        let texts = ["slip angle", "ring", "ring angle", "brush model", "slip model"];
        let drafts: Vec<Draft> = (0..5).map(|n| draft(9 - n, 0, texts[n as usize])).collect();
        let a = written(&Parts::of(drafts[..2].to_vec(), 2), folder.path(), "a.seg");
        let b = written(&Parts::of(drafts[2..].to_vec(), 2), folder.path(), "b.seg");
        let mut dead = Bits::new();
        dead.insert(b.slots_of(7).start);
        let merged = Parts::merged(&[(&a, &Bits::new()), (&b, &dead)]);
        let living = drafts.iter().filter(|draft| draft.key.doc != 7).cloned().collect();
        assert_eq!(merged, Parts::of(living, 2));
    }

    #[test]
    fn counts_saturate_instead_of_spilling_into_a_neighbour() {
        assert_eq!(Posting::new(4, [300, 1, 70_000]).counts(), [255, 1, 65_535]);
    }

    #[test]
    fn no_chunks_make_a_segment_too() {
        let folder = tempfile::tempdir().unwrap();
        let segment = written(&Parts::of(Vec::new(), 0), folder.path(), "a.seg");
        assert!(segment.is_empty() && segment.postings("x").is_empty());
    }
}
