//! Which way up a page is and how far its lines run askew, told by the picture alone.
//!
//! Printed lines leave white between them: summed along the lines, the ink of a page falls into peaks and gaps, summed
//! across them into a plain. The angle that makes the sharpest peaks is the lines' (Postl 1986: the sum of squared
//! bins). Whether a page stands on its head does not show in such sums; that is left to the readers' confidence.

use super::gray::Gray;

/// Pixels of the longer side on which angles are measured; fine enough for a tenth of a degree.
const MEASURED: usize = 1400;
/// Pixels of the shorter side that are left of a strip, at least.
const NARROWEST: usize = 100;
/// Steepest slope looked for, in degrees: what a page turns in a feeder.
const STEEPEST: f32 = 8.0;
/// Coarse step, then fine step, in degrees.
const STEPS: [f32; 2] = [0.5, 0.05];
/// Slopes below this are left alone, in degrees: both readers read them, and resampling blurs.
const LEVEL: f32 = 0.12;
/// Ink edges below which nothing can be said.
const EDGES: usize = 150;

/// How a picture was turned to be read: clockwise by quarters, then its lines brought to level.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Turn {
    /// Quarters of a circle, clockwise, 0 to 3.
    pub quarters: u8,
    /// Slope the lines had after that, in radians; positive where they fell to the right.
    pub slope: f32,
}

impl Turn {
    /// Where a box of the straightened picture lies on the picture as it was: the box around its turned corners.
    /// `width` and `height` are those of the straightened picture, in the box's unit.
    pub fn back(self, bbox: [f32; 4], [width, height]: [f32; 2]) -> [f32; 4] {
        let (sin, cos) = self.slope.sin_cos();
        let (cx, cy) = (width / 2.0, height / 2.0);
        let corner = |x: f32, y: f32| {
            let (dx, dy) = (x - cx, y - cy);
            let (x, y) = (cx + cos * dx - sin * dy, cy + sin * dx + cos * dy);
            match self.quarters % 4 {
                0 => (x, y),
                1 => (y, width - x),
                2 => (width - x, height - y),
                _ => (height - y, x),
            }
        };
        let [left, top, right, bottom] = bbox;
        let corners = [corner(left, top), corner(right, top), corner(left, bottom), corner(right, bottom)];
        let least = |of: fn(&(f32, f32)) -> f32| corners.iter().map(of).fold(f32::INFINITY, f32::min);
        let most = |of: fn(&(f32, f32)) -> f32| corners.iter().map(of).fold(f32::NEG_INFINITY, f32::max);
        [least(|c| c.0), least(|c| c.1), most(|c| c.0), most(|c| c.1)]
    }
}

/// The picture turned by `quarters` and its lines brought to level.
pub(super) fn straighten(gray: &Gray, quarters: u8) -> (Gray, Turn) {
    let upright = gray.quarters(quarters);
    let slope = Edges::of(&upright).map_or(0.0, |edges| edges.rows().slope);
    if slope.abs() < LEVEL.to_radians() {
        return (upright, Turn { quarters, slope: 0.0 });
    }
    (upright.levelled(slope), Turn { quarters, slope })
}

/// The picture small enough for angles to be measured quickly, and no narrower than they can be measured on.
pub(super) fn small(gray: &Gray) -> Gray {
    let (width, height) = (gray.width(), gray.height());
    gray.reduced(width.max(height).div_ceil(MEASURED).min(width.min(height) / NARROWEST).max(1))
}

/// Where ink ends below and to the right: the edges that lie along lines of text, upright or on their side.
pub(super) struct Edges {
    below: Vec<(f32, f32)>,
    right: Vec<(f32, f32)>,
    size: [f32; 2],
}

/// The slope of the sharpest sums, and how sharp they are: 1 for a plain.
pub(super) struct Found {
    pub(super) slope: f32,
    pub(super) sharpness: f32,
}

impl Edges {
    /// `None` where there is too little ink.
    #[expect(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^24")]
    pub(super) fn of(gray: &Gray) -> Option<Self> {
        let small = small(gray);
        let (width, height) = (small.width(), small.height());
        let threshold = small.threshold();
        let ink = |x: usize, y: usize| small.bytes()[y * width + x] <= threshold;
        let (mut below, mut right) = (Vec::new(), Vec::new());
        for y in 0..height.saturating_sub(1) {
            for x in 0..width.saturating_sub(1) {
                if ink(x, y) && !ink(x, y + 1) {
                    below.push((x as f32, y as f32));
                }
                if ink(x, y) && !ink(x + 1, y) {
                    right.push((x as f32, y as f32));
                }
            }
        }
        let enough = below.len() >= EDGES && right.len() >= EDGES;
        enough.then_some(Self { below, right, size: [width as f32, height as f32] })
    }

    /// Lines that run from left to right.
    pub(super) fn rows(&self) -> Found {
        sharpest(&self.below, self.size)
    }

