//! Whole paragraphs of one section packed into chunks (SPEC section 2, paper A 5.3 and appendix A).
//!
//! Greedy, in reading order: a paragraph joins the open chunk while that brings it nearer to the target and not over
//! the maximum. Each further chunk of a section opens with the whole sentences or paragraphs that closed the one before,
//! about `overlap` characters of them; never a whole chunk, never across sections, never a table.
//!
//! Below the minimum, decided here since the paper leaves it open: the last chunk of a section joins the one before it
//! if the two fit the maximum; a section that is smaller than the minimum stays a chunk of its own, since a chunk never
//! spans two sections.

use techrag_core::record::{Span, Table};
use techrag_core::sentence;

use crate::Config;
use crate::draft::{Paragraph, ParagraphKind, chars, clip};

/// What stands between two paragraphs of a chunk.
const GAP: &str = "\n\n";

/// Times the overlap that its first sentence may be long, so that a long last sentence is still repeated.
const OVERLAP_SLACK: f32 = 1.5;

/// A chunk before it has an id.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Packed {
    pub(crate) text: String,
    pub(crate) spans: Vec<Span>,
    pub(crate) tables: Vec<Table>,
    /// Bytes at the start of `text` that repeat the end of the chunk before.
    pub(crate) overlap: usize,
}

/// A stretch of a paragraph: all of it, or the sentences at its end that an overlap repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    paragraph: usize,
    start: usize,
}

/// The chunks of a section; `paragraphs` are in reading order and were split to size ([`crate::split`]).
pub(crate) fn pack(paragraphs: &[Paragraph], config: &Config) -> Vec<Packed> {
    let packer = Packer { paragraphs, config };
    let mut groups: Vec<Group> = Vec::new();
    for at in 0..paragraphs.len() {
        match groups.last_mut() {
            Some(open) if packer.joins(open, at) => open.own.push(at),
            _ => {
                let overlap = groups.last().map(|closed| packer.overlap(closed, at)).unwrap_or_default();
                groups.push(Group { overlap, own: vec![at] });
            }
        }
    }
    packer.merge_tail(&mut groups);
    groups.iter().map(|group| packer.build(group)).collect()
}

#[derive(Clone, Debug, Default)]
struct Group {
    overlap: Vec<Piece>,
    own: Vec<usize>,
}

struct Packer<'a> {
    paragraphs: &'a [Paragraph],
    config: &'a Config,
}

impl Packer<'_> {
    fn text(&self, piece: Piece) -> &str {
        &self.paragraphs[piece.paragraph].text[piece.start..]
    }

    fn pieces_length(&self, pieces: &[Piece]) -> usize {
        pieces.iter().map(|piece| chars(self.text(*piece)) + GAP.len()).sum::<usize>().saturating_sub(GAP.len())
    }

    fn own(&self, group: &Group) -> usize {
        let pieces: Vec<Piece> = group.own.iter().map(|&paragraph| Piece { paragraph, start: 0 }).collect();
        self.pieces_length(&pieces)
    }

    fn length(&self, group: &Group) -> usize {
        let overlap = self.pieces_length(&group.overlap);
        self.own(group) + if overlap == 0 { 0 } else { overlap + GAP.len() }
    }

    /// Whether the paragraph brings the group nearer to the target without passing the maximum.
    fn joins(&self, group: &Group, at: usize) -> bool {
        let now = self.length(group);
        let then = now + GAP.len() + chars(&self.paragraphs[at].text);
        then <= self.config.max && then.abs_diff(self.config.target) <= now.abs_diff(self.config.target)
    }

    /// What the next chunk, opened by paragraph `next`, repeats of `closed`: the most of its last paragraphs and
    /// sentences that fit both the overlap and the maximum.
    fn overlap(&self, closed: &Group, next: usize) -> Vec<Piece> {
        let room = self.config.max.saturating_sub(chars(&self.paragraphs[next].text) + GAP.len());
        let wanted = self.config.overlap.min(room);
        let most = ((self.config.overlap as f32 * OVERLAP_SLACK) as usize).min(room);
        let mut pieces: Vec<Piece> = Vec::new();
        for &paragraph in closed.own.iter().rev() {
            if wanted == 0 || self.paragraphs[paragraph].kind != ParagraphKind::Prose {
                break;
            }
            let used = self.pieces_length(&pieces) + if pieces.is_empty() { 0 } else { GAP.len() };
            let limit = if pieces.is_empty() { most } else { wanted };
            match self.tail(paragraph, wanted.saturating_sub(used), limit.saturating_sub(used)) {
                Some(start) => pieces.insert(0, Piece { paragraph, start }),
                None => break,
            }
            if pieces[0].start > 0 {
                break;
            }
        }
        let whole = pieces.first() == closed.own.first().map(|&paragraph| Piece { paragraph, start: 0 }).as_ref();
        if whole { self.without_first_sentence(pieces) } else { pieces }
    }

    /// Where the last whole sentences of a paragraph start: as many as have `wanted` characters together, one at least
    /// if it has no more than `most`.
    fn tail(&self, paragraph: usize, wanted: usize, most: usize) -> Option<usize> {
        let text = &self.paragraphs[paragraph].text;
        let mut start = None;
        for range in sentence::ranges(text).into_iter().rev() {
            let limit = if start.is_none() { most } else { wanted };
            if chars(&text[range.start..]) > limit {
                break;
            }
            start = Some(range.start);
        }
        // White space in front of the first sentence is no reason to call the paragraph cut.
        start.map(|start| if text[..start].trim().is_empty() { 0 } else { start })
    }

    /// An overlap must not repeat a whole chunk: it would be that chunk again, and longer.
    fn without_first_sentence(&self, mut pieces: Vec<Piece>) -> Vec<Piece> {
        let Some(first) = pieces.first().copied() else { return pieces };
        match sentence::ranges(self.text(first)).get(1) {
            Some(second) => pieces[0].start = first.start + second.start,
            None => drop(pieces.remove(0)),
        }
        pieces
    }

    fn merge_tail(&self, groups: &mut Vec<Group>) {
        let [.., before, tail] = groups.as_slice() else { return };
        let merged = self.length(before) + GAP.len() + self.own(tail);
        if self.own(tail) < self.config.min && merged <= self.config.max {
            let own = groups.pop().map(|tail| tail.own).unwrap_or_default();
            if let Some(before) = groups.last_mut() {
                before.own.extend(own);
            }
        }
    }

    fn build(&self, group: &Group) -> Packed {
        let mut packed = Packed::default();
        for &piece in &group.overlap {
            self.push(piece, &mut packed);
        }
        packed.overlap = packed.text.len();
        for &paragraph in &group.own {
            self.push(Piece { paragraph, start: 0 }, &mut packed);
            packed.tables.extend(self.paragraphs[paragraph].table.clone());
        }
        packed
    }

    fn push(&self, piece: Piece, packed: &mut Packed) {
        if !packed.text.is_empty() {
            packed.text.push_str(GAP);
        }
        let (at, paragraph) = (packed.text.len(), &self.paragraphs[piece.paragraph]);
        packed.text.push_str(self.text(piece));
        let spans = clip(&paragraph.spans, piece.start, paragraph.text.len());
        packed.spans.extend(spans.into_iter().map(|span| Span { start: span.start + at, end: span.end + at, ..span }));
    }
}

#[cfg(test)]
#[path = "pack_tests.rs"]
mod tests;
