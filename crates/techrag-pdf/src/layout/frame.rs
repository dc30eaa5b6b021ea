//! Directions of writing: text that runs up, down or upside down is laid out in a frame of its own, turned upright.

use crate::glyphs::{Glyph, Raw, Rule};
use crate::page::Bbox;

/// Which way a line of text runs on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Direction {
    /// From left to right.
    Right,
    /// From top to bottom: text turned clockwise, or vertical writing.
    Down,
    /// Upside down.
    Left,
    /// From bottom to top.
    Up,
    /// At another angle: watermarks, labels of figures.
    Skew,
}

/// All directions, the usual first.
pub(super) const DIRECTIONS: [Direction; 5] =
    [Direction::Right, Direction::Down, Direction::Left, Direction::Up, Direction::Skew];

/// The direction of a glyph; `None` where it has no advance.
pub(super) fn direction(glyph: &Glyph) -> Option<Direction> {
    let (dx, dy) = (glyph.end.0 - glyph.x, glyph.end.1 - glyph.y);
    // Within 6 degrees of an axis.
    let along = |a: f32, b: f32| a.abs() > 10.0 * b.abs();
    if dx.abs() + dy.abs() < 1e-3 {
        None
    } else if along(dx, dy) {
        Some(if dx > 0.0 { Direction::Right } else { Direction::Left })
    } else if along(dy, dx) {
        Some(if dy > 0.0 { Direction::Down } else { Direction::Up })
    } else {
        Some(Direction::Skew)
    }
}

/// A page turned so that one direction runs from left to right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    direction: Direction,
    width: f32,
    height: f32,
}

impl Frame {
    /// The frame of `direction` on a page of this size in points.
    pub(super) fn new(direction: Direction, width: f32, height: f32) -> Self {
        Self { direction, width, height }
    }

    /// Width and height of the turned page.
    pub(super) fn size(self) -> (f32, f32) {
        match self.direction {
            Direction::Down | Direction::Up => (self.height, self.width),
            _ => (self.width, self.height),
        }
    }

    fn turn(self, (x, y): (f32, f32)) -> (f32, f32) {
        match self.direction {
            Direction::Right | Direction::Skew => (x, y),
            Direction::Down => (y, self.width - x),
            Direction::Left => (self.width - x, self.height - y),
            Direction::Up => (self.height - y, x),
        }
    }

    fn turn_back(self, (x, y): (f32, f32)) -> (f32, f32) {
        match self.direction {
            Direction::Right | Direction::Skew => (x, y),
            Direction::Down => (self.width - y, x),
            Direction::Left => (self.width - x, self.height - y),
            Direction::Up => (y, self.height - x),
        }
    }

    /// A glyph as it stands on the turned page.
    pub(super) fn glyph(self, glyph: &Glyph) -> Glyph {
        let (x, y) = self.turn((glyph.x, glyph.y));
        Glyph { x, y, end: self.turn(glyph.end), ..glyph.clone() }
    }

    /// A box on the turned page.
    pub(super) fn bbox(self, bbox: Bbox) -> Bbox {
        corners(self.turn((bbox[0], bbox[1])), self.turn((bbox[2], bbox[3])))
    }

    /// A box of the turned page as it stands on the page.
    pub(super) fn bbox_back(self, bbox: Bbox) -> Bbox {
        corners(self.turn_back((bbox[0], bbox[1])), self.turn_back((bbox[2], bbox[3])))
    }

    /// The turned page with the glyphs of its direction.
    pub(super) fn page(self, raw: &Raw, glyphs: Vec<Glyph>) -> Raw {
        let (width, height) = self.size();
        Raw {
            width,
            height,
            glyphs,
            rules: raw.rules.iter().map(|rule| Rule { bbox: self.bbox(rule.bbox) }).collect(),
            drawings: raw.drawings.iter().map(|&bbox| self.bbox(bbox)).collect(),
            images: raw.images.iter().map(|&bbox| self.bbox(bbox)).collect(),
        }
    }
}

fn corners(a: (f32, f32), b: (f32, f32)) -> Bbox {
    [a.0.min(b.0), a.1.min(b.1), a.0.max(b.0), a.1.max(b.1)]
}

/// The glyphs of each direction, the direction with most glyphs first; glyphs without advance go with the one before.
pub(super) fn split(raw: &Raw) -> Vec<(Frame, Vec<Glyph>)> {
    let mut groups: Vec<(Direction, Vec<&Glyph>)> = DIRECTIONS.map(|direction| (direction, Vec::new())).into();
    let mut last = Direction::Right;
    for glyph in &raw.glyphs {
        last = direction(glyph).unwrap_or(last);
        if let Some((_, group)) = groups.iter_mut().find(|(direction, _)| *direction == last) {
            group.push(glyph);
        }
    }
    groups.retain(|(_, group)| group.iter().any(|glyph| !glyph.text.is_blank()));
    // Stable: on a tie the usual direction leads.
    groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.len()));
    let upright = |(direction, group): (Direction, Vec<&Glyph>)| {
        let frame = Frame::new(direction, raw.width, raw.height);
        (frame, group.into_iter().map(|glyph| frame.glyph(glyph)).collect())
    };
    groups.into_iter().map(upright).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn turning_back_undoes_turning(x in 0f32..600.0, y in 0f32..800.0, w in 0f32..90.0, h in 0f32..90.0, d in 0usize..5) {
            let frame = Frame::new(DIRECTIONS[d], 600.0, 800.0);
            let bbox = [x, y, x + w, y + h];
            let back = frame.bbox_back(frame.bbox(bbox));
            prop_assert!(bbox.iter().zip(back).all(|(a, b)| (a - b).abs() < 1e-3));
        }
    }
}
