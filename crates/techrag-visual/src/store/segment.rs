//! A file of pages: their vectors, where on the page each comes from, and their encodings.
//!
//! | section | items | content |
//! |---|---|---|
//! | `keys` | [`Key`] × pages | which page a slot is |
//! | `starts` | u32 × (pages + 1) | first vector of a slot |
//! | `vectors` | bytes or f16 | the vectors, each padded to a multiple of 4 numbers |
//! | `places` | [u16; 4] × vectors | box of each on its page, in 65,535ths of width and height; all 0 for none |
//! | `codes` | u8 × pages × length | encodings as bytes, padded to multiples of 64 |
//! | `scales` | f32 × pages | what one of a page's integers is worth |

use std::path::Path;

use bytemuck::{AnyBitPattern, Pod, Zeroable};
use half::f16;
use techrag_index::frame::{self, Frame, Section, Written};

use super::layout::{Form, Layout, VECTORS};
use crate::error::Result;
use crate::kernel::maxsim::STEP;
use crate::kernel::{self, Level, scan};

/// Which page a slot holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Key {
    /// The document's id as a number.
    pub doc: u64,
    /// The page, from 1.
    pub page: u32,
    /// Zero.
    pub pad: u32,
}

/// A place on a page: left, top, right, bottom in 65,535ths.
pub(crate) type Spot = [u16; 4];

/// A page as it is to be stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Draft {
    pub(crate) key: Key,
    /// Vectors in the layout's form, padded.
    pub(crate) vectors: Vec<u8>,
    pub(crate) spots: Vec<Spot>,
    /// The encoding as bytes.
    pub(crate) code: Vec<u8>,
    pub(crate) scale: f32,
}

impl Draft {
    /// From vectors of the layout's length, one after the other, and their places.
    pub(crate) fn new(key: Key, values: &[f32], spots: Vec<Spot>, encoding: &[f32], layout: &Layout) -> Self {
        let padding = layout.dim().next_multiple_of(STEP) - layout.dim();
        let zeros = std::iter::repeat_n(0.0, padding);
        let padded = values.chunks_exact(layout.dim()).flat_map(|row| row.iter().copied().chain(zeros.clone()));
        let vectors = match layout.form {
            Form::Int8 => padded.map(kernel::to_byte).collect(),
            Form::F16 => padded.flat_map(|value| f16::from_f32(value).to_le_bytes()).collect(),
        };
        let integers = scan::Integers::new(encoding);
        let code = integers.values.iter().map(|v| v.cast_unsigned().wrapping_add(kernel::OFFSET)).collect();
        Self { key, vectors, spots, code, scale: integers.scale }
    }
}

/// Writes pages as a segment.
pub(crate) fn write(path: &Path, drafts: &[Draft]) -> Result<Written> {
    let keys: Vec<Key> = drafts.iter().map(|draft| draft.key).collect();
    let mut starts = vec![0_u32];
    for draft in drafts {
        starts.push(starts.last().copied().unwrap_or(0) + draft.spots.len() as u32);
    }
    let scales: Vec<f32> = drafts.iter().map(|draft| draft.scale).collect();
    let vectors: Vec<u8> = drafts.iter().flat_map(|draft| &draft.vectors).copied().collect();
    let spots: Vec<Spot> = drafts.iter().flat_map(|draft| &draft.spots).copied().collect();
    let codes: Vec<u8> = drafts.iter().flat_map(|draft| &draft.code).copied().collect();
    let sections = [
        Section { name: "keys", bytes: bytemuck::cast_slice(&keys) },
        Section { name: "starts", bytes: bytemuck::cast_slice(&starts) },
        Section { name: "vectors", bytes: &vectors },
        Section { name: "places", bytes: bytemuck::cast_slice(&spots) },
        Section { name: "codes", bytes: &codes },
        Section { name: "scales", bytes: bytemuck::cast_slice(&scales) },
    ];
    Ok(frame::write(path, VECTORS.1, &sections)?)
}

type Range = std::ops::Range<usize>;

/// An open segment, read in place.
#[derive(Debug)]
pub(crate) struct Segment {
    frame: Frame,
    keys: Range,
    starts: Range,
    vectors: Range,
    places: Range,
    codes: Range,
    scales: Range,
    /// Bytes of a vector and of an encoding.
    row: usize,
    code: usize,
    form: Form,
}

impl Segment {
    /// Opens the frame of a segment of this layout.
    pub(crate) fn of(frame: Frame, layout: &Layout) -> Result<Self> {
        let place = |name: &str| frame.place(name);
        let segment = Self {
            keys: place("keys")?,
            starts: place("starts")?,
            vectors: place("vectors")?,
            places: place("places")?,
            codes: place("codes")?,
            scales: place("scales")?,
            row: layout.dim().next_multiple_of(STEP) * layout.form.width(),
            code: layout.fde.length().next_multiple_of(scan::LANES),
            form: layout.form,
            frame,
        };
        let (pages, rows) = (segment.len(), segment.starts().last().map_or(0, |rows| *rows as usize));
        let fits = segment.starts().len() == pages + 1
            && segment.starts().is_sorted()
            && segment.vectors.len() == rows * segment.row
            && segment.items::<Spot>(&segment.places).len() == rows
            && segment.codes.len() == pages * segment.code
            && segment.scales().len() == pages;
        if !fits {
            return Err(segment.frame.corrupt("its sections do not fit one another").into());
        }
        Ok(segment)
    }

