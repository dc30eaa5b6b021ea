//! Painted paths, reduced to what layout asks of them: thin rules, and the area that figures take.

use super::glyph::{Raw, Rule};
use super::matrix::Matrix;
use crate::page::Bbox;

/// Thickest line in points that still counts as a rule.
const THIN: f32 = 2.5;
/// How far a stroked line may stray from an axis, in points.
const STRAIGHT: f32 = 0.4;
/// Shortest rule in points; below are dots and parts of letters.
const SHORT: f32 = 4.0;
/// Segments of a path that are kept; a path with more is a drawing.
const SEGMENTS: usize = 64;

/// The path under construction, in page coordinates.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    bbox: Option<Bbox>,
    segments: Vec<Bbox>,
    start: (f32, f32),
    pen: (f32, f32),
    rectangles: Vec<Bbox>,
    curved: bool,
}

impl Path {
    pub(super) fn move_to(&mut self, to: (f32, f32)) {
        self.start = to;
        self.pen = to;
    }

    pub(super) fn line_to(&mut self, to: (f32, f32)) {
        let segment = span(self.pen, to);
        if self.segments.len() < SEGMENTS {
            self.segments.push(segment);
        }
        self.grow(segment);
        self.pen = to;
    }

    pub(super) fn curve_to(&mut self, control: (f32, f32), to: (f32, f32)) {
        self.curved = true;
        self.grow(span(self.pen, to));
        self.grow(span(control, to));
        self.pen = to;
    }

    pub(super) fn close(&mut self) {
        self.line_to(self.start);
    }

    /// A rectangle in the coordinates of `ctm`.
    pub(super) fn rectangle(&mut self, [x, y, width, height]: [f64; 4], ctm: Matrix) {
        let one = point(ctm.apply(x, y));
        let other = point(ctm.apply(x + width, y + height));
        let bbox = span(one, other);
        if self.rectangles.len() < SEGMENTS {
            self.rectangles.push(bbox);
        }
        self.grow(bbox);
        self.move_to(one);
    }

    fn grow(&mut self, by: Bbox) {
        self.bbox = Some(self.bbox.map_or(by, |bbox| join(bbox, by)));
    }

    /// Ends the path without painting it.
    pub(super) fn discard(&mut self) {
        self.bbox = None;
        self.segments.clear();
        self.rectangles.clear();
        self.curved = false;
    }

    /// Paints: rules go to the rules, the rest to the drawings. `line` is the stroke's width where it is stroked.
    pub(super) fn paint(&mut self, line: Option<f32>, raw: &mut Raw) {
        let Some(bbox) = self.bbox else { return self.discard() };
        if !bbox.iter().all(|value| value.is_finite()) {
            return self.discard();
        }
        if self.segments.len() >= 4 && !self.curved && line.is_none() && thin(bbox, THIN).is_some() {
            // A rule drawn as a filled polygon.
            raw.rules.extend(thin(bbox, THIN));
            return self.discard();
        }
        let before = raw.rules.len();
        for rectangle in &self.rectangles {
            rectangle_rules(*rectangle, line, raw);
        }
        if line.is_some_and(|width| width <= THIN) && !self.curved {
            raw.rules.extend(self.segments.iter().filter_map(|&segment| thin(segment, STRAIGHT)));
        }
        let only_rules = raw.rules.len() - before >= self.segments.len() + self.rectangles.len() && !self.curved;
        if !only_rules {
            raw.drawings.push(bbox);
        }
        self.discard();
    }
}

/// An image, or the rule that it draws: some programs stretch one pixel over it.
pub(super) fn image(bbox: Bbox, raw: &mut Raw) {
    match thin(bbox, THIN) {
        Some(rule) => raw.rules.push(rule),
        None => raw.images.push(bbox),
    }
}

/// The rules that a rectangle draws: itself where it is thin, its edges where it is stroked.
fn rectangle_rules(rectangle: Bbox, line: Option<f32>, raw: &mut Raw) {
    if let Some(rule) = thin(rectangle, THIN) {
        raw.rules.push(rule);
    } else if line.is_some_and(|width| width <= THIN) {
        let [x0, y0, x1, y1] = rectangle;
        let edges = [[x0, y0, x1, y0], [x0, y1, x1, y1], [x0, y0, x0, y1], [x1, y0, x1, y1]];
        raw.rules.extend(edges.into_iter().filter_map(|edge| thin(edge, STRAIGHT)));
    }
}

/// The rule of a box whose smaller side is at most `most` points.
fn thin(bbox: Bbox, most: f32) -> Option<Rule> {
    let rule = Rule { bbox };
    let thickness = (bbox[2] - bbox[0]).min(bbox[3] - bbox[1]);
    (thickness <= most && rule.length() >= SHORT).then_some(rule)
}

/// The box with two points as corners.
pub(super) fn span(a: (f32, f32), b: (f32, f32)) -> Bbox {
    [a.0.min(b.0), a.1.min(b.1), a.0.max(b.0), a.1.max(b.1)]
}

fn join(a: Bbox, b: Bbox) -> Bbox {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

/// A point in the precision of the output.
#[expect(clippy::cast_possible_truncation, reason = "points on a page fit an f32 to a thousandth")]
pub(super) fn point((x, y): (f64, f64)) -> (f32, f32) {
    (x as f32, y as f32)
}

/// The box of the unit square under `ctm`: where an image stands.
pub(super) fn unit_square(ctm: Matrix) -> Bbox {
    join(
        span(point(ctm.apply(0.0, 0.0)), point(ctm.apply(1.0, 1.0))),
        span(point(ctm.apply(0.0, 1.0)), point(ctm.apply(1.0, 0.0))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stroked_lines_are_rules_and_curves_drawings() {
        let mut raw = Raw::default();
        let mut path = Path::default();
        path.move_to((0.0, 10.0));
        path.line_to((100.0, 10.0));
        path.paint(Some(1.0), &mut raw);
        assert_eq!((raw.rules.len(), raw.drawings.len()), (1, 0));
        path.move_to((0.0, 0.0));
        path.curve_to((5.0, 5.0), (10.0, 0.0));
        path.paint(Some(1.0), &mut raw);
        assert_eq!((raw.rules.len(), raw.drawings.len()), (1, 1));
    }

    #[test]
    fn a_stroked_rectangle_has_four_edges() {
        let mut raw = Raw::default();
        let mut path = Path::default();
        path.rectangle([0.0, 0.0, 50.0, 20.0], Matrix::IDENTITY);
        path.paint(Some(0.5), &mut raw);
        assert_eq!(raw.rules.len(), 4);
    }
}
