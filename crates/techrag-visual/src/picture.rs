//! Pictures of pages and crops, kept inside the library: drawn when a reader is to see them, once.
//!
//! A file's name says all that decides its content (document, page, size, box), and it got its name when it was
//! complete: one that is there is taken, unless it shows that something else has happened to it ([`kept`]).

use std::fs;
use std::path::{Path, PathBuf};

use image::ImageEncoder as _;
use techrag_index::PageReader;
use techrag_pdf::{Bbox, Picture, Renderer, Size};

use crate::error::{Error, Result};
use crate::index::Failure;
use crate::kept;
use crate::original::Original;

/// How pictures are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// JPEG of this quality, 1 to 100.
    Jpeg(u8),
    /// PNG.
    Png,
}

impl Encoding {
    fn extension(self) -> &'static str {
        match self {
            Self::Jpeg(_) => "jpg",
            Self::Png => "png",
        }
    }
}

/// What pictures are drawn from and how. No defaults here: they are the binary's.
#[derive(Clone, Debug)]
pub struct PictureConfig {
    /// How PDFs are drawn.
    pub pdf: techrag_pdf::Config,
    /// Pixels an inch.
    pub dpi: u16,
    /// How they are written.
    pub encoding: Encoding,
}

/// Points left around a crop.
const MARGIN: f32 = 4.0;

/// The pictures of one document's pages.
pub struct Pictures<'a> {
    root: PathBuf,
    doc_id: String,
    original: Original,
    config: &'a PictureConfig,
    renderer: Option<Renderer<'a>>,
    drawn: Option<(u32, Picture)>,
}

impl<'a> Pictures<'a> {
    /// Pictures of a document of the library.
    ///
    /// # Errors
    /// If the catalog cannot be read. A document that is not there is the [`Failure`].
    pub fn of(reader: &PageReader, doc_id: &str, config: &'a PictureConfig) -> Result<Result<Self, Failure>> {
        let Some(known) = reader.document(doc_id)? else {
            return Ok(Err(failure(format!("there is no document {doc_id}"))));
        };
        let original = match Original::of(&known, None) {
            Ok(original) => original,
            Err(failure) => return Ok(Err(failure)),
        };
        let (root, doc_id) = (reader.root().to_owned(), doc_id.to_owned());
        Ok(Ok(Self { root, doc_id, original, config, renderer: None, drawn: None }))
    }

    /// The picture of a page, or of a box on it in points: its path within the library.
    ///
    /// # Errors
    /// If it cannot be written. A page that cannot be drawn is the [`Failure`].
    pub fn path(&mut self, page: u32, bbox: Option<Bbox>) -> Result<Result<String, Failure>> {
        let PictureConfig { dpi, encoding, .. } = self.config;
        let part = bbox.map_or(String::new(), |bbox| {
            let [x0, y0, x1, y1] = bbox.map(|edge| (edge * 10.0).round() as i64);
            format!("-{x0}-{y0}-{x1}-{y1}")
        });
        let quality = if let Encoding::Jpeg(quality) = encoding { format!("q{quality}") } else { String::new() };
        let file = format!("{page:05}-{dpi}{quality}{part}.{}", encoding.extension());
        let path = kept::folder(&self.root, &self.doc_id)?.join(&file);
        let name = format!("{}/{file}", kept::name(&self.doc_id));
        if kept::is_sound(&path) {
            return Ok(Ok(name));
        }
        let picture = match self.draw(page) {
            Ok(picture) => picture,
            Err(failure) => return Ok(Err(failure)),
        };
        let bytes = match bbox {
            None => encoded(picture, *encoding),
            Some(bbox) => encoded(&cut(picture, bbox), *encoding),
        };
        let bytes = bytes.map_err(|message| Error::Picture { path: path.clone(), message })?;
        write(&path, &bytes).map_err(|error| Error::Picture { path: path.clone(), message: error.to_string() })?;
        Ok(Ok(name))
    }

