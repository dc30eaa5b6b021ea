//! Areas that figures take: clusters of drawn paths, and images.

use super::row::Row;
use crate::glyphs::Raw;
use crate::page::Bbox;

/// Side of the cells in points that painted things share when they belong to one figure.
const CELL: f32 = 8.0;
/// Fewest drawn paths of a figure; rules and single shaded boxes are none.
const PATHS: usize = 4;
/// Smallest figure, width and height in points.
const SMALLEST: (f32, f32) = (40.0, 30.0);
/// Share of the page from which a painted thing is no figure on it but what it stands on.
const COVERS: f32 = 0.7;
/// How far from the edge of an area, in points, a painted path is still part of its frame.
const EDGE: f32 = 6.0;
/// Highest stripe, in points, that only shades a line of text.
const STRIPE: f32 = 36.0;
/// How far outside the drawn area labels of axes stand, in points.
const LABELS: f32 = 14.0;

/// The boxes of the figures of a page.
pub(super) fn areas(raw: &Raw) -> Vec<Bbox> {
    let page = raw.width * raw.height;
    let fits = |bbox: &&Bbox| (bbox[2] - bbox[0]) * (bbox[3] - bbox[1]) < COVERS * page && inside(bbox, raw);
    let drawings: Vec<Bbox> = raw.drawings.iter().filter(fits).copied().collect();
    let images: Vec<Bbox> = raw.images.iter().filter(fits).copied().collect();
    let mut grid = Grid::new(raw.width, raw.height);
    drawings.iter().chain(&images).for_each(|bbox| grid.mark(bbox));
    grid.label();
    let mut areas: Vec<(usize, Bbox, Vec<&Bbox>)> = Vec::new();
    for bbox in drawings.iter().chain(&images) {
        let id = grid.component(bbox);
        match areas.iter_mut().find(|(known, ..)| *known == id) {
            Some((_, area, parts)) => {
                *area = super::fragment::join(*area, *bbox);
                parts.push(bbox);
            }
            None => areas.push((id, *bbox, vec![bbox])),
        }
    }
    let large = |bbox: &Bbox| bbox[2] - bbox[0] >= SMALLEST.0 && bbox[3] - bbox[1] >= SMALLEST.1;
    let pictured = |id: usize| images.iter().any(|bbox| grid.component(bbox) == id);
    let drawn = |area: &Bbox, parts: &[&Bbox]| parts.len() >= PATHS && parts.iter().any(|part| !frames(part, area));
    areas.retain(|(id, area, parts)| large(area) && (pictured(*id) || drawn(area, parts)));
    areas.into_iter().map(|(_, area, _)| area).collect()
}

/// Whether a painted path is no more than the frame of an area or the shade of a line in it: typesetters frame and shade
/// listings and remarks piece by piece, and what stands in such a box is text.
fn frames(part: &Bbox, area: &Bbox) -> bool {
    let along =
        part[2] - area[0] < EDGE || area[2] - part[0] < EDGE || part[3] - area[1] < EDGE || area[3] - part[1] < EDGE;
    let across = part[2] - part[0] > 0.9 * (area[2] - area[0]);
    along || (across && part[3] - part[1] < STRIPE)
}

/// Whether one image takes most of the page: a scan, or what a page is printed on.
pub(super) fn covers(raw: &Raw) -> bool {
    let side = |from: f32, to: f32, most: f32| (to.min(most) - from.max(0.0)).max(0.0);
    let seen = |bbox: &Bbox| side(bbox[0], bbox[2], raw.width) * side(bbox[1], bbox[3], raw.height);
    raw.images.iter().any(|bbox| seen(bbox) >= COVERS * raw.width * raw.height)
}

fn inside(bbox: &Bbox, raw: &Raw) -> bool {
    bbox[2] > 0.0 && bbox[3] > 0.0 && bbox[0] < raw.width && bbox[1] < raw.height
}

/// Whether a row is a label in a figure rather than text beside or over it. `body` is the size of running text and
/// `column` the width of its lines.
pub(super) fn labels(area: &Bbox, row: &Row, body: f32, column: f32) -> bool {
    let x = f32::midpoint(row.bbox[0], row.bbox[2]);
    let y = f32::midpoint(row.bbox[1], row.bbox[3]);
    let within = |margin: f32| {
        (area[0] - margin..=area[2] + margin).contains(&x) && (area[1] - margin..=area[3] + margin).contains(&y)
    };
    let wordy = row.width() > 0.6 * column && row.size > 0.93 * body && row.cells().len() == 1;
    let short = row.width() < 0.5 * column || row.size < 0.9 * body;
    !wordy && (within(0.0) || (short && within(LABELS) && row.size < 0.97 * body))
}

