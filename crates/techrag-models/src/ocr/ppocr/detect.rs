//! Where lines of text are: a map of probabilities (Liao et al. 2020, differentiable binarisation) and its regions.
//!
//! The page is straight when it comes here, so that a region's upright box is its line; the network's own pipeline looks
//! for turned boxes instead.

use ort::session::Session;
use ort::value::TensorRef;

use super::RecogniserSpec;
use crate::error::Error;
use crate::ocr::gray::Gray;
use crate::page::{Filter, Scale, resize};
use crate::pool::Pool;

/// The network's sides are multiples of this.
const STRIDE: f32 = 32.0;
/// Regions of a shorter side, in pixels of the map, are specks.
const SPECK: usize = 3;

/// Pixels along the longer side of a page with which its lines are found. With 1280 hyphens at the ends of lines were left
/// out and formulas parted; with 2016 no more is found, and it takes 1.6 times the memory.
const ENOUGH: f32 = 1600.0;
/// Larger pictures, of pages with more lines, are reduced to this share of their pixels a side and no further: letters that
/// are drawn 30 pixels high are then 14.
const SHARE: f32 = 0.48;

pub(super) struct Detector {
    pool: Pool,
    spec: RecogniserSpec,
    scale: Scale,
}

/// Probabilities, row after row.
struct Map {
    width: usize,
    values: Vec<f32>,
}

impl Detector {
    pub(super) fn new(pool: Pool, spec: RecogniserSpec) -> Self {
        Self { pool, spec, scale: Scale::new([0.5; 3], [0.5; 3]) }
    }

    /// Boxes of lines in pixels, not empty and inside the picture, from the top and then from the left.
    ///
    /// # Errors
    /// [`Error::Run`], [`Error::Shape`].
    #[expect(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^24")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the picture")]
    pub(super) fn lines(&self, picture: &Gray) -> Result<Vec<[usize; 4]>, Error> {
        let [width, height] = size(picture, &self.spec);
        let pixels = resize(&picture.pixels(), width, height, Filter::Bilinear);
        let mut values = Vec::with_capacity(3 * width * height);
        self.scale.planes(&pixels, &mut values);
        let map = self.pool.with(|session| self.run(session, &values, width, height))?;
        let factors = [picture.width() as f32 / width as f32, picture.height() as f32 / height as f32];
        let scaled = |at: f32, axis: usize, most: usize| (at * factors[axis]).round().clamp(0.0, most as f32) as usize;
        let boxes = self.regions(&map).into_iter().map(|[left, top, right, bottom]| {
            let (w, h) = (picture.width(), picture.height());
            [scaled(left, 0, w), scaled(top, 1, h), scaled(right, 0, w), scaled(bottom, 1, h)]
        });
        let mut boxes: Vec<[usize; 4]> = boxes.filter(|b| b[2] > b[0] + SPECK && b[3] > b[1] + SPECK).collect();
        boxes.sort_unstable_by_key(|b| (b[1], b[0], b[3], b[2]));
        Ok(boxes)
    }

    /// Pixels a side of the picture on which lines are found, for each one of this picture; more than 1 where it is small.
    #[expect(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^24")]
    pub(super) fn share(&self, picture: &Gray) -> f32 {
        size(picture, &self.spec)[1] as f32 / picture.height() as f32
    }

    fn run(&self, session: &mut Session, values: &[f32], width: usize, height: usize) -> Result<Map, Error> {
        let said = |error: ort::Error| Error::run(self.pool.id(), error);
        let image = TensorRef::from_array_view(([1, 3, height, width], values)).map_err(said)?;
        let outputs = session.run(ort::inputs![image]).map_err(said)?;
        let (shape, values) = outputs[0].try_extract_tensor::<f32>().map_err(said)?;
        if values.len() != width * height {
            let side = |pixels: usize| i64::try_from(pixels).unwrap_or(i64::MAX);
            return Err(Error::Shape {
                id: self.pool.id().to_owned(),
                output: "map of lines".to_owned(),
                found: shape.to_vec(),
                expected: vec![1, 1, side(height), side(width)],
            });
        }
        Ok(Map { width, values: values.to_vec() })
    }

