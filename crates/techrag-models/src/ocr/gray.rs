//! A picture in shades of gray: all that readers of printed text look at.

use crate::page::Pixels;

/// 8 bits a pixel, row after row from the top, 255 is white.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Gray {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Gray {
    /// The luma of a colour picture (ITU-R BT.601, in 8-bit fixed point).
    pub(super) fn of(picture: &Pixels) -> Self {
        let luma = |[r, g, b]: [u8; 3]| {
            let sum = 77 * u32::from(r) + 150 * u32::from(g) + 29 * u32::from(b) + 128;
            u8::try_from(sum >> 8).unwrap_or(u8::MAX)
        };
        let (pixels, _) = picture.bytes().as_chunks::<3>();
        Self { width: picture.width(), height: picture.height(), bytes: pixels.iter().map(|&p| luma(p)).collect() }
    }

    /// A picture of these bytes, `width` a row.
    pub(super) fn new(width: usize, bytes: Vec<u8>) -> Self {
        let width = width.max(1);
        debug_assert_eq!(bytes.len() % width, 0);
        Self { width, height: bytes.len() / width, bytes }
    }

    /// Pixels across.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Pixels down.
    pub(super) fn height(&self) -> usize {
        self.height
    }

    /// The pixels.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same as a colour picture.
    pub(super) fn pixels(&self) -> Pixels {
        Pixels::of(self.width, self.height, self.bytes.iter().flat_map(|&value| [value; 3]).collect())
    }

    /// The part `left..right` × `top..bottom`, which must not be empty and lie inside.
    pub(super) fn cut(&self, [left, top, right, bottom]: [usize; 4]) -> Self {
        let rows = self.bytes.chunks_exact(self.width).skip(top).take(bottom - top);
        Self::new(right - left, rows.flat_map(|row| &row[left..right]).copied().collect())
    }

    /// Turned clockwise by so many quarters of a circle.
    pub(super) fn quarters(&self, quarters: u8) -> Self {
        let (width, height) = (self.width, self.height);
        let at = |x: usize, y: usize| self.bytes[y * width + x];
        let bytes = match quarters % 4 {
            0 => return self.clone(),
            1 => (0..width).flat_map(|x| (0..height).rev().map(move |y| (x, y))).map(|(x, y)| at(x, y)).collect(),
            2 => self.bytes.iter().rev().copied().collect(),
            _ => (0..width).rev().flat_map(|x| (0..height).map(move |y| (x, y))).map(|(x, y)| at(x, y)).collect(),
        };
        Self::new(if quarters % 2 == 1 { height } else { width }, bytes)
    }

    /// Lines that fall by `slope` radians (as seen, y downwards) brought to level: turned about the centre, bilinear,
    /// white where nothing was.
    pub(super) fn levelled(&self, slope: f32) -> Self {
        let (sin, cos) = slope.sin_cos();
        let [cx, cy] = self.centre();
        let mut bytes = Vec::with_capacity(self.bytes.len());
        for y in 0..self.height {
            for x in 0..self.width {
                let (dx, dy) = (exact(x) - cx, exact(y) - cy);
                bytes.push(self.between(cx + cos * dx - sin * dy, cy + sin * dx + cos * dy));
            }
        }
        Self::new(self.width, bytes)
    }

    /// The middle of the picture, in pixels.
    pub(super) fn centre(&self) -> [f32; 2] {
        [(exact(self.width) - 1.0) / 2.0, (exact(self.height) - 1.0) / 2.0]
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place in the picture, a mean of bytes"
    )]
    fn between(&self, x: f32, y: f32) -> u8 {
        let (left, top) = (x.floor(), y.floor());
        let (fx, fy) = (x - left, y - top);
        let at = |x: f32, y: f32| {
            let inside = x >= 0.0 && y >= 0.0 && x < exact(self.width) && y < exact(self.height);
            if inside { f32::from(self.bytes[y as usize * self.width + x as usize]) } else { 255.0 }
        };
        let upper = at(left, top) * (1.0 - fx) + at(left + 1.0, top) * fx;
        let lower = at(left, top + 1.0) * (1.0 - fx) + at(left + 1.0, top + 1.0) * fx;
        (upper * (1.0 - fy) + lower * fy).round() as u8
    }

    /// Squares of `side` pixels as one each; what is left over at the right and below is dropped. As it is for sides of 0
    /// and 1, and where nothing would be left.
    pub(super) fn reduced(&self, side: usize) -> Self {
        let (width, height) = (self.width / side.max(1), self.height / side.max(1));
        if side <= 1 || width == 0 || height == 0 {
            return self.clone();
        }
        let mut bytes = Vec::with_capacity(width * height);
        for band in self.bytes.chunks_exact(self.width * side).take(height) {
            for x in 0..width {
                let sum: usize = band
                    .chunks_exact(self.width)
                    .flat_map(|row| &row[x * side..(x + 1) * side])
                    .map(|&value| usize::from(value))
                    .sum();
                bytes.push(u8::try_from(sum / (side * side)).unwrap_or(u8::MAX));
            }
        }
        Self::new(width, bytes)
    }

    /// Mean length of the runs of ink across a box, in pixels; 0 where there is none.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the picture")]
    pub(super) fn stroke(&self, [left, top, right, bottom]: [f32; 4], threshold: u8) -> f32 {
        let clamp = |at: f32, most: usize| (at.max(0.0) as usize).min(most);
        let [left, right] = [left, right].map(|at| clamp(at, self.width));
        let [top, bottom] = [top, bottom].map(|at| clamp(at, self.height));
        let (mut ink, mut runs) = (0, 0);
        for row in self.bytes.chunks_exact(self.width).take(bottom).skip(top) {
            let mut open = false;
            for &value in &row[left.min(right)..right] {
                let inked = value <= threshold;
                ink += usize::from(inked);
                runs += usize::from(inked && !open);
                open = inked;
            }
        }
        if runs == 0 { 0.0 } else { exact(ink) / exact(runs) }
    }

    /// The value that parts ink from paper best (Otsu 1979: the largest variance between the classes).
    pub(super) fn threshold(&self) -> u8 {
        let mut counts = [0_u64; 256];
        self.bytes.iter().for_each(|&value| counts[usize::from(value)] += 1);
        let total: u64 = counts.iter().sum();
        let sum: u64 = (0_u64..).zip(counts).map(|(value, count)| value * count).sum();
        let (mut below, mut sum_below, mut best) = (0_u64, 0_u64, (0.0, 0_u8));
        for (value, count) in (0_u8..=255).zip(counts) {
            below += count;
            sum_below += u64::from(value) * count;
            if below == 0 || below == total {
                continue;
            }
            let above = total - below;
            let means = ratio(sum_below, below) - ratio(sum - sum_below, above);
            let between = ratio(below, total) * ratio(above, total) * means * means;
            if between > best.0 {
                best = (between, value);
            }
        }
        best.1
    }
}