/// Cells of the page that something is painted in.
struct Grid {
    columns: usize,
    rows: usize,
    /// 0 where nothing is, else 1 before and the component's number (from 2) after labelling.
    cells: Vec<usize>,
}

impl Grid {
    fn new(width: f32, height: f32) -> Self {
        // A page of absurd size gets a coarse corner rather than memory without bound.
        let columns = index(width).min(700) + 1;
        let rows = index(height).min(700) + 1;
        Self { columns, rows, cells: vec![0; columns * rows] }
    }

    fn range(&self, bbox: &Bbox) -> (std::ops::RangeInclusive<usize>, std::ops::RangeInclusive<usize>) {
        let clamp = |value: f32, most: usize| index(value).min(most - 1);
        (
            clamp(bbox[0], self.columns)..=clamp(bbox[2], self.columns),
            clamp(bbox[1], self.rows)..=clamp(bbox[3], self.rows),
        )
    }

    fn mark(&mut self, bbox: &Bbox) {
        let (columns, rows) = self.range(bbox);
        for row in rows {
            for column in columns.clone() {
                self.cells[row * self.columns + column] = 1;
            }
        }
    }

    /// Numbers the connected components.
    fn label(&mut self) {
        let mut next = 2;
        for start in 0..self.cells.len() {
            if self.cells[start] != 1 {
                continue;
            }
            let mut stack = vec![start];
            self.cells[start] = next;
            while let Some(at) = stack.pop() {
                for beside in self.beside(at) {
                    if self.cells[beside] == 1 {
                        self.cells[beside] = next;
                        stack.push(beside);
                    }
                }
            }
            next += 1;
        }
    }

    fn beside(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        let (row, column) = (at / self.columns, at % self.columns);
        let (columns, rows) = (self.columns, self.rows);
        [
            (column > 0).then(|| at - 1),
            (column + 1 < columns).then_some(at + 1),
            (row > 0).then(|| at - columns),
            (row + 1 < rows).then_some(at + columns),
        ]
        .into_iter()
        .flatten()
    }

    fn component(&self, bbox: &Bbox) -> usize {
        let (columns, rows) = self.range(bbox);
        self.cells[rows.start() * self.columns + columns.start()]
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cell of a page; the cast saturates")]
fn index(value: f32) -> usize {
    (value / CELL).max(0.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_of_paths_is_a_figure_and_a_box_is_none() {
        let bars = (0..6u8).map(|n| [100.0 + 12.0 * f32::from(n), 100.0, 108.0 + 12.0 * f32::from(n), 160.0]);
        let mut raw = Raw { width: 600.0, height: 800.0, drawings: bars.collect(), ..Raw::default() };
        raw.drawings.push([50.0, 400.0, 550.0, 500.0]);
        assert_eq!(areas(&raw), [[100.0, 100.0, 168.0, 160.0]]);
        raw.images.push([50.0, 600.0, 200.0, 700.0]);
        assert_eq!(areas(&raw).len(), 2);
        assert!(!covers(&raw));
        raw.images.push([-10.0, 20.0, 590.0, 810.0]);
        assert_eq!((areas(&raw).len(), covers(&raw)), (2, true));
    }

    #[test]
    fn a_box_framed_and_shaded_line_by_line_is_no_figure() {
        let mut raw = Raw { width: 600.0, height: 800.0, ..Raw::default() };
        for line in 0..5u8 {
            let (top, bottom) = (360.0 + 11.0 * f32::from(line), 371.0 + 11.0 * f32::from(line));
            raw.drawings.extend([
                [130.8, top, 133.8, bottom],
                [133.8, top, 477.5, bottom],
                [477.5, top, 480.4, bottom],
            ]);
        }
        raw.drawings.extend([[130.4, 357.0, 480.8, 360.0], [130.4, 415.0, 480.8, 418.0]]);
        assert_eq!(areas(&raw), [[0.0; 4]; 0]);
        // A curve in the frame makes it a plot.
        raw.drawings.push([150.0, 365.0, 470.0, 405.0]);
        assert_eq!(areas(&raw).len(), 1);
    }
}