    /// Lines that run from top to bottom.
    pub(super) fn columns(&self) -> Found {
        let across: Vec<_> = self.right.iter().map(|&(x, y)| (y, x)).collect();
        sharpest(&across, [self.size[1], self.size[0]])
    }
}

/// The slope along which points fall into the fewest bins; the flattest of equals.
fn sharpest(points: &[(f32, f32)], [width, height]: [f32; 2]) -> Found {
    let mut best = Found { slope: 0.0, sharpness: sharpness(points, 0.0, width, height) };
    let mut reach = STEEPEST;
    for step in STEPS {
        let middle = best.slope;
        #[expect(clippy::cast_possible_truncation, reason = "a few dozen steps")]
        let steps = (reach / step).round() as i16;
        for at in 1..=steps {
            for sign in [1.0, -1.0] {
                let slope = middle + (sign * f32::from(at) * step).to_radians();
                let sharpness = sharpness(points, slope, width, height);
                if sharpness > best.sharpness {
                    best = Found { slope, sharpness };
                }
            }
        }
        reach = step;
    }
    best
}

/// Sum of squared bins over what a plain would give.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bins of a picture; the cast saturates")]
#[expect(clippy::cast_precision_loss, reason = "points of a picture are far below 2^52")]
fn sharpness(points: &[(f32, f32)], slope: f32, width: f32, height: f32) -> f32 {
    let (sin, cos) = slope.sin_cos();
    let lowest = -(width * sin.abs());
    let bins = (height + 2.0 * width * sin.abs()).ceil() as usize + 2;
    let mut counts = vec![0_u32; bins];
    for &(x, y) in points {
        let bin = (y * cos - x * sin - lowest).round() as usize;
        if let Some(count) = counts.get_mut(bin) {
            *count += 1;
        }
    }
    let squares: f64 = counts.iter().map(|&count| f64::from(count) * f64::from(count)).sum();
    let plain = (points.len() as f64).powi(2) / f64::from(height);
    (squares / plain) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of dashes as text leaves them, falling by `slope` radians.
    fn lines(slope: f32) -> Gray {
        let (width, height) = (700_u16, 900_u16);
        let mut bytes = vec![255_u8; usize::from(width) * usize::from(height)];
        for y in 0..height {
            for x in 0..width {
                let across = f32::from(y) * slope.cos() - f32::from(x) * slope.sin();
                let along = f32::from(x) * slope.cos() + f32::from(y) * slope.sin();
                // Words of the lines do not stand under each other.
                let shift = (across / 20.0).floor() * 31.0;
                let word = ((along + shift) / 9.0).floor().rem_euclid(5.0) > 0.5;
                if across.rem_euclid(20.0) < 8.0 && word && (60..640).contains(&x) && (60..840).contains(&y) {
                    bytes[usize::from(y) * usize::from(width) + usize::from(x)] = 0;
                }
            }
        }
        Gray::new(usize::from(width), bytes)
    }

    #[test]
    fn pictures_narrower_than_any_text_are_level() {
        for (width, height) in [(2000, 40), (40, 2000), (20, 15), (99, 99), (1, 1), (9, 0)] {
            let mut bytes = vec![255_u8; width * height];
            bytes.iter_mut().step_by(7).for_each(|byte| *byte = 0);
            let (level, turn) = straighten(&Gray::new(width, bytes), 0);
            assert_eq!((level.bytes().len(), turn.quarters), (width * height, 0), "{width} x {height}");
        }
    }

    #[test]
    fn slopes_are_found_to_a_tenth_of_a_degree() {
        for degrees in [-4.0_f32, -1.5, 0.7, 3.2] {
            let (_, turn) = straighten(&lines(degrees.to_radians()), 0);
            assert!((turn.slope.to_degrees() - degrees).abs() < 0.1, "{degrees}: {}", turn.slope.to_degrees());
        }
        assert_eq!(straighten(&lines(0.0), 0).1, Turn::default());
    }

    #[test]
    fn boxes_turn_back_to_where_they_were() {
        let size = [100.0, 60.0];
        let near = |a: [f32; 4], b: [f32; 4]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-3);
        let at = |quarters, slope| Turn { quarters, slope }.back([10.0, 20.0, 30.0, 25.0], size);
        assert!(near(at(0, 0.0), [10.0, 20.0, 30.0, 25.0]));
        // Turned clockwise to be read: the picture's left side had been on top.
        assert!(near(at(1, 0.0), [20.0, 70.0, 25.0, 90.0]));
        assert!(near(at(2, 0.0), [70.0, 35.0, 90.0, 40.0]));
        assert!(near(at(3, 0.0), [35.0, 10.0, 40.0, 30.0]));
        let slanted = at(0, 0.1);
        assert!(slanted[3] - slanted[1] > 5.0 && slanted[2] - slanted[0] < 21.0, "{slanted:?}");
    }
}
