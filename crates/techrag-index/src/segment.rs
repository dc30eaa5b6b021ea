//! A text segment in place: the chunks of some documents, their vectors and their lexical index, read by memory map.
//!
//! Chunks have slots `0..len`, ascending by [`Key`]. Sections of the frame:
//!
//! | section | items | content |
//! |---|---|---|
//! | `keys` | [`Key`] × len | which chunk a slot is |
//! | `rows` | u32 × (len + 1) | first vector row of a slot; the last entry is the number of rows |
//! | `vectors` | f16 × rows × dim | one row a window, L2-normalised |
//! | `lengths` | u32 × 3 × len | tokens of title, section and text |
//! | `terms` | bytes | all terms, ascending, one after the other |
//! | `termat` | u64 × (terms + 1) | where each term starts in `terms` |
//! | `postat` | u64 × (terms + 1) | where each term's postings start in `postings` |
//! | `postings` | [`Posting`] | slots ascending within a term |
//! | `dim` | u32 × 1 | dimensions of the vectors; 0 if there are none |
//!
//! A term of a learned sparse vector stands among the terms under a mark that no word has ([`learned_term`]); the counts
//! of its postings are the bits of its weight.
//!
//! Nothing read from the file is trusted to be in range: a damaged segment gives wrong scores until `verify` names it,
//! never a panic.

use std::ops::Range;
use std::path::Path;

use bytemuck::{Pod, Zeroable};
use half::f16;

use crate::error::Result;
use crate::frame::{Frame, Kind};

/// Kind and version of text segments.
pub const KIND: Kind = Kind { tag: *b"TEXT", version: 1 };

/// The fields a chunk is found by, in the order of [`Posting::counts`].
pub const FIELDS: usize = 3;

/// Which chunk a slot is. Ordered by document, then ordinal: the order of uids, and how ties break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Key {
    /// The document id read as a hexadecimal number.
    pub doc: u64,
    /// Its row in the catalog.
    pub row: i64,
    /// Ordinal of the chunk within the document.
    pub ordinal: u32,
    /// Always 0.
    pub pad: u32,
}

impl Key {
    /// The chunk's uid without its row: what keys are ordered by.
    pub fn order(&self) -> (u64, u32) {
        (self.doc, self.ordinal)
    }

    /// The uid as the wire writes it.
    pub fn uid(&self) -> String {
        techrag_core::id::uid(&format!("{:016x}", self.doc), self.ordinal)
    }
}

/// How often a term stands in a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Posting {
    /// The chunk.
    pub slot: u32,
    /// Occurrences: text in bits 0–15, section in 16–23, title in 24–31, each at most what fits.
    packed: u32,
}

impl Posting {
    /// A posting of `[title, section, text]` occurrences; more than 255, 255 and 65,535 count as that many.
    pub fn new(slot: u32, [title, section, text]: [u32; FIELDS]) -> Self {
        Self { slot, packed: title.min(0xff) << 24 | section.min(0xff) << 16 | text.min(0xffff) }
    }

    /// Occurrences in `[title, section, text]`.
    pub fn counts(self) -> [u32; FIELDS] {
        [self.packed >> 24, self.packed >> 16 & 0xff, self.packed & 0xffff]
    }

    /// A posting of a learned term of that weight.
    pub fn weighing(slot: u32, weight: f32) -> Self {
        Self { slot, packed: weight.to_bits() }
    }

    /// The weight, of a posting of a learned term.
    pub fn weight(self) -> f32 {
        f32::from_bits(self.packed)
    }

    /// The same counts for another slot.
    #[must_use]
    pub fn moved(self, slot: u32) -> Self {
        Self { slot, ..self }
    }
}

/// What stands before a learned term, so that it is no word: no token holds a control character.
const LEARNED: char = '\u{1}';

/// How a learned term stands among the terms.
pub fn learned_term(term: &str) -> String {
    format!("{LEARNED}{term}")
}

/// Whether a term is a learned one.
pub fn is_learned(term: &[u8]) -> bool {
    term.starts_with(&[LEARNED as u8])
}

/// An open segment.
#[derive(Debug)]
pub struct Segment {
    frame: Frame,
    dim: usize,
    keys: Range<usize>,
    rows: Range<usize>,
    vectors: Range<usize>,
    lengths: Range<usize>,
    terms: Range<usize>,
    term_starts: Range<usize>,
    posting_starts: Range<usize>,
    postings: Range<usize>,
}