    fn items<T: AnyBitPattern>(&self, place: &Range) -> &[T] {
        self.frame.items(place)
    }

    pub(crate) fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Number of pages.
    pub(crate) fn len(&self) -> usize {
        self.keys.len() / size_of::<Key>()
    }

    pub(crate) fn keys(&self) -> &[Key] {
        self.items(&self.keys)
    }

    fn starts(&self) -> &[u32] {
        self.items(&self.starts)
    }

    fn scales(&self) -> &[f32] {
        self.items(&self.scales)
    }

    /// The vectors of a slot, as places in the section.
    pub(crate) fn rows(&self, slot: usize) -> Range {
        match self.starts().get(slot..slot + 2) {
            Some([start, end]) => *start as usize..*end as usize,
            _ => 0..0,
        }
    }

    fn bytes_of(&self, slot: usize) -> Range {
        let rows = self.rows(slot);
        self.vectors.start + rows.start * self.row..self.vectors.start + rows.end * self.row
    }

    /// Tells the system that a slot's vectors are about to be read.
    pub(crate) fn will_need(&self, slot: usize) {
        self.frame.will_need(&self.bytes_of(slot));
    }

    /// Gives back the memory of a slot's vectors and of their places.
    pub(crate) fn done_with(&self, slot: usize) {
        self.frame.done_with(&self.bytes_of(slot));
        let rows = self.rows(slot);
        let spot = size_of::<Spot>();
        self.frame.done_with(&(self.places.start + rows.start * spot..self.places.start + rows.end * spot));
    }

    /// Where the vectors of a slot come from.
    pub(crate) fn spots(&self, slot: usize) -> &[Spot] {
        self.items::<Spot>(&self.places).get(self.rows(slot)).unwrap_or_default()
    }

    /// The encoding of a slot as bytes, and what one of its integers is worth.
    pub(crate) fn code(&self, slot: usize) -> (&[u8], f32) {
        let codes: &[u8] = self.items(&self.codes);
        let code = codes.get(slot * self.code..(slot + 1) * self.code).unwrap_or_default();
        (code, self.scales().get(slot).copied().unwrap_or(0.0))
    }

    /// The same if it has the length of a query's.
    pub(crate) fn code_of(&self, slot: usize, length: usize) -> Option<(&[u8], f32)> {
        Some(self.code(slot)).filter(|(code, _)| code.len() == length)
    }

    /// Exact MaxSim of a slot's vectors, or of some of them by their places within the slot.
    pub(crate) fn maxsim(&self, query: &Asked, slot: usize, only: Option<&[usize]>) -> f32 {
        let bytes: &[u8] = self.items(&self.bytes_of(slot));
        match only {
            None => query.score(bytes, self.form),
            Some(only) => {
                let row = |at: &usize| bytes.get(at * self.row..(at + 1) * self.row).unwrap_or_default();
                // Aligned as f16 needs it.
                let some: Vec<u8> = only.iter().flat_map(row).copied().collect();
                query.score(&some, self.form)
            }
        }
    }

    /// The vectors of a slot as numbers again, without padding.
    pub(crate) fn floats(&self, slot: usize, layout: &Layout) -> Vec<f32> {
        let bytes: &[u8] = self.items(&self.bytes_of(slot));
        let numbers: Vec<f32> = match self.form {
            Form::Int8 => {
                bytes.iter().map(|byte| (f32::from(*byte) - f32::from(kernel::OFFSET)) / kernel::LARGEST).collect()
            }
            Form::F16 => bytes.as_chunks::<2>().0.iter().map(|half| f16::from_le_bytes(*half).to_f32()).collect(),
        };
        let padded = layout.dim().next_multiple_of(STEP);
        numbers.chunks_exact(padded).flat_map(|row| &row[..layout.dim()]).copied().collect()
    }

    /// A slot as it was stored.
    pub(crate) fn draft(&self, slot: usize) -> Draft {
        let (code, scale) = self.code(slot);
        let bytes: &[u8] = self.items(&self.bytes_of(slot));
        Draft {
            key: self.keys().get(slot).copied().unwrap_or_default(),
            vectors: bytes.to_vec(),
            spots: self.spots(slot).to_vec(),
            code: code.to_vec(),
            scale,
        }
    }
}

/// A query's vectors, ready for MaxSim in the layout's form.
#[derive(Clone, Debug)]
pub(crate) enum Asked {
    Bytes(kernel::maxsim::Bytes),
    Halves(kernel::maxsim::Halves),
}

impl Asked {
    pub(crate) fn new(vectors: &[f32], layout: &Layout) -> Self {
        match layout.form {
            Form::Int8 => Self::Bytes(kernel::maxsim::Bytes::new(vectors, layout.dim())),
            Form::F16 => Self::Halves(kernel::maxsim::Halves::new(vectors, layout.dim())),
        }
    }

    fn score(&self, bytes: &[u8], form: Form) -> f32 {
        match (self, form) {
            (Self::Bytes(query), Form::Int8) => query.score(bytes, Level::best()),
            (Self::Halves(query), Form::F16) => match bytemuck::try_cast_slice::<u8, f16>(bytes) {
                Ok(halves) => query.score(halves, Level::best()),
                Err(_) => {
                    let halves: Vec<f16> =
                        bytes.as_chunks::<2>().0.iter().map(|half| f16::from_le_bytes(*half)).collect();
                    query.score(&halves, Level::best())
                }
            },
            _ => 0.0,
        }
    }
}
