//! Rows that belong together: paragraphs, headings, captions, tables, formulas.

use super::kind::{self, Class, Context};
use super::listing;
use super::order::{Stretch, Zone};
use super::row::Row;
use super::ruling::Ruling;
use super::table::{self, Region};
use crate::glyphs::Glyph;
use crate::page::{Block, BlockKind};

/// How much further than its usual distance a row may stand from the one above, as a factor.
const LOOSE: f32 = 1.33;

/// A block before its lines are written out.
pub(super) struct Draft {
    /// What it is.
    pub class: Class,
    /// Where it stands.
    pub zone: Zone,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// Margins and leading of the rows of one stretch.
#[derive(Clone, Copy, Debug)]
struct Measure {
    left: f32,
    right: f32,
    leading: f32,
}

/// The blocks of the stretches, in their order.
pub(super) fn blocks(stretches: Vec<Stretch>, glyphs: &[Glyph], tables: &[Region], context: &Context) -> Vec<Draft> {
    let mut out: Vec<Draft> = Vec::new();
    let measures = Measures::of(&stretches);
    for stretch in stretches {
        let measure = measures.of_zone(stretch.zone, &stretch.rows);
        let mut first = true;
        let listed = if context.has_listings { listing::rows(&stretch.rows, glyphs) } else { Vec::new() };
        for (index, row) in stretch.rows.into_iter().enumerate() {
            let mut class = kind::class(&row, glyphs, tables, context);
            if matches!(class, Class::Text | Class::Formula) && listed.get(index) == Some(&true) {
                class = Class::Listing;
            }
            if matches!(class, Class::Figure(_))
                && !first
                && out.last().is_some_and(|draft| draft.caption_goes_on(&row))
            {
                class = Class::Text;
            }
            if class == Class::Formula
                && !first
                && out.last().is_some_and(|draft| draft.flows_into(&row, measure, glyphs))
            {
                class = Class::Text;
            }
            match out.last_mut() {
                Some(draft) if !first && draft.takes(&row, class, measure, glyphs) => draft.rows.push(row),
                _ => out.push(Draft { class, zone: stretch.zone, rows: vec![row] }),
            }
            first = false;
        }
    }
    let mut out: Vec<Draft> = out.into_iter().flat_map(|draft| find_aligned(draft, glyphs)).collect();
    for index in 0..out.len() {
        if matches!(out[index].class, Class::Table(_)) && !is_table(&out, index, glyphs) {
            out[index].class = Class::Text;
        }
    }
    super::halves::join(&mut out);
    out
}

/// Whether what looks like a table is one, and not an algorithm or a single line between rules.
fn is_table(drafts: &[Draft], index: usize, glyphs: &[Glyph]) -> bool {
    let draft = &drafts[index];
    let algorithm =
        |draft: &Draft| draft.rows.first().is_some_and(|row| kind::start(row, glyphs, 9).to_lowercase() == "algorithm");
    let after_title = index > 0 && algorithm(&drafts[index - 1]);
    draft.rows.len() > 1
        && draft.rows.iter().any(|row| row.parted(glyphs).cells().len() > 1)
        && !algorithm(draft)
        && !after_title
}

/// Measures by zone: a column keeps its margins over all its bands.
struct Measures(Vec<(Zone, Measure)>);

impl Measures {
    fn of(stretches: &[Stretch]) -> Self {
        let mut zones: Vec<(Zone, Vec<&Row>)> = Vec::new();
        for stretch in stretches {
            match zones.iter_mut().find(|(zone, _)| *zone == stretch.zone) {
                Some((_, rows)) => rows.extend(&stretch.rows),
                None => zones.push((stretch.zone, stretch.rows.iter().collect())),
            }
        }
        Self(zones.into_iter().map(|(zone, rows)| (zone, measure(&rows))).collect())
    }

