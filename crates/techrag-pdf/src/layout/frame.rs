//! Frames: text that runs up, down, upside down or at a slant is laid out on a page of its own, turned upright.

use crate::glyphs::{Glyph, Raw, Rule};
use crate::page::Bbox;

/// Steepest slant in degrees at which rules and boxes of the page still say something about the text.
const STEEP: f32 = 10.0;

/// Which way a line of text runs on the page, slants of up to half a quarter turn aside.
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
}

/// All directions by quarter turns clockwise, the usual first.
pub(super) const DIRECTIONS: [Direction; 4] = [Direction::Right, Direction::Down, Direction::Left, Direction::Up];

/// A page turned so that one direction runs from left to right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    direction: Direction,
    /// How far the text descends against its direction, in degrees.
    slant: f32,
    width: f32,
    height: f32,
}

impl Frame {
    /// The frame of `direction` on a page of this size in points.
    pub(super) fn new(direction: Direction, width: f32, height: f32) -> Self {
        Self { direction, slant: 0.0, width, height }
    }

    /// The same for text that descends by `degrees` more.
    pub(super) fn slanted(self, degrees: f32) -> Self {
        Self { slant: self.slant + degrees, ..self }
    }

    /// Width and height of the turned page.
    pub(super) fn size(self) -> (f32, f32) {
        match self.direction {
            Direction::Down | Direction::Up => (self.height, self.width),
            Direction::Right | Direction::Left => (self.width, self.height),
        }
    }

    fn turn(self, (x, y): (f32, f32)) -> (f32, f32) {
        let upright = match self.direction {
            Direction::Right => (x, y),
            Direction::Down => (y, self.width - x),
            Direction::Left => (self.width - x, self.height - y),
            Direction::Up => (self.height - y, x),
        };
        self.lean(upright, -self.slant)
    }

    fn turn_back(self, at: (f32, f32)) -> (f32, f32) {
        let (x, y) = self.lean(at, self.slant);
        match self.direction {
            Direction::Right => (x, y),
            Direction::Down => (self.width - y, x),
            Direction::Left => (self.width - x, self.height - y),
            Direction::Up => (y, self.height - x),
        }
    }

    /// Turns a point of the turned page clockwise about its middle.
    fn lean(self, (x, y): (f32, f32), degrees: f32) -> (f32, f32) {
        if degrees == 0.0 {
            return (x, y);
        }
        let (width, height) = self.size();
        let (sin, cos) = degrees.to_radians().sin_cos();
        let (x, y) = (x - width / 2.0, y - height / 2.0);
        (x * cos - y * sin + width / 2.0, x * sin + y * cos + height / 2.0)
    }

    /// A glyph as it stands on the turned page.
    pub(super) fn glyph(self, glyph: &Glyph) -> Glyph {
        let (x, y) = self.turn((glyph.x, glyph.y));
        Glyph { x, y, end: self.turn(glyph.end), ..glyph.clone() }
    }

    /// A box on the turned page: around its corners, or as large as it was where the text is hardly slanted.
    pub(super) fn bbox(self, bbox: Bbox) -> Bbox {
        if self.slant == 0.0 || self.slant.abs() >= STEEP {
            return around(bbox, |corner| self.turn(corner));
        }
        let upright = around(bbox, |corner| Self { slant: 0.0, ..self }.turn(corner));
        let middle = |from: f32, to: f32| f32::midpoint(from, to);
        let old = (middle(upright[0], upright[2]), middle(upright[1], upright[3]));
        let new = self.turn((middle(bbox[0], bbox[2]), middle(bbox[1], bbox[3])));
        let (x, y) = (new.0 - old.0, new.1 - old.1);
        [upright[0] + x, upright[1] + y, upright[2] + x, upright[3] + y]
    }

    /// The box on the page around a box of the turned page.
    pub(super) fn bbox_back(self, bbox: Bbox) -> Bbox {
        around(bbox, |corner| self.turn_back(corner))
    }

    /// The turned page with the glyphs of its direction.
    pub(super) fn page(self, raw: &Raw, glyphs: Vec<Glyph>) -> Raw {
        let (width, height) = self.size();
        // Rules that lie on the page are none beside text that stands askew.
        let rules = raw.rules.iter().filter(|_| self.slant.abs() < STEEP);
        Raw {
            width,
            height,
            glyphs,
            rules: rules.map(|rule| Rule { bbox: self.bbox(rule.bbox) }).collect(),
            drawings: raw.drawings.iter().map(|&bbox| self.bbox(bbox)).collect(),
            images: raw.images.iter().map(|&bbox| self.bbox(bbox)).collect(),
            hidden: Vec::new(),
        }
    }
}

/// The box around the corners of a box, wherever they are put.
fn around(bbox: Bbox, place: impl Fn((f32, f32)) -> (f32, f32)) -> Bbox {
    let corners = [(bbox[0], bbox[1]), (bbox[2], bbox[1]), (bbox[0], bbox[3]), (bbox[2], bbox[3])].map(place);
    let grow = |a: Bbox, (x, y): (f32, f32)| [a[0].min(x), a[1].min(y), a[2].max(x), a[3].max(y)];
    let first = corners[0];
    corners.into_iter().fold([first.0, first.1, first.0, first.1], grow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn turning_back_undoes_turning(
            x in 0f32..600.0, y in 0f32..800.0, w in 0f32..90.0, h in 0f32..90.0, d in 0usize..4, slant in -45f32..45.0,
        ) {
            let bbox = [x, y, x + w, y + h];
            let frame = Frame::new(DIRECTIONS[d], 600.0, 800.0);
            let back = frame.bbox_back(frame.bbox(bbox));
            prop_assert!(bbox.iter().zip(back).all(|(a, b)| (a - b).abs() < 1e-3));
            // At a slant the box is around what it was.
            let point = frame.slanted(slant).turn_back(frame.slanted(slant).turn((x, y)));
            prop_assert!((point.0 - x).abs() < 1e-2 && (point.1 - y).abs() < 1e-2);
            let size = |bbox: Bbox| (bbox[2] - bbox[0]) + (bbox[3] - bbox[1]);
            let slanted = frame.slanted(slant).bbox_back(frame.slanted(slant).bbox(bbox));
            prop_assert!(size(slanted) > size(bbox) - 1e-2);
        }
    }
}
