//! Items under their headings, as paragraphs; the reference list taken apart.
//!
//! A paragraph that a column or page end cuts is put together again. What stands between its parts (a float, a footnote)
//! belongs to neither and interrupts no text: it stands where something else does interrupt it, at the end of the section
//! or before another float, or else where the text of the next page is at an end. A table and its caption become one paragraph, so
//! that neither is retrieved without the other.

use std::ops::Range;

use techrag_core::record::{Heading, Role, Span, SpanKind, Table};
use techrag_pdf::Script;

use super::aside;
use super::front::Opening;
use super::heading::Found;
use super::item::{Item, ItemKind};
use super::wording;
use crate::draft::{Draft, Paragraph, ParagraphKind, Section};
use crate::lines::{TextLine, Words, weld};
use crate::role::{self, Roles};
use crate::{references, table};

/// Fills sections and references of the draft.
pub(crate) fn build(items: &[Item<'_>], headings: &[Found], opening: &Opening, draft: &mut Draft) {
    let words = Words::of(items.iter().flat_map(|item| item.lines.iter().map(String::as_str)));
    let mut builder = Builder {
        words: &words,
        opening,
        draft,
        roles: Roles::default(),
        target: Target::Section,
        open: Vec::new(),
        waiting: Vec::new(),
        late: Vec::new(),
        expects_more: false,
        cited: Vec::new(),
        list: Found::default(),
        left_out: 0,
    };
    let role = if opening.end > opening.title.start { Role::FrontMatter } else { Role::Other };
    builder.draft.sections.push(Section { role, ..Section::default() });
    builder.draft.outline = outline(items, headings);
    let mut next = headings.iter().peekable();
    let mut at = 0;
    while let Some(item) = items.get(at) {
        let heading = next.next_if(|heading| heading.item == at);
        if let Some(heading) = heading {
            builder.open_section(heading);
            if heading.items > 0 {
                at += heading.items;
                continue;
            }
        }
        let until = next.peek().map_or(items.len(), |heading| heading.item.max(at + 1));
        match captioned(&items[at..until]).filter(|_| heading.is_none()) {
            Some((caption, grids)) => {
                let group = &items[at..];
                group[grids.clone()].iter().for_each(|grid| builder.add_table(grid, &group[caption]));
                let notes = if caption > grids.end { &group[grids.end..caption] } else { &[] };
                notes.iter().for_each(|note| builder.add(note, lines(note, None)));
                at += grids.len() + notes.len() + 1;
            }
            None => {
                builder.add(item, lines(item, heading));
                at += 1;
            }
        }
    }
    builder.finish();
}

/// The headings, a table of contents aside.
fn outline(items: &[Item<'_>], headings: &[Found]) -> Vec<Heading> {
    let named = headings.iter().filter(|heading| !wording::is_contents(&heading.text));
    let heading = |found: &Found| Heading {
        text: found.text.clone(),
        level: u32::try_from(found.level).unwrap_or(u32::MAX).max(1),
        page: items.get(found.item).map(|item| item.page),
        ..Heading::default()
    };
    named.map(heading).collect()
}

/// The lines of an item without the heading run into them.
fn lines(item: &Item<'_>, heading: Option<&Found>) -> Vec<TextLine> {
    let mut lines = item.text_lines();
    if let (Some(heading), Some(first)) = (heading, lines.first_mut()) {
        first.text.drain(..heading.run_in.min(first.text.len()));
    }
    lines
}

/// The first items as a caption and the tables it is for: those under it, or over it the last one, what stands beside that
/// and what it continues from the page before; notes may be between.
fn captioned(items: &[Item<'_>]) -> Option<(usize, Range<usize>)> {
    let here = |at: usize| at == 0 || items[at].page == items[at - 1].page || is_continued(&items[at - 1], &items[at]);
    let is = |at: usize, of: fn(&Item<'_>) -> bool| items.get(at).is_some_and(of) && here(at);
    let is_table = |at: usize| is(at, |item| item.kind == ItemKind::Table);
    let is_caption =
        |at: usize| is(at, |item| item.kind == ItemKind::Caption && item.text().to_lowercase().starts_with("tab"));
    let from = usize::from(is_caption(0));
    let end = (from..items.len()).find(|&at| !is_table(at)).unwrap_or(items.len());
    if end == from {
        return None;
    }
    if from == 1 {
        // The last one may have its own caption under it.
        let own = end > 2 && is_caption(end) && !is_table(end + 1);
        return Some((0, 1..end - usize::from(own)));
    }
    let level = |at: usize| {
        let (own, last) = (items[at].bbox, items[end - 1].bbox);
        own[3].min(last[3]) - own[1].max(last[1]) > 0.5 * (last[3] - last[1])
    };
    let notes = items[end..].iter().take(MOST_NOTES).take_while(|item| is_note(item, &items[end - 1])).count();
    let caption = end + notes;
    let belongs = |at: usize| level(at) && items[at].page == items[end - 1].page;
    let continued = |at: usize| at + 1 < end && is_continued(&items[at], &items[at + 1]);
    // With text between, it is rather that of a table under it.
    let own = is_caption(caption) && (notes == 0 || !is_table(caption + 1));
    (own && (0..end).all(|at| belongs(at) || continued(at))).then_some((caption, 0..end))
}

/// Most paragraphs of notes between a table and its caption.
const MOST_NOTES: usize = 4;

/// Whether text under a table is a note to it: in smaller type, or after a raised mark.
fn is_note(item: &Item<'_>, table: &Item<'_>) -> bool {
    let raised = || item.source.lines.first().and_then(|line| line.runs.first()).map(|run| run.script);
    matches!(item.kind, ItemKind::Text | ItemKind::Footnote)
        && item.page == table.page
        && (item.size < 0.93 * table.size || raised() == Some(Script::Super))
}

/// Whether a table goes on with one of the page before: under the same head.
fn is_continued(item: &Item<'_>, next: &Item<'_>) -> bool {
    let head = item.source.cells.first().filter(|_| item.kind == ItemKind::Table && next.page == item.page + 1);
    head.is_some_and(|head| next.source.cells.first() == Some(head))
}

/// Pages that a float or footnote waits at most, its own and the next one.
const WAIT: u32 = 2;

/// What belongs to the sentences around it, program text or a table without a caption, waits for the end of the paragraph
/// only.
const INLINE: u32 = 0;

/// Whether a caption stands over what it names, which is text too: then the text above is at an end, or the first lines
/// of the algorithm would go on with it.
fn heads_its_body(lines: &[TextLine]) -> bool {
    let opens = |word: &str| lines.first().is_some_and(|line| line.text.to_lowercase().starts_with(word));
    opens("algorithm") || opens("listing")
}

/// Where items go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Section,
    References,
    /// A table of contents: headings again, with pages; no text.
    Nowhere,
}

struct Builder<'a> {
    words: &'a Words,
    opening: &'a Opening,
    draft: &'a mut Draft,
    roles: Roles,
    target: Target,
    /// Lines of the paragraph that may go on.
    open: Vec<TextLine>,
    /// What stands behind the lines of the open paragraph, between its parts if it goes on; and the page whose text need
    /// not come before it.
    waiting: Vec<(u32, Paragraph)>,
    /// What stood between the parts of a paragraph and waits for its page.
    late: Vec<(u32, Paragraph)>,
    /// Whether the reader said that the open paragraph goes on.
    expects_more: bool,
    cited: Vec<TextLine>,
    /// The heading of the open list of references.
    list: Found,
    left_out: u64,
}

impl Builder<'_> {
    fn open_section(&mut self, heading: &Found) {
        self.close();
        self.settle(u32::MAX);
        self.close_references();
        if role::is_references(&heading.text) {
            self.target = Target::References;
            self.list = heading.clone();
            return;
        }
        if wording::is_contents(&heading.text) {
            self.target = Target::Nowhere;
            return;
        }
        self.target = Target::Section;
        self.push_section(heading);
    }

    fn push_section(&mut self, heading: &Found) {
        let role = self.roles.next(&heading.text, heading.level);
        self.draft.sections.push(Section { heading: heading.text.clone(), role, paragraphs: Vec::new() });
    }

    /// Takes the list apart; what turns out to be text stays under the list's heading.
    fn close_references(&mut self) {
        let lines = std::mem::take(&mut self.cited);
        let list = references::from_lines(&lines, self.words);
        self.draft.references.extend(list.references);
        let rest = &lines[list.end..];
        if rest.is_empty() {
            return;
        }
        self.push_section(&self.list.clone());
        for block in rest.chunk_by(|a, b| a.block == b.block) {
            self.push(weld(block, self.words));
        }
    }

    fn add(&mut self, item: &Item<'_>, lines: Vec<TextLine>) {
        let empty = lines.iter().all(|line| line.text.trim().is_empty());
        match (item.kind, self.target) {
            // Authors side by side on a title page look like a table and are none.
            (ItemKind::Table, _) if !item.source.cells.is_empty() && item.block >= self.opening.end => {
                self.put(INLINE, grid(item, None));
            }
            _ if empty => {}
            (_, Target::Nowhere) => self.left_out += 1,
            // A stamp on the page is in no sentence and no entry.
            _ if item.source.is_overlay => self.put(item.page.saturating_add(WAIT), weld(&lines, self.words)),
            (ItemKind::Text | ItemKind::Formula | ItemKind::Listing, Target::References) => self.cited.extend(lines),
            (ItemKind::Text, _) => self.add_text(item, lines),
            (ItemKind::Caption, _) if heads_its_body(&lines) => {
                self.close();
                self.settle(u32::MAX);
                self.push(weld(&lines, self.words));
            }
            (ItemKind::Caption | ItemKind::Table | ItemKind::Footnote, _) => {
                self.put(item.page.saturating_add(WAIT), weld(&lines, self.words));
            }
            (ItemKind::Formula, _) => self.open.extend(lines),
            (ItemKind::Listing, _) => self.put(INLINE, listing(item)),
        }
    }

    /// Text that goes on with the open paragraph, or opens one. A displayed formula belongs to the sentence around it.
    fn add_text(&mut self, item: &Item<'_>, lines: Vec<TextLine>) {
        if self.goes_on(&lines) {
            self.late.append(&mut self.waiting);
        } else {
            self.close();
            self.settle(item.page);
        }
        self.open.extend(lines);
        self.expects_more = item.source.continues;
    }

    /// The reader says so; or a lower-case letter opens the text where what is open ends with a formula or ends no
    /// sentence, as before a column or page end.
    fn goes_on(&self, lines: &[TextLine]) -> bool {
        let (Some(last), Some(first)) = (self.open.last(), lines.first()) else { return false };
        let lower = first.text.starts_with(char::is_lowercase);
        let ended = last.text.trim_end().ends_with(['.', '!', '?', ':']);
        self.expects_more || lower && (last.kind == SpanKind::Formula || !ended)
    }

    fn add_table(&mut self, item: &Item<'_>, caption: &Item<'_>) {
        if item.source.cells.is_empty() {
            for part in [caption, item] {
                self.add(part, part.text_lines());
            }
            return;
        }
        let caption = weld(&caption.text_lines(), self.words);
        self.put(item.page.saturating_add(WAIT), grid(item, Some(caption)));
    }

    /// A float or footnote, and the page that it waits for at most. Where a paragraph is open, its next lines tell whether
    /// it is interrupted.
    fn put(&mut self, until: u32, paragraph: Paragraph) {
        self.waiting.push((until, paragraph));
        if self.open.is_empty() {
            self.close();
        }
    }

    fn close(&mut self) {
        let lines = std::mem::take(&mut self.open);
        self.expects_more = false;
        if !lines.is_empty() {
            let paragraph = weld(&lines, self.words);
            self.push(paragraph);
        }
        let between = std::mem::take(&mut self.waiting);
        if !between.is_empty() {
            self.settle(u32::MAX);
        }
        for (_, paragraph) in between {
            self.push(paragraph);
        }
    }

    /// Places what interrupted a paragraph and waits no longer than for the text of `page`.
    fn settle(&mut self, page: u32) {
        let waited = std::mem::take(&mut self.late);
        let (due, late): (Vec<_>, Vec<_>) = waited.into_iter().partition(|(until, _)| *until <= page);
        self.late = late;
        for (_, paragraph) in due {
            self.push(paragraph);
        }
    }

    fn push(&mut self, paragraph: Paragraph) {
        if let Some(section) = self.draft.sections.last_mut()
            && !paragraph.text.is_empty()
        {
            section.paragraphs.push(paragraph);
        }
    }

    fn finish(mut self) {
        self.close();
        self.settle(u32::MAX);
        self.close_references();
        aside::count("contents", self.left_out, &mut self.draft.provenance);
        // A heading with nothing but subsections under it stays in the draft and gives no chunk.
        self.draft.sections.retain(|section| !section.heading.is_empty() || !section.paragraphs.is_empty());
    }
}

/// Program text as a paragraph that keeps its lines and their indents.
fn listing(item: &Item<'_>) -> Paragraph {
    let lines = item.source.lines.iter().map(techrag_pdf::Line::text);
    let text = lines.map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n");
    let span = Span { start: 0, end: text.len(), page: Some(item.page), bbox: Some(item.bbox), ..Span::default() };
    Paragraph { text, spans: vec![span], kind: ParagraphKind::Lines, table: None }
}

/// A grid as a paragraph, its caption in front with its own place.
fn grid(item: &Item<'_>, caption: Option<Paragraph>) -> Paragraph {
    let cells = item.source.cells.clone();
    let text = caption.as_ref().map(|caption| caption.text.clone());
    let mut paragraph = table::paragraph(
        Table { caption: text, page: Some(item.page), cells, ..Table::default() },
        Some(item.source.bbox),
    );
    for span in &mut paragraph.spans {
        span.kind = SpanKind::Table;
    }
    if let Some(caption) = caption
        && let Some(cells) = paragraph.spans.first_mut()
    {
        cells.start = caption.text.len() + "\n\n".len();
        paragraph.spans.splice(0..0, caption.spans);
    }
    paragraph
}