    fn of_zone(&self, zone: Zone, rows: &[Row]) -> Measure {
        let known = self.0.iter().find(|(known, _)| *known == zone).map(|(_, measure)| *measure);
        known.unwrap_or_else(|| measure(&rows.iter().collect::<Vec<_>>()))
    }
}

fn measure(rows: &[&Row]) -> Measure {
    let long: Vec<&&Row> = rows.iter().filter(|row| row.len() > 20).collect();
    let mut lefts: Vec<f32> = long.iter().map(|row| row.bbox[0]).collect();
    let mut rights: Vec<f32> = long.iter().map(|row| row.bbox[2]).collect();
    lefts.sort_by(f32::total_cmp);
    rights.sort_by(f32::total_cmp);
    let mut steps: Vec<f32> = rows.windows(2).filter_map(|pair| step(pair[0], pair[1])).collect();
    steps.sort_by(f32::total_cmp);
    Measure {
        left: most_common(&lefts).unwrap_or(0.0),
        right: rights.get(rights.len() * 9 / 10).copied().unwrap_or(f32::MAX),
        // In em of the row.
        leading: steps.get(steps.len() / 2).copied().unwrap_or(1.2),
    }
}

fn step(above: &Row, below: &Row) -> Option<f32> {
    let step = (below.base - above.base) / below.size;
    ((above.size - below.size).abs() < 0.5 && (0.9..2.2).contains(&step) && above.len() > 20).then_some(step)
}

/// The value with most others within a point, of sorted values.
fn most_common(sorted: &[f32]) -> Option<f32> {
    let count =
        |value: f32| sorted.partition_point(|&x| x <= value + 1.0) - sorted.partition_point(|&x| x < value - 1.0);
    sorted.iter().copied().max_by(|&a, &b| count(a).cmp(&count(b)).then(b.total_cmp(&a)))
}

impl Draft {
    /// Whether `row` goes on with this block.
    fn takes(&self, row: &Row, class: Class, measure: Measure, glyphs: &[Glyph]) -> bool {
        let Some(last) = self.rows.last() else { return true };
        let down = row.base - last.base;
        let em = row.size.max(last.size);
        match (self.class, class) {
            (Class::Table(a), Class::Table(b)) => return a == b,
            (Class::Figure(a), Class::Figure(b)) => return a == b,
            (Class::Formula, Class::Formula) => return (-0.5 * em..2.6 * em).contains(&down),
            // Its lines may stand as far apart as an empty one is high.
            (Class::Listing, Class::Listing) => return (0.0..3.0 * em).contains(&down),
            (Class::Caption, Class::Text) => {}
            (a, b) if a != b => return false,
            (Class::Caption, _) => return false,
            _ => {}
        }
        let usual = measure.leading.clamp(1.0, 1.7).max(self.leading());
        (0.0..=LOOSE * usual * em).contains(&down)
            && (row.size - last.size).abs() <= 0.08 * em
            && !self.ends_before(last, row, measure, glyphs)
    }

    /// Whether its only row is a heading in italics over upright text.
    fn is_italic_heading(&self, row: &Row, measure: Measure, glyphs: &[Glyph]) -> bool {
        let [only] = self.rows.as_slice() else { return false };
        kind::all_italic(only, glyphs)
            && !kind::all_italic(row, glyphs)
            && !kind::ends_sentence(only, glyphs)
            && only.bbox[2] < measure.left + 0.8 * (measure.right - measure.left)
    }

    /// Whether a row beside or in a figure is the next line of this caption.
    fn caption_goes_on(&self, row: &Row) -> bool {
        let Some(last) = self.rows.last() else { return false };
        let down = row.base - last.base;
        self.class == Class::Caption
            && (0.8 * row.size..1.45 * row.size).contains(&down)
            && (row.size - last.size).abs() < 0.3
            && row.cells().len() == 1
            && (row.bbox[0] - self.rows[0].bbox[0]).abs() < 4.0 * row.size
    }

    /// Whether a row of symbols is the end of this paragraph rather than a displayed formula: at the left margin, at
    /// the paragraph's leading, in the middle of a sentence.
    fn flows_into(&self, row: &Row, measure: Measure, glyphs: &[Glyph]) -> bool {
        let Some(last) = self.rows.last() else { return false };
        self.class == Class::Text
            && (row.bbox[0] - measure.left).abs() < 0.5 * row.size
            && last.bbox[2] > measure.right - 2.0 * row.size
            && (0.0..LOOSE * measure.leading.clamp(1.0, 1.7) * row.size).contains(&(row.base - last.base))
            && !kind::ends_sentence(last, glyphs)
    }

    /// Distance of its first two rows, in em.
    fn leading(&self) -> f32 {
        match self.rows.as_slice() {
            [first, second, ..] => ((second.base - first.base) / second.size).clamp(1.0, 2.0),
            _ => 1.0,
        }
    }