impl Segment {
    /// Maps a segment and checks its header and the sizes of its sections.
    ///
    /// # Errors
    /// If the file cannot be mapped or is damaged there.
    pub fn open(path: &Path) -> Result<Self> {
        let frame = Frame::open(path, KIND)?;
        let place = |name| frame.place(name);
        let dim = frame.items::<u32>(&place("dim")?).first().copied().unwrap_or(0) as usize;
        let segment = Self {
            dim,
            keys: place("keys")?,
            rows: place("rows")?,
            vectors: place("vectors")?,
            lengths: place("lengths")?,
            terms: place("terms")?,
            term_starts: place("termat")?,
            posting_starts: place("postat")?,
            postings: place("postings")?,
            frame,
        };
        segment.sized()?;
        Ok(segment)
    }

    fn sized(&self) -> Result<()> {
        let rows = self.rows();
        let vectors = rows.last().copied().unwrap_or(0) as usize * self.dim;
        let fits = rows.len() == self.len() + 1
            && self.vectors().len() == vectors
            && self.lengths().len() == self.len()
            && self.term_starts().len() == self.posting_starts().len();
        if fits { Ok(()) } else { Err(self.frame.corrupt("its sections do not fit one another")) }
    }

    /// The frame around it.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Number of chunks, dead ones included.
    pub fn len(&self) -> usize {
        self.keys().len()
    }

    /// Whether there is no chunk in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Dimensions of the vectors; 0 if there are none.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Which chunk each slot is, ascending.
    pub fn keys(&self) -> &[Key] {
        self.frame.items(&self.keys)
    }

    /// The slots of a document.
    pub fn slots_of(&self, doc: u64) -> Range<usize> {
        let keys = self.keys();
        keys.partition_point(|key| key.doc < doc)..keys.partition_point(|key| key.doc <= doc)
    }

    /// First vector row of each slot, and the number of rows.
    pub fn rows(&self) -> &[u32] {
        self.frame.items(&self.rows)
    }

    /// All vector rows, one after the other.
    pub fn vectors(&self) -> &[f16] {
        self.frame.items(&self.vectors)
    }

    /// The vector rows of a slot.
    pub fn rows_of(&self, slot: usize) -> &[f16] {
        match self.rows().get(slot..).unwrap_or_default() {
            [start, end, ..] => {
                self.vectors().get(*start as usize * self.dim..*end as usize * self.dim).unwrap_or_default()
            }
            _ => &[],
        }
    }

    /// Tokens of title, section and text of each slot.
    pub fn lengths(&self) -> &[[u32; FIELDS]] {
        self.frame.items(&self.lengths)
    }

    /// Number of distinct terms.
    pub fn terms(&self) -> usize {
        self.term_starts().len().saturating_sub(1)
    }

    /// The term at a position of the ascending list of terms.
    pub fn term(&self, at: usize) -> &[u8] {
        match self.term_starts().get(at..).unwrap_or_default() {
            [start, end, ..] => {
                let terms: &[u8] = self.frame.items(&self.terms);
                terms.get(*start as usize..*end as usize).unwrap_or_default()
            }
            _ => &[],
        }
    }

    /// Where a chunk has the term at a position of the list, slots ascending.
    pub fn postings_at(&self, at: usize) -> &[Posting] {
        match self.posting_starts().get(at..).unwrap_or_default() {
            [start, end, ..] => {
                let postings: &[Posting] = self.frame.items(&self.postings);
                postings.get(*start as usize..*end as usize).unwrap_or_default()
            }
            _ => &[],
        }
    }

    /// The postings of a term; empty if no chunk has it.
    pub fn postings(&self, term: &str) -> &[Posting] {
        let (mut low, mut high) = (0, self.terms());
        while low < high {
            let middle = low.midpoint(high);
            match self.term(middle).cmp(term.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return self.postings_at(middle),
            }
        }
        &[]
    }

    fn term_starts(&self) -> &[u64] {
        self.frame.items(&self.term_starts)
    }

    fn posting_starts(&self) -> &[u64] {
        self.frame.items(&self.posting_starts)
    }
}
