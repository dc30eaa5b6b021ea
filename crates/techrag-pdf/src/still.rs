//! A file that is a picture: PNG, JPEG, or TIFF with one or several pages, as pages that can be drawn.
//!
//! Runs in a worker like the reading of PDFs: what a hostile picture costs in memory and time is bounded there, and what
//! its header claims is looked at before anything is decoded.

use crate::error::Error;
use crate::raster::{LONGEST_SIDE, Picture, Size};
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use std::collections::HashSet;
use std::io::Cursor;

/// Most pixels of a picture that is decoded: A3 at 700 dots an inch.
const MOST_PIXELS: u64 = 100_000_000;
/// Points of the longer side, whatever the picture says of its density: that of A4. Few pictures say it and fewer are
/// right; boxes are in these points.
const LONGER: f32 = 842.0;
/// Most pages looked for in a TIFF.
const MOST_PAGES: usize = 20_000;

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

/// The page drawn, at most [`LONGEST_SIDE`] pixels along its longer side, upright as its camera says.
///
/// # Errors
/// [`Error::TooLarge`] where its header claims more than [`MOST_PIXELS`], [`Error::Damaged`] where it cannot be decoded.
pub(crate) fn draw(bytes: &[u8], page: u32, size: Size, memory: u64) -> Result<Picture, Error> {
    let moved = Tiff::of(bytes).filter(|_| page > 1).and_then(|tiff| tiff.beginning_with(page));
    let image = decode(moved.as_deref().unwrap_or(bytes), memory)?;
    let most = match size {
        Size::Longest(pixels) => pixels.clamp(1, LONGEST_SIDE),
        Size::Dpi(_) => LONGEST_SIDE,
    };
    let image = if image.width().max(image.height()) > most { image.thumbnail(most, most) } else { image };
    let (width, height) = (image.width(), image.height());
    #[expect(clippy::cast_precision_loss, reason = "sides of at most LONGEST_SIDE pixels")]
    let points = [width, height].map(|side| side as f32 * LONGER / width.max(height) as f32);
    Ok(Picture { width, height, points, lacking: Vec::new(), rgb: on_white(image) })
}

fn decode(bytes: &[u8], memory: u64) -> Result<DynamicImage, Error> {
    let damaged = |error: image::ImageError| match error {
        image::ImageError::Limits(limit) => Error::TooLarge(limit.to_string()),
        error => Error::Damaged(error.to_string()),
    };
    let mut reader = ImageReader::new(Cursor::new(bytes));
    if let Some(format) = format(bytes) {
        reader.set_format(format);
    }
    let mut decoder = reader.into_decoder().map_err(damaged)?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(Error::TooLarge(format!("{width} × {height} pixels, {MOST_PIXELS} allowed in all")));
    }
    let mut limits = Limits::default();
    limits.max_alloc = Some(memory / 4 * 3);
    decoder.set_limits(limits).map_err(damaged)?;
    let orientation = decoder.orientation().map_err(damaged)?;
    let mut image = DynamicImage::from_decoder(decoder).map_err(damaged)?;
    image.apply_orientation(orientation);
    Ok(image)
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

/// A TIFF as far as the chain of its directories goes, one a page (TIFF 6.0, section 2).
struct Tiff<'a> {
    bytes: &'a [u8],
    little: bool,
}

impl<'a> Tiff<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        match bytes.get(..4)? {
            b"II*\0" => Some(Self { bytes, little: true }),
            b"MM\0*" => Some(Self { bytes, little: false }),
            _ => None,
        }
    }

    fn word(&self, at: usize) -> Option<u32> {
        let word: [u8; 4] = self.bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(if self.little { u32::from_le_bytes(word) } else { u32::from_be_bytes(word) })
    }

    fn short(&self, at: usize) -> Option<u16> {
        let short: [u8; 2] = self.bytes.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if self.little { u16::from_le_bytes(short) } else { u16::from_be_bytes(short) })
    }

    /// Where the directories begin, at most [`MOST_PAGES`] of them; a chain that runs in a circle is followed round it.
    fn directories(&self) -> impl Iterator<Item = u32> {
        let mut next = self.word(4);
        let follow = move || {
            let at = next.filter(|at| *at != 0)?;
            let offset = usize::try_from(at).ok()?;
            // One that the file has not got is a page that cannot be drawn, and not none: the file was cut off.
            let entries = self.short(offset).map(usize::from);
            next = entries.and_then(|entries| offset.checked_add(2 + 12 * entries)).and_then(|at| self.word(at));
            Some(at)
        };
        std::iter::from_fn(follow).take(MOST_PAGES)
    }

    /// How many directories there are; a circle ends where it closes.
    fn count(&self) -> usize {
        let mut met = HashSet::new();
        self.directories().take_while(|at| met.insert(*at)).count()
    }

    /// The file with a later page first; a page it has, so nobody needs to ask again whether the chain is a circle.
    fn beginning_with(&self, page: u32) -> Option<Vec<u8>> {
        let at = self.directories().nth(usize::try_from(page).ok()?.checked_sub(1)?)?;
        let mut bytes = self.bytes.to_vec();
        bytes[4..8].copy_from_slice(&if self.little { at.to_le_bytes() } else { at.to_be_bytes() });
        Some(bytes)
    }
}

#[cfg(test)]
#[path = "still_tests.rs"]
mod tests;
