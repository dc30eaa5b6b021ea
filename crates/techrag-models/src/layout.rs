//! The layout of a page: labelled boxes of figures, tables, captions and the like, seen in its picture.
//!
//! For figures drawn without a picture object, and for scans. PicoDet networks as PaddleDetection exports them: the
//! picture at a fixed square size, its scale beside it, and rows of class, score and box out.

use std::cmp::Ordering;

use ort::session::Session;
use ort::value::TensorRef;
use serde::Deserialize;

use crate::encoder::Limits;
use crate::error::Error;
use crate::locate::Locator;
use crate::manifest::{GRAPH, Kind, Manifest, Model};
use crate::page::{Filter, Pixels, Scale, resize};
use crate::pool::Pool;
use crate::runtime;

/// Values a row of the output: class, score, left, top, right, bottom.
const ROW: usize = 6;
/// Share of their union from which two boxes are taken for one thing; the more certain label stays. (A figure is often
/// found as an image and as a chart.)
const SAME: f32 = 0.8;

/// How a layout network is used.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayoutSpec {
    /// Side of the square the page is brought to, in pixels.
    pub side: u32,
    /// Subtracted from red, green and blue in 0..1.
    pub mean: [f32; 3],
    /// Divided by, after that.
    pub std: [f32; 3],
    /// How pixels are resampled.
    pub resample: Filter,
    /// Score from which a box counts, 0 to 1.
    pub threshold: f32,
    /// Names of the classes, in their order.
    pub labels: Vec<String>,
}

/// A thing on a page.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutRegion {
    /// What it is, in the words of the manifest: `image`, `chart`, `table`, `figure_title`, …
    pub label: String,
    /// How certain the network is, 0 to 1.
    pub score: f32,
    /// Left, top, right, bottom as fractions of the page's width and height from its upper left corner.
    pub bbox: [f32; 4],
}

/// Finds the things on pages. Shared by threads freely.
pub struct LayoutModel {
    spec: LayoutSpec,
    revision: String,
    scale: Scale,
    pool: Pool,
}

impl LayoutModel {
    /// Opens a layout network of the manifest.
    ///
    /// # Errors
    /// [`Error::Unknown`], [`Error::WrongKind`], [`Error::Missing`] (of the model or of the runtime), and
    /// [`Error::File`] if the graph does not load or has other inputs.
    pub fn open(locator: &Locator, manifest: &Manifest, id: &str, limits: Limits) -> Result<Self, Error> {
        let model = manifest.get(id)?;
        let spec = model.layout_model()?.clone();
        let folder = locator.folder(model)?;
        let environment = runtime::environment(locator, manifest)?;
        let pool = Pool::open(environment, id, folder.join(GRAPH), limits.sessions)?;
        pool.with(|session| {
            let names: Vec<&str> = session.inputs().iter().map(|input| input.name()).collect();
            match names.iter().all(|name| ["image", "scale_factor"].contains(name)) && names.len() == 2 {
                true => Ok(()),
                false => Err(pool.faulty(format!("it takes {}, not image and scale_factor", names.join(", ")))),
            }
        })?;
        Ok(Self { scale: Scale::new(spec.mean, spec.std), revision: model.revision.clone(), spec, pool })
    }

    /// Manifest id.
    pub fn id(&self) -> &str {
        self.pool.id()
    }

    /// Weight revision.
    pub fn revision(&self) -> &str {
        &self.revision
    }

    /// The things on a page, the most certain first, no two of them in one place.
    ///
    /// # Errors
    /// [`Error::Page`] if a box is of no known class, [`Error::Shape`] if the output has another shape, [`Error::Run`]
    /// if the runtime fails.
    pub fn regions(&self, picture: &Pixels) -> Result<Vec<LayoutRegion>, Error> {
        let side = self.spec.side as usize;
        let mut values = Vec::with_capacity(3 * side * side);
        self.scale.planes(&resize(picture, side, side, self.spec.resample), &mut values);
        #[expect(clippy::cast_precision_loss, reason = "sides of pictures are far below 2^24")]
        let [down, across, side_f] = [picture.height(), picture.width(), side].map(|side| side as f32);
        let rows = self.pool.with(|session| self.run(session, &values, [side_f / down, side_f / across]))?;
        let regions = rows.chunks_exact(ROW).filter(|row| row[1] >= self.spec.threshold);
        let regions = regions.map(|row| self.region(row, across, down)).collect::<Result<Vec<_>, _>>()?;
        Ok(apart(regions))
    }