    /// Boxes around the regions of the map, grown to hold their letters.
    #[expect(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^24")]
    fn regions(&self, map: &Map) -> Vec<[f32; 4]> {
        let certain = |[left, top, right, bottom]: [usize; 4]| {
            let rows = map.values.chunks_exact(map.width).skip(top).take(bottom - top);
            let sum: f32 = rows.flat_map(|row| &row[left..right]).sum();
            sum / ((right - left) * (bottom - top)) as f32
        };
        let found = components(map, self.spec.pixel).into_iter();
        let lines = found.filter(|b| b[2] - b[0] >= SPECK && b[3] - b[1] >= SPECK && certain(*b) >= self.spec.region);
        let grown = lines.map(|b| {
            let [left, top, right, bottom] = b.map(|side| side as f32);
            let (width, height) = (right - left, bottom - top);
            let by = width * height * self.spec.grow / (2.0 * (width + height));
            [left - by, top - by, right + by, bottom + by]
        });
        grown.collect()
    }
}

/// The size a picture is brought to: no larger than lines need to be found, which takes memory and time with every pixel.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sides")]
fn size(picture: &Gray, spec: &RecogniserSpec) -> [usize; 2] {
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    let enough = (ENOUGH / width.max(height)).clamp(SHARE, 1.0);
    let factor = (spec.shorter as f32 / width.min(height)).max(enough).min(spec.longer as f32 / width.max(height));
    let side = |pixels: f32| ((pixels * factor / STRIDE).round().max(1.0) * STRIDE) as usize;
    [side(width), side(height)]
}

/// Boxes `[left, top, right, bottom)` of pixels that touch, corners included, each pixel above `least` taken as two by
/// two: the network's own pipeline closes gaps of one pixel so.
fn components(map: &Map, least: f32) -> Vec<[usize; 4]> {
    let (width, height) = (map.width, map.values.len() / map.width.max(1));
    let mut open = vec![false; map.values.len()];
    for (at, _) in map.values.iter().enumerate().filter(|(_, value)| **value > least) {
        let (x, y) = (at % width, at / width);
        for (x, y) in [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)] {
            if x < width && y < height {
                open[y * width + x] = true;
            }
        }
    }
    let mut found = Vec::new();
    let mut stack = Vec::new();
    for start in 0..open.len() {
        if !std::mem::take(&mut open[start]) {
            continue;
        }
        let mut bbox = [start % width, start / width, start % width + 1, start / width + 1];
        stack.push(start);
        while let Some(at) = stack.pop() {
            let (x, y) = (at % width, at / width);
            bbox = [bbox[0].min(x), bbox[1].min(y), bbox[2].max(x + 1), bbox[3].max(y + 1)];
            for y in y.saturating_sub(1)..(y + 2).min(height) {
                for x in x.saturating_sub(1)..(x + 2).min(width) {
                    if std::mem::take(&mut open[y * width + x]) {
                        stack.push(y * width + x);
                    }
                }
            }
        }
        found.push(bbox);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_no_larger_than_lines_need() {
        let spec = RecogniserSpec {
            shorter: 736,
            longer: 2016,
            pixel: 0.3,
            region: 0.5,
            grow: 1.6,
            height: 48,
            width: 320,
            line: 0.5,
        };
        let sides = |width, height| size(&Gray::new(width, vec![255; width * height]), &spec);
        assert_eq!(sides(2550, 3300), [1248, 1600], "a letter at 300 dots an inch");
        assert_eq!(sides(2896, 4096), [1376, 1952], "a larger page");
        assert_eq!(sides(800, 1000), [800, 992], "a small picture stays as it is");
        assert_eq!(sides(368, 640), [736, 1280], "and grows where letters would be lost");
        assert_eq!(sides(500, 4000), [256, 2016], "a strip");
    }

    #[test]
    fn pixels_that_nearly_touch_are_one_region() {
        let mut values = vec![0.0; 10 * 6];
        for at in [11, 12, 14, 47] {
            values[at] = 0.9;
        }
        let found = components(&Map { width: 10, values }, 0.3);
        assert_eq!(found, [[1, 1, 6, 3], [7, 4, 9, 6]]);
    }
}
