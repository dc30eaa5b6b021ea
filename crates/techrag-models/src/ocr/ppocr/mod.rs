//! PP-OCR (PaddlePaddle): one network finds lines of text, another reads them.

mod detect;
mod ink;
mod order;
mod recognise;
mod strips;

use serde::Deserialize;

use super::Word;
use super::gray::Gray;
use crate::error::Error;
use crate::locate::Locator;
use crate::manifest::{Kind, Manifest, Model};
use crate::pool::{Memory, Pool};
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

/// Pictures at a time for each one whose lines are looked for: that takes a quarter of the time and most of the memory.
const DETECTING: usize = 4;
/// Longest side of a page or of a line's least width, in pixels: twice what the networks were trained on.
const LONGEST_SIDE: u32 = 4096;
/// Tallest line as it is read, in pixels. Lines are up to 80 times as wide, and networks take 32 or 48.
const TALLEST: u32 = 256;
/// Most that a region grows; the networks' own pipelines take 1.5 to 2.
const MOST_GROWTH: f32 = 16.0;

impl RecogniserSpec {
    /// What is wrong with numbers that somebody wrote into a manifest, if anything.
    pub(crate) fn complaint(&self) -> Option<&'static str> {
        let is_side = |side: u32| (1..=LONGEST_SIDE).contains(&side);
        // Nothing that is no number is within a range.
        let is_share = |share: f32| (0.0..=1.0).contains(&share);
        if ![self.shorter, self.longer, self.width].into_iter().all(is_side) {
            return Some("shorter, longer and width must be 1 to 4096");
        }
        if self.shorter > self.longer {
            return Some("shorter must be at most longer");
        }
        if !(1..=TALLEST).contains(&self.height) {
            return Some("height must be 1 to 256");
        }
        if ![self.pixel, self.region, self.line].into_iter().all(is_share) {
            return Some("pixel, region and line must be 0 to 1");
        }
        (!(0.0..=MOST_GROWTH).contains(&self.grow)).then_some("grow must be 0 to 16")
    }
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
        let pool = |file: &str, sessions| {
            Pool::with_memory(environment.clone(), id, folder.join(file), sessions, Memory::Returned)
        };
        Ok(Self {
            name: format!("{id} {}", model.revision),
            line: spec.line,
            reader: Reader::new(pool(READER, sessions)?, &spec)?,
            detector: Detector::new(pool(DETECTOR, sessions.div_ceil(DETECTING))?, spec),
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
        let (lines, share) = self.lines(picture)?;
        for (line, place) in order::reading(lines).into_iter().enumerate() {
            let mut read = self.reader.read(&picture.cut(place), place, line, share)?;
            read.iter_mut().for_each(|word| word.bbox = ink::hug(picture, threshold, word.bbox));
            let certain: f32 = read.iter().map(|word| word.confidence).sum();
            if !read.is_empty() && certain >= self.line * super::precise(read.len()) {
                words.extend(read);
            }
        }
        Ok(words)
    }

    /// The boxes of lines, and the share of its pixels a side with which the picture was looked at.
    fn lines(&self, picture: &Gray) -> Result<(Vec<[usize; 4]>, f32), Error> {
        let pieces = strips::pieces(picture);
        if pieces.len() == 1 {
            return Ok((self.detector.lines(picture)?, self.detector.share(picture)));
        }
        let (mut lines, mut share) = (Vec::new(), 1.0_f32);
        for piece in pieces {
            let part = picture.cut(piece);
            share = share.min(self.detector.share(&part));
            let [x, y, ..] = piece;
            lines.extend(self.detector.lines(&part)?.into_iter().map(|[l, t, r, b]| [l + x, t + y, r + x, b + y]));
        }
        Ok((lines, share))
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

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "[[model]]\nid = 'own'\nkind = 'recogniser'\nfetch = 'named'\nrevision = 'r'\nlicence = 'MIT'\n\
                       [model.recogniser]\nshorter = 736\nlonger = 2016\npixel = 0.3\nregion = 0.5\ngrow = 1.6\n\
                       height = 48\nwidth = 320\nline = 0.5\n";

    #[test]
    fn numbers_that_cannot_be_used_are_refused_when_the_manifest_is_read() {
        assert!(Manifest::parse(OWN).is_ok());
        for (right, wrong, why) in [
            ("height = 48", "height = 0", "height must be 1 to 256"),
            ("height = 48", "height = 4294967295", "height must be 1 to 256"),
            ("width = 320", "width = 4294967295", "width must be 1 to 4096"),
            ("longer = 2016", "longer = 4097", "longer and width must be"),
            ("longer = 2016", "longer = 700", "shorter must be at most longer"),
            ("shorter = 736", "shorter = 0", "shorter, longer and width must be"),
            ("pixel = 0.3", "pixel = nan", "pixel, region and line must be 0 to 1"),
            ("region = 0.5", "region = 1.5", "pixel, region and line must be 0 to 1"),
            ("line = 0.5", "line = -inf", "pixel, region and line must be 0 to 1"),
            ("grow = 1.6", "grow = inf", "grow must be 0 to 16"),
            ("grow = 1.6", "grow = -1.0", "grow must be 0 to 16"),
        ] {
            let text = OWN.replace(right, wrong);
            assert_ne!(text, OWN);
            let error = Manifest::parse(&text).unwrap_err().to_string();
            assert!(error.contains("own: ") && error.contains(why), "{wrong}: {error}");
        }
    }
}