    fn run(&self, session: &mut Session, values: &[f32], scale: [f32; 2]) -> Result<Vec<f32>, Error> {
        let side = self.spec.side as usize;
        let said = |error: ort::Error| Error::run(self.pool.id(), error);
        let image = TensorRef::from_array_view(([1, 3, side, side], values)).map_err(said)?;
        let scale = TensorRef::from_array_view(([1, 2], scale.as_slice())).map_err(said)?;
        let outputs = session.run(ort::inputs!["image" => image, "scale_factor" => scale]).map_err(said)?;
        let (shape, rows) = outputs[0].try_extract_tensor::<f32>().map_err(said)?;
        match **shape {
            [_, 6] => Ok(rows.to_vec()),
            _ => Err(Error::Shape {
                id: self.pool.id().to_owned(),
                output: "boxes".to_owned(),
                found: shape.to_vec(),
                expected: vec![-1, 6],
            }),
        }
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "classes are small whole numbers")]
    fn region(&self, row: &[f32], across: f32, down: f32) -> Result<LayoutRegion, Error> {
        let class =
            self.spec.labels.get(row[0].max(0.0) as usize).filter(|_| row.iter().all(|value| value.is_finite()));
        let label = class.cloned().ok_or_else(|| Error::Page {
            id: self.pool.id().to_owned(),
            message: format!("a box of class {} and score {} is none it knows", row[0], row[1]),
        })?;
        let bbox = [row[2] / across, row[3] / down, row[4] / across, row[5] / down].map(|side| side.clamp(0.0, 1.0));
        Ok(LayoutRegion { label, score: row[1], bbox })
    }
}

/// The regions by falling score, less those that lie where a more certain one does.
fn apart(mut regions: Vec<LayoutRegion>) -> Vec<LayoutRegion> {
    let order = |a: &LayoutRegion, b: &LayoutRegion| {
        let boxes = a.bbox.iter().zip(&b.bbox).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
        b.score.total_cmp(&a.score).then(boxes.unwrap_or(Ordering::Equal)).then_with(|| a.label.cmp(&b.label))
    };
    regions.sort_by(order);
    let mut kept: Vec<LayoutRegion> = Vec::with_capacity(regions.len());
    for region in regions {
        if kept.iter().all(|other| shared(&other.bbox, &region.bbox) < SAME) {
            kept.push(region);
        }
    }
    kept
}

/// Intersection over union of two boxes.
fn shared(a: &[f32; 4], b: &[f32; 4]) -> f32 {
    let area = |x: &[f32; 4]| (x[2] - x[0]).max(0.0) * (x[3] - x[1]).max(0.0);
    let both = area(&[a[0].max(b[0]), a[1].max(b[1]), a[2].min(b[2]), a[3].min(b[3])]);
    both / (area(a) + area(b) - both).max(f32::MIN_POSITIVE)
}

impl Model {
    /// How to use it as a layout model.
    ///
    /// # Errors
    /// [`Error::WrongKind`].
    pub fn layout_model(&self) -> Result<&LayoutSpec, Error> {
        match &self.kind {
            Kind::Layout(spec) => Ok(spec),
            _ => Err(Error::WrongKind { id: self.id.clone(), wanted: "layout model" }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(label: &str, score: f32, bbox: [f32; 4]) -> LayoutRegion {
        LayoutRegion { label: label.to_owned(), score, bbox }
    }

    #[test]
    fn the_more_certain_of_two_in_one_place_stays() {
        let found = apart(vec![
            region("chart", 0.5, [0.1, 0.1, 0.5, 0.5]),
            region("text", 0.9, [0.1, 0.6, 0.5, 0.9]),
            region("image", 0.7, [0.1, 0.1, 0.5, 0.49]),
        ]);
        let labels: Vec<&str> = found.iter().map(|region| region.label.as_str()).collect();
        assert_eq!(labels, ["text", "image"]);
    }

    #[test]
    fn a_part_of_a_larger_thing_is_a_thing_of_its_own() {
        assert!((shared(&[0.0, 0.0, 1.0, 1.0], &[0.0, 0.0, 0.5, 1.0]) - 0.5).abs() < 1e-6);
        assert_eq!(shared(&[0.0, 0.0, 0.2, 0.2], &[0.5, 0.5, 1.0, 1.0]), 0.0);
        assert_eq!(shared(&[0.0; 4], &[0.0; 4]), 0.0);
    }
}
