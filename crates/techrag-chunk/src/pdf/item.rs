//! Blocks of a page as items of text: lines with the style that tells headings from paragraphs.

use std::ops::Range;

use techrag_core::record::SpanKind;
use techrag_pdf::{Bbox, Block, BlockKind, Line, Page, Pdf, Run, Script};

use super::wording::opens_keywords;
use crate::lines::TextLine;

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    /// Running text and headings.
    Text,
    Caption,
    Table,
    Formula,
    /// Program text, its lines kept.
    Listing,
    Footnote,
}

impl ItemKind {
    /// What the record calls it.
    fn of_span(self) -> SpanKind {
        match self {
            Self::Text => SpanKind::Text,
            Self::Caption => SpanKind::Caption,
            // Without cells it is text like any other.
            Self::Table | Self::Listing => SpanKind::Text,
            Self::Formula => SpanKind::Formula,
            Self::Footnote => SpanKind::Footnote,
        }
    }
}

/// A block that belongs to the text. Running headers, footers, margins and words inside figures do not.
#[derive(Clone, Debug)]
pub(crate) struct Item<'a> {
    pub(crate) kind: ItemKind,
    pub(crate) page: u32,
    /// Number among all items; lines of one item share a span.
    pub(crate) block: usize,
    pub(crate) source: &'a Block,
    /// Index of its first line in `source`.
    pub(crate) first: usize,
    /// The box around its lines, or that of the block where it has none.
    pub(crate) bbox: Bbox,
    /// Its text, a line a line, spaces squeezed.
    pub(crate) lines: Vec<String>,
    /// Size of most of its characters, in points.
    pub(crate) size: f32,
    /// Whether nearly all its letters are bold.
    pub(crate) bold: bool,
    /// Whether its first letters are bold.
    pub(crate) opens_bold: bool,
    /// Whether nearly all its letters are italic.
    pub(crate) italic: bool,
}

impl Item<'_> {
    /// Its lines joined by spaces.
    pub(crate) fn text(&self) -> String {
        self.lines.join(" ")
    }

    /// Its lines with their places.
    pub(crate) fn text_lines(&self) -> Vec<TextLine> {
        let lines = self.source.lines[self.first..].iter().zip(&self.lines);
        lines
            .map(|(line, text)| TextLine {
                text: text.clone(),
                page: Some(self.page),
                bbox: Some(line.bbox),
                block: self.block,
                kind: self.kind.of_span(),
            })
            .collect()
    }
}

/// The items of a document in reading order.
pub(crate) fn items(pdf: &Pdf) -> Vec<Item<'_>> {
    let mut items: Vec<Item<'_>> = Vec::new();
    let bands = furniture_lines(pdf);
    for page in pdf.pages.iter().filter(|page| !is_garbled(page)) {
        let bare = is_bare(page);
        for block in page.blocks.iter().filter(|block| bare || page.number == 1 || !is_furniture(block, &bands)) {
            let kind = match block.kind {
                BlockKind::Header | BlockKind::Footer | BlockKind::Marginal if bare => ItemKind::Text,
                BlockKind::Body => ItemKind::Text,
                BlockKind::Caption => ItemKind::Caption,
                BlockKind::Table => ItemKind::Table,
                BlockKind::Formula => ItemKind::Formula,
                BlockKind::Listing => ItemKind::Listing,
                BlockKind::Footnote => ItemKind::Footnote,
                BlockKind::Header | BlockKind::Footer | BlockKind::FigureText | BlockKind::Marginal => continue,
            };
            for lines in parts(kind, block) {
                let item = item(kind, page.number, items.len(), block, lines);
                if item.lines.iter().any(|line| !line.is_empty()) || kind == ItemKind::Table {
                    items.push(item);
                }
            }
        }
    }
    items
}

/// Share of unknown characters from which a page's text is not worth indexing.
const GARBLED: f32 = 0.5;

/// Whether most characters of a page are unknown, as where a font says nothing about its glyphs: such a page has no
/// usable text and needs to be recognised from its image.
pub(crate) fn is_garbled(page: &Page) -> bool {
    page.unknown_glyphs > GARBLED
}

/// Whether a page holds nothing but what looks like headers and footers: then that is its text. Slides, forms and
/// generated reports repeat nearly the same line on every page.
pub(crate) fn is_bare(page: &Page) -> bool {
    let furniture = |block: &Block| matches!(block.kind, BlockKind::Header | BlockKind::Footer | BlockKind::Marginal);
    page.blocks.iter().all(furniture)
}

/// Heights at which running headers and footers stand, by the reader's word.
pub(crate) fn furniture_lines(pdf: &Pdf) -> Vec<[f32; 2]> {
    let blocks = pdf.pages.iter().flat_map(|page| &page.blocks);
    let furniture = blocks.filter(|block| matches!(block.kind, BlockKind::Header | BlockKind::Footer));
    furniture.map(|block| [block.bbox[1], block.bbox[3]]).collect()
}

