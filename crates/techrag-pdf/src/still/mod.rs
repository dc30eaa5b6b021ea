//! A file that is a picture: PNG, JPEG, or TIFF with one or several pages, as pages that can be drawn.
//!
//! The `image` crate decodes; what it leaves out of TIFF is in [`samples`], and what it does not say of JPEG in [`cut`].
//! Runs in a worker like the reading of PDFs: what a hostile picture costs in memory and time is bounded there, and what
//! its header claims is looked at before anything is decoded.

mod cut;
mod directory;
mod samples;

use crate::error::Error;
use crate::raster::{LONGEST_SIDE, MOST_DRAWN, Picture, Size};
use directory::Tiff;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use std::io::Cursor;

/// Most pixels of a picture that is decoded: A3 at 700 dots an inch.
const MOST_PIXELS: u64 = 100_000_000;
/// Points of the longer side, whatever the picture says of its density: that of A4. Few pictures say it and fewer are
/// right; boxes are in these points.
const LONGER: f32 = 842.0;
/// Longest side of a picture that is drawn to be read; tesseract takes no more than 32,767.
const LONGEST_STRIP: u32 = 30_000;

/// The format of a picture that can be drawn, told by its first bytes.
fn format(bytes: &[u8]) -> Option<ImageFormat> {
    let format = image::guess_format(bytes).ok()?;
    matches!(format, ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::Tiff).then_some(format)
}

/// Whether the bytes begin like a picture that can be drawn.
pub(crate) fn is_one(bytes: &[u8]) -> bool {
    format(bytes).is_some()
}

/// How many pages the picture has: the directories of a TIFF, one otherwise.
pub fn pages(bytes: &[u8]) -> u32 {
    let several = format(bytes) == Some(ImageFormat::Tiff);
    let count = if several { Tiff::of(bytes).map_or(1, |tiff| tiff.count()) } else { 1 };
    u32::try_from(count.max(1)).unwrap_or(u32::MAX)
}

/// The page drawn, upright as its camera says: of as many pixels along its longer side as asked for, and to be read
/// (`Size::Dpi`) of at most [`MOST_DRAWN`], whatever its shape: letters of a strip would else be lost. A picture whose file was cut off is
/// drawn as far as it goes and says so.
///
/// # Errors
/// [`Error::TooLarge`] where its header claims more than [`MOST_PIXELS`], [`Error::Unsupported`] where it is of a kind that
/// is not read, [`Error::Damaged`] where it cannot be decoded.
pub(crate) fn draw(bytes: &[u8], page: u32, size: Size, memory: u64) -> Result<Picture, Error> {
    let moved = Tiff::of(bytes).filter(|_| page > 1).and_then(|tiff| tiff.beginning_with(page));
    let image = decode(moved.as_deref().unwrap_or(bytes), memory)?;
    let most = most(image.width(), image.height(), size);
    let image = if image.width().max(image.height()) > most { image.thumbnail(most, most) } else { image };
    let (width, height) = (image.width(), image.height());
    #[expect(clippy::cast_precision_loss, reason = "sides of at most LONGEST_STRIP pixels")]
    let points = [width, height].map(|side| side as f32 * LONGER / width.max(height).min(LONGEST_SIDE) as f32);
    let lacking = if cut::is_cut(bytes) { vec![cut::LACKING.to_owned()] } else { Vec::new() };
    Ok(Picture { width, height, points, lacking, rgb: on_white(image) })
}

/// Most pixels along the longer side of a picture of this shape.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
fn most(width: u32, height: u32, size: Size) -> u32 {
    match size {
        Size::Longest(pixels) => pixels.clamp(1, LONGEST_SIDE),
        Size::Dpi(_) => {
            let share = (f64::from(MOST_DRAWN) / (f64::from(width) * f64::from(height)).max(1.0)).sqrt();
            let longer = (f64::from(width.max(height)) * share.min(1.0)).floor();
            longer.clamp(1.0, f64::from(LONGEST_STRIP)) as u32
        }
    }
}

fn decode(bytes: &[u8], memory: u64) -> Result<DynamicImage, Error> {
    let damaged = |error: image::ImageError| match error {
        image::ImageError::Limits(limit) => Error::TooLarge(limit.to_string()),
        image::ImageError::Unsupported(what) => Error::Unsupported(what.to_string()),
        error => Error::Damaged(error.to_string()),
    };
    if let Some(image) = samples::decode(bytes, memory) {
        return image;
    }
    let mut reader = ImageReader::new(Cursor::new(bytes));
    if let Some(format) = format(bytes) {
        reader.set_format(format);
    }
    let mut decoder = reader.into_decoder().map_err(damaged)?;
    let (width, height) = decoder.dimensions();
    bounded(width, height)?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(memory / 4 * 3);
    decoder.set_limits(limits).map_err(damaged)?;
    let orientation = decoder.orientation().map_err(damaged)?;
    let mut image = DynamicImage::from_decoder(decoder).map_err(damaged)?;
    image.apply_orientation(orientation);
    Ok(image)
}

fn bounded(width: u32, height: u32) -> Result<(), Error> {
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(Error::TooLarge(format!("{width} × {height} pixels, {MOST_PIXELS} allowed in all")));
    }
    Ok(())
}

/// Red, green, blue of each pixel, what is transparent on white.
fn on_white(image: DynamicImage) -> Vec<u8> {
    if !image.color().has_alpha() {
        return image.into_rgb8().into_raw();
    }
    let rgba = image.into_rgba8().into_raw();
    let (pixels, _) = rgba.as_chunks::<4>();
    let over = |value: u8, alpha: u8| {
        let (value, alpha) = (u32::from(value), u32::from(alpha));
        u8::try_from((value * alpha + 255 * (255 - alpha) + 127) / 255).unwrap_or(u8::MAX)
    };
    pixels.iter().flat_map(|&[r, g, b, a]| [over(r, a), over(g, a), over(b, a)]).collect()
}

#[cfg(test)]
mod tests;
