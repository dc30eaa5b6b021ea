//! The lines that a table is drawn with: rules across all of it, rules under some of its columns, bars between columns.

use super::fragment::Fragment;
use crate::glyphs::Rule;
use crate::page::Bbox;

/// Pieces of a bar are drawn row by row; further apart than this, in points, they are two.
const PIECES: f32 = 5.0;
/// How far a bar may end before a rule and still touch it, in points.
const TOUCH: f32 = 4.0;
/// How far a bar reaches over a rule at least where a row stands there, in points.
const ROW: f32 = 8.0;
/// More pieces of bars than this are those of a drawing.
const PIECED: usize = 4000;
/// More bars than this are.
const DRAWN: usize = 400;

/// A standing rule, its pieces joined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bar {
    /// Where it stands.
    pub x: f32,
    /// Its upper end.
    pub top: f32,
    /// Its lower end.
    pub bottom: f32,
}

/// The lines of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Ruling {
    /// Heights of the rules that run across all of it, top to bottom.
    pub across: Vec<f32>,
    /// Boxes of the rules that leave out some columns.
    pub partial: Vec<Bbox>,
    /// Its bars, borders left out.
    pub bars: Vec<Bar>,
}

impl Ruling {
    /// How many rules across the table stand over a height.
    pub(super) fn above(&self, y: f32) -> usize {
        self.across.iter().filter(|&&rule| rule < y).count()
    }

    /// Adds what of the page's `lying` rules and `bars` stands within the table's box.
    pub(super) fn complete(&mut self, bbox: Bbox, lying: &[Bbox], bars: &[Bar]) {
        let narrow = |rule: &&Bbox| rule[2] - rule[0] < 0.97 * (bbox[2] - bbox[0]);
        let held = |rule: &&Bbox| rule[0] > bbox[0] - TOUCH && rule[2] < bbox[2] + TOUCH;
        // Pieces of a rule across the table are none.
        let between = |rule: &&Bbox| !self.across.iter().any(|known| (known - rule[1]).abs() < 1.5);
        let between = |rule: &&Bbox| between(rule) && (bbox[1]..bbox[3]).contains(&rule[1]);
        self.partial = lying.iter().filter(narrow).filter(held).filter(between).copied().collect();
        self.bars = bars.iter().filter(|bar| bar.is_inside(bbox[0], bbox[2])).copied().collect();
        self.bars.retain(|bar| bar.top < bbox[3] && bar.bottom > bbox[1]);
    }
}

impl Bar {
    /// Whether it stands between two places, not at them.
    fn is_inside(&self, left: f32, right: f32) -> bool {
        self.x > left + TOUCH && self.x < right - TOUCH
    }

    /// Whether it runs through the space between two rules.
    pub(super) fn passes(&self, slab: &Bbox) -> bool {
        self.is_inside(slab[0], slab[2]) && self.top < slab[1] + TOUCH && self.bottom > slab[3] - TOUCH
    }

    /// Whether words run over it.
    pub(super) fn is_crossed(&self, part: &Fragment) -> bool {
        let y = part.base - 0.3 * part.size;
        (self.top..self.bottom).contains(&y) && part.bbox[0] < self.x - 1.0 && part.bbox[2] > self.x + 1.0
    }

    fn touches(&self, rule: &Bbox) -> bool {
        self.is_inside(rule[0], rule[2]) && self.top < rule[1] + TOUCH && self.bottom > rule[1] - TOUCH
    }
}

/// The bars of a page, from left to right.
pub(super) fn bars(rules: &[Rule]) -> Vec<Bar> {
    let mut standing: Vec<Bar> = rules
        .iter()
        .filter(|rule| !rule.horizontal())
        .map(|Rule { bbox: [x0, y0, x1, y1] }| Bar { x: f32::midpoint(*x0, *x1), top: *y0, bottom: *y1 })
        .collect();
    if standing.len() > PIECED {
        return Vec::new();
    }
    standing.sort_by(|a, b| a.top.total_cmp(&b.top).then(a.x.total_cmp(&b.x)));
    let mut joined: Vec<Bar> = Vec::new();
    for bar in standing {
        let goes_on = |known: &&mut Bar| (known.x - bar.x).abs() < 1.0 && bar.top < known.bottom + PIECES;
        match joined.iter_mut().rev().find(goes_on) {
            Some(known) => known.bottom = known.bottom.max(bar.bottom),
            None => joined.push(bar),
        }
    }
    if joined.len() > DRAWN {
        return Vec::new();
    }
    joined.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.top.total_cmp(&b.top)));
    joined
}

/// Where bars reach beyond the rules of a group (same ends, top to bottom) that they touch, the table does: a rule is
/// put at their ends. A rule alone needs bars that cross it.
pub(super) fn reach(group: &mut Vec<Bbox>, bars: &[Bar]) {
    let (Some(&first), Some(&last)) = (group.first(), group.last()) else { return };
    let touching = || bars.iter().filter(|bar| group.iter().any(|rule| bar.touches(rule)));
    let top = touching().map(|bar| bar.top).fold(first[1], f32::min);
    let bottom = touching().map(|bar| bar.bottom).fold(last[3], f32::max);
    let (above, below) = (top < first[1] - ROW, bottom > last[3] + ROW);
    if group.len() == 1 && !(above && below) {
        return;
    }
    if above {
        group.insert(0, [first[0], top, first[2], top]);
    }
    if below {
        group.push([last[0], bottom, last[2], bottom]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_bar_are_one_and_reach_beyond_a_rule() {
        let piece = |top: f32| Rule { bbox: [100.0, top, 100.4, top + 12.0] };
        let bars = bars(&[piece(92.0), piece(104.2), piece(116.4), piece(300.0)]);
        assert_eq!(bars.iter().map(|bar| (bar.top, bar.bottom)).collect::<Vec<_>>(), [(92.0, 128.4), (300.0, 312.0)]);
        let mut group = vec![[50.0, 104.0, 200.0, 104.4]];
        reach(&mut group, &bars);
        assert_eq!(group.iter().map(|rule| rule[1]).collect::<Vec<_>>(), [92.0, 104.0, 128.4]);
        let mut beside = vec![[110.0, 104.0, 200.0, 104.4]];
        reach(&mut beside, &bars);
        assert_eq!(beside.len(), 1);
    }
}