/// Whether a block stands on the line of a running header of another page. A header whose words differ from page to
/// page (the authors on even ones, the title on odd ones, a name beside a number) is told by its place alone; the first
/// page, where a title may stand as high, is left to the reader.
pub(crate) fn is_furniture(block: &Block, lines: &[[f32; 2]]) -> bool {
    let same = |line: &[f32; 2]| (line[0] - block.bbox[1]).abs() < 2.0 && (line[1] - block.bbox[3]).abs() < 2.0;
    block.kind == BlockKind::Body && block.lines.len() == 1 && lines.iter().any(same)
}

/// The lines of a block in as many parts as it has meanings: a title on its own line, the text, the keywords.
fn parts(kind: ItemKind, block: &Block) -> Vec<Range<usize>> {
    let mut cuts = vec![0, block.lines.len()];
    if kind == ItemKind::Text {
        cuts.push(title_lines(block));
        cuts.extend(block.lines.iter().position(|line| opens_keywords(&line_text(line))));
    }
    cuts.sort_unstable();
    cuts.dedup();
    let parts: Vec<Range<usize>> = cuts.windows(2).map(|pair| pair[0]..pair[1]).collect();
    // A table may come with cells and without lines.
    if parts.is_empty() { std::iter::once(0..0).collect() } else { parts }
}

/// A block of text may open with a title on a line of its own: set in one bold or italic font, short, and followed by
/// lines in another.
fn title_lines(block: &Block) -> usize {
    let [first, second, ..] = block.lines.as_slice() else { return 0 };
    let look = |line: &Line| line.runs.iter().map(|run| (run.bold, run.italic)).collect::<Vec<_>>();
    let (own, below) = (look(first), look(second));
    let uniform = own.first().is_some_and(|look| (look.0 || look.1) && own.iter().all(|other| other == look));
    let short = first.bbox[2] - first.bbox[0] < 0.75 * (block.bbox[2] - block.bbox[0]);
    let differs = below.first() != own.first();
    let ended = line_text(first).ends_with(['.', ',', ';', ':']);
    usize::from(uniform && short && differs && !ended)
}

fn item(kind: ItemKind, page: u32, block: usize, source: &Block, range: Range<usize>) -> Item<'_> {
    let lines = &source.lines[range.clone()];
    let runs = || lines.iter().flat_map(|line| &line.runs);
    let letters = |run: &Run| run.text.chars().filter(|c| c.is_alphanumeric()).count();
    let total: usize = runs().map(letters).sum();
    let share = |of: fn(&Run) -> bool| runs().filter(|run| of(run)).map(letters).sum::<usize>() * 10 >= total * 9;
    let boxes = lines.iter().map(|line| line.bbox);
    Item {
        kind,
        page,
        block,
        source,
        first: range.start,
        bbox: boxes
            .reduce(|a, b| [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])])
            .unwrap_or(source.bbox),
        lines: lines.iter().map(line_text).collect(),
        size: size(runs()),
        bold: total > 0 && share(|run| run.bold),
        opens_bold: runs().find(|run| letters(run) > 0).is_some_and(|run| run.bold),
        italic: total > 0 && share(|run| run.italic),
    }
}

/// The size that most letters have. Small capitals and formulas make lines of several sizes.
fn size<'a>(runs: impl Iterator<Item = &'a Run>) -> f32 {
    let mut sizes: Vec<(f32, usize)> = Vec::new();
    for run in runs.filter(|run| run.script == Script::None) {
        let letters = run.text.chars().filter(|c| !c.is_whitespace()).count();
        match sizes.iter_mut().find(|(size, _)| (*size - run.size).abs() < 0.05) {
            Some((_, count)) => *count += letters,
            None => sizes.push((run.size, letters)),
        }
    }
    sizes.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(a.0.total_cmp(&b.0))).map_or(0.0, |(size, _)| size)
}

/// The text of a line; raised and lowered digits as the characters that say so, `10³` and `x₁`, since `103` would be
/// another number.
pub(crate) fn line_text(line: &Line) -> String {
    let text: String = line.runs.iter().map(Run::written).collect();
    techrag_core::text::squeeze(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str, size: f32, script: Script) -> Run {
        Run { text: text.into(), size, script, ..Run::default() }
    }

    #[test]
    fn raised_digits_do_not_become_other_numbers() {
        let line = Line {
            runs: vec![run("10", 10.0, Script::None), run("-3", 7.0, Script::Super), run("  m", 10.0, Script::None)],
            ..Line::default()
        };
        assert_eq!(line_text(&line), "10⁻³ m");
    }

    #[test]
    fn the_size_is_that_of_most_letters() {
        let runs =
            [run("R", 12.0, Script::None), run("EFERENCES", 9.6, Script::None), run("12345678901", 5.0, Script::Super)];
        assert!((size(runs.iter()) - 9.6).abs() < 1e-6);
    }
}
