//! PP-OCR (PaddlePaddle): one network finds lines of text, another reads them.

mod detect;
mod ink;
mod order;
mod recognise;

use serde::Deserialize;

use super::Word;
use super::gray::Gray;
use crate::error::Error;
use crate::locate::Locator;
use crate::manifest::{Kind, Manifest, Model};
use crate::pool::Pool;
use crate::runtime;
use detect::Detector;
use recognise::Reader;

/// Name of the network that finds lines.
pub(crate) const DETECTOR: &str = "det.onnx";
/// Name of the network that reads them.
pub(crate) const READER: &str = "rec.onnx";

/// How the networks are used. The numbers are those of their own pipeline.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecogniserSpec {
    /// The shorter side of a page is brought to at least this, in pixels.
    pub shorter: u32,
    /// The longer side of a page is brought to at most this, in pixels.
    pub longer: u32,
    /// Probability from which a pixel belongs to a line, 0 to 1.
    pub pixel: f32,
    /// Mean probability from which a region counts, 0 to 1.
    pub region: f32,
    /// How far a region grows to hold its letters: area over circumference times this, in pixels.
    pub grow: f32,
    /// Height of a line as it is read, in pixels.
    pub height: u32,
    /// Least width of a line as it is read, in pixels; shorter ones stand on zeros.
    pub width: u32,
    /// Confidence under which a line is taken for something drawn, 0 to 1.
    pub line: f32,
}

/// Both networks.
pub(super) struct PpOcr {
    name: String,
    detector: Detector,
    reader: Reader,
    line: f32,
}

impl PpOcr {
    /// Opens the networks.
    ///
    /// # Errors
    /// [`Error::Unknown`], [`Error::WrongKind`], [`Error::Missing`], [`Error::File`].
    pub(super) fn open(locator: &Locator, manifest: &Manifest, id: &str, sessions: usize) -> Result<Self, Error> {
        let model = manifest.get(id)?;
        let spec = model.recogniser()?.clone();
        let folder = locator.folder(model)?;
        let environment = runtime::environment(locator, manifest)?;
        let pool = |file: &str| Pool::open(environment.clone(), id, folder.join(file), sessions);
        Ok(Self {
            name: format!("{id} {}", model.revision),
            line: spec.line,
            reader: Reader::new(pool(READER)?, &spec)?,
            detector: Detector::new(pool(DETECTOR)?, spec),
        })
    }

    /// With its revision.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The words of an upright picture, by lines in reading order.
    ///
    /// # Errors
    /// [`Error::Run`], [`Error::Shape`].
    pub(super) fn read(&self, picture: &Gray) -> Result<Vec<Word>, Error> {
        let mut words = Vec::new();
        let threshold = picture.threshold();
        for (line, place) in order::reading(self.detector.lines(picture)?).into_iter().enumerate() {
            let mut read = self.reader.read(&picture.cut(place), place, line)?;
            read.iter_mut().for_each(|word| word.bbox = ink::hug(picture, threshold, word.bbox));
            let certain: f32 = read.iter().map(|word| word.confidence).sum();
            if !read.is_empty() && certain >= self.line * super::precise(read.len()) {
                words.extend(read);
            }
        }
        Ok(words)
    }
}

impl Model {
    /// How to use it as a reader of pictures.
    ///
    /// # Errors
    /// [`Error::WrongKind`].
    pub fn recogniser(&self) -> Result<&RecogniserSpec, Error> {
        match &self.kind {
            Kind::Recogniser(spec) => Ok(spec),
            _ => Err(Error::WrongKind { id: self.id.clone(), wanted: "reader of pictures" }),
        }
    }
}