    /// Whether a new paragraph or heading starts at `row`.
    fn ends_before(&self, last: &Row, row: &Row, measure: Measure, glyphs: &[Glyph]) -> bool {
        let em = row.size;
        let bold = kind::all_bold(row, glyphs) && kind::all_bold(last, glyphs);
        if bold && self.rows.len() < 4 && !kind::is_heading(row, glyphs) {
            // A title or heading over several lines, whatever their indents.
            return false;
        }
        if kind::all_bold(row, glyphs) != kind::all_bold(last, glyphs) && row.len().min(last.len()) > 2 {
            // The last word of a bold run-in title alone on a line does not end it.
            return !(self.class == Class::Caption);
        }
        if self.class == Class::Caption {
            // Under a short one that is centred the text starts further left.
            let short = last.bbox[2] < measure.right - 1.2 * em && kind::ends_sentence(last, glyphs);
            return short && self.rows.iter().all(|above| row.bbox[0] < above.bbox[0] - em);
        }
        if self.is_italic_heading(row, measure, glyphs) {
            return true;
        }
        let first = self.rows.first().map_or(last.bbox[0], |first| first.bbox[0]);
        let indent = row.bbox[0] - last.bbox[0];
        let single = self.rows.len() == 1;
        let hanging = if single { indent > 0.8 * em } else { last.bbox[0] - first > 0.8 * em };
        let centred = |row: &Row| {
            let (left, right) = (row.bbox[0] - measure.left, measure.right - row.bbox[2]);
            left > em && (left - right).abs() < 1.5 * em
        };
        if centred(row) && centred(last) {
            return false;
        }
        let label = kind::is_label(row, glyphs);
        if hanging && !single {
            return indent < -0.6 * em && (label || (row.bbox[0] - first).abs() < 0.5 * em);
        }
        if label && indent <= 0.3 * em && kind::is_label(&self.rows[0], glyphs) {
            return true;
        }
        let short = last.bbox[2] < measure.right - 1.2 * em;
        let ended = kind::ends_sentence(last, glyphs);
        let indented = indent > 0.7 * em && indent < 4.0 * em && (last.bbox[0] - measure.left).abs() < 0.7 * em;
        let very_short = last.bbox[2] < measure.left + 0.75 * (measure.right - measure.left);
        indented && !(single && !ended && !short)
            || (short && ended && (very_short || label))
            || kind::is_heading(row, glyphs)
    }
}

/// A run of text rows whose cells line up is a table; the rows around it stay text.
fn find_aligned(draft: Draft, glyphs: &[Glyph]) -> Vec<Draft> {
    if draft.class != Class::Text || draft.rows.len() < 3 {
        return vec![draft];
    }
    let zone = draft.zone;
    let mut rows = draft.rows;
    let mut out: Vec<Draft> = Vec::new();
    while let Some(range) = aligned_range(&rows, glyphs) {
        let after = rows.split_off(range.end);
        let table = rows.split_off(range.start);
        out.push(Draft { class: Class::Text, zone, rows: std::mem::replace(&mut rows, after) });
        out.push(Draft { class: Class::Table(usize::MAX), zone, rows: table });
    }
    out.push(Draft { class: Class::Text, zone, rows });
    out.retain(|draft| !draft.rows.is_empty());
    out
}

/// The first rows that form a table: a run whose cells stand apart and line up, and its neighbours that keep to the
/// same columns.
fn aligned_range(rows: &[Row], glyphs: &[Glyph]) -> Option<std::ops::Range<usize>> {
    let rows: Vec<Row> = rows.iter().map(|row| row.parted(glyphs)).collect();
    let apart = |row: &Row| row.cells().len() > 1;
    let mut start = 0;
    while let Some(found) = rows[start..].iter().position(apart).map(|at| at + start) {
        let end = rows[found..].iter().position(|row| !apart(row)).map_or(rows.len(), |at| at + found);
        if table::aligned(&rows[found..end], glyphs) {
            let columns = super::grid::columns_by_cells(&rows[found..end]);
            let keeps = |row: &Row| super::grid::keeps_to(row, &columns, glyphs);
            let above = rows[..found].iter().rev().take_while(|row| keeps(row)).count();
            let below = rows[end..].iter().take_while(|row| keeps(row)).count();
            return Some(found - above..end + below);
        }
        start = end;
    }
    None
}

/// A draft with its lines written out.
pub(super) fn finish(draft: &Draft, glyphs: &[Glyph], tables: &[Region]) -> Block {
    let lines = match draft.class {
        Class::Formula => super::formula::lines(&draft.rows, glyphs),
        Class::Listing => listing::lines(&draft.rows, glyphs),
        _ => draft.rows.iter().map(|row| super::runs::line(row, glyphs)).collect(),
    };
    let bbox = draft.rows.iter().map(|row| row.bbox).reduce(super::fragment::join).unwrap_or_default();
    let (kind, cells) = match draft.class {
        Class::Text => (BlockKind::Body, Vec::new()),
        Class::Caption => (BlockKind::Caption, Vec::new()),
        Class::Formula => (BlockKind::Formula, Vec::new()),
        Class::Listing => (BlockKind::Listing, Vec::new()),
        Class::Figure(_) => (BlockKind::FigureText, Vec::new()),
        Class::Footnote => (BlockKind::Footnote, Vec::new()),
        Class::Table(table) => {
            let none = Ruling::default();
            let ruling = tables.get(table).map_or(&none, |table| &table.ruling);
            (BlockKind::Table, super::grid::cells(&draft.rows, ruling, glyphs))
        }
    };
    Block { kind, bbox, lines, cells, ..Block::default() }
}