    /// The page drawn; the last one is kept, since its crop comes next.
    fn draw(&mut self, page: u32) -> Result<&Picture, Failure> {
        let size = Size::Dpi(f32::from(self.config.dpi));
        let kept = self.drawn.take().filter(|(number, _)| *number == page);
        let drawn = match kept {
            Some(drawn) => drawn,
            None => (page, self.renderer()?.page(page, size)?),
        };
        Ok(&self.drawn.insert(drawn).1)
    }

    /// The renderer, once it is sure that the file is the one that was indexed.
    fn renderer(&mut self) -> Result<&mut Renderer<'a>, Failure> {
        if self.renderer.is_none() {
            self.original.check(self.config.pdf.max_bytes)?;
        }
        let (path, config) = (self.original.path(), self.config);
        Ok(self.renderer.get_or_insert_with(|| Renderer::new(path, &config.pdf)))
    }
}

fn failure(message: String) -> Failure {
    Failure { kind: techrag_core::record::ErrorKind::Unreadable, message }
}

/// The part of a picture that shows a box, with a little around it.
fn cut(picture: &Picture, bbox: Bbox) -> Picture {
    let side = |points: f32, whole: f32, pixels: u32| {
        let at = if whole > 0.0 { points / whole * pixels as f32 } else { 0.0 };
        at.clamp(0.0, pixels as f32) as u32
    };
    let [width, height] = picture.points;
    let left = side(bbox[0] - MARGIN, width, picture.width).min(picture.width.saturating_sub(1));
    let top = side(bbox[1] - MARGIN, height, picture.height).min(picture.height.saturating_sub(1));
    let right = side(bbox[2] + MARGIN, width, picture.width).max(left + 1).min(picture.width);
    let bottom = side(bbox[3] + MARGIN, height, picture.height).max(top + 1).min(picture.height);
    let row = picture.width as usize * 3;
    let rows = picture.rgb.chunks_exact(row.max(1)).skip(top as usize).take((bottom - top) as usize);
    let rgb = rows.flat_map(|row| &row[left as usize * 3..right as usize * 3]).copied().collect();
    Picture { width: right - left, height: bottom - top, rgb, ..Picture::default() }
}

fn encoded(picture: &Picture, encoding: Encoding) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    match encoding {
        Encoding::Png => image::codecs::png::PngEncoder::new(&mut bytes)
            .write_image(&picture.rgb, picture.width, picture.height, image::ExtendedColorType::Rgb8)
            .map_err(|error| error.to_string())?,
        Encoding::Jpeg(quality) => {
            let side = |pixels: u32| u16::try_from(pixels).map_err(|error| error.to_string());
            let encoder = jpeg_encoder::Encoder::new(&mut bytes, quality.clamp(1, 100));
            let (width, height) = (side(picture.width)?, side(picture.height)?);
            let colour = jpeg_encoder::ColorType::Rgb;
            encoder.encode(&picture.rgb, width, height, colour).map_err(|error| error.to_string())?;
        }
    }
    Ok(bytes)
}

/// Under a temporary name first: a reader never meets half a picture.
fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    let mut builder = tempfile::Builder::new();
    // As any file: whoever may read the library may see its pictures.
    #[cfg(unix)]
    builder.permissions(<fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    std::io::Write::write_all(&mut file, bytes)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_the_box_and_a_little_around_it() {
        let rgb = (0..100 * 50 * 3).map(|at| (at / 3 % 100) as u8).collect();
        let picture = Picture { width: 100, height: 50, points: [200.0, 100.0], lacking: Vec::new(), rgb };
        let part = cut(&picture, [40.0, 20.0, 80.0, 40.0]);
        assert_eq!((part.width, part.height), (24, 14));
        assert_eq!(part.rgb[0], 18);
        let outside = cut(&picture, [500.0, 500.0, 600.0, 600.0]);
        assert_eq!((outside.width, outside.height), (1, 1));
        for encoding in [Encoding::Png, Encoding::Jpeg(85)] {
            assert!(!encoded(&part, encoding).unwrap().is_empty());
        }
    }
}