#[expect(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^24")]
fn exact(pixels: usize) -> f32 {
    pixels as f32
}

#[expect(clippy::cast_precision_loss, reason = "sums over a picture are below 2^52")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_quarters_are_a_whole() {
        let picture = Gray::new(3, (0..6).collect());
        assert_eq!(picture.quarters(1).bytes(), [3, 0, 4, 1, 5, 2]);
        assert_eq!(picture.quarters(1).quarters(3), picture);
        assert_eq!(picture.quarters(2).quarters(2), picture);
        assert_eq!(picture.quarters(1).quarters(1), picture.quarters(2));
    }

    #[test]
    fn levelling_nothing_changes_nothing() {
        let picture = Gray::new(3, (0..6).collect());
        assert_eq!(picture.levelled(0.0), picture);
    }

    #[test]
    fn ink_and_paper_are_parted_between_them() {
        let picture = Gray::new(4, vec![20, 20, 30, 200, 210, 210, 205, 200]);
        assert!((30..200).contains(&picture.threshold()));
        assert_eq!(Gray::new(2, vec![7; 4]).threshold(), 0);
    }

    #[test]
    fn strokes_are_as_wide_as_they_are() {
        let picture = Gray::new(6, vec![0, 0, 9, 9, 0, 0, 9, 9, 9, 9, 0, 9]);
        assert_eq!(picture.stroke([0.0, 0.0, 6.0, 1.0], 5), 2.0);
        assert_eq!(picture.stroke([0.0, 0.0, 6.0, 2.0], 5), 5.0 / 3.0);
        assert_eq!((picture.stroke([2.0, 0.0, 4.0, 2.0], 5), picture.stroke([9.0, 0.0, 4.0, 2.0], 5)), (0.0, 0.0));
    }

    #[test]
    fn reduced_squares_are_means() {
        assert_eq!(Gray::new(4, vec![0, 4, 9, 9, 8, 4, 9, 9]).reduced(2).bytes(), [4, 9]);
        assert_eq!(Gray::new(1, vec![5]).reduced(4).bytes(), [5]);
    }
}
